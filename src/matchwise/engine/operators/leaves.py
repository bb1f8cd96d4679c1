"""Leaves: values with partial credit, compared by their features, and users' own functions of values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Number
from matchwise.engine.keys import content_of
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Numbers
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.parts import Part, remember
from matchwise.engine.operators.equality import keyer, read_features
from matchwise.engine.operators.operator import Make, Operator, as_number
from matchwise.engine.selection import attempt, valid
from matchwise.engine.tuning import REACH_PAYS


class Compare(Operator):
    """φ(x, y) of two values by their features; over arrays equal values are compared once."""

    verb = "compare"
    has_arrays = True
    dense = True
    phi: nodes.Leaf

    def __init__(self, phi: nodes.Leaf, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.leaf, self.options, self._make = phi.kind, dict(phi.options), keyer(phi)

    @remember
    def feature(self, p: Part) -> Any:
        """What is compared of a value; a value that does not fit is compared as it is."""
        return self._make(p)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for part in us if us is vs else (*us, *vs):
            self.feature(part)

    def score(self, p: Part, r: Part) -> float:
        x, y = self.feature(p), self.feature(r)
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        try:
            return as_number(self.leaf.compare(x, y, self.options))
        except ValueError as error:
            raise blame(p.select(self.sel), r.select(self.sel), error) from error

    def own(self, p: Part) -> float:
        if self.facts.unit.holds:
            self.feature(p)
            return 1
        return self.score(p, p)

    @cached_property
    def windows(self) -> bool:
        return self.leaf.reach is not None

    @remember
    def values_by_code(self, frame: Frame) -> tuple[Vector, list[Any]]:
        """The number of each value among the distinct ones, and what is compared of these."""
        column, codes = frame.column(self.sel), None
        if column is not None:
            here = np.flatnonzero(np.bincount(column.codes, minlength=len(column.values)))
            codes, values = np.searchsorted(here, column.codes), [column.values[at] for at in here.tolist()]
        else:
            values = frame.values(self.sel)
            if set(map(type, values)) in _PLAIN:  # equal values have equal features, which are slower to make
                codes, values = _distinct(values)
        found: list[Any] = read_features(self.phi, values, frame)
        return _distinct(found) if codes is None else (codes, found)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        windows = self.in_reach(preds, refs)
        if windows is None:
            return self.fill(preds, refs)
        i, j = windows.pairs()
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def volume(self, preds: Frame, refs: Frame) -> int:
        windows = self.in_reach(preds, refs)
        return super().volume(preds, refs) if windows is None else windows.count()

    def in_reach(self, preds: Frame, refs: Frame) -> Windows | None:
        if self.leaf.reach is None or len(preds) * len(refs) < REACH_PAYS:
            return None
        (p, xs), (r, ys) = self.values_by_code(preds), self.values_by_code(refs)
        found = None if Misfit in map(type, (*xs, *ys)) else self.leaf.reach([*xs, *ys], self.options)
        if found is None:
            return None
        starts, ends = np.array(found[0], dtype=np.float64), np.array(found[1], dtype=np.float64)
        r = r + len(xs)
        return Windows((starts[p], ends[p], preds.scope()), (starts[r], ends[r], refs.scope()))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        (p, xs), (r, ys) = self.values_by_code(preds), self.values_by_code(refs)
        if len(xs) * len(ys) > len(i):
            return self._compare(preds, refs, p[i], r[j])
        return self._compare(preds, refs, *np.ogrid[: len(xs), : len(ys)])[p[i], r[j]]

    def _compare(self, preds: Frame, refs: Frame, a: Vector, b: Vector) -> Vector:
        """φ of distinct values at places that go together, or at a column and a row of all places."""
        xs, ys, failure = self.values_by_code(preds)[1], self.values_by_code(refs)[1], None
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
        codes, distinct = self.values_by_code(frame)
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
            (p, xs), (r, ys) = self.values_by_code(preds), self.values_by_code(refs)
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


class CallFunction(Operator):
    """A user's own function of two values, or of two lists; equal values are compared once."""

    verb = "compare"
    dense = True
    phi: nodes.Custom

    def score(self, p: Part, r: Part) -> float:
        p, r = p.select(self.sel), r.select(self.sel)
        found, place = self._found(p), (content_of(p.value), content_of(r.value))
        if place not in found:
            if self.phi.batch and Misfit not in (type(p.value), type(r.value)):
                self._ask([p], [r])
            else:
                try:
                    found[place] = self.call(p.value, r.value)
                except ValueError as error:
                    raise blame(p, r, error) from error
        return found[place]

    def call(self, x: Any, y: Any) -> float:
        """What a function of two values returns; values that it is not made for are equal or not."""
        if type(x) is Misfit or type(y) is Misfit:
            return int(x == y)
        return self._check(attempt(self.phi.function, x, y))

    def _found(self, p: Part) -> dict[tuple[Hashable, Hashable], float]:
        """What the function returned for two values, by their content."""
        found: dict[tuple[Hashable, Hashable], float] = p.side.answers.setdefault(self, {})
        return found

    def _check(self, answer: Any) -> float:
        return as_number(valid(answer, self.phi, self.facts))

    def own(self, p: Part) -> float:
        if self.facts.unit.holds:
            p.select(self.sel)
            return 1
        return self.score(p, p)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._values(us)
        theirs = mine if us is vs else self._values(vs)
        is_known = us is vs and self.facts.unit.holds  # φ(u, u) is 1, and nobody is asked
        if self.phi.batch and not is_known and mine and theirs:
            self._ask(mine, theirs)

    def _values(self, us: Sequence[Part]) -> list[Part]:
        """The first part of each content that the function is made for."""
        found: dict[Hashable, Part] = {}
        for one in us:
            part = one.select(self.sel)
            if type(part.value) is not Misfit:
                found.setdefault(content_of(part.value), part)
        return list(found.values())

    def _ask(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        """Call a function of two lists, and keep what it returns."""
        function, found = self.phi.function, self._found(us[0])
        try:
            table = np.asarray(attempt(function, [u.value for u in us], [v.value for v in vs]), dtype=np.float64)
            if table.shape != (len(us), len(vs)):
                raise ValueError(f"{function.__name__} returned {table.shape}, expected {(len(us), len(vs))}")
        except (ValueError, TypeError) as error:
            raise us[0].fail(str(error)) from error
        for u, row in zip(us, table.tolist(), strict=True):
            x = content_of(u.value)
            for v, w in zip(vs, row, strict=True):
                try:
                    found[x, content_of(v.value)] = self._check(w)
                except ValueError as error:
                    raise blame(u, v, error) from error

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """A function of two values is called for elements, without parts: 60 documents with 30 × 30 pairs of spans or
        prices take 0.05 s, with parts 0.10 to 0.15 s.
        """
        if self.phi.batch:
            return super().at(preds, refs, i, j)
        (xs, mine), (ys, theirs) = self._contents(preds), self._contents(refs)
        known: dict[tuple[Hashable, Hashable], float] = preds.side.answers.setdefault(self, {})
        made = []
        for x, y in zip(i.tolist(), j.tolist(), strict=True):
            place = mine[x], theirs[y]
            if place not in known:
                try:
                    known[place] = self.call(xs[x], ys[y])
                except ValueError:  # `score` says of which elements
                    known[place] = self.score(preds.parts()[x], refs.parts()[y])
            made.append(known[place])
        return np.array(made, np.float64)

    @remember
    def _contents(self, frame: Frame) -> tuple[list[Any], list[Hashable]]:
        """The selected value of each element, and its content."""
        values = frame.values(self.sel)
        return values, list(map(content_of, values))

    def self_scores(self, frame: Frame) -> Vector:
        if self.phi.batch:
            return super().self_scores(frame)
        return np.ones(len(self._contents(frame)[0])) if self.facts.unit.holds else self.diagonal(frame)

    def detail(self) -> str:
        return f"distinct values by {self.phi!r}"


def blame(x: Part, y: Part, problem: ValueError) -> Exception:
    """The error of two values that cannot be compared with each other."""
    return x.fail(f"{problem} (compared with {y.path() or 'the reference'})")


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
