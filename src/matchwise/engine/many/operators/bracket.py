"""Functions of similarities of the same two objects: ⟦φ > t⟧, max{0, φ − c}, the normalisers, and means of several."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from matchwise.algebra.nodes import Above, Harmonic, Mean, Minus, Normalized
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present, Vector
from matchwise.engine.many.operators.base import Operator, Places, near_any


class FunctionOf(Operator):
    """A function of φ(x, y)."""

    always: bool = False
    """True if it may be above 0 where φ is 0."""

    def __init__(self, phi: Above | Minus | Normalized, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.dense, self.windows = inner.dense, inner.windows

    def value(self, w: Vector) -> Vector:
        """What becomes of φ."""
        raise NotImplementedError

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        return None if self.always else self.inner.near(preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.value(self.inner.at(preds, refs, i, j))

    def _self_scores(self, frame: Frame) -> Vector:
        return self.value(self.inner.self_scores(frame))

    def tells_apart(self, frame: Frame) -> bool:
        return not self.always and self.inner.tells_apart(frame)


class Threshold(FunctionOf):
    """⟦φ > t⟧ or ⟦φ ≥ t⟧: a filter."""

    verb: ClassVar[str] = "filter"
    is_elementwise = True

    def __init__(self, phi: Above, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.threshold, self.strict = phi.threshold, phi.strict
        self.always = not phi.strict and phi.threshold <= 0  # φ ≥ 0
        self.dense, self.windows = inner.dense or self.always, inner.windows and not self.always

    def value(self, w: Vector) -> Vector:
        least = float(self.threshold)
        return (w > least if self.strict else w >= least).astype(np.float64)

    def detail(self) -> str:
        return f"{'>' if self.strict else '≥'} {self.threshold}"


class Subtract(FunctionOf):
    """max{0, φ − c}."""

    verb: ClassVar[str] = "subtract"
    is_elementwise = True
    phi: Minus

    def value(self, w: Vector) -> Vector:
        return np.maximum(w - float(self.phi.amount), 0.0)

    def detail(self) -> str:
        return f"{self.phi.amount}"


class Normalize(FunctionOf):
    """P, R, F_β or J from φ(x, y), φ(x, x) and φ(y, y)."""

    verb: ClassVar[str] = "normalise"

    def __init__(self, phi: Normalized, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.kind, self.empty, self.square = phi.kind, float(phi.empty), phi.beta**2
        self.always = bool(phi.empty)

    def normalize(self, xy: Vector, xx: Vector, yy: Vector) -> Vector:
        """(4)–(7); 0/0 is `empty`."""
        match self.kind:
            case "precision":
                return kernels.ratio(xy, xx, self.empty)
            case "recall":
                return kernels.ratio(xy, yy, self.empty)
            case "jaccard":
                return kernels.ratio(xy, xx + yy - xy, self.empty)
        return kernels.ratio(xy * float(1 + self.square), xx + yy * float(self.square), self.empty)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        own, other = self.inner.self_scores(preds), self.inner.self_scores(refs)
        return self.normalize(self.inner.at(preds, refs, i, j), own[i], other[j])

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        """Where φ is not 0, or is 0/0: two empty sides, P of an empty prediction, R of an empty reference."""
        found = self.inner.near(preds, refs)
        if not self.empty or found is None:
            return found
        p, r = (np.flatnonzero(self.inner.self_scores(side) == 0) for side in (preds, refs))
        if self.kind == "precision" or (self.kind == "fbeta" and not self.square):
            r = np.arange(len(refs))
        elif self.kind == "recall":
            p = np.arange(len(preds))
        i, j = kernels.join(preds.scope()[p], refs.scope()[r])
        rows, columns = np.concatenate((found[0], p[i])), np.concatenate((found[1], r[j]))
        return kernels.group(rows, columns, len(refs))[:2]

    def _self_scores(self, frame: Frame) -> Vector:
        if not self.inner.best_with_itself:
            return Operator._self_scores(self, frame)
        own = self.inner.self_scores(frame)
        return kernels.ratio(own, own, self.empty)

    def detail(self) -> str:
        return self.kind


class HarmonicMean(Operator):
    """2pr / (p + r)."""

    verb: ClassVar[str] = "harmonic mean"

    def __init__(self, phi: Harmonic, precision: Operator, recall: Operator) -> None:
        super().__init__(phi, precision, recall)
        self.dense = precision.dense and recall.dense

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        found = (part.near(preds, refs) for part in self.inputs)
        return next((places for places in found if places is not None), None)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = (part.at(preds, refs, i, j) for part in self.inputs)
        return kernels.ratio(p * 2.0 * r, p + r, 0)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple(zip(("precision", "recall"), self.inputs, strict=True))


class Average(Operator):
    """Σ w·φ / Σ w."""

    verb: ClassVar[str] = "mean"

    def __init__(self, phi: Mean, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.weights = [float(w) for w, _ in phi.terms]
        self.dense = any(operator.dense for operator in inputs)
        self.windows = self.dense and all(operator.windows or not operator.dense for operator in inputs)

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        everything = Present(None, preds), Present(None, refs)
        return near_any([(operator, *everything) for operator in self.inputs], preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self._mean([operator.at(preds, refs, i, j) for operator in self.inputs])

    def _self_scores(self, frame: Frame) -> Vector:
        return self._mean([operator.self_scores(frame) for operator in self.inputs])

    def _mean(self, found: list[Vector]) -> Vector:
        return sum(w * weight for w, weight in zip(found, self.weights, strict=True)) / sum(self.weights)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{weight} ×", operator) for weight, operator in zip(self.weights, self.inputs, strict=True))
