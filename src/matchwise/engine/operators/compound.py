"""Products, sums and means: several similarities of the same two objects."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from matchwise.algebra.nodes import (
    Above,
    Harmonic,
    Latent,
    Mean,
    Minus,
    Normalized,
    Number,
    Product,
    Selector,
    Similarity,
    Sum,
)
from matchwise.algebra.walk import children
from matchwise.engine.frame import Frame, Pairs, Present, Vector
from matchwise.engine.operators.base import Operator, all_pairs, all_places
from matchwise.engine.selection import join
from matchwise.engine.tuning import FILLED


class Multiply(Operator):
    """φ × ψ: join on one factor, look the others up at the pairs it leaves."""

    verb: ClassVar[str] = "product"

    phi: Product

    def __init__(self, phi: Product, first: Operator, *rest: Operator) -> None:
        super().__init__(phi, first, *rest)
        self.first = first
        self.rest = rest
        self.dense = first.dense

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        kernels = preds.kernels
        i, j, w = self.first.join(preds, refs)
        for factor in self.rest:
            if factor.dense:
                i, j, w = kernels.filter_pairs(i, j, w)
            w = kernels.times(w, factor.at(preds, refs, i, j))
        return Pairs(*kernels.filter_pairs(i, j, w))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        kernels = preds.kernels
        w = self.first.at(preds, refs, i, j)
        for factor in self.rest:
            if not factor.dense:
                w = kernels.times(w, factor.at(preds, refs, i, j))
                continue
            kept = kernels.nonzero(w)
            if len(kept) == len(w):
                w = kernels.times(w, factor.at(preds, refs, i, j))
            elif len(kept):
                found = factor.at(preds, refs, kernels.gather(i, kept), kernels.gather(j, kept))
                w = kernels.spread(len(w), kept, kernels.times(kernels.gather(w, kept), found))
        return w

    def _self_scores(self, frame: Frame) -> Vector:
        made = self.first.self_scores(frame)
        for factor in self.rest:
            made = frame.kernels.times(made, factor.self_scores(frame))
        return made

    def tells_apart(self, frame: Frame) -> bool:
        return any(factor.tells_apart(frame) for factor in self.inputs)

    def volume(self, preds: Frame, refs: Frame) -> int:
        return self.first.volume(preds, refs)

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
        made: Present | None = frame.memo.get(self)
        if made is None:
            made = self._present(frame)
            if made.frame is not frame:  # a frame that remembered itself would outlive the batch
                frame.memo[self] = made
        return made

    def _present(self, frame: Frame) -> Present:
        if self.sel is not None:
            return frame.present(self.sel)
        kept = sorted(_having(self.phi, frame))
        if len(kept) == len(frame):
            return Present(None, frame)
        return Present(frame.kernels.places(kept), frame.take(kept))


def _having(phi: Similarity, frame: Frame) -> set[int]:
    """The objects that have what φ compares (`reference.has` for a whole frame)."""
    match phi:
        case Product() | Sum() | Mean() | Harmonic() | Normalized() | Above() | Minus() | Latent():
            found: set[int] = set()
            for part in children(phi):
                if len(found) < len(frame):
                    found |= _having(part, frame)
            return found
    kept = frame.present(phi.sel).kept  # type: ignore[attr-defined]  # all other nodes select
    return set(range(len(frame)) if kept is None else frame.kernels.plain(kept))


class Add(Operator):
    """Σ w·φ over the parts that both sides have."""

    verb: ClassVar[str] = "sum of parts"
    is_elementwise = True

    def __init__(self, phi: Sum, terms: list[Term]) -> None:
        super().__init__(phi, *(term.operator for term in terms))
        self.terms = terms
        self.dense = any(term.operator.dense for term in terms)
        self.windows = self.dense and all(term.operator.windows or not term.operator.dense for term in terms)

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        kernels = preds.kernels
        if self.fills(preds, refs):  # few calls, as each level of a deep tree makes them
            places = all_places(preds, refs)
            return Pairs(*kernels.filter_pairs(*places, self._at(preds, refs, *places)))
        several = []
        for term in self.terms:
            (kept_p, p), (kept_r, r) = term.present(preds), term.present(refs)
            i, j, w = term.operator.join(p, r)
            i = i if kept_p is None else kernels.gather(kept_p, i)
            j = j if kept_r is None else kernels.gather(kept_r, j)
            several.append((i, j, kernels.scale(w, term.weight)))
        if len(several) == 1:
            return Pairs(*kernels.filter_pairs(*several[0]))
        i, j, block, order = kernels.group(
            *(kernels.concatenate([one[k] for one in several]) for k in (0, 1)), len(refs)
        )
        w = kernels.gather(kernels.concatenate([w for _, _, w in several]), order)
        return Pairs(*kernels.filter_pairs(i, j, kernels.add_by(block, w, len(i))))

    def fills(self, preds: Frame, refs: Frame) -> bool:
        """True if the joins of the terms find so much that looking all pairs up is cheaper."""
        if self.dense and not self.windows:
            return True
        if len(self.terms) == 1:
            (term,) = self.terms
            return term.operator.fills(term.present(preds).frame, term.present(refs).frame)
        return self.volume(preds, refs) * FILLED > all_pairs(preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        kernels = preds.kernels
        total = None
        for term in self.terms:
            (kept_p, p), (kept_r, r) = term.present(preds), term.present(refs)
            if kept_p is None and kept_r is None:
                found = term.operator.at(p, r, i, j)
            elif kernels.is_table(i):
                found = kernels.over_pairs(partial(self._at_present, term), preds, refs, i, j)
            else:
                places, p, a, r, b = meet(term, preds, refs, i, j)
                found = kernels.spread(len(i), places, term.operator.at(p, r, a, b))
            found = kernels.scale(found, term.weight)
            total = found if total is None else kernels.plus(total, found)
        return total

    def _at_present(self, term: Term, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """φ of a part; 0 where one side lacks it."""
        places, p, a, r, b = meet(term, preds, refs, i, j)
        return preds.kernels.spread(len(i), places, term.operator.at(p, r, a, b))

    def tells_apart(self, frame: Frame) -> bool:
        return all(term.operator.tells_apart(term.present(frame).frame) for term in self.terms)

    def _self_scores(self, frame: Frame) -> Vector:
        kernels = frame.kernels
        all_equal: Number = 0  # while the terms so far are the same of every object
        total = None
        for term in self.terms:
            kept, own = term.present(frame)
            if total is None and kept is None and term.operator.facts.unit.holds:
                term.operator.check(own)
                all_equal += term.weight if isinstance(term.weight, int) else float(term.weight)
                continue
            found = kernels.scale(term.operator.self_scores(own), term.weight)
            found = found if kept is None else kernels.spread(len(frame), kept, found)
            total = kernels.plus(kernels.full(len(frame), all_equal) if total is None else total, found)
        return kernels.full(len(frame), all_equal) if total is None else total

    def volume(self, preds: Frame, refs: Frame) -> int:
        return sum(term.operator.volume(term.present(preds).frame, term.present(refs).frame) for term in self.terms)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{term.weight} × {join('', term.sel or ())}".rstrip(), term.operator) for term in self.terms)


def meet(
    term: Term, preds: Frame, refs: Frame, i: Vector, j: Vector
) -> tuple[Vector | None, Frame, Vector, Frame, Vector]:
    """The pairs whose two sides both have the part (None: all), and where each side keeps it."""
    (kept_p, p), (kept_r, r) = term.present(preds), term.present(refs)
    if kept_p is None and kept_r is None:
        return None, p, i, r, j
    kernels = preds.kernels
    a = i if kept_p is None else kernels.gather(kernels.inverse(kept_p, len(preds)), i)
    b = j if kept_r is None else kernels.gather(kernels.inverse(kept_r, len(refs)), j)
    places = kernels.both_kept(a, b)
    return places, p, kernels.gather(a, places), r, kernels.gather(b, places)


class Average(Operator):
    """Σ w·φ / Σ w."""

    verb: ClassVar[str] = "mean"

    def __init__(self, phi: Mean, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        # As floats, so that lists round fractions as arrays do and equal objects still score 1.
        self.weights = [float(w) for w, _ in phi.terms]
        self.total = sum(self.weights)
        self.dense = any(operator.dense for operator in inputs)

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.dense:
            return super()._join(preds, refs)
        kernels = preds.kernels
        several = [
            (i, j, kernels.scale(w, weight))
            for weight, operator in zip(self.weights, self.inputs, strict=True)
            for i, j, w in (operator.join(preds, refs),)
        ]
        i, j, block, order = kernels.group(
            *(kernels.concatenate([one[k] for one in several]) for k in (0, 1)), len(refs)
        )
        w = kernels.gather(kernels.concatenate([w for _, _, w in several]), order)
        w = kernels.divide(kernels.add_by(block, w, len(i)), self.total)
        return Pairs(*kernels.filter_pairs(i, j, w))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self._mean(preds, [operator.at(preds, refs, i, j) for operator in self.inputs])

    def _self_scores(self, frame: Frame) -> Vector:
        return self._mean(frame, [operator.self_scores(frame) for operator in self.inputs])

    def _mean(self, frame: Frame, found: list[Vector]) -> Vector:
        kernels = frame.kernels
        first, *rest = (kernels.scale(values, weight) for values, weight in zip(found, self.weights, strict=True))
        for values in rest:
            first = kernels.plus(first, values)
        return kernels.divide(first, self.total)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{weight} ×", operator) for weight, operator in zip(self.weights, self.inputs, strict=True))
