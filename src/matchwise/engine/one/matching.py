"""Collections: Σ over the best matching of their elements, the best pair, inclusion, and functions of their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts, is_realigned, is_whole
from matchwise.engine.one.compound import is_asking
from matchwise.engine.one.evaluator import Cell, Evaluator, Match, Unmatched, add_up, as_number, is_long
from matchwise.engine.one.parts import Part, frames
from matchwise.engine.one.values import Key, column_keys
from matchwise.engine.order import content_order, sort_groups
from matchwise.engine.selection import attempt, is_keyed_mapping, pair_same_keys, valid
from matchwise.engine.solve.cells import Content, choose_cells, combine, joint
from matchwise.engine.solve.sequence import common_subsequence, match_sequence, sum_matrix, sum_sequence

if TYPE_CHECKING:
    from matchwise.engine.many.operators.matching import MatchElements

Solution = tuple[float, list[Cell]]
"""Σ, and the pairs it is made of, sorted."""


class OfElements(Evaluator):
    """What compares the elements of two collections by an inner similarity."""

    phi: nodes.Overlap | nodes.Best | nodes.Contingency

    def __init__(self, phi: Any, facts: Facts, inner: Evaluator, *more: Evaluator) -> None:
        super().__init__(phi, facts, inner, *more)
        self.inner, self.is_asking = inner, is_asking(phi)

    def parts(self, p: Part) -> list[Part]:
        """The elements that are compared."""
        return p.elements(self.phi.sel)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._flat(us)
        theirs = mine if us is vs else self._flat(vs)
        if mine and theirs:
            us[0].side.known[self, vs[0].side, "prepared"] = True
            self.inputs[-1].prepare(mine, theirs)  # what aligns, if there is something: it may leave nothing to score

    def _flat(self, us: Sequence[Part]) -> list[Part]:
        """The elements of several collections; those of one are the same list, of which something may be known."""
        several = [self.parts(u) for u in us]
        return several[0] if len(several) == 1 else list(chain.from_iterable(several))

    def show(self, p: Part, r: Part) -> None:
        """Prepare a pair of collections, unless what compares them has done so."""
        if (self, r.side, "prepared") not in p.side.known:
            self.prepare([p], [r])

    def inner_cells(self, p: Part, r: Part) -> list[Cell]:
        """The elements that are similar."""
        us, vs = self.parts(p), self.parts(r)
        if not us or not vs:
            return []
        self.show(p, r)
        return self.inner.cells(us, vs)


class Collection(OfElements):
    """Σ^◇ of two collections, and the pairs behind it."""

    phi: nodes.Overlap

    def solution(self, p: Part, r: Part) -> Solution:
        raise NotImplementedError

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        us, vs = self.parts(p), self.parts(r)
        score, found = self.solution(p, r)
        places = [(i, j) for i, j, _ in found]
        if is_keyed_mapping(self.phi):
            places += pair_same_keys([u.value for u in us], [v.value for v in vs], places)
        pairs = []
        for i, j in places:
            pairs.append(self.inner.match(us[i], vs[j], counted=True))
        missed, spurious = self._left(vs, {j for _, j in places}), self._left(us, {i for i, _ in places})
        return self._made("match", p, r, score, tuple(pairs), missed, spurious, counted=True)

    def _left(self, us: list[Part], met: set[int]) -> Unmatched:
        return tuple([(u, self.inner.own(u)) for place, u in enumerate(us) if place not in met])


class Bag(Collection):
    """Σ^◇[δ] of two bags: Σ over equal elements of what `match` makes of their counts."""

    inner: Key

    def keys(self, p: Part) -> list[Hashable]:
        """The keys of the elements."""
        found = column_keys(self.phi.inner, p.values(self.phi.sel))
        return self.inner.keys(p.elements(self.phi.sel)) if found is None else found

    def counts(self, p: Part) -> Counter[Hashable]:
        """How often each key is there."""
        known, name = p.side.known, (p, self)
        made: Counter[Hashable] | None = known.get(name)
        if made is None:
            made = known[name] = Counter(self.keys(p))
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for part in (*us, *vs):
            self.counts(part)

    def score(self, p: Part, r: Part) -> float:
        mine, theirs = self.counts(p), self.counts(r)
        return sum(joint(self.phi.match, mine[k], theirs[k]) for k in mine.keys() & theirs.keys())

    def own(self, p: Part) -> float:
        counts = self.counts(p)
        return sum(count**2 for count in counts.values()) if self.phi.match == "N:N" else counts.total()

    def tells_apart(self, us: Sequence[Part]) -> bool:
        """True if no element is in two collections, or twice in one."""
        several = list(map(self.keys, us))
        return len(set().union(*several)) == sum(map(len, several))

    def solution(self, p: Part, r: Part) -> Solution:
        """Equal elements are paired in the order of their content."""
        mine, theirs, how = self._places(p), self._places(r), self.phi.match
        found: list[Cell] = []
        for k in mine.keys() & theirs.keys():
            here, there = mine[k], theirs[k]
            if how == "1:1":
                found += [(i, j, 1) for i, j in zip(here, there, strict=False)]
            else:
                rows, columns = here[:1] if how == "1:N" else here, there[:1] if how == "N:1" else there
                found += [(i, j, 1) for i in rows for j in columns]
        return len(found), sorted(found)

    def _places(self, p: Part) -> dict[Hashable, list[int]]:
        """The places of each key, in the order of content."""
        made: dict[Hashable, list[int]] = {}
        for place, k in enumerate(self.keys(p)):
            made.setdefault(k, []).append(place)
        repeated = [k for k, places in made.items() if len(places) > 1]
        if repeated:
            ordered = sort_groups(p.values(self.phi.sel), [made[k] for k in repeated])
            made.update(zip(repeated, ordered, strict=True))
        return made


class OverlapPair(Collection):
    """Σ^◇[φ] of two collections whose elements have a similarity of their own."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, inner: Evaluator, by: Evaluator | None) -> None:
        super().__init__(phi, facts, inner, *(() if by is None else (by,)))
        self.by = by
        self.is_bag = phi.order == "bag" and by is None
        self.dense = phi.order != "bag" or (inner if by is None else by).dense
        self.is_whole = is_whole(phi.inner)

    def score(self, p: Part, r: Part) -> float:
        if p.side.keeps:
            return self.solution(p, r)[0]
        if self.phi.order == "sequence" and self.by is None:
            return self._sequence_total(p, r, None)
        return self._solve(p, r)[0]

    def solution(self, p: Part, r: Part) -> Solution:
        if not p.side.keeps:
            return self._solve(p, r)
        known, name = p.side.known, (self, p, r)
        made: Solution | None = known.get(name)
        if made is None:
            made = known[name] = self._solve(p, r)
        return made

    def _solve(self, p: Part, r: Part) -> Solution:
        if self.is_bag and is_long(p.values(self.phi.sel), r.values(self.phi.sel)):
            return self._by_arrays(p, r)
        us, vs = self.parts(p), self.parts(r)
        if not us or not vs:
            return 0, []
        self.show(p, r)
        if self.is_bag:  # trees are deep: no function of its own, which would be a frame at each level
            found, how = self.inner.cells(us, vs), self.phi.match
            if how != "N:N":  # equal optima of whole numbers have one sum: no content decides if nobody reads the pairs
                content = contents(us, vs) if p.side.keeps or not self.is_whole else None
                found = [found[place] for place in choose_cells(how, found, content)]
            return add_up(w for _, _, w in found), found
        decides = self.inner if self.by is None else self.by
        if self.phi.order == "index":
            both = enumerate(zip(us, vs, strict=False))
            cells = [(i, i, w) for i, (u, v) in both if (w := decides.score(u, v))]
        else:
            cells = decides.cells(us, vs)
        if self.by is not None:
            return self._align(cells, us, vs)
        if self.phi.order == "index":
            return add_up(w for _, _, w in cells), cells
        return self._sequence_total(p, r, cells), self._sequence(cells, us, vs)

    def _by_arrays(self, p: Part, r: Part) -> Solution:
        """Σ of two long lists, and its pairs, as `many` finds them."""
        place, operator = np.zeros(1, dtype=np.intp), cast("MatchElements", self.operator)
        mine = [p]
        with frames(mine, mine if p is r else [r]) as both:
            found = operator.chosen(*both, place, place)
            [total] = operator.at(*both, place, place).tolist()
        return total, list(zip(found.a.tolist(), found.b.tolist(), found.w.tolist(), strict=True))

    def _align(self, cells: list[Cell], us: list[Part], vs: list[Part]) -> Solution:
        """Choose the pairs by another similarity and, among equals, by the inner one, which scores them."""
        if cells:
            self.inner.prepare(us, vs)
        scores = [self.inner.score(us[i], vs[j]) for i, j, _ in cells]
        weights = combine([w for _, _, w in cells], list(scores))
        worth = {(i, j): w for (i, j, _), w in zip(cells, scores, strict=True)}
        some = [(i, j, w) for (i, j, _), w in zip(cells, weights, strict=True) if w]
        if self.phi.order == "sequence":
            some = self._sequence(some, us, vs)  # type: ignore[assignment]  # whole numbers as they are
        elif self.phi.order == "bag":
            some = [some[place] for place in choose_cells(self.phi.match, some, contents(us, vs), exact=True)]
        found = [(i, j, worth[i, j]) for i, j, _ in some]
        return add_up(w for _, _, w in found), found

    def _sequence(self, cells: Sequence[Cell], us: list[Part], vs: list[Part]) -> list[Cell]:
        """The best matching without crossings."""
        weights = {(i, j): w for i, j, w in cells}
        return [(i, j, weights[i, j]) for i, j in match_sequence(self.phi.match, cells, len(us), len(vs))]

    def _sequence_total(self, p: Part, r: Part, cells: list[Cell] | None) -> float:
        """Σ of two sequences, by the kernel that suits them; what is added up on the way is not rounded once."""
        how, inner, us, vs = self.phi.match, self.inner, self.parts(p), self.parts(r)
        if how == "1:1" and isinstance(inner, Key):
            return common_subsequence(inner.keys(us), inner.keys(vs))  # type: ignore[return-value]  # a whole number
        if cells is None:
            self.show(p, r)
            if is_long(us, vs) and inner.dense:
                return sum_matrix(how, inner.table(us, vs))  # type: ignore[return-value]  # no fraction
            cells = inner.cells(us, vs) if us and vs else []
        return sum_sequence(how, cells, len(us), len(vs))  # type: ignore[return-value]  # no fraction

    def _own(self, p: Part) -> float:
        known, how = self.inner.facts, self.phi.match
        best = {"1:1": known.left or known.right, "N:1": known.left, "1:N": known.right, "N:N": False}[how]
        us = self.parts(p)
        if self.by is None and not best and not self._is_diagonal(us):
            return self.score(p, p)
        if self.is_asking:
            self.inner.prepare(us, us)
        worth = []
        for u in us:
            worth.append(self.inner.own(u))
        return add_up(worth)

    def _is_diagonal(self, us: list[Part]) -> bool:
        """True if no element scores but with itself, and so as the self-score has it."""
        is_own = self.inner.facts.self_score.holds or not is_realigned(self.inner.phi)
        return self.phi.order == "bag" and is_own and self.inner.tells_apart(us)


def contents(us: Sequence[Part], vs: Sequence[Part]) -> tuple[Content, Content]:
    """How the elements of both sides are put into the order of their content, which breaks ties."""

    def order(parts: Sequence[Part]) -> Content:
        return lambda groups: sort_groups([part.value for part in parts], groups)

    return order(us), order(vs)


class BestPair(OfElements):
    """max φ(u, v) over the elements of two collections; a value that is not a collection is its own only element."""

    phi: nodes.Best

    def __init__(self, phi: nodes.Best, facts: Facts, inner: Evaluator) -> None:
        super().__init__(phi, facts, inner)
        self.dense = inner.dense

    def parts(self, p: Part) -> list[Part]:
        return p.several(self.phi.sel)

    def score(self, p: Part, r: Part) -> float:
        return max([w for _, _, w in self.inner_cells(p, r)], default=0)

    def _own(self, p: Part) -> float:
        if not self.inner.facts.self_score.holds:
            return self.score(p, p)
        us = self.parts(p)
        if self.is_asking:
            self.inner.prepare(us, us)
        return max([self.inner.own(u) for u in us], default=0)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        us, vs, cells = self.parts(p), self.parts(r), self.inner_cells(p, r)
        if not cells:
            return self._made("bracket", p, r, 0, counted=counted)
        mine, theirs = (content_order([part.value for part in side]) for side in (us, vs))
        rank_p, rank_r = ({place: rank for rank, place in enumerate(order)} for order in (mine, theirs))
        score, i, j = max((w, -rank_p[i], -rank_r[j]) for i, j, w in cells)  # equal pairs are told apart by content
        chosen = self.inner.match(us[mine[-i]], vs[theirs[-j]], counted=counted)
        return self._made("bracket", p, r, score, (chosen,), counted=counted)


class SubsetPair(Evaluator):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧."""

    phi: nodes.Subset

    def __init__(self, phi: nodes.Subset, facts: Facts, found: Bag) -> None:
        super().__init__(phi, facts)
        self.found = found
        """Σ→[δ], which is |P| if all elements of P are in R."""

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        self.found.prepare(us, vs)

    def score(self, p: Part, r: Part) -> float:
        mine, theirs = self.found.counts(p), self.found.counts(r)
        return int(bool(mine) and all(k in theirs for k in mine))


class ContingencyPair(OfElements):
    """f(T), T the non-zero φ(u, v) of two collections."""

    dense = True
    phi: nodes.Contingency

    def score(self, p: Part, r: Part) -> float:
        cells = self.inner_cells(p, r)
        weights = [int(w) if w == int(w) else w for _, _, w in cells]  # `math.comb` refuses floats
        try:
            found = attempt(self.phi.function, [i for i, _, _ in cells], [j for _, j, _ in cells], weights)
            return as_number(valid(found, self.phi, self.facts))
        except ValueError as error:
            raise p.select(self.phi.sel).fail(str(error)) from error
