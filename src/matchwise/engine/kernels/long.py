"""The kernels over NumPy arrays: the same functions as `short.py`, where there are many elements or documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from typing import Any, TypeVar

import numpy as np

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.kernels import blocks
from matchwise.engine.kernels.blocks import Vector
from matchwise.engine.kernels.blocks import choose as choose
from matchwise.engine.kernels.blocks import runs as runs
from matchwise.engine.kernels.blocks import sum_by as sum_by
from matchwise.engine.kernels.blocks import table_totals as table_totals
from matchwise.engine.kernels.blocks import totals as totals
from matchwise.engine.table import WIDE

Function = TypeVar("Function", bound=Callable[..., Any])


def check(size: int) -> None:
    """Nothing is too large for arrays."""


def leave_lists() -> None:
    """These are the arrays."""


def pick(over_lists: Function, over_arrays: Function) -> Function:
    return over_arrays


def index(n: int) -> Vector:
    return np.arange(n)


def full(n: int, value: Number) -> Vector:
    return np.full(n, float(value))


def zeros(n: int) -> Vector:
    return np.zeros(n, dtype=np.intp)


def places(values: Iterable[int]) -> Vector:
    if isinstance(values, np.ndarray):
        return values
    return np.fromiter(values, dtype=np.intp)


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
    if is_table(w):
        if w.all():
            return np.repeat(i, w.shape[1]), np.tile(j[0], len(w)), w.ravel()
        rows, columns = np.nonzero(w)
        return rows, columns, w[rows, columns]
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


def equal_at(mine: Vector, theirs: Vector, i: Vector, j: Vector) -> Vector:
    return equal(gather(mine, i), gather(theirs, j))


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


def f_ratio(
    xy: Vector, xx: Vector, i: Vector, yy: Vector, j: Vector, above: Number, square: Number, empty: Number
) -> Vector:
    return ratio(scale(xy, above), plus(gather(xx, i), scale(gather(yy, j), square)), empty)


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
    many = 1 + int(codes.max(initial=0))
    if many * (1 + int(owners.max(initial=0))) >= WIDE:
        codes, owners = (np.unique(column, return_inverse=True)[1] for column in (codes, owners))
        many = 1 + int(codes.max(initial=0))
    return owners * many + codes


def has_twice(codes: Vector) -> bool:
    return blocks.repeats(np.sort(codes, kind="stable"))


def join(mine: Vector, theirs: Vector) -> tuple[Vector, Vector]:
    order = np.argsort(theirs, kind="stable")
    there = theirs[order]
    first = np.searchsorted(there, mine)
    if len(there) == 0 or (there[1:] != there[:-1]).all():  # one partner each at most
        at = np.minimum(first, len(there) - 1)
        i = np.flatnonzero(there[at] == mine) if len(there) else np.zeros(0, dtype=np.intp)
        return i, order[at[i]] if len(there) else i
    found = np.searchsorted(there, mine, side="right") - first
    i, at = blocks.lay_out(first, found)
    return i, order[at]


def count_pairs(mine: Vector, theirs: Vector) -> int:
    there = np.sort(theirs, kind="stable")
    return int((np.searchsorted(there, mine, side="right") - np.searchsorted(there, mine)).sum())


def occurrences(codes: Vector) -> Vector:
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    first = np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]
    starts = np.flatnonzero(first)
    made = np.empty(len(codes), dtype=np.intp)
    made[order] = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    return made


def distinct(codes: Vector, *, last: bool = False) -> Vector:
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    again = ordered[1:] == ordered[:-1]
    kept = np.ones(len(codes), dtype=bool)
    kept[(order[:-1] if last else order[1:])[again]] = False
    return np.flatnonzero(kept)


def overlaps(
    match: Match, mine: Vector, owners: Vector, theirs: Vector, other_owners: Vector, sizes: tuple[int, int]
) -> tuple[Vector, Vector, Vector]:
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
    at, found = blocks.find(i * m + j, at_i * m + at_j)
    return np.where(found, w[at], 0.0)


def number_pairs(i: Vector, j: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    if not len(i):
        return np.full(len(at_i), -1)
    codes = i * m + j
    order = np.argsort(codes, kind="stable")
    at, found = blocks.find(codes[order], at_i * m + at_j)
    return np.where(found, order[at], -1)


def sort_places(*columns: Vector) -> Vector:
    return np.lexsort(columns[::-1])


def add_by(owners: Vector, values: Vector, n: int) -> Vector:
    return np.bincount(owners, weights=values, minlength=n).astype(np.float64, copy=False)


def max_by(owners: Vector, values: Vector, n: int) -> Vector:
    made = np.zeros(n)
    np.maximum.at(made, owners, values)
    return made


def offsets_of(collections: Sequence[Sized]) -> Vector:
    made = np.zeros(len(collections) + 1, dtype=np.intp)
    np.cumsum(np.fromiter(map(len, collections), dtype=np.intp, count=len(collections)), out=made[1:])
    return made


def owners_of(offsets: Vector) -> Vector:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def sizes_of(offsets: Vector) -> Vector:
    return np.diff(offsets)


def expand(i: Vector, j: Vector, mine: Vector, theirs: Vector, effort: int = 1) -> tuple[Vector, Vector, Vector]:
    heights, widths = mine[i + 1] - mine[i], theirs[j + 1] - theirs[j]
    block, within = blocks.lay_out(np.zeros_like(heights), heights * widths)
    width = widths[block]
    row = within // width if len(block) else within
    return block, mine[i][block] + row, theirs[j][block] + within - row * width


def cross(n: int, m: int, effort: int = 1) -> tuple[Vector, Vector]:
    """A column and a row of places: arithmetic with both makes a table."""
    return np.arange(n)[:, None], np.arange(m)[None, :]


def is_table(i: Vector) -> bool:
    return i.ndim == 2


def over_pairs(function: Callable[..., Vector], preds: Any, refs: Any, i: Vector, j: Vector) -> Vector:
    rows, columns = np.broadcast_arrays(i, j)
    return function(preds, refs, rows.ravel(), columns.ravel()).reshape(rows.shape)


def diagonal(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> tuple[Vector, Vector, Vector]:
    sizes = np.minimum(mine[i + 1] - mine[i], theirs[j + 1] - theirs[j])
    block, within = blocks.lay_out(np.zeros_like(sizes), sizes)
    return block, mine[i][block] + within, theirs[j][block] + within


def merge_pairs(several: list[tuple[Vector, Vector, Vector]]) -> tuple[Vector, Vector, Vector]:
    i, j, w = (np.concatenate(column) for column in zip(*several, strict=True))
    order = np.lexsort((j, i))
    return i[order], j[order], w[order]


def concatenate(vectors: Sequence[Vector]) -> Vector:
    return np.concatenate(vectors)


def table_total(match: Match, i: Vector, j: Vector, w: Vector) -> Vector:
    if match == "1:1" and min(w.shape) > 1 and w.all():
        best = blocks.best_of_table(w)
        return sum_by(np.zeros(len(best), dtype=np.intp), best, 1)
    a, b, w = filter_pairs(i, j, w)
    return totals(match, np.zeros(len(w), dtype=np.intp), a, b, w, 1)
