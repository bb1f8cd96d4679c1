"""Local search over matchings: take a pair, let those it displaces find another place, keep what adds up to more."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from matchwise.engine.kernels.latent import Polynomial

EPSILON = 1e-9


class Climber:
    """The problem as plain lists, and one matching that is being improved."""

    def __init__(self, problem: Polynomial) -> None:
        self.rows, self.columns = problem.rows.tolist(), problem.columns.tolist()
        self.gains, self.weights = problem.gains.tolist(), problem.weights.tolist()
        self.links: list[list[int]] = [[] for _ in self.gains]
        self.sizes: list[int] = problem.sizes.tolist()
        members = iter(problem.members.tolist())
        for link, size in enumerate(self.sizes):
            for _ in range(size):
                self.links[next(members)].append(link)
        self.in_row: list[list[int]] = [[] for _ in range(max(self.rows) + 1)]
        self.in_column: list[list[int]] = [[] for _ in range(max(self.columns) + 1)]
        for pair, (i, a) in enumerate(zip(self.rows, self.columns, strict=True)):
            self.in_row[i].append(pair)
            self.in_column[a].append(pair)

    def climb(self, start: list[int], late: Callable[[], bool]) -> tuple[float, list[int]]:
        """A matching no single move improves, from the given one; the first move that helps is made."""
        self.missing = list(self.sizes)
        self.row: list[int | None] = [None] * len(self.in_row)
        self.column: list[int | None] = [None] * len(self.in_column)
        total = sum(self._add(pair) for pair in start)
        tried, place, pairs = 0, 0, len(self.gains)
        while tried < pairs and not (place % 1024 == 0 and late()):  # a full round without a move ends it
            gained = self._move(place)
            total += gained
            tried = 1 if gained else tried + 1
            place = (place + 1) % pairs
        chosen = [pair for pair in self.row if pair is not None]
        return self._value(chosen), chosen

    def _move(self, pair: int) -> float:
        i, a = self.rows[pair], self.columns[pair]
        old, rival = self.row[i], self.column[a]
        if old == pair or self._gain(pair) <= 0:
            return 0.0
        done: list[tuple[int, bool]] = []
        delta = 0.0
        for leaving in (old, rival):
            if leaving is not None:
                delta -= self._remove(leaving)
                done.append((leaving, False))
        delta += self._add(pair)
        done.append((pair, True))
        if rival is not None:
            delta += self._fill(self.in_row[self.rows[rival]], done)
        if old is not None:
            delta += self._fill(self.in_column[self.columns[old]], done)
        if delta > EPSILON:
            return delta
        for changed, added in reversed(done):
            if added:
                self._remove(changed)
            else:
                self._add(changed)
        return 0.0

    def _fill(self, candidates: list[int], done: list[tuple[int, bool]]) -> float:
        """Take the best of the candidates whose row and column are free."""
        best, chosen = 0.0, None
        for pair in candidates:
            if self.row[self.rows[pair]] is None and self.column[self.columns[pair]] is None:
                gain = self._gain(pair)
                if gain > best:
                    best, chosen = gain, pair
        if chosen is None:
            return 0.0
        done.append((chosen, True))
        return self._add(chosen)

    def _gain(self, pair: int) -> float:
        """What taking one more pair adds."""
        missing, weights = self.missing, self.weights
        gain: float = self.gains[pair]
        for link in self.links[pair]:
            if missing[link] == 1:
                gain += weights[link]
        return gain

    def _add(self, pair: int) -> float:
        gain = self._gain(pair)
        for link in self.links[pair]:
            self.missing[link] -= 1
        self.row[self.rows[pair]] = self.column[self.columns[pair]] = pair
        return gain

    def _remove(self, pair: int) -> float:
        for link in self.links[pair]:
            self.missing[link] += 1
        self.row[self.rows[pair]] = self.column[self.columns[pair]] = None
        return self._gain(pair)

    def _value(self, chosen: list[int]) -> float:
        taken = fsum(self.gains[pair] for pair in chosen)
        return taken + fsum(weight for weight, missing in zip(self.weights, self.missing, strict=True) if not missing)
