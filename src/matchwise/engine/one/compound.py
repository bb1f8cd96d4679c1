"""Functions of other similarities of the same two objects, or of a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from msgspec.structs import replace

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import children, is_searched
from matchwise.engine.one.evaluator import Make, Match, MatchKind, PairEvaluator, as_number
from matchwise.engine.one.parts import Part, remember
from matchwise.engine.one.values import case_finder
from matchwise.engine.rewrite import find_body, gather_keys, split_path, split_selector
from matchwise.engine.solve.cells import Cell


class ProductPair(PairEvaluator):
    """φ × ψ: the parts that meet by the first factor are compared by the others."""

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


class SumPair(PairEvaluator):
    """Σ w·φ over the parts that both sides have, added in the order in which they are written."""

    phi: nodes.Sum

    def __init__(self, phi: nodes.Sum, facts: Facts, make: Make) -> None:
        split = [split_selector(part) for _, part in phi.terms]
        super().__init__(phi, facts, make, [bare for _, bare in split])
        self.selectors = [sel for sel, _ in split]
        self.weights = [as_number(weight) for weight, _ in phi.terms]

    @remember
    def parts(self, p: Part) -> list[Part | None]:
        """What each term compares of an object; None where the object lacks it."""
        return [
            p.present(sel) if sel is not None else p if _has(part, p) else None
            for sel, (_, part) in zip(self.selectors, self.phi.terms, strict=True)
        ]

    def score(self, p: Part, r: Part) -> float:
        total: float = 0
        for weight, part, x, y in zip(self.weights, self.inputs, self.parts(p), self.parts(r), strict=True):
            if x is not None and y is not None:
                total += part.score(x, y) * weight
        return total

    def _own(self, p: Part) -> float:
        total: float = 0
        for weight, part, x in zip(self.weights, self.inputs, self.parts(p), strict=True):
            if x is not None:
                total += part.own(x) * weight
        return total

    def gather(self, us: Sequence[Part]) -> list[Sequence[Part]]:
        several = list(map(self.parts, us))
        return [[x for some in several if (x := some[number]) is not None] for number in range(len(self.inputs))]

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        """What each term finds, term by term: a field that is compared by its key is looked up and not compared."""
        mine, theirs = list(map(self.parts, us)), list(map(self.parts, vs))
        both = zip(self.weights, self.inputs, self.gather(us), self.gather(vs), strict=True)
        totals: dict[tuple[int, int], float] = {}
        for number, (weight, part, xs, ys) in enumerate(both):
            rows = [i for i, some in enumerate(mine) if some[number] is not None]
            columns = [j for j, some in enumerate(theirs) if some[number] is not None]
            for a, b, w in part.cells(xs, ys):
                place = rows[a], columns[b]
                totals[place] = totals.get(place, 0) + w * weight
        return [(i, j, w) for (i, j), w in sorted(totals.items()) if w]

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        both = list(zip(map(self.parts, ps), map(self.parts, rs), strict=True))
        for number, part in enumerate(self.inputs):
            met = [
                (x, y) for mine, theirs in both if (x := mine[number]) is not None and (y := theirs[number]) is not None
            ]
            part.solve_all([x for x, _ in met], [y for _, y in met])

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs, missed, spurious = [], [], []
        score: float = 0
        for number, (x, y) in enumerate(zip(self.parts(p), self.parts(r), strict=True)):
            weight, part = self.weights[number], self.inputs[number]
            if x is not None and y is not None and p.side.only_wrong and part.is_idle(x, y, w := part.score(x, y)):
                score += w * weight
            elif x is not None and y is not None:
                pair = part.match(x, y, counted=True)
                pairs.append(replace(pair, weight=self.phi.terms[number][0]))
                score += pair.score * weight
            elif y is not None:
                missed.append((y, part.own(y) * weight))
            elif x is not None:
                spurious.append((x, part.own(x) * weight))
        return self._made("sum", p, r, score, pairs, tuple(missed), tuple(spurious), counted=True)


def _has(phi: Similarity, p: Part) -> bool:
    """Whether an object has what φ compares; a compound φ has what any of its parts has."""
    if hasattr(phi, "sel"):
        return p.present(phi.sel) is not None
    return any(_has(part, p) for part in children(phi))


class FunctionPair(PairEvaluator):
    """A function of the values of one or more similarities of the same two objects.

    It `lifts` where it is above 0 although these are 0: then all pairs are compared.
    """

    kind: ClassVar[MatchKind] = "bracket"

    def __init__(self, phi: Similarity, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.lifts = bool(self.value(*[0] * len(self.inputs)))
        self.dense = self.dense or self.lifts

    def value(self, *values: Any) -> Any:
        """The function of numbers, and of arrays of them unless the operator has another."""
        raise NotImplementedError

    def score(self, p: Part, r: Part) -> float:
        found: float = self.value(*[part.score(p, r) for part in self.inputs])
        return found

    def _own(self, p: Part) -> float:
        found: float = self.value(*[part.own(p) for part in self.inputs])
        return found

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = [part.match(p, r, counted=counted) for part in self.inputs]
        return self._made(self.kind, p, r, self.value(*[pair.score for pair in pairs]), pairs, counted=counted)


class MeanPair(FunctionPair):
    """Σ w·φ / Σ w."""

    kind = "mean"

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


class HarmonicPair(FunctionPair):
    """2pr / (p + r)."""

    kind = "mean"

    def __init__(self, phi: nodes.Harmonic, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.dense = all(part.dense for part in self.inputs)

    def value(self, *values: Any) -> Any:
        p, r = values
        return p * 2 * r / (p + r) if p + r else 0

    def _own(self, p: Part) -> float:
        return self.score(p, p)


class AbovePair(FunctionPair):
    """⟦φ > t⟧, or ⟦φ ≥ t⟧: a filter."""

    def __init__(self, phi: nodes.Above, facts: Facts, make: Make) -> None:
        self.threshold, self.strict, self.written = as_number(phi.threshold), phi.strict, phi.threshold
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        return 1 * (values[0] > self.threshold if self.strict else values[0] >= self.threshold)


class MinusPair(FunctionPair):
    """max{0, φ − c}."""

    def __init__(self, phi: nodes.Minus, facts: Facts, make: Make) -> None:
        self.amount, self.written = as_number(phi.amount), phi.amount
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        return values[0] - self.amount if values[0] > self.amount else 0


class SubstitutionPair(FunctionPair):
    """1 − c/2 · (1 − φ)."""

    def __init__(self, phi: nodes.Substitution, facts: Facts, make: Make) -> None:
        self.half = as_number(phi.cost) / 2
        super().__init__(phi, facts, make)

    def value(self, *values: Any) -> Any:
        return 1 - (1 - values[0]) * self.half


class NormalizedPair(PairEvaluator):
    """P, R, F_β, J, edit similarity or error rate from φ(x, y), φ(x, x) and φ(y, y)."""

    def __init__(self, phi: nodes.Normalized, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.kind, self.empty = phi.kind, as_number(phi.empty)
        self.above, self.square = as_number(1 + phi.beta**2), as_number(phi.beta**2)
        self.lifts = phi.kind == "error_rate"
        self.dense = self.dense or self.lifts

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


class UnionPair(PairEvaluator):
    """φ_T by the type of the value: the cases never meet each other."""

    phi: nodes.Union

    def __init__(self, phi: nodes.Union, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.find_case = case_finder(phi)

    def score(self, p: Part, r: Part) -> float:
        (mine, x), (theirs, y) = self.find_case(p), self.find_case(r)
        return self.inputs[mine].score(x, y) if mine == theirs else 0

    def _own(self, p: Part) -> float:
        number, x = self.find_case(p)
        return self.inputs[number].own(x)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = list(map(self.find_case, us))
        theirs = mine if us is vs else list(map(self.find_case, vs))
        for number in sorted({number for number, _ in mine} & {number for number, _ in theirs}):
            some, others = ([x for case, x in side if case == number] for side in (mine, theirs))
            self.inputs[number].prepare(some, some if us is vs else others)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        (mine, x), (theirs, y) = self.find_case(p), self.find_case(r)
        if mine != theirs:
            return super().match(p, r, counted=counted)
        below = self.inputs[mine].match(x, y, counted=counted)
        return self._made("bracket", p, r, below.score, [below], counted=counted)


class OfPart(PairEvaluator):
    """φ of a selected part that many objects may share (the entity of each mention): computed once for each."""

    def __init__(self, phi: nodes.Overlap | nodes.Contingency, facts: Facts, make: Make) -> None:
        self.sel, last = split_path(phi)
        super().__init__(phi, facts, make, [last])

    @remember
    def only(self, p: Part) -> Part:
        """The selected part, the same one wherever the same object is selected."""
        selected = p.select(self.sel)
        found: Part = p.side.known.setdefault((self.sel, id(selected.value)), selected)
        return found

    def score(self, p: Part, r: Part) -> float:
        x, y = self.only(p), self.only(r)
        known, name = p.side.known, (self.inner, x, y, "score")
        if name not in known:
            known[name] = self.inner.score(x, y)
        made: float = known[name]
        return made

    def own(self, p: Part) -> float:
        return self.inner.own(self.only(p))

    def gather(self, us: Sequence[Part]) -> list[Sequence[Part]]:
        return [list(dict.fromkeys(map(self.only, us)))]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.inner.match(p.select(self.sel), r.select(self.sel), counted=counted)


class RecurPair(PairEvaluator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    phi: nodes.Recursive | nodes.Again

    def __init__(self, phi: nodes.Recursive | nodes.Again, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make, ())
        self.sel = phi.sel

    @cached_property
    def target(self) -> PairEvaluator:
        """The similarity itself, which is made when it is first asked for."""
        from matchwise.engine.one.build import evaluator

        return evaluator(*find_body(self.phi, self.scope))

    def score(self, p: Part, r: Part) -> float:
        return self.target.score(p.select(self.sel), r.select(self.sel))

    def own(self, p: Part) -> float:
        return self.target.own(p.select(self.sel))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        if us and vs:  # recursion ends where the data does
            mine = [u.select(self.sel) for u in us]
            self.target.prepare(mine, mine if us is vs else [v.select(self.sel) for v in vs])

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.target.match(p.select(self.sel), r.select(self.sel), counted=counted)
