"""Similarities whose optimum is searched for, one pair of objects at a time, and what is known of it when time is up.

*Tables* of similarities are filled row by row; a row that was not reached has no cell above 1 where φ is bounded by 1,
and none above φ(x, x) where that is a law. Where neither is known, the table is filled to its end.

*Outlines.* Of a problem that is too large to write down in time, elements are taken key by key, the keys with the
fewest pairs first. What is left out is put into the polynomial as a number: the most it adds under any matching. So an
upper bound of that polynomial is one of the whole. A matching that is good in it is extended to variables that only the
rest speaks of; what it really scores is a lower bound.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TypeAlias

import numpy as np

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.limits import Ends, Limits, reads_upper
from matchwise.engine.many.frame import Frame, Side, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.leaf import Compare
from matchwise.engine.many.operators.pairwise import CallFunction
from matchwise.engine.solve.cells import TINY, Cell, Filled, joint, most_of, most_of_rows


class Searched(Operator):
    """φ of two objects is the lower or upper end of the bounds that `solve` finds, whichever is being read."""

    @abstractmethod
    def solve(self, pred: Frame, ref: Frame) -> Ends:
        """The optimum of two objects; within the limits of the search, if there are any."""

    def one(self, pred: Frame, ref: Frame) -> Number:
        found = self.solve(pred, ref)
        return found.upper if reads_upper() else found.lower

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        mine, theirs = singles(preds), singles(refs)
        places = zip(i.tolist(), j.tolist(), strict=True)
        return np.array([self.one(mine[x], theirs[y]) for x, y in places], dtype=np.float64)

    def solved_self_scores(self, frame: Frame) -> Vector:
        """φ(x, x) is a divisor: read the opposite end of its bounds."""
        found = [self.solve(part, part) for part in singles(frame)]
        return np.array([each.lower if reads_upper() else each.upper for each in found], dtype=np.float64)


def singles(frame: Frame) -> list[Frame]:
    """A frame of one object for each."""
    if len(frame) == 1 and frame.documents is None:
        return [frame]
    return frame.once("singles", lambda: [alone(frame, index) for index in range(len(frame))])


def alone(frame: Frame, index: int) -> Frame:
    """One object as a document of its own."""
    if len(frame) == 1 and frame.documents is None:
        return frame
    side = Side(frame.side.name)
    side.variables = frame.side.variables
    frame.side.under.append(side)
    return Frame([frame.items[index]], lambda _: frame.path(index), side)


def fill(phi: Operator, us: Frame, vs: Frame, limits: Limits) -> Filled:
    """The pairs of two frames of one document, as far as half of the time goes; the rest is for matching them.

    Rows are filled a few at a time: at most twice as many as before, and no more than half of the time left is for.
    """
    end, most = limits.half().deadline, None
    if end is not None and len(us) * len(vs) > TINY and _pair_by_pair(phi):
        most = _largest(phi, us)
    if end is None or most is None:
        return Filled(cells_of(phi, us, vs), len(us), [])
    found: list[Cell] = []
    place, size, start = 0, 1, monotonic()
    while place < len(us) and start < end:
        rows = list(range(place, min(place + size, len(us))))
        found += [(place + i, j, w) for i, j, w in cells_of(phi, us.take(rows), vs)]
        place += len(rows)
        start, took = monotonic(), monotonic() - start
        size = max(1, min(2 * size, int(size * (end - start) / 2 / took)))
    return Filled(found, place, most[place:])


def cells_of(phi: Operator, us: Frame, vs: Frame) -> list[Cell]:
    """The non-zero pairs of two frames, one by one."""
    return list(zip(*(column.tolist() for column in phi.join(us, vs)), strict=True))


def _pair_by_pair(phi: Operator) -> bool:
    """Whether values are compared, none by a function that is called once for all pairs; joins are quick."""
    leaves = list(_leaves(phi))
    return bool(leaves) and not any(isinstance(leaf, CallFunction) and leaf.is_asking for leaf in leaves)


def _leaves(phi: Operator) -> Iterator[Operator]:
    if isinstance(phi, Compare | CallFunction):
        yield phi
    for part in phi.inputs:
        yield from _leaves(part)


def _largest(phi: Operator, frame: Frame) -> list[Number] | None:
    """For each x an upper bound of all φ(x, y)."""
    if phi.facts.bounded.holds:
        return [1] * len(frame)
    return phi.self_scores(frame).tolist() if phi.facts.self_score.holds else None


Names: TypeAlias = tuple[int, ...]
"""The numbers of the variables of one element."""

Group: TypeAlias = tuple[Counter[Names], Counter[Names]]
"""The elements of one key on both sides: how often each is there with which variables."""


class PairBudget:
    """How many pairs of elements may still be written down, and the groups that were left out."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.rest: list[Group] = []

    def of_groups(self, match: Match, groups: list[Group]) -> tuple[list[Group], Number]:
        """As many of the smallest groups as there is room for, and the most that the others can add."""
        kept: list[Group] = []
        most = 0
        for group in sorted(groups, key=lambda group: len(group[0]) * len(group[1])):
            mine, theirs = group
            if self._fits(len(mine) * len(theirs)):
                kept.append(group)
            else:
                # Variables are matched 1:1, so elements with the same variables meet one other tuple only.
                often = (sorted(counts.values(), reverse=True) for counts in group)
                most += sum(joint(match, a, b) for a, b in zip(*often, strict=False))
                self.rest.append(group)
        return kept, most

    def of_table(self, match: Match, found: Filled, columns: int) -> tuple[list[Cell], Number]:
        """The cells of the rows with the fewest cells, and the most that the others can add."""
        sizes = Counter(i for i, _, _ in found.cells)
        kept = {i for i in sorted(range(found.reached), key=lambda i: sizes[i]) if self._fits(sizes[i])}
        rest = [cell for cell in found.cells if cell[0] not in kept]
        table = [cell for cell in found.cells if cell[0] in kept]
        return table, most_of(match, rest) + most_of_rows(match, found.most, columns)

    def _fits(self, pairs: int) -> bool:
        self.room -= pairs
        return self.room >= 0


def extend(matched: dict[int, int], rest: Iterable[Group]) -> dict[int, int]:
    """A 1:1 matching (row -> column) with more pairs in it, so that more of the elements meet; each is looked at once.

    An element with a matched variable takes the first one of the other side that has its counterpart and no variable
    that is matched otherwise; one without takes the first that is left.
    """
    forth, back = dict(matched), {column: row for row, column in matched.items()}
    for mine, theirs in rest:
        waiting = list(theirs)[::-1]
        having: dict[tuple[int, int], list[Names]] = {}
        for others in waiting:
            for place, column in enumerate(others):
                having.setdefault((place, column), []).append(others)
        for names in mine:
            anchor = next(((place, forth[row]) for place, row in enumerate(names) if row in forth), None)
            candidates = waiting if anchor is None else having.get(anchor, [])
            while candidates:
                others = candidates.pop()
                pairs = list(zip(names, others, strict=True))
                if all(forth.get(i, a) == a and back.get(a, i) == i for i, a in pairs) and _one_to_one(pairs):
                    forth.update(pairs)
                    back.update((a, i) for i, a in pairs)
                    break
    return forth


def _one_to_one(pairs: list[tuple[int, int]]) -> bool:
    return len({i for i, _ in pairs}) == len({a for _, a in pairs}) == len(set(pairs))
