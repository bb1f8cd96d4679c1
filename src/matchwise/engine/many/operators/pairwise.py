"""Nodes that arrays would not make faster: two elements are compared by themselves, as `one` compares two parts.

No command on real data is twice as fast with arrays for them (`benchmarks/whole.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from matchwise.algebra import nodes
from matchwise.engine.keys import content_of
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import Chosen, Pairs, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.one.evaluator import PairEvaluator
from matchwise.engine.one.matching import OrderedPair
from matchwise.engine.one.parts import PairSide, Part


class PairByPair(Operator):
    """φ of two elements by the evaluator of one pair, which is shown all elements of a document that meet."""

    has_arrays = False

    def __init__(self, pair: PairEvaluator, inputs: Iterable[Operator] | None = None) -> None:
        super().__init__(pair, inputs)
        self.windows = False

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        mine, theirs = preds.parts(), refs.parts()
        here, there = preds.by_document(), refs.by_document()
        found: list[tuple[int, int, float]] = []
        for document in here.keys() & there.keys():
            rows, columns = here[document], there[document]
            us, vs = [mine[i] for i in rows], [theirs[j] for j in columns]
            self.pair.prepare(us, us if preds is refs else vs)
            found += [(rows[i], columns[j], w) for i, j, w in self.pair.cells(us, vs)]
        i, j, w = zip(*sorted(found), strict=True) if found else ((), (), ())
        return Pairs(kernels.places(i), kernels.places(j), np.array(w, dtype=np.float64))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        mine, theirs = preds.parts(), refs.parts()
        pairs = [(mine[x], theirs[y]) for x, y in zip(i.tolist(), j.tolist(), strict=True)]
        if (
            self.pair.is_asking
        ):  # what meets in a document is shown first, so that a function of two lists is called once
            met: dict[PairSide, tuple[dict[Part, None], dict[Part, None]]] = {}
            for u, v in pairs:
                us, vs = met.setdefault(u.side, ({}, {}))
                us[u] = vs[v] = None
            for us, vs in met.values():
                shown = list(us)
                self.pair.prepare(shown, shown if us.keys() == vs.keys() else list(vs))
        return np.array([self.pair.score(u, v) for u, v in pairs], np.float64)

    def self_scores(self, frame: Frame) -> Vector:
        parts = frame.parts()
        for places in frame.by_document().values() if self.pair.is_asking else ():
            us = [parts[place] for place in places]
            self.pair.prepare(us, us)
        return np.array([self.pair.own(part) for part in parts], np.float64)


class CallFunction(PairByPair):
    """A user's own function of two values, or of two lists."""

    verb: str = "compare"
    phi: nodes.Custom

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """A function of two values is called for elements, without parts: `score dependencies` takes a tenth less."""
        if self.phi.batch:
            return super().at(preds, refs, i, j)
        (xs, mine), (ys, theirs) = self._values(preds), self._values(refs)
        known: dict[tuple[Hashable, Hashable], float] = preds.side.answers.setdefault(self.pair, {})
        made = []
        for x, y in zip(i.tolist(), j.tolist(), strict=True):
            place = mine[x], theirs[y]
            if place not in known:
                try:
                    known[place] = self.pair.call(xs[x], ys[y])
                except ValueError:  # the evaluator says of which elements
                    known[place] = self.pair.score(preds.parts()[x], refs.parts()[y])
            made.append(known[place])
        return np.array(made, np.float64)

    def _values(self, frame: Frame) -> tuple[list[Any], list[Hashable]]:
        """The selected value of each element, and its content."""
        memo, tag = frame.side.memo, (frame, self.phi.sel, "contents")
        if tag not in memo:
            values = frame.values(self.phi.sel)
            memo[tag] = values, list(map(content_of, values))
        made: tuple[list[Any], list[Hashable]] = memo[tag]
        return made

    def self_scores(self, frame: Frame) -> Vector:
        if self.phi.batch:
            return super().self_scores(frame)
        return np.ones(len(self._values(frame)[0])) if self.facts.unit.holds else Operator.self_scores(self, frame)

    def detail(self) -> str:
        return f"distinct values by {self.phi!r}"


class HarmonicMean(PairByPair):
    """2pr / (p + r)."""

    verb: str = "harmonic mean"

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple(zip(("precision", "recall"), self.inputs, strict=True))


class MatchNodes(PairByPair):
    """Σ^◇[φ] of the nodes of two trees or graphs."""

    verb: str = "match nodes"
    phi: nodes.Overlap

    @property
    def is_polynomial(self) -> bool:
        return self.phi.order == "tree" and self.phi.match == "1:1"

    def detail(self) -> str:
        how = "dynamic programme over subtrees" if self.is_polynomial else "branch and bound, then HiGHS"
        return f"{self.phi.match}, {self.phi.order}, {how}"

    def cost(self) -> str:
        return "O(n·m·min(depth, leaves)²)" if self.is_polynomial else "exact; NP-hard at worst"


class MatchInOrder(PairByPair):
    """Σ^◇[φ] of two collections whose matching keeps an order, or is chosen by another similarity."""

    verb: str = "match"
    phi: nodes.Overlap

    def __init__(self, pair: OrderedPair) -> None:
        super().__init__(pair)
        self.sel, self.match, self.order = self.phi.sel, self.phi.match, self.phi.order
        self.windows = self.order == "bag" and self.inputs[-1].windows

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        mine, theirs = preds.parts(), refs.parts()
        above, left = preds.flat(self.sel).offsets.tolist(), refs.flat(self.sel).offsets.tolist()
        return Chosen.of(
            [
                (number, above[x] + a, left[y] + b, w)
                for number, (x, y) in enumerate(zip(i.tolist(), j.tolist(), strict=True))
                for a, b, w in self.pair.solution(mine[x], theirs[y])[1]
            ]
        )

    def detail(self) -> str:
        order = "" if self.order == "bag" else f", {self.order}"
        solver = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}[self.match]
        return f"{self.match}{order}, {solver if self.order == 'bag' else 'dynamic programme'}"

    def children(self) -> tuple[tuple[str, Any], ...]:
        inner, *by = self.inputs
        return (("align by", by[0]), ("score", inner)) if by else (("", inner),)

    def cost(self) -> str:
        if self.order == "index":
            return "O(min(n, m))"
        if self.order == "sequence":
            if self.pair.way == "keys":
                return "O(n·m / 64)"  # a machine word at a time
            return "O(n·m)" if self.inner.dense else "O(n + m + non-zero·log m)"
        if self.windows:
            return "O(pairs in reach)"
        return "O(n·m) to fill" + (", O(n³) to assign" if self.match == "1:1" else "") if self.dense else super().cost()
