"""Trees and graphs: Σ over the best matching of their nodes that keeps the order of the nodes."""

from __future__ import annotations

from time import monotonic
from typing import Any

from matchwise.algebra.nodes import Custom, Leaf, Number
from matchwise.algebra.walk import parts
from matchwise.engine.limits import Limits, answer, reads_upper
from matchwise.engine.one.evaluator import Evaluator
from matchwise.engine.one.matching import Collection, Solution
from matchwise.engine.one.parts import Part, remember
from matchwise.engine.solve.cells import TINY, Bounded, Filled, exact_sum, most_of, most_of_rows
from matchwise.engine.solve.graphs import solve_order
from matchwise.engine.solve.trees import solve_trees
from matchwise.engine.structures import Structure, structure


class Searched(Evaluator):
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


class Nodes(Searched, Collection):
    """Σ^◇[φ] of the nodes of two trees or graphs."""

    dense = True

    @remember
    def structure(self, p: Part) -> tuple[Structure, list[Part]]:
        """The structure of the selected value, and its nodes."""
        selected = p.select(self.phi.sel)
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
            matched = solve_trees(self.inner.cells(us, vs), mine, theirs)
            lower = exact_sum([w for _, _, w in matched])
            return Bounded(matched, lower, lower)
        table = fill(self.inner, us, vs, limits)
        found = solve_order(how, order, table.cells, mine, theirs, limits)
        matched = [table.cells[place] for place in found.chosen]
        lower = exact_sum([w for _, _, w in matched])
        if found.lower == found.upper and not table.most:
            return Bounded(matched, lower, lower)
        if p is r:  # every node with itself keeps the order; it divides, and so must not be 0 however late it is
            lower = max(lower, exact_sum([self.inner.own(u) for u in us]))
        upper = min(found.upper, most_of(how, table.cells)) + most_of_rows(how, table.most, len(vs))
        if how == "1:1" and self.inner.facts.self_score.holds:
            upper = min(upper, self.own(p), self.own(r))
        return Bounded(matched, lower, max(lower, upper))

    def _own(self, p: Part) -> float:
        if self.phi.match != "N:N" and self.inner.facts.self_score.holds:
            return exact_sum([self.inner.own(u) for u in self.parts(p)])
        return super()._own(p)


def fill(inner: Evaluator, us: list[Part], vs: list[Part], limits: Limits) -> Filled:
    """The pairs of two lists, as far as half of the time goes; the rest is for matching them.

    Where values are compared pair by pair (joins are quick, and a function of two lists is called once), rows are
    filled a few at a time: at most twice as many as before, and no more than half of the time left is for.
    """
    end, most = limits.half().deadline, None
    is_slow = not inner.is_asking and any(isinstance(part, Leaf | Custom) for part in parts(inner.phi))
    if end is not None and len(us) * len(vs) > TINY and is_slow:
        most = _largest(inner, us)
    if end is None or most is None:
        return Filled(inner.cells(us, vs), len(us), [])
    found, place, size, start = [], 0, 1, monotonic()
    while place < len(us) and start < end:
        rows = us[place : place + size]
        found += [(place + i, j, w) for i, j, w in inner.cells(rows, vs)]
        place += len(rows)
        start, took = monotonic(), monotonic() - start
        size = max(1, min(2 * size, int(size * (end - start) / 2 / took)))
    return Filled(found, place, most[place:])


def _largest(inner: Evaluator, us: list[Part]) -> list[Number] | None:
    """For each u an upper bound of all φ(u, v)."""
    if inner.facts.bounded.holds:
        return [1] * len(us)
    return [inner.own(u) for u in us] if inner.facts.self_score.holds else None
