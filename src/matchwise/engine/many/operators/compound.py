"""Several similarities of two objects, or of parts of them (× + mean ∪), and functions of one (⟦φ > t⟧, P R F J)."""

from __future__ import annotations

from typing import Any

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import children
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.values import case_members
from matchwise.engine.one.compound import (
    FunctionPair,
    MeanPair,
    NormalizedPair,
    ProductPair,
    RecurPair,
    SumPair,
    UnionPair,
)
from matchwise.engine.selection import join
from matchwise.engine.tuning import FILLED


class Multiply(Operator):
    """φ × ψ: join on one factor, look the others up at the pairs it leaves."""

    verb: str = "product"

    def __init__(self, pair: ProductPair) -> None:
        super().__init__(pair)
        self.first, *self.rest = self.inputs
        self.windows = self.first.windows

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """Join on the first factor, or on one that finds fewer pairs because it knows what is in reach (spans)."""
        least = self.first
        for factor in self.rest:
            windows = factor.in_reach(preds, refs) if factor.windows else None
            if windows is not None and windows.count() * FILLED < least.volume(preds, refs):
                least = factor
        if least.fills:
            return super().join(preds, refs)
        i, j, _ = least.join(preds, refs)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        w = self.first.at(preds, refs, i, j)
        for factor, skipped in zip(self.rest, self.pair.skipped[1:], strict=True):
            kept = np.flatnonzero(w)
            if len(kept) == len(w) or not skipped:
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

    divisor: float = 1

    def __init__(self, pair: SumPair | MeanPair | UnionPair, weights: list[float]) -> None:
        super().__init__(pair)
        self.weights = weights

    def parts(self, frame: Frame) -> list[Present]:
        """What each operator compares of the elements."""
        raise NotImplementedError

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.fills:
            return super().join(preds, refs)
        found = [(np.arange(0), np.arange(0), np.zeros(0))]
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


class Add(SumOfParts):
    """Σ w·φ over the parts that both sides have."""

    verb: str = "sum of parts"
    phi: nodes.Sum
    pair: SumPair

    def __init__(self, pair: SumPair) -> None:
        super().__init__(pair, pair.weights)

    def parts(self, frame: Frame) -> list[Present]:
        """What each term compares; a term without a selector compares objects that have anything it reads."""
        memo, tag = frame.side.memo, (self, frame)
        made: list[Present] | None = memo.get(tag)
        if made is None:
            made = memo[tag] = [
                frame.keep(sorted(_find_present(part, frame))) if sel is None else frame.present(sel)
                for sel, (_, part) in zip(self.pair.selectors, self.phi.terms, strict=True)
            ]
        return made

    def children(self) -> tuple[tuple[str, Any], ...]:
        named = zip(self.phi.terms, self.pair.selectors, self.inputs, strict=True)
        return tuple((f"{weight} × {join('', sel or ())}".rstrip(), part) for (weight, _), sel, part in named)


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


class Average(SumOfParts):
    """Σ w·φ / Σ w."""

    verb: str = "mean"

    def __init__(self, pair: MeanPair) -> None:
        super().__init__(pair, pair.weights)
        self.divisor = pair.total

    def parts(self, frame: Frame) -> list[Present]:
        return [Present(None, frame)] * len(self.inputs)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{weight} ×", operator) for weight, operator in zip(self.weights, self.inputs, strict=True))


class ByCase(SumOfParts):
    """φ_T by the type of the value: the cases never meet each other."""

    verb: str = "union"
    phi: nodes.Union

    def __init__(self, pair: UnionPair) -> None:
        super().__init__(pair, [1.0] * len(pair.inputs))

    def parts(self, frame: Frame) -> list[Present]:
        """The values of each case: which elements have them (None: all), and the values."""
        memo, tag = frame.side.memo, (self, frame)
        made: list[Present] | None = memo.get(tag)
        if made is None:
            values = frame.select(self.phi.sel)
            members = case_members(values, self.phi.cases)
            made = memo[tag] = [values.keep(members.get(number, [])) for number in range(len(self.inputs))]
        return made

    def children(self) -> tuple[tuple[str, Any], ...]:
        names = [case if isinstance(case, str) else case.__name__ for case, _ in self.phi.cases]
        return tuple(zip(names, self.inputs, strict=True))


class FunctionOf(Operator):
    """A function of φ(x, y): of what φ joins, where it is 0 wherever φ is."""

    def __init__(self, pair: FunctionPair | NormalizedPair) -> None:
        super().__init__(pair)
        self.windows = self.windows and not pair.lifts

    def value(self, w: Vector) -> Vector:
        """What becomes of φ."""
        return np.asarray(self.pair.value(w), dtype=np.float64)

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

    def in_reach(self, preds: Frame, refs: Frame) -> Any:
        return self.inner.in_reach(preds, refs)


class Threshold(FunctionOf):
    """⟦φ > t⟧ or ⟦φ ≥ t⟧: a filter."""

    verb: str = "filter"

    def detail(self) -> str:
        return f"{'>' if self.pair.strict else '≥'} {self.pair.written}"


class Subtract(FunctionOf):
    """max{0, φ − c}."""

    verb: str = "subtract"

    def value(self, w: Vector) -> Vector:
        return np.maximum(w - self.pair.amount, 0.0)

    def detail(self) -> str:
        return f"{self.pair.written}"


class Substitute(FunctionOf):
    """1 − c/2 · (1 − φ)."""

    verb: str = "substitute"
    phi: nodes.Substitution

    def detail(self) -> str:
        return f"at the cost {self.phi.cost}"


class Normalize(FunctionOf):
    """P, R, F_β, J, edit similarity or error rate from φ(x, y), φ(x, x) and φ(y, y)."""

    verb: str = "normalise"

    pair: NormalizedPair

    def normalize(self, xy: Vector, xx: Vector, yy: Vector) -> Vector:
        """(4)–(7); 0/0 is `empty`."""
        return self.pair.normalize(xy, xx, yy, np.maximum, np.minimum, kernels.ratio)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """Where φ is not 0, or is 0/0: two empty sides, P of an empty prediction, R of an empty reference."""
        if self.fills:
            return Operator.join(self, preds, refs)
        i, j, w = self.inner.join(preds, refs)
        own, other = self.inner.self_scores(preds), self.inner.self_scores(refs)
        if self.pair.empty:
            p, r = np.flatnonzero(own == 0), np.flatnonzero(other == 0)
            kind = self.pair.kind
            if kind == "precision" or (kind == "fbeta" and not self.pair.square):
                r = np.arange(len(refs))
            elif kind == "recall":
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
        return np.zeros(len(own)) if self.pair.kind == "error_rate" else kernels.ratio(own, own, self.pair.empty)

    def detail(self) -> str:
        return self.pair.kind


class Recur(Operator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    verb: str = "recur"

    phi: nodes.Recursive | nodes.Again

    def __init__(self, pair: RecurPair) -> None:
        super().__init__(pair, [pair.target.operator] if isinstance(pair.phi, nodes.Recursive) else ())
        self.sel = pair.sel

    def target(self) -> Operator:
        """The similarity itself."""
        found: Operator = self.pair.target.operator
        return found

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if not len(preds) or not len(refs):
            return Pairs(kernels.places(()), kernels.places(()), np.zeros(0))
        return self.target().join(preds.select(self.sel), refs.select(self.sel))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.target().at(preds.select(self.sel), refs.select(self.sel), i, j) if len(i) else np.zeros(0)

    def self_scores(self, frame: Frame) -> Vector:
        return self.target().self_scores(frame.select(self.sel)) if len(frame) else np.zeros(0)

    def detail(self) -> str:
        return self.phi.name
