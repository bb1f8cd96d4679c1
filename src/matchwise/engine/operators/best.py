"""The best pair of elements of two collections."""

from __future__ import annotations

from typing import ClassVar

from matchwise.algebra.nodes import Best
from matchwise.engine.frame import Frame, Vector
from matchwise.engine.operators.base import Operator, Pairs


class BestElement(Operator):
    """max φ(u, v) over the elements of two collections; a value that is not a collection is its own only element."""

    verb: ClassVar[str] = "best pair"

    def __init__(self, phi: Best, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel
        self.dense, self.windows = inner.dense, inner.windows

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        p, r = preds.several(self.sel), refs.several(self.sel)
        if self.inner.fills(p.frame, r.frame):
            return super()._join(preds, refs)
        kernels = preds.kernels
        a, b, w = self.inner.join(p.frame, r.frame)
        i, j, block, order = kernels.group(kernels.gather(p.owners(), a), kernels.gather(r.owners(), b), len(refs))
        return Pairs(i, j, kernels.max_by(block, kernels.gather(w, order), len(i)))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = preds.several(self.sel), refs.several(self.sel)
        if not self.inner.fills(p.frame, r.frame):
            return super()._at(preds, refs, i, j)
        kernels = preds.kernels
        block, a, b = kernels.expand(i, j, p.offsets, r.offsets)
        return kernels.max_by(block, self.inner.at(p.frame, r.frame, a, b), len(i))

    def _self_scores(self, frame: Frame) -> Vector:
        kernels, flat = frame.kernels, frame.several(self.sel)
        if self.inner.best_with_itself:
            return kernels.max_by(flat.owners(), self.inner.self_scores(flat.frame), len(frame))
        places = kernels.index(len(frame))
        block, a, b = kernels.expand(places, places, flat.offsets, flat.offsets)
        return kernels.max_by(block, self.inner.at(flat.frame, flat.frame, a, b), len(frame))
