"""The kernels for short lists: plain Python, exact for whole numbers, and no import of NumPy.

A vector is a list. `long.py` has the same functions over arrays; the tests run both on the same data.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence, Sized
from itertools import accumulate, chain, count, pairwise, repeat
from math import fsum
from operator import add, eq, gt, mul, sub
from typing import Any, TypeVar

from matchwise.algebra.nodes import Match, Number
from matchwise.arrays import is_worth_numpy
from matchwise.engine.solve import assign_cells, joint
from matchwise.engine.solve import choose as choose
from matchwise.engine.solve import runs as runs
from matchwise.engine.tuning import LISTS

Vector = list[Any]
Function = TypeVar("Function", bound=Callable[..., Any])


class Large(Exception):
    """Not an error: the batch is too large for plain lists, and is run again over arrays."""


def check(size: int) -> None:
    """Refuse more than `LISTS` elements if they are worth NumPy."""
    if size > LISTS and is_worth_numpy(size):
        raise Large


def leave_lists() -> None:
    """Refuse what is done over arrays only."""
    raise Large


def pick(over_lists: Function, over_arrays: Function) -> Function:
    """Pick the function for lists, or the one for arrays, whichever these kernels run on."""
    return over_lists


def index(n: int) -> Vector:
    return list(range(n))


def full(n: int, value: Number) -> Vector:
    return [value] * n


def zeros(n: int) -> Vector:
    """A vector of zeros, used as places."""
    return [0] * n


def places(values: Iterable[int]) -> Vector:
    return values if isinstance(values, list) else list(values)


def weights(values: Sequence[Number]) -> Vector:
    if type(values) is list:
        return values
    return values.tolist() if hasattr(values, "tolist") else list(values)


def plain(vector: Vector) -> list[Any]:
    """The vector as a list."""
    return vector


def whole(vector: Vector) -> list[Any]:
    """The vector as a list, with integers for whole numbers."""
    if set(map(type, vector)) <= {int}:
        return vector
    return [int(value) if isinstance(value, float) and value.is_integer() else value for value in vector]


def gather(vector: Vector, at: Vector) -> Vector:
    return list(map(vector.__getitem__, at))


def nonzero(vector: Vector) -> Vector:
    return [place for place, value in enumerate(vector) if value]


def filter_pairs(i: Vector, j: Vector, w: Vector) -> tuple[Vector, Vector, Vector]:
    """Drop the pairs of weight 0."""
    if all(w):
        return i, j, w
    kept = nonzero(w)
    return gather(i, kept), gather(j, kept), gather(w, kept)


def times(one: Vector, other: Vector) -> Vector:
    return list(map(mul, one, other))


def plus(one: Vector, other: Vector) -> Vector:
    return list(map(add, one, other))


def scale(vector: Vector, factor: Number) -> Vector:
    if factor == 1:
        return vector
    factor = factor if isinstance(factor, int) else float(factor)  # a fraction is rounded as arrays round it
    return [value * factor for value in vector]


def divide(vector: Vector, divisor: Number) -> Vector:
    return [value / divisor for value in vector]


def equal(one: Vector, other: Vector) -> Vector:
    return [int(same) for same in map(eq, one, other)]


def equal_at(mine: Sequence[Hashable], theirs: Sequence[Hashable], i: Vector, j: Vector) -> Vector:
    """⟦x = y⟧ of the codes at the given places."""
    return [int(mine[x] == theirs[y]) for x, y in zip(i, j, strict=True)]


def same_places(one: Vector, other: Vector) -> bool:
    return one == other


def larger(vector: Vector, threshold: Number, strict: bool) -> Vector:
    """⟦φ > t⟧ or ⟦φ ≥ t⟧."""
    return [int(w > threshold) for w in vector] if strict else [int(w >= threshold) for w in vector]


def minus(vector: Vector, amount: Number) -> Vector:
    """max{0, φ − c}."""
    return [w - amount if w > amount else 0 for w in vector]


def minimum(one: Vector, other: Vector) -> Vector:
    return list(map(min, one, other))


def ratio(above: Vector, below: Vector, empty: Number) -> Vector:
    """above / below; 0/0 is `empty`."""
    return [a / b if b else empty for a, b in zip(above, below, strict=True)]


def f_ratio(
    xy: Vector, xx: Vector, i: Vector, yy: Vector, j: Vector, above: Number, square: Number, empty: Number
) -> Vector:
    """(1 + β²)·φ(x, y) / (φ(x, x) + β²·φ(y, y)) at the places (i, j), given 1 + β² and β²; 0/0 is `empty`."""
    return [w * above / below if (below := xx[x] + yy[y] * square) else empty for w, x, y in zip(xy, i, j, strict=True)]


def difference(one: Vector, other: Vector) -> Vector:
    return list(map(sub, one, other))


def spread(n: int, at: Vector, values: Sequence[Number], other: Number = 0) -> Vector:
    """A vector of n zeros, or of another number, with the values at the given places."""
    made: Vector = [other] * n
    for place, value in zip(at, values, strict=True):
        made[place] = value
    return made


def inverse(kept: Vector, n: int) -> Vector:
    """Where each of n places stands among those that are kept; −1 if it is not kept."""
    return spread(n, kept, range(len(kept)), -1)


def both_kept(one: Vector, other: Vector) -> Vector:
    """The places at which neither is −1."""
    return [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a >= 0 <= b]


def number(
    mine: Sequence[Hashable], theirs: Sequence[Hashable], documents: tuple[Vector, Vector] | None
) -> tuple[Vector, Vector]:
    """Number the keys: elements of one document have equal codes if their keys are equal."""
    check(len(mine) + len(theirs))
    if documents is None:
        return mine, theirs  # type: ignore[return-value]  # lists
    numbers: dict[Hashable, int] = defaultdict(count().__next__)
    p, r = ([numbers[key] for key in zip(*side, strict=True)] for side in zip(documents, (mine, theirs), strict=True))
    return p, r


def within(codes: Vector, owners: Vector) -> Vector:
    """Number (code, owner) pairs: equal pairs have equal codes."""
    return list(zip(owners, codes, strict=True))


def has_twice(codes: Vector) -> bool:
    return len(set(codes)) < len(codes)


def join(mine: Vector, theirs: Vector) -> tuple[Vector, Vector]:
    """All (i, j) with equal codes, sorted."""
    only = dict(zip(theirs, range(len(theirs)), strict=True))
    if len(only) == len(theirs):  # one partner each at most
        partners = list(map(only.get, mine))
        return [i for i, j in enumerate(partners) if j is not None], [j for j in partners if j is not None]
    index: dict[Hashable, list[int]] = {}
    for j, code in enumerate(theirs):
        index.setdefault(code, []).append(j)
    found = [index.get(code, []) for code in mine]
    check(sum(map(len, found)))
    return owners_of(offsets_of(found)), concatenate(found)


def count_pairs(mine: Vector, theirs: Vector) -> int:
    """How many pairs `join` finds."""
    return sum(map(Counter(theirs).__getitem__, mine))


def occurrences(codes: Vector) -> Vector:
    """Number the elements of equal code, in order."""
    seen = defaultdict[Hashable, "count[int]"](count)
    return [next(seen[code]) for code in codes]


def distinct(codes: Vector, *, last: bool = False) -> Vector:
    """The places of the elements whose code none before them has, or with `last` none after them."""
    places = range(len(codes)) if last else range(len(codes) - 1, -1, -1)
    return sorted({codes[place]: place for place in places}.values())


def overlaps(
    match: Match, mine: Vector, owners: Vector, theirs: Vector, other_owners: Vector, sizes: tuple[int, int]
) -> tuple[Vector, Vector, Vector]:
    """Σ^◇[δ] of all pairs of owners that share a code, by an inverted index: both owners and the sum, sorted."""
    only = dict(zip(theirs, other_owners, strict=True))
    if len(only) == len(theirs) and not has_twice(mine):
        shared = Counter(zip(owners, map(only.get, mine), strict=True))
        return _listed({pair: count for pair, count in shared.items() if pair[1] is not None})
    index: dict[Hashable, dict[int, int]] = {}
    for code, owner in zip(theirs, other_owners, strict=True):
        counts = index.setdefault(code, {})
        counts[owner] = counts.get(owner, 0) + 1
    found: dict[tuple[int, int], int] = {}
    for (code, i), often in Counter(zip(mine, owners, strict=True)).items():
        for j, other in index.get(code, {}).items():
            found[i, j] = found.get((i, j), 0) + joint(match, often, other)
    return _listed(found)


def _listed(found: dict[tuple[int, Any], int]) -> tuple[Vector, Vector, Vector]:
    check(len(found))
    ordered = sorted(found.items())
    return [i for (i, _), _ in ordered], [j for (_, j), _ in ordered], [w for _, w in ordered]


def group(i: Vector, j: Vector, m: int) -> tuple[Vector, Vector, Vector, Vector]:
    """The distinct pairs (i, j), sorted; the number of each given pair; the order that sorts the given ones."""
    codes = list(zip(i, j, strict=True))
    pairs = sorted(set(codes))
    found = list(map(dict(zip(pairs, range(len(pairs)), strict=True)).__getitem__, codes))
    order = sorted(range(len(found)), key=found.__getitem__)
    return [a for a, _ in pairs], [b for _, b in pairs], gather(found, order), order


def look_up(i: Vector, j: Vector, w: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    """The weights at the given places; 0 where there is no pair."""
    table = dict(zip(zip(i, j, strict=True), w, strict=True))
    return [table.get(place, 0) for place in zip(at_i, at_j, strict=True)]


def number_pairs(i: Vector, j: Vector, m: int, at_i: Vector, at_j: Vector) -> Vector:
    """Look each place (at_i, at_j) up among the distinct places (i, j): its number, or −1."""
    numbers = {place: number for number, place in enumerate(zip(i, j, strict=True))}
    return [numbers.get(place, -1) for place in zip(at_i, at_j, strict=True)]


def sort_places(*columns: Vector) -> Vector:
    """The order that sorts by the first column, then the second, and so on."""
    rows = list(zip(*columns, strict=True))
    return sorted(range(len(rows)), key=rows.__getitem__)


def sum_by(owners: Vector, values: Vector, n: int) -> Vector:
    """The sum of the values of each owner, rounded once."""
    if n == 1:
        return [exact_sum(values)]
    if any(map(gt, owners, owners[1:])):
        order = sort_places(owners)
        owners, values = gather(owners, order), gather(values, order)
    ends = map(bisect_right, repeat(owners), range(n))
    return [exact_sum(values[begin:end]) for begin, end in pairwise(chain((0,), ends))]


def add_by(owners: Vector, values: Vector, n: int) -> Vector:
    """The values of each owner added one after the other, as a sum of terms is."""
    made: Vector = [0] * n
    for owner, value in zip(owners, values, strict=True):
        made[owner] += value
    return made


def max_by(owners: Vector, values: Vector, n: int) -> Vector:
    made: Vector = [0] * n
    for owner, value in zip(owners, values, strict=True):
        made[owner] = max(made[owner], value)
    return made


def offsets_of(collections: Sequence[Sized]) -> Vector:
    """Where each collection begins if all are laid end to end, and where the last one ends."""
    return [0, len(collections[0])] if len(collections) == 1 else list(accumulate(map(len, collections), initial=0))


def owners_of(offsets: Vector) -> Vector:
    """The owner of each element; owner i has the elements offsets[i]:offsets[i + 1]."""
    if len(offsets) == 2:
        return [0] * offsets[1]
    return list(chain.from_iterable(map(repeat, range(len(offsets) - 1), map(sub, offsets[1:], offsets))))


def sizes_of(offsets: Vector) -> Vector:
    return list(map(sub, offsets[1:], offsets))


def expand(i: Vector, j: Vector, mine: Vector, theirs: Vector, effort: int = 1) -> tuple[Vector, Vector, Vector]:
    """All pairs of elements of each pair of owners (i, j): its number, and both elements; each takes `effort` steps."""
    spans = _spans(i, j, mine, theirs)
    check(effort * sum(len(ps) * len(rs) for _, ps, rs in spans))
    block = [number for number, ps, rs in spans for _ in range(len(ps) * len(rs))]
    return block, [a for _, ps, rs in spans for a in ps for _ in rs], [b for _, ps, rs in spans for _ in ps for b in rs]


def _spans(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> list[tuple[int, range, range]]:
    """The number of each pair of owners, and the places of the elements of both."""
    pairs = enumerate(zip(i, j, strict=True))
    return [(number, range(mine[x], mine[x + 1]), range(theirs[y], theirs[y + 1])) for number, (x, y) in pairs]


def cross(n: int, m: int, effort: int = 1) -> tuple[Vector, Vector]:
    """All pairs of n and m elements, row by row, for an operator that `is_elementwise`."""
    check(effort * n * m)
    return [i for i in range(n) for _ in range(m)], list(range(m)) * n


def is_table(i: Vector) -> bool:
    """True for a table from `cross` that is not yet written out as pairs."""
    return False


def over_pairs(function: Callable[..., Vector], preds: Any, refs: Any, i: Vector, j: Vector) -> Vector:
    """Apply a function to pairs of two frames; a table from `cross` is written out as pairs first."""
    return function(preds, refs, i, j)


def diagonal(i: Vector, j: Vector, mine: Vector, theirs: Vector) -> tuple[Vector, Vector, Vector]:
    """The first element of both owners, the second of both, and so on."""
    rows = [(number, a, b) for number, ps, rs in _spans(i, j, mine, theirs) for a, b in zip(ps, rs, strict=False)]
    return [number for number, _, _ in rows], [a for _, a, _ in rows], [b for _, _, b in rows]


def merge_pairs(several: list[tuple[Vector, Vector, Vector]]) -> tuple[Vector, Vector, Vector]:
    """Merge two lists of pairs that share no place, sorted."""
    i, j, w = map(concatenate, zip(*several, strict=True))
    order = sort_places(i, j)
    return gather(i, order), gather(j, order), gather(w, order)


def concatenate(vectors: Sequence[Vector]) -> Vector:
    return list(chain.from_iterable(vectors))


def totals(match: Match, block: Vector, a: Vector, b: Vector, w: Vector, n: int) -> Vector:
    """Σ^◇ of each of n blocks of cells (a, b); the cells are sorted by block, then a, then b."""
    if match == "N:N":
        return sum_by(block, w, n)
    made: Vector = [0] * n
    for number, run in runs(block):
        cells = list(zip(a[run], b[run], w[run], strict=True))
        made[number] = exact_sum([cells[place][2] for place in assign_cells(match, cells)])
    return made


def table_totals(
    match: Match, block: Vector, a: Vector, b: Vector, w: Vector, heights: Vector, widths: Vector
) -> Vector:
    """Σ^◇ of blocks of these heights and widths, given the weights of all their cells as they come from `expand`."""
    if not all(w):
        block, a, b, w = (gather(column, kept) for kept in [nonzero(w)] for column in (block, a, b, w))
    return totals(match, block, a, b, w, len(heights))


def table_total(match: Match, i: Vector, j: Vector, w: Vector) -> Vector:
    """Σ^◇ of one block, given the weights of all its pairs as they come from `cross`."""
    a, b, w = filter_pairs(i, j, w)
    return totals(match, zeros(len(w)), a, b, w, 1)


def exact_sum(values: Sequence[Number]) -> Number:
    """The sum, rounded once: an integer if all values are, else the float nearest to the exact sum."""
    added = sum(values)
    return added if type(added) is int else fsum(values)
