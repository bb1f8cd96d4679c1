"""The rarest elements of a problem that is too large to write down in time, and the most that the others can add.

Elements are taken key by key, the keys with the fewest pairs first. What is left out is put into the polynomial as a
number: the most it adds under any matching. So an upper bound of that polynomial is one of the whole. A matching that
is good in it is extended to variables that only the rest speaks of; what it really scores is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.operators.filling import Filled, most_of, most_of_rows
from matchwise.engine.solve import Cell, joint

Names: TypeAlias = tuple[int, ...]
"""The numbers of the variables of one element."""

Group: TypeAlias = tuple[Counter[Names], Counter[Names]]
"""The elements of one key on both sides: how often each is there with which variables."""


class Outline:
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
