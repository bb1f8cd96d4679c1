"""Values: equality of keys, joined by hash, and leaves with partial credit, compared once for each distinct value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.engine.keys import key, keys
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Numbers
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.many.operators.base import Operator, all_places
from matchwise.engine.one.values import Key, LeafPair, keyer
from matchwise.engine.selection import case_of
from matchwise.engine.tuning import FILLED, REACH_PAYS

Codes = tuple[int, Vector, Vector]
"""The number of codes, and the codes of both sides."""

WIDE = 2**40
"""Products of columns beyond it are numbered anew: four million times as many codes still fit into 64 bits."""


class Equality(Operator):
    """φ(x, y) = ⟦key(x) = key(y)⟧."""

    verb: str = "hash join"

    def __init__(self, pair: Key) -> None:
        super().__init__(pair, ())
        self.factors: tuple[Similarity, ...] = self.phi.factors if isinstance(self.phi, nodes.Product) else (self.phi,)
        """The fields that are compared; each is numbered once, for all metrics that compare it."""

    def codes(self, preds: Frame, refs: Frame, *, apart: bool = True) -> Codes:
        """Number the keys: elements have equal codes if their keys are equal and, `apart`, they are of one document."""
        memo, tag = preds.side.memo, (self, preds, refs)
        made: Codes | None = memo.get(tag)
        if made is None:
            size, mine, theirs = 1, np.zeros(len(preds), dtype=np.intp), np.zeros(len(refs), dtype=np.intp)
            for factor in self.factors:  # a mixed-radix number
                found = memo.get((factor, preds, refs))
                if found is None:
                    found = memo[factor, preds, refs] = _number_field(factor, preds, refs)
                base, first, second = found
                size, mine, theirs = size * base, mine * base + first, theirs * base + second
                if size > WIDE:
                    distinct, both = np.unique(np.concatenate((mine, theirs)), return_inverse=True)
                    size, mine, theirs = len(distinct), both[: len(mine)], both[len(mine) :]
            made = memo[tag] = size, mine, theirs
        if not apart or preds.documents is None or refs.documents is None:
            return made
        size, mine, theirs = made
        return size, preds.documents * size + mine, refs.documents * size + theirs

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        _, mine, theirs = self.codes(preds, refs)
        i, j = kernels.join(mine, theirs)
        return Pairs(i, j, np.ones(len(i)))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        _, mine, theirs = self.codes(preds, refs)
        return (mine[i] == theirs[j]).astype(np.float64)

    def volume(self, preds: Frame, refs: Frame) -> int:
        return kernels.count_pairs(*self.codes(preds, refs)[1:])

    def self_scores(self, frame: Frame) -> Vector:
        for factor in self.factors:  # the keys are kept for `codes`
            if not isinstance(factor, nodes.Eq) or frame.column(factor.sel) is None:
                keys_of(factor, frame)
        return np.ones(len(frame))

    def detail(self) -> str:
        return f"on {self.phi!r}"

    def cost(self) -> str:
        return "O(n + m)"


def _number_field(phi: Similarity, preds: Frame, refs: Frame) -> Codes:
    """The keys of both sides as numbers, whatever the document."""
    if isinstance(phi, nodes.Union):
        return _number_cases(phi, preds.select(phi.sel), refs.select(phi.sel))
    p, r = (frame.column(phi.sel) if isinstance(phi, nodes.Eq) else None for frame in (preds, refs))
    if p is None or r is None:
        mine, theirs = keys_of(phi, preds), keys_of(phi, refs)
    elif p.values is r.values:
        return len(p.values), p.codes, r.codes
    else:
        mine, theirs = keys(list(p.values)), keys(list(r.values))
    numbers = Numbers()
    a, b = numbers.of(mine, len(mine)), numbers.of(theirs, len(theirs))
    return (len(numbers), a, b) if p is None or r is None else (len(numbers), a[p.codes], b[r.codes])


def _number_cases(phi: nodes.Union, preds: Frame, refs: Frame) -> Codes:
    """The numbers of each case come after those of the cases before it."""
    size, mine, theirs = 0, np.empty(len(preds), dtype=np.intp), np.empty(len(refs), dtype=np.intp)
    members = [case_members(frame, phi.cases) for frame in (preds, refs)]
    for number, (_, inner) in enumerate(phi.cases):
        p, r = (side.get(number, []) for side in members)
        base, first, second = _number_field(inner, preds.take(p), refs.take(r))
        mine[p], theirs[r] = first + size, second + size
        size += base
    return size, mine, theirs


def keys_of(phi: Similarity, frame: Frame) -> list[Hashable]:
    """The keys of a similarity that `has_key` accepts, by columns where they are equal values or features."""
    memo, tag = frame.side.memo, (phi, frame)
    made: list[Hashable] | None = memo.get(tag)
    if made is not None:
        return made
    match phi:
        case nodes.Eq(sel):
            values = frame.values(sel)
            try:
                made = keys(values)
            except ValueError as error:
                raise _locate(key, frame, sel) from error
        case nodes.Leaf():
            made = _features(phi, frame.values(phi.sel), frame)
        case nodes.Product(factors):
            made = list(zip(*(keys_of(factor, frame) for factor in factors), strict=True))
        case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))):
            # F ≥ 1 between bags: the bags are equal. By columns, trees are counted in a third of the time.
            flat = frame.flat(sel)
            found, ends = keys_of(inner, flat.frame), flat.offsets.tolist()
            made = [frozenset(Counter(found[a:b]).items()) for a, b in pairwise(ends)]
        case nodes.Union(sel, cases):
            selected, made = frame.select(sel), [None] * len(frame)
            for number, members in case_members(selected, cases).items():
                for index, k in zip(members, keys_of(cases[number][1], selected.take(members)), strict=True):
                    made[index] = (number, k)
        case _:
            made = list(map(keyer(phi), frame.parts()))
    memo[tag] = made
    return made


def _features(phi: nodes.Leaf, values: list[Any], frame: Frame) -> list[Hashable]:
    """What a leaf compares of values of a frame; a value that does not fit is compared as it is."""
    feature, options = phi.kind.feature, dict(phi.options)
    try:
        return [value if type(value) is Misfit else feature(value, options) for value in values]
    except ValueError as error:
        raise _locate(lambda value: type(value) is Misfit or feature(value, options), frame, phi.sel) from error


def _locate(function: Callable[[Any], Any], frame: Frame, sel: Selector) -> Exception:
    """The error of the first element whose selected value a function refuses."""
    for index, value in enumerate(frame.values(sel)):
        try:
            function(value)
        except ValueError as error:
            return frame.fail(index, str(error), sel)
    raise AssertionError("a value that is refused among others is refused alone")


def case_members(values: Frame, cases: Any) -> dict[int, list[int]]:
    """The values of each case of a union."""
    memo, tag = values.side.memo, (case_members, values, cases)
    found: dict[int, list[int]] | None = memo.get(tag)
    if found is not None:
        return found
    members: dict[int, list[int]] = {}
    kinds = tuple(case for case, _ in cases)
    of_class: dict[type, list[int]] = {}  # a case is chosen by the class of a value
    for index, value in enumerate(values.items):
        into = of_class.get(type(value))
        if into is None:
            try:
                into = of_class[type(value)] = members.setdefault(case_of(kinds, value), [])
            except ValueError as error:
                raise values.fail(index, str(error)) from error
        into.append(index)
    memo[tag] = members
    return members


class Compare(Operator):
    """φ(x, y) of two values by their features; equal values are compared once."""

    verb: str = "compare"
    phi: nodes.Leaf

    def __init__(self, pair: LeafPair) -> None:
        super().__init__(pair)
        self.sel, self.leaf, self.options = self.phi.sel, self.phi.kind, pair.options
        self.windows = self.leaf.reach is not None

    def coded(self, frame: Frame) -> tuple[Vector, list[Any]]:
        """The number of each value among the distinct ones, and what is compared of these."""
        memo, tag = frame.side.memo, (self, frame)
        made: tuple[Vector, list[Any]] | None = memo.get(tag)
        if made is None:
            column, codes = frame.column(self.sel), None
            if column is not None:
                here = np.flatnonzero(np.bincount(column.codes, minlength=len(column.values)))
                codes, values = np.searchsorted(here, column.codes), [column.values[at] for at in here.tolist()]
            else:
                values = frame.values(self.sel)
                if set(map(type, values)) in _PLAIN:  # equal values have equal features, which are slower to make
                    codes, values = _distinct(values)
            found: list[Any] = _features(self.phi, values, frame)
            made = memo[tag] = _distinct(found) if codes is None else (codes, found)
        return made

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        windows = self.in_reach(preds, refs)
        is_few = windows is not None and windows.count() * FILLED <= super().volume(preds, refs)
        i, j = windows.pairs() if windows is not None and is_few else all_places(preds, refs)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def volume(self, preds: Frame, refs: Frame) -> int:
        windows = self.in_reach(preds, refs)
        return super().volume(preds, refs) if windows is None else windows.count()

    def in_reach(self, preds: Frame, refs: Frame) -> Windows | None:
        if self.leaf.reach is None or super().volume(preds, refs) < REACH_PAYS:
            return None
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        found = None if Misfit in map(type, (*xs, *ys)) else self.leaf.reach([*xs, *ys], self.options)
        if found is None:
            return None
        starts, ends = np.array(found[0], dtype=np.float64), np.array(found[1], dtype=np.float64)
        r = r + len(xs)
        return Windows((starts[p], ends[p], preds.scope()), (starts[r], ends[r], refs.scope()))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        if len(xs) * len(ys) > len(i):
            return self._compare(preds, refs, p[i], r[j])
        memo, tag = preds.side.memo, (self, preds, refs)
        cells = memo.get(tag)
        if cells is None:  # compare each pair of distinct values once
            cells = memo[tag] = self._compare(preds, refs, *np.ogrid[: len(xs), : len(ys)])
        return cells[p[i], r[j]]

    def _compare(self, preds: Frame, refs: Frame, a: Vector, b: Vector) -> Vector:
        """φ of distinct values at places that go together, or at a column and a row of all places."""
        xs, ys, failure = self.coded(preds)[1], self.coded(refs)[1], None
        if not xs or not ys:
            return np.zeros(np.broadcast(a, b).shape)
        if self.leaf.paired is not None and Misfit not in map(type, (*xs, *ys)):
            try:
                return self.leaf.paired(xs, ys, a, b, self.options)
            except ValueError as error:
                failure = error  # one by one we see which two values do not go together
        codes, back = np.unique(a * len(ys) + b, return_inverse=True)
        found = [float(self._score(xs[code // len(ys)], ys[code % len(ys)], preds, refs)) for code in codes.tolist()]
        if failure is not None:
            raise failure  # they do: what failed is the form for many values
        return np.array(found, dtype=np.float64)[back.reshape(np.broadcast(a, b).shape)]

    def self_scores(self, frame: Frame) -> Vector:
        codes, distinct = self.coded(frame)
        if self.facts.unit.holds:
            return np.ones(len(frame))
        return np.array([self._score(x, x, frame, frame) for x in distinct], dtype=np.float64)[codes]

    def _score(self, x: Any, y: Any, preds: Frame, refs: Frame) -> Number:
        """φ of two distinct values; an error says where they first meet."""
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)  # misfits meet only equal misfits
        try:
            return self.leaf.compare(x, y, self.options)
        except ValueError as error:
            (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
            here = next(place for place, code in enumerate(p.tolist()) if xs[code] is x)
            there = next(place for place, code in enumerate(r.tolist()) if ys[code] is y)
            other = refs.select(self.sel).path(there) or "the reference"
            raise preds.fail(here, f"{error} (compared with {other})", self.sel) from error

    def detail(self) -> str:
        return f"distinct values by {self.phi!r}"


_PLAIN = ({float}, {int}, {str})


def _distinct(values: list[Any]) -> tuple[Vector, list[Any]]:
    """The number of each value among the distinct values, and these."""
    numbers = Numbers()
    return numbers.of(values, len(values)), list(numbers)


class Windows:
    """The closed intervals of both sides, with the document of each: which of them meet, by sorted ends.

    Intervals far apart are never compared, and intervals of two documents never meet.
    Two intervals meet if the second begins inside the first (A), or the first begins later, inside the second (B).
    """

    def __init__(self, mine: tuple[Vector, Vector, Vector], theirs: tuple[Vector, Vector, Vector]) -> None:
        ends = np.concatenate((*mine[:2], *theirs[:2]))
        values, ranks = np.unique(ends, return_inverse=True)
        n, m = len(mine[0]), len(theirs[0])
        cuts = np.split(ranks.ravel(), [n, 2 * n, 2 * n + m])
        p, r = mine[2] * len(values), theirs[2] * len(values)
        self._inside = _find_starts(r + cuts[2], p + cuts[0], p + cuts[1], "left")
        self._later = _find_starts(p + cuts[0], r + cuts[2], r + cuts[3], "right")

    def count(self) -> int:
        """How many pairs meet."""
        return int(sum(sizes.sum() for _, _, sizes in (self._inside, self._later)))

    def pairs(self) -> tuple[Vector, Vector]:
        """The pairs that meet, sorted."""
        (i, b), (j, a) = (
            (owner, order[at])
            for order, first, sizes in (self._inside, self._later)
            for owner, at in (kernels.lay_out(first, sizes),)
        )
        i, j = np.concatenate((i, a)), np.concatenate((b, j))
        order = np.lexsort((j, i))
        return i[order], j[order]


def _find_starts(
    starts: Vector, low: Vector, high: Vector, side: Literal["left", "right"]
) -> tuple[Vector, Vector, Vector]:
    """The order that sorts the starts, and for each interval the first of the starts inside it, and how many are."""
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    first = np.searchsorted(ordered, low, side=side)
    return order, first, np.maximum(np.searchsorted(ordered, high, side="right") - first, 0)
