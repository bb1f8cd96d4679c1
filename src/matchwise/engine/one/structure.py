"""Trees and graphs: Σ over the best matching of their nodes that keeps the order of the nodes."""

from __future__ import annotations

from time import monotonic

from matchwise.algebra.nodes import Custom, Leaf, Number
from matchwise.algebra.walk import parts
from matchwise.engine.limits import Limits, answer, reads_upper
from matchwise.engine.one.compound import is_asking
from matchwise.engine.one.evaluator import Evaluator, add_up
from matchwise.engine.one.matching import Collection, Solution
from matchwise.engine.one.parts import Part
from matchwise.engine.solve.cells import TINY, Bounded, Filled, most_of, most_of_rows
from matchwise.engine.solve.graphs import solve_order
from matchwise.engine.solve.trees import solve_trees
from matchwise.engine.structures import Structure, structure


class Nodes(Collection):
    """Σ^◇[φ] of the nodes of two trees or graphs."""

    dense = True

    def structure(self, p: Part) -> tuple[Structure, list[Part]]:
        """The structure of the selected value, and its nodes."""
        known, name = p.side.known, (p, self.phi.order, self.phi.sel)
        made: tuple[Structure, list[Part]] | None = known.get(name)
        if made is None:
            selected = p.select(self.phi.sel)
            try:
                found = structure(selected.value)
                if self.phi.order == "tree":
                    found.parents()
            except ValueError as error:
                raise selected.fail(str(error)) from error
            nodes = zip(found.nodes, found.paths, strict=True)
            made = known[name] = found, [Part(node, p.side, selected, (), path) for node, path in nodes]
        return made

    def parts(self, p: Part) -> list[Part]:
        return self.structure(p)[1]

    def score(self, p: Part, r: Part) -> float:
        found = self.solve(p, r)
        return found.upper if reads_upper() else found.lower  # type: ignore[return-value]  # no fraction

    def solution(self, p: Part, r: Part) -> Solution:
        found = self.solve(p, r).matched
        return add_up(w for _, _, w in found), found  # type: ignore[return-value, misc]  # no fractions

    def solve(self, p: Part, r: Part) -> Bounded:
        """The best matching of the nodes; within the limits of the search, if there are any."""
        name = (self, p.side.name, p.path(), r.side.name, r.path())
        return answer(name, lambda limits: self._solve(p, r, limits))

    def _solve(self, p: Part, r: Part, limits: Limits) -> Bounded:
        (mine, us), (theirs, vs) = self.structure(p), self.structure(r)
        if not us or not vs:
            return Bounded([], 0, 0)
        self.show(p, r)
        how, order = self.phi.match, self.phi.order
        if order == "tree" and how == "1:1":
            matched = solve_trees(self.inner.cells(us, vs), mine, theirs)
            lower = add_up(w for _, _, w in matched)  # type: ignore[misc]  # no fractions
            return Bounded(matched, lower, lower)
        table = fill(self.inner, us, vs, limits)
        found = solve_order(how, order, table.cells, mine, theirs, limits)
        matched = [table.cells[place] for place in found.chosen]
        lower = add_up(w for _, _, w in matched)  # type: ignore[misc]  # no fractions
        if found.lower == found.upper and not table.most:
            return Bounded(matched, lower, lower)
        if p is r:  # every node with itself keeps the order; it divides, and so must not be 0 however late it is
            lower = max(lower, add_up(self.inner.own(u) for u in us))
        upper = min(found.upper, most_of(how, table.cells)) + most_of_rows(how, table.most, len(vs))
        if how == "1:1" and self.inner.facts.self_score.holds:
            upper = min(upper, self.own(p), self.own(r))
        return Bounded(matched, lower, max(lower, upper))

    def _own(self, p: Part) -> float:
        if self.phi.match != "N:N" and self.inner.facts.self_score.holds:
            return add_up(self.inner.own(u) for u in self.parts(p))
        found = self.solve(p, p)
        # It is a divisor: the opposite end of its bounds.
        return found.lower if reads_upper() else found.upper  # type: ignore[return-value]  # no fraction


def fill(inner: Evaluator, us: list[Part], vs: list[Part], limits: Limits) -> Filled:
    """The pairs of two lists, as far as half of the time goes; the rest is for matching them.

    Rows are filled a few at a time: at most twice as many as before, and no more than half of the time left is for.
    """
    end, most = limits.half().deadline, None
    if end is not None and len(us) * len(vs) > TINY and _is_slow(inner):
        most = _largest(inner, us)
    if end is None or most is None:
        return Filled(list(inner.cells(us, vs)), len(us), [])
    found, place, size, start = [], 0, 1, monotonic()
    while place < len(us) and start < end:
        rows = us[place : place + size]
        found += [(place + i, j, w) for i, j, w in inner.cells(rows, vs)]
        place += len(rows)
        start, took = monotonic(), monotonic() - start
        size = max(1, min(2 * size, int(size * (end - start) / 2 / took)))
    return Filled(list(found), place, most[place:])


def _is_slow(inner: Evaluator) -> bool:
    """Whether values are compared pair by pair: joins are quick, and a function of two lists is called once."""
    return not is_asking(inner.phi) and any(isinstance(part, Leaf | Custom) for part in parts(inner.phi))


def _largest(inner: Evaluator, us: list[Part]) -> list[Number] | None:
    """For each u an upper bound of all φ(u, v)."""
    if inner.facts.bounded.holds:
        return [1] * len(us)
    return [inner.own(u) for u in us] if inner.facts.self_score.holds else None
