"""Leaves with partial credit and users' own functions: compared over distinct values, in one batch."""

from __future__ import annotations

from collections.abc import Hashable
from math import isfinite
from typing import Any, ClassVar

from matchwise.algebra.facts import Facts
from matchwise.algebra.misfits import Misfit
from matchwise.algebra.nodes import Contingency, Custom, Leaf, Number
from matchwise.engine.keys import key, keys
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import features
from matchwise.engine.pairs import Matrix, Pairs
from matchwise.engine.parts import Parts, Rows
from matchwise.engine.selection import MANY, attempt

FEW = 64
"""Up to this many pairs of distinct values are compared one by one."""


KEPT = 65_536
"""Up to this many cells are kept for the table of fields, which asks for the matched pairs again."""


class Compare(Operator):
    """φ(x, y) by a function of two values; equal values are compared once."""

    verb: ClassVar[str] = "compare"
    dense = True

    def __init__(self, phi: Leaf | Custom) -> None:
        super().__init__(phi)
        self.sel = phi.sel
        self.batched = isinstance(phi, Custom) and phi.batch  # called once for all pairs, never pair by pair

    def coded(self, parts: Parts) -> tuple[list[int], list[Any]]:
        """The number of each value among the distinct values, and these."""
        made: tuple[list[int], list[Any]] | None = parts.memo.get(self)
        if made is None:
            made = self._coded_column(parts) if isinstance(parts, Rows) else None
            made = parts.memo[self] = made or self._coded(parts.select(self.sel))
        return made

    def _coded_column(self, parts: Rows) -> tuple[list[int], list[Any]] | None:
        """The rows of a table know which values are distinct."""
        column = parts.column(self.sel)
        if column is None or not isinstance(self.phi, Leaf):
            return None
        feature, options = self.phi.kind.feature, dict(self.phi.options)
        try:
            made = [value if type(value) is Misfit else feature(value, options) for value in column.values]
            return column.codes.tolist(), made
        except ValueError:
            return None  # value by value says which it was

    def _coded(self, values: Parts) -> tuple[list[int], list[Any]]:
        """Intern by content; what is compared of a leaf is its feature."""
        compared: list[Any]
        if isinstance(self.phi, Leaf):
            types = set(map(type, values.items))
            if len(types) == 1 and types <= _PLAIN:
                return self._coded_plain(self.phi, values)
            compared = names = features(self.phi.kind, dict(self.phi.options), values)
            if self.goes_along:  # to compare twice is quicker than to find out
                return list(range(len(compared))), compared
        else:
            compared, names = values.items, _contents(values.items)
        if len(set(names)) == len(names):
            return list(range(len(names))), compared
        codes: dict[Hashable, int] = {}
        distinct: list[Any] = []
        numbers = []
        for name, value in zip(names, compared, strict=True):
            number = codes.setdefault(name, len(distinct))
            if number == len(distinct):
                distinct.append(value)
            numbers.append(number)
        return numbers, distinct

    def _coded_plain(self, phi: Leaf, values: Parts) -> tuple[list[int], list[Any]]:
        """Equal values have equal features, which are often slower to make and to hash (a number's is a fraction)."""
        places: dict[Any, int] = {}
        for place, value in enumerate(values.items):
            places.setdefault(value, place)
        if len(places) == len(values):
            return list(range(len(values))), features(phi.kind, dict(phi.options), values)
        numbers = {value: number for number, value in enumerate(places)}
        distinct = features(phi.kind, dict(phi.options), values.take(list(places.values())))
        return [numbers[value] for value in values.items], distinct

    def one(self, pred: Parts, ref: Parts) -> Number:
        """Two values of one class that are equal score φ(x, x), which is often known."""
        if self.facts.unit.holds and not self.sel:
            x, y = pred.items[0], ref.items[0]
            if type(x) is type(y) and type(x) in _PLAIN and x == y:
                self.coded(pred)  # says so if φ is not made for it
                return 1
        return super().one(pred, ref)

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        if self.batched or len(preds) * len(refs) > FEW:
            return self.matrix(preds, refs)
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        cells = [[self._compare(x, y, preds, refs) for y in ys] for x in xs]
        return [{j: w for j, b in enumerate(r) if (w := cells[a][b])} for a in p]

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        import numpy as np

        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        cells = self._compare_all(xs, ys, preds, refs)
        if cells.size <= KEPT and preds is not refs:
            preds.memo[self, refs, "cells"] = cells
        if len(xs) == len(p) and len(ys) == len(r):
            return cells
        spread: Matrix = cells[np.asarray(p)[:, None], np.asarray(r)[None, :]]
        return spread

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        known = self.known(preds, refs)
        found = self._together(preds, refs, rows, columns) if known is None else None
        if found is not None:
            return found
        (p, xs), (r, ys) = self.coded(preds), self.coded(refs)
        if known is None and len(rows) > FEW and self.goes_along and Misfit not in {*map(type, xs), *map(type, ys)}:
            return self._along([xs[p[i]] for i in rows], [ys[r[j]] for j in columns])
        if known is not None:
            return super().probe(preds, refs, rows, columns)
        cells = preds.memo.get((self, refs, "cells"))
        if cells is None and (self.batched or len(rows) > max(FEW, len(xs) * len(ys) // 4)):
            cells = self._compare_all(xs, ys, preds, refs)
            if cells.size <= KEPT and preds is not refs:
                preds.memo[self, refs, "cells"] = cells
        if cells is not None:
            return cells[[p[i] for i in rows], [r[j] for j in columns]].tolist()  # type: ignore[no-any-return]
        done: dict[tuple[int, int], Number] = {}
        values = []
        for i, j in zip(rows, columns, strict=True):
            place = p[i], r[j]
            if place not in done:
                done[place] = self._compare(xs[place[0]], ys[place[1]], preds, refs)
            values.append(done[place])
        return values

    def _together(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number] | None:
        """Many pairs by the form that a function has for them, if it has one (see `columns`)."""
        many = getattr(self.phi.function, "together", None) if isinstance(self.phi, Custom) else None
        if many is None or self.batched or len(rows) < MANY:
            return None
        p, r = preds.select(self.sel).items, refs.select(self.sel).items
        found: list[Number] | None = many([p[i] for i in rows], [r[j] for j in columns])
        return None if found is None else list(map(self._valid, found))

    @property
    def goes_along(self) -> bool:
        """Whether pairs are compared one by one, whatever their number, so that no value depends on the others."""
        return isinstance(self.phi, Leaf) and self.phi.kind.along is not None

    def _along(self, xs: list[Any], ys: list[Any]) -> list[Number]:
        assert isinstance(self.phi, Leaf)
        assert self.phi.kind.along is not None
        return self.phi.kind.along(xs, ys, dict(self.phi.options))

    def _selfs(self, parts: Parts) -> list[Number]:
        places = list(range(len(parts)))
        found = self._together(parts, parts, places, places)
        if found is not None:
            return found
        codes, distinct = self.coded(parts)
        if self.facts.unit.holds:
            return [1] * len(codes)
        if self.batched:
            values: list[Number] = self._compare_all(distinct, distinct, parts, parts).diagonal().tolist()
        else:
            values = [self._compare(x, x, parts, parts) for x in distinct]
        return [values[code] for code in codes]

    def _compare(self, x: Any, y: Any, preds: Parts, refs: Parts) -> Number:
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        try:
            match self.phi:
                case Leaf(kind, _, options):
                    return kind.compare(x, y, dict(options))
                case Custom(function, batch=False):
                    return self._valid(attempt(function, x, y))
        except ValueError as error:
            raise self._blame(x, y, preds, refs, str(error)) from error
        raise AssertionError("a batched function is called for all pairs at once")

    def _compare_all(self, xs: list[Any], ys: list[Any], preds: Parts, refs: Parts) -> Matrix:
        import numpy as np

        if Misfit in map(type, xs) or Misfit in map(type, ys):
            return self._compare_fitting(xs, ys, preds, refs)
        match self.phi:
            case Leaf(kind, _, options) if kind.matrix is not None:
                try:
                    return kind.matrix(xs, ys, dict(options))  # type: ignore[no-any-return]
                except ValueError:
                    self._compare_each(xs, ys, preds, refs)  # says which two values do not go together
                    raise  # none: what failed is the form for many values
            case Custom(function, batch=True):
                try:
                    cells = np.asarray(attempt(function, xs, ys), dtype=np.float64)
                    if cells.shape != (len(xs), len(ys)):
                        raise ValueError(f"{function.__name__} returned {cells.shape}, expected {(len(xs), len(ys))}")
                except (ValueError, TypeError) as error:
                    raise preds.select(self.sel).fail(0, str(error)) from error
                if not cells.size or (self._fine(cells.min()) and self._fine(cells.max())):  # NaN is neither
                    return cells
                for i, j in zip(*np.nonzero(~self._fine(cells)), strict=True):
                    try:
                        self._valid(cells[i, j].item())
                    except ValueError as error:
                        raise self._blame(xs[i], ys[j], preds, refs, str(error)) from error
                return cells
        return self._compare_each(xs, ys, preds, refs)

    def _compare_each(self, xs: list[Any], ys: list[Any], preds: Parts, refs: Parts) -> Matrix:
        import numpy as np

        return np.array([[float(self._compare(x, y, preds, refs)) for y in ys] for x in xs])

    def _compare_fitting(self, xs: list[Any], ys: list[Any], preds: Parts, refs: Parts) -> Matrix:
        """Misfits meet only equal misfits; all else is compared as ever."""
        import numpy as np

        rows = [i for i, x in enumerate(xs) if type(x) is not Misfit]
        columns = [j for j, y in enumerate(ys) if type(y) is not Misfit]
        cells: Matrix = np.array([[float(type(x) is Misfit and x == y) for y in ys] for x in xs])
        if rows and columns:
            proper = self._compare_all([xs[i] for i in rows], [ys[j] for j in columns], preds, refs)
            cells[np.ix_(rows, columns)] = proper
        return cells

    def _fine(self, cells: Matrix) -> Any:
        return (cells >= 0) & (cells <= (1 if self.facts.bounded.holds else float("inf")))

    def _valid(self, value: Any) -> Number:
        assert isinstance(self.phi, Custom)
        return valid(value, self.phi, self.facts)

    def _blame(self, x: Any, y: Any, preds: Parts, refs: Parts, problem: str) -> Exception:
        """The error at the first place where the two values meet."""
        place = next(i for i, code in enumerate(self.coded(preds)[0]) if self.coded(preds)[1][code] is x)
        where = refs.select(self.sel)
        there = next(j for j, code in enumerate(self.coded(refs)[0]) if self.coded(refs)[1][code] is y)
        other = where.path(there) or "the reference"
        return preds.select(self.sel).fail(place, f"{problem} (compared with {other})")

    def detail(self) -> str:
        return f"distinct values by {self.phi!r}"


_PLAIN = frozenset({float, int, str})


def _contents(values: list[Any]) -> list[Hashable]:
    try:
        return keys(values)
    except ValueError:
        return list(map(_content, values))


def _content(value: Any) -> Hashable:
    """Values without content of their own are told apart by identity."""
    try:
        return key(value)
    except ValueError:
        return ("identity", id(value))


def valid(value: Any, phi: Custom | Contingency, facts: Facts) -> Number:
    """What a user's function returned, if it is a similarity."""
    name = phi.function.__name__
    if isinstance(value, bool):
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} returned {value!r}, expected a number") from None
    if not isfinite(number) or number < 0:
        raise ValueError(f"{name} returned {value!r}, expected a finite number that is not negative")
    if number > 1 and facts.bounded.holds:
        raise ValueError(
            f"{name} returned {value!r}, expected a number from 0 to 1; "
            f"write {type(phi).__name__.lower()}(..., unnormalized=True) if it may be larger"
        )
    return value  # type: ignore[no-any-return]
