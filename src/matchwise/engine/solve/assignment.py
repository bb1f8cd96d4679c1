"""The 1:1 matching of greatest total weight, over the non-zero cells only.

Small and sparse tables are solved by shortest augmenting paths (Dijkstra over reduced costs, where a row may also end
unmatched): close to linear where most rows find their best column free. Large dense matrices go to SciPy's LAPJV.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from heapq import heappop, heappush
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from itertools import chain
from math import inf
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Number
from matchwise.arrays import Floats, Integers
from matchwise.engine.tuning import SMALL, SPARSE

Row: TypeAlias = dict[int, Number]
CostRows: TypeAlias = list[Row]
"""The positive weights of each row, by column."""


BIDS = 256
"""Rows of a small table are outbid so often before paths are looked for."""


def assign(table: CostRows) -> list[tuple[int, int]]:
    """The matched (row, column) of a table of positive weights, rows ascending.

    Each row takes its best column, if that is free. The others bid, as long as that leaves fewer of them waiting; then
    they are matched one after the other. Which of several best matchings is found depends on these bids.
    """
    found, waiting = Duals(table), []
    for i, row in enumerate(table):
        if row:
            j = max(row, key=row.__getitem__)
            found.worth[i] = row[j]
            if found.row_of[j] is None:
                found.row_of[j], found.column_of[i] = i, j
            else:
                waiting.append(i)
    before = len(waiting) + (len(waiting) > 1)  # a path for one row is quicker than bids
    while 0 < len(waiting) < before:
        before, waiting = len(waiting), found.bid(waiting)
    for i in waiting:
        found.augment(i)
    return [(i, j) for i, j in enumerate(found.column_of) if j is not None]


class Duals:
    """A partial matching with prices that prove it best for the rows it matches (complementary slackness).

    worth[i] + price[j] ≥ w[i, j], with equality on matched pairs; price[j] = 0 for unmatched columns; worth[i] = 0 for
    rows that gave up.

    >>> growing = Duals([{0: 1.0}, {0: 1.0, 1: 0.5}, {0: 1.0}])
    >>> [growing.add(0), growing.add(1), growing.add(2)], growing.column_of
    ([1.0, 0.5, 0], [0, 1, None])
    """

    def __init__(self, table: CostRows) -> None:
        columns = 1 + max(chain.from_iterable(table), default=-1)
        self.table = table
        self.column_of: list[int | None] = [None] * len(table)
        self.row_of: list[int | None] = [None] * columns
        self.worth: list[Number] = [0] * len(table)
        self.price: list[Number] = [0] * columns
        self.nearest: list[Number] = [inf] * columns
        """Scratch of `augment`: the distance of each column so far."""

    def bid(self, waiting: list[int]) -> list[int]:
        """Let each row take its best column at a price that keeps it the best; rows that must wait are returned.

        A row that is outbid bids next, unless the price did not rise (ties would go round in circles) or rows of a
        large table were outbid as often as there are rows (paths are quicker then: bidding four times as long takes
        1.4 to 1.8 times the time).
        """
        table, price, row_of, column_of, worth = self.table, self.price, self.row_of, self.column_of, self.worth
        left: list[int] = []
        stack = waiting[::-1]
        budget = max(len(table), BIDS)
        while stack:
            i = stack.pop()
            first: Number = 0
            second: Number = 0
            best = -1
            for j, w in table[i].items():
                gain = w - price[j]
                if gain > second:
                    if gain > first:
                        first, second, best = gain, first, j
                    else:
                        second = gain
            worth[i] = second
            if best < 0:
                continue
            outbid = row_of[best]
            if outbid is not None:
                column_of[outbid] = None
                budget -= 1
                (stack if first > second and budget > 0 else left).append(outbid)
            price[best] += first - second
            row_of[best], column_of[i] = i, best
        return left

    def add(self, row: int) -> Number:
        """Match one more row as well as can be; returns how much the total grows."""
        most = max([0, *(w - self.price[j] for j, w in self.table[row].items())])
        self.worth[row] = most
        return max(0, most - self.augment(row))

    def augment(self, start: int) -> Number:
        """Match one more row along the cheapest alternating path; some row on it may end unmatched.

        Returns the length of the path.
        """
        table, price, row_of, worth, nearest = self.table, self.price, self.row_of, self.worth, self.nearest
        came_from: dict[int, int] = {}  # column -> row on the path
        heap: list[tuple[Number, int]] = []
        distance: Number = 0
        rows = [start]  # at this distance
        reached: list[tuple[Number, list[int]]] = []
        end_row, end_column, end = start, None, worth[start]  # leaving a row unmatched costs what it is worth
        while True:
            for row in rows:  # grows meanwhile: most columns are reached at no cost, and need not go through the heap
                base = distance + worth[row]
                if base < end:
                    end_row, end_column, end = row, None, base
                for j, w in table[row].items():
                    far = base + price[j] - w
                    if far < end and far < nearest[j]:
                        came_from[j] = row
                        owner = row_of[j]
                        if owner is None:
                            end_column, end = j, far
                        elif far <= distance:
                            nearest[j] = -1
                            rows.append(owner)
                        else:
                            nearest[j] = far
                            heappush(heap, (far, j))
                if end <= distance:
                    break
            reached.append((distance, rows))
            while heap and nearest[heap[0][1]] != heap[0][0]:
                heappop(heap)
            if not heap or heap[0][0] >= end:
                break
            distance, j = heappop(heap)
            nearest[j] = -1
            rows = [row_of[j]]  # type: ignore[list-item]  # only columns with an owner are in the heap
        for j in came_from:
            nearest[j] = inf
        self._reprice(reached, end)
        self._hand_on(start, came_from, end_row, end_column)
        return end

    def _reprice(self, reached: list[tuple[Number, list[int]]], end: Number) -> None:
        """Shift worth to price along what was reached before the end of the path."""
        worth, price, column_of = self.worth, self.price, self.column_of
        for distance, rows in reached:
            change = end - distance
            if change > 0:
                for i in rows:
                    worth[i] -= change
                    j = column_of[i]
                    if j is not None:
                        price[j] += change

    def _hand_on(self, start: int, came_from: dict[int, int], end_row: int, end_column: int | None) -> None:
        """Hand each column on the path to the row it was reached from."""
        row_of, column_of = self.row_of, self.column_of
        column = end_column
        if column is None:  # the last row is left unmatched
            column, column_of[end_row] = column_of[end_row], None
        while column is not None:
            row = came_from[column]
            freed, column_of[row], row_of[column] = column_of[row], column, row
            column = freed if row != start else None


def assign_cells(codes: Any, weights: Any, shape: tuple[int, int], *, sparse: bool | None = None) -> list[int]:
    """The numbers of the cells of a best 1:1 matching, rows ascending; pairs of weight 0 are left out.

    Cell (i, j) of n × m has the code i·m + j; the codes ascend, in a list or an array, and so do the weights. If
    nothing is said, the table is `sparse` where few of its cells are given, or where it is small.
    """
    n, m = shape
    if sparse is None:
        sparse = n * m <= SMALL or len(codes) * SPARSE <= n * m
    if not sparse:
        matrix = np.zeros(n * m)
        matrix[codes] = weights
        found: list[int] = np.searchsorted(codes, [i * m + j for i, j in assign_matrix(matrix.reshape(shape))]).tolist()
        return found
    codes, weights = (side if isinstance(side, list) else side.tolist() for side in (codes, weights))
    table: CostRows = [{} for _ in range(n)]
    for code, w in zip(codes, weights, strict=True):
        if w > 0:
            table[code // m][code % m] = w
    return [bisect_left(codes, i * m + j) for i, j in assign(table)]


def assign_matrix(matrix: Floats) -> list[tuple[int, int]]:
    """The matched (row, column) of a matrix of weights, rows ascending; pairs of weight 0 are left out."""
    rows, columns = lapjv()(matrix, maximize=True)
    kept = matrix[rows, columns] > 0
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))


@cache
def lapjv() -> Callable[..., tuple[Integers, Integers]]:
    """SciPy's `linear_sum_assignment`, loaded by itself: `score amr` of 600 pairs takes 0.5 s, and 0.9 s where all of
    `scipy.optimize` is imported. A SciPy that keeps it elsewhere is asked by the public name.
    """
    home = find_spec("scipy")
    folders = [] if home is None else home.submodule_search_locations or []
    spec = PathFinder.find_spec("_lsap", [os.path.join(folder, "optimize") for folder in folders])
    with suppress(ImportError, AttributeError):
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.linear_sum_assignment  # type: ignore[no-any-return]
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment  # type: ignore[no-any-return]
