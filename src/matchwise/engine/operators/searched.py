"""Similarities that need a search for their optimum, one pair of objects at a time, between bounds."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any

from matchwise.algebra.nodes import Number
from matchwise.engine.frame import Frame, Vector
from matchwise.engine.limits import Ends, reads_upper
from matchwise.engine.operators.base import Operator
from matchwise.engine.side import Side, taken_path


class Searched(Operator):
    """φ of two objects is the lower or upper end of the bounds that `solve` finds, whichever is being read."""

    @abstractmethod
    def solve(self, pred: Frame, ref: Frame) -> Ends:
        """The optimum of two objects; within the limits of the search, if there are any."""

    def one(self, pred: Frame, ref: Frame) -> Number:
        found = self.solve(pred, ref)
        return found.upper if reads_upper() else found.lower

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        kernels = preds.kernels
        mine, theirs = singles(preds), singles(refs)
        places = zip(kernels.plain(i), kernels.plain(j), strict=True)
        return kernels.weights([self.one(mine[x], theirs[y]) for x, y in places])

    def solved_self_scores(self, frame: Frame) -> Vector:
        """φ(x, x) is a divisor: read the opposite end of its bounds."""
        found = [self.solve(part, part) for part in singles(frame)]
        return frame.kernels.weights([each.lower if reads_upper() else each.upper for each in found])


def singles(frame: Frame) -> list[Frame]:
    """A frame of one object for each."""
    if len(frame) == 1:
        return [frame]
    made: list[Frame] | None = frame.memo.get("singles")
    if made is None:
        made = frame.memo["singles"] = [alone(frame, index) for index in range(len(frame))]
    return made


def alone(frame: Frame, index: int, kernels: Any = None) -> Frame:
    """One object as a document of its own."""
    if len(frame) == 1 and kernels in (None, frame.kernels):
        return frame
    side = Side(frame.side.name, kernels or frame.kernels)
    side.variables = frame.side.variables
    frame.side.under.append(side)
    made = Frame([frame.items[index]], partial(taken_path, frame.path, [index]), side)
    side.remember(made)
    return made
