"""The best matchings of many blocks of cells at once (`solve.cells` says it of one block)."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.many.kernels import Vector, runs
from matchwise.engine.solve.assignment import assign, assign_matrix, is_sparse
from matchwise.engine.solve.cells import Content
from matchwise.engine.tuning import CODE_SPREAD


class Chosen(NamedTuple):
    """The matched elements of several pairs of collections: the number of the pair, both elements, and their weight."""

    block: Vector
    a: Vector
    b: Vector
    w: Vector

    @classmethod
    def sorted(cls, block: Vector, a: Vector, b: Vector, w: Vector) -> Chosen:
        """Drop the elements of other pairs (block −1) and sort by block, then elements."""
        kept = np.flatnonzero(block >= 0)
        order = kept[np.lexsort((b[kept], a[kept], block[kept]))]
        return cls(block[order], a[order], b[order], w[order])

    @classmethod
    def of(cls, rows: list[tuple[int, int, int, Number]]) -> Chosen:
        columns = zip(*rows, strict=True) if rows else ((), (), (), ())
        block, a, b, w = map(np.array, columns)
        return cls(block.astype(np.intp), a.astype(np.intp), b.astype(np.intp), w.astype(np.float64))

    def at(self, places: Vector) -> Chosen:
        return Chosen(self.block[places], self.a[places], self.b[places], self.w[places])


def choose(match: Match, cells: Chosen, content: tuple[Content, Content] | None = None) -> Vector:
    """The numbers of the cells of a best matching of each block, ascending; cells are sorted by block, row and column.

    Equal optima are broken by content, if it is given, then by position.
    """
    block, a, b, w = cells
    if not len(w) or match == "N:N":
        return np.arange(len(w))
    row, column = _lines(block, a), _lines(block, b)
    if match == "1:1":
        alone = (np.bincount(row)[row] == 1) & (np.bincount(column)[column] == 1)
    else:
        line = row if match == "N:1" else column
        alone = np.bincount(line)[line] == 1
    found, contested = np.flatnonzero(alone), np.flatnonzero(~alone)
    if not len(contested):
        return found
    i, j = row[contested], column[contested]
    if content is not None:
        contested, i, j = _in_order(contested, block, a, b, content)
    if match == "1:1":
        some = contested[_assign(block[contested], i, j, w[contested])]
    else:
        some = contested[_first_best(line[contested], w[contested])]
    return np.sort(np.concatenate((found, some)))


def choose_in_table(match: Match, table: Vector, orders: tuple[Vector, Vector] | None) -> tuple[Vector, Vector]:
    """Rows and columns of a best matching of a full table; equal optima are broken by these orders of both sides."""
    if match == "1:1" and not table.all():
        a, b = np.nonzero(table)
        content = None if orders is None else (_content(orders[0]), _content(orders[1]))
        kept = choose(match, Chosen(np.zeros(len(a), dtype=np.intp), a, b, table[a, b]), content)
        return a[kept], b[kept]
    rows, columns = orders if orders is not None else map(np.arange, table.shape)
    inside = table if orders is None else table[np.ix_(rows, columns)]
    if match == "N:N":
        i, j = np.nonzero(inside)
    elif match == "1:1":
        i, j = np.array(assign_matrix(inside), dtype=np.intp).reshape(-1, 2).T
    else:
        best = inside.argmax(axis=1 if match == "N:1" else 0)
        i, j = (np.arange(len(best)), best) if match == "N:1" else (best, np.arange(len(best)))
        kept = inside[i, j] > 0
        i, j = i[kept], j[kept]
    a, b = rows[i], columns[j]
    order = np.lexsort((b, a))
    return a[order], b[order]


def _content(order: Vector) -> Content:
    """Sort places as this order has them."""
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return lambda groups: [sorted(group, key=rank.__getitem__) for group in groups]


def _assign(block: Vector, row: Vector, column: Vector, w: Vector) -> Vector:
    """The numbers of the cells of a best 1:1 matching of each block."""
    found = []
    for _, run in runs(block):
        (height, i), (width, j) = _number(row[run]), _number(column[run])
        place, weights = i * width + j, w[run]  # ascending
        if is_sparse(len(weights), height, width):
            columns, values, ends = j.tolist(), weights.tolist(), np.searchsorted(i, np.arange(height + 1)).tolist()
            pairs = assign([dict(zip(columns[a:b], values[a:b], strict=True)) for a, b in pairwise(ends)])
        else:
            matrix = np.zeros((height, width))
            matrix.ravel()[place] = weights
            pairs = assign_matrix(matrix)
        found += [run.start + np.searchsorted(place, [i * width + j for i, j in pairs])]
    return np.concatenate(found).astype(np.intp)


def _number(line: Vector) -> tuple[int, Vector]:
    """Number the rows (or columns) of one block without gaps: how many there are, and the number of each."""
    distinct, numbers = np.unique(line, return_inverse=True)
    return len(distinct), numbers


def _in_order(
    at: Vector, block: Vector, a: Vector, b: Vector, content: tuple[Content, Content]
) -> tuple[Vector, Vector, Vector]:
    """The cells of each block as `solve.in_order` has them: their numbers, their new rows and their new columns."""
    i, j = (_rank(block[at], side[at], order) for side, order in zip((a, b), content, strict=True))
    order = np.lexsort((j, i))
    return at[order], i[order], j[order]


def _rank(block: Vector, elements: Vector, content: Content) -> Vector:
    """Number the rows (or columns) of all blocks anew, by block, then by content."""
    line = _lines(block, elements)
    cell = np.full(int(line.max()) + 1, -1)
    cell[line] = np.arange(len(line))  # one of each line
    lines = np.flatnonzero(cell >= 0)
    owners, members = block[cell[lines]], elements[cell[lines]]
    ordered = content([members[run].tolist() for _, run in runs(owners)])
    cell[lines] = np.lexsort((np.fromiter(chain.from_iterable(ordered), np.intp, len(lines)), owners))
    return cell[line]


def _lines(block: Vector, elements: Vector) -> Vector:
    """Numbers of the rows (or columns) of all blocks; an element of two blocks is two lines.

    They ascend with block and element. There may be gaps, but not many more lines than there are cells.
    """
    new = np.concatenate(([True], block[1:] != block[:-1]))
    starts = np.flatnonzero(new)
    low, high = np.minimum.reduceat(elements, starts), np.maximum.reduceat(elements, starts)
    ends = np.cumsum(high - low + 1)
    if ends[-1] <= CODE_SPREAD * len(elements):
        line: Vector = elements + np.repeat(
            np.concatenate(([0], ends[:-1])) - low, np.diff(np.append(starts, len(block)))
        )
        return line
    codes = block * (int(high.max()) + 1) + elements
    if (codes[1:] >= codes[:-1]).all():
        return np.cumsum(np.concatenate(([False], codes[1:] != codes[:-1])))
    return np.unique(codes, return_inverse=True)[1]


def _first_best(line: Vector, w: Vector) -> Vector:
    """The greatest cell of each line, the first of equal ones."""
    best = np.zeros(int(line.max()) + 1)
    np.maximum.at(best, line, w)
    top = np.flatnonzero(w == best[line])[::-1]
    first = np.full(len(best), -1)
    first[line[top]] = top
    return first[first >= 0]
