"""Vectors in, vectors out; no objects. What NumPy has under a name of its own is called by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import pairwise
from math import fsum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from matchwise.algebra.nodes import Match, Number

Vector: TypeAlias = NDArray[Any]

WIDE = 2**62
"""Codes beyond this do not fit into 64 bits; they are numbered anew before it comes to that."""


def places(values: Iterable[int]) -> Vector:
    if isinstance(values, np.ndarray):
        return values
    return np.fromiter(values, dtype=np.intp)


def whole(vector: Vector) -> list[Any]:
    """The vector as a list, with integers for whole numbers."""
    if not (vector % 1).any():
        return vector.astype(np.int64).tolist()  # type: ignore[no-any-return]
    return [int(value) if value.is_integer() else value for value in vector.tolist()]


def filter_pairs(i: Vector, j: Vector, w: Vector) -> tuple[Vector, Vector, Vector]:
    """Drop the pairs of weight 0."""
    if w.ndim == 2:
        if w.all():
            return np.repeat(i, w.shape[1]), np.tile(j[0], len(w)), w.ravel()
        rows, columns = np.nonzero(w)
        return rows, columns, w[rows, columns]
    kept = w != 0
    return (i, j, w) if kept.all() else (i[kept], j[kept], w[kept])


def ratio(above: Vector, below: Vector, empty: Number) -> Vector:
    """above / below; 0/0 is `empty`."""
    made = np.full(len(above), float(empty))
    np.divide(above, below, out=made, where=below != 0)
    return made


def spread(n: int, at: Vector, values: Vector) -> Vector:
    """A vector of n zeros, or of another number, with the values at the given places."""
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
    many = 1 + int(codes.max(initial=0))
    if many * (1 + int(owners.max(initial=0))) >= WIDE:
        codes, owners = (np.unique(column, return_inverse=True)[1] for column in (codes, owners))
        many = 1 + int(codes.max(initial=0))
    return owners * many + codes


def join(mine: Vector, theirs: Vector) -> tuple[Vector, Vector]:
    """All (i, j) with equal codes, sorted."""
    order = np.argsort(theirs, kind="stable")
    there = theirs[order]
    first = np.searchsorted(there, mine)
    if len(there) == 0 or (there[1:] != there[:-1]).all():  # one partner each at most
        at = np.minimum(first, len(there) - 1)
        i = np.flatnonzero(there[at] == mine) if len(there) else np.zeros(0, dtype=np.intp)
        return i, order[at[i]] if len(there) else i
    found = np.searchsorted(there, mine, side="right") - first
    i, at = lay_out(first, found)
    return i, order[at]


def count_pairs(mine: Vector, theirs: Vector) -> int:
    """How many pairs `join` finds."""
    there = np.sort(theirs, kind="stable")
    return int((np.searchsorted(there, mine, side="right") - np.searchsorted(there, mine)).sum())


def occurrences(codes: Vector) -> Vector:
    """Number the elements of equal code, in order."""
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
    """Σ^◇[δ] of all pairs of owners that share a code, by an inverted index: both owners and the sum, sorted."""
    p_code, p_owner, p_count = _count(mine, owners, sizes[0])
    r_code, r_owner, r_count = _count(theirs, other_owners, sizes[1])
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


def _count(codes: Vector, owners: Vector, many: int) -> tuple[Vector, Vector, Vector]:
    """The distinct (code, owner) pairs and how often each occurs; sorted by owner if the codes are."""
    top = int(codes.max(initial=0)) + 1
    values = None
    if top * max(many, 1) >= WIDE:
        values, codes = np.unique(codes, return_inverse=True)
        top = len(values)
    both = owners * top + codes
    ordered = np.sort(both, kind="stable")
    if len(ordered) < 2 or (ordered[1:] != ordered[:-1]).all():  # no element twice
        return codes if values is None else values[codes], owners, np.ones(len(codes), dtype=np.intp)
    distinct, counts = np.unique(both, return_counts=True)
    found = distinct % top
    return found if values is None else values[found], distinct // top, counts


def group(i: Vector, j: Vector, m: int) -> tuple[Vector, Vector, Vector, Vector]:
    """The distinct pairs (i, j), sorted; the number of each given pair; the order that sorts the given ones."""
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


def number_pairs(i: Vector, j: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    """Look each place (at_i, at_j) up among the distinct places (i, j): its number, or −1."""
    if not len(i):
        return np.full(len(at_i), -1)
    codes = i * m + j
    order = np.argsort(codes, kind="stable")
    at, found = find(codes[order], at_i * m + at_j)
    return np.where(found, order[at], -1)


def max_by(owners: Vector, values: Vector, n: int) -> Vector:
    made = np.zeros(n)
    np.maximum.at(made, owners, values)
    return made


def offsets_of(collections: Sequence[Sized]) -> Vector:
    """Where each collection begins if all are laid end to end, and where the last one ends."""
    made = np.zeros(len(collections) + 1, dtype=np.intp)
    np.cumsum(np.fromiter(map(len, collections), dtype=np.intp, count=len(collections)), out=made[1:])
    return made


def owners_of(offsets: Vector) -> Vector:
    """The owner of each element; owner i has the elements offsets[i]:offsets[i + 1]."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def expand(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> tuple[Vector, Vector, Vector]:
    """All pairs of elements of each pair of owners (i, j): its number, and both elements."""
    heights, widths = mine[i + 1] - mine[i], theirs[j + 1] - theirs[j]
    block, within = lay_out(np.zeros_like(heights), heights * widths)
    width = widths[block]
    row = within // width if len(block) else within
    return block, mine[i][block] + row, theirs[j][block] + within - row * width


def cross(n: int, m: int) -> tuple[Vector, Vector]:
    """A column and a row of places: arithmetic with both makes a table."""
    return np.arange(n)[:, None], np.arange(m)[None, :]


def over_pairs(function: Callable[..., Vector], preds: Any, refs: Any, i: Vector, j: Vector) -> Vector:
    """Apply a function to pairs of two frames; a table from `cross` is written out as pairs first."""
    rows, columns = np.broadcast_arrays(i, j)
    return function(preds, refs, rows.ravel(), columns.ravel()).reshape(rows.shape)


def lay_out(starts: Vector, sizes: Vector) -> tuple[Vector, Vector]:
    """Runs laid end to end: the number of the run of each place, and the place. A run may be there several times."""
    which = np.arange(len(sizes)).repeat(sizes)
    return which, np.arange(len(which)) + (starts - sizes.cumsum() + sizes)[which]


def find(ordered: Vector, wanted: Vector) -> tuple[Vector, Vector]:
    """Where each wanted code is, and whether it is there; `ordered` has one at least."""
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return at, ordered[at] == wanted


def runs(block: Vector) -> list[tuple[int, slice]]:
    if not len(block):
        return []
    starts = np.flatnonzero(np.concatenate(([True], block[1:] != block[:-1])))
    numbers, ends = block[starts].tolist(), [*starts.tolist(), len(block)]
    return [(number, slice(*run)) for number, run in zip(numbers, pairwise(ends), strict=True)]


FINE = 1024
"""Sums of multiples of 1 / 1024 are exact in any order."""


def sum_by(owners: Vector, values: Vector, n: int) -> Vector:
    """The sum of the values of each owner, rounded once."""
    if not len(values):
        return np.zeros(n)
    parts = values * FINE
    if (np.rint(parts) == parts).all():
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
