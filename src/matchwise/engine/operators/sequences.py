"""Sequences: Σ over the best matching of elements that keeps their order, or is chosen by another similarity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import cast

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import Chosen, Vector
from matchwise.engine.one.parts import Part
from matchwise.engine.operators.collections import Matching, OfKeys, Solution, contents
from matchwise.engine.operators.equality import Equality
from matchwise.engine.operators.operator import Make, Operator, is_long
from matchwise.engine.solve.cells import Cell, choose_cells, combine, exact_sum
from matchwise.engine.solve.sequence import (
    common_subsequence,
    match_edits,
    match_sequence,
    sum_edits,
    sum_matrix,
    sum_sequence,
)


class MatchInOrder(Matching):
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
            if is_long(us, vs) and inner.dense and not inner.windows:
                return sum_matrix(how, inner.grid(us, vs))
            cells = inner.cells(us, vs) if us and vs else []
        return sum_sequence(how, cells, len(us), len(vs))

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        mine, theirs = preds.parts(), refs.parts()
        above, left = preds.flat(self.sel).offsets.tolist(), refs.flat(self.sel).offsets.tolist()
        return Chosen.of(
            [
                (number, above[x] + a, left[y] + b, w)
                for number, (x, y) in enumerate(zip(i.tolist(), j.tolist(), strict=True))
                for a, b, w in self.solution(mine[x], theirs[y])[1]
            ]
        )

    @cached_property
    def windows(self) -> bool:
        return self.phi.order == "bag" and self.inputs[-1].windows

    def detail(self) -> str:
        if self.phi.order == "bag":
            return super().detail()
        return f"{self.phi.match}, {self.phi.order}, dynamic programme"

    def children(self) -> Iterable[tuple[str, Operator]]:
        inner, *by = self.inputs
        return [("align by", by[0]), ("score", inner)] if by else [("", inner)]

    def cost(self) -> str:
        if self.phi.order == "index":
            return "O(min(n, m))"
        if self.phi.order == "bag":
            return super().cost()
        return "O(n·m)" if self.inner.dense else "O(n + m + non-zero·log m)"


class KeySequence(OfKeys, MatchInOrder):
    """Σ of two sequences, 1:1, of keys: equal elements have all the credit, and others none, or half of it."""

    def __init__(self, phi: nodes.Overlap, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        self.keyed = cast(Equality, self.inner if isinstance(self.inner, Equality) else self.inner.inner)

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

    def cost(self) -> str:
        return "O(n·m / 64)"  # a machine word at a time
