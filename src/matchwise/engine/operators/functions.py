"""Functions of the values of similarities of the same two objects: ×, mean, ⟦φ > t⟧, max{0, φ − c}, and P R F J."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.walk import is_searched
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.parts import Part
from matchwise.engine.operators.operator import Make, Match, MatchKind, Operator, as_number
from matchwise.engine.rewrite import gather_keys
from matchwise.engine.solve.cells import Cell


class Multiply(Operator):
    """φ × ψ: join on one factor, compare what meets by the others."""

    verb = "product"
    has_arrays = True

    def __init__(self, phi: nodes.Product, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.written = self.inputs
        key, rest = gather_keys(phi)
        graded = [part for part, factor in zip(self.written, phi.factors, strict=True) if factor in rest]
        graded.sort(key=lambda part: part.dense)  # join where a join is possible
        self.inputs = [*([] if key is None else [make(key)]), *graded]
        self.graded = [self.written.index(part) for part in graded]
        """The factors that are not in the key, in the order they are multiplied."""
        self.inner = self.inputs[0]
        self.dense = self.inner.dense
        self.skipped = [part.dense or is_searched(part.phi) for part in self.inputs]
        """Whether a factor is left out where one before it is 0. A batch does so, too: both refuse the same objects."""

    def score(self, p: Part, r: Part) -> float:
        total = self.inner.score(p, r)
        for factor, skipped in zip(self.inputs[1:], self.skipped[1:], strict=True):
            if total or not skipped:
                total *= factor.score(p, r)
        return total

    def _own(self, p: Part) -> float:
        total = self.inner.own(p)
        for factor in self.inputs[1:]:
            total *= factor.own(p)
        return total

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        found = self.inner.cells(us, vs)
        for factor in self.inputs[1:]:
            found = [(i, j, w * more) for i, j, w in found if (more := factor.score(us[i], vs[j]))]
        return [cell for cell in found if cell[2]]

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        if self.is_asking and not self.dense:  # nobody is asked about parts that do not meet
            met, is_one = self.inner.cells(us, vs), us is vs
            us = [us[i] for i in sorted({i for i, _, _ in met})]
            vs = us if is_one else [vs[j] for j in sorted({j for _, j, _ in met})]
        super().prepare(us, vs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = [factor.match(p, r, counted=counted) for factor in self.written]
        score: float = int(all(pair.score for pair in pairs))
        for place in self.graded:
            score *= pairs[place].score
        return self._made("product", p, r, score, pairs, counted=counted)

    @cached_property
    def windows(self) -> bool:
        return self.inner.windows

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """Join on the first factor, or on one that finds fewer pairs because it knows what is in reach (spans)."""
        least = self.inner
        for factor in self.inputs[1:]:
            windows = factor.in_reach(preds, refs) if factor.windows else None
            if windows is not None and windows.count() < least.volume(preds, refs):
                least = factor
        if least.fills:
            return self.fill(preds, refs)
        i, j, _ = least.join(preds, refs)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        w = self.inner.at(preds, refs, i, j)
        for factor, skipped in zip(self.inputs[1:], self.skipped[1:], strict=True):
            kept = np.flatnonzero(w)
            if len(kept) == len(w) or not skipped:
                w = w * factor.at(preds, refs, i, j)
            elif len(kept):
                w = kernels.spread(len(w), kept, w[kept] * factor.at(preds, refs, i[kept], j[kept]))
        return w

    def self_scores(self, frame: Frame) -> Vector:
        made = self.inner.self_scores(frame)
        for factor in self.inputs[1:]:
            made = made * factor.self_scores(frame)
        return made

    def children(self) -> Iterable[tuple[str, Operator]]:
        return ("join", self.inner), *(("probe", factor) for factor in self.inputs[1:])

    def cost(self) -> str:
        return "O(n·m)" if self.dense else "O(n + m + pairs joined)"


class FunctionOf(Operator):
    """A function of the values of one or more similarities of the same two objects.

    It `lifts` where it is above 0 although these are 0: then all pairs are compared.
    """

    has_arrays = True
    shown_as: ClassVar[MatchKind] = "bracket"

    def __init__(self, phi: Any, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.lifts = bool(self.value(*[0] * len(self.inputs)))
        self.dense = self.dense or self.lifts

    def value(self, *values: Any) -> Any:
        """The function of numbers, and of arrays of them unless `values` is another."""
        raise NotImplementedError

    def values(self, *values: Vector) -> Vector:
        """The function of arrays of numbers."""
        return np.asarray(self.value(*values), dtype=np.float64)

    @cached_property
    def windows(self) -> bool:
        return super().windows and not self.lifts

    def score(self, p: Part, r: Part) -> float:
        found: float = self.value(*[part.score(p, r) for part in self.inputs])
        return found

    def _own(self, p: Part) -> float:
        found: float = self.value(*[part.own(p) for part in self.inputs])
        return found

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = [part.match(p, r, counted=counted) for part in self.inputs]
        return self._made(self.shown_as, p, r, self.value(*[pair.score for pair in pairs]), pairs, counted=counted)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.fills:
            return self.fill(preds, refs)
        found = [part.join(preds, refs) for part in self.inputs]
        i, j, w = found[0]
        if len(found) == 1:
            return Pairs.of(i, j, self.values(w))
        i, j = (np.concatenate([pairs[side] for pairs in found]) for side in (0, 1))
        i, j, _, _ = kernels.group(i, j, len(refs))
        return Pairs.of(i, j, self.values(*[pairs.at(i, j, len(refs)) for pairs in found]))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.values(*[part.at(preds, refs, i, j) for part in self.inputs])

    def self_scores(self, frame: Frame) -> Vector:
        return self.values(*[part.self_scores(frame) for part in self.inputs])

    def volume(self, preds: Frame, refs: Frame) -> int:
        return super().volume(preds, refs) if self.fills else self.inner.volume(preds, refs)

    def in_reach(self, preds: Frame, refs: Frame) -> Any:
        return self.inner.in_reach(preds, refs)


class Average(FunctionOf):
    """Σ w·φ / Σ w."""

    verb = "mean"
    shown_as = "mean"
    phi: nodes.Mean

    def __init__(self, phi: nodes.Mean, facts: Facts, make: Make) -> None:
        self.weights = [float(w) for w, _ in phi.terms]
        self.total = sum(self.weights)
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        total = values[0] * self.weights[0]
        for value, weight in zip(values[1:], self.weights[1:], strict=True):
            total += value * weight
        return total / self.total

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        found = super().match(p, r, counted=counted)
        pairs = (replace(pair, weight=weight) for pair, (weight, _) in zip(found.pairs, self.phi.terms, strict=True))
        return replace(found, pairs=tuple(pairs))

    def children(self) -> Iterable[tuple[str, Operator]]:
        return [(f"{weight} ×", part) for weight, part in zip(self.weights, self.inputs, strict=True)]


class HarmonicMean(FunctionOf):
    """2pr / (p + r)."""

    verb = "harmonic mean"
    shown_as = "mean"

    def __init__(self, phi: nodes.Harmonic, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.dense = all(part.dense for part in self.inputs)

    def value(self, *values: Any) -> Any:
        p, r = values
        return p * 2 * r / (p + r) if p + r else 0

    def values(self, *values: Vector) -> Vector:
        p, r = values
        return kernels.ratio(p * 2 * r, p + r, 0)

    def _own(self, p: Part) -> float:
        return self.score(p, p)

    def self_scores(self, frame: Frame) -> Vector:
        return self.diagonal(frame)

    def children(self) -> Iterable[tuple[str, Operator]]:
        return zip(("precision", "recall"), self.inputs, strict=True)


class Threshold(FunctionOf):
    """⟦φ > t⟧, or ⟦φ ≥ t⟧: a filter."""

    verb = "filter"

    def __init__(self, phi: nodes.Above, facts: Facts, make: Make) -> None:
        self.threshold, self.strict, self.written = as_number(phi.threshold), phi.strict, phi.threshold
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        return 1 * (values[0] > self.threshold if self.strict else values[0] >= self.threshold)

    def detail(self) -> str:
        return f"{'>' if self.strict else '≥'} {self.written}"


class Subtract(FunctionOf):
    """max{0, φ − c}."""

    verb = "subtract"

    def __init__(self, phi: nodes.Minus, facts: Facts, make: Make) -> None:
        self.amount, self.written = as_number(phi.amount), phi.amount
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        return values[0] - self.amount if values[0] > self.amount else 0

    def values(self, *values: Vector) -> Vector:
        return np.maximum(values[0] - self.amount, 0.0)

    def detail(self) -> str:
        return f"{self.written}"


class Substitute(FunctionOf):
    """1 − c/2 · (1 − φ)."""

    verb = "substitute"
    phi: nodes.Substitution

    def __init__(self, phi: nodes.Substitution, facts: Facts, make: Make) -> None:
        self.half = as_number(phi.cost) / 2
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        return 1 - (1 - values[0]) * self.half

    def detail(self) -> str:
        return f"at the cost {self.phi.cost}"


class Normalize(FunctionOf):
    """P, R, F_β, J, edit similarity or error rate from φ(x, y), φ(x, x) and φ(y, y)."""

    verb = "normalise"

    def __init__(self, phi: nodes.Normalized, facts: Facts, make: Make) -> None:
        self.kind, self.empty = phi.kind, as_number(phi.empty)
        self.above, self.square = as_number(1 + phi.beta**2), as_number(phi.beta**2)
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        """Of a φ between two objects that score 1 with themselves."""
        return self.normalize(values[0], 1, 1)

    def normalize(self, xy: Any, xx: Any, yy: Any, most: Any = max, least: Any = min, ratio: Any = None) -> Any:
        """(4)–(7), of one pair or, by functions for them, of arrays of pairs; 0/0 is `empty`."""
        match self.kind:
            case "precision":
                above, below = xy, xx
            case "recall":
                above, below = xy, yy
            case "jaccard":
                above, below = xy, xx + yy - xy
            case "edit":
                above, below = most(xy * 2 - least(xx, yy), 0), most(xx, yy)
            case "error_rate":
                above, below = most(xx + yy - xy * 2, 0), yy + (yy == 0)
            case _:
                above, below = xy * self.above, xx + yy * self.square
        if ratio is not None:
            return ratio(above, below, self.empty)
        return above / below if below else self.empty

    def score(self, p: Part, r: Part) -> float:
        found: float = self.normalize(self.inner.score(p, r), self.inner.own(p), self.inner.own(r))
        return found

    def _own(self, p: Part) -> float:
        if not self.inner.facts.self_score.holds:
            return self.score(p, p)
        if self.kind == "error_rate":
            return 0
        return 1 if self.inner.own(p) else self.empty

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        self.inner.prepare(us, vs)
        if self.is_asking:
            self.inner.prepare(us, us)
            self.inner.prepare(vs, vs)

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        self.inner.solve_all(ps, rs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        below = self.inner.match(p, r, counted=True)
        score = self.normalize(below.score, self.inner.own(p), self.inner.own(r))
        return self._made("normalize", p, r, score, [below], counted=True)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """Where φ is not 0, or is 0/0: two empty sides, P of an empty prediction, R of an empty reference."""
        if self.fills:
            return self.fill(preds, refs)
        i, j, w = self.inner.join(preds, refs)
        own, other = self.inner.self_scores(preds), self.inner.self_scores(refs)
        if self.empty:
            p, r = np.flatnonzero(own == 0), np.flatnonzero(other == 0)
            kind = self.kind
            if kind == "precision" or (kind == "fbeta" and not self.square):
                r = np.arange(len(refs))
            elif kind == "recall":
                p = np.arange(len(preds))
            a, b = kernels.join(preds.scope()[p], refs.scope()[r])
            rows, columns = np.concatenate((i, p[a])), np.concatenate((j, r[b]))
            i, j, number, order = kernels.group(rows, columns, len(refs))
            w = np.bincount(number, np.concatenate((w, np.zeros(len(a))))[order], len(i))
        return Pairs.of(i, j, self._normalize_all(w, own[i], other[j]))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        own, other = self.inner.self_scores(preds), self.inner.self_scores(refs)
        return self._normalize_all(self.inner.at(preds, refs, i, j), own[i], other[j])

    def _normalize_all(self, xy: Vector, xx: Vector, yy: Vector) -> Vector:
        return self.normalize(xy, xx, yy, np.maximum, np.minimum, kernels.ratio)

    def self_scores(self, frame: Frame) -> Vector:
        if not self.inner.facts.self_score.holds:
            return self.diagonal(frame)
        own = self.inner.self_scores(frame)
        return np.zeros(len(own)) if self.kind == "error_rate" else kernels.ratio(own, own, self.empty)

    def detail(self) -> str:
        return self.kind
