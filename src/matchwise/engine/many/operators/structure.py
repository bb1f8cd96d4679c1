"""Trees and graphs: each pair of objects is matched by itself, as `one.structure` matches their nodes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from matchwise.algebra.nodes import Overlap
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.one.evaluator import Evaluator
from matchwise.engine.one.parts import Part, Side


class MatchNodes(Operator):
    """Σ^◇[φ] of the nodes of two trees or graphs."""

    verb: ClassVar[str] = "match nodes"
    dense = True

    def __init__(self, phi: Overlap, inner: Operator, pair: Evaluator) -> None:
        super().__init__(phi, inner)
        self.pair, self.match, self.order = pair, phi.match, phi.order

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        mine, theirs = _parts(preds), _parts(refs)
        places = zip(i.tolist(), j.tolist(), strict=True)
        return np.array([self.pair.score(mine[x], theirs[y]) for x, y in places])

    def _self_scores(self, frame: Frame) -> Vector:
        return np.array([self.pair.own(part) for part in _parts(frame)])

    def detail(self) -> str:
        polynomial = self.order == "tree" and self.match == "1:1"
        how = "dynamic programme over subtrees" if polynomial else "branch and bound, then HiGHS"
        return f"{self.match}, {self.order}, {how}"

    def cost(self) -> str:
        polynomial = self.order == "tree" and self.match == "1:1"
        return "O(n·m·min(depth, leaves)²)" if polynomial else "exact; NP-hard at worst"


def _parts(frame: Frame) -> list[Part]:
    """The objects of a frame as parts of one side."""
    return frame.once("parts", lambda: _make_parts(frame))


def _make_parts(frame: Frame) -> list[Part]:
    side = Side(frame.side.name, variables=frame.side.variables)
    return [Part(item, side, place=frame.path(place)) for place, item in enumerate(frame.items)]
