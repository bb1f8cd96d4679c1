"""Several similarities of two objects, or of parts of them (× + mean ∪), and functions of one (⟦φ > t⟧, P R F J)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.values import case_members
from matchwise.engine.selection import join
from matchwise.engine.tuning import FILLED


class Multiply(Operator):
    """φ × ψ: join on one factor, look the others up at the pairs it leaves."""

    verb: str = "product"
    phi: nodes.Product

    def __init__(self, phi: nodes.Product, first: Operator, *rest: Operator) -> None:
        super().__init__(phi, first, *rest)
        self.first, self.rest = first, rest
        self.dense, self.fills = first.dense, first.fills

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """Join on the first factor, or on one that finds fewer pairs because it knows what is in reach (spans)."""
        least = self.first
        for factor in self.rest:
            if factor.windows and factor.volume(preds, refs) * FILLED < least.volume(preds, refs):
                least = factor
        if least.fills:
            return super().join(preds, refs)
        i, j, _ = least.join(preds, refs)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        w = self.first.at(preds, refs, i, j)
        for factor in self.rest:
            kept = np.flatnonzero(w)
            if len(kept) == len(w) or not factor.dense:
                w = w * factor.at(preds, refs, i, j)
            elif len(kept):
                w = kernels.spread(len(w), kept, w[kept] * factor.at(preds, refs, i[kept], j[kept]))
        return w

    def self_scores(self, frame: Frame) -> Vector:
        made = self.first.self_scores(frame)
        for factor in self.rest:
            made = made * factor.self_scores(frame)
        return made

    def children(self) -> tuple[tuple[str, Any], ...]:
        return ("join", self.first), *(("probe", factor) for factor in self.rest)

    def cost(self) -> str:
        return "O(n·m)" if self.dense else "O(n + m + pairs joined)"


class SumOfParts(Operator):
    """Σ w·φ over the parts that both sides have, divided by a number."""

    weights: tuple[float, ...]
    divisor: float = 1.0

    def __init__(self, phi: Similarity, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.dense, self.fills = any(one.dense for one in inputs), any(one.fills for one in inputs)
        self.windows = self.dense and all(one.windows or not one.dense for one in inputs)

    def parts(self, frame: Frame) -> list[Present]:
        """What each operator compares of the elements."""
        raise NotImplementedError

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.fills:
            return super().join(preds, refs)
        found = [(kernels.places(()), kernels.places(()), np.zeros(0))]
        for operator, weight, mine, theirs in self._terms(preds, refs):
            a, b, w = operator.join(mine.frame, theirs.frame)
            found.append((mine.owners(a), theirs.owners(b), w * weight))
        rows, columns, weights = map(np.concatenate, zip(*found, strict=True))
        i, j, number, order = kernels.group(rows, columns, len(refs))
        return Pairs.of(i, j, np.bincount(number, weights[order], len(i)) / self.divisor)  # terms are added in order

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        total = np.zeros(len(i))
        for operator, weight, mine, theirs in self._terms(preds, refs):
            places, a, b = meet(mine, theirs, preds, refs, i, j)
            if len(a):
                found = operator.at(mine.frame, theirs.frame, a, b) * weight
                total += found if places is None else kernels.spread(len(i), places, found)
        return total / self.divisor

    def _terms(self, preds: Frame, refs: Frame) -> list[tuple[Operator, float, Present, Present]]:
        """The operators and weights of the parts that both sides have, and these parts."""
        every = zip(self.inputs, self.weights, self.parts(preds), self.parts(refs), strict=True)
        return [term for term in every if len(term[2].frame) and len(term[3].frame)]

    def self_scores(self, frame: Frame) -> Vector:
        total = np.zeros(len(frame))
        for operator, weight, (kept, own) in zip(self.inputs, self.weights, self.parts(frame), strict=True):
            if len(own):
                found = operator.self_scores(own) * weight
                total += found if kept is None else kernels.spread(len(frame), kept, found)
        return total / self.divisor


def meet(
    mine: Present, theirs: Present, preds: Frame, refs: Frame, i: Vector, j: Vector
) -> tuple[Vector | None, Vector, Vector]:
    """The given pairs of which both sides have the part (None: all), and where each side keeps it."""
    if mine.kept is None and theirs.kept is None:
        return None, i, j
    a, b = mine.find(i, len(preds)), theirs.find(j, len(refs))
    places = np.flatnonzero((a >= 0) & (b >= 0))
    return places, a[places], b[places]


class Term:
    """One part of a sum: its weight, what it selects, and the operator on what is selected."""

    __slots__ = ("operator", "phi", "sel", "weight")

    def __init__(self, weight: Number, phi: Similarity, sel: Selector | None, operator: Operator) -> None:
        self.weight, self.phi, self.sel, self.operator = weight, phi, sel, operator

    def present(self, frame: Frame) -> Present:
        """The objects that have this part; a term that selects by itself works on the selected values."""
        if self.sel is not None:
            return frame.present(self.sel)
        memo, tag = frame.side.memo, (self, frame)
        made: Present | None = memo.get(tag)
        if made is None:
            made = memo[tag] = frame.keep(sorted(_find_present(self.phi, frame)))
        return made


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


class Add(SumOfParts):
    """Σ w·φ over the parts that both sides have."""

    verb: str = "sum of parts"

    def __init__(self, phi: nodes.Sum, terms: list[Term]) -> None:
        super().__init__(phi, *(term.operator for term in terms))
        self.terms, self.weights = terms, tuple(float(term.weight) for term in terms)

    def parts(self, frame: Frame) -> list[Present]:
        return [term.present(frame) for term in self.terms]

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{term.weight} × {join('', term.sel or ())}".rstrip(), term.operator) for term in self.terms)


class Average(SumOfParts):
    """Σ w·φ / Σ w."""

    verb: str = "mean"

    def __init__(self, phi: nodes.Mean, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.weights = tuple(float(weight) for weight, _ in phi.terms)
        self.divisor = sum(self.weights)

    def parts(self, frame: Frame) -> list[Present]:
        return [Present(None, frame)] * len(self.inputs)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{weight} ×", operator) for weight, operator in zip(self.weights, self.inputs, strict=True))


class ByCase(SumOfParts):
    """φ_T by the type of the value: the cases never meet each other."""

    verb: str = "union"

    def __init__(self, phi: nodes.Union, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.sel, self.cases = phi.sel, phi.cases
        self.weights = (1.0,) * len(inputs)

    def parts(self, frame: Frame) -> list[Present]:
        """The values of each case: which elements have them (None: all), and the values."""
        memo, tag = frame.side.memo, (self, frame)
        made: list[Present] | None = memo.get(tag)
        if made is None:
            values = frame.select(self.sel)
            members = case_members(values, self.cases)
            made = memo[tag] = [values.keep(members.get(number, [])) for number in range(len(self.cases))]
        return made

    def children(self) -> tuple[tuple[str, Any], ...]:
        names = [case if isinstance(case, str) else case.__name__ for case, _ in self.cases]
        return tuple(zip(names, self.inputs, strict=True))


class FunctionOf(Operator):
    """A function of φ(x, y)."""

    def __init__(self, phi: Similarity, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.dense, self.windows, self.fills = inner.dense, inner.windows, inner.fills

    def value(self, w: Vector) -> Vector:
        """What becomes of φ."""
        raise NotImplementedError

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.fills:
            return super().join(preds, refs)
        i, j, w = self.inner.join(preds, refs)
        return Pairs.of(i, j, self.value(w))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.value(self.inner.at(preds, refs, i, j))

    def self_scores(self, frame: Frame) -> Vector:
        return self.value(self.inner.self_scores(frame))

    def volume(self, preds: Frame, refs: Frame) -> int:
        return super().volume(preds, refs) if self.fills else self.inner.volume(preds, refs)


class Threshold(FunctionOf):
    """⟦φ > t⟧ or ⟦φ ≥ t⟧: a filter."""

    verb: str = "filter"

    def __init__(self, phi: nodes.Above, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.threshold, self.strict = phi.threshold, phi.strict
        if not phi.strict and phi.threshold <= 0:  # φ ≥ 0 always
            self.dense, self.windows, self.fills = True, False, True

    def value(self, w: Vector) -> Vector:
        least = float(self.threshold)
        return (w > least if self.strict else w >= least).astype(np.float64)

    def detail(self) -> str:
        return f"{'>' if self.strict else '≥'} {self.threshold}"


class Subtract(FunctionOf):
    """max{0, φ − c}."""

    verb: str = "subtract"
    phi: nodes.Minus

    def value(self, w: Vector) -> Vector:
        return np.maximum(w - float(self.phi.amount), 0.0)

    def detail(self) -> str:
        return f"{self.phi.amount}"


class Substitute(FunctionOf):
    """1 − c/2 · (1 − φ)."""

    verb: str = "substitute"

    def __init__(self, phi: nodes.Substitution, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.cost_of_change, self.half = phi.cost, float(phi.cost) / 2
        self.dense, self.windows, self.fills = True, False, True

    def value(self, w: Vector) -> Vector:
        return 1 - (1 - w) * self.half

    def detail(self) -> str:
        return f"at the cost {self.cost_of_change}"


class Normalize(FunctionOf):
    """P, R, F_β, J, edit similarity or error rate from φ(x, y), φ(x, x) and φ(y, y)."""

    verb: str = "normalise"

    def __init__(self, phi: nodes.Normalized, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.kind, self.empty = phi.kind, float(phi.empty)
        self.above, self.square = float(1 + phi.beta**2), float(phi.beta**2)
        if phi.kind == "error_rate":  # not 0 where nothing is similar
            self.dense, self.windows, self.fills = True, False, True

    def normalize(self, xy: Vector, xx: Vector, yy: Vector) -> Vector:
        """(4)–(7); 0/0 is `empty`."""
        match self.kind:
            case "precision":
                return kernels.ratio(xy, xx, self.empty)
            case "recall":
                return kernels.ratio(xy, yy, self.empty)
            case "jaccard":
                return kernels.ratio(xy, xx + yy - xy, self.empty)
            case "edit":
                above = np.maximum(xy * 2 - np.minimum(xx, yy), 0.0)
                return kernels.ratio(above, np.maximum(xx, yy), self.empty)
            case "error_rate":
                return np.maximum(xx + yy - xy * 2, 0.0) / np.where(yy == 0, 1.0, yy)
        return kernels.ratio(xy * self.above, xx + yy * self.square, self.empty)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """Where φ is not 0, or is 0/0: two empty sides, P of an empty prediction, R of an empty reference."""
        if self.fills:
            return Operator.join(self, preds, refs)
        i, j, w = self.inner.join(preds, refs)
        own, other = self.inner.self_scores(preds), self.inner.self_scores(refs)
        if self.empty:
            p, r = np.flatnonzero(own == 0), np.flatnonzero(other == 0)
            if self.kind == "precision" or (self.kind == "fbeta" and not self.square):
                r = np.arange(len(refs))
            elif self.kind == "recall":
                p = np.arange(len(preds))
            a, b = kernels.join(preds.scope()[p], refs.scope()[r])
            rows, columns = np.concatenate((i, p[a])), np.concatenate((j, r[b]))
            i, j, number, order = kernels.group(rows, columns, len(refs))
            w = np.bincount(number, np.concatenate((w, np.zeros(len(a))))[order], len(i))
        return Pairs.of(i, j, self.normalize(w, own[i], other[j]))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        own, other = self.inner.self_scores(preds), self.inner.self_scores(refs)
        return self.normalize(self.inner.at(preds, refs, i, j), own[i], other[j])

    def self_scores(self, frame: Frame) -> Vector:
        if not self.inner.facts.self_score.holds:
            return Operator.self_scores(self, frame)
        own = self.inner.self_scores(frame)
        return np.zeros(len(own)) if self.kind == "error_rate" else kernels.ratio(own, own, self.empty)

    def detail(self) -> str:
        return self.kind


class Recur(Operator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    verb: str = "recur"

    def __init__(self, phi: nodes.Again | nodes.Recursive, target: Callable[[], Operator], *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.sel, self.target = phi.sel, target

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if not len(preds) or not len(refs):
            return Pairs(kernels.places(()), kernels.places(()), np.zeros(0))
        return self.target().join(preds.select(self.sel), refs.select(self.sel))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.target().at(preds.select(self.sel), refs.select(self.sel), i, j) if len(i) else np.zeros(0)

    def self_scores(self, frame: Frame) -> Vector:
        return self.target().self_scores(frame.select(self.sel)) if len(frame) else np.zeros(0)

    def detail(self) -> str:
        return self.phi.name  # type: ignore[attr-defined, no-any-return]  # Recursive and Again have names
