"""What the operator of a node can do with two parts and with two frames; and what it says about two parts: a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

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
    Selector,
    Similarity,
    Subset,
    Substitution,
)
from matchwise.algebra.walk import children, close, parts
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.parts import PairSide, Part, frames
from matchwise.engine.rewrite import Scope
from matchwise.engine.solve.cells import Cell
from matchwise.engine.tuning import LONG

if TYPE_CHECKING:
    from matchwise.arrays import Floats

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


class Operator:
    """φ of two parts (`score`, `own`, `cells`, `match`), and of two frames (`join`, `at`, `self_scores`).

    Elements of two documents never meet. Numbers are as arrays have them: floats, or whole numbers that floats hold
    exactly. By default two elements of frames are compared as two parts: arrays are for nodes of which they make a
    command on real data twice as fast (`benchmarks/whole.py`).
    """

    verb: str
    has_arrays: ClassVar[bool] = False
    """True if frames are compared over arrays: long lists of parts are, too."""

    dense: bool = False
    """True if no join finds the non-zero pairs of two lists, so that all pairs are compared."""

    scope: Scope
    """What is around φ, if it recurs; set by the builder."""

    inner: Operator
    """The first similarity inside, often the only one."""

    def __init__(self, phi: Any, facts: Facts, make: Make, inner: Iterable[Similarity] | None = None) -> None:
        """`inner` is what is compared inside φ: by default, the similarities that are written there."""
        self.phi, self.facts = phi, facts
        self.sel: Selector = getattr(phi, "sel", ())
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
    def closed(self) -> Similarity:
        """φ with what is around it, so that it can stand alone."""
        return close(self.phi, dict(reversed(self.scope)))

    @cached_property
    def windows(self) -> bool:
        """True if a dense φ over arrays looks first which values are in reach of each other."""
        inside = self.inputs if self.has_arrays and self.dense else ()
        return bool(inside) and all(one.windows or not one.dense for one in inside)

    @cached_property
    def fills(self) -> bool:
        """True if all pairs of a document are compared."""
        return self.dense and not self.windows

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
        """The non-zero φ(u, v) of two lists, sorted; long lists are compared over arrays, as one document."""
        if self.has_arrays and is_long(us, vs):
            with frames(us, vs) as both:
                found = self.join(*both)
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

    def grid(self, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
        """All φ(u, v) of two lists; long lists are compared over arrays, as one document."""
        if self.has_arrays and is_long(us, vs):
            with frames(us, vs) as both:
                dense: Floats = self.table(*both)
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
            if xs and ys:
                part.prepare(xs, ys)

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        """Find the matchings of many pairs of parts at once, each of a document of its own; by default there are none.

        `explain` of 1,000 invoices with edit distances and tolerances takes 1.1 s with it and 2.2 s without it; with
        equality alone, 0.8 and 1.5 s.
        """

    def is_idle(self, p: Part, r: Part, score: float) -> bool:
        """True if a pair with this score is right, with all that is inside it, and nobody reads it."""
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
        return replace(made, pred=p.select(self.sel), ref=r.select(self.sel)) if self.sel else made

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

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """All non-zero φ(x, y)."""
        mine, theirs = preds.parts(), refs.parts()
        here, there = preds.by_document(), refs.by_document()
        found: list[tuple[int, int, float]] = []
        for document in here.keys() & there.keys():
            rows, columns = here[document], there[document]
            us, vs = [mine[i] for i in rows], [theirs[j] for j in columns]
            self.prepare(us, us if preds is refs else vs)
            found += [(rows[i], columns[j], w) for i, j, w in self.cells(us, vs)]
        i, j, w = zip(*sorted(found), strict=True) if found else ((), (), ())
        return Pairs(kernels.places(i), kernels.places(j), np.array(w, dtype=np.float64))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """φ at the given places."""
        mine, theirs = preds.parts(), refs.parts()
        pairs = [(mine[x], theirs[y]) for x, y in zip(i.tolist(), j.tolist(), strict=True)]
        if self.is_asking:  # what meets in a document is shown first, so that a function of two lists is called once
            met: dict[PairSide, tuple[dict[Part, None], dict[Part, None]]] = {}
            for u, v in pairs:
                us, vs = met.setdefault(u.side, ({}, {}))
                us[u] = vs[v] = None
            for us, vs in met.values():
                shown = list(us)
                self.prepare(shown, shown if us.keys() == vs.keys() else list(vs))
        return np.array([self.score(u, v) for u, v in pairs], np.float64)

    def self_scores(self, frame: Frame) -> Vector:
        """φ(x, x) of each element; refuses an element that cannot be compared."""
        found = frame.parts()
        for places in frame.by_document().values() if self.is_asking else ():
            us = [found[place] for place in places]
            self.prepare(us, us)
        return np.array([self.own(part) for part in found], np.float64)

    def fill(self, preds: Frame, refs: Frame) -> Pairs:
        """All non-zero φ(x, y), where all pairs have to be compared."""
        if preds.documents is None or refs.documents is None:
            i, j = np.indices((len(preds), len(refs))).reshape(2, -1)
        else:
            i, j = kernels.join(preds.documents, refs.documents)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def look_up(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """φ at the given places, of what a join finds."""
        return self.join(preds, refs).at(i, j, len(refs))

    def diagonal(self, frame: Frame) -> Vector:
        """φ(x, x) of each element, compared with itself like any two."""
        places = np.arange(len(frame))
        return self.at(frame, frame, places, places)

    def table(self, preds: Frame, refs: Frame) -> Vector:
        """φ of all elements of one document with all others, as a matrix."""
        shape = len(preds), len(refs)
        i, j = np.indices(shape).reshape(2, -1)
        return self.at(preds, refs, i, j).reshape(shape)

    def volume(self, preds: Frame, refs: Frame) -> int:
        """About how many pairs `join` compares."""
        if preds.documents is None or refs.documents is None:
            return len(preds) * len(refs)
        return kernels.count_pairs(preds.documents, refs.documents)

    def in_reach(self, preds: Frame, refs: Frame) -> Any:
        """The values within reach of each other (`Windows`); None if unknown or slower than comparing all."""
        return None

    def settle(self, preds: Frame, refs: Frame) -> tuple[Operator, Frame, Frame]:
        """φ without variables, and both objects with their variables matched as is best; φ itself if it has none."""
        return self, preds, refs

    def cost(self) -> str:
        """The cost class, in n and m elements a side."""
        if self.windows:
            return "O(n·log n + m·log m + pairs in reach)"
        return "O(n·m)" if self.dense else "O(n + m + non-zero)"

    def detail(self) -> str:
        return ""

    def children(self) -> Iterable[tuple[str, Operator]]:
        """The inputs, each with the place it has."""
        return [("", part) for part in self.inputs]


Make: TypeAlias = Callable[[Similarity], Operator]
"""Makes the operator of what is inside a node, where that stands."""


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
