"""The kernels over NumPy arrays: the same functions as `short.py`, where there are many elements or documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import fsum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.solve import SMALL, SPARSE, Cell, Content, chosen_cells, solve
from matchwise.engine.solvers.assignment import assign_matrix

Vector: TypeAlias = NDArray[Any]

ARRAYS = True

WIDE = 2**62
"""Codes beyond this do not fit into 64 bits; they are numbered anew before it comes to that."""

FINE = 1024
"""Sums of multiples of 1 / 1024 are exact in any order."""


def index(n: int) -> Vector:
    return np.arange(n)


def full(n: int, value: Number) -> Vector:
    return np.full(n, float(value))


def places(values: Iterable[int]) -> Vector:
    if isinstance(values, np.ndarray):
        return values
    several = list(values)
    return np.array(several, dtype=np.intp)


def weights(values: Sequence[Number]) -> Vector:
    return np.array(values, dtype=np.float64)


def plain(vector: Vector) -> list[Any]:
    return vector.tolist()  # type: ignore[no-any-return]


def whole(vector: Vector) -> list[Any]:
    if not (vector % 1).any():
        return vector.astype(np.int64).tolist()  # type: ignore[no-any-return]
    return [int(value) if value.is_integer() else value for value in vector.tolist()]


def gather(vector: Any, at: Vector) -> Vector:
    found: Vector = vector[at]
    return found


def nonzero(vector: Vector) -> Vector:
    return np.flatnonzero(vector)


def filter_pairs(i: Vector, j: Vector, w: Vector) -> tuple[Vector, Vector, Vector]:
    kept = w != 0
    return (i, j, w) if kept.all() else (i[kept], j[kept], w[kept])


def times(one: Vector, other: Vector) -> Vector:
    return one * other


def plus(one: Vector, other: Vector) -> Vector:
    return one + other


def scale(vector: Vector, factor: Number) -> Vector:
    return vector if factor == 1 else vector * float(factor)


def divide(vector: Vector, divisor: Number) -> Vector:
    return vector / float(divisor)


def equal(one: Vector, other: Vector) -> Vector:
    same: Vector = np.equal(one, other).astype(np.float64)
    return same


def same_places(one: Vector, other: Vector) -> bool:
    return one is other or bool(np.array_equal(one, other))


def larger(vector: Vector, threshold: Number, strict: bool) -> Vector:
    return (vector > float(threshold) if strict else vector >= float(threshold)).astype(np.float64)


def minus(vector: Vector, amount: Number) -> Vector:
    return np.maximum(vector - float(amount), 0.0)


def minimum(one: Vector, other: Vector) -> Vector:
    return np.minimum(one, other)


def ratio(above: Vector, below: Vector, empty: Number) -> Vector:
    made = np.full(len(above), float(empty))
    np.divide(above, below, out=made, where=below != 0)
    return made


def difference(one: Vector, other: Vector) -> Vector:
    return one - other


def spread(n: int, at: Vector, values: Vector) -> Vector:
    made = np.zeros(n)
    made[at] = values
    return made


def inverse(kept: Vector, n: int) -> Vector:
    made = np.full(n, -1, dtype=np.intp)
    made[kept] = np.arange(len(kept))
    return made


def both_kept(one: Vector, other: Vector) -> Vector:
    return np.flatnonzero((one >= 0) & (other >= 0))


def number(mine: Any, theirs: Any, documents: tuple[Vector, Vector] | None) -> tuple[Vector, Vector]:
    if documents is None:
        return mine, theirs
    many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
    return documents[0] * many + mine, documents[1] * many + theirs


def within(codes: Vector, owners: Vector) -> Vector:
    return _combine(codes, owners, 1 + int(codes.max(initial=0)))


def _combine(codes: Vector, owners: Vector, many: int) -> Vector:
    """Codes that are equal where both the code and the owner are; `many` is above every code."""
    if many * (1 + int(owners.max(initial=0))) >= WIDE:
        codes = np.unique(codes, return_inverse=True)[1]
        many = 1 + int(codes.max(initial=0))
    return owners * many + codes


def has_twice(codes: Vector) -> bool:
    ordered = np.sort(codes)
    return bool((ordered[1:] == ordered[:-1]).any())


def join(mine: Vector, theirs: Vector) -> tuple[Vector, Vector]:
    order = np.argsort(theirs, kind="stable")
    there = theirs[order]
    first = np.searchsorted(there, mine)
    if len(there) == 0 or (there[1:] != there[:-1]).all():  # one partner each at most
        at = np.minimum(first, len(there) - 1)
        i = np.flatnonzero(there[at] == mine) if len(there) else np.zeros(0, dtype=np.intp)
        return i, order[at[i]] if len(there) else i
    found = np.searchsorted(there, mine, side="right") - first
    i = np.repeat(np.arange(len(mine)), found)
    within = np.arange(len(i)) - np.repeat(np.cumsum(found) - found, found)
    return i, order[first[i] + within]


def count_pairs(mine: Vector, theirs: Vector) -> int:
    there = np.sort(theirs)
    return int((np.searchsorted(there, mine, side="right") - np.searchsorted(there, mine)).sum())


def occurrences(codes: Vector) -> Vector:
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    first = np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]
    starts = np.flatnonzero(first)
    made = np.empty(len(codes), dtype=np.intp)
    made[order] = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    return made


def overlaps(
    match: Match, mine: Vector, owners: Vector, theirs: Vector, other_owners: Vector, sizes: tuple[int, int]
) -> tuple[Vector, Vector, Vector]:
    p_code, p_owner, p_count = _counted(mine, owners, sizes[0])
    r_code, r_owner, r_count = _counted(theirs, other_owners, sizes[1])
    a, b = join(p_code, r_code)
    i, j = p_owner[a], r_owner[b]
    if match == "1:1":
        w = np.minimum(p_count[a], r_count[b])
    else:
        w = {"N:1": p_count[a], "1:N": r_count[b], "N:N": p_count[a] * r_count[b]}[match]
    codes = i * sizes[1] + j
    ordered = len(codes) == 0 or bool((codes[1:] >= codes[:-1]).all())
    if not ordered:
        order = np.argsort(codes, kind="stable")
        codes, w = codes[order], w[order]
    first = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1]))[: len(codes)])
    sums = np.add.reduceat(w, first).astype(np.float64) if len(first) else np.zeros(0)
    places = codes[first]
    return places // max(sizes[1], 1), places % max(sizes[1], 1), sums


def _counted(codes: Vector, owners: Vector, many: int) -> tuple[Vector, Vector, Vector]:
    """The different (code, owner), sorted by owner where that is their order, and how often each is there."""
    top = int(codes.max(initial=0)) + 1
    if top * max(many, 1) >= WIDE:
        codes = np.unique(codes, return_inverse=True)[1]
        top = int(codes.max(initial=0)) + 1
    both = owners * top + codes
    ordered = np.sort(both)
    if len(ordered) < 2 or (ordered[1:] != ordered[:-1]).all():  # no element twice
        return codes, owners, np.ones(len(codes), dtype=np.intp)
    distinct, counts = np.unique(both, return_counts=True)
    return distinct % top, distinct // top, counts


def group(i: Vector, j: Vector, m: int) -> tuple[Vector, Vector, Vector, Vector]:
    codes = i * max(m, 1) + j
    order: Vector
    if len(codes) < 2 or (codes[1:] >= codes[:-1]).all():
        order = np.arange(len(codes))
    else:
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
    new = np.concatenate(([True], codes[1:] != codes[:-1]))[: len(codes)]
    distinct = codes[new]
    return distinct // max(m, 1), distinct % max(m, 1), np.cumsum(new) - 1, order


def look_up(i: Vector, j: Vector, w: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    if not len(w):
        return np.zeros(len(at_i))
    at, found = _find(i * m + j, at_i * m + at_j)
    return np.where(found, w[at], 0.0)


def number_pairs(i: Vector, j: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    if not len(i):
        return np.full(len(at_i), -1)
    codes = i * m + j
    order = np.argsort(codes, kind="stable")
    at, found = _find(codes[order], at_i * m + at_j)
    return np.where(found, order[at], -1)


def _find(ordered: Vector, wanted: Vector) -> tuple[Vector, Vector]:
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return at, ordered[at] == wanted


def sort_places(*columns: Vector) -> Vector:
    return np.lexsort(columns[::-1])


def sum_by(owners: Vector, values: Vector, n: int) -> Vector:
    if not len(values):
        return np.zeros(n)
    rough = values * FINE % 1 != 0
    if not rough.any():
        return np.bincount(owners, weights=values, minlength=n).astype(np.float64, copy=False)
    order = None if (owners[1:] >= owners[:-1]).all() else np.argsort(owners, kind="stable")
    if order is not None:
        owners, values = owners[order], values[order]
    made = np.zeros(n)
    ends = np.searchsorted(owners, np.arange(n + 1))
    several = np.flatnonzero(np.diff(ends) > 1).tolist()
    made[owners] = values
    numbers, bounds = values.tolist(), ends.tolist()
    for owner in several:
        made[owner] = fsum(numbers[bounds[owner] : bounds[owner + 1]])
    return made


def add_by(owners: Vector, values: Vector, n: int) -> Vector:
    return np.bincount(owners, weights=values, minlength=n).astype(np.float64, copy=False)


def count_by(owners: Vector, n: int) -> Vector:
    return np.bincount(owners, minlength=n).astype(np.float64)


def max_by(owners: Vector, values: Vector, n: int) -> Vector:
    made = np.zeros(n)
    np.maximum.at(made, owners, values)
    return made


def owners_of(offsets: Vector) -> Vector:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def sizes_of(offsets: Vector) -> Vector:
    return np.diff(offsets)


def expand(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> tuple[Vector, Vector, Vector]:
    heights, widths = mine[i + 1] - mine[i], theirs[j + 1] - theirs[j]
    sizes = heights * widths
    block = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(block)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    width = widths[block]
    row = within // width if len(block) else within
    return block, mine[i][block] + row, theirs[j][block] + within - row * width


def diagonal(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> tuple[Vector, Vector, Vector]:
    sizes = np.minimum(mine[i + 1] - mine[i], theirs[j + 1] - theirs[j])
    block = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(block)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return block, mine[i][block] + within, theirs[j][block] + within


def merge_pairs(several: list[tuple[Vector, Vector, Vector]]) -> tuple[Vector, Vector, Vector]:
    i, j, w = (np.concatenate(column) for column in zip(*several, strict=True))
    order = np.lexsort((j, i))
    return i[order], j[order], w[order]


def concatenate(vectors: Sequence[Vector]) -> Vector:
    return np.concatenate(vectors)


def totals(match: Match, block: Vector, a: Vector, b: Vector, w: Vector, n: int) -> Vector:
    if not len(w) or match == "N:N":
        return sum_by(block, w, n)
    row, column = _lines(block, a), _lines(block, b)
    if match != "1:1":
        line = row if match == "N:1" else column
        best = np.zeros(int(line.max()) + 1)
        np.maximum.at(best, line, w)
        owner = np.zeros(len(best), dtype=np.intp)
        owner[line] = block
        return sum_by(owner, best, n)
    taken, contested = _stars(row, column, w, block)
    owners, values = [block[taken]], [w[taken]]
    if len(contested):
        seen, left = _plain(row[contested], column[contested], w[contested], block[contested])
        owners.append(block[contested[seen]])
        values.append(w[contested[seen]])
        left = contested[left]
        for chosen in _solved(block[left], a[left], b[left], w[left]):
            owners.append(block[left[chosen]])
            values.append(w[left[chosen]])
    return sum_by(np.concatenate(owners), np.concatenate(values), n)


def choose(match: Match, block: Vector, a: Vector, b: Vector, w: Vector, content: tuple[Content, Content]) -> Vector:
    if not len(w) or match == "N:N":
        return np.arange(len(w))
    row, column = _lines(block, a), _lines(block, b)
    if match == "1:1":
        alone = (np.bincount(row)[row] == 1) & (np.bincount(column)[column] == 1)
        taken, contested = np.flatnonzero(alone), np.flatnonzero(~alone)
    else:
        line = row if match == "N:1" else column
        alone = np.bincount(line)[line] == 1
        taken, contested = np.flatnonzero(alone), np.flatnonzero(~alone)
    found = taken.tolist()
    for start, end in _stretches(block[contested]):
        some = contested[start:end].tolist()
        cells: list[Cell] = list(zip(a[some].tolist(), b[some].tolist(), w[some].tolist(), strict=True))
        found += [some[place] for place in chosen_cells(match, cells, content)]
    found.sort()
    return np.array(found, dtype=np.intp)


def contested(i: Vector, j: Vector) -> tuple[Vector, Vector]:
    if not len(i):
        return i, i
    shares = (np.bincount(i)[i] > 1) | (np.bincount(j)[j] > 1)
    return np.flatnonzero(~shares), np.flatnonzero(shares)


def _lines(block: Vector, elements: Vector) -> Vector:
    """Numbers of the rows (or columns) of all blocks; an element of two blocks is two lines.

    There may be gaps, but the numbers are not much larger than there are cells.
    """
    low = int(elements.min(initial=0))
    codes: Vector = block * (1 + int(elements.max(initial=0)) - low) + (elements - low)
    if int(codes.max(initial=0)) <= 4 * len(codes) + 1024:
        return codes
    if (codes[1:] >= codes[:-1]).all():
        return np.cumsum(np.concatenate(([False], codes[1:] != codes[:-1])))
    return np.unique(codes, return_inverse=True)[1]


def _stars(row: Vector, column: Vector, w: Vector, block: Vector) -> tuple[Vector, Vector]:
    """`solve._stars` of all blocks: the greatest cell of each star, and the cells that are in none."""
    several, others = np.bincount(row)[row] > 1, np.bincount(column)[column] > 1
    torn = several & others
    if torn.any():
        in_row, in_column = np.zeros(int(row.max()) + 1, dtype=bool), np.zeros(int(column.max()) + 1, dtype=bool)
        in_row[row[torn]] = in_column[column[torn]] = True
        contested = in_row[row] | in_column[column]
    else:
        contested = torn
    free = np.flatnonzero(~contested)
    alone = ~(several | others)[free]
    star = free[~alone]
    if len(star):
        centre = np.where(several[star], row[star], -1 - column[star])
        order = np.lexsort((star, -w[star], centre))
        first = np.concatenate(([True], centre[order][1:] != centre[order][:-1]))
        free = np.sort(np.concatenate((free[alone], star[order[first]])))
    return free, np.flatnonzero(contested)


def _plain(row: Vector, column: Vector, w: Vector, block: Vector) -> tuple[Vector, Vector]:
    """`solve._plain` of all blocks: the cells that are plain to see, and those of the blocks that are not."""
    seen = np.zeros(0, dtype=np.intp)
    left = np.arange(len(w))
    for line, other in ((row, column), (column, row)):
        if not len(left):
            break
        best = _first_best(line[left], w[left])
        partners, counts = np.unique(other[left[best]], return_counts=True)
        clash = np.isin(other[left[best]], partners[counts > 1])
        torn = np.isin(block[left], block[left[best[clash]]])
        seen = np.concatenate((seen, left[best[~np.isin(block[left[best]], block[left[best[clash]]])]]))
        left = left[torn]
    return seen, left


def _first_best(line: Vector, w: Vector) -> Vector:
    """The greatest cell of each line, the first of equal ones."""
    order = None if (line[1:] >= line[:-1]).all() else np.argsort(line, kind="stable")
    ordered, weights = (line, w) if order is None else (line[order], w[order])
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    starts = np.flatnonzero(new)
    number = np.cumsum(new) - 1
    best = np.flatnonzero(weights == np.maximum.reduceat(weights, starts)[number])
    first = best[np.concatenate(([True], number[best][1:] != number[best][:-1]))]
    return first if order is None else order[first]


def _solved(block: Vector, a: Vector, b: Vector, w: Vector) -> Iterable[list[int]]:
    """The contested cells of each block that is left, assigned as `solve.solve` does."""
    for start, end in _stretches(block):
        rows, columns = a[start:end], b[start:end]
        if end - start > SMALL:
            new = np.concatenate(([True], rows[1:] != rows[:-1]))
            row = np.cumsum(new) - 1
            low = int(columns.min())
            present = np.zeros(int(columns.max()) - low + 1, dtype=bool)
            present[columns - low] = True
            column = (np.cumsum(present) - 1)[columns - low]
            height, width = int(row[-1]) + 1, int(column.max()) + 1
            if (end - start) * SPARSE > height * width:
                matrix = np.zeros((height, width))
                matrix[row, column] = w[start:end]
                number = np.full((height, width), -1)
                number[row, column] = np.arange(start, end)
                chosen = np.array(assign_matrix(matrix), dtype=np.intp).reshape(-1, 2)
                yield number[chosen[:, 0], chosen[:, 1]].tolist()
                continue
        cells = list(zip(rows.tolist(), columns.tolist(), w[start:end].tolist(), strict=True))
        yield [start + place for place in solve(cells)]


def _stretches(block: Vector) -> Iterable[tuple[int, int]]:
    """Where the cells of each block begin and end."""
    if not len(block):
        return iter(())
    starts = np.flatnonzero(np.concatenate(([True], block[1:] != block[:-1]))).tolist()
    return pairwise([*starts, len(block)])
