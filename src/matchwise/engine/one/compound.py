"""Functions of other similarities of the same two objects, or of a part of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import is_
from typing import Any

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children, parts
from matchwise.engine.one.evaluator import Cell, Evaluator, Match, as_number
from matchwise.engine.one.parts import Part
from matchwise.engine.one.values import Key, Leaf, case_number
from matchwise.engine.tuning import LARGE_TABLE, SPARSE


class Product(Evaluator):
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

    def check(self, us: Sequence[Part]) -> None:
        for factor in self.inputs:
            factor.check(us)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        found, rest = [], self.rest
        if not isinstance(self.first, Key) or self.first.volume(us, vs) <= SPARSE * (len(us) + len(vs)):
            found = self.first.cells(us, vs)
        else:  # few keys, such as types: a join inside each of them
            second, *rest = rest
            for rows, columns in self.first.buckets(us, vs):
                some = second.cells([us[i] for i in rows], [vs[j] for j in columns])
                found += [(rows[a], columns[b], w) for a, b, w in some]
            found.sort()
        for factor in rest:
            found = [(i, j, w * more) for i, j, w in found if (more := factor.score(us[i], vs[j]))]
        return [cell for cell in found if cell[2]]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        near = [factor for factor in self.inputs if factor is self.first or isinstance(factor, Leaf)]
        return min(factor.volume(us, vs) for factor in near)

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


class Term:
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


class Sum(Evaluator):
    """Σ w·φ over the parts that both sides have, added in the order in which they are written."""

    def __init__(self, phi: nodes.Sum, facts: Facts, terms: list[Term]) -> None:
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

    def having(self, number: int, us: Sequence[Part]) -> tuple[Sequence[int], Sequence[Part]]:
        """The places of the objects that have the part of a term, and these parts."""
        several = [self.parts(u)[number] for u in us]
        if all(map(is_, several, us)):
            return range(len(us)), us  # the same list, of which something may be known
        kept = [place for place, part in enumerate(several) if part is not None]
        return kept, [part for part in several if part is not None]

    def fills(self, us: Sequence[Part], vs: Sequence[Part]) -> bool:
        size = len(us) * len(vs)  # terms that find few pairs each may find most of them together
        if size < LARGE_TABLE or len(self.terms) == 1:
            return super().fills(us, vs)
        return self.volume(us, vs) * SPARSE > size

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        found: dict[tuple[int, int], float] = {}
        for number, term in enumerate(self.terms):
            (rows, mine), (columns, theirs) = self.having(number, us), self.having(number, vs)
            for i, j, w in term.evaluator.cells(mine, theirs):
                place = rows[i], columns[j]
                found[place] = found.get(place, 0) + w * term.number
        return sorted((i, j, w) for (i, j), w in found.items() if w)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        several = enumerate(self.inputs)
        return sum(part.volume(self.having(number, us)[1], self.having(number, vs)[1]) for number, part in several)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for number, part in enumerate(self.inputs):
            mine = self.having(number, us)[1]
            part.prepare(mine, mine if us is vs else self.having(number, vs)[1])

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


class Mean(Several):
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

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        found: dict[tuple[int, int], float] = {}
        for part, weight in zip(self.inputs, self.weights, strict=True):
            for i, j, w in part.cells(us, vs):
                found[i, j] = found.get((i, j), 0) + w * weight
        return sorted((i, j, w / self.total) for (i, j), w in found.items() if w)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return sum(part.volume(us, vs) for part in self.inputs)


class Harmonic(Several):
    """2pr / (p + r)."""

    def __init__(self, phi: nodes.Harmonic, facts: Facts, precision: Evaluator, recall: Evaluator) -> None:
        super().__init__(phi, facts, precision, recall)
        self.dense = precision.dense and recall.dense
        self.near = recall if precision.dense else precision

    def value(self, values: Sequence[Any]) -> Any:
        p, r = values
        return ratio(p * 2 * r, p + r, 0)

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return [(i, j, w) for i, j, _ in self.near.cells(us, vs) if (w := self.score(us[i], vs[j]))]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return self.near.volume(us, vs)


def ratio(above: float, below: float, empty: float) -> float:
    """above / below; 0/0 is `empty`."""
    return above / below if below else empty


class Bracket(Evaluator):
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

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return [(i, j, made) for i, j, w in self.inner.cells(us, vs) if (made := self.value(w))]

    def fills(self, us: Sequence[Part], vs: Sequence[Part]) -> bool:
        return self.inner.fills(us, vs)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return self.inner.volume(us, vs)

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return self.inner.tells_apart(us)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        below = self.inner.match(p, r, counted=counted)
        return self._made("bracket", p, r, self.value(below.score), (below,), counted=counted)


class Above(Bracket):
    """⟦φ > t⟧, or ⟦φ ≥ t⟧."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Above) -> None:
        super().__init__(phi, facts, inner)
        self.threshold, self.strict = as_number(rooted.threshold), rooted.strict
        self.always = not rooted.strict and rooted.threshold <= 0  # φ ≥ 0
        self.dense = inner.dense or self.always

    def value(self, w: float) -> float:
        return int(w > self.threshold if self.strict else w >= self.threshold)

    def fills(self, us: Sequence[Part], vs: Sequence[Part]) -> bool:
        return self.always or super().fills(us, vs)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return len(us) * len(vs) if self.always else super().volume(us, vs)

    def tells_apart(self, us: Sequence[Part]) -> bool:
        return not self.always and super().tells_apart(us)


class Minus(Bracket):
    """max{0, φ − c}."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Minus) -> None:
        super().__init__(phi, facts, inner)
        self.amount = as_number(rooted.amount)

    def value(self, w: float) -> float:
        return w - self.amount if w > self.amount else 0


class Normalized(Bracket):
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
                return ratio(xy, xx, self.empty)
            case "recall":
                return ratio(xy, yy, self.empty)
            case "jaccard":
                return ratio(xy, xx + yy - xy, self.empty)
        return ratio(xy * self.above, xx + yy * self.square, self.empty)

    def score(self, p: Part, r: Part) -> float:
        return self.normalize(self.inner.score(p, r), self.inner.own(p), self.inner.own(r))

    def _own(self, p: Part) -> float:
        own = self.inner.own(p)
        return ratio(own, own, self.empty) if self.inner.facts.self_score.holds else self.score(p, p)

    def check(self, us: Sequence[Part]) -> None:
        self.inner.check(us)

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        mine, theirs = [self.inner.own(u) for u in us], [self.inner.own(v) for v in vs]
        found = {(i, j): self.normalize(w, mine[i], theirs[j]) for i, j, w in self.inner.cells(us, vs)}
        if self.empty:  # 0/0: two empty sides, P of an empty prediction, R of an empty reference
            rows = [i for i, own in enumerate(mine) if not own or self.kind == "recall"]
            is_precision = self.kind == "precision" or not self.square  # F_0 is P
            columns = [j for j, own in enumerate(theirs) if not own or is_precision]
            for i in rows:
                for j in columns:
                    found.setdefault((i, j), self.empty)
        return sorted((i, j, w) for (i, j), w in found.items() if w)

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


Members = dict[int, tuple[list[int], list[Part]]]
"""The places of the parts of each case of a union, and their values."""


class Union(Evaluator):
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

    def _meet(self, us: Sequence[Part], vs: Sequence[Part]) -> Iterable[tuple[Evaluator, Any, Any]]:
        """The evaluator of each case that both sides have, and the members of both."""
        sides: list[Members] = []
        for side in (us,) if us is vs else (us, vs):
            made: Members = {}
            for place, part in enumerate(side):
                number, x = self.case(part)
                places, values = made.setdefault(number, ([], []))
                places.append(place)
                values.append(x)
            sides.append(made)
        return [(self.inputs[n], sides[0][n], sides[-1][n]) for n in sorted(sides[0].keys() & sides[-1].keys())]

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        found: list[Cell] = []
        for inner, (rows, xs), (columns, ys) in self._meet(us, vs):
            found += [(rows[i], columns[j], w) for i, j, w in inner.cells(xs, ys)]
        return sorted(found)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return sum(inner.volume(xs, ys) for inner, (_, xs), (_, ys) in self._meet(us, vs))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for inner, (_, xs), (_, ys) in self._meet(us, vs):
            inner.prepare(xs, ys)

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

    def check(self, us: Sequence[Part]) -> None:
        self.inner.check(list(self._owners(us)))

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        mine, theirs = self._owners(us), self._owners(vs)
        near = self.inner.cells(list(mine), list(theirs))
        xs, ys = list(mine.values()), list(theirs.values())
        return sorted((i, j, w) for a, b, w in near for i in xs[a] for j in ys[b])

    def _owners(self, us: Sequence[Part]) -> dict[Part, list[int]]:
        """Each different part, and the places of the objects that have it."""
        made: dict[Part, list[int]] = {}
        for place, u in enumerate(us):
            made.setdefault(self.only(u), []).append(place)
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = list(self._owners(us))
        self.inner.prepare(mine, mine if us is vs else list(self._owners(vs)))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.inner.match(p.select(self.sel), r.select(self.sel), counted=counted)


class Recur(Evaluator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    def __init__(self, phi: nodes.Recursive | nodes.Again, facts: Facts, target: Callable[[], Evaluator]) -> None:
        super().__init__(phi, facts)
        self.sel, self.target = phi.sel, target

    def score(self, p: Part, r: Part) -> float:
        return self.target().score(p.select(self.sel), r.select(self.sel))

    def own(self, p: Part) -> float:
        return self.target().own(p.select(self.sel))

    def _select(self, us: Sequence[Part]) -> Sequence[Part]:
        return [u.select(self.sel) for u in us] if self.sel else us

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return self.target().cells(self._select(us), self._select(vs)) if us and vs else []

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        if us and vs:  # recursion ends where the data does
            mine = self._select(us)
            self.target().prepare(mine, mine if us is vs else self._select(vs))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.target().match(p.select(self.sel), r.select(self.sel), counted=counted)
