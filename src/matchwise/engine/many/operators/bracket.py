"""Functions of one similarity: ⟦φ > t⟧, max{0, φ − c}, the normalisers, and the harmonic mean of two."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from matchwise.algebra.nodes import Above, Harmonic, Minus, Normalized, Number
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.base import Operator, Places


class Bracket(Operator):
    """A function of φ(x, y) that is 0 where φ is, unless it is dense."""

    def __init__(self, phi: Above | Minus | Normalized, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.dense, self.windows = inner.dense, inner.windows

    @abstractmethod
    def apply(self, preds: Frame, refs: Frame, i: Vector, j: Vector, w: Vector) -> Vector:
        """The function of φ = w at the places (i, j)."""

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        return self.inner.near(preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.apply(preds, refs, i, j, self.inner.at(preds, refs, i, j))


class Threshold(Bracket):
    """⟦φ > t⟧ or ⟦φ ≥ t⟧: a filter."""

    verb: ClassVar[str] = "filter"
    is_elementwise = True

    def __init__(self, phi: Above, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.threshold, self.strict = phi.threshold, phi.strict
        self.all = not phi.strict and phi.threshold <= 0  # φ ≥ 0 always holds
        self.dense = inner.dense or self.all
        self.windows = inner.windows and not self.all

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        return None if self.all else super()._near(preds, refs)

    def apply(self, preds: Frame, refs: Frame, i: Vector, j: Vector, w: Vector) -> Vector:
        return kernels.larger(w, self.threshold, self.strict)

    def _self_scores(self, frame: Frame) -> Vector:
        return kernels.larger(self.inner.self_scores(frame), self.threshold, self.strict)

    def tells_apart(self, frame: Frame) -> bool:
        return not self.all and self.inner.tells_apart(frame)

    def detail(self) -> str:
        return f"{'>' if self.strict else '≥'} {self.threshold}"


class Subtract(Bracket):
    """max{0, φ − c}."""

    verb: ClassVar[str] = "subtract"
    is_elementwise = True

    def __init__(self, phi: Minus, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.amount = phi.amount

    def apply(self, preds: Frame, refs: Frame, i: Vector, j: Vector, w: Vector) -> Vector:
        return kernels.minus(w, self.amount)

    def _self_scores(self, frame: Frame) -> Vector:
        return kernels.minus(self.inner.self_scores(frame), self.amount)

    def tells_apart(self, frame: Frame) -> bool:
        return self.inner.tells_apart(frame)

    def detail(self) -> str:
        return f"{self.amount}"


class Normalize(Bracket):
    """P, R, F_β or J from φ(x, y), φ(x, x) and φ(y, y)."""

    verb: ClassVar[str] = "normalise"

    def __init__(self, phi: Normalized, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.kind, self.empty = phi.kind, phi.empty
        self.square = phi.beta**2

    def value(self, xy: Number, xx: Number, yy: Number) -> Number:
        """(4)–(7) of one pair; 0/0 is `empty`."""
        found: list[Number] = self._ratio(*(np.array([float(each)]) for each in (xy, xx, yy))).tolist()
        return found[0]

    def _ratio(self, xy: Vector, xx: Vector, yy: Vector) -> Vector:
        match self.kind:
            case "precision":
                return kernels.ratio(xy, xx, self.empty)
            case "recall":
                return kernels.ratio(xy, yy, self.empty)
            case "jaccard":
                return kernels.ratio(xy, xx + yy - xy, self.empty)
        return kernels.ratio(kernels.scale(xy, 1 + self.square), xx + kernels.scale(yy, self.square), self.empty)

    def apply(self, preds: Frame, refs: Frame, i: Vector, j: Vector, w: Vector) -> Vector:
        return self._ratio(w, self.inner.self_scores(preds)[i], self.inner.self_scores(refs)[j])

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        """Where φ is not 0, or is 0/0: two empty sides, P of an empty prediction, R of an empty reference."""
        found = super()._near(preds, refs)
        if not self.empty or found is None:
            return found
        p, r = (np.flatnonzero(self.inner.self_scores(side) == 0) for side in (preds, refs))
        if self.kind == "precision" or (self.kind == "fbeta" and not self.square):
            r = np.arange(len(refs))
        elif self.kind == "recall":
            p = np.arange(len(preds))
        i, j = kernels.join(preds.scope()[p], refs.scope()[r])
        rows, columns, _, _ = kernels.group(
            np.concatenate((found[0], p[i])), np.concatenate((found[1], r[j])), len(refs)
        )
        return rows, columns

    def _self_scores(self, frame: Frame) -> Vector:
        own = self.inner.self_scores(frame)
        if self.inner.best_with_itself:
            return kernels.ratio(own, own, self.empty)
        return super()._self_scores(frame)

    def tells_apart(self, frame: Frame) -> bool:
        return not self.empty and self.inner.tells_apart(frame)

    def detail(self) -> str:
        return self.kind


class HarmonicMean(Operator):
    """2pr / (p + r)."""

    verb: ClassVar[str] = "harmonic mean"

    def __init__(self, phi: Harmonic, precision: Operator, recall: Operator) -> None:
        super().__init__(phi, precision, recall)
        self.precision, self.recall = precision, recall
        self.dense = precision.dense and recall.dense

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        found = self.precision.near(preds, refs)
        return self.recall.near(preds, refs) if found is None else found

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = self.precision.at(preds, refs, i, j), self.recall.at(preds, refs, i, j)
        return kernels.ratio(kernels.scale(p, 2) * r, p + r, 0)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return ("precision", self.precision), ("recall", self.recall)
