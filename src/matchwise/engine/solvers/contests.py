"""The 1:1 matching of greatest total weight in small full tables: of one table, or of many at once.

Lists of eight items give tables of 8 × 8. One such table takes plain Python 20 µs, so a hundred thousand of them (all
pairs of 500 invoices) take 2 s. `match_tables` lets thousands of tables take each step together: 4 µs a table.

Both functions take the same steps (shortest augmenting paths, Jonker and Volgenant 1987) with the same operations in
the same order. So they find the same one of two matchings that differ by less than rounding.
"""

from __future__ import annotations

from math import inf
from typing import Any

from matchwise.algebra.nodes import Number
from matchwise.arrays import Floats, Integers, np
from matchwise.engine.tuning import FEW


def match_table(table: list[list[Number]]) -> list[int]:
    """The column of each row; there are at least as many columns as rows."""
    height, width = len(table), len(table[0])
    worth = list(map(max, table))
    price: list[Number] = [0] * width
    row_of, column_of = [-1] * width, [-1] * height
    for row, weights in enumerate(table):
        column = weights.index(worth[row])
        if row_of[column] < 0:
            row_of[column], column_of[row] = row, column
    for start in range(height):
        if column_of[start] >= 0:
            continue
        near: list[Number] = [inf] * width
        came_from = [-1] * width
        open_columns = list(range(width))
        reached: list[int] = []
        far: Number = 0
        row = start
        while True:
            base, weights = far + worth[row], table[row]
            nearest: Number = inf
            end = -1
            for column in open_columns:
                distance = base - weights[column] + price[column]
                if distance < near[column]:
                    near[column] = distance
                    came_from[column] = row
                else:
                    distance = near[column]
                if distance < nearest:
                    nearest, end = distance, column
            far = nearest
            row = row_of[end]
            if row < 0:
                break
            open_columns.remove(end)
            reached.append(end)
        worth[start] -= far
        for column in reached:
            change = far - near[column]
            worth[row_of[column]] -= change
            price[column] += change
        while True:
            row = came_from[end]
            row_of[end] = row
            end, column_of[row] = column_of[row], end
            if row == start:
                break
    return column_of


def match_tables(tables: Floats, heights: Integers) -> Integers:
    """The column of each row of each table. `heights` descends; what is beyond a table is −∞ in its columns."""
    state = _State(tables, heights)
    for start in range(tables.shape[1]):
        many = int(np.searchsorted(-heights, -start, side="left"))
        state.search(start, (state.column_of[:many, start] < 0).nonzero()[0])
    return state.column_of


def solve_blocks(
    block: Integers, row: Integers, column: Integers, weights: Floats, heights: Integers, widths: Integers
) -> Integers:
    """The numbers of the cells of a best matching of each block: cells at (row, column) of tables of these sizes."""
    turned = heights > widths
    if turned.any():
        row, column = np.where(turned[block], column, row), np.where(turned[block], row, column)
        heights, widths = np.minimum(heights, widths), np.maximum(heights, widths)
    order = np.lexsort((widths, -heights))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    table = place[block]
    found = []
    for first in range(0, len(order), FEW):
        some = order[first : first + FEW]
        mine = np.flatnonzero((table >= first) & (table < first + FEW)) if len(order) > FEW else slice(None)
        at = table[mine] - first, row[mine], column[mine]
        shape = len(some), int(heights[some[0]]), int(widths[some].max())
        if not shape[1]:
            break
        tables = np.zeros(shape)
        if (widths[some] < shape[2]).any():
            tables += np.where(np.arange(shape[2]) < widths[some][:, None], 0, -inf)[:, None, :]
        tables[at] = weights[mine]
        chosen = np.flatnonzero(match_tables(tables, heights[some])[at[:2]] == at[2])
        found.append(chosen if isinstance(mine, slice) else mine[chosen])
    return np.concatenate(found)


class _State:
    """The matching so far of all tables, with the prices that prove it best (see `_Duals` in `assignment`)."""

    def __init__(self, tables: Floats, heights: Integers) -> None:
        many, rows, columns = tables.shape
        self.tables = tables
        self.worth, self.price = tables.max(axis=2), np.zeros((many, columns))
        self.row_of, self.column_of = np.full((many, columns), -1), np.full((many, rows), -1)
        favourite, number = tables.argmax(axis=2), np.arange(many)
        for row in range(rows - 1, -1, -1):  # the first of several rows keeps the column
            self.row_of[number, favourite[:, row]] = row
        self.row_of[self.row_of >= heights[:, None]] = -1  # below the table
        held = self.row_of[number[:, None], favourite] == np.arange(rows)
        self.column_of[held] = favourite[held]

    def search(self, start: int, which: Integers) -> None:
        """Match one more row of some tables, each along its cheapest path."""
        many, columns = len(which), self.tables.shape[2]
        came_from = np.full((many, columns), -1)
        reached = np.full((many, columns), inf)
        end, length = np.zeros(many, dtype=np.intp), np.zeros(many)
        going, table = np.arange(many), which
        row, far = np.full(many, start), np.zeros(many)
        near, back, price = np.full((many, columns), inf), came_from.copy(), self.price[which]
        while len(going):
            base = far + self.worth[table, row]
            distance = base[:, None] - self.tables[table, row] + price
            closer = distance < near
            near = np.minimum(near, distance)
            back = np.where(closer, row[:, None], back)
            at = near.argmin(axis=1)
            far = near[np.arange(len(at)), at]
            row = self.row_of[table, at]
            found = row < 0
            if found.any():
                done = going[found]
                came_from[done], end[done], length[done] = back[found], at[found], far[found]
                on = ~found
                going, table, at, far, row = going[on], table[on], at[on], far[on], row[on]
                near, back, price = near[on], back[on], price[on]
            reached[going, at] = far
            price[np.arange(len(at)), at] = inf  # this column is not looked at again
            near[np.arange(len(at)), at] = inf
        self._reprice(start, which, length, reached)
        self._hand_on(start, which, came_from, end)

    def _reprice(self, start: int, which: Integers, length: Any, reached: Any) -> None:
        self.worth[which, start] -= length
        number, column = (reached < inf).nonzero()
        change = length[number] - reached[number, column]
        table = which[number]
        self.worth[table, self.row_of[table, column]] -= change
        self.price[table, column] += change

    def _hand_on(self, start: int, which: Integers, came_from: Integers, end: Integers) -> None:
        """Hand each column on a path to the row it was reached from."""
        going, column = np.arange(len(end)), end
        while len(going):
            table, row = which[going], came_from[going, column]
            self.row_of[table, column] = row
            freed = self.column_of[table, row]
            self.column_of[table, row] = column
            on = row != start
            going, column = going[on], freed[on]
