"""What the evaluator of a node can do with two parts, and what it says about them: a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import (
    Above,
    Best,
    Contingency,
    Custom,
    Harmonic,
    Minus,
    Normalized,
    Number,
    Overlap,
    Similarity,
    Subset,
    Substitution,
)
from matchwise.algebra.walk import children, close, parts
from matchwise.engine.one.parts import Part, frames
from matchwise.engine.rewrite import Scope, Way
from matchwise.engine.solve.cells import Cell
from matchwise.engine.tuning import LONG

if TYPE_CHECKING:
    from matchwise.arrays import Floats
    from matchwise.engine.many.operators.base import Operator

MatchKind: TypeAlias = Literal["leaf", "match", "sum", "product", "mean", "normalize", "bracket", "latent"]

Variables: TypeAlias = tuple[tuple[str, Any, Any], ...]
"""Matched variables: space, predicted name, reference name."""

Unmatched: TypeAlias = tuple[tuple[Part, float], ...]
"""Parts of one side without a partner, and what each was worth."""


class Match(Struct, frozen=True):
    """φ of two parts with the pairs it is made of, `weight` times as much in a sum; and what each part is worth."""

    kind: MatchKind
    text: str
    score: float
    pred: Part
    ref: Part
    predicted: float
    reference: float
    pairs: tuple[Match, ...] = ()
    missed: Unmatched = ()
    spurious: Unmatched = ()
    weight: Number = 1
    variables: Variables = ()


class PairEvaluator:
    """φ of two parts. Numbers are as arrays have them: floats, or whole numbers that floats hold exactly."""

    dense: bool = False
    """True if no join finds the non-zero pairs of two lists, so that all pairs are compared."""

    scope: Scope
    """What is around φ, if it recurs; set by the builder."""

    way: Way
    """How φ is computed; set by the builder."""

    inner: PairEvaluator
    """The first similarity inside, often the only one."""

    def __init__(self, phi: Any, facts: Facts, make: Make, inner: Iterable[Similarity] | None = None) -> None:
        """`inner` is what is compared inside φ: by default, the similarities that are written there."""
        self.phi, self.facts = phi, facts
        self.inputs = [make(part) for part in (children(phi) if inner is None else inner)]
        if self.inputs:
            self.inner = self.inputs[0]
        self.dense = self.dense or any(part.dense for part in self.inputs)
        self.is_asking = is_asking(phi)

    @cached_property
    def text(self) -> str:
        """φ as it is written."""
        return repr(self.phi)

    @cached_property
    def operator(self) -> Operator:
        """φ over frames, for long lists."""
        from matchwise.engine.many.build import build

        return build(self)

    @cached_property
    def closed(self) -> Similarity:
        """φ with what is around it, so that it can stand alone."""
        return close(self.phi, dict(reversed(self.scope)))

    def score(self, p: Part, r: Part) -> float:
        """φ(x, y)."""
        raise NotImplementedError

    def own(self, p: Part) -> float:
        """φ(x, x), found once for each part."""
        known, name = p.side.known, (self, p)
        made: float | None = known.get(name)
        if made is None:
            made = known[name] = self._own(p)
        return made

    def _own(self, p: Part) -> float:
        return self.score(p, p)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        """The non-zero φ(u, v) of two lists, sorted; long lists are compared as `many` compares a document."""
        if is_long(us, vs) and self.operator.has_arrays:
            with frames(us, vs) as both:
                found = self.operator.join(*both)
                return list(zip(*(column.tolist() for column in found), strict=True))
        return self._join(us, vs)

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        """By default all pairs are compared."""
        found = []
        for i, u in enumerate(us):  # no comprehension: trees are deep, and each would be a frame
            for j, v in enumerate(vs):
                w = self.score(u, v)
                if w:
                    found.append((i, j, w))
        return found

    def table(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        """All φ(u, v) of two lists; long lists are compared as `many` compares a document."""
        if is_long(us, vs) and self.operator.has_arrays:
            with frames(us, vs) as both:
                dense: Floats = self.operator.table(*both)
                return dense
        found = np.zeros((len(us), len(vs)))
        for i, j, w in self._join(us, vs):
            found[i, j] = w
        return found

    def gather(self, us: Sequence[Part]) -> list[Sequence[Part]]:
        """The parts of some parts that each input compares; by default the same."""
        return [us] * len(self.inputs)

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        """Look at all parts of two lists before the first two are compared, the predictions first.

        So an error is the same whichever pairs are compared, and a function of two lists is called once. Both lists are
        one where each part is compared with itself only.
        """
        mine = self.gather(us)
        theirs = mine if us is vs else self.gather(vs)
        for part, xs, ys in zip(self.inputs, mine, theirs, strict=True):
            part.prepare(xs, ys)

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        """Find the matchings of many pairs of parts at once, each of a document of its own; by default there are none.

        `explain` of 1,000 invoices with edit distances and tolerances takes 1.1 s with it and 2.2 s without it; with
        equality alone, 0.8 and 1.5 s.
        """

    def is_idle(self, p: Part, r: Part, score: float) -> bool:
        """True if a pair with this score is right, with all that is inside it, and nobody reads that."""
        return p.side.only_wrong and self.tells_all and score == self.own(p) == self.own(r)

    @cached_property
    def tells_all(self) -> bool:
        """True if a pair has its full score only where nothing inside it is missing or invented."""
        return not any(_is_forgiving(part) for part in parts(self.phi))

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        """φ(x, y) with its pairs; `counted` if the parts are parts of a sum, which has the self-scores of its parts.

        By default φ is a leaf, which shows the values that it selects.
        """
        made = self._made("leaf", p, r, self.score(p, r), counted=counted)
        sel = getattr(self.phi, "sel", ())
        return replace(made, pred=p.select(sel), ref=r.select(sel)) if sel else made

    def _made(
        self,
        kind: MatchKind,
        p: Part,
        r: Part,
        score: float,
        pairs: Sequence[Match] = (),
        missed: Unmatched = (),
        spurious: Unmatched = (),
        *,
        counted: bool,
    ) -> Match:
        """φ(x, x) is 1 where φ is a value out of 1: a user's function is given a prediction and a reference only."""
        is_counted = counted or not self.facts.bounded
        predicted, reference = (self.own(p), self.own(r)) if is_counted else (1, 1)
        variables = pairs[0].variables if kind in ("normalize", "bracket") and pairs else ()
        return Match(kind, self.text, score, p, r, predicted, reference, tuple(pairs), missed, spurious, 1, variables)


Make: TypeAlias = Callable[[Similarity], PairEvaluator]
"""Makes the evaluator of what is inside a node, where that stands."""


def _is_forgiving(phi: Similarity) -> bool:
    match phi:
        case Overlap(match=how, align_by=by):
            return how != "1:1" or by is not None
        case Normalized(kind):
            return kind in ("precision", "recall")
        case _:
            return isinstance(phi, Above | Minus | Best | Subset | Contingency | Substitution | Harmonic)


def is_asking(phi: Similarity) -> bool:
    """True if there is a function of two lists inside φ."""
    return any(isinstance(part, Custom) and part.batch for part in parts(phi))


def is_long(us: Sequence[Any], vs: Sequence[Any]) -> bool:
    """Whether two lists have so many pairs that arrays are worth their making."""
    return len(us) * len(vs) > LONG


def as_number(value: Number) -> float:
    """A number as floats have it: fractions are rounded, and so are whole numbers that no float holds."""
    return value if type(value) is int and abs(value) < 2**53 else float(value)
