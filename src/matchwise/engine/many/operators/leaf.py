"""Leaves with partial credit: compared over distinct values, in one batch."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Leaf, Number
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.base import Operator, Places, all_pairs, once
from matchwise.engine.many.operators.equality import features
from matchwise.engine.many.table import Numbers
from matchwise.engine.tuning import FILLED, REACH_PAYS

Coded = tuple[Vector, list[Any]]
"""The number of each value among the distinct values, and these."""


class Compare(Operator):
    """φ(x, y) of two values by their features; equal values are compared once."""

    verb: ClassVar[str] = "compare"
    dense = True
    is_elementwise = True
    phi: Leaf

    def __init__(self, phi: Leaf) -> None:
        super().__init__(phi)
        self.sel, self.leaf, self.options = phi.sel, phi.kind, dict(phi.options)
        self.windows = phi.kind.reach is not None

    def coded(self, frame: Frame) -> Coded:
        """The number of each value among the distinct ones, and what is compared of these."""
        return frame.once((self, "coded"), lambda: self._number_values(frame))

    def _number_values(self, frame: Frame) -> Coded:
        column = frame.column(self.sel)
        if column is not None:
            return column.codes.astype(np.intp), self._features(frame, list(column.values))
        values = frame.select(self.sel)
        types = set(map(type, values.items))
        if len(types) == 1 and types <= _PLAIN:  # equal values have equal features, which are slower to make
            codes, distinct = _distinct(values.items)
            return codes, self._features(values, distinct)
        return _distinct(features(self.leaf, self.options, values))

    def _features(self, values: Frame, distinct: list[Any]) -> list[Any]:
        """What the leaf compares of distinct values; where it refuses one, say which element has it."""
        try:
            return [value if type(value) is Misfit else self.leaf.feature(value, self.options) for value in distinct]
        except ValueError:
            return features(self.leaf, self.options, values if values.table is None else values.select(self.sel))

    def volume(self, preds: Frame, refs: Frame) -> int:
        windows = self._windows(preds, refs)
        return all_pairs(preds, refs) if windows is None else windows.count()

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        windows = self._windows(preds, refs)
        if windows is None or windows.count() * FILLED > all_pairs(preds, refs):
            return None
        return windows.pairs()

    def _windows(self, preds: Frame, refs: Frame) -> Windows | None:
        """The values within reach of each other; None if unknown or slower than comparing all."""
        if not self.windows or all_pairs(preds, refs) < REACH_PAYS:
            return None
        return once(preds, refs, (self, "windows"), lambda: self._reach(preds, refs))

    def _reach(self, preds: Frame, refs: Frame) -> Windows | None:
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        assert self.leaf.reach is not None, "windows says so"
        found = None if Misfit in map(type, (*xs, *ys)) else self.leaf.reach([*xs, *ys], self.options)
        if found is None:
            return None
        starts, ends = np.array(found[0], dtype=np.float64), np.array(found[1], dtype=np.float64)
        cut = len(xs)
        mine, theirs = (starts[:cut][p], ends[:cut][p], preds.scope()), (starts[cut:][r], ends[cut:][r], refs.scope())
        return Windows(mine, theirs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        a, b = p[i], r[j]
        if a.ndim == 2 or len(xs) * len(ys) <= len(a):  # compare each pair of distinct values once
            rows, columns = kernels.cross(len(xs), len(ys))
            cells = once(preds, refs, (self, "cells"), lambda: self._paired(xs, ys, rows, columns, preds, refs))
            return cells if a.ndim == 2 and cells.shape == (a.size, b.size) else cells[a, b]
        return self._paired(xs, ys, a, b, preds, refs)

    def _paired(self, xs: list[Any], ys: list[Any], a: Any, b: Any, preds: Frame, refs: Frame) -> Any:
        """φ(xs[a], ys[b]) of places that go together, or of a column and a row of all places."""
        if self.leaf.paired is None or Misfit in map(type, (*xs, *ys)):
            return self._one_by_one(xs, ys, a, b, preds, refs)
        try:
            return self.leaf.paired(xs, ys, a, b, self.options)
        except ValueError:
            self._one_by_one(xs, ys, a, b, preds, refs)  # says which two values do not go together
            raise  # none: what failed is the form for many values

    def _one_by_one(self, xs: list[Any], ys: list[Any], a: Any, b: Any, preds: Frame, refs: Frame) -> Any:
        codes, back = np.unique(a * len(ys) + b, return_inverse=True)
        rows, columns = (codes // len(ys)).tolist(), (codes % len(ys)).tolist()
        found = [float(self._compare(xs[x], ys[y], preds, refs)) for x, y in zip(rows, columns, strict=True)]
        return np.array(found, dtype=np.float64)[back.reshape(np.broadcast(a, b).shape)]

    def _self_scores(self, frame: Frame) -> Vector:
        codes, distinct = self.coded(frame)
        if self.facts.unit.holds:
            return np.ones(len(frame))
        return np.array([self._compare(x, x, frame, frame) for x in distinct], dtype=np.float64)[codes]

    def _compare(self, x: Any, y: Any, preds: Frame, refs: Frame) -> Number:
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)  # misfits meet only equal misfits
        try:
            return self.leaf.compare(x, y, self.options)
        except ValueError as error:
            raise self._blame(x, y, preds, refs, str(error)) from error

    def _blame(self, x: Any, y: Any, preds: Frame, refs: Frame, problem: str) -> Exception:
        """The error at the first place where the two values meet."""
        place, there = (
            next(k for k, code in enumerate(codes.tolist()) if distinct[code] is value)
            for (codes, distinct), value in ((self.coded(preds), x), (self.coded(refs), y))
        )
        other = refs.select(self.sel).path(there) or "the reference"
        return preds.select(self.sel).fail(place, f"{problem} (compared with {other})")

    def detail(self) -> str:
        return f"distinct values by {self.phi!r}"


_PLAIN = frozenset({float, int, str})


def _distinct(values: list[Any]) -> Coded:
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
        self._starts = p + cuts[0], r + cuts[2]
        self._inside = _ranges(self._starts[1], p + cuts[0], p + cuts[1], "left")
        self._later = _ranges(self._starts[0], r + cuts[2], r + cuts[3], "right")

    def count(self) -> int:
        """How many pairs meet."""
        return int(sum((last - first).sum() for _, first, last in (self._inside, self._later)))

    def pairs(self) -> tuple[Vector, Vector]:
        """The pairs that meet, sorted."""
        i, b = _list_intervals(*self._inside)
        j, a = _list_intervals(*self._later)
        i, j = np.concatenate((i, a)), np.concatenate((b, j))
        order = np.lexsort((j, i))
        return i[order], j[order]


def _ranges(starts: Vector, low: Vector, high: Vector, side: str) -> tuple[Vector, Vector, Vector]:
    """The order that sorts the starts, and for each interval the range of sorted starts inside it."""
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    first = np.searchsorted(ordered, low, side=side)  # type: ignore[call-overload]  # "left" or "right"
    return order, first, np.maximum(first, np.searchsorted(ordered, high, side="right"))


def _list_intervals(order: Vector, first: Vector, last: Vector) -> tuple[Vector, Vector]:
    """List each interval beside each start inside it."""
    owner, at = kernels.lay_out(first, last - first)
    return owner, order[at]
