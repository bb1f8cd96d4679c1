"""The choices of nervaluate 1.2.1: each prediction in its turn takes a reference, and never gives it back.

This is not a similarity, because it depends on the order of mentions. It is a step before scoring, which numbers the
pairs that it chose for each of the four schemes. The optimal matching is the preset `optimal`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.arrays import Integers
from matchwise.engine.many.table import Column, ElementTable, owners_of
from matchwise.tasks.ner.documents import SameTokens, lay_out, read
from matchwise.tasks.ner.mentions import Mention, Span, pieces
from matchwise.tasks.ner.tags import Scheme, Spans, Tags, find_spans
from matchwise.views.words import Marked, Words


class ChosenMentions(NamedTuple):
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


FEW = 256
"""Pairs of mentions that are compared as they are: sorting them first takes longer."""

LONGEST = 100
"""In a mention of this length, one position is a hundredth of what has to be covered."""

_same_tokens = SameTokens()


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

    def __call__(self, pred: Any, ref: Any) -> tuple[list[Any], list[Any]]:
        _same_tokens(pred, ref)
        return self.pair(*read_sides(self._read, pred, ref))

    def pair(self, preds: list[Mention], refs: list[Mention]) -> tuple[list[ChosenMentions], list[ChosenMentions]]:
        """The mentions of a sentence with their pairs."""
        mine, theirs = self._pairs(preds, refs)
        return self._within_types(preds, refs, mine, theirs) if self.by_type else (mine, theirs)

    def _within_types(
        self, preds: list[Mention], refs: list[Mention], mine: list[ChosenMentions], theirs: list[ChosenMentions]
    ) -> tuple[list[ChosenMentions], list[ChosenMentions]]:
        meeting = [
            [place for place in places if refs[place].type == one.type]
            for one, places in zip(preds, self._find_meeting(preds, refs), strict=True)
        ]
        columns = [choose(preds, refs, meeting, best) for best in (_exact, _closest_of_type)]
        return (
            [one._replace(own=own, own_typed=typed) for one, own, typed in zip(mine, *columns, strict=True)],
            [one._replace(own=n, own_typed=n) for n, one in enumerate(theirs)],
        )

    def _pairs(self, preds: list[Mention], refs: list[Mention]) -> tuple[list[ChosenMentions], list[ChosenMentions]]:
        theirs = [ChosenMentions(one.span, one.type, n, n, n, n) for n, one in enumerate(refs)]
        if preds == refs and _are_apart(refs):  # each takes its own
            return theirs, theirs
        meeting = self._find_meeting(preds, refs)
        once = [place for places in meeting for place in places]
        if len(once) == len(set(once)) and len(once) + meeting.count([]) == len(preds):  # no choice to make
            pairs = [places[0] if places else -1 - place for place, places in enumerate(meeting)]
            mine = [ChosenMentions(one.span, one.type, n, n, n, n) for one, n in zip(preds, pairs, strict=True)]
        else:
            columns = [choose(preds, refs, meeting, best) for best in RULES]
            mine = [
                ChosenMentions(one.span, one.type, a, b, b, c) for one, a, b, c in zip(preds, *columns, strict=True)
            ]
        return mine, theirs

    def together(self, preds: list[Any], refs: list[Any]) -> tuple[Any, Any] | None:
        """Both sides of many documents, if they are tags, as many on either side."""
        mine, theirs = lay_out(preds), lay_out(refs)
        if mine is None or theirs is None or mine.lengths != theirs.lengths:
            return None
        return choose_all(self, mine, theirs)

    def _read(self, document: Any) -> list[Mention]:
        found = read(document, self.scheme)
        return found if self.only is None else [one for one in found if one.type in self.only]

    def _find_meeting(self, preds: list[Mention], refs: list[Mention]) -> list[list[int]]:
        """For each prediction, the references that it covers enough of."""
        if self.percent == 1 and _are_short(preds, refs):  # one position is a hundredth at least
            spans: list[Any] = [(place, *span) for place, (span, _) in enumerate(refs)]
            return [
                [n for n, start, end in near if left < end and start < right]
                for near, ((left, right), _) in zip(_find_near(preds, spans), preds, strict=True)
            ]
        theirs = [(place, *_ends(span), span) for place, (span, _) in enumerate(refs)]
        return [
            [
                place
                for place, start, end, other in near
                if (left < end and start < right and self._is_enough(span, other)) or span == other
            ]
            for near, (left, right, span) in zip(
                _find_near(preds, theirs), ((*_ends(span), span) for span, _ in preds), strict=True
            )
        ]

    def _is_enough(self, span: Span, other: Span) -> bool:
        width = _width(other)
        return width > 0 and _count_shared(span, other) / width * 100.0 >= self.percent


nervaluate = StepKind("nervaluate", Choices, batch=Choices.together)
"""`ner.nervaluate()`: the pairs that nervaluate chooses."""


def _find_near(preds: list[Mention], refs: list[Any]) -> list[list[Any]]:
    """For each prediction the references (place, start, end, …) that may touch it, by their sorted starts.

    >>> _find_near([Mention((0, 2), "A"), Mention((8, 9), "B")] * FEW, [(0, 7, 9), (1, 1, 3), (2, 20, 21)])[:2]
    [[(1, 1, 3)], [(0, 7, 9)]]
    """
    if len(preds) * len(refs) <= FEW:
        return [refs] * len(preds)
    ordered = sorted(refs, key=itemgetter(1))
    starts, widest = [ref[1] for ref in ordered], max(0, *(ref[2] - ref[1] for ref in refs))
    return [
        sorted(ordered[bisect_left(starts, left - widest) : bisect_right(starts, max(left, right))])
        for left, right in (_ends(span) for span, _ in preds)
    ]


def _are_apart(refs: list[Mention]) -> bool:
    """True if each mention ends before the next begins."""
    end = 0
    for span, _ in refs:
        left, right = _ends(span)
        if left < end:
            return False
        end = right
    return True


def _are_short(preds: list[Mention], refs: list[Mention]) -> bool:
    """True if all spans have one piece, and none is empty or long."""
    try:
        widths = {right - left for (left, right), _ in (*preds, *refs)}  # type: ignore[operator]  # or they are not
    except (TypeError, ValueError):
        return False
    return not widths or (min(widths) > 0 and max(widths) <= LONGEST)


def _ends(span: Span) -> tuple[int, int]:
    return span if isinstance(span[0], int) else (span[0][0], span[-1][1])


def _width(span: Span) -> int:
    return sum(right - left for left, right in pieces(span))


def _count_shared(span: Span, other: Span) -> int:
    """Count the positions that two spans share."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in pieces(span) for c, d in pieces(other))


def choose(preds: list[Mention], refs: list[Mention], meeting: list[list[int]], best: Any) -> list[int]:
    """The free reference that each prediction takes, or a number below zero."""
    taken: set[int] = set()
    pairs: list[int] = []
    for place, (one, places) in enumerate(zip(preds, meeting, strict=True)):
        left = [other for other in places if other not in taken]
        pair = (best(one, left, refs) if len(left) > 1 else left[0]) if left else -1 - place
        pairs.append(pair)
        taken.add(pair)
    return pairs


def _strict(one: Mention, left: list[int], refs: list[Mention]) -> int:
    return next((place for place in left if refs[place] == one), left[0])


def _exact(one: Mention, left: list[int], refs: list[Mention]) -> int:
    return next((place for place in left if refs[place].span == one.span), left[0])


def _closest_of_type(one: Mention, left: list[int], refs: list[Mention]) -> int:
    same = [place for place in left if refs[place].type == one.type]
    return min(same, key=lambda place: _distance(one, refs[place])) if same else left[0]


def _distance(one: Mention, other: Mention) -> int:
    (left, right), (start, end) = _ends(one.span), _ends(other.span)
    return abs(left - start) + abs(right - end)


RULES = (_strict, _exact, _closest_of_type)
"""What is best for the schemes strict, exact and partial, and type."""


class TaggedSide:
    """The mentions of many sentences, by arrays.

    Most mentions meet one other or none, so that nervaluate has to choose for a few contested ones only.
    On the sentences of benchmarks/ner.py this takes 0.08 s, and one sentence after the other 0.5 s.
    """

    def __init__(self, tags: Tags, choices: Choices) -> None:
        found = _only(find_spans(tags, choices.scheme), choices.only)
        self.table = found.table()
        self.left, self.right, self.offsets = found.left, found.right, found.offsets
        self.owners = owners_of(self.offsets)
        self.local = np.arange(len(self.left)) - self.offsets[self.owners]
        """The number of each mention in its sentence."""

    @property
    def plain(self) -> bool:
        """True if no mention is empty or long, and each ends before the next begins."""
        widths = self.right - self.left
        apart = bool((self.left[1:] >= self.right[:-1]).all())
        return apart and widths.min(initial=1) > 0 and widths.max(initial=1) <= LONGEST

    def find_meeting(self, other: TaggedSide) -> tuple[Integers, Integers]:
        """For each mention: the first mention of the other side that it may meet, and how many it meets."""
        first = np.searchsorted(other.right, self.left, side="right")
        return first, np.searchsorted(other.left, self.right) - first

    def mentions(self) -> list[list[Mention]]:
        """The mentions of each sentence."""
        found = self.table.elements()
        return [found[a:b] for a, b in pairwise(self.table.offsets)]

    def number(self, *numbers: Integers) -> ElementTable:
        """The mentions with the numbers of their pairs."""
        columns = zip(("strict", "exact", "partial", "typed"), map(Column.of_numbers, numbers), strict=True)
        return ElementTable(self.table.offsets, {**self.table.columns, **dict(columns)}, ChosenMentions)


def choose_all(choices: Choices, mine: Tags, theirs: Tags) -> tuple[Any, Any]:
    """Apply `choices` to many pairs of sentences; one by one if a pair needs more than one position a mention."""
    p, r = TaggedSide(mine, choices), TaggedSide(theirs, choices)
    if choices.by_type or choices.percent != 1 or not p.plain or not r.plain:
        pairs = list(map(choices.pair, p.mentions(), r.mentions()))
        return [pred for pred, _ in pairs], [ref for _, ref in pairs]
    first, met = p.find_meeting(r)
    _, back = r.find_meeting(p)
    begin = r.offsets[p.owners]
    numbers = np.where(met > 0, first - begin, -1 - p.local)
    wanted = np.append(back, 0)[np.minimum(first, len(back))]
    contested = np.nonzero((met > 1) | ((met == 1) & (wanted > 1)))[0]
    columns = [numbers.copy() for _ in RULES]
    if len(contested):
        first, met = first[contested], met[contested]
        there = _within(first, first + met)
        ones, others = _mentions(p, contested), _mentions(r, there)
        starts = np.searchsorted(there, first).tolist()
        meeting = [list(range(a, a + n)) for a, n in zip(starts, met.tolist(), strict=True)]
        for column, best in zip(columns, RULES, strict=True):
            chosen = np.array(choose(ones, others, meeting, best))
            taken = there[np.maximum(chosen, 0)] - begin[contested]
            column[contested] = np.where(chosen >= 0, taken, -1 - p.local[contested])
    strict, exact, typed = columns
    return p.number(strict, exact, exact, typed), r.number(*(r.local,) * 4)


def _mentions(side: TaggedSide, places: Integers) -> list[Mention]:
    spans, kinds = (Column(codes[places], values).items() for codes, values in side.table.columns.values())
    return list(map(Mention, spans, kinds))


def _within(begins: Integers, ends: Integers) -> Integers:
    """The places in some ranges, each once, in order."""
    size = int(ends.max(initial=0)) + 1
    inside: Integers = np.cumsum(np.bincount(begins, minlength=size) - np.bincount(ends, minlength=size))
    return np.flatnonzero(inside)


def _only(found: Spans, types: tuple[str, ...] | None) -> Spans:
    """The mentions of some types."""
    if types is None:
        return found
    codes, values = found.types
    kept = np.isin(codes, [code for code, value in enumerate(values) if value in types])
    offsets = np.concatenate(([0], np.cumsum(kept)))[found.offsets]
    left, right, at = (column[kept] for column in (found.left, found.right, found.at))
    return Spans(offsets, left, right, at, found.types.at(kept))
