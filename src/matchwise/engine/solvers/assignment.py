"""The 1:1 matching of greatest total weight, over the non-zero cells only.

Sparse tables are solved by shortest augmenting paths (Dijkstra over reduced costs, one dummy column per row, so that a
row may stay unmatched): close to linear where most rows find their best column free. Large tables where they do not,
and dense matrices, go to SciPy's LAPJV.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from matchwise.algebra.nodes import Number

if TYPE_CHECKING:
    from matchwise.engine.pairs import Matrix, Table

SWEEPS = 6
"""Rounds of bidding before paths are searched."""

MANY_PATHS = 200
"""More rows than this left waiting are worth the import of SciPy, whose paths are searched in C++."""

SMALL_CELLS = 100
"""Below this many cells plain Python is as fast, and spares the import of SciPy."""


def assign(table: Table) -> list[tuple[int, int]]:
    """The matched (row, column) of a table of positive weights, rows ascending."""
    row_of: dict[int, int] = {}  # column -> row
    column_of: list[int | None] = [None] * len(table)
    waiting = []
    for i, row in enumerate(table):
        if row:
            if len(row) == 1:
                (j,) = row
            else:
                j = max(row, key=row.__getitem__)
            if j in row_of:
                waiting.append(i)
            else:
                row_of[j] = i
                column_of[i] = j
    if waiting:
        state = _Duals(table, row_of, column_of)
        for _ in range(SWEEPS):
            if len(waiting) > 1:
                waiting = state.bid(waiting)
        if len(waiting) > MANY_PATHS:
            return _assign_sparse(table)
        for i in waiting:
            state.augment(i)
    return [(i, j) for i, j in enumerate(column_of) if j is not None]


class _Duals:
    """A partial matching with prices that prove it best for the rows it matches (complementary slackness).

    worth[i] + price[j] ≥ w[i, j], with equality on matched pairs; price[j] = 0 for unmatched columns; worth[i] = 0 for
    rows that gave up.
    """

    def __init__(self, table: Table, row_of: dict[int, int], column_of: list[int | None]) -> None:
        self.table = table
        self.row_of = row_of
        self.column_of = column_of
        self.worth: list[Number] = [max(row.values(), default=0) for row in table]
        self.price: dict[int, Number] = {}

    def bid(self, waiting: list[int]) -> list[int]:
        """Let each row take its best column at a price that keeps it the best; rows that must wait are returned.

        A row that is outbid bids next, unless the price did not rise (ties would go round in circles).
        """
        table, price, row_of, column_of, worth = self.table, self.price, self.row_of, self.column_of, self.worth
        left: list[int] = []
        stack = waiting[::-1]
        budget = 4 * len(table) + 16
        while stack:
            i = stack.pop()
            first: Number = 0
            second: Number = 0
            best: int | None = None
            for j, w in table[i].items():
                gain = w - price.get(j, 0)
                if gain > first:
                    first, second, best = gain, first, j
                elif gain > second:
                    second = gain
            worth[i] = second
            if best is None:
                continue
            outbid = row_of.get(best)
            if outbid is not None:
                column_of[outbid] = None
                budget -= 1
                (stack if first > second and budget > 0 else left).append(outbid)
            if first > second:
                price[best] = price.get(best, 0) + first - second
            row_of[best], column_of[i] = i, best
        return left

    def augment(self, start: int) -> None:
        """Match one more row along the cheapest alternating path; some row on it may end unmatched."""
        table, price, row_of, column_of, worth = self.table, self.price, self.row_of, self.column_of, self.worth
        reached: dict[int, Number] = {}  # row -> distance
        came_from: dict[int, int] = {}  # column -> row on the path
        best: dict[int, Number] = {}  # column -> distance so far
        done: dict[int, Number] = {}  # column -> final distance
        heap: list[tuple[Number, int]] = []
        row = start
        distance: Number = 0
        end_row, end_distance = start, worth[start]  # leaving `end_row` unmatched costs what it is worth
        end_column: int | None = None
        while True:
            reached[row] = distance
            base = distance + worth[row]
            if base < end_distance:
                end_row, end_distance, end_column = row, base, None
            for j, w in table[row].items():
                far = base + price.get(j, 0) - w
                if far < end_distance and j not in done and far < best.get(j, end_distance):
                    came_from[j] = row
                    if j in row_of:
                        best[j] = far
                        heappush(heap, (far, j))
                    else:
                        end_distance, end_column = far, j
            while heap and (heap[0][1] in done or heap[0][0] > best[heap[0][1]]):
                heappop(heap)
            if not heap or heap[0][0] >= end_distance:
                break
            distance, j = heappop(heap)
            done[j] = distance
            row = row_of[j]
        for i, far in reached.items():
            if far < end_distance:
                worth[i] -= end_distance - far
        for j, far in done.items():
            if far < end_distance:
                price[j] = price.get(j, 0) + end_distance - far
        j_next = end_column
        if j_next is None:
            j_next, column_of[end_row] = column_of[end_row], None
            if end_row == start:
                return
        while j_next is not None:  # hand each column on the path to the row it was reached from
            row = came_from[j_next]
            freed, column_of[row], row_of[j_next] = column_of[row], j_next, row
            if row == start:
                return
            j_next = freed


def _assign_sparse(table: Table) -> list[tuple[int, int]]:
    """The same by SciPy's sparse LAPJV: n more columns, one for each row to stay unmatched in.

    Every row is matched exactly once, so that adding 1 to all weights (SciPy reads 0 as no cell) changes nothing.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    m = 1 + max((j for row in table for j in row), default=-1)
    starts = np.cumsum([0, *(len(row) + 1 for row in table)])
    columns = np.array([j for i, row in enumerate(table) for j in (*row, m + i)])
    weights = np.array([float(w) + 1 for row in table for w in (*row.values(), 0)])
    cells = csr_array((weights, columns, starts), shape=(len(table), m + len(table)))
    rows, chosen = min_weight_full_bipartite_matching(cells, maximize=True)
    return [(i, j) for i, j in zip(rows.tolist(), chosen.tolist(), strict=True) if j < m]


def assign_matrix(matrix: Matrix) -> list[tuple[int, int]]:
    """The matched (row, column) of a matrix of weights, rows ascending; pairs of weight 0 are left out."""
    if matrix.size <= SMALL_CELLS:
        from matchwise.engine.pairs import as_table

        return assign(as_table(matrix))
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(matrix, maximize=True)
    kept = matrix[rows, columns] > 0
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
