"""Matching of sequences without crossings: a weighted longest common subsequence, row by row.

f[i][j] is the best total of the first i predictions and the first j references:

    1:1   f[i][j] = max(f[i-1][j], f[i][j-1], f[i-1][j-1] + w[i,j])
    N:1   f[i][j] = max(f[i][j-1], f[i-1][j] + w[i,j])
    1:N   f[i][j] = max(f[i-1][j], f[i][j-1] + w[i,j])
    N:N   f[i][j] = max(f[i-1][j], f[i][j-1]) + w[i,j]

A row of the first two is one running maximum. Plain equality, also where a change costs 1, is
matched bit-parallel (by rapidfuzz: 10,000 words against 10,000 take 20 ms, by rows 2 s), and few cells by their chains.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from matchwise.algebra.nodes import Match
from matchwise.engine.solve.cells import Cell
from matchwise.engine.tuning import FILLED, LARGE_TABLE


def sum_sequence(match: Match, cells: Sequence[Cell], n: int, m: int) -> float:
    """The total of two sequences of n and m elements, given their sorted cells."""
    if n * m >= max(LARGE_TABLE, FILLED * len(cells)):
        return sum_chain(match, cells)
    return sum_matrix(match, _lay_out(cells, n, m)) if cells else 0


def sum_matrix(match: Match, weights: Any) -> float:
    """The total of all weights in a matrix."""
    if match == "1:N":
        match, weights = "N:1", weights.T
    (last,) = deque(_rows(match, weights), maxlen=1)
    total = last[-1]
    return int(total) if total == int(total) else float(total)


def match_sequence(match: Match, cells: Sequence[Cell], n: int, m: int) -> list[tuple[int, int]]:
    """The matched pairs of two sequences, given their sorted cells."""
    return match_matrix(match, _lay_out(cells, n, m)) if cells else []


def match_matrix(match: Match, weights: Any) -> list[tuple[int, int]]:
    """Read the matching back from the table of totals, later pairs first, preferring to skip."""
    f = np.array(list(_rows("N:1", weights.T))).T if match == "1:N" else np.array(list(_rows(match, weights)))
    chosen: list[tuple[int, int]] = []
    i, j = weights.shape
    while i and j:
        up, left, w = f[i - 1, j], f[i, j - 1], weights[i - 1, j - 1]
        skip = (i - 1, j) if up >= left else (i, j - 1)
        before = {"1:1": (i - 1, j - 1), "N:1": (i - 1, j), "1:N": (i, j - 1), "N:N": skip}[match]
        if w and f[before] + w > max(up, left):
            chosen.append((i - 1, j - 1))
            i, j = before
        else:
            i, j = skip
    return chosen[::-1]


def _lay_out(cells: Sequence[Cell], n: int, m: int) -> Any:
    """The weights as a matrix: of floats, or of Python's whole numbers where they are too large for these."""
    i, j, w = zip(*cells, strict=True)
    matrix = np.zeros((n, m), dtype=object if max(w) > 2**53 else np.float64)
    matrix[i, j] = w
    return matrix


def _rows(match: Match, weights: Any) -> Iterator[Any]:
    """The rows of f, each from the one above; not of 1:N, which is N:1 of the other side."""
    above = np.zeros(weights.shape[1] + 1, dtype=weights.dtype)
    yield above
    for w in weights:
        row = above.copy()
        if match == "N:N":
            total = 0
            several = []
            for up, weight in zip(above[1:].tolist(), w.tolist(), strict=True):
                total = max(up, total) + weight
                several.append(total)
            row[1:] = several
        else:
            taken = above[1:] + w if match == "N:1" else np.maximum(above[1:], above[:-1] + w)
            np.maximum.accumulate(taken, out=row[1:])
        yield row
        above = row


def sum_chain(match: Match, cells: Sequence[Cell]) -> float:
    """The total of few cells (i, j), sorted: the heaviest chain of them.

    A chain goes right and down. A row (1:1, N:1) or a column (1:1, 1:N) that may be matched once is in it once. Of the
    chains so far those are kept that no other beats, further to the left and as heavy: totals grow with columns.
    """
    inclusive, at_once = match in ("N:1", "N:N"), match in ("1:N", "N:N")
    columns, totals = [-1], list[float]([0])
    # a cell is before those to its left
    ordered = cells if at_once else sorted(reversed(cells), key=itemgetter(0))  # noqa: C414  # sorting keeps the order
    for _, column, weight in ordered:
        place = bisect_left(columns, column)
        shared = inclusive and place < len(columns) and columns[place] == column
        total = totals[place if shared else place - 1] + weight
        beaten = bisect_right(totals, total, place)
        if beaten > place or place == len(columns) or columns[place] > column:
            columns[place:beaten], totals[place:beaten] = [column], [total]
    return totals[-1]


def common_subsequence(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> int:
    """The longest common subsequence of two sequences of codes, bit-parallel."""
    if not mine or not theirs:
        return 0
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(*_number(mine, theirs))


def sum_edits(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> float:
    """The total of two sequences whose unequal elements have half the credit: (n + m − Levenshtein's distance) / 2."""
    from rapidfuzz.distance import Levenshtein

    return (len(mine) + len(theirs) - Levenshtein.distance(*_number(mine, theirs))) / 2


def match_edits(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[Cell]:
    """The pairs of that matching, as they are read from the way from the references to the predictions (jiwer)."""
    found: list[Cell] = []
    for tag, first, last, begin, end in edit_steps(mine, theirs):
        if tag in ("equal", "replace"):
            weight = 1 if tag == "equal" else 0.5
            found += [(i, j, weight) for i, j in zip(range(begin, end), range(first, last), strict=True)]
    return found


def edit_steps(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> Any:
    """The way from the references to the predictions: (what, references from, to, predictions from, to).

    >>> [tuple(one) for one in edit_steps("ac", "abc")]
    [('equal', 0, 1, 0, 1), ('delete', 1, 2, 1, 1), ('equal', 2, 3, 1, 2)]
    """
    from rapidfuzz.distance import Levenshtein

    p, r = _number(mine, theirs)
    return Levenshtein.opcodes(r, p)


def _number(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """Numbers for codes, the same for equal ones."""
    codes = {code: number for number, code in enumerate({*mine, *theirs})}
    return [codes[code] for code in mine], [codes[code] for code in theirs]
