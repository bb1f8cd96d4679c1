"""Products and sums: several similarities of the same two objects, or of parts of them."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present, Vector
from matchwise.engine.many.operators.base import Operator, Places, at_parts, near_any
from matchwise.engine.selection import join
from matchwise.engine.tuning import FILLED


class Multiply(Operator):
    """φ × ψ: join on one factor, look the others up at the pairs it leaves."""

    verb: ClassVar[str] = "product"

    phi: nodes.Product

    def __init__(self, phi: nodes.Product, first: Operator, *rest: Operator) -> None:
        super().__init__(phi, first, *rest)
        self.first = first
        self.rest = rest
        self.dense = first.dense

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        """What the first factor joins, or fewer pairs if another knows what is in reach of each other (spans)."""
        least = self.first
        for factor in self.rest:
            if factor.windows and factor.volume(preds, refs) * FILLED < least.volume(preds, refs):
                least = factor
        return least.near(preds, refs)

    def volume(self, preds: Frame, refs: Frame) -> int:
        return min(factor.volume(preds, refs) for factor in self.inputs if factor is self.first or factor.windows)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        w = self.first.at(preds, refs, i, j)
        for factor in self.rest:
            if not factor.dense:
                w = w * factor.at(preds, refs, i, j)
                continue
            kept = np.flatnonzero(w)
            if len(kept) == len(w):
                w = w * factor.at(preds, refs, i, j)
            elif len(kept):
                found = factor.at(preds, refs, i[kept], j[kept])
                w = kernels.spread(len(w), kept, w[kept] * found)
        return w

    def _self_scores(self, frame: Frame) -> Vector:
        made = self.first.self_scores(frame)
        for factor in self.rest:
            made = made * factor.self_scores(frame)
        return made

    def tells_apart(self, frame: Frame) -> bool:
        return any(factor.tells_apart(frame) for factor in self.inputs)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return ("join", self.first), *(("probe", factor) for factor in self.rest)

    def cost(self) -> str:
        return "O(n·m)" if self.dense else "O(n + m + pairs joined)"


class Term:
    """One part of a sum: its weight, what it selects, and the operator on what is selected."""

    __slots__ = ("operator", "phi", "sel", "weight")

    def __init__(self, weight: Number, phi: Similarity, sel: Selector | None, operator: Operator) -> None:
        self.weight = weight
        self.phi = phi
        self.sel = sel
        self.operator = operator

    def present(self, frame: Frame) -> Present:
        """The objects that have this part; a term that selects by itself works on the selected values."""
        if self.sel is not None:
            return frame.present(self.sel)
        made: Present | None = frame.memo.get(self)
        if made is None:
            made = self._present(frame)
            if made.frame is not frame:  # a frame that remembered itself would outlive the batch
                frame.memo[self] = made
        return made

    def _present(self, frame: Frame) -> Present:
        kept = sorted(_find_present(self.phi, frame))
        if len(kept) == len(frame):
            return Present(None, frame)
        return Present(kernels.places(kept), frame.take(kept))


def _find_present(phi: Similarity, frame: Frame) -> set[int]:
    """The objects that have what φ compares (`reference.has` for a whole frame)."""
    if hasattr(phi, "sel"):
        kept = frame.present(phi.sel).kept
        return set(range(len(frame)) if kept is None else kept.tolist())
    found: set[int] = set()
    for part in children(phi):
        if len(found) < len(frame):
            found |= _find_present(part, frame)
    return found


class Add(Operator):
    """Σ w·φ over the parts that both sides have."""

    verb: ClassVar[str] = "sum of parts"
    is_elementwise = True

    def __init__(self, phi: nodes.Sum, terms: list[Term]) -> None:
        super().__init__(phi, *(term.operator for term in terms))
        self.terms = terms
        self.dense = any(term.operator.dense for term in terms)
        self.windows = self.dense and all(term.operator.windows or not term.operator.dense for term in terms)

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        several = [(term.operator, term.present(preds), term.present(refs)) for term in self.terms]
        return near_any(several, preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        total = None
        for term in self.terms:
            mine, theirs = term.present(preds), term.present(refs)
            if mine.kept is theirs.kept is None:
                found = term.operator.at(mine.frame, theirs.frame, i, j)
            elif total is not None and not (len(mine.frame) and len(theirs.frame)):
                continue  # nobody has the part
            elif i.ndim == 2:
                found = kernels.over_pairs(partial(at_parts, term.operator, mine, theirs), preds, refs, i, j)
            else:
                found = at_parts(term.operator, mine, theirs, preds, refs, i, j)
            found = found * float(term.weight)
            total = found if total is None else total + found
        return total

    def tells_apart(self, frame: Frame) -> bool:
        return all(term.operator.tells_apart(term.present(frame).frame) for term in self.terms)

    def _self_scores(self, frame: Frame) -> Vector:
        total = np.zeros(len(frame))
        for term in self.terms:
            kept, own = term.present(frame)
            if len(own):
                found = term.operator.self_scores(own) * float(term.weight)
                total += found if kept is None else kernels.spread(len(frame), kept, found)
        return total

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{term.weight} × {join('', term.sel or ())}".rstrip(), term.operator) for term in self.terms)
