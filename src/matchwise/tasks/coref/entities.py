"""What coreference compares (paper §3.2): a document is a set of entities, an entity a set of mentions.

>>> from_clusters([[(0, 2), (5, 6)], [(3, 4)]]).entities[0].mentions[1]
Mention(left=5, right=6, head=None, words=(), deps=())
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from matchwise.engine.columns import together
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
        return self.words or tuple(zip(range(self.left, self.right), repeat(0)))


@dataclass(frozen=True, slots=True)
class Entity:
    """The mentions of one thing; `lines` are those of the file that each was read from."""

    mentions: tuple[Mention, ...]
    id: str = field(default="", compare=False)
    lines: Sequence[int] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EntitySet:
    """The entities of one document, its id, and its words if they are known, as one text of many lines."""

    entities: tuple[Entity, ...]
    id: str = field(default="", compare=False)
    text: str = field(default="", compare=False, repr=False)
    file: str = field(default="", compare=False, repr=False)
    zeros: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The zeros that refer back, by numbers that say which are resolved alike on both sides (`zero_anaphors`)."""

    column: int | None = field(default=None, compare=False, repr=False)
    """Where in a line of the text the word stands; a line is nothing but a word if it is not said."""

    partition: Partition | None = field(default=None, compare=False, repr=False)
    """What `Preparation` finds out of the mentions of a document, for the metrics that need it too."""

    @property
    def words(self) -> list[str]:
        lines = self.text.split("\n") if self.text else []
        return lines if self.column is None else words_of(lines, self.column)


def words_of(lines: Iterable[str], column: int) -> list[str]:
    """The words in one column of lines, some of which may be empty.

    >>> words_of(["a 0 I -", "", "a 1 see -"], 2)
    ['I', 'see']
    """
    found = map(str.split, lines, repeat(None), repeat(column + 1))
    return [columns[column] if len(columns) > column else "" for columns in found if columns]


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
    if document.partition is not None and document.partition.entities is document.entities:
        return document.partition.mentions
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


class Partition:
    """The mentions of a document and their spans, the number of the entity of each, and the size of each entity."""

    __slots__ = ("entities", "mentions", "numbers", "owner", "sizes", "spans")

    def __init__(self, document: EntitySet) -> None:
        self.entities = document.entities
        groups = [entity.mentions for entity in document.entities]
        self.mentions = list(chain.from_iterable(groups))
        self.spans = list(map(_span, self.mentions))
        self.sizes = list(map(len, groups))
        self.numbers = list(chain.from_iterable(map(repeat, range(len(groups)), self.sizes)))
        self.owner = dict(zip(self.spans, self.numbers, strict=True))
        """The entity that a span belongs to."""


_span: Callable[[Mention], tuple[int, int]] = itemgetter(0, 1)


def partition(document: EntitySet) -> Partition:
    """What a prepared document has already, unless it was given other entities since."""
    made = document.partition
    return made if made is not None and made.entities is document.entities else Partition(document)


def _of_each(preds: list[Partition], refs: list[Partition]) -> list[int]:
    return list(map(separate_links, preds, refs))


@together(_of_each)
def separate_links(pred: Partition, ref: Partition) -> int:
    """The pairs of mentions that both sides have and neither holds coreferent (BLANC).

    C(n) − Σ C(n_i.) − Σ C(n_.j) + Σ C(n_ij) = (n² − Σ n_i.² − Σ n_.j² + Σ n_ij²) / 2, where n_ij counts the mentions
    that entities i and j share.
    """
    if pred is ref:
        return (len(pred.spans) ** 2 - _squares(pred.sizes)) // 2
    shared: dict[tuple[int, int | None], int] = {}
    for cell in zip(pred.numbers, map(ref.owner.get, pred.spans), strict=True):
        shared[cell] = shared.get(cell, 0) + 1
    rows, columns, cells = [0] * len(pred.sizes), [0] * len(ref.sizes), 0
    for (i, j), n in shared.items():
        if j is not None:
            rows[i] += n
            columns[j] += n
            cells += n * n
    return (sum(rows) ** 2 - _squares(rows) - _squares(columns) + cells) // 2


def _squares(numbers: Iterable[int]) -> int:
    return sum([n * n for n in numbers])
