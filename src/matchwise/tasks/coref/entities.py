"""What coreference compares (paper §3.2): a document is a set of entities, an entity a set of mentions.

>>> from_clusters([[(0, 2), (5, 6)], [(3, 4)]]).entities[0].mentions[1]
Mention(left=5, right=6, head=None, words=(), deps=())
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, compress, count, repeat
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from matchwise.errors import DataError

Place: TypeAlias = tuple[int, int]
"""A word of a document, (offset, 0), or the n-th empty node after it, (offset, n)."""


class Mention(NamedTuple):
    """A span of words [left, right), by offsets in the document.

    `words` lists its places where the span does not say them: a discontinuous mention, or one with empty nodes (zeros).
    `head` is the place of its head word; `deps` are the enhanced dependencies (parent, label) of a head that is a zero.
    """

    left: int
    right: int
    head: Place | None = None
    words: tuple[Place, ...] = ()
    deps: tuple[tuple[Place, str], ...] = ()

    def places(self) -> tuple[Place, ...]:
        """The words that the mention is made of."""
        return self.words or tuple((offset, 0) for offset in range(self.left, self.right))


@dataclass(frozen=True, slots=True)
class Entity:
    """The mentions of one thing; `lines` are those of the file that each was read from."""

    mentions: tuple[Mention, ...]
    id: str = field(default="", compare=False)
    lines: Sequence[int] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EntitySet:
    """The entities of one document, its id, and its words if they are known: one to a line, as one text."""

    entities: tuple[Entity, ...]
    id: str = field(default="", compare=False)
    text: str = field(default="", compare=False, repr=False)
    file: str = field(default="", compare=False, repr=False)
    zeros: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The zeros that refer back, by numbers that say which are resolved alike on both sides (`zero_anaphors`)."""

    @property
    def words(self) -> list[str]:
        return self.text.split("\n") if self.text else []


def span(left: int, right: int) -> Mention:
    """`Mention(left, right)`, in half the time."""
    return tuple.__new__(Mention, (left, right, None, (), ()))


def places(mention: Mention) -> tuple[Place, ...]:
    """The words of a mention."""
    return mention.places()


class Membership(NamedTuple):
    """A mention and the entity that it belongs to: what B³ compares."""

    mention: Mention
    entity: Entity


def from_clusters(
    clusters: Iterable[Iterable[Sequence[int]]], id: str = "", *, inclusive: bool = False, words: Sequence[str] = ()
) -> EntitySet:
    """In-memory clusters of spans (start, end) as a document; `inclusive` if a span ends with its last word.

    >>> from_clusters([[[0, 1]]], inclusive=True).entities[0].mentions[0].right
    2
    """
    more = 1 if inclusive else 0
    entities = []
    try:
        for number, cluster in enumerate(clusters):
            mentions = tuple([span(left, right + more) for left, right in cluster])
            entities.append(Entity(mentions, str(number)))
    except (TypeError, ValueError) as error:
        raise DataError(f"expected clusters as lists of (start, end), found {error}", document=id or None) from None
    return EntitySet(tuple(entities), id, "\n".join(words))


def all_mentions(document: EntitySet) -> list[Mention]:
    """The mentions of all entities of a document."""
    return list(chain.from_iterable([entity.mentions for entity in document.entities]))


def memberships(document: EntitySet) -> list[Membership]:
    """Each mention of a document with its entity (paper §3.2, `CorefOutputForB3.rels`)."""
    return _members(document.entities)


def chain_memberships(document: EntitySet) -> list[Membership]:
    """Those of the entities of two or more mentions."""
    return _members(chains(document))


def chains(document: EntitySet) -> list[Entity]:
    """The entities of two or more mentions."""
    return [entity for entity in document.entities if len(entity.mentions) > 1]


def _members(entities: Iterable[Entity]) -> list[Membership]:
    pairs = chain.from_iterable([zip(entity.mentions, repeat(entity)) for entity in entities])
    return list(map(_membership, pairs))


_membership: Callable[[tuple[Mention, Entity]], Membership] = partial(tuple.__new__, Membership)
"""`Membership(*pair)`, in a third of the time."""


_span: Callable[[Mention], tuple[int, int]] = itemgetter(0, 1)


class Partition:
    """The mentions of a document, each with the number of its entity, from 1."""

    __slots__ = ("numbers", "sizes", "spans")

    def __init__(self, document: EntitySet) -> None:
        self.spans = list(map(_span, all_mentions(document)))
        self.sizes = [len(entity.mentions) for entity in document.entities]
        self.numbers = list(chain.from_iterable(map(repeat, count(1), self.sizes)))


def partition(document: EntitySet) -> Partition:
    return Partition(document)


def separate_links(pred: Partition, ref: Partition) -> int:
    """The pairs of mentions that both sides have and neither holds coreferent (BLANC).

    C(n) − Σ C(n_i.) − Σ C(n_.j) + Σ C(n_ij) = (n² − Σ n_i.² − Σ n_.j² + Σ n_ij²) / 2, where n_ij counts the mentions
    that entities i and j share.
    """
    if pred is ref:
        return (len(pred.spans) ** 2 - _squares(pred.sizes)) // 2
    there = dict(zip(ref.spans, ref.numbers, strict=True))
    owners = list(map(there.get, pred.spans))
    rows = list(compress(pred.numbers, owners))
    columns = list(filter(None, owners))
    apart = len(rows) ** 2 - _squares(Counter(rows).values()) - _squares(Counter(columns).values())
    return (apart + _squares(Counter(zip(rows, columns, strict=True)).values())) // 2


def _squares(numbers: Iterable[int]) -> int:
    return sum([n * n for n in numbers])
