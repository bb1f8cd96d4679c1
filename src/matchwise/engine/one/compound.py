"""Functions of other similarities of the same two objects, or of a part of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.one.evaluator import Cell, Evaluator, Match, ratio, scaled
from matchwise.engine.one.parts import Part
from matchwise.engine.one.values import Key, case_number

if TYPE_CHECKING:
    from matchwise.arrays import Floats


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

    def score(self, p: Part, r: Part) -> float:
        total = self.first.score(p, r)
        for factor in self.rest:
            if not total:
                return 0.0
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
        if not isinstance(self.first, Key):
            return self._times(self.first.cells(us, vs), self.rest, us, vs)
        second, *rest = self.rest
        found: list[Cell] = []
        for rows, columns in self.first.buckets(us, vs):
            some = second.cells([us[i] for i in rows], [vs[j] for j in columns])
            found += [(rows[a], columns[b], w) for a, b, w in some]
        return sorted(self._times(found, rest, us, vs))

    @staticmethod
    def _times(cells: list[Cell], rest: list[Evaluator], us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        for factor in rest:
            cells = [(i, j, w * more) for i, j, w in cells if (more := factor.score(us[i], vs[j]))]
        return [cell for cell in cells if cell[2]]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        near = [factor for factor in self.rest if factor.windows]
        return min(factor.volume(us, vs) for factor in (self.first, *near))

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        if not self.dense:
            return super().grid(us, vs)
        made = self.first.grid(us, vs)
        for factor in self.rest:
            made = made * factor.grid(us, vs)
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        if not self.dense:
            met = self.first.cells(us, vs)
            mine, theirs = sorted({i for i, _, _ in met}), sorted({j for _, j, _ in met})
            is_same = us is vs
            us = [us[i] for i in mine]
            vs = us if is_same else [vs[j] for j in theirs]
        super().prepare(us, vs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = tuple([factor.match(p, r, counted=counted) for factor in self.written])
        score = float(all(pair.score for pair in pairs))
        for place in self.graded:
            score *= pairs[place].score
        return self._made("product", p, r, score, pairs, counted=counted)


class Term:
    """One part of a sum: its weight, what it selects, and the evaluator of what is selected."""

    __slots__ = ("evaluator", "phi", "sel", "weight")

    def __init__(self, weight: Number, phi: Similarity, sel: Selector | None, evaluator: Evaluator) -> None:
        self.weight, self.phi, self.sel, self.evaluator = weight, phi, sel, evaluator

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
        self.terms = [(term, float(term.weight)) for term in terms]
        self.dense = any(part.dense for part in self.inputs)
        self.windows = self.dense and all(part.windows or not part.dense for part in self.inputs)

    def parts(self, p: Part) -> list[Part | None]:
        """What each term compares of an object."""
        known, name = p.side.known, (p, self, "parts")
        made: list[Part | None] | None = known.get(name)
        if made is None:
            made = known[name] = [term.present(p) for term, _ in self.terms]
        return made

    def score(self, p: Part, r: Part) -> float:
        total = 0.0
        for (term, weight), x, y in zip(self.terms, self.parts(p), self.parts(r), strict=True):
            if x is not None and y is not None:
                w = term.evaluator.score(x, y)
                total += w if weight == 1 else w * weight
        return total

    def _own(self, p: Part) -> float:
        total = 0.0
        for (term, weight), x in zip(self.terms, self.parts(p), strict=True):
            if x is not None:
                w = term.evaluator.own(x)
                total += w if weight == 1 else w * weight
        return total

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        if self.fills(us, vs):
            return super().cells(us, vs)
        found: dict[tuple[int, int], float] = {}
        for number, (_, weight) in enumerate(self.terms):
            _add_cells(found, self._cells_of_term(number, us, vs), weight)
        return sorted((i, j, w) for (i, j), w in found.items() if w)

    def _of_term(self, number: int, us: Sequence[Part]) -> tuple[list[int], list[Part]]:
        """The places of the objects that have a part, and the parts."""
        several = [self.parts(u)[number] for u in us]
        kept = [place for place, part in enumerate(several) if part is not None]
        return kept, [part for part in several if part is not None]

    def _cells_of_term(self, number: int, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        (rows, mine), (columns, theirs) = self._of_term(number, us), self._of_term(number, vs)
        return [(rows[i], columns[j], w) for i, j, w in self.inputs[number].cells(mine, theirs)]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        if self.dense and not self.windows:
            return len(us) * len(vs)
        return sum(
            part.volume(self._of_term(number, us)[1], self._of_term(number, vs)[1])
            for number, part in enumerate(self.inputs)
        )

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        import numpy as np

        made = np.zeros((len(us), len(vs)))
        for number, (term, weight) in enumerate(self.terms):
            (rows, mine), (columns, theirs) = self._of_term(number, us), self._of_term(number, vs)
            if mine and theirs:
                found = term.evaluator.grid(mine, theirs)
                where: Any = np.s_[:] if found.shape == made.shape else np.ix_(rows, columns)
                made[where] += found if weight == 1 else found * weight
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for number, part in enumerate(self.inputs):
            if part.is_batched:
                mine = self._of_term(number, us)[1]
                part.prepare(mine, mine if us is vs else self._of_term(number, vs)[1])

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs, missed, spurious, score = [], [], [], 0.0
        for (term, weight), x, y in zip(self.terms, self.parts(p), self.parts(r), strict=True):
            if x is not None and y is not None:
                pair = term.evaluator.match(x, y, counted=True)
                pairs.append(replace(pair, weight=term.weight))
                score += scaled(pair.score, weight)
            elif y is not None:
                missed.append((y, scaled(term.evaluator.own(y), weight)))
            elif x is not None:
                spurious.append((x, scaled(term.evaluator.own(x), weight)))
        return self._made("sum", p, r, score, tuple(pairs), tuple(missed), tuple(spurious), counted=True)


def _add_cells(found: dict[tuple[int, int], float], cells: Iterable[Cell], weight: float) -> None:
    """Add the cells of one more term."""
    for i, j, w in cells:
        found[i, j] = found.get((i, j), 0.0) + scaled(w, weight)


class Mean(Evaluator):
    """Σ w·φ / Σ w."""

    def __init__(self, phi: nodes.Mean, facts: Facts, *inputs: Evaluator) -> None:
        super().__init__(phi, facts, *inputs)
        self.weights = [float(w) for w, _ in phi.terms]
        self.total = sum(self.weights)
        self.dense = any(part.dense for part in inputs)
        self.windows = self.dense and all(part.windows or not part.dense for part in inputs)

    def _mean(self, values: Iterable[Any]) -> Any:
        first, *rest = (scaled(value, weight) for value, weight in zip(values, self.weights, strict=True))
        for value in rest:
            first = first + value
        return first / self.total

    def score(self, p: Part, r: Part) -> float:
        return self._mean([part.score(p, r) for part in self.inputs])  # type: ignore[no-any-return]

    def _own(self, p: Part) -> float:
        return self._mean([part.own(p) for part in self.inputs])  # type: ignore[no-any-return]

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        if self.dense and self.fills(us, vs):
            return super().cells(us, vs)
        found: dict[tuple[int, int], float] = {}
        for part, weight in zip(self.inputs, self.weights, strict=True):
            _add_cells(found, part.cells(us, vs), weight)
        return sorted((i, j, w / self.total) for (i, j), w in found.items() if w)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        if self.dense and not self.windows:
            return len(us) * len(vs)
        return sum(part.volume(us, vs) for part in self.inputs)

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        return self._mean([part.grid(us, vs) for part in self.inputs])  # type: ignore[no-any-return]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = tuple([part.match(p, r, counted=counted) for part in self.inputs])
        return self._made("mean", p, r, self._mean([pair.score for pair in pairs]), pairs, counted=counted)


class Harmonic(Evaluator):
    """2pr / (p + r)."""

    def __init__(self, phi: nodes.Harmonic, facts: Facts, precision: Evaluator, recall: Evaluator) -> None:
        super().__init__(phi, facts, precision, recall)
        self.dense = precision.dense and recall.dense

    def score(self, p: Part, r: Part) -> float:
        one, other = (part.score(p, r) for part in self.inputs)
        return ratio(one * 2 * other, one + other, 0.0)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        if self.dense:
            return super().cells(us, vs)
        first, second = self.inputs
        near = (second if first.dense else first).cells(us, vs)
        return [(i, j, w) for i, j, _ in near if (w := self.score(us[i], vs[j]))]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        pairs = tuple([part.match(p, r, counted=counted) for part in self.inputs])
        one, other = (float(pair.score) for pair in pairs)
        return self._made("mean", p, r, ratio(one * 2 * other, one + other, 0.0), pairs, counted=counted)


class Bracket(Evaluator):
    """A function of φ(x, y) that is 0 where φ is, unless it is dense."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator) -> None:
        super().__init__(phi, facts, inner)
        self.inner, self.dense, self.windows = inner, inner.dense, inner.windows

    def value(self, w: Any) -> Any:
        """What becomes of φ(x, y), or of many in an array."""
        raise NotImplementedError

    def score(self, p: Part, r: Part) -> float:
        return float(self.value(self.inner.score(p, r)))

    def _own(self, p: Part) -> float:
        return float(self.value(self.inner.own(p)))

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        if self.dense and not self.windows:
            return super().cells(us, vs)
        return [(i, j, made) for i, j, w in self.inner.cells(us, vs) if (made := float(self.value(w)))]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return len(us) * len(vs) if self.dense and not self.windows else self.inner.volume(us, vs)

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        return self.value(self.inner.grid(us, vs)) * 1.0  # type: ignore[no-any-return]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        below = self.inner.match(p, r, counted=counted)
        return self._made("bracket", p, r, float(self.value(below.score)), (below,), counted=counted)


class Above(Bracket):
    """⟦φ > t⟧, or ⟦φ ≥ t⟧."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Above) -> None:
        super().__init__(phi, facts, inner)
        self.threshold, self.strict = float(rooted.threshold), rooted.strict
        if not self.strict and self.threshold <= 0:  # φ ≥ 0 always holds
            self.dense, self.windows = True, False

    def value(self, w: Any) -> Any:
        return w > self.threshold if self.strict else w >= self.threshold


class Minus(Bracket):
    """max{0, φ − c}."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Minus) -> None:
        super().__init__(phi, facts, inner)
        self.amount = float(rooted.amount)

    def value(self, w: Any) -> Any:
        return (w > self.amount) * abs(w - self.amount)


class Normalized(Evaluator):
    """P, R, F_β or J from φ(x, y), φ(x, x) and φ(y, y)."""

    def __init__(self, phi: Similarity, facts: Facts, inner: Evaluator, rooted: nodes.Normalized) -> None:
        super().__init__(phi, facts, inner)
        self.inner, self.dense, self.windows = inner, inner.dense, inner.windows
        self.norm, self.empty = rooted.kind, float(rooted.empty)
        self.above, self.square = float(1 + rooted.beta**2), float(rooted.beta**2)

    def value(self, xy: float, xx: float, yy: float) -> float:
        """(4)–(7) of one pair; 0/0 is `empty`."""
        match self.norm:
            case "precision":
                return ratio(xy, xx, self.empty)
            case "recall":
                return ratio(xy, yy, self.empty)
            case "jaccard":
                return ratio(xy, xx + yy - xy, self.empty)
        return ratio(xy * self.above, xx + yy * self.square, self.empty)

    def score(self, p: Part, r: Part) -> float:
        return self.value(self.inner.score(p, r), self.inner.own(p), self.inner.own(r))

    def _own(self, p: Part) -> float:
        own = self.inner.own(p)
        return ratio(own, own, self.empty) if self.inner.facts.self_score.holds else self.score(p, p)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        if self.dense and not self.windows:
            return super().cells(us, vs)
        mine, theirs = [self.inner.own(u) for u in us], [self.inner.own(v) for v in vs]
        found = {(i, j): self.value(w, mine[i], theirs[j]) for i, j, w in self.inner.cells(us, vs)}
        if self.empty:  # 0/0: two empty sides, P of an empty prediction, R of an empty reference
            rows = [i for i, own in enumerate(mine) if not own or self.norm == "recall"]
            columns = [j for j, own in enumerate(theirs) if not own or self.norm == "precision"]
            for i in rows:
                for j in columns:
                    found.setdefault((i, j), self.empty)
        return sorted((i, j, w) for (i, j), w in found.items() if w)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return len(us) * len(vs) if self.dense and not self.windows else self.inner.volume(us, vs)

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        import numpy as np

        xy = self.inner.grid(us, vs)
        xx, yy = np.array([[self.inner.own(u)] for u in us]), np.array([self.inner.own(v) for v in vs])
        below = {"precision": xx + 0 * yy, "recall": 0 * xx + yy, "jaccard": xx + yy - xy}.get(self.norm)
        if below is None:
            xy, below = xy * self.above, xx + yy * self.square
        made = np.full(xy.shape, self.empty)
        np.divide(xy, below, out=made, where=below != 0)
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for one, other in ((us, vs), (us, us), (vs, vs)):
            self.inner.prepare(one, other)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        below = self.inner.match(p, r, counted=True)
        score = self.value(below.score, self.inner.own(p), self.inner.own(r))
        return self._made("normalize", p, r, score, (below,), counted=True)


class Union(Evaluator):
    """φ_T by the type of the value: the cases never meet each other."""

    phi: nodes.Union

    def __init__(self, phi: nodes.Union, facts: Facts, *inputs: Evaluator) -> None:
        super().__init__(phi, facts, *inputs)
        self.dense = any(part.dense for part in inputs)
        self.windows = self.dense and all(part.windows or not part.dense for part in inputs)

    def case(self, p: Part) -> tuple[int, Part]:
        """The number of the case of the selected value, and the value."""
        selected = p.select(self.phi.sel)
        return case_number(selected, self.phi.cases), selected

    def score(self, p: Part, r: Part) -> float:
        (mine, x), (theirs, y) = self.case(p), self.case(r)
        return self.inputs[mine].score(x, y) if mine == theirs else 0.0

    def _own(self, p: Part) -> float:
        number, x = self.case(p)
        return self.inputs[number].own(x)

    def _members(self, us: Sequence[Part]) -> dict[int, tuple[list[int], list[Part]]]:
        """The places and values of each case."""
        made: dict[int, tuple[list[int], list[Part]]] = {}
        for place, u in enumerate(us):
            number, x = self.case(u)
            places, values = made.setdefault(number, ([], []))
            places.append(place)
            values.append(x)
        return made

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        mine, theirs = self._members(us), self._members(vs)
        found: list[Cell] = []
        for number in mine.keys() & theirs.keys():
            (rows, xs), (columns, ys) = mine[number], theirs[number]
            found += [(rows[i], columns[j], w) for i, j, w in self.inputs[number].cells(xs, ys)]
        return sorted(found)

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        mine, theirs = self._members(us), self._members(vs)
        met = mine.keys() & theirs.keys()
        return sum(self.inputs[number].volume(mine[number][1], theirs[number][1]) for number in met)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._members(us)
        theirs = mine if us is vs else self._members(vs)
        for number in mine.keys() & theirs.keys():
            self.inputs[number].prepare(mine[number][1], theirs[number][1])

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

    def _only(self, p: Part) -> Part:
        """The selected part, the same one wherever the same object is selected."""
        selected = p.select(self.sel)
        only: Part = p.side.known.setdefault((self, id(selected.value)), selected)
        return only

    def score(self, p: Part, r: Part) -> float:
        x, y = self._only(p), self._only(r)
        known, name = p.side.known, (self, x, y)
        made: float | None = known.get(name)
        if made is None:
            made = known[name] = self.inner.score(x, y)
        return made

    def _own(self, p: Part) -> float:
        return self.inner.own(self._only(p))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = list(dict.fromkeys(map(self._only, us)))
        self.inner.prepare(mine, mine if us is vs else list(dict.fromkeys(map(self._only, vs))))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.inner.match(p.select(self.sel), r.select(self.sel), counted=counted)


class Recur(Evaluator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    def __init__(
        self, phi: nodes.Recursive | nodes.Again, facts: Facts, target: Callable[[], Evaluator], is_batched: bool
    ) -> None:
        super().__init__(phi, facts)
        self.sel, self.target, self.is_batched = phi.sel, target, is_batched

    def score(self, p: Part, r: Part) -> float:
        return self.target().score(p.select(self.sel), r.select(self.sel))

    def own(self, p: Part) -> float:
        return self.target().own(p.select(self.sel))

    def _select(self, us: Sequence[Part]) -> Sequence[Part]:
        return [u.select(self.sel) for u in us] if self.sel else us

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return self.target().cells(self._select(us), self._select(vs))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._select(us)
        self.target().prepare(mine, mine if us is vs else self._select(vs))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.target().match(p.select(self.sel), r.select(self.sel), counted=counted)
