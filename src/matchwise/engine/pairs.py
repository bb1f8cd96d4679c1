"""The non-zero similarities of two lists of parts, sparse or dense.

A `Table` has one dictionary per predicted part: {reference: weight}. A `Matrix` is a NumPy array. An operator returns
whichever it finds cheaper, and both forms are turned into each other here. NumPy is imported only for matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from matchwise.algebra.nodes import Number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float64]"
Row: TypeAlias = dict[int, Number]
Table: TypeAlias = list[Row]
Pairs: TypeAlias = "Table | Matrix"
Cells: TypeAlias = tuple[list[int], list[int], list[Number]]
"""Pairs as three columns: predicted, reference, weight."""

DENSE_CELLS = 4096
"""Below this many cells a table is never worse than a matrix."""

FEW = 8
"""A matrix of which less than one cell in so many is not 0 is better a table."""


def as_table(pairs: Pairs) -> Table:
    if isinstance(pairs, list):
        return pairs
    return [{j: w for j, w in enumerate(row) if w} for row in pairs.tolist()]


def table(height: int, cells: Cells) -> Table:
    """The table of so many rows that has these cells; a weight of 0 is none."""
    made: Table = [{} for _ in range(height)]
    for i, j, w in zip(*cells, strict=True):
        if w:
            made[i][j] = w
    return made


def as_matrix(pairs: Pairs, n: int, m: int) -> Matrix:
    if not isinstance(pairs, list):
        return pairs
    import numpy as np

    matrix = np.zeros((n, m))
    for i, row in enumerate(pairs):
        if row:
            matrix[i, list(row)] = list(row.values())
    return matrix


def lighter(pairs: Pairs) -> Pairs:
    """A large matrix with few cells above 0 (of spans that overlap, say) as a table: the others are not visited."""
    if isinstance(pairs, list) or pairs.size < DENSE_CELLS:
        return pairs
    import numpy as np

    if np.count_nonzero(pairs) * FEW > pairs.size:
        return pairs
    rows, columns = pairs.nonzero()
    made: Table = [{} for _ in range(len(pairs))]
    for i, j, w in zip(rows.tolist(), columns.tolist(), pairs[rows, columns].tolist(), strict=True):
        made[i][j] = w
    return made


def lookup(pairs: Pairs, rows: list[int], columns: list[int]) -> list[Number]:
    """The weights at the given places."""
    if isinstance(pairs, list):
        return [pairs[i].get(j, 0) for i, j in zip(rows, columns, strict=True)]
    return pairs[rows, columns].tolist()  # type: ignore[no-any-return]


def map_cells(pairs: Pairs, sparse: Callable[[Number], Number], dense: Callable[[Matrix], Matrix]) -> Pairs:
    """A function of each weight that keeps 0 at 0, given for one number and for a matrix."""
    if not isinstance(pairs, list):
        return dense(pairs)
    return [{j: value for j, w in row.items() if (value := sparse(w))} for row in pairs]


def block(pairs: Pairs, i0: int, i1: int, j0: int, j1: int) -> Pairs:
    """The weights of rows i0:i1 against columns j0:j1, renumbered from 0."""
    if not isinstance(pairs, list):
        return pairs[i0:i1, j0:j1]
    return [{j - j0: w for j, w in row.items() if j0 <= j < j1} for row in pairs[i0:i1]]


def reordered(pairs: Pairs, rows: list[int], columns: list[int]) -> Pairs:
    """The same weights with rows and columns in another order."""
    if not isinstance(pairs, list):
        import numpy as np

        return pairs[np.ix_(rows, columns)] if pairs.size else pairs
    place = {j: b for b, j in enumerate(columns)}
    return [dict(sorted((place[j], w) for j, w in pairs[i].items())) for i in rows]
