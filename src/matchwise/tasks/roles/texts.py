"""How scorers of role fillers make strings comparable: named steps, never implicit."""

from __future__ import annotations

from functools import lru_cache

from matchwise.similarities.strings import normalizer
from matchwise.tasks.roles.fillers import Entity, Mention, RoleFiller

_normal = normalizer("squad")


@lru_cache(maxsize=1 << 16)
def squad(text: str) -> str:
    """Lower case without ASCII punctuation, the articles a, an, the, and repeated blanks (SQuAD, GRIT, GTT, IterX).

    >>> squad('The "Santo-Tomas" farm')
    'santotomas farm'
    """
    return _normal(text)


def squad_mentions(mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """The strings among the mentions normalised; spans stay what they are."""
    return tuple([squad(mention) if isinstance(mention, str) else mention for mention in mentions])


def squad_filler(filler: RoleFiller) -> RoleFiller:
    """The filler with its strings normalised."""
    entity = filler.entity
    return RoleFiller(filler.role, Entity(squad_mentions(entity.mentions), entity.type, entity.name))
