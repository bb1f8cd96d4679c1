"""Collections: Σ over the best matching of their elements, the best pair, inclusion, and functions of their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import fsum
from typing import Any

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.engine.one.evaluator import Cell, Evaluator, Match, Unmatched
from matchwise.engine.one.parts import Part
from matchwise.engine.one.values import Key
from matchwise.engine.order import sort_groups
from matchwise.engine.selection import attempt, valid
from matchwise.engine.solve.cells import Content, bag_total, choose_cells, combine, joint
from matchwise.engine.solve.sequence import (
    chain_total,
    common_subsequence,
    lay_out,
    matrix_total,
    sequence_matched,
    sequence_total,
)
from matchwise.engine.tuning import FILLED, LARGE_TABLE

Solution = tuple[float, list[Cell]]
"""Σ, and the pairs it is made of, sorted."""


class Collection(Evaluator):
    """What matches the elements of two collections, and shows the pairs."""

    phi: nodes.Overlap

    def __init__(self, phi: nodes.Overlap, facts: Facts, inner: Evaluator, *more: Evaluator) -> None:
        super().__init__(phi, facts, inner, *more)
        self.inner = inner

    def parts(self, p: Part) -> list[Part]:
        """The elements that are matched."""
        return p.elements(self.phi.sel).parts()

    def solution(self, p: Part, r: Part) -> Solution:
        raise NotImplementedError

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        us, vs = self.parts(p), self.parts(r)
        score, found = self.solution(p, r)
        pairs = []
        for i, j, _ in found:
            pairs.append(self.inner.match(us[i], vs[j], counted=True))
        met_p, met_r = {i for i, _, _ in found}, {j for _, j, _ in found}
        missed, spurious = self._left(vs, met_r), self._left(us, met_p)
        return self._made("match", p, r, score, tuple(pairs), missed, spurious, counted=True)

    def _left(self, us: list[Part], met: set[int]) -> Unmatched:
        return tuple([(u, self.inner.own(u)) for place, u in enumerate(us) if place not in met])

    def _flat(self, us: Sequence[Part]) -> tuple[list[int], list[Part]]:
        """The elements of several collections, and the number of the collection that each is in."""
        several = [self.parts(u) for u in us]
        return [i for i, some in enumerate(several) for _ in some], [part for some in several for part in some]

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._flat(us)[1]
        theirs = mine if us is vs else self._flat(vs)[1]
        if mine and theirs:
            super().prepare(mine, theirs)


class Bag(Collection):
    """Σ^◇[δ] of two bags: Σ over equal elements of what `match` makes of their counts."""

    inner: Key

    def keys(self, p: Part) -> list[Hashable]:
        known, name = p.side.known, (p, self)
        made: list[Hashable] | None = known.get(name)
        if made is None:
            made = known[name] = self.inner.keys(p.elements(self.phi.sel))
        return made

    def score(self, p: Part, r: Part) -> float:
        return float(bag_total(self.phi.match, self.keys(p), self.keys(r)))

    def _own(self, p: Part) -> float:
        found = self.keys(p)
        return float(sum(count**2 for count in Counter(found).values()) if self.phi.match == "N:N" else len(found))

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        index: dict[Hashable, list[tuple[int, int]]] = {}
        for j, v in enumerate(vs):
            for k, count in Counter(self.keys(v)).items():
                index.setdefault(k, []).append((j, count))
        found: list[Cell] = []
        for i, u in enumerate(us):
            row: dict[int, int] = {}
            for k, count in Counter(self.keys(u)).items():
                for j, other in index.get(k, ()):
                    row[j] = row.get(j, 0) + joint(self.phi.match, count, other)
            found += [(i, j, float(row[j])) for j in sorted(row)]
        return found

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        often = Counter(k for v in vs for k in self.keys(v))
        return sum(often[k] for u in us for k in self.keys(u))

    def solution(self, p: Part, r: Part) -> Solution:
        """Equal elements are paired in the order of their content."""
        mine, theirs = self._occurrences(p), self._occurrences(r)
        how = self.phi.match
        found: list[Cell] = []
        for k, here in mine.items():
            there = theirs.get(k)
            if there is None:
                continue
            if how == "1:1":
                found += [(i, j, 1.0) for i, j in zip(here, there, strict=False)]
            else:
                rows, columns = here if how != "1:N" else here[:1], there if how != "N:1" else there[:1]
                found += [(i, j, 1.0) for i in rows for j in columns]
        return float(len(found)), sorted(found)

    def _occurrences(self, p: Part) -> dict[Hashable, list[int]]:
        """The places of each key, in the order of content."""
        made: dict[Hashable, list[int]] = {}
        for place, k in enumerate(self.keys(p)):
            made.setdefault(k, []).append(place)
        repeated = [k for k, places in made.items() if len(places) > 1]
        if repeated:
            ordered = sort_groups(p.elements(self.phi.sel).values, [made[k] for k in repeated])
            made.update(zip(repeated, ordered, strict=True))
        return made


class Overlap(Collection):
    """Σ^◇[φ] of two collections whose elements have a similarity of their own."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, inner: Evaluator, by: Evaluator | None) -> None:
        super().__init__(phi, facts, inner, *(() if by is None else (by,)))
        self.by = by
        decides = inner if by is None else by
        self.dense = phi.order != "bag" or decides.dense
        self.windows = phi.order == "bag" and decides.windows

    def score(self, p: Part, r: Part) -> float:
        if p.side.keeps or self.by is not None or self.phi.order != "sequence":
            return self.solution(p, r)[0]
        return self._sequence_total(p, r, None)

    def solution(self, p: Part, r: Part) -> Solution:
        if not p.side.keeps:
            return self._solve(p, r)
        known, name = p.side.known, (self, p, r)
        made: Solution | None = known.get(name)
        if made is None:
            made = known[name] = self._solve(p, r)
        return made

    def _solve(self, p: Part, r: Part) -> Solution:
        us, vs = self.parts(p), self.parts(r)
        if not us or not vs:
            return 0.0, []
        if self.is_batched:
            self.prepare([p], [r])
        if self.phi.order == "index" and self.by is None:
            found = [(i, i, w) for i, (u, v) in enumerate(zip(us, vs, strict=False)) if (w := self.inner.score(u, v))]
            return fsum([w for _, _, w in found]), found
        if self.phi.order == "bag" and self.by is None:
            return self.choose(us, vs)
        decides = self.inner if self.by is None else self.by
        cells = self._diagonal(us, vs) if self.phi.order == "index" else decides.cells(us, vs)
        if self.by is not None:
            return self._aligned(cells, us, vs)
        return self._sequence_total(p, r, cells), self._sequence(cells, us, vs)

    def choose(self, us: list[Part], vs: list[Part]) -> Solution:
        """Σ of two bags of elements, and its pairs."""
        if not us or not vs:
            return 0.0, []
        if len(us) * len(vs) > LARGE_TABLE and self.inner.fills(us, vs):
            from matchwise.engine.one.table import choose_in_table

            return choose_in_table(self, us, vs)
        cells = self.inner.cells(us, vs)
        found = [cells[place] for place in choose_cells(self.phi.match, cells, contents(us, vs))]
        return fsum([w for _, _, w in found]), found

    def _diagonal(self, us: list[Part], vs: list[Part]) -> list[Cell]:
        assert self.by is not None
        return [(i, i, w) for i, (u, v) in enumerate(zip(us, vs, strict=False)) if (w := self.by.score(u, v))]

    def _aligned(self, cells: list[Cell], us: list[Part], vs: list[Part]) -> Solution:
        """Choose the pairs by another similarity and, among equals, by the inner one, which scores them."""
        scores = [self.inner.score(us[i], vs[j]) for i, j, _ in cells]
        weights = combine([w for _, _, w in cells], list(scores))
        worth = {(i, j): w for (i, j, _), w in zip(cells, scores, strict=True)}
        some = [(i, j, w) for (i, j, _), w in zip(cells, weights, strict=True) if w]
        if self.phi.order == "sequence":
            pairs = [(i, j) for i, j, _ in self._sequence(some, us, vs)]
        elif self.phi.order == "index":
            pairs = [(i, j) for i, j, _ in some]
        else:
            pairs = [some[place][:2] for place in choose_cells(self.phi.match, some, contents(us, vs), exact=True)]
        found = [(i, j, worth[i, j]) for i, j in pairs]
        return fsum([w for _, _, w in found]), found

    def _sequence(self, cells: Sequence[Cell], us: list[Part], vs: list[Part]) -> list[Cell]:
        """The best matching without crossings."""
        i, j, w = map(list, zip(*cells, strict=True)) if cells else ([], [], [])
        table = lay_out(i, j, w, range(len(us)), range(len(vs)))
        return [(i, j, float(w)) for i, j, w in sequence_matched(self.phi.match, table, len(vs))]

    def _sequence_total(self, p: Part, r: Part, cells: list[Cell] | None) -> float:
        """Σ of two sequences, by the kernel that suits them."""
        how, inner = self.phi.match, self.inner
        if how == "1:1" and isinstance(inner, Key):
            return float(common_subsequence(*(inner.keys(side.elements(self.phi.sel)) for side in (p, r))))
        us, vs = self.parts(p), self.parts(r)
        if not us or not vs:
            return 0.0
        if cells is None:
            if self.is_batched:
                self.prepare([p], [r])
            if len(us) * len(vs) >= LARGE_TABLE and inner.fills(us, vs):
                return float(matrix_total(how, inner.grid(us, vs)))
            cells = inner.cells(us, vs)
        if not cells:
            return 0.0
        i, j, w = map(list, zip(*cells, strict=True))
        if len(us) * len(vs) >= max(LARGE_TABLE, FILLED * len(cells)):
            return float(chain_total(how, i, j, w, len(vs)))
        return float(sequence_total(how, lay_out(i, j, w, range(len(us)), range(len(vs))), len(vs)))

    def _own(self, p: Part) -> float:
        known = self.inner.facts
        how = self.phi.match
        best = {"1:1": known.left or known.right, "N:1": known.left, "1:N": known.right, "N:N": False}[how]
        if self.by is None and not best:
            return self.score(p, p)
        us = self.parts(p)
        if known.unit.holds:
            self.inner.check(us)
            return float(len(us))
        if self.inner.is_batched:
            self.inner.prepare(us, us)
        worth = []
        for u in us:
            worth.append(self.inner.own(u))
        return fsum(worth)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        if self.phi.order != "bag" or self.by is not None or not us or not vs or (self.dense and not self.windows):
            return super().cells(us, vs)
        (mine, xs), (theirs, ys) = self._flat(us), self._flat(vs)
        if self.dense and self.inner.fills(xs, ys):
            return super().cells(us, vs)
        blocks: dict[tuple[int, int], list[Cell]] = {}
        for a, b, w in self.inner.cells(xs, ys):
            blocks.setdefault((mine[a], theirs[b]), []).append((a, b, w))
        content = contents(xs, ys)
        found: list[Cell] = []
        for (i, j), cells in sorted(blocks.items()):
            kept = [cells[place] for place in choose_cells(self.phi.match, cells, content)]
            total = fsum([w for _, _, w in kept])
            if us[i].side.keeps:
                top, left = mine.index(i), theirs.index(j)
                us[i].side.known[self, us[i], vs[j]] = total, [(a - top, b - left, w) for a, b, w in kept]
            if total:
                found.append((i, j, total))
        return found

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        if self.dense and not self.windows:
            return len(us) * len(vs)
        return (self.inner if self.by is None else self.by).volume(self._flat(us)[1], self._flat(vs)[1])


def contents(us: Sequence[Part], vs: Sequence[Part]) -> tuple[Content, Content]:
    """How the elements of both sides are put into the order of their content, which breaks ties."""

    def order(parts: Sequence[Part]) -> Content:
        return lambda groups: sort_groups([part.value for part in parts], groups)

    return order(us), order(vs)


class Best(Evaluator):
    """max φ(u, v) over the elements of two collections; a value that is not a collection is its own only element."""

    phi: nodes.Best

    def __init__(self, phi: nodes.Best, facts: Facts, inner: Evaluator) -> None:
        super().__init__(phi, facts, inner)
        self.inner, self.dense, self.windows = inner, inner.dense, inner.windows

    def score(self, p: Part, r: Part) -> float:
        return max((w for _, _, w in self._cells(p, r)), default=0.0)

    def _cells(self, p: Part, r: Part) -> list[Cell]:
        us, vs = p.several(self.phi.sel), r.several(self.phi.sel)
        if self.is_batched:
            self.prepare([p], [r])
        return self.inner.cells(us, vs) if us and vs else []

    def _own(self, p: Part) -> float:
        us = p.several(self.phi.sel)
        if not self.inner.facts.self_score.holds:
            return self.score(p, p)
        if self.is_batched:
            self.inner.prepare(us, us)
        return max([self.inner.own(u) for u in us], default=0.0)

    def _flat(self, us: Sequence[Part]) -> tuple[list[int], list[Part]]:
        several = [u.several(self.phi.sel) for u in us]
        return [i for i, some in enumerate(several) for _ in some], [part for some in several for part in some]

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        (mine, xs), (theirs, ys) = self._flat(us), self._flat(vs)
        if self.dense and self.inner.fills(xs, ys):
            return super().cells(us, vs)
        found: dict[tuple[int, int], float] = {}
        for a, b, w in self.inner.cells(xs, ys):
            place = mine[a], theirs[b]
            found[place] = max(w, found.get(place, 0.0))
        return sorted((i, j, w) for (i, j), w in found.items())

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return self.inner.volume(self._flat(us)[1], self._flat(vs)[1])

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine = self._flat(us)[1]
        theirs = mine if us is vs else self._flat(vs)[1]
        if mine and theirs:
            super().prepare(mine, theirs)

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        us, vs = p.several(self.phi.sel), r.several(self.phi.sel)
        cells = self._cells(p, r)
        if not cells:
            return self._made("bracket", p, r, 0.0, counted=counted)
        [mine], [theirs] = (
            order([list(range(len(side)))]) for order, side in zip(contents(us, vs), (us, vs), strict=True)
        )
        rank_p, rank_r = ({place: rank for rank, place in enumerate(order)} for order in (mine, theirs))
        score, i, j = max((w, -rank_p[i], -rank_r[j]) for i, j, w in cells)  # equal pairs are told apart by content
        chosen = self.inner.match(us[mine[-i]], vs[theirs[-j]], counted=counted)
        return self._made("bracket", p, r, score, (chosen,), counted=counted)


class Subset(Evaluator):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧."""

    phi: nodes.Subset

    def __init__(self, phi: nodes.Subset, facts: Facts, found: Bag) -> None:
        super().__init__(phi, facts)
        self.found = found
        """Σ→[δ], which is |P| if all elements of P are in R."""

    def score(self, p: Part, r: Part) -> float:
        mine, theirs = self.found.keys(p), self.found.keys(r)
        return float(bool(mine) and set(theirs).issuperset(mine))

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return [(i, j, 1.0) for i, j, w in self.found.cells(us, vs) if w == len(self.found.keys(us[i]))]

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        return self.found.volume(us, vs)


class Contingency(Evaluator):
    """f(T), T the non-zero φ(u, v) of two collections."""

    dense = True
    phi: nodes.Contingency

    def __init__(self, phi: nodes.Contingency, facts: Facts, inner: Evaluator) -> None:
        super().__init__(phi, facts, inner)
        self.inner = inner

    def score(self, p: Part, r: Part) -> float:
        if self.is_batched:
            self.prepare([p], [r])
        us, vs = p.elements(self.phi.sel).parts(), r.elements(self.phi.sel).parts()
        cells = self.inner.cells(us, vs) if us and vs else []
        columns: list[list[Any]] = [[i for i, _, _ in cells], [j for _, j, _ in cells]]
        weights = [int(w) if float(w).is_integer() else w for _, _, w in cells]  # `math.comb` refuses floats
        try:
            return float(valid(attempt(self.phi.function, *columns, weights), self.phi, self.facts))
        except ValueError as error:
            raise p.select(self.phi.sel).fail(str(error)) from error

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        mine, theirs = ([part for u in side for part in u.elements(self.phi.sel).parts()] for side in (us, vs))
        if mine and theirs:
            super().prepare(mine, theirs)
