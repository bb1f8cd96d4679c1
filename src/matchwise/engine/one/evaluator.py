"""What the evaluator of a node can do with two parts, and what it says about them: a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Number, Similarity
from matchwise.engine.one.parts import Part
from matchwise.engine.tuning import FILLED

if TYPE_CHECKING:
    from matchwise.arrays import Floats

Cell: TypeAlias = tuple[int, int, float]
"""The places of two parts in their lists, and what they score together."""

MatchKind: TypeAlias = Literal["leaf", "match", "sum", "product", "mean", "normalize", "bracket", "latent"]

Variables: TypeAlias = tuple[tuple[str, Any, Any], ...]
"""Matched variables: space, predicted name, reference name."""

Unmatched: TypeAlias = tuple[tuple[Part, float], ...]
"""Parts of one side without a partner, and what each was worth."""


@dataclass(frozen=True, slots=True)
class Match:
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


class Evaluator:
    """φ of two parts. Numbers are floats: sums over elements are rounded once, all else as arrays round it."""

    kind: ClassVar[MatchKind] = "leaf"
    dense: bool = False
    """True if no join finds the non-zero pairs of two lists, so that all pairs are compared."""
    windows: bool = False
    """True if all pairs are compared only where too many of them are in reach of each other."""
    is_batched: bool = False
    """True if a user's function inside wants all pairs of values at once."""

    def __init__(self, phi: Similarity, facts: Facts, *inputs: Evaluator) -> None:
        self.phi, self.facts, self.inputs = phi, facts, inputs
        self.is_batched = any(part.is_batched for part in inputs)

    @cached_property
    def text(self) -> str:
        """φ as it is written."""
        return repr(self.phi)

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

    def check(self, us: Sequence[Part]) -> None:
        """Refuse a part that cannot be compared."""
        for part in us:
            self.own(part)

    def cells(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        """The non-zero φ(u, v) of two lists, sorted; by default all pairs are compared."""
        found = []
        for i, u in enumerate(us):
            for j, v in enumerate(vs):
                w = self.score(u, v)
                if w:
                    found.append((i, j, w))
        return found

    def volume(self, us: Sequence[Part], vs: Sequence[Part]) -> int:
        """About how many pairs `cells` looks at."""
        return len(us) * len(vs) if self.dense else 0

    def fills(self, us: Sequence[Part], vs: Sequence[Part]) -> bool:
        """True if so many pairs score that comparing all of them is cheaper than a join."""
        return self.volume(us, vs) * FILLED > len(us) * len(vs)

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        """All φ(u, v) of two long lists as an array."""
        import numpy as np

        made = np.zeros((len(us), len(vs)))
        for i, j, w in self.cells(us, vs):
            made[i, j] = w
        return made

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        """Tell the functions inside that want all pairs at once which pairs will be compared."""
        for part in self.inputs:
            if part.is_batched:
                part.prepare(us, vs)

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
        pairs: tuple[Match, ...] = (),
        missed: Unmatched = (),
        spurious: Unmatched = (),
        *,
        counted: bool,
    ) -> Match:
        """φ(x, x) is 1 where φ is a value out of 1: a user's function is given a prediction and a reference only."""
        if counted or not self.facts.bounded:
            predicted, reference = self.own(p), self.own(r)
        else:
            predicted = reference = 1.0
        variables = pairs[0].variables if kind in ("normalize", "bracket") and pairs else ()
        return Match(kind, self.text, score, p, r, predicted, reference, pairs, missed, spurious, 1, variables)


def ratio(above: float, below: float, empty: float) -> float:
    """above / below; 0/0 is `empty`."""
    return above / below if below else empty


def scaled(value: float, weight: float) -> float:
    return value if weight == 1 else value * weight
