"""Vectors in, vectors out; no objects: join, group, sum and match the elements of many documents at once."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import accumulate, chain, pairwise
from math import fsum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.solve.assignment import assign_cells
from matchwise.engine.solve.cells import Content

Vector: TypeAlias = Any
"""A NumPy array."""

WIDE = 2**62
"""Codes beyond this do not fit into 64 bits; they are numbered anew before it comes to that."""


class Pairs(NamedTuple):
    """The non-zero φ(x, y) of two frames: x, y and the weight of each pair, sorted by x, then y."""

    i: Vector
    j: Vector
    w: Vector

    @classmethod
    def of(cls, i: Vector, j: Vector, w: Vector) -> Pairs:
        """Drop the pairs of weight 0."""
        kept = w != 0
        return cls(i, j, w) if kept.all() else cls(i[kept], j[kept], w[kept])

    def at(self, i: Vector, j: Vector, m: int) -> Vector:
        """The weights at the given places, where the second frame has m elements."""
        return np.append(self.w, 0.0)[number_pairs(self.i, self.j, m, i, j)]


def places(values: Sequence[int] | Vector) -> Vector:
    return np.asarray(values, dtype=np.intp)


def whole(vector: Vector) -> list[Any]:
    """The vector as a list, with integers for whole numbers."""
    return [int(value) if value.is_integer() else value for value in vector.tolist()]


def ratio(above: Vector, below: Vector, empty: Number) -> Vector:
    """above / below; 0/0 is `empty`."""
    made = np.full(above.shape, float(empty))
    np.divide(above, below, out=made, where=below != 0)
    return made


def spread(n: int, at: Vector, values: Vector) -> Vector:
    """A vector of n zeros with the values at the given places."""
    made = np.zeros(n)
    made[at] = values
    return made


def inverse(kept: Vector, n: int) -> Vector:
    """Where each of n places stands among those that are kept; −1 if it is not kept."""
    made = np.full(n, -1, dtype=np.intp)
    made[kept] = np.arange(len(kept))
    return made


def within(codes: Vector, owners: Vector) -> Vector:
    """Number (code, owner) pairs: equal pairs have equal codes."""
    distinct, numbers = np.unique(codes, return_inverse=True)
    return owners * len(distinct) + numbers


def join(mine: Vector, theirs: Vector) -> tuple[Vector, Vector]:
    """All (i, j) with equal codes, sorted."""
    order = np.argsort(theirs, kind="stable")
    i, at = lay_out(*_find_runs(mine, theirs[order]))
    return i, order[at]


def count_pairs(mine: Vector, theirs: Vector) -> int:
    """How many pairs `join` finds."""
    return int(_find_runs(mine, np.sort(theirs))[1].sum())


def _find_runs(codes: Vector, ordered: Vector) -> tuple[Vector, Vector]:
    """Where the run of each code begins in a sorted vector, and its length; 0 if it has none."""
    if not len(ordered):
        return np.zeros_like(codes), np.zeros_like(codes)
    starts = np.flatnonzero(changes(ordered))
    distinct, lengths = ordered[starts], np.diff(np.append(starts, len(ordered)))
    at = np.minimum(np.searchsorted(distinct, codes), len(distinct) - 1)
    return starts[at], lengths[at] * (distinct[at] == codes)


def occurrences(codes: Vector) -> Vector:
    """Number the elements of equal code, in order."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(changes(codes[order]))
    made = np.empty(len(codes), dtype=np.intp)
    made[order] = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    return made


def overlaps(
    match: Match, mine: Vector, owners: Vector, theirs: Vector, other_owners: Vector, sizes: tuple[int, int]
) -> Pairs:
    """Σ^◇[δ] of all pairs of owners that share a code, by an inverted index: both owners and the sum."""
    p_code, p_owner, p_count = _count(mine, owners, sizes[0])
    r_code, r_owner, r_count = _count(theirs, other_owners, sizes[1])
    a, b = join(p_code, r_code)
    if match == "1:1":
        w = np.minimum(p_count[a], r_count[b])
    else:
        w = {"N:1": p_count[a], "1:N": r_count[b], "N:N": p_count[a] * r_count[b]}[match]
    i, j, number, order = group(p_owner[a], r_owner[b], sizes[1])
    return Pairs(i, j, np.bincount(number, w[order], len(i)))


def _count(codes: Vector, owners: Vector, many: int) -> tuple[Vector, Vector, Vector]:
    """The distinct (code, owner) pairs and how often each occurs; sorted by owner if the codes are."""
    values, top = None, int(codes.max(initial=0)) + 1
    if top * max(many, 1) >= WIDE:
        values, codes = np.unique(codes, return_inverse=True)
        top = len(values)
    both = owners * top + codes
    counts: Vector = np.ones(len(codes), dtype=np.intp)
    if not changes(np.sort(both, kind="stable")).all():  # an element twice
        both, counts = np.unique(both, return_counts=True)
        codes, owners = both % top, both // top
    return codes if values is None else values[codes], owners, counts


def changes(ordered: Vector) -> Vector:
    """Where a sorted vector has a value that it did not have before."""
    return np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]


def group(i: Vector, j: Vector, m: int) -> tuple[Vector, Vector, Vector, Vector]:
    """The distinct pairs (i, j), sorted; the number of each given pair; the order that sorts the given ones."""
    codes = i * max(m, 1) + j
    order: Vector = np.arange(len(codes))
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
    new = changes(codes)
    distinct = codes[new]
    return distinct // max(m, 1), distinct % max(m, 1), np.cumsum(new) - 1, order


def number_pairs(i: Vector, j: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    """Look each place (at_i, at_j) up among the distinct places (i, j): its number, or −1."""
    if not len(i):
        return np.full(len(at_i), -1)
    codes, wanted = i * m + j, at_i * m + at_j
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    return np.where(codes[at] == wanted, order[at], -1)


def max_by(owners: Vector, values: Vector, n: int) -> Vector:
    made = np.zeros(n)
    np.maximum.at(made, owners, values)
    return made


def offsets_of(collections: Sequence[Sized]) -> Vector:
    """Where each collection begins if all are laid end to end, and where the last one ends."""
    return places(list(accumulate(map(len, collections), initial=0)))


def owners_of(offsets: Sequence[int] | Vector) -> Vector:
    """The owner of each element; owner i has the elements offsets[i]:offsets[i + 1].

    >>> owners_of([0, 2, 2, 3]).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def expand(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> tuple[Vector, Vector, Vector]:
    """All pairs of elements of each pair of owners (i, j): its number, and both elements."""
    heights, widths = mine[i + 1] - mine[i], theirs[j + 1] - theirs[j]
    block, within = lay_out(np.zeros_like(heights), heights * widths)
    row, column = np.divmod(within, widths[block])
    return block, mine[i][block] + row, theirs[j][block] + column


def lay_out(starts: Vector, sizes: Vector) -> tuple[Vector, Vector]:
    """Runs laid end to end: the number of the run of each place, and the place. A run may be there several times."""
    which = np.arange(len(sizes)).repeat(sizes)
    return which, np.arange(len(which)) + (starts - sizes.cumsum() + sizes)[which]


def runs(block: Vector) -> list[tuple[int, slice]]:
    """The stretches of equal numbers."""
    starts = np.flatnonzero(changes(block))
    ends = pairwise([*starts.tolist(), len(block)])
    return [(number, slice(*run)) for number, run in zip(block[starts].tolist(), ends, strict=True)]


FINE = 1024
"""Sums of multiples of 1 / 1024 are exact in any order."""


def sum_by(owners: Vector, values: Vector, n: int) -> Vector:
    """The sum of the values of each owner, rounded once."""
    parts = values * FINE
    if (np.rint(parts) == parts).all():
        return np.bincount(owners, weights=values, minlength=n).astype(np.float64, copy=False)
    order = np.argsort(owners, kind="stable")
    owners, values = owners[order], values[order]
    made = spread(n, owners, values)
    numbers = values.tolist()
    for owner, run in runs(owners):
        if run.stop - run.start > 1:
            made[owner] = fsum(numbers[run])
    return made


class Chosen(NamedTuple):
    """Elements of several pairs of collections: the number of the pair, both elements, and what they score."""

    block: Vector
    a: Vector
    b: Vector
    w: Vector

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, Number]]) -> Chosen:
        block, a, b, w = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(places(block), places(a), places(b), np.array(w, dtype=np.float64))

    @classmethod
    def sorted(cls, block: Vector, a: Vector, b: Vector, w: Vector) -> Chosen:
        """Drop the elements of other pairs (block −1) and sort by block, then elements."""
        kept = np.flatnonzero(block >= 0)
        order = kept[np.lexsort((b[kept], a[kept], block[kept]))]
        return cls(block[order], a[order], b[order], w[order])

    def at(self, places: Vector) -> Chosen:
        return Chosen(self.block[places], self.a[places], self.b[places], self.w[places])


def choose(match: Match, cells: Chosen, content: tuple[Content, Content] | None = None) -> Chosen:
    """The cells of a best matching of each block, sorted as they are given: by block, row and column.

    It is what `solve.cells.choose_cells` says of one block: equal optima are broken by content, if it is given, then by
    position.
    """
    block, a, b, w = cells
    if not len(w) or match == "N:N":
        return cells
    row, column = (np.unique(block * (int(side.max()) + 1) + side, return_inverse=True)[1] for side in (a, b))
    if match == "1:1":
        alone = (np.bincount(row)[row] == 1) & (np.bincount(column)[column] == 1)
    else:
        line = row if match == "N:1" else column
        alone = np.bincount(line)[line] == 1
    contested = np.flatnonzero(~alone)
    if not len(contested):
        return cells
    i, j = row[contested], column[contested]
    if content is not None:
        i, j = (_rank(block[contested], side[contested], of) for side, of in zip((a, b), content, strict=True))
        order = np.lexsort((j, i))
        contested, i, j = contested[order], i[order], j[order]
    if match == "1:1":
        some = contested[_assign(block[contested], i, j, w[contested])]
    else:
        some = contested[_first_best(line[contested], w[contested])]
    return cells.at(np.sort(np.concatenate((np.flatnonzero(alone), some))))


def _rank(block: Vector, elements: Vector, content: Content) -> Vector:
    """Number the rows (or columns) of all blocks anew, by block, then by content."""
    _, cells, numbers = np.unique(block * (int(elements.max()) + 1) + elements, return_index=True, return_inverse=True)
    owners, members = block[cells], elements[cells]
    ordered = content([members[run].tolist() for _, run in runs(owners)])
    ranks = np.lexsort((np.fromiter(chain.from_iterable(ordered), np.intp, len(cells)), owners))
    return ranks[numbers]


def _assign(block: Vector, row: Vector, column: Vector, w: Vector) -> Vector:
    """The numbers of the cells of a best 1:1 matching of each block; they are sorted by row, then column."""
    found = []
    for _, run in runs(block):
        rows, i = np.unique(row[run], return_inverse=True)
        columns, j = np.unique(column[run], return_inverse=True)
        chosen = assign_cells(i * len(columns) + j, w[run], (len(rows), len(columns)))
        found.append(run.start + places(chosen))
    return np.concatenate(found)


def _first_best(line: Vector, w: Vector) -> Vector:
    """The greatest cell of each line, the first of equal ones."""
    by_line = np.lexsort((np.arange(len(w)), -w, line))
    return by_line[changes(line[by_line])]
