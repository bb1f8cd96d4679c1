"""Variables: `operators.latent` finds the best matching of the variables of two objects; φ̃ is matched under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Latent
from matchwise.engine.limits import reads_upper
from matchwise.engine.many.operators.latent import LatentMatch, Solved
from matchwise.engine.one.evaluator import Cell, Evaluator, Match
from matchwise.engine.one.parts import PairSide, Part, frames


class LatentPair(Evaluator):
    """max over M_V of φ̃."""

    def __init__(self, phi: Latent, facts: Facts, inner: Evaluator, relaxed: Evaluator, operator: LatentMatch) -> None:
        super().__init__(phi, facts)
        self.inner, self.latent, self.dense = inner, operator, relaxed.dense
        self.relaxed = relaxed
        """φ when any two variables count as matched: 0 where no matching helps."""

    def score(self, p: Part, r: Part) -> float:
        found = self._solved(p, r)
        return found.upper if reads_upper() else found.lower  # type: ignore[return-value]  # no fraction

    def _solved(self, p: Part, r: Part) -> Solved:
        """The best matching of the variables."""
        one = [p]
        with frames(one, one if p is r else [r]) as both:
            return self.latent.solve(*both)

    def _own(self, p: Part) -> float:
        one = [p]
        with frames(one, one) as (frame, _):
            return self.latent.own(frame)  # type: ignore[return-value]  # no fraction

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return [(i, j, w) for i, j, _ in self.relaxed.cells(us, vs) if (w := self.score(us[i], vs[j]))]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        matching = self._solved(p, r).matching
        matched = tuple((space, x, y) for space in sorted(matching) for x, y in matching[space])
        mine = PairSide(p.side.name, True, {(space, x): number for number, (space, x, _) in enumerate(matched)})
        theirs = PairSide(r.side.name, True, {(space, y): number for number, (space, _, y) in enumerate(matched)})
        below = self.inner.match(p.under(mine), r.under(theirs), counted=counted)
        mine.known.clear()
        theirs.known.clear()
        made = self._made("latent", p, r, below.score, (below,), counted=counted)
        return replace(made, variables=matched)
