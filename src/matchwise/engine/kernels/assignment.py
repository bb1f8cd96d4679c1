"""The best assignment by the profit of each pair, over and over, as profits change: of one problem, or of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from matchwise.arrays import linear_sum_assignment, load
from matchwise.engine.tuning import AT_ONCE

if TYPE_CHECKING:
    from matchwise.engine.kernels.latent import Floats, Integers

TIED = 1e-12


class Assignment:
    """Pairs (row, column), of which each row and each column is in at most one that is chosen."""

    def __init__(self, rows: Integers, columns: Integers) -> None:
        self.rows, self.columns = rows, columns
        self.n, self.m = int(rows.max()) + 1, int(columns.max()) + 1
        self.codes = rows * self.m + columns
        self.cells = _Cells(self.codes, self.n * self.m) if self.n * self.m <= AT_ONCE else None

    def best(self, profit: Floats) -> Integers:
        """The pairs with the greatest total profit; pairs without profit are left out."""
        if self.cells is not None:
            self.cells.profit[self.codes] = profit
            rows, columns = linear_sum_assignment(self.cells.profit.reshape(self.n, self.m), maximize=True)
            return self.cells.pairs(rows * self.m + columns)
        rows, columns = self._matched(profit)
        chosen = self.codes.searchsorted(rows * self.m + columns)
        positive: Integers = chosen[profit[chosen] > 0]
        return positive

    def _matched(self, profit: Floats) -> tuple[Integers, Integers]:
        """Places of pairs with the greatest total profit, in a table that is too large to be written down."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching

        # A column more for each row to stay alone in; all are 1 more, as SciPy reads 0 as no cell.
        own = np.arange(self.n)
        weights = np.concatenate([profit + 1, np.ones(self.n)])
        places = np.concatenate([self.rows, own]), np.concatenate([self.columns, self.m + own])
        table = coo_array((weights, places), shape=(self.n, self.m + self.n)).tocsr()
        rows, columns = min_weight_full_bipartite_matching(table, maximize=True)
        real = columns < self.m
        return rows[real].astype(np.int64), columns[real].astype(np.int64)

    def prices(self, profit: Floats, chosen: Integers) -> tuple[Floats, Floats]:
        """α_i + β_j ≥ profit, where Σα + Σβ is the value of the chosen, best pairs: the least such β, by relaxation."""
        own, partner = np.zeros(self.n), np.full(self.n, self.m)
        own[self.rows[chosen]] = profit[chosen]
        partner[self.rows[chosen]] = self.columns[chosen]
        beta = np.zeros(self.m + 1)  # the last one is that of rows without a partner
        by_column = np.argsort(self.columns, kind="stable")
        starts = np.searchsorted(self.columns[by_column], np.arange(self.m))
        over = (profit - own[self.rows])[by_column]
        mine = partner[self.rows][by_column]
        for _ in range(self.n):
            better = np.maximum(np.maximum.reduceat(over + beta[mine], starts), beta[:-1])
            if (better <= beta[:-1] + TIED).all():
                break
            beta[:-1] = better
        left = np.maximum.reduceat(profit - beta[self.columns], np.searchsorted(self.rows, np.arange(self.n)))
        return np.maximum(left, 0), beta[:-1]  # feasible even where rounding stopped the relaxation early


class _Cells:
    """A table of all places, of which some are pairs: their profits, in rows one after the other."""

    def __init__(self, codes: Integers, size: int) -> None:
        self.profit = np.zeros(size)
        self._pair = np.empty(size, dtype=np.int64)
        self._pair[codes] = np.arange(len(codes))

    def pairs(self, places: Integers) -> Integers:
        """The pairs at these places that have a profit."""
        pairs: Integers = self._pair[places[self.profit[places] > 0]]
        return pairs


class Assignments:
    """Assignments of many small problems at once: rows and columns are numbered anew in each.

    The pairs of problem d are a run, from ends[d] to ends[d + 1]; only the problems that are `open` are assigned.
    """

    def __init__(self, rows: Integers, columns: Integers, ends: Integers) -> None:
        self.open = (ends[1:] > ends[:-1]).nonzero()[0]
        heights, widths = (_largest(places, ends, self.open) for places in (rows, columns))
        self.n, self.m = int(heights.max(initial=0)), int(widths.max(initial=0))
        owners = np.arange(len(heights)).repeat(ends[1:] - ends[:-1])
        turned = heights > widths  # so that every row of a table has a column
        if turned.any():
            rows, columns = np.where(turned[owners], (columns, rows), (rows, columns))
        self._heights, self._widths = np.minimum(heights, widths), np.maximum(heights, widths)
        self._ends = np.concatenate(([0], (heights * widths).cumsum()))
        self._codes = self._ends[owners] + rows * self._widths[owners] + columns
        self._cells = _Cells(self._codes, int(self._ends[-1]))

    def best(self, profit: Floats) -> Integers:
        """The pairs with the greatest total profit in each open problem; pairs without profit are left out."""
        several = self.open[self._heights[self.open] > 0]
        if not len(several):
            return several
        cells, assign = self._cells.profit, load()
        cells[self._codes] = profit
        starts, heights, widths = self._ends[several], self._heights[several], self._widths[several]
        tables = zip(starts.tolist(), self._ends[several + 1].tolist(), widths.tolist(), strict=True)
        columns = np.concatenate([assign(cells[a:b].reshape(-1, width), True)[1] for a, b, width in tables])
        rows = np.arange(len(columns)) - (heights.cumsum() - heights).repeat(heights)
        return self._cells.pairs(starts.repeat(heights) + rows * widths.repeat(heights) + columns)


def _largest(places: Integers, ends: Integers, filled: Integers) -> Integers:
    """How many rows, or columns, each problem has; `filled` are those that have any."""
    made = np.zeros(len(ends) - 1, dtype=np.int64)
    if len(filled):
        made[filled] = np.maximum.reduceat(places, ends[filled]) + 1
    return made
