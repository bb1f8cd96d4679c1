"""The choices of nervaluate 1.2.1: each prediction in its turn takes a reference, and never gives it back.

This is not a similarity, because it depends on the order of mentions. It is a step before scoring, which numbers the
pairs that it chose for each of the four schemes. The optimal matching is the preset `optimal`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.arrays import Integers
from matchwise.engine.many.frame import Column, ElementTable, Numbers, table_of
from matchwise.engine.many.kernels import lay_out, offsets_of, owners_of
from matchwise.tasks.ner.documents import SameTokens, Scheme, name_other_words, read
from matchwise.tasks.ner.mentions import Mention, Span, pieces
from matchwise.views.words import Marked, Words


class ChosenMention(NamedTuple):
    """A mention and its pair number under each scheme: the number of its reference, or one below zero."""

    span: Span
    type: str
    strict: int
    exact: int
    partial: int
    typed: int
    own: int = 0
    """Its pair in nervaluate's table by type, for which a mention meets those of its own type only; and by its type."""
    own_typed: int = 0

    def in_words(self, words: Words) -> str:
        """The mention in words."""
        return Mention(self.span, self.type).in_words(words)

    def marks(self) -> Marked:
        """Its spans in the text, to be marked."""
        return Mention(self.span, self.type).marks()


class Choices(Struct, frozen=True):
    """Both sides of a document with their pairs; `percent` of a reference must be covered for two spans to meet.

    >>> pred, ref = Choices()([(0, 3, "PER"), (0, 6, "ORG")], [(0, 6, "ORG")])
    >>> [one.strict for one in pred], [one.strict for one in ref]
    ([0, -2], [0])
    """

    scheme: Scheme = "lenient"
    percent: float = 1.0
    only: tuple[str, ...] | None = None
    by_type: bool = False
    """Whether pairs are also chosen among the mentions of each type by themselves."""

    def __call__(self, pred: Any, ref: Any) -> tuple[list[ChosenMention], list[ChosenMention]]:
        [mine], [theirs] = self.together([pred], [ref])
        return list(mine), list(theirs)

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[list[Any], list[Any]]:
        """Choose in many documents, as columns."""
        tagged = _same_tokens.together(preds, refs)
        for pred, ref in zip(preds, refs, strict=True) if tagged is None else ():
            _same_tokens(pred, ref)
        scheme = self.scheme
        both = [
            read_sides(lambda one: read(one, scheme), *pair) for pair in zip(*(tagged or (preds, refs)), strict=True)
        ]
        spans, types = Numbers(), Numbers()
        mine, theirs = (LaidMentions([one[side] for one in both], spans, types, self.only) for side in (0, 1))
        i, j = self._find_meeting(mine, theirs)
        choose = partial(_choose, mine, theirs)
        exact = choose(i, j, _exact)
        numbers = [choose(i, j, _strict), exact, exact, choose(i, j, _closest_of_type)]
        if self.by_type:
            own = mine.types[i] == theirs.types[j]
            numbers += [choose(i[own], j[own], best) for best in (_exact, _closest_of_type)]
        return mine.make(numbers), theirs.make([theirs.places] * len(numbers))

    def _find_meeting(self, mine: LaidMentions, theirs: LaidMentions) -> tuple[Integers, Integers]:
        """The predictions and references that share enough; in each document, those that begin near are compared."""
        known, ranks = np.unique(np.array([_ends(span) for span in mine.all_spans]).reshape(-1), return_inverse=True)
        bounds = ranks.reshape(-1, 2)
        lefts, rights = (bounds[mine.spans] + len(known) * mine.owners[:, None]).T
        starts, stops = (bounds[theirs.spans] + len(known) * theirs.owners[:, None]).T
        order = np.argsort(starts, kind="stable")
        starts, stops = starts[order], stops[order]
        first = np.searchsorted(np.maximum.accumulate(stops), lefts)
        last = np.searchsorted(starts, rights, side="right")
        i, near = lay_out(first, np.maximum(last - first, 0))
        j = order[near]
        meets = mine.spans[i] == theirs.spans[j]
        for place in np.flatnonzero((lefts[i] < stops[near]) & (starts[near] < rights[i]) & ~meets).tolist():
            meets[place] = self._is_enough(mine[i[place]].span, theirs[j[place]].span)
        i, j = i[meets], j[meets]
        order = np.lexsort((j, i))
        return i[order], j[order]

    def _is_enough(self, span: Span, other: Span) -> bool:
        width = sum(right - left for left, right in pieces(other))
        shared = sum(max(0, min(b, d) - max(a, c)) for a, b in pieces(span) for c, d in pieces(other))
        return width > 0 and shared / width * 100.0 >= self.percent


_same_tokens = SameTokens()

nervaluate = StepKind("nervaluate", Choices, batch=Choices.together, left_out=name_other_words)
"""`ner.nervaluate()`: the pairs that nervaluate chooses."""


class LaidMentions:
    """The mentions of one side of many documents, laid end to end; both sides number their spans and types together."""

    def __init__(
        self, documents: list[Sequence[Mention]], spans: Numbers, types: Numbers, only: tuple[str, ...] | None
    ) -> None:
        table, self.all_spans, self.all_types = table_of(documents), spans, types
        if table is None:
            mentions = list(chain.from_iterable(documents))
            self.offsets = offsets_of(documents)
            self.spans = spans.of([one.span for one in mentions], len(mentions))
            self.types = types.of([one.type for one in mentions], len(mentions))
        else:
            (found, span), (kinds, type) = table.columns["span"], table.columns["type"]
            self.offsets = table.offsets
            self.spans, self.types = spans.of(span, len(span))[found], types.of(type, len(type))[kinds]
        if only is not None:
            kept = np.isin(self.types, [types.get(one, -1) for one in only])
            self.spans, self.types = self.spans[kept], self.types[kept]
            self.offsets = np.append(0, np.cumsum(kept))[self.offsets]
        self.owners = owners_of(self.offsets)
        self.places = np.arange(len(self.owners)) - self.offsets[self.owners]
        """The place of each in its document."""

    def __getitem__(self, place: int) -> Mention:
        return Mention(self._spans[self.spans[place]], self._types[self.types[place]])

    @cached_property
    def _spans(self) -> list[Span]:
        return list(self.all_spans)

    @cached_property
    def _types(self) -> list[str]:
        return list(self.all_types)

    def make(self, numbers: list[Integers]) -> list[Any]:
        """The mentions of each document with their pair numbers."""
        numbers += [np.zeros_like(self.places)] * (6 - len(numbers))
        columns = [Column(self.spans, self._spans), Column(self.types, self._types), *map(Column.of_numbers, numbers)]
        named = dict(zip(ChosenMention._fields, columns, strict=True))
        return ElementTable(self.offsets, named, ChosenMention).slices()


def _ends(span: Span) -> tuple[int, int]:
    return span if isinstance(span[0], int) else (span[0][0], span[-1][1])


Best = Callable[[Mention, list[int], LaidMentions], int]
"""Which of the free references a prediction takes."""


def _choose(mine: LaidMentions, theirs: LaidMentions, i: Integers, j: Integers, best: Best) -> Integers:
    """The place of the free reference that each prediction takes, or a number below zero."""
    chosen: Integers = -1 - mine.places
    is_contested = (np.bincount(i, minlength=1)[i] > 1) | (np.bincount(j, minlength=1)[j] > 1)
    chosen[i[~is_contested]] = theirs.places[j[~is_contested]]
    meeting: dict[int, list[int]] = {}
    for one, other in zip(i[is_contested].tolist(), j[is_contested].tolist(), strict=True):
        meeting.setdefault(one, []).append(other)
    taken: set[int] = set()
    for one, others in meeting.items():
        free = [other for other in others if other not in taken]
        if free:
            taken.add(pair := best(mine[one], free, theirs) if len(free) > 1 else free[0])
            chosen[one] = theirs.places[pair]
    return chosen


def _strict(one: Mention, free: list[int], refs: LaidMentions) -> int:
    return next((place for place in free if refs[place] == one), free[0])


def _exact(one: Mention, free: list[int], refs: LaidMentions) -> int:
    return next((place for place in free if refs[place].span == one.span), free[0])


def _closest_of_type(one: Mention, free: list[int], refs: LaidMentions) -> int:
    same = [place for place in free if refs[place].type == one.type]
    return min(same, key=lambda place: _distance(one, refs[place])) if same else free[0]


def _distance(one: Mention, other: Mention) -> int:
    (left, right), (start, end) = _ends(one.span), _ends(other.span)
    return abs(left - start) + abs(right - end)
