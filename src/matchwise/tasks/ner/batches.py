"""Many documents at once, as arrays: the mentions that `tags` reads one by one, and the pairs that `steps` chooses.

All sentences are one sequence of tags with an O after each, which no mention crosses. What happens between two
neighbouring tags is looked up for all neighbours at once. Most mentions meet one other or none, so that nervaluate has
to choose for a few contested ones only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from matchwise.engine.table import Column, ElementTable, Integers, Numbers, Slice, owners_of
from matchwise.tasks.ner.mentions import Mention
from matchwise.tasks.ner.steps import RULES, Choices, Chosen, choose
from matchwise.tasks.ner.tags import CUTS, GRAMMARS, Rules, Scheme

ENDS, STARTS, GOES_ON = 1, 2, 4
"""What happens between two tags, as bits."""

MOST = 1024
"""Tags that are numbered; a file with more of them is read sentence by sentence."""


class Steps:
    """The rules of a scheme as a table: what happens between tag i and tag j."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.number = Numbers()
        self.kinds = Numbers()
        self.kind_of = np.zeros(0, dtype=np.intp)
        """The type of each tag."""
        self._between = np.zeros((0, 0), dtype=np.int8)
        self.growing = Lock()
        """The arrays grow as tags are met, in whichever thread that is."""

    def codes(self, tags: Iterable[str], length: int) -> Integers:
        """The number of each tag."""
        codes = self.number.of(tags, length)
        if len(self.number) > len(self.kind_of):
            self._learn(list(self.number)[len(self.kind_of) :])
        return codes

    def _learn(self, names: list[str]) -> None:
        """Learn new tags; ValueError for a tag that the scheme does not have, or for too many tags."""
        try:
            if len(self.number) > MOST:
                raise ValueError(f"found more than {MOST} tags")
            kinds = [self.kinds[self.rules[name].kind] for name in names]
        except ValueError:
            for name in names:
                del self.number[name]
            raise
        known, met = len(self.kind_of), len(self.number)
        self.kind_of = np.concatenate((self.kind_of, np.array(kinds, dtype=np.intp)))
        grown = np.full((met, met), -1, dtype=np.int8)
        grown[:known, :known] = self._between
        self._between = grown

    def bits(self, codes: Integers) -> NDArray[np.int8]:
        """What happens before each tag but the first."""
        found: NDArray[np.int8] = self._between[codes[:-1], codes[1:]]
        unknown = found < 0
        if unknown.any():
            names = list(self.number)
            for i, j in set(zip(codes[:-1][unknown].tolist(), codes[1:][unknown].tolist(), strict=True)):
                step = self.rules[names[i]][names[j]]
                self._between[i, j] = 0 if step is None else step.ends + 2 * step.starts + 4 * step.goes_on
            found = self._between[codes[:-1], codes[1:]]
        return found


_STEPS: Final[dict[Scheme, Steps]] = {}


def read_all(sentences: Sequence[Sequence[str]], scheme: Scheme) -> ElementTable:
    """The mentions of each sentence, as `read_tags` reads them; a tag that the scheme does not have is a ValueError.

    >>> [list(one) for one in read_all([["O", "B-PER"], [], ["I-LOC"]], "lenient").slices()]
    [[Mention(span=(1, 2), type='PER')], [], [Mention(span=(0, 1), type='LOC')]]
    """
    rules = CUTS[scheme] if scheme in CUTS else GRAMMARS[scheme]
    steps = _STEPS.setdefault(scheme, Steps(rules))
    tags = ["O"]
    for sentence in sentences:
        tags += sentence
        tags.append("O")
    with steps.growing:
        codes = steps.codes(tags, len(tags))
        bits = np.concatenate((np.zeros(1, dtype=np.int8), steps.bits(codes)))
        kinds = steps.kind_of[codes]
    begins, ends, kinds = (_cut if scheme in CUTS else _parse)(bits, kinds)
    first = np.cumsum([1, *(len(sentence) + 1 for sentence in sentences)])
    owners = np.searchsorted(first, ends - 1, side="right") - 1
    begins = np.maximum(begins, first[owners]) - first[owners]  # a mention that never started is from the beginning
    counts = np.bincount(owners, minlength=len(sentences))
    columns = {"span": _spans(begins, ends - first[owners]), "type": Column(kinds, list(steps.kinds))}
    return ElementTable([0, *np.cumsum(counts).tolist()], columns, Mention)


def _cut(bits: NDArray[np.int8], kinds: Integers) -> tuple[Integers, Integers, Integers]:
    """End a mention wherever the rule says so; it began at the last start before."""
    starts = np.concatenate(([0], np.nonzero(bits & STARTS)[0]))
    ends = np.nonzero(bits & ENDS)[0]
    return starts[np.searchsorted(starts, ends) - 1], ends, kinds[ends - 1]


def _parse(bits: NDArray[np.int8], kinds: Integers) -> tuple[Integers, Integers, Integers]:
    """A mention runs from a start as long as tags go on, and counts if it may end there."""
    stops = np.nonzero((bits & GOES_ON) == 0)[0]
    starts = np.nonzero(bits & STARTS)[0]
    after = np.searchsorted(stops, starts, side="right")
    first = np.diff(after, prepend=-1) > 0
    begins, ends = starts[first], stops[after[first]]
    whole = (bits[ends] & ENDS) > 0
    return begins[whole], ends[whole], kinds[begins[whole]]


def _spans(begins: Integers, ends: Integers) -> Column:
    width = int(ends.max(initial=0)) + 1
    distinct, codes = np.unique(begins * width + ends, return_inverse=True)
    values: list[Any] = list(zip((distinct // width).tolist(), (distinct % width).tolist(), strict=True))
    return Column(codes, values)


LONGEST = 100
"""In a mention of this length, one position is a hundredth of what has to be covered."""


class TaggedSide:
    """Mentions of many sentences on one line, where no two sentences touch."""

    def __init__(self, tags: list[Any], choices: Choices) -> None:
        self.table = _only(read_all(tags, choices.scheme), choices.only)
        self.offsets = np.array(self.table.offsets)
        self.owners = owners_of(self.offsets)
        codes, spans = self.table.columns["span"]
        left, right = np.array(spans, dtype=np.intp).reshape(-1, 2)[codes].T
        begin = np.cumsum([0, *(len(one) + 1 for one in tags)])[self.owners]
        self.left, self.right = left + begin, right + begin
        self.local = np.arange(len(codes)) - self.offsets[:-1][self.owners]
        """The number of each mention in its sentence."""

    @property
    def plain(self) -> bool:
        """True if no mention is empty or long, and each ends before the next begins."""
        widths = self.right - self.left
        apart = bool((self.left[1:] >= self.right[:-1]).all())
        return apart and widths.min(initial=1) > 0 and widths.max(initial=1) <= LONGEST

    def meeting(self, other: TaggedSide) -> tuple[Integers, Integers]:
        """For each mention: the first mention of the other side that it may meet, and how many it meets."""
        first = np.searchsorted(other.right, self.left, side="right")
        return first, np.searchsorted(other.left, self.right) - first

    def slices(self, *numbers: Integers) -> list[Slice]:
        """The mentions with the numbers of their pairs."""
        columns = zip(("strict", "exact", "partial", "typed"), map(Column.of_numbers, numbers), strict=True)
        return ElementTable(self.table.offsets, {**self.table.columns, **dict(columns)}, Chosen).slices()


def choose_all(choices: Choices, mine: list[Any], theirs: list[Any]) -> tuple[list[Slice], list[Slice]] | None:
    """Apply `choices` to many pairs of sentences; None if a pair needs more than one position a mention."""
    if list(map(len, mine)) != list(map(len, theirs)):
        return None
    p, r = TaggedSide(mine, choices), TaggedSide(theirs, choices)
    if not p.plain or not r.plain:
        return None
    first, met = p.meeting(r)
    _, back = r.meeting(p)
    begin = r.offsets[p.owners]
    numbers = np.where(met > 0, first - begin, -1 - p.local)
    wanted = np.append(back, 0)[np.minimum(first, len(back))]
    contested = np.nonzero((met > 1) | ((met == 1) & (wanted > 1)))[0]
    columns = [numbers.copy() for _ in RULES]
    if len(contested):
        first, met = first[contested], met[contested]
        there = np.unique(np.concatenate([np.arange(a, a + n) for a, n in zip(first, met, strict=True)]))
        ones, others = _mentions(p, contested), _mentions(r, there)
        starts = np.searchsorted(there, first).tolist()
        meeting = [list(range(a, a + n)) for a, n in zip(starts, met.tolist(), strict=True)]
        for column, best in zip(columns, RULES, strict=True):
            chosen = np.array(choose(ones, others, meeting, best))
            taken = there[np.maximum(chosen, 0)] - begin[contested]
            column[contested] = np.where(chosen >= 0, taken, -1 - p.local[contested])
    strict, exact, typed = columns
    return p.slices(strict, exact, exact, typed), r.slices(*(r.local,) * 4)


def _mentions(side: TaggedSide, places: Integers) -> list[Mention]:
    spans, kinds = (Column(codes[places], values).items() for codes, values in side.table.columns.values())
    return list(map(Mention, spans, kinds))


def _only(table: ElementTable, types: tuple[str, ...] | None) -> ElementTable:
    """The mentions of some types."""
    if types is None:
        return table
    codes, values = table.columns["type"]
    kept = np.isin(codes, [code for code, value in enumerate(values) if value in types])
    offsets = np.concatenate(([0], np.cumsum(kept)))[table.offsets].tolist()
    return table.picked(np.flatnonzero(kept), offsets)
