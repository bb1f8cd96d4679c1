"""Local search over matchings: take a pair, let those it displaces find another place, keep what adds up to more.

A move is tried for every pair, and most moves are rejected. So the gain of each pair is kept up to date: a link counts
for its last missing pair, which is the sum of its missing members when only one of them is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum

import numpy as np

from matchwise.engine.solve.polynomial import Polynomial

EPSILON = 1e-9


class Climber:
    """The problem as plain lists, and one matching that is being improved."""

    def __init__(self, problem: Polynomial) -> None:
        self.rows, self.columns = problem.rows.tolist(), problem.columns.tolist()
        self.gains: list[float] = problem.gains.tolist()
        self.weights: list[float] = problem.weights.tolist()
        self.sizes: list[int] = problem.sizes.tolist()
        self.members: list[int] = [0] * len(self.sizes)
        """The sum of the members of each link."""
        self.links: list[list[int]] = [[] for _ in self.gains]
        """The links of each pair."""
        for link, pair in zip(
            np.arange(len(self.sizes)).repeat(problem.sizes).tolist(), problem.members.tolist(), strict=True
        ):
            self.members[link] += pair
            self.links[pair].append(link)
        self.in_row: list[list[int]] = [[] for _ in range(max(self.rows) + 1)]
        self.in_column: list[list[int]] = [[] for _ in range(max(self.columns) + 1)]
        for pair, (i, a) in enumerate(zip(self.rows, self.columns, strict=True)):
            self.in_row[i].append(pair)
            self.in_column[a].append(pair)

    def climb(self, start: list[int], late: Callable[[], bool]) -> tuple[float, list[int]]:
        """A matching no single move improves, from the given one; the first move that helps is made."""
        self.gain: list[float] = list(self.gains)
        """What taking a pair adds."""
        self.missing, self.left = list(self.sizes), list(self.members)
        self.row: list[int | None] = [None] * len(self.in_row)
        self.column: list[int | None] = [None] * len(self.in_column)
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
            delta += self._fill(self.in_row[self.rows[rival]], self.column, self.columns, done)
        if old is not None:
            column = self.columns[old]
            if self.column[column] is None:
                delta += self._fill(self.in_column[column], self.row, self.rows, done)
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
        for link in self.links[pair]:
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
        for link in self.links[pair]:
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
