"""Collections: Σ over the best matching of their elements, the best pair, inclusion, and functions of their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts, is_whole
from matchwise.engine.one.evaluator import Make, Match, PairEvaluator, Unmatched, as_number, is_long
from matchwise.engine.one.parts import Part, frames, remember
from matchwise.engine.one.values import Key, column_keys
from matchwise.engine.order import content_order, sort_groups
from matchwise.engine.selection import attempt, is_keyed_mapping, pair_same_keys, valid
from matchwise.engine.solve.cells import JOINT, Cell, Content, choose_cells, combine, exact_sum
from matchwise.engine.solve.sequence import (
    common_subsequence,
    match_edits,
    match_sequence,
    sum_edits,
    sum_matrix,
    sum_sequence,
)

if TYPE_CHECKING:
    from matchwise.engine.many.frame import Frame
    from matchwise.engine.many.operators.collections import MatchElements

Solution = tuple[float, list[Cell]]
"""Σ, and the pairs it is made of, sorted."""


class OfElements(PairEvaluator):
    """What compares the elements of two collections by an inner similarity."""

    phi: nodes.Overlap | nodes.Best | nodes.Contingency

    def parts(self, p: Part) -> list[Part]:
        """The elements that are compared."""
        return p.elements(self.phi.sel)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = [part for u in us for part in self.parts(u)]
        theirs = mine if us is vs else [part for v in vs for part in self.parts(v)]
        if mine and theirs:
            us[0].side.known[self, vs[0].side, "prepared"] = True
            self.inputs[-1].prepare(mine, theirs)  # what aligns, if there is something: it may leave nothing to score

    def show(self, p: Part, r: Part) -> None:
        """Prepare a pair of collections, unless what compares them has done so."""
        if (self, r.side, "prepared") not in p.side.known:
            one = [p]
            self.prepare(one, one if p is r else [r])

    def inner_cells(self, p: Part, r: Part) -> list[Cell]:
        """The elements that are similar."""
        us, vs = self.parts(p), self.parts(r)
        if not us or not vs:
            return []
        self.show(p, r)
        return self.inner.cells(us, vs)

    def inner_own(self, p: Part) -> list[float]:
        """What each element scores with itself."""
        us = self.parts(p)
        if self.is_asking:
            self.inner.prepare(us, us)
        worth = []
        for u in us:  # no comprehension: trees are deep, and each would be a frame
            worth.append(self.inner.own(u))
        return worth


class Collection(OfElements):
    """Σ^◇ of two collections, and the pairs behind it."""

    phi: nodes.Overlap

    def solution(self, p: Part, r: Part) -> Solution:
        raise NotImplementedError

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        us, vs = self.parts(p), self.parts(r)
        score, found = self.solution(p, r)
        pairs = []
        for i, j, w in found:
            if self.inner.is_idle(us[i], vs[j], w):
                pairs.append(Match("leaf", self.inner.text, w, us[i], vs[j], w, w))
            else:
                pairs.append(self.inner.match(us[i], vs[j], counted=True))
        places = [(i, j) for i, j, _ in found]
        if is_keyed_mapping(self.phi):
            more = pair_same_keys([u.value for u in us], [v.value for v in vs], places)
            pairs += [self.inner.match(us[i], vs[j], counted=True) for i, j in more]
            places += more
        missed, spurious = self._left(vs, {j for _, j in places}), self._left(us, {i for i, _ in places})
        return self._made("match", p, r, score, pairs, missed, spurious, counted=True)

    def _left(self, us: list[Part], met: set[int]) -> Unmatched:
        return tuple([(u, self.inner.own(u)) for place, u in enumerate(us) if place not in met])


class OfKeys(Collection):
    """Σ of two collections whose elements are compared by a key."""

    keyed: Key

    @remember
    def keys(self, p: Part) -> list[Hashable]:
        """The key of each element."""
        found = column_keys(self.keyed.phi, p.values(self.phi.sel), p.side)
        return self.keyed.keys(self.parts(p)) if found is None else found

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for part in (*us, *vs):
            self.keys(part)

    def _left(self, us: list[Part], met: set[int]) -> Unmatched:
        return tuple([(u, 1) for place, u in enumerate(us) if place not in met])


class Bag(OfKeys):
    """Σ^◇[δ] of two bags: Σ over equal elements of what `match` makes of their counts."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.keyed = cast(Key, self.inner)

    def score(self, p: Part, r: Part) -> float:
        mine, theirs, joint = Counter(self.keys(p)), Counter(self.keys(r)), JOINT[self.phi.match]
        return sum([joint(mine[k], theirs[k]) for k in mine.keys() & theirs.keys()])

    def own(self, p: Part) -> float:
        if self.phi.match != "N:N":
            return len(self.keys(p))
        return sum([count * count for count in Counter(self.keys(p)).values()])

    def solution(self, p: Part, r: Part) -> Solution:
        """Equal elements are paired in the order of their content."""
        mine, theirs, how = self._sorted(p), self._sorted(r), self.phi.match
        found: list[Cell] = []
        for k in mine.keys() & theirs.keys():
            here, there = mine[k], theirs[k]
            if how == "1:1":
                found += [(i, j, 1) for i, j in zip(here, there, strict=False)]
            else:
                rows, columns = here[:1] if how == "1:N" else here, there[:1] if how == "N:1" else there
                found += [(i, j, 1) for i in rows for j in columns]
        return len(found), sorted(found)

    def _sorted(self, p: Part) -> dict[Hashable, list[int]]:
        """The places of each key, in the order of content."""
        made: dict[Hashable, list[int]] = {}
        for place, k in enumerate(self.keys(p)):
            made.setdefault(k, []).append(place)
        repeated = [k for k, places in made.items() if len(places) > 1]
        if not repeated:
            return made
        ordered = sort_groups(p.values(self.phi.sel), [made[k] for k in repeated])
        return made | dict(zip(repeated, ordered, strict=True))


class OverlapPair(Collection):
    """Σ^◇[φ] of two bags whose elements have a similarity of their own."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.is_whole = is_whole(phi.inner)
        """True if all weights are whole numbers: equal optima have the same sum to the last bit, whichever is found."""
        left, right = self.inner.facts.left.holds, self.inner.facts.right.holds
        self.is_best_to_itself = {"1:1": left or right, "N:1": left, "1:N": right, "N:N": False}[phi.match]
        """True if no matching of a collection to itself exceeds that of each element to itself."""

    def score(self, p: Part, r: Part) -> float:
        return self.solution(p, r)[0] if p.side.keeps else self._solve(p, r)[0]

    def solution(self, p: Part, r: Part) -> Solution:
        if not p.side.keeps:
            return self._solve(p, r)
        known, name = p.side.known, (self, p, r)
        if name not in known:
            known[name] = self._solve(p, r)
        made: Solution = known[name]
        return made

    def _solve(self, p: Part, r: Part) -> Solution:
        if is_long(p.values(self.phi.sel), r.values(self.phi.sel)):
            mine = [p]
            with frames(mine, mine if p is r else [r]) as both:
                return self._by_arrays(*both)[0]
        us, vs, how = self.parts(p), self.parts(r), self.phi.match
        if not us or not vs:
            return 0, []
        self.show(p, r)
        found = self.inner.cells(us, vs)
        if how != "N:N":
            content = contents(us, vs) if p.side.keeps or not self.is_whole else None
            found = [found[place] for place in choose_cells(how, found, content)]
        return exact_sum([w for _, _, w in found]), found

    def _by_arrays(self, p: Frame, r: Frame) -> list[Solution]:
        """Σ of the collections of each pair of objects, and its pairs, as `many` finds them."""
        places, operator = np.arange(len(p)), cast("MatchElements", self.operator)
        block, a, b, w = operator.chosen(p, r, places, places)
        a, b = a - p.flat(self.phi.sel).offsets[block], b - r.flat(self.phi.sel).offsets[block]
        cells = list(zip(a.tolist(), b.tolist(), w.tolist(), strict=True))
        totals, ends = operator.at(p, r, places, places), np.searchsorted(block, np.arange(len(p) + 1))
        return [
            (total, cells[start:end])
            for total, (start, end) in zip(totals.tolist(), pairwise(ends.tolist()), strict=True)
        ]

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        if len(ps) < 2:
            return
        with frames(ps, rs, apart=True) as both:
            for p, r, made in zip(ps, rs, self._by_arrays(*both), strict=True):
                p.side.known[self, p, r] = made
            if self.is_best_to_itself:  # then each element is compared with itself
                for parts, frame in zip((ps, rs), both, strict=True):
                    elements = [element for part in parts for element in self.parts(part)]
                    worth = self.inner.operator.self_scores(frame.flat(self.phi.sel).frame)
                    for element, own in zip(elements, worth.tolist(), strict=True):
                        element.side.known[self.inner, element] = own

    def _own(self, p: Part) -> float:
        return exact_sum(self.inner_own(p)) if self.is_best_to_itself else self.score(p, p)


class OrderedPair(OverlapPair):
    """Σ^◇[φ] of two collections whose matching keeps an order, or is chosen by another similarity."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.by = None if phi.align_by is None else self.inputs[1]
        self.dense = phi.order != "bag" or self.inputs[-1].dense
        self.is_best_to_itself = self.is_best_to_itself or self.by is not None

    def score(self, p: Part, r: Part) -> float:
        if self.phi.order == "sequence" and self.by is None and not p.side.keeps:
            return self._sequence_total(p, r, None)
        return super().score(p, r)

    def _solve(self, p: Part, r: Part) -> Solution:
        us, vs = self.parts(p), self.parts(r)
        if not us or not vs:
            return 0, []
        self.show(p, r)
        decides = self.inputs[-1]
        if self.phi.order == "index":
            both = enumerate(zip(us, vs, strict=False))
            cells = [(i, i, w) for i, (u, v) in both if (w := decides.score(u, v))]
        else:
            cells = decides.cells(us, vs)
        if self.by is not None:
            return self._align(cells, us, vs)
        if self.phi.order == "index":
            return exact_sum([w for _, _, w in cells]), cells
        return self._sequence_total(p, r, cells), self._sequence(cells, us, vs)

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        """Sequences are matched one by one: there is no kernel for many of them."""

    def _align(self, cells: list[Cell], us: list[Part], vs: list[Part]) -> Solution:
        """Choose the pairs by another similarity and, among equals, by the inner one, which scores them."""
        if cells:
            self.inner.prepare(us, vs)
        worth = {(i, j): self.inner.score(us[i], vs[j]) for i, j, _ in cells}
        weights = combine([w for _, _, w in cells], list(worth.values()))
        some: list[Cell] = [(i, j, w) for (i, j, _), w in zip(cells, weights, strict=True) if w]
        if self.phi.order == "sequence":
            some = self._sequence(some, us, vs)
        elif self.phi.order == "bag":
            some = [some[place] for place in choose_cells(self.phi.match, some, contents(us, vs), exact=True)]
        found = [(i, j, worth[i, j]) for i, j, _ in some]
        return exact_sum([w for _, _, w in found]), found

    def _sequence(self, cells: Sequence[Cell], us: list[Part], vs: list[Part]) -> list[Cell]:
        """The best matching without crossings."""
        weights = {(i, j): w for i, j, w in cells}
        return [(i, j, weights[i, j]) for i, j in match_sequence(self.phi.match, cells, len(us), len(vs))]

    def _sequence_total(self, p: Part, r: Part, cells: list[Cell] | None) -> float:
        """Σ of two sequences, by the kernel that suits them; what is added up on the way is not rounded once."""
        how, inner, us, vs = self.phi.match, self.inner, self.parts(p), self.parts(r)
        if cells is None:
            self.show(p, r)
            if is_long(us, vs) and inner.dense and not inner.operator.windows:
                return sum_matrix(how, inner.table(us, vs))
            cells = inner.cells(us, vs) if us and vs else []
        return sum_sequence(how, cells, len(us), len(vs))


class KeySequence(OfKeys, OrderedPair):
    """Σ of two sequences, 1:1, of keys: equal elements have all the credit, and others none, or half of it."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.keyed = cast(Key, self.inner if isinstance(self.inner, Key) else self.inner.inner)

    def own(self, p: Part) -> float:
        return len(self.keys(p))

    def _sequence_total(self, p: Part, r: Part, cells: list[Cell] | None) -> float:
        total = common_subsequence if self.keyed is self.inner else sum_edits
        return total(self.keys(p), self.keys(r))

    def _solve(self, p: Part, r: Part) -> Solution:
        if self.keyed is self.inner:
            return super()._solve(p, r)
        found = match_edits(self.keys(p), self.keys(r))
        return exact_sum([w for _, _, w in found]), found


def contents(us: Sequence[Part], vs: Sequence[Part]) -> tuple[Content, Content]:
    """How the elements of both sides are put into the order of their content, which breaks ties."""

    def order(parts: Sequence[Part]) -> Content:
        return lambda groups: sort_groups([part.value for part in parts], groups)

    return order(us), order(vs)


class BestPair(OfElements):
    """max φ(u, v) over the elements of two collections; a value that is not a collection is its own only element."""

    def parts(self, p: Part) -> list[Part]:
        return p.elements(self.phi.sel, single=True)

    def score(self, p: Part, r: Part) -> float:
        return max([w for _, _, w in self.inner_cells(p, r)], default=0)

    def _own(self, p: Part) -> float:
        return max(self.inner_own(p), default=0) if self.inner.facts.self_score.holds else self.score(p, p)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        us, vs, cells = self.parts(p), self.parts(r), self.inner_cells(p, r)
        if not cells:
            return self._made("bracket", p, r, 0, counted=counted)
        mine, theirs = (content_order([part.value for part in side]) for side in (us, vs))
        rank_p, rank_r = ({place: rank for rank, place in enumerate(order)} for order in (mine, theirs))
        score, i, j = max((w, -rank_p[i], -rank_r[j]) for i, j, w in cells)  # equal pairs are told apart by content
        chosen = self.inner.match(us[mine[-i]], vs[theirs[-j]], counted=counted)
        return self._made("bracket", p, r, score, [chosen], counted=counted)


class SubsetPair(PairEvaluator):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧."""

    def __init__(self, phi: nodes.Subset, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make, [nodes.Overlap(phi.sel, nodes.Eq(), "N:1")])

    def score(self, p: Part, r: Part) -> float:
        bag = cast(Bag, self.inner)
        return int(0 < bag.own(p) == bag.score(p, r))


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
