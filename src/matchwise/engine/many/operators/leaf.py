"""Leaves with partial credit and users' own functions: compared over distinct values, in one batch."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Custom, Leaf, Number
from matchwise.algebra.steps import Batched
from matchwise.engine.keys import content_of, keys
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.base import Operator, Pairs, all_pairs, once
from matchwise.engine.many.operators.equality import features
from matchwise.engine.selection import attempt, valid
from matchwise.engine.tuning import FILLED, REACH_PAYS

Coded = tuple[Vector, list[Any]]
"""The number of each value among the distinct values, and these."""


class Compare(Operator):
    """φ(x, y) by a function of two values; equal values are compared once."""

    verb: ClassVar[str] = "compare"
    dense = True

    def __init__(self, phi: Leaf | Custom) -> None:
        super().__init__(phi)
        self.sel = phi.sel
        self.windows = isinstance(phi, Leaf) and phi.kind.reach is not None
        self.batched = isinstance(phi, Custom) and phi.batch  # called once for all pairs, never pair by pair
        self.many = phi.function.many if isinstance(phi, Custom) and isinstance(phi.function, Batched) else None
        self.is_elementwise = self.many is None

    def coded(self, frame: Frame) -> Coded:
        return frame.once(self, lambda: self._number_values(frame))

    def _number_values(self, frame: Frame) -> Coded:
        """Number the values by content; what is compared of a leaf is its feature."""
        if isinstance(self.phi, Custom):
            values = frame.select(self.sel)
            return _distinct(_contents(values.items), values.items)
        column = frame.column(self.sel)
        if column is not None:
            return kernels.places(column.codes.tolist()), self._features(frame, list(column.values))
        values = frame.select(self.sel)
        types = set(map(type, values.items))
        if (
            len(types) == 1 and types <= _PLAIN
        ):  # equal values have equal features, which are slower to make and to hash
            codes, distinct = _distinct(values.items, values.items)
            return codes, self._features(values, distinct)
        assert isinstance(self.phi, Leaf)
        found = features(self.phi.kind, dict(self.phi.options), values)
        return _distinct(found, found)

    def _features(self, values: Frame, distinct: list[Any]) -> list[Any]:
        """What the leaf compares of distinct values; where it refuses one, say which element has it."""
        assert isinstance(self.phi, Leaf)
        feature, options = self.phi.kind.feature, dict(self.phi.options)
        try:
            return [value if type(value) is Misfit else feature(value, options) for value in distinct]
        except ValueError:
            return features(self.phi.kind, options, values if values.table is None else values.select(self.sel))

    def fills(self, preds: Frame, refs: Frame) -> bool:
        return not self.windows or self.volume(preds, refs) * FILLED > all_pairs(preds, refs)

    def volume(self, preds: Frame, refs: Frame) -> int:
        windows = self._windows(preds, refs)
        return all_pairs(preds, refs) if windows is None else windows.count()

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        windows = None if not self.windows or self.fills(preds, refs) else self._windows(preds, refs)
        if windows is None:
            return super()._join(preds, refs)
        i, j = windows.pairs()
        return Pairs(*kernels.filter_pairs(i, j, self.at(preds, refs, i, j)))

    def _windows(self, preds: Frame, refs: Frame) -> Windows | None:
        """The values within reach of each other; None if unknown or slower than comparing all."""
        if not self.windows or all_pairs(preds, refs) < REACH_PAYS:
            return None
        return once(preds, refs, (self, "windows"), lambda: self._reach(preds, refs))

    def _reach(self, preds: Frame, refs: Frame) -> Windows | None:
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        phi = self.phi
        assert isinstance(phi, Leaf), "windows says so"
        if phi.kind.reach is None or Misfit in map(type, xs) or Misfit in map(type, ys):
            return None
        reach = phi.kind.reach([*xs, *ys], dict(phi.options))
        if reach is None:
            return None
        starts, ends = np.array(reach[0], dtype=np.float64), np.array(reach[1], dtype=np.float64)
        cut = len(xs)
        mine, theirs = (starts[:cut][p], ends[:cut][p], preds.scope()), (starts[cut:][r], ends[cut:][r], refs.scope())
        return Windows(mine, theirs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        if self.batched:
            return self._by_document(preds, refs, i, j)
        if self.many is not None:
            ps, rs = preds.select(self.sel).items, refs.select(self.sel).items
            found = self.many([ps[x] for x in i.tolist()], [rs[y] for y in j.tolist()])
            if found is not None:
                return np.array([float(self._valid(value)) for value in found], dtype=np.float64)
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        a, b = p[i], r[j]
        if a.ndim == 2 or len(xs) * len(ys) <= len(a):  # compare each pair of distinct values once
            rows, columns = kernels.cross(len(xs), len(ys))
            cells = once(preds, refs, (self, "cells"), lambda: self._paired(xs, ys, rows, columns, preds, refs))
            return cells if a.ndim == 2 and cells.shape == (a.size, b.size) else cells[a, b]
        return self._paired(xs, ys, a, b, preds, refs)

    def _paired(self, xs: list[Any], ys: list[Any], a: Any, b: Any, preds: Frame, refs: Frame) -> Any:
        """φ(xs[a], ys[b]) of places that go together, or of a column and a row of all places."""
        if not isinstance(self.phi, Leaf) or self.phi.kind.paired is None:
            return self._one_by_one(xs, ys, a, b, preds, refs)
        paired, options = self.phi.kind.paired, dict(self.phi.options)
        try:
            if Misfit not in map(type, xs) and Misfit not in map(type, ys):
                return paired(xs, ys, a, b, options)
            odd = [np.array([type(one) is Misfit for one in side], dtype=bool) for side in (xs, ys)]
            strange = odd[0][a] | odd[1][b]
            rows, columns = np.broadcast_arrays(a, b)
            made = np.zeros(strange.shape)  # misfits meet only equal misfits
            made[strange] = [xs[x] == ys[y] for x, y in zip(rows[strange], columns[strange], strict=True)]
            fs, gs = ([one for one in side if type(one) is not Misfit] for side in (xs, ys))
            at_x, at_y = (np.cumsum(~side) - 1 for side in odd)
            made[~strange] = paired(fs, gs, at_x[rows[~strange]], at_y[columns[~strange]], options)
            return made
        except ValueError:
            self._one_by_one(xs, ys, a, b, preds, refs)  # says which two values do not go together
            raise  # none: what failed is the form for many values

    def _one_by_one(self, xs: list[Any], ys: list[Any], a: Any, b: Any, preds: Frame, refs: Frame) -> Any:
        codes, back = np.unique(a * len(ys) + b, return_inverse=True)
        rows, columns = (codes // len(ys)).tolist(), (codes % len(ys)).tolist()
        found = [float(self._compare(xs[x], ys[y], preds, refs)) for x, y in zip(rows, columns, strict=True)]
        return np.array(found, dtype=np.float64)[back.reshape(np.broadcast(a, b).shape)]

    def _by_document(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """Call a function of two lists once per document, with the document's distinct values."""
        p, r = preds.select(self.sel), refs.select(self.sel)
        if i.ndim == 2:
            (a, xs), (b, ys) = (_distinct_plain(_contents(side.items), side.items) for side in (p, r))
            cells = self._compare_all(xs, ys, p, r)
            return cells if cells.shape == (len(p), len(r)) else cells[np.ix_(a, b)]
        if len(p) == len(r) == len(i) == 1:
            return np.array(self._compare_all(p.items, r.items, p, r).tolist()[0], dtype=np.float64)
        rows, columns, values = np.asarray(i, dtype=np.intp), np.asarray(j, dtype=np.intp), np.zeros(len(i))
        of = np.zeros(len(rows), dtype=np.intp) if preds.documents is None else np.asarray(preds.documents)[rows]
        order = np.argsort(of, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(of[order])) + 1):
            (here, at_x), (there, at_y) = _numbered_places(rows[places]), _numbered_places(columns[places])
            (a, xs), (b, ys) = (
                _distinct_plain(_contents(some), some)
                for some in ([p.items[x] for x in here], [r.items[y] for y in there])
            )
            cells = self._compare_all(xs, ys, p, r)
            values[places] = cells[np.array(a)[at_x], np.array(b)[at_y]]
        return np.array(values, dtype=np.float64)

    def check(self, frame: Frame) -> None:
        if isinstance(self.phi, Custom):
            frame.select(self.sel)
        else:
            self.coded(frame)

    def _self_scores(self, frame: Frame) -> Vector:
        if self.facts.unit.holds:
            self.check(frame)
            return kernels.full(len(frame), 1)
        if self.batched or self.many is not None:
            return super()._self_scores(frame)
        codes, distinct = self.coded(frame)
        values = [self._compare(x, x, frame, frame) for x in distinct]
        return np.array(values, dtype=np.float64)[codes]

    def _compare(self, x: Any, y: Any, preds: Frame, refs: Frame) -> Number:
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        phi = self.phi
        try:
            if isinstance(phi, Leaf):
                return phi.kind.compare(x, y, dict(phi.options))
            assert isinstance(phi, Custom)
            assert not phi.batch, "a batched function is called for all pairs at once"
            return valid(attempt(phi.function, x, y), phi, self.facts)
        except ValueError as error:
            raise self._blame(x, y, preds, refs, str(error)) from error

    def _compare_all(self, xs: list[Any], ys: list[Any], preds: Frame, refs: Frame) -> Any:
        """The array of all φ(x, y)."""
        odd = [[type(one) is Misfit for one in side] for side in (xs, ys)]
        if any(map(any, odd)):
            return self._compare_fitting(xs, ys, odd, preds, refs)
        assert isinstance(self.phi, Custom)
        function = self.phi.function
        try:
            cells = np.asarray(attempt(function, xs, ys), dtype=np.float64)
            if cells.shape != (len(xs), len(ys)):
                raise ValueError(f"{function.__name__} returned {cells.shape}, expected {(len(xs), len(ys))}")
        except (ValueError, TypeError) as error:
            raise preds.fail(0, str(error)) from error
        fine = (cells >= 0) & (cells <= (1 if self.facts.bounded.holds else float("inf")))
        for x, y in () if fine.all() else zip(*np.nonzero(~fine), strict=True):
            try:
                self._valid(cells[x, y].item())
            except ValueError as error:
                at_x, at_y = (
                    next(k for k, one in enumerate(side.items) if one is value)
                    for side, value in ((preds, xs[x]), (refs, ys[y]))
                )
                where = refs.path(at_y) or "the reference"
                raise preds.fail(at_x, f"{error} (compared with {where})") from error
        return cells

    def _compare_fitting(self, xs: list[Any], ys: list[Any], odd: list[list[bool]], preds: Frame, refs: Frame) -> Any:
        """Compare the values that fit; a value that does not fit scores only with its equal."""
        rows, columns = ([place for place, strange in enumerate(side) if not strange] for side in odd)
        made = np.array([[float(type(x) is Misfit and x == y) for y in ys] for x in xs])
        if rows and columns:
            made[np.ix_(rows, columns)] = self._compare_all(
                [xs[i] for i in rows], [ys[j] for j in columns], preds, refs
            )
        return made

    def _valid(self, value: Any) -> Number:
        assert isinstance(self.phi, Custom)
        return valid(value, self.phi, self.facts)

    def _blame(self, x: Any, y: Any, preds: Frame, refs: Frame, problem: str) -> Exception:
        """The error at the first place where the two values meet."""
        place, there = (
            next(k for k, code in enumerate(codes.tolist()) if distinct[code] is value)
            for side, (codes, distinct), value in ((preds, self.coded(preds), x), (refs, self.coded(refs), y))
        )
        other = refs.select(self.sel).path(there) or "the reference"
        return preds.select(self.sel).fail(place, f"{problem} (compared with {other})")

    def detail(self) -> str:
        return f"distinct values by {self.phi!r}"


_PLAIN = frozenset({float, int, str})


def _distinct(names: list[Any], values: list[Any]) -> Coded:
    """The number of each name among the distinct names, and the first value of each."""
    codes, distinct = _distinct_plain(names, values)
    return kernels.places(codes), distinct


def _numbered_places(places: Any) -> tuple[list[int], Any]:
    """The different places in order, and the number of each place among them."""
    present = np.zeros(int(places.max()) + 1, dtype=bool)
    present[places] = True
    return np.flatnonzero(present).tolist(), (np.cumsum(present) - 1)[places]


def _distinct_plain(names: list[Any], values: list[Any]) -> tuple[list[int], list[Any]]:
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(name, len(numbers)) for name in names]
    if len(numbers) == len(values):
        return codes, values
    first = dict(zip(reversed(codes), reversed(values), strict=True))
    return codes, [first[number] for number in range(len(numbers))]


def _contents(values: list[Any]) -> list[Hashable]:
    try:
        return keys(values)
    except ValueError:
        return list(map(content_of, values))


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
    from matchwise.engine.many.kernels import lay_out

    owner, at = lay_out(first, last - first)
    return owner, order[at]
