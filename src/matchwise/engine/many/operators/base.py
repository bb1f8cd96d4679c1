"""What every operator of a plan can do with two frames: join, look up, and compare each element with itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.evaluator import PairEvaluator


class Operator:
    """φ over two frames, as an evaluator computes it of two parts. Elements of two documents never meet.

    By default `at` looks up what `join` finds, and an operator that `fills` its tables has a join of what `at` finds.
    """

    verb: str
    has_arrays: ClassVar[bool] = True
    """False if each pair is compared by itself."""

    inner: Operator
    """The first input, often the only one."""

    windows: bool
    """True if a dense φ looks first which values are in reach of each other."""

    def __init__(self, pair: PairEvaluator, inputs: Iterable[Operator] | None = None) -> None:
        """`inputs` run what is inside φ: by default what `pair` compares there."""
        self.pair: Any = pair
        self.phi, self.facts, self.dense = pair.phi, pair.facts, pair.dense
        self.inputs = tuple(part.operator for part in pair.inputs) if inputs is None else tuple(inputs)
        if self.inputs:
            self.inner = self.inputs[0]
        self.windows = self.dense and bool(self.inputs) and all(one.windows or not one.dense for one in self.inputs)

    @property
    def fills(self) -> bool:
        """True if all pairs of a document are compared."""
        return self.dense and not self.windows

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """All non-zero φ(x, y)."""
        i, j = all_places(preds, refs)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """φ at the given places."""
        found = self.join(preds, refs)
        return np.append(found.w, 0.0)[kernels.number_pairs(found.i, found.j, len(refs), i, j)]

    def table(self, preds: Frame, refs: Frame) -> Vector:
        """φ of all elements of one document with all others, as a matrix."""
        shape = len(preds), len(refs)
        i, j = np.indices(shape).reshape(2, -1)
        return self.at(preds, refs, i, j).reshape(shape)

    def self_scores(self, frame: Frame) -> Vector:
        """φ(x, x) of each element; refuses an element that cannot be compared."""
        places = np.arange(len(frame))
        return self.at(frame, frame, places, places)

    def volume(self, preds: Frame, refs: Frame) -> int:
        """About how many pairs `join` compares."""
        if preds.documents is None or refs.documents is None:
            return len(preds) * len(refs)
        return kernels.count_pairs(preds.documents, refs.documents)

    def in_reach(self, preds: Frame, refs: Frame) -> Any:
        """The values within reach of each other (`Windows`); None if unknown or slower than comparing all."""
        return None

    def settle(self, preds: Frame, refs: Frame) -> tuple[Operator, Frame, Frame]:
        """φ without variables, and both objects with their variables matched as is best; φ itself if it has none."""
        return self, preds, refs

    def cost(self) -> str:
        """The cost class, in n and m elements a side."""
        if self.windows:
            return "O(n·log n + m·log m + pairs in reach)"
        return "O(n·m)" if self.dense else "O(n + m + non-zero)"

    def detail(self) -> str:
        return ""

    def children(self) -> tuple[tuple[str, Any], ...]:
        """The inputs, each with the place it has."""
        return tuple(("", operator) for operator in self.inputs)


def all_places(preds: Frame, refs: Frame) -> tuple[Vector, Vector]:
    """All pairs of elements of one document."""
    if preds.documents is None or refs.documents is None:
        i, j = np.indices((len(preds), len(refs))).reshape(2, -1)
        return i, j
    return kernels.join(preds.documents, refs.documents)
