"""Trees and graphs: Σ over the best matching of their nodes that keeps the order of the nodes."""

from __future__ import annotations

from typing import Any

from matchwise.engine.limits import Limits, answer, reads_upper
from matchwise.engine.one.parts import Part, remember
from matchwise.engine.operators.collections import Collection, Solution
from matchwise.engine.operators.operator import Operator
from matchwise.engine.solve.cells import Bounded, exact_sum, most_of
from matchwise.engine.solve.graphs import solve_order
from matchwise.engine.solve.trees import solve_trees
from matchwise.engine.structures import Structure, structure


class Searched(Operator):
    """What has an optimum that is searched for, within the limits of the search if there are any."""

    def solve(self, p: Part, r: Part) -> Any:
        """The best matching of two objects that was found, `lower` its value, and an `upper` bound of all others."""
        name = (self, p.side.name, p.path(), r.side.name, r.path())
        return answer(name, lambda limits: self._search(p, r, limits))

    def _search(self, p: Part, r: Part, limits: Limits) -> Any:
        raise NotImplementedError

    def score(self, p: Part, r: Part) -> float:
        found = self.solve(p, r)
        return found.upper if reads_upper() else found.lower  # type: ignore[no-any-return]

    def _own(self, p: Part) -> float:
        """It is a divisor: the opposite end of its bounds."""
        found = self.solve(p, p)
        return found.lower if reads_upper() else found.upper  # type: ignore[no-any-return]


class MatchNodes(Searched, Collection):
    """Σ^◇[φ] of the nodes of two trees or graphs."""

    verb = "match nodes"
    dense = True

    @remember
    def structure(self, p: Part) -> tuple[Structure, list[Part]]:
        """The structure of the selected value, and its nodes."""
        selected = p.select(self.sel)
        try:
            found = structure(selected.value)
            if self.phi.order == "tree":
                found.parents()
        except ValueError as error:
            raise selected.fail(str(error)) from error
        nodes = zip(found.nodes, found.paths, strict=True)
        return found, [Part(node, p.side, selected, (), path) for node, path in nodes]

    def parts(self, p: Part) -> list[Part]:
        return self.structure(p)[1]

    def solution(self, p: Part, r: Part) -> Solution:
        found = self.solve(p, r).matched
        return exact_sum([w for _, _, w in found]), found

    def _search(self, p: Part, r: Part, limits: Limits) -> Bounded:
        (mine, us), (theirs, vs) = self.structure(p), self.structure(r)
        if not us or not vs:
            return Bounded([], 0, 0)
        self.show(p, r)
        how, order = self.phi.match, self.phi.order
        if order == "tree" and how == "1:1":
            matched = solve_trees(self.inner.grid(us, vs), mine, theirs)
            lower = exact_sum([w for _, _, w in matched])
            return Bounded(matched, lower, lower)
        cells = self.inner.cells(us, vs)
        found = solve_order(how, order, cells, mine, theirs, limits)
        matched = [cells[place] for place in found.chosen]
        lower = exact_sum([w for _, _, w in matched])
        if found.lower == found.upper:
            return Bounded(matched, lower, lower)
        if p is r:  # every node with itself keeps the order; it divides, and so must not be 0 however late it is
            lower = max(lower, exact_sum([self.inner.own(u) for u in us]))
        upper = min(found.upper, most_of(how, cells))
        if how == "1:1" and self.inner.facts.self_score.holds:
            upper = min(upper, self.own(p), self.own(r))
        return Bounded(matched, lower, max(lower, upper))

    def _own(self, p: Part) -> float:
        if self.phi.match != "N:N" and self.inner.facts.self_score.holds:
            return exact_sum([self.inner.own(u) for u in self.parts(p)])
        return super()._own(p)

    @property
    def is_polynomial(self) -> bool:
        return self.phi.order == "tree" and self.phi.match == "1:1"

    def detail(self) -> str:
        how = "dynamic programme over subtrees" if self.is_polynomial else "branch and bound, then HiGHS"
        return f"{self.phi.match}, {self.phi.order}, {how}"

    def cost(self) -> str:
        return "O(n·m·min(depth, leaves)²)" if self.is_polynomial else "exact; NP-hard at worst"
