"""Variables: `operators.latent` finds the best matching of the variables of two objects; φ̃ is matched under it."""

from __future__ import annotations

from dataclasses import replace

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Latent
from matchwise.engine.frame import Frame
from matchwise.engine.limits import reads_upper
from matchwise.engine.one.evaluator import Evaluator, Match
from matchwise.engine.one.parts import Part, Side
from matchwise.engine.operators.latent import LatentMatch
from matchwise.engine.side import Side as FrameSide


class LatentPair(Evaluator):
    """max over M_V of φ̃."""

    def __init__(self, phi: Latent, facts: Facts, inner: Evaluator, operator: LatentMatch) -> None:
        super().__init__(phi, facts)
        self.inner, self.operator, self.dense = inner, operator, operator.dense

    def score(self, p: Part, r: Part) -> float:
        found = self.operator.solve(*_frames(p, r))
        return float(found.upper if reads_upper() else found.lower)

    def _own(self, p: Part) -> float:
        return float(self.operator.own(_frame(p)))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        matching = self.operator.solve(*_frames(p, r)).matching
        matched = tuple((space, x, y) for space in sorted(matching) for x, y in matching[space])
        mine = Side(p.side.name, True, {(space, x): number for number, (space, x, _) in enumerate(matched)})
        theirs = Side(r.side.name, True, {(space, y): number for number, (space, _, y) in enumerate(matched)})
        below = self.inner.match(p.under(mine), r.under(theirs), counted=counted)
        mine.known.clear()
        theirs.known.clear()
        made = self._made("latent", p, r, below.score, (below,), counted=counted)
        return replace(made, variables=matched)


def _frames(p: Part, r: Part) -> tuple[Frame, Frame]:
    return (_frame(p),) * 2 if p is r else (_frame(p), _frame(r))


def _frame(p: Part) -> Frame:
    """The part as a batch of one."""
    made = Frame([p.value], lambda _: p.path(), FrameSide(p.side.name))
    made.side.remember(made)
    return made
