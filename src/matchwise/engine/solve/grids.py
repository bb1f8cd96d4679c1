"""Two tables whose rows and columns are both matched 1:1, so that as many cells as possible are equal.

max over π, σ of  Σ_{(i, j) ∈ π} Σ_{(c, d) ∈ σ} ⟦A[i, c] = B[j, d]⟧

Given the columns, the best rows are an assignment, and given the rows, the best columns are one: taken by turns, they
give a lower bound. Upper bounds are assignments, too: of columns that share as many values as any rows allow, and of
rows that share as many cells as any columns allow. Their prices tell which pairs no better matching has. Without these
the other bound is tighter. While something is open, one column is given each of its partners in turn.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from typing import NamedTuple

import numpy as np

from matchwise.arrays import Flags, Integers
from matchwise.engine.limits import MOST, Late, Limits
from matchwise.engine.solve.assignment import assign_cells
from matchwise.engine.solve.cells import Bounded
from matchwise.engine.solve.polynomial import Board
from matchwise.engine.tuning import SMALL

PRICES = 100
"""Steps in which prices are found; where they need more, fewer pairs are dropped."""

Pairs = tuple[Integers, Integers]
"""The two sides of pairs of rows, or of columns."""


class Grid(NamedTuple):
    """A number for each value of a table, negative where it has none, and one for the kind of each row."""

    values: Integers
    kinds: Integers


def solve_grids(mine: Grid, theirs: Grid, limits: Limits) -> Bounded:
    """The columns that share any cells in the best matching of columns, and of rows of one kind, with its bounds."""
    search = GridSearch(mine, theirs)
    with suppress(Late):  # then the bounds are what is known
        search.solve(limits)
    return Bounded(search.best, search.lower, search.upper)


class GridSearch:
    """What is known of two tables: bounds, and the pairs of rows and of columns that a better matching can have."""

    def __init__(self, mine: Grid, theirs: Grid) -> None:
        self.sides = mine, theirs
        self.rows: Flags | None = None
        """Those pairs of rows, once they are looked at: there may be too many."""
        self.shared = self._share_values()
        """No matching of rows lets two columns have more cells in common."""
        self.columns: Flags = self.shared > 0
        self.lower, self.upper = 0, int(self.shared[_assign(self.shared)].sum())
        self.best: list[tuple[int, int]] = []

    def _share_values(self) -> Integers:
        """Σ over values, in rows of one kind, of how often both columns have them."""
        width = 1 + max(int(side.values.max(initial=0)) for side in self.sides)
        codes = [np.where(values < 0, -1, kinds[:, None] * width + values) for values, kinds in self.sides]
        every, numbers = np.unique(np.concatenate([one.ravel() for one in codes]), return_inverse=True)
        counts, start = [], 0
        for one in codes:
            places = numbers[start : start + one.size].reshape(one.shape) + np.arange(one.shape[1]) * len(every)
            shape = one.shape[1], len(every)
            counted = np.bincount(places.ravel(), minlength=shape[0] * shape[1]).reshape(shape)
            counts.append(counted[:, every >= 0])
            start += one.size
        shared = [np.minimum(column, counts[1]).sum(1) for column in counts[0]]
        return np.array(shared, dtype=np.int64).reshape(len(counts[0]), len(counts[1]))

    def solve(self, limits: Limits) -> None:
        """Tighten the bounds; while they differ, give one column each of its partners, or none, and look again."""
        self.climb(_assign(self.shared * self.columns))
        while self.lower < self.upper and not limits.late() and self.tighten(limits):
            pass
        rivals = self.columns * (self.columns.sum(1)[:, None] + self.columns.sum(0) - 2)
        if self.lower == self.upper or limits.late():
            return
        if not rivals.any():  # only rows are left to match
            c, d = self.columns.nonzero()
            self.climb((c, d))
            self.upper = self.lower
            return
        assert self.rows is not None
        first = int(np.where(rivals.any(1), self.columns.sum(1), self.columns.size).argmin())
        upper = self.lower
        for partner in [
            *np.argsort(-self.shared[first] * self.columns[first], kind="stable")[: self.columns[first].sum()],
            None,
        ]:
            branch = copy(self)
            branch.rows, branch.columns, branch.shared = self.rows.copy(), self.columns.copy(), self.shared.copy()
            branch.columns[first] = False
            if partner is not None:
                branch.columns[:, partner] = False
                branch.columns[first, partner] = True
            branch.solve(limits)
            self.lower, self.best, upper = branch.lower, branch.best, max(upper, branch.upper)
        self.upper = max(self.lower, min(self.upper, upper))

    def climb(self, columns: Pairs) -> None:
        """The best rows for these columns, the best columns for those rows, and so on while it helps."""
        while True:
            i, j = self._match_rows(columns)
            a, b = self.sides[0].values[i], self.sides[1].values[j]
            gains = np.array([(column[:, None] == b).sum(0) for column in a.T], dtype=np.int64)
            gains = gains.reshape(a.shape[1], b.shape[1])
            columns = _assign(gains)
            total = int(gains[columns].sum())
            if total <= self.lower:
                return
            self.lower = total
            self.best = [(c, d) for c, d in zip(*map(np.ndarray.tolist, columns), strict=True) if gains[c, d]]

    def _match_rows(self, columns: Pairs) -> Pairs:
        """The best rows, given the columns. Equal ones are matched first: no other partner is better for both."""
        (a, kinds), (b, others) = self.sides
        mine, theirs = np.column_stack([kinds, a[:, columns[0]]]), np.column_stack([others, b[:, columns[1]]])
        _, numbers = np.unique(np.concatenate([mine, theirs]), axis=0, return_inverse=True)
        i, j = _match_equal(*np.split(numbers.ravel(), [len(mine)]))
        left, lacking = np.setdiff1d(np.arange(len(a)), i), np.setdiff1d(np.arange(len(b)), j)
        if len(left) * len(lacking) > MOST:  # any rows give a lower bound
            return i, j
        equal = np.zeros((len(left), len(lacking)), dtype=np.int64)
        for c, d in zip(*columns, strict=True):
            equal += a[left, c, None] == b[lacking, d]
        equal *= kinds[left, None] == others[lacking]
        more, met = _assign(equal)
        some = equal[more, met] > 0  # rows of different kinds do not meet
        more, met = more[some], met[some]
        return np.concatenate([i, left[more]]), np.concatenate([j, lacking[met]])

    def tighten(self, limits: Limits) -> bool:
        """Drop pairs of columns, then pairs of rows; False if there are none to drop."""
        (a, kinds), (b, others) = self.sides
        if self.rows is None:
            if limits.deadline is not None and len(a) * len(b) > MOST:
                raise Late
            Board().spend(len(a) * len(b))  # refuses more, if there are no limits
            self.rows = kinds[:, None] == others
        before = self.rows.sum() + self.columns.sum()
        self._drop(self.shared, self.columns)
        self._drop(np.minimum(_most_cells(a, b, self.columns), _most_cells(b, a, self.columns.T).T), self.rows)
        i, j = self.rows.nonzero()
        c, d = self.columns.nonzero()
        if len(i) * len(c) <= MOST:
            by_column = j.argsort(kind="stable")
            starts = [np.unique(one, return_index=True)[1] for one in (i, j[by_column])]
            for one, other in zip(c, d, strict=True):
                equal = a[i, one] == b[j, other]
                met = [
                    np.logical_or.reduceat(*both).sum() for both in zip((equal, equal[by_column]), starts, strict=True)
                ]
                self.shared[one, other] = min(self.shared[one, other], *met)
        return bool(self.rows.sum() + self.columns.sum() < before)

    def _drop(self, most: Integers, kept: Flags) -> None:
        """Bound all matchings by an assignment of `most`, and drop what no better one than the best can have."""
        most = most * kept
        chosen = _assign(most)
        self.upper = max(self.lower, min(self.upper, int(most[chosen].sum())))
        kept &= _most_with(most, chosen) > self.lower


def _assign(weights: Integers) -> Pairs:
    codes = np.flatnonzero(weights)
    chosen = assign_cells(codes, weights.ravel()[codes], weights.shape, sparse=weights.size <= SMALL)
    return np.divmod(codes[chosen], max(1, weights.shape[1]))


def _match_equal(mine: Integers, theirs: Integers) -> Pairs:
    """The places of equal numbers: the first with the first, the second with the second, and so on."""
    sides = []
    for numbers in (mine, theirs):
        order = numbers.argsort(kind="stable")
        ordered = numbers[order]
        nth = np.arange(len(order)) - np.searchsorted(ordered, ordered)
        sides.append((order, ordered * (len(mine) + len(theirs)) + nth))
    (i, some), (j, others) = sides
    _, at, there = np.intersect1d(some, others, assume_unique=True, return_indices=True)
    return i[at], j[there]


def _most_cells(a: Integers, b: Integers, columns: Flags) -> Integers:
    """For each pair of rows: how many cells of the first are equal to some cell that their column may meet."""
    made = np.zeros((len(a), len(b)), dtype=np.int64)
    for c in range(a.shape[1]):
        met = np.zeros(made.shape, dtype=bool)
        for d in columns[c].nonzero()[0]:
            met |= a[:, c, None] == b[:, d]
        made += met
    return made


def _most_with(weights: Integers, chosen: Pairs) -> Integers:
    """For each pair: no assignment with it exceeds Σα + Σβ − (α_i + β_j − w), by prices α_i + β_j ≥ w."""
    own, partner = np.zeros(len(weights), dtype=np.int64), np.full(len(weights), weights.shape[1])
    own[chosen[0]], partner[chosen[0]] = weights[chosen], chosen[1]
    prices = np.zeros(weights.shape[1] + 1, dtype=np.int64)  # the last one is that of rows without a partner
    for _ in range(PRICES):
        better = np.maximum((weights + (prices[partner] - own)[:, None]).max(0, initial=0), prices[:-1])
        if (better == prices[:-1]).all():
            break
        prices[:-1] = better
    rest = (weights - prices[:-1]).max(1, initial=0)
    made: Integers = rest.sum() + prices.sum() - (rest[:, None] + prices[:-1] - weights)
    return made
