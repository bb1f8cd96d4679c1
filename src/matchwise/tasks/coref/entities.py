"""What coreference compares (paper §3.2): a document is a set of entities, an entity a set of mentions.

>>> from_clusters([[(0, 2), (5, 6)], [(3, 4)]]).entities[0].mentions[1]
CorefMention(left=5, right=6, head=None, words=(), deps=(), core=())
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import index
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Number
from matchwise.corpus.positions import Positioned, Positions, Unit
from matchwise.errors import DataError

Place: TypeAlias = tuple[int, int]
"""A word of a document, (offset, 0), or the n-th empty node after it, (offset, n)."""


class CorefMention(NamedTuple):
    """A span of words [left, right), by offsets in the document.

    `words` lists its places where the span does not say them: a discontinuous mention, or one with empty nodes (zeros).
    `head` is the place of its head word; `deps` are the enhanced dependencies (parent, label) of a head that is a zero.
    `core` are the words that a partial match must hold, where that is more than the head (MIN of Universal Anaphora).
    """

    left: int
    right: int
    head: Place | None = None
    words: tuple[Place, ...] = ()
    deps: tuple[tuple[Place, str], ...] = ()
    core: tuple[Place, ...] = ()

    def places(self) -> tuple[Place, ...]:
        """The words that the mention is made of."""
        return self.words or tuple(zip(range(self.left, self.right), repeat(0)))


@dataclass(frozen=True, slots=True)
class Entity:
    """The mentions of one thing; `lines` has the line that each was read from."""

    mentions: tuple[CorefMention, ...]
    id: str = field(default="", compare=False)
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EntitySet(Positioned):
    """The entities of one document, its id, and its words if they are known, as a text with one on each line."""

    entities: tuple[Entity, ...]
    id: str = field(default="", compare=False)
    text: str = field(default="", compare=False, repr=False)
    file: str = field(default="", compare=False, repr=False)
    zeros: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The zeros that refer back, by numbers that say which are resolved alike on both sides (`zero_anaphors`)."""
    positions: Positions | None = field(default=None, compare=False, repr=False)
    """What the ends of mentions count, if not words."""

    @property
    def words(self) -> list[str]:
        return self.text.split("\n") if self.text else []

    @property
    def unit(self) -> Unit | None:
        return "tokens" if self.positions is None else self.positions.unit

    @property
    def written(self) -> Any:
        return self.text

    @property
    def counted(self) -> Positions | None:
        return self.positions or Positions("tokens", words=tuple(self.words))


def places(mention: CorefMention) -> tuple[Place, ...]:
    """The words of a mention."""
    return mention.places()


class Membership(NamedTuple):
    """A mention and the entity that it belongs to: what B³ compares."""

    mention: CorefMention
    entity: Entity


def from_clusters(
    clusters: Iterable[Iterable[Sequence[int]]], id: str = "", *, inclusive: bool = False, words: Sequence[str] = ()
) -> EntitySet:
    """In-memory clusters of spans (start, end) as a document; `inclusive` if a span ends with its last word.

    >>> from_clusters([[[0, 1]]], inclusive=True).entities[0].mentions[0].right
    2
    """
    more = 1 if inclusive else 0
    try:
        found = [list(cluster) for cluster in clusters]
        text = "\n".join(words)
    except TypeError as error:
        problem = f"expected clusters as lists of (start, end), and words as texts, found another shape ({error})"
        raise DataError(problem, document=id or None) from None
    entities = [
        Entity(tuple([_read_span(span, more, (number, at), id) for at, span in enumerate(cluster)]), str(number))
        for number, cluster in enumerate(found)
    ]
    return EntitySet(tuple(entities), id, text)


def _read_span(value: Any, more: int, place: tuple[int, int], id: str) -> CorefMention:
    """A span whose ends are whole numbers of Python, NumPy or PyTorch; `more` is added to its end."""
    expected = "of whole numbers"
    try:
        left, right = value
        if type(left) is not bool and type(right) is not bool:
            left, right = index(left), index(right) + more
            if 0 <= left < right:
                return CorefMention(left, right)
            expected = f"with 0 ≤ start {'≤' if more else '<'} end"
            if left == right and not more:
                expected += "; write inclusive=True if a span ends with its last word"
    except (TypeError, ValueError):
        pass  # refused in our words
    problem = f"found {value!r}, expected a span (start, end) {expected}"
    raise DataError(problem, "[{}][{}]".format(*place), id or None)


def all_mentions(document: EntitySet) -> list[CorefMention]:
    """The mentions of all entities of a document."""
    return list(chain.from_iterable([entity.mentions for entity in document.entities]))


def memberships(document: EntitySet) -> list[Membership]:
    """Each mention of a document with its entity (paper §3.2, `CorefOutputForB3.rels`)."""
    return _members(document.entities)


def chain_memberships(document: EntitySet) -> list[Membership]:
    """The memberships in entities of two or more mentions."""
    return _members(chains(document))


def chains(document: EntitySet) -> list[Entity]:
    """The entities of two or more mentions."""
    return [entity for entity in document.entities if len(entity.mentions) > 1]


def _members(entities: Iterable[Entity]) -> list[Membership]:
    pairs = chain.from_iterable([zip(entity.mentions, repeat(entity)) for entity in entities])
    return list(map(Membership._make, pairs))


def separate_links(rows: list[int], columns: list[int], weights: list[Number]) -> Number:
    """The pairs of mentions that both sides have and neither holds coreferent (BLANC).

    C(n) − Σ C(n_i.) − Σ C(n_.j) + Σ C(n_ij) = (n² + Σ n_ij (n_ij − n_i. − n_.j)) / 2, where n_ij counts the mentions
    that entities i and j share.
    """
    if not set(map(type, weights)) <= {int}:
        from fractions import Fraction

        weights = [Fraction(weight) for weight in weights]  # a difference of rounded sums may be below 0
    in_row: dict[int, Number] = dict.fromkeys(rows, 0)
    in_column: dict[int, Number] = dict.fromkeys(columns, 0)
    for i, j, n in zip(rows, columns, weights, strict=True):
        in_row[i] += n
        in_column[j] += n
    cells = zip(rows, columns, weights, strict=True)
    twice = sum(weights) ** 2 + sum(n * (n - in_row[i] - in_column[j]) for i, j, n in cells)
    return twice // 2 if isinstance(twice, int) else float(twice / 2)
