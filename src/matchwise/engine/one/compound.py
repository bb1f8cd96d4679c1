"""Functions of other similarities of the same two objects, or of a part of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children, parts
from matchwise.engine.one.evaluator import Cell, Evaluator, Match, as_number
from matchwise.engine.one.parts import Part
from matchwise.engine.one.values import Key, case_number


class ProductPair(Evaluator):
    """φ × ψ: the parts that meet by the first factor are compared by the others."""

    def __init__(
        self, phi: nodes.Product, facts: Facts, key: Key | None, written: Sequence[Evaluator], graded: Sequence[int]
    ) -> None:
        factors = [written[place] for place in graded]
        super().__init__(phi, facts, *(factors if key is None else (key, *factors)))
        self.first, *self.rest = self.inputs
        self.written, self.graded = written, graded
        """The factors as they are written, and which of them are not in the key, in the order they are multiplied."""
        self.dense = self.first.dense
        self.is_asking = is_asking(phi)

    def score(self, p: Part, r: Part) -> float:
        total = self.first.score(p, r)
        for factor in self.rest:
            if total or not factor.dense:  # as a batch looks at them, so that both refuse the same objects
                total *= factor.score(p, r)
        return total

    def _own(self, p: Part) -> float:
        total = self.first.own(p)
        for factor in self.rest:
            total *= factor.own(p)
        return total

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        found = self.first.cells(us, vs)
        for factor in self.rest:
            found = [(i, j, w * more) for i, j, w in found if (more := factor.score(us[i], vs[j]))]
        return [cell for cell in found if cell[2]]

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return any(factor.tells_apart(us) for factor in self.inputs)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        if self.is_asking and not self.dense:  # nobody is asked about parts that do not meet
            met, is_one = self.first.cells(us, vs), us is vs
            us = [us[i] for i in sorted({i for i, _, _ in met})]
            vs = us if is_one else [vs[j] for j in sorted({j for _, j, _ in met})]
        super().prepare(us, vs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = tuple([factor.match(p, r, counted=counted) for factor in self.written])
        score: float = int(all(pair.score for pair in pairs))
        for place in self.graded:
            score *= pairs[place].score
        return self._made("product", p, r, score, pairs, counted=counted)


def is_asking(phi: Similarity) -> bool:
    """True if there is a function of two lists inside φ."""
    return any(isinstance(part, nodes.Custom) and part.batch for part in parts(phi))


class TermPair:
    """One part of a sum: its weight, what it selects, and the evaluator of what is selected."""

    __slots__ = ("evaluator", "number", "phi", "sel", "weight")

    def __init__(self, weight: Number, phi: Similarity, sel: Selector | None, evaluator: Evaluator) -> None:
        self.weight, self.phi, self.sel, self.evaluator = weight, phi, sel, evaluator
        self.number = as_number(weight)

    def present(self, p: Part) -> Part | None:
        """The part that this term compares; None if the object lacks it."""
        if self.sel is not None:
            return p.present(self.sel)
        return p if _has(self.phi, p) else None


def _has(phi: Similarity, p: Part) -> bool:
    """Whether an object has what φ compares; a compound φ has what any of its parts has."""
    if hasattr(phi, "sel"):
        return p.present(phi.sel) is not None
    return any(_has(part, p) for part in children(phi))


class SumPair(Evaluator):
    """Σ w·φ over the parts that both sides have, added in the order in which they are written."""

    def __init__(self, phi: nodes.Sum, facts: Facts, terms: list[TermPair]) -> None:
        super().__init__(phi, facts, *(term.evaluator for term in terms))
        self.terms = terms
        self.dense = any(part.dense for part in self.inputs)

    def parts(self, p: Part) -> list[Part | None]:
        """What each term compares of an object."""
        known, name = p.side.known, (p, self)
        made: list[Part | None] | None = known.get(name)
        if made is None:
            made = known[name] = [term.present(p) for term in self.terms]
        return made

    def score(self, p: Part, r: Part) -> float:
        total: float = 0
        for term, x, y in zip(self.terms, self.parts(p), self.parts(r), strict=True):
            if x is not None and y is not None:
                total += term.evaluator.score(x, y) * term.number
        return total

    def _own(self, p: Part) -> float:
        total: float = 0
        for term, x in zip(self.terms, self.parts(p), strict=True):
            if x is not None:
                total += term.evaluator.own(x) * term.number
        return total

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for number, part in enumerate(self.inputs):
            mine, theirs = ([x for u in side if (x := self.parts(u)[number]) is not None] for side in (us, vs))
            part.prepare(mine, mine if us is vs else theirs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs, missed, spurious = [], [], []
        score: float = 0
        for term, x, y in zip(self.terms, self.parts(p), self.parts(r), strict=True):
            if x is not None and y is not None:
                pair = term.evaluator.match(x, y, counted=True)
                pairs.append(replace(pair, weight=term.weight))
                score += pair.score * term.number
            elif y is not None:
                missed.append((y, term.evaluator.own(y) * term.number))
            elif x is not None:
                spurious.append((x, term.evaluator.own(x) * term.number))
        return self._made("sum", p, r, score, tuple(pairs), tuple(missed), tuple(spurious), counted=True)


class Several(Evaluator):
    """A function of several similarities of the same two objects."""

    def value(self, values: Sequence[Any]) -> Any:
        raise NotImplementedError

    def score(self, p: Part, r: Part) -> float:
        return self.value([part.score(p, r) for part in self.inputs])  # type: ignore[no-any-return]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = tuple([part.match(p, r, counted=counted) for part in self.inputs])
        return self._made("mean", p, r, self.value([pair.score for pair in pairs]), pairs, counted=counted)


class MeanPair(Several):
    """Σ w·φ / Σ w."""

    def __init__(self, phi: nodes.Mean, facts: Facts, *inputs: Evaluator) -> None:
        super().__init__(phi, facts, *inputs)
        self.weights = [float(w) for w, _ in phi.terms]
        self.total = sum(self.weights)
        self.dense = any(part.dense for part in inputs)

    def value(self, values: Sequence[Any]) -> Any:
        first, *rest = (value * weight for value, weight in zip(values, self.weights, strict=True))
        for value in rest:
            first = first + value
        return first / self.total

    def _own(self, p: Part) -> float:
        return self.value([part.own(p) for part in self.inputs])  # type: ignore[no-any-return]


class HarmonicPair(Several):
    """2pr / (p + r)."""

    def __init__(self, phi: nodes.Harmonic, facts: Facts, precision: Evaluator, recall: Evaluator) -> None:
        super().__init__(phi, facts, precision, recall)
        self.dense = precision.dense and recall.dense

    def value(self, values: Sequence[Any]) -> Any:
        p, r = values
        return p * 2 * r / (p + r) if p + r else 0


class BracketPair(Evaluator):
    """A function of φ(x, y) that is 0 where φ is, unless it is dense."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator) -> None:
        super().__init__(phi, facts, inner)
        self.inner, self.dense = inner, inner.dense

    def value(self, w: float) -> float:
        """What becomes of φ(x, y)."""
        raise NotImplementedError

    def score(self, p: Part, r: Part) -> float:
        return self.value(self.inner.score(p, r))

    def _own(self, p: Part) -> float:
        return self.value(self.inner.own(p))

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return self.inner.tells_apart(us)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        below = self.inner.match(p, r, counted=counted)
        return self._made("bracket", p, r, self.value(below.score), (below,), counted=counted)


class AbovePair(BracketPair):
    """⟦φ > t⟧, or ⟦φ ≥ t⟧."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Above) -> None:
        super().__init__(phi, facts, inner)
        self.threshold, self.strict = as_number(rooted.threshold), rooted.strict
        self.always = not rooted.strict and rooted.threshold <= 0  # φ ≥ 0
        self.dense = inner.dense or self.always

    def value(self, w: float) -> float:
        return int(w > self.threshold if self.strict else w >= self.threshold)

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return not self.always and super().tells_apart(us)


class MinusPair(BracketPair):
    """max{0, φ − c}."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Minus) -> None:
        super().__init__(phi, facts, inner)
        self.amount = as_number(rooted.amount)

    def value(self, w: float) -> float:
        return w - self.amount if w > self.amount else 0


class NormalizedPair(BracketPair):
    """P, R, F_β or J from φ(x, y), φ(x, x) and φ(y, y)."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Normalized) -> None:
        super().__init__(phi, facts, inner)
        self.kind, self.empty = rooted.kind, as_number(rooted.empty)
        self.above, self.square = as_number(1 + rooted.beta**2), as_number(rooted.beta**2)
        self.is_asking = is_asking(phi)

    def normalize(self, xy: float, xx: float, yy: float) -> float:
        """(4)–(7) of one pair; 0/0 is `empty`."""
        match self.kind:
            case "precision":
                below = xx
            case "recall":
                below = yy
            case "jaccard":
                below = xx + yy - xy
            case _:
                xy, below = xy * self.above, xx + yy * self.square
        return xy / below if below else self.empty

    def score(self, p: Part, r: Part) -> float:
        return self.normalize(self.inner.score(p, r), self.inner.own(p), self.inner.own(r))

    def _own(self, p: Part) -> float:
        if not self.inner.facts.self_score.holds:
            return self.score(p, p)
        return 1 if self.inner.own(p) else self.empty

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return not self.empty and self.inner.tells_apart(us)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        self.inner.prepare(us, vs)
        if self.is_asking:
            self.inner.prepare(us, us)
            self.inner.prepare(vs, vs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        below = self.inner.match(p, r, counted=True)
        score = self.normalize(below.score, self.inner.own(p), self.inner.own(r))
        return self._made("normalize", p, r, score, (below,), counted=True)


class UnionPair(Evaluator):
    """φ_T by the type of the value: the cases never meet each other."""

    phi: nodes.Union

    def __init__(self, phi: nodes.Union, facts: Facts, *inputs: Evaluator) -> None:
        super().__init__(phi, facts, *inputs)
        self.dense = any(part.dense for part in inputs)

    def case(self, p: Part) -> tuple[int, Part]:
        """The number of the case of the selected value, and the value."""
        selected = p.select(self.phi.sel)
        return case_number(selected, self.phi.cases), selected

    def score(self, p: Part, r: Part) -> float:
        (mine, x), (theirs, y) = self.case(p), self.case(r)
        return self.inputs[mine].score(x, y) if mine == theirs else 0

    def _own(self, p: Part) -> float:
        number, x = self.case(p)
        return self.inputs[number].own(x)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        sides: list[dict[int, list[Part]]] = []
        for side in (us,) if us is vs else (us, vs):
            made: dict[int, list[Part]] = {}
            for part in side:
                number, x = self.case(part)
                made.setdefault(number, []).append(x)
            sides.append(made)
        for number in sorted(sides[0].keys() & sides[-1].keys()):
            self.inputs[number].prepare(sides[0][number], sides[-1][number])

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        (mine, x), (theirs, y) = self.case(p), self.case(r)
        if mine != theirs:
            return super().match(p, r, counted=counted)
        below = self.inputs[mine].match(x, y, counted=counted)
        return self._made("bracket", p, r, below.score, (below,), counted=counted)


class OfPart(Evaluator):
    """φ of a selected part that many objects may share (the entity of each mention): computed once for each."""

    def __init__(self, phi: Similarity, facts: Facts, sel: Selector, inner: Evaluator) -> None:
        super().__init__(phi, facts, inner)
        self.sel, self.inner, self.dense = sel, inner, inner.dense

    def only(self, p: Part) -> Part:
        """The selected part, the same one wherever the same object is selected."""
        known, name = p.side.known, (p, self)
        found: Part | None = known.get(name)
        if found is None:
            selected = p.select(self.sel)
            found = known[name] = known.setdefault((self.sel, id(selected.value)), selected)
        return found

    def score(self, p: Part, r: Part) -> float:
        x, y = self.only(p), self.only(r)
        known, name = p.side.known, (self.inner, x, y, "score")
        made: float | None = known.get(name)
        if made is None:
            made = known[name] = self.inner.score(x, y)
        return made

    def own(self, p: Part) -> float:
        return self.inner.own(self.only(p))

    def _owners(self, us: Sequence[Part]) -> list[Part]:
        """Each different part."""
        return list(dict.fromkeys(map(self.only, us)))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._owners(us)
        self.inner.prepare(mine, mine if us is vs else self._owners(vs))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.inner.match(p.select(self.sel), r.select(self.sel), counted=counted)


class RecurPair(Evaluator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    def __init__(self, phi: nodes.Recursive | nodes.Again, facts: Facts, target: Callable[[], Evaluator]) -> None:
        super().__init__(phi, facts)
        self.sel, self.target = phi.sel, target

    def score(self, p: Part, r: Part) -> float:
        return self.target().score(p.select(self.sel), r.select(self.sel))

    def own(self, p: Part) -> float:
        return self.target().own(p.select(self.sel))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        if us and vs:  # recursion ends where the data does
            mine = [u.select(self.sel) for u in us]
            self.target().prepare(mine, mine if us is vs else [v.select(self.sel) for v in vs])

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.target().match(p.select(self.sel), r.select(self.sel), counted=counted)
