"""Collections of discrete elements: overlap and inclusion by an inverted index.

Two collections that share no element never meet; Σ over equal elements is Σ min(count).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from matchwise.algebra.nodes import Overlap, Subset
from matchwise.engine.many import kernels
from matchwise.engine.many.blocks import Chosen
from matchwise.engine.many.frame import Flat, Frame, Vector
from matchwise.engine.many.operators.base import Operator, Pairs, Places
from matchwise.engine.many.operators.equality import Equality
from matchwise.engine.tuning import LOOKED_UP


class BagOverlap(Operator):
    """Σ^◇[δ] of two collections."""

    verb: ClassVar[str] = "bag overlap"

    def __init__(self, phi: Overlap, inner: Equality) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel
        self.match = phi.match

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        mine, theirs = self.inner.codes(p.frame, r.frame)
        sizes = len(preds), len(refs)
        return Pairs(*kernels.overlaps(self.match, mine, p.owners(), theirs, r.owners(), sizes))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """A look-up in the join, unless that has many more pairs: 20,000 lines with a key, which share tags."""
        if self.volume(preds, refs) <= LOOKED_UP * (len(i) + len(preds) + len(refs)):
            return super()._at(preds, refs, i, j)
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        mine, theirs = self.inner.codes(p.frame, r.frame)
        here, a = kernels.lay_out(p.offsets[i], np.diff(p.offsets)[i])
        there, b = kernels.lay_out(r.offsets[j], np.diff(r.offsets)[j])
        many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
        sizes = len(i), len(i)
        found = kernels.overlaps(self.match, here * many + mine[a], here, there * many + theirs[b], there, sizes)
        return kernels.spread(len(i), found[0], found[2])

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal ones in the order of their content."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        mine, theirs = self.inner.codes(p.frame, r.frame)
        here, there = np.arange(len(p.frame)), np.arange(len(r.frame))
        if self.match != "N:N":
            first, second = _occurrences(p, mine), _occurrences(r, theirs)
            if self.match == "1:1":
                many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
                mine, theirs = first * many + mine, second * many + theirs
            elif self.match == "N:1":
                there = np.flatnonzero(second == 0)
            else:
                here = np.flatnonzero(first == 0)
        a, b = kernels.join(mine[here], theirs[there])
        a, b = here[a], there[b]
        block = kernels.number_pairs(i, j, len(refs), p.owners()[a], r.owners()[b])
        return Chosen.sorted(block, a, b, np.ones(len(a)))

    def tells_apart(self, frame: Frame) -> bool:
        """True if no element is in two collections, or twice in one."""
        return self.inner.tells_apart(frame.flat(self.sel).frame)

    def volume(self, preds: Frame, refs: Frame) -> int:
        return self.inner.volume(preds.flat(self.sel).frame, refs.flat(self.sel).frame)

    def _self_scores(self, frame: Frame) -> Vector:
        flat = frame.flat(self.sel)
        if self.match != "N:N":
            self.inner.self_scores(flat.frame)
            return np.diff(flat.offsets).astype(np.float64)
        codes, _ = self.inner.codes(flat.frame, flat.frame)
        own, size = kernels.within(codes, flat.owners()), len(frame)
        found = kernels.overlaps("N:N", own, flat.owners(), own, flat.owners(), (size, size))
        return kernels.spread(size, found[0], found[2])

    def detail(self) -> str:
        return f"{self.match}, inverted index on {self.inner.phi!r}"

    def cost(self) -> str:
        return "O(elements + non-zero)"


def _occurrences(flat: Flat, codes: Vector) -> Vector:
    """Number the elements of a collection that have the same code, in the order of their content."""
    frame = flat.frame
    own = kernels.within(codes, flat.owners())
    found = kernels.occurrences(own)
    if not len(np.flatnonzero(found)):
        return found
    numbers: list[int] = found.tolist()
    members: dict[Any, list[int]] = {}
    for place, code in enumerate(own.tolist()):
        members.setdefault(code, []).append(place)
    for places in frame.sort_by_content([places for places in members.values() if len(places) > 1]):
        for number, place in enumerate(places):
            numbers[place] = number
    return kernels.places(numbers)


class Inclusion(Operator):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧: Σ→[δ] = |P|, all elements of P are in R."""

    verb: ClassVar[str] = "inclusion"

    def __init__(self, phi: Subset, inner: Equality) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel
        self.found = BagOverlap(Overlap(phi.sel, inner.phi, "N:1"), inner)

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        return self.found.near(preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        found, size = self.found.at(preds, refs, i, j), self.found.self_scores(preds)[i]
        return ((found == size) & (size > 0)).astype(np.float64)

    def _self_scores(self, frame: Frame) -> Vector:
        return (self.found.self_scores(frame) > 0).astype(np.float64)

    def detail(self) -> str:
        return "inverted index"
