"""Many sentences at once, by arrays: the pairs that `steps` chooses sentence by sentence.

Most mentions meet one other or none, so that nervaluate has to choose for a few contested ones only.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from matchwise.engine.kernels import long
from matchwise.engine.table import Column, ElementTable, Integers, Slice, owners_of
from matchwise.tasks.ner.mentions import Mention
from matchwise.tasks.ner.steps import RULES, Choices, Chosen, choose
from matchwise.tasks.ner.tags import read_all

LONGEST = 100
"""In a mention of this length, one position is a hundredth of what has to be covered."""


class TaggedSide:
    """Mentions of many sentences on one line, where no two sentences touch."""

    def __init__(self, tags: list[Any], choices: Choices) -> None:
        self.table = _only(read_all(tags, choices.scheme, long), choices.only)
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

    def mentions(self) -> list[list[Mention]]:
        """The mentions of each sentence."""
        found = self.table.elements()
        return [found[a:b] for a, b in pairwise(self.table.offsets)]

    def slices(self, *numbers: Integers) -> list[Slice]:
        """The mentions with the numbers of their pairs."""
        columns = zip(("strict", "exact", "partial", "typed"), map(Column.of_numbers, numbers), strict=True)
        return ElementTable(self.table.offsets, {**self.table.columns, **dict(columns)}, Chosen).slices()


def choose_all(choices: Choices, mine: list[Any], theirs: list[Any]) -> tuple[list[Any], list[Any]]:
    """Apply `choices` to many pairs of sentences; one by one if a pair needs more than one position a mention."""
    p, r = TaggedSide(mine, choices), TaggedSide(theirs, choices)
    if choices.by_type or choices.percent != 1 or not p.plain or not r.plain:
        pairs = list(map(choices.pair, p.mentions(), r.mentions()))
        return [pred for pred, _ in pairs], [ref for _, ref in pairs]
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
