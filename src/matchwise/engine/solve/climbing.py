"""Local search over matchings: take a pair, let those it displaces find another place, keep what adds up to more.

A move is tried for every pair, and most moves are rejected. So the gain of each pair is kept up to date: a link counts
for its last missing pair, which is the sum of its missing members when only one of them is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum

import numpy as np

from matchwise.arrays import Integers
from matchwise.engine.solve.polynomial import Polynomial

EPSILON = 1e-9


class Climber:
    """The problem as plain lists, and one matching that is being improved."""

    def __init__(self, problem: Polynomial) -> None:
        self.rows, self.columns = problem.rows.tolist(), problem.columns.tolist()
        self.gains: list[float] = problem.gains.tolist()
        self.weights: list[float] = problem.weights.tolist()
        self.sizes: list[int] = problem.sizes.tolist()
        self.members: list[int] = np.add.reduceat(problem.members, problem.starts).tolist() if self.sizes else []
        """The sum of the members of each link."""
        pairs = len(self.gains)
        order = problem.members.argsort(kind="stable")
        self.links: list[int] = np.repeat(np.arange(len(self.sizes)), problem.sizes)[order].tolist()
        self.link_ends = _ends(problem.members, pairs)
        """The links of pair p are links[link_ends[p]:link_ends[p + 1]]."""
        self.row_ends = _ends(problem.rows, int(problem.rows.max()) + 1)
        self.by_column: list[int] = problem.columns.argsort(kind="stable").tolist()
        self.column_ends = _ends(problem.columns, int(problem.columns.max()) + 1)

    def climb(self, start: list[int], late: Callable[[], bool]) -> tuple[float, list[int]]:
        """A matching no single move improves, from the given one; the first move that helps is made."""
        self.gain: list[float] = list(self.gains)
        """What taking a pair adds."""
        self.missing, self.left = list(self.sizes), list(self.members)
        self.row: list[int | None] = [None] * (len(self.row_ends) - 1)
        self.column: list[int | None] = [None] * (len(self.column_ends) - 1)
        for pair in start:
            self._add(pair)
        tried, place, pairs, gain = 0, 0, len(self.gains), self.gain
        while tried < pairs:  # a full round without a move ends it
            moved = gain[place] > EPSILON and not late() and self._move(place)
            tried = 1 if moved else tried + 1
            place = (place + 1) % pairs
        chosen = [pair for pair in self.row if pair is not None]
        return self._value(chosen), chosen

    def _move(self, pair: int) -> bool:
        i, a = self.rows[pair], self.columns[pair]
        old, rival = self.row[i], self.column[a]
        if old == pair:
            return False
        done: list[tuple[int, bool]] = []
        delta = 0.0
        for leaving in (old, rival):
            if leaving is not None:
                delta -= self._remove(leaving)
                done.append((leaving, False))
        delta += self._add(pair)
        done.append((pair, True))
        if rival is not None:
            row = self.rows[rival]
            delta += self._fill(range(self.row_ends[row], self.row_ends[row + 1]), self.column, self.columns, done)
        if old is not None:
            column = self.columns[old]
            if self.column[column] is None:
                among = self.by_column[self.column_ends[column] : self.column_ends[column + 1]]
                delta += self._fill(among, self.row, self.rows, done)
        if delta > EPSILON:
            return True
        for changed, added in reversed(done):
            if added:
                self._remove(changed)
            else:
                self._add(changed)
        return False

    def _fill(
        self, candidates: Iterable[int], taken: list[int | None], lines: list[int], done: list[tuple[int, bool]]
    ) -> float:
        """Take the best of the candidates in a free row (or column) whose column (or row) is free, too."""
        best, chosen, gain = 0.0, None, self.gain
        for pair in candidates:
            if gain[pair] > best and taken[lines[pair]] is None:
                best, chosen = gain[pair], pair
        if chosen is None:
            return 0.0
        done.append((chosen, True))
        return self._add(chosen)

    def _add(self, pair: int) -> float:
        missing, left, gain = self.missing, self.left, self.gain
        gained = gain[pair]
        for link in self.links[self.link_ends[pair] : self.link_ends[pair + 1]]:
            missing[link] -= 1
            left[link] -= pair
            if missing[link] == 1:
                gain[left[link]] += self.weights[link]
            elif not missing[link]:
                gain[pair] -= self.weights[link]
        self.row[self.rows[pair]] = self.column[self.columns[pair]] = pair
        return gained

    def _remove(self, pair: int) -> float:
        missing, left, gain = self.missing, self.left, self.gain
        for link in self.links[self.link_ends[pair] : self.link_ends[pair + 1]]:
            if missing[link] == 1:
                gain[left[link]] -= self.weights[link]
            elif not missing[link]:
                gain[pair] += self.weights[link]
            missing[link] += 1
            left[link] += pair
        self.row[self.rows[pair]] = self.column[self.columns[pair]] = None
        return gain[pair]

    def _value(self, chosen: list[int]) -> float:
        taken = fsum(self.gains[pair] for pair in chosen)
        return taken + fsum(weight for weight, missing in zip(self.weights, self.missing, strict=True) if not missing)


def _ends(numbers: Integers, most: int) -> list[int]:
    """Where the elements with each number begin when they are sorted by number, and where the last ones end."""
    ends: list[int] = np.concatenate([[0], np.bincount(numbers, minlength=most).cumsum()]).tolist()
    return ends
