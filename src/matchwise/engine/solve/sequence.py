"""Matching of sequences without crossings: a weighted longest common subsequence, row by row.

f[i][j] is the best total of the first i predictions and the first j references:

    1:1   f[i][j] = max(f[i-1][j], f[i][j-1], f[i-1][j-1] + w[i,j])
    N:1   f[i][j] = max(f[i][j-1], f[i-1][j] + w[i,j])
    1:N   f[i][j] = max(f[i-1][j], f[i][j-1] + w[i,j])
    N:N   f[i][j] = max(f[i-1][j], f[i][j-1]) + w[i,j]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Match, Number
from matchwise.arrays import Floats
from matchwise.engine.tuning import LARGE_TABLE

WeightRows: TypeAlias = list[dict[int, Number]]
"""The non-zero weights of each prediction, by reference."""


def lay_out(a: Any, b: Any, w: Any, rows: range, columns: range) -> WeightRows | Floats:
    """The weights of two sequences, w at the places (a, b) and else 0: rows if they are few, else a matrix."""
    if len(rows) * len(columns) >= LARGE_TABLE:
        matrix = np.zeros((len(rows), len(columns)))
        matrix[np.asarray(a) - rows.start, np.asarray(b) - columns.start] = w
        return matrix
    table: WeightRows = [{} for _ in rows]
    lists = (vector if isinstance(vector, list) else vector.tolist() for vector in (a, b, w))
    for i, j, weight in zip(*lists, strict=True):
        table[i - rows.start][j - columns.start] = weight
    return table


def sequence_total(match: Match, weights: WeightRows | Floats, m: int) -> Number:
    """The total of two sequences, the second of m elements."""
    return _rows(match, weights, m)[-1][-1] if isinstance(weights, list) else matrix_total(match, weights)


def chain_total(match: Match, i: Sequence[int], j: Sequence[int], w: Sequence[Number], m: int) -> Number:
    """The total of few cells (i, j), sorted, in m columns: the heaviest chain of them, O(cells · log m).

    A chain goes right and down. A row (1:1, N:1) or a column (1:1, 1:N) that may be matched once is in it once. A
    Fenwick tree holds the best chain that ends in the first columns.
    """
    inclusive, at_once = match in ("N:1", "N:N"), match in ("1:N", "N:N")
    best: list[Number] = [0] * (m + 1)
    waiting: list[tuple[int, Number]] = []

    def put(column: int, total: Number) -> None:
        while column <= m:
            if total > best[column]:
                best[column] = total
            column += column & -column

    def most(columns: int) -> Number:
        found: Number = 0
        while columns:
            found = max(found, best[columns])
            columns &= columns - 1
        return found

    row = -1
    for here, column, weight in zip(i, j, w, strict=True):
        if here != row:
            for one in waiting:
                put(*one)
            waiting, row = [], here
        total = most(column + inclusive) + weight
        if at_once:
            put(column + 1, total)
        else:
            waiting.append((column + 1, total))
    for one in waiting:
        put(*one)
    return most(m)


def matrix_total(match: Match, matrix: Floats) -> Number:
    """The total of all weights in a matrix."""
    n, m = matrix.shape
    if match == "1:1":
        last = _last(matrix if n <= m else matrix.T)
    else:
        (final,) = deque(_vector_rows(match, matrix), maxlen=1)
        last = final[-1].item()
    return int(last) if last.is_integer() else last


def common_subsequence(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> Number:
    """The longest common subsequence of two sequences of codes, bit-parallel."""
    if not mine or not theirs:
        return 0
    from rapidfuzz.distance import LCSseq

    codes: dict[Hashable, int] = {}
    return LCSseq.similarity(*([codes.setdefault(code, len(codes)) for code in side] for side in (mine, theirs)))


def sequence_matched(match: Match, weights: WeightRows | Floats, m: int) -> list[tuple[int, int, Number]]:
    """Read the matching back from the table of totals, later pairs first, preferring to skip."""
    total, weight = _cells(match, weights, m)
    chosen: list[tuple[int, int, Number]] = []
    i, j = len(weights), m
    while i and j:
        up, left, w = total(i - 1, j), total(i, j - 1), weight(i - 1, j - 1)
        skip = (i - 1, j) if up >= left else (i, j - 1)
        before = {"1:1": (i - 1, j - 1), "N:1": (i - 1, j), "1:N": (i, j - 1), "N:N": skip}[match]
        if w and total(*before) + w > max(up, left):
            chosen.append((i - 1, j - 1, w))
            i, j = before
        else:
            i, j = skip
    return chosen[::-1]


Cell: TypeAlias = Callable[[int, int], Number]


def _cells(match: Match, weights: WeightRows | Floats, m: int) -> tuple[Cell, Cell]:
    """Access to f and w by cell: reading a matching back needs only a few cells."""
    if isinstance(weights, list):
        rows = _rows(match, weights, m)
        return lambda i, j: rows[i][j], lambda i, j: weights[i].get(j, 0)
    f = np.vstack([np.zeros(m + 1), *_vector_rows(match, weights)])
    return f.item, weights.item


def _rows(match: Match, table: WeightRows, m: int) -> list[list[Number]]:
    """All rows of f in plain Python: exact for integers, and fastest for short sequences."""
    rows: list[list[Number]] = [[0] * (m + 1)]
    for w in table:
        above = rows[-1]
        row: list[Number] = [0] * (m + 1)
        if not w:
            rows.append(above)
            continue
        left: Number = 0
        for j in range(1, m + 1):
            weight, up = w.get(j - 1, 0), above[j]
            if match == "1:1":
                value = above[j - 1] + weight
            elif match == "N:1":
                value = up + weight
            elif match == "1:N":
                value = left + weight
            else:
                value = max(up, left) + weight
            left = row[j] = max(up, left, value)
        rows.append(row)
    return rows


def _last(matrix: Floats) -> float:
    """The last cell of f, 1:1, in one row that is overwritten; the shorter side is the one that is looped over.

    Numbers that are not negative are in the order of their bits, whose running maximum takes a quarter of the time.
    """
    add, maximum, running = np.add, np.maximum, np.maximum.accumulate
    row = np.zeros(matrix.shape[1] + 1)
    before, here, taken = row[:-1], row[1:], np.empty(matrix.shape[1])
    here_bits, taken_bits = here.view(np.int64), taken.view(np.int64)
    for w in np.ascontiguousarray(matrix):
        add(before, w, out=taken)
        maximum(here, taken, out=taken)
        running(taken_bits, out=here_bits)
    last: float = row[-1].item()
    return last


def _vector_rows(match: Match, matrix: Floats) -> accumulate[Floats]:
    """The rows of f after the first, each from the one above by a few vector operations."""
    start = np.zeros(matrix.shape[1] + 1)

    def step(above: Floats, w: Floats) -> Floats:
        row = start.copy()
        if match == "1:1":
            taken = np.maximum(above[1:], above[:-1] + w)
            np.maximum.accumulate(taken.view(np.int64), out=row[1:].view(np.int64))
        elif match == "N:1":
            row[1:] = np.maximum.accumulate(above[1:] + w)
        else:  # f[j] - S[j] is a running maximum, where S is the running sum of w
            running = np.cumsum(w)
            base = above[1:] if match == "1:N" else above[1:] + w
            row[1:] = np.maximum(np.maximum.accumulate(base - running), 0) + running
        return row

    rows = accumulate(matrix, step, initial=start)
    next(rows)
    return rows
