"""Similarities of parts of two objects that are added up (+ ∪), shared by many objects, or recur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from msgspec.structs import replace

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.parts import Part, remember
from matchwise.engine.operators.equality import case_finder, case_members
from matchwise.engine.operators.operator import Make, Match, Operator, as_number
from matchwise.engine.rewrite import find_body, split_path, split_selector
from matchwise.engine.selection import join, kinds_of
from matchwise.engine.solve.cells import Cell


class SumOfParts(Operator):
    """Σ w·φ over the parts that both sides have."""

    has_arrays = True
    weights: Sequence[float]

    def parts(self, p: Part) -> list[Part | None]:
        """What each input compares of an object; None where the object lacks it."""
        raise NotImplementedError

    def present(self, frame: Frame) -> list[Present]:
        """The same of the elements of a frame."""
        raise NotImplementedError

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

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.fills:
            return self.fill(preds, refs)
        found = [(np.arange(0), np.arange(0), np.zeros(0))]
        for operator, weight, mine, theirs in self._terms(preds, refs):
            a, b, w = operator.join(mine.frame, theirs.frame)
            found.append((mine.owners(a), theirs.owners(b), w * weight))
        rows, columns, weights = map(np.concatenate, zip(*found, strict=True))
        i, j, number, order = kernels.group(rows, columns, len(refs))
        return Pairs.of(i, j, np.bincount(number, weights[order], len(i)))  # terms are added in order

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        total = np.zeros(len(i))
        for operator, weight, mine, theirs in self._terms(preds, refs):
            places, a, b = meet(mine, theirs, preds, refs, i, j)
            if len(a):
                found = operator.at(mine.frame, theirs.frame, a, b) * weight
                total += found if places is None else kernels.spread(len(i), places, found)
        return total

    def _terms(self, preds: Frame, refs: Frame) -> list[tuple[Operator, float, Present, Present]]:
        """The operators and weights of the parts that both sides have, and these parts."""
        every = zip(self.inputs, self.weights, self.present(preds), self.present(refs), strict=True)
        return [term for term in every if len(term[2].frame) and len(term[3].frame)]

    def self_scores(self, frame: Frame) -> Vector:
        total = np.zeros(len(frame))
        for operator, weight, (kept, own) in zip(self.inputs, self.weights, self.present(frame), strict=True):
            if len(own):
                found = operator.self_scores(own) * weight
                total += found if kept is None else kernels.spread(len(frame), kept, found)
        return total


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
    """Σ w·φ over the parts that both sides have, added in the order in which they are written."""

    verb = "sum of parts"
    phi: nodes.Sum

    def __init__(self, phi: nodes.Sum, facts: Facts, make: Make) -> None:
        split = [split_selector(part) for _, part in phi.terms]
        super().__init__(phi, facts, make, [bare for _, bare in split])
        self.selectors = [sel for sel, _ in split]
        self.reads = [_find_selectors(part) for _, part in phi.terms]
        """What each term reads of an object: a term without a selector compares objects that have any of it."""
        self.weights = [as_number(weight) for weight, _ in phi.terms]

    @remember
    def parts(self, p: Part) -> list[Part | None]:
        """What each term compares of an object; None where the object lacks it."""
        return [
            p.present(sel) if sel is not None else p if any(p.present(one) is not None for one in reads) else None
            for sel, reads in zip(self.selectors, self.reads, strict=True)
        ]

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

    @remember
    def present(self, frame: Frame) -> list[Present]:
        return [
            frame.present(sel) if sel is not None else frame.keep(_find_any([frame.present(one) for one in reads]))
            for sel, reads in zip(self.selectors, self.reads, strict=True)
        ]

    def children(self) -> Iterable[tuple[str, Operator]]:
        named = zip(self.phi.terms, self.selectors, self.inputs, strict=True)
        return [(f"{weight} × {join('', sel or ())}".rstrip(), part) for (weight, _), sel, part in named]


def _find_selectors(phi: Similarity) -> list[Selector]:
    """What φ reads of an object: its selector, or those of the parts of a compound φ."""
    if hasattr(phi, "sel"):
        return [phi.sel]
    return [sel for part in children(phi) for sel in _find_selectors(part)]


def _find_any(several: list[Present]) -> list[int]:
    """The elements that have any of some parts."""
    found: list[int] = np.unique(np.concatenate([part.owners(np.arange(len(part.frame))) for part in several])).tolist()
    return found


class ByCase(SumOfParts):
    """φ_T by the type of the value: the cases never meet each other."""

    verb = "union"
    phi: nodes.Union

    def __init__(self, phi: nodes.Union, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.find_case = case_finder(phi)
        self.weights = [1] * len(self.inputs)

    @remember
    def parts(self, p: Part) -> list[Part | None]:
        number, x = self.find_case(p)
        return [x if case == number else None for case in range(len(self.inputs))]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        (mine, x), (theirs, y) = self.find_case(p), self.find_case(r)
        if mine != theirs:
            return super().match(p, r, counted=counted)
        below = self.inputs[mine].match(x, y, counted=counted)
        return self._made("bracket", p, r, below.score, [below], counted=counted)

    @remember
    def present(self, frame: Frame) -> list[Present]:
        """The values of each case: which elements have them (None: all), and the values."""
        values = frame.select(self.sel)
        members = case_members(kinds_of(self.phi), values)
        return [values.keep(members.get(number, [])) for number in range(len(self.inputs))]

    def children(self) -> Iterable[tuple[str, Operator]]:
        names = [case if isinstance(case, str) else case.__name__ for case, _ in self.phi.cases]
        return zip(names, self.inputs, strict=True)


class Select(Operator):
    """φ of a selected part that many objects may share (the entity of each mention): computed once for each."""

    verb = "select"
    has_arrays = True

    def __init__(self, phi: nodes.Overlap | nodes.Contingency, facts: Facts, make: Make) -> None:
        sel, last = split_path(phi)
        super().__init__(phi, facts, make, [last])
        self.sel = sel

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

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        (p, xs), (r, ys) = preds.select(self.sel).distinct(), refs.select(self.sel).distinct()
        a, b, w = self.inner.join(xs, ys)
        i, at = kernels.join(p, a)
        place, j = kernels.join(b[at], r)
        i, w = i[place], w[at][place]
        order = np.lexsort((j, i))
        return Pairs(i[order], j[order], w[order])

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        (p, xs), (r, ys) = preds.select(self.sel).distinct(), refs.select(self.sel).distinct()
        x, y, number, order = kernels.group(p[i], r[j], len(ys))
        made = np.empty(len(i))
        made[order] = self.inner.at(xs, ys, x, y)[number]
        return made

    def self_scores(self, frame: Frame) -> Vector:
        numbers, distinct = frame.select(self.sel).distinct()
        return self.inner.self_scores(distinct)[numbers]

    def detail(self) -> str:
        return f"{join('', self.sel)}, once per distinct object"


class Recur(Operator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    verb = "recur"
    has_arrays = True
    phi: nodes.Recursive | nodes.Again

    def __init__(self, phi: nodes.Recursive | nodes.Again, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make, ())

    @cached_property
    def target(self) -> Operator:
        """The similarity itself, which is made when it is first asked for."""
        from matchwise.engine.operators.build import operator

        return operator(*find_body(self.phi, self.scope))

    def score(self, p: Part, r: Part) -> float:
        return self.target.score(p.select(self.sel), r.select(self.sel))

    def own(self, p: Part) -> float:
        return self.target.own(p.select(self.sel))

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = [u.select(self.sel) for u in us]
        self.target.prepare(mine, mine if us is vs else [v.select(self.sel) for v in vs])

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        return self.target.match(p.select(self.sel), r.select(self.sel), counted=counted)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if not len(preds) or not len(refs):
            return Pairs(kernels.places(()), kernels.places(()), np.zeros(0))
        return self.target.join(preds.select(self.sel), refs.select(self.sel))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.target.at(preds.select(self.sel), refs.select(self.sel), i, j) if len(i) else np.zeros(0)

    def self_scores(self, frame: Frame) -> Vector:
        return self.target.self_scores(frame.select(self.sel)) if len(frame) else np.zeros(0)

    def detail(self) -> str:
        return self.phi.name

    def children(self) -> Iterable[tuple[str, Operator]]:
        return [("", self.target)] if isinstance(self.phi, nodes.Recursive) else ()
