"""Collections: Σ over the best matching of their elements.

Over arrays Σ is solved once for each pair of collections: `chosen` has the matched elements, and the total is their
sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts, is_whole
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Flat, Frame
from matchwise.engine.many.kernels import Chosen, Pairs, Vector, choose
from matchwise.engine.one.parts import Part, frames, remember
from matchwise.engine.operators.equality import Equality, column_keys
from matchwise.engine.operators.operator import Make, Match, Operator, Unmatched, is_long
from matchwise.engine.order import sort_groups
from matchwise.engine.selection import is_keyed_mapping, pair_same_keys
from matchwise.engine.solve.cells import JOINT, Cell, Content, check_table, choose_cells, exact_sum
from matchwise.engine.tuning import AT_ONCE

Solution = tuple[float, list[Cell]]
"""Σ, and the pairs it is made of, sorted."""


class OfElements(Operator):
    """What compares the elements of two collections by an inner similarity."""

    phi: nodes.Overlap | nodes.Best | nodes.Contingency

    def parts(self, p: Part) -> list[Part]:
        """The elements that are compared."""
        return p.elements(self.sel)

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
            if not self.inner.is_idle(us[i], vs[j], w):
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

    keyed: Equality

    @remember
    def keys(self, p: Part) -> list[Hashable]:
        """The key of each element."""
        found = column_keys(self.keyed.phi, p.values(self.sel), p.side)
        return self.keyed.keys(self.parts(p)) if found is None else found

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        for part in (*us, *vs):
            self.keys(part)

    def _left(self, us: list[Part], met: set[int]) -> Unmatched:
        return tuple([(u, 1) for place, u in enumerate(us) if place not in met])


class BagOverlap(OfKeys):
    """Σ^◇[δ] of two bags: Σ over equal elements of what `match` makes of their counts.

    Over arrays by an inverted index: two bags that share no element never meet.
    """

    verb = "bag overlap"
    has_arrays = True

    def __init__(self, phi: nodes.Overlap, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.keyed = cast(Equality, self.inner)

    def score(self, p: Part, r: Part) -> float:
        mine, theirs, joint = Counter(self.keys(p)), Counter(self.keys(r)), JOINT[self.phi.match]
        return sum([joint(mine[k], theirs[k]) for k in mine.keys() & theirs.keys()])

    def own(self, p: Part) -> float:
        if self.phi.match != "N:N":
            return len(self.keys(p))
        return sum([count * count for count in Counter(self.keys(p)).values()])

    def solution(self, p: Part, r: Part) -> Solution:
        """Equal elements are paired in the order of their content."""
        mine, theirs, how = self._ordered_places(p), self._ordered_places(r), self.phi.match
        found: list[Cell] = []
        for k in mine.keys() & theirs.keys():
            here, there = mine[k], theirs[k]
            if how == "1:1":
                found += [(i, j, 1) for i, j in zip(here, there, strict=False)]
            else:
                rows, columns = here[:1] if how == "1:N" else here, there[:1] if how == "N:1" else there
                found += [(i, j, 1) for i in rows for j in columns]
        return len(found), sorted(found)

    def _ordered_places(self, p: Part) -> dict[Hashable, list[int]]:
        """The places of each key, in the order of content."""
        made: dict[Hashable, list[int]] = {}
        for place, k in enumerate(self.keys(p)):
            made.setdefault(k, []).append(place)
        repeated = [k for k, places in made.items() if len(places) > 1]
        if not repeated:
            return made
        ordered = sort_groups(p.values(self.sel), [made[k] for k in repeated])
        return made | dict(zip(repeated, ordered, strict=True))

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        memo, tag = preds.side.known, (self, preds, refs)
        made: Pairs | None = memo.get(tag)
        if made is None:
            p, r = preds.flat(self.sel), refs.flat(self.sel)
            _, mine, theirs = self.keyed.codes(p.frame, r.frame)
            sizes = len(preds), len(refs)
            made = memo[tag] = kernels.overlaps(self.phi.match, mine, p.owners, theirs, r.owners, sizes)
        return made

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """A look-up in the join, unless that has more to do than to count each pair by itself.

        It has with 20,000 lines that are joined on a key and share tags. Documents meet in pairs, whatever they share.
        """
        if preds.is_root or (self, preds, refs) in preds.side.known:
            return self.look_up(preds, refs, i, j)
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        _, mine, theirs = self.keyed.codes(p.frame, r.frame)
        heights, widths = np.diff(p.offsets)[i], np.diff(r.offsets)[j]
        if kernels.count_pairs(mine, theirs) <= heights.sum() + widths.sum():
            return self.look_up(preds, refs, i, j)
        here, a = kernels.lay_out(p.offsets[i], heights)
        there, b = kernels.lay_out(r.offsets[j], widths)
        many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
        sizes = len(i), len(i)
        found = kernels.overlaps(self.phi.match, here * many + mine[a], here, there * many + theirs[b], there, sizes)
        return kernels.spread(len(i), found.i, found.w)

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal ones in the order of their content."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        _, mine, theirs = self.keyed.codes(p.frame, r.frame)
        here, there = np.arange(len(p.frame)), np.arange(len(r.frame))
        if self.phi.match != "N:N":
            first, second = _occurrences(p, mine), _occurrences(r, theirs)
            if self.phi.match == "1:1":
                many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
                mine, theirs = first * many + mine, second * many + theirs
            elif self.phi.match == "N:1":
                there = np.flatnonzero(second == 0)
            else:
                here = np.flatnonzero(first == 0)
        a, b = kernels.join(mine[here], theirs[there])
        a, b = here[a], there[b]
        block = kernels.number_pairs(i, j, len(refs), p.owners[a], r.owners[b])
        return Chosen.sorted(block, a, b, np.ones(len(a)))

    def self_scores(self, frame: Frame) -> Vector:
        flat = frame.flat(self.sel)
        if self.phi.match != "N:N":
            self.inner.self_scores(flat.frame)
            return np.diff(flat.offsets).astype(np.float64)
        _, codes, _ = self.keyed.codes(flat.frame, flat.frame)
        own, size = kernels.within(codes, flat.owners), len(frame)
        found = kernels.overlaps("N:N", own, flat.owners, own, flat.owners, (size, size))
        return kernels.spread(size, found.i, found.w)

    def detail(self) -> str:
        return f"{self.phi.match}, inverted index on {self.inner.phi!r}"

    def cost(self) -> str:
        return "O(elements + non-zero)"


def _occurrences(flat: Flat, codes: Vector) -> Vector:
    """Number the elements of a collection that have the same code, in the order of their content."""
    own = kernels.within(codes, flat.owners)
    found = kernels.occurrences(own)
    if not found.any():
        return found
    order = np.argsort(own, kind="stable")
    groups = [order[run].tolist() for _, run in kernels.runs(own[order]) if run.stop - run.start > 1]
    for places in flat.frame.sort_by_content(groups):
        found[places] = np.arange(len(places))
    return found


class OverElements(OfElements):
    """A function of the φ(u, v) of two collections; over arrays their elements are joined, or all are compared."""

    has_arrays = True

    def flat(self, frame: Frame) -> Flat:
        """The elements that are compared."""
        return frame.flat(self.sel)

    def reduce(self, cells: Chosen, p: Frame, r: Frame, size: int) -> Vector:
        """What the cells of each of `size` pairs of collections come to."""
        raise NotImplementedError

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        return self.fill(preds, refs) if self.fills else self._join_elements(preds, refs)

    @remember
    def _join_elements(self, preds: Frame, refs: Frame) -> Pairs:
        p, r = self.flat(preds), self.flat(refs)
        a, b, w = self.inner.join(p.frame, r.frame)
        i, j, block, order = kernels.group(p.owners[a], r.owners[b], len(refs))
        cells = Chosen(block, a[order], b[order], w[order])
        return Pairs.of(i, j, self.reduce(cells, p.frame, r.frame, len(i)))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """All elements of the given pairs are compared if a join must, or if they are fewer than it would look at."""
        p, r = self.flat(preds), self.flat(refs)
        few = len(p.frame) + len(r.frame)
        if not self.fills and (np.diff(p.offsets)[i] * np.diff(r.offsets)[j]).sum() > few:
            return self.look_up(preds, refs, i, j)
        made = np.zeros(len(i))
        for run, cells in self.compare_all(p, r, i, j):
            made[run] = self.reduce(cells, p.frame, r.frame, run.stop - run.start)
        return made

    def compare_all(self, p: Flat, r: Flat, i: Vector, j: Vector) -> Iterator[tuple[slice, Chosen]]:
        """Stretches of the given pairs of collections, and the cells of each: as many as are held in memory at once."""
        heights, widths = np.diff(p.offsets)[i], np.diff(r.offsets)[j]
        sizes = heights * widths
        if len(sizes):
            check_table(int(heights[sizes.argmax()]), int(widths[sizes.argmax()]))
        for _, run in kernels.runs(np.cumsum(sizes) // AT_ONCE):
            block, a, b = kernels.expand(i[run], j[run], p.offsets, r.offsets)
            cells = Chosen(block, a, b, self.inner.at(p.frame, r.frame, a, b))
            yield run, cells.at(np.flatnonzero(cells.w))


class Matching(Collection):
    """Σ^◇[φ] of two collections whose elements have a similarity of their own."""

    verb = "match"

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
        raise NotImplementedError

    def _own(self, p: Part) -> float:
        return exact_sum(self.inner_own(p)) if self.is_best_to_itself else self.score(p, p)

    def detail(self) -> str:
        solver = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}[self.phi.match]
        return f"{self.phi.match}, {solver}"

    def cost(self) -> str:
        if self.windows:
            return "O(pairs in reach)"
        if not self.dense:
            return super().cost()
        return "O(n·m) to fill" + (", O(n³) to assign" if self.phi.match == "1:1" else "")


class MatchElements(Matching, OverElements):
    """Σ^◇[φ] of two bags."""

    def _solve(self, p: Part, r: Part) -> Solution:
        if is_long(p.values(self.sel), r.values(self.sel)):
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
        places = np.arange(len(p))
        block, a, b, w = self.chosen(p, r, places, places)
        a, b = a - p.flat(self.sel).offsets[block], b - r.flat(self.sel).offsets[block]
        cells = list(zip(a.tolist(), b.tolist(), w.tolist(), strict=True))
        totals, ends = self.at(p, r, places, places), np.searchsorted(block, np.arange(len(p) + 1))
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
                    worth = self.inner.self_scores(frame.flat(self.sel).frame)
                    for element, own in zip(elements, worth.tolist(), strict=True):
                        element.side.known[self.inner, element] = own

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        is_whole = preds.is_root and refs.is_root and len(i) == len(preds)  # a document each
        memo, tag = preds.side.known, (self, preds, refs, "chosen")
        made: Chosen | None = memo.get(tag) if is_whole else None
        if made is not None:
            return made
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        content = p.frame.sort_by_content, r.frame.sort_by_content
        if self.fills:
            found = [Chosen(i[:0], i[:0], i[:0], np.zeros(0))]
            for run, cells in self.compare_all(p, r, i, j):
                some = choose(self.phi.match, cells, content)
                found.append(some._replace(block=some.block + run.start))
            made = Chosen(*map(np.concatenate, zip(*found, strict=True)))
        else:
            a, b, w = self.inner.join(p.frame, r.frame)
            block = kernels.number_pairs(i, j, len(refs), p.owners[a], r.owners[b])
            made = choose(self.phi.match, Chosen.sorted(block, a, b, w), content)
        if is_whole:
            memo[tag] = made
        return made

    def reduce(self, cells: Chosen, p: Frame, r: Frame, size: int) -> Vector:
        content = None if self.is_whole else (p.sort_by_content, r.sort_by_content)
        found = choose(self.phi.match, cells, content)
        return kernels.sum_by(found.block, found.w, size)

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        if not (preds.is_root and refs.is_root):
            return super().at(preds, refs, i, j)
        found = self.chosen(preds, refs, i, j)
        return kernels.sum_by(found.block, found.w, len(i))

    @remember
    def self_scores(self, frame: Frame) -> Vector:
        if not self.is_best_to_itself:
            return self.diagonal(frame)
        flat = frame.flat(self.sel)
        return kernels.sum_by(flat.owners, self.inner.self_scores(flat.frame), len(frame))


def contents(us: Sequence[Part], vs: Sequence[Part]) -> tuple[Content, Content]:
    """How the elements of both sides are put into the order of their content, which breaks ties."""

    def order(parts: Sequence[Part]) -> Content:
        return lambda groups: sort_groups([part.value for part in parts], groups)

    return order(us), order(vs)
