"""The choices of nervaluate 1.2.1: each prediction in its turn takes a reference, and never gives it back.

This is not a similarity, because it depends on the order of mentions. It is a step before scoring, which numbers the
pairs that it chose for each of the four schemes. The optimal matching is the preset `optimal`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.arrays import Integers
from matchwise.engine.many.kernels import lay_out, offsets_of, owners_of
from matchwise.engine.many.table import Column, ElementTable, Numbers
from matchwise.tasks.ner.documents import SameTokens, name_other_words, read
from matchwise.tasks.ner.mentions import Mention, Span, pieces
from matchwise.tasks.ner.tags import Scheme
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


@dataclass(frozen=True, slots=True)
class Choices:
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
        read = [read_sides(self._read, *_same_tokens(pred, ref)) for pred, ref in zip(preds, refs, strict=True)]
        mine, theirs = (LaidMentions([one[side] for one in read]) for side in (0, 1))
        spans, types = Numbers(), Numbers()
        for side in (mine, theirs):
            side.columns["span"] = spans.of([one.span for one in side.mentions], len(side.mentions))
            side.columns["type"] = types.of([one.type for one in side.mentions], len(side.mentions))
        i, j = self._find_meeting(mine, theirs)
        choose = partial(_choose, mine, theirs)
        exact = choose(i, j, _exact)
        numbers = [choose(i, j, _strict), exact, exact, choose(i, j, _closest_of_type)]
        if self.by_type:
            own = mine.columns["type"][i] == theirs.columns["type"][j]
            numbers += [choose(i[own], j[own], best) for best in (_exact, _closest_of_type)]
        of_refs = [theirs.places] * len(numbers)
        return mine.make(numbers, spans, types), theirs.make(of_refs, spans, types)

    def _read(self, document: Any) -> list[Mention]:
        found = read(document, self.scheme)
        return found if self.only is None else [one for one in found if one.type in self.only]

    def _find_meeting(self, mine: LaidMentions, theirs: LaidMentions) -> tuple[Integers, Integers]:
        """The predictions and references that share enough; in each document, those that begin near are compared."""
        several = len(mine.mentions), len(theirs.mentions)
        ends = [_ends(one.span) for one in chain(mine.mentions, theirs.mentions)]
        known, ranks = np.unique(np.array(ends).reshape(-1), return_inverse=True)
        lefts, rights = (ranks.reshape(-1, 2) + len(known) * np.concatenate((mine.owners, theirs.owners))[:, None]).T
        order = np.argsort(lefts[several[0] :], kind="stable")
        starts, stops = lefts[several[0] :][order], rights[several[0] :][order]
        first = np.searchsorted(np.maximum.accumulate(stops), lefts[: several[0]])
        last = np.searchsorted(starts, rights[: several[0]], side="right")
        i, near = lay_out(first, np.maximum(last - first, 0))
        j = order[near]
        is_same = mine.columns["span"][i] == theirs.columns["span"][j]
        may_meet = (lefts[i] < stops[near]) & (starts[near] < rights[i]) & ~is_same
        for place in np.flatnonzero(may_meet).tolist():
            is_same[place] = self._is_enough(mine.mentions[i[place]].span, theirs.mentions[j[place]].span)
        i, j = i[is_same], j[is_same]
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
    """The mentions of one side of many documents, laid end to end."""

    def __init__(self, documents: list[list[Mention]]) -> None:
        self.mentions = list(chain.from_iterable(documents))
        self.offsets = offsets_of(documents)
        self.owners = owners_of(self.offsets)
        self.places = np.arange(len(self.mentions)) - self.offsets[self.owners]
        """The place of each in its document."""
        self.columns: dict[str, Integers] = {}

    def make(self, numbers: list[Integers], spans: Numbers, types: Numbers) -> list[Any]:
        """The mentions of each document with their pair numbers."""
        numbers += [np.zeros_like(self.places)] * (6 - len(numbers))
        columns = [Column(self.columns["span"], list(spans)), Column(self.columns["type"], list(types))]
        columns += map(Column.of_numbers, numbers)
        named = dict(zip(ChosenMention._fields, columns, strict=True))
        return ElementTable(self.offsets, named, ChosenMention).slices()


def _ends(span: Span) -> tuple[int, int]:
    return span if isinstance(span[0], int) else (span[0][0], span[-1][1])


Best = Callable[[Mention, list[int], list[Mention]], int]
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
    for one, places in meeting.items():
        free = [other for other in places if other not in taken]
        if free:
            taken.add(pair := best(mine.mentions[one], free, theirs.mentions) if len(free) > 1 else free[0])
            chosen[one] = theirs.places[pair]
    return chosen


def _strict(one: Mention, free: list[int], refs: list[Mention]) -> int:
    return next((place for place in free if refs[place] == one), free[0])


def _exact(one: Mention, free: list[int], refs: list[Mention]) -> int:
    return next((place for place in free if refs[place].span == one.span), free[0])


def _closest_of_type(one: Mention, free: list[int], refs: list[Mention]) -> int:
    same = [place for place in free if refs[place].type == one.type]
    return min(same, key=lambda place: _distance(one, refs[place])) if same else free[0]


def _distance(one: Mention, other: Mention) -> int:
    (left, right), (start, end) = _ends(one.span), _ends(other.span)
    return abs(left - start) + abs(right - end)
