"""Metrics of one collection that all compare a part which tells its elements apart, as their place does with words.

Elements are joined by that part once, for all metrics; what else a metric compares is compared along the pairs:
Σ^◇[δ_place × δ_tag] = Σ over the pairs of equal place of δ_tag.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from operator import and_, eq
from typing import TypeAlias

from matchwise.algebra.nodes import Eq, Product, Selector
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import keyer
from matchwise.engine.parts import Flat
from matchwise.engine.plan import Program
from matchwise.engine.together.labels import Column
from matchwise.engine.together.roots import root_of

FEWEST = 3
"""Metrics that make a join of its own worth it."""

Where: TypeAlias = tuple[Selector, Selector]
"""The path to a collection, and the collection."""


def telling_parts(program: Program) -> dict[Where, Eq]:
    """Of each collection the part that most of its metrics compare, if they are several."""
    compared: dict[Where, Counter[Eq]] = {}
    for plan in program.plans.values():
        for operator in plan.sums:
            before, root = root_of(operator)
            if isinstance(root, BagOverlap):
                compared.setdefault((before, root.sel), Counter()).update(parts_of(root) or ())
    most = {where: counts.most_common(1)[0] for where, counts in compared.items() if counts}
    return {where: part for where, (part, number) in most.items() if number >= FEWEST}


def parts_of(operator: Operator) -> tuple[Eq, ...] | None:
    """The parts whose equality a bag overlap counts, if it is made of nothing else."""
    phi = operator.phi.inner if isinstance(operator, BagOverlap) else None  # type: ignore[attr-defined]  # an Overlap
    factors = phi.factors if isinstance(phi, Product) else (phi,)
    equalities = tuple(factor for factor in factors if isinstance(factor, Eq))
    return equalities if len(equalities) == len(factors) else None


class Pairs:
    """The pairs of elements of one document that are equal in the part that tells them apart."""

    def __init__(self, part: Eq, p: Flat, r: Flat) -> None:
        self.part = part
        self.p, self.r = p, r
        mine, theirs = (list(zip(flat.owners(), keyer(part)(flat.parts), strict=True)) for flat in (p, r))
        place = dict(zip(theirs, range(len(theirs)), strict=True))
        self.tells = len(place) == len(theirs) and len(set(mine)) == len(mine)
        """Whether no two elements of a document are equal in it."""
        self.rows = [i for i, key in enumerate(mine) if key in place] if self.tells else []
        self.columns = [place[mine[i]] for i in self.rows]
        self.ends = [bisect_left(self.rows, offset) for offset in p.offsets]
        self._equal: dict[Eq, list[bool]] = {}

    def totals(self, parts: tuple[Eq, ...]) -> Column:
        """Σ of each document."""
        rest = [self._along(part) for part in parts if part != self.part]
        if not rest:
            return [b - a for a, b in pairwise(self.ends)]
        both = rest[0]
        for more in rest[1:]:
            both = list(map(and_, both, more))
        return [both[a:b].count(True) for a, b in pairwise(self.ends)]

    def _along(self, part: Eq) -> list[bool]:
        """Whether each pair is equal in another part."""
        made = self._equal.get(part)
        if made is None:
            of = keyer(part)
            mine, theirs = _at(of(self.p.parts), self.rows), _at(of(self.r.parts), self.columns)
            made = self._equal[part] = list(map(eq, mine, theirs))
        return made


def _at(keys: list[object], places: list[int]) -> list[object]:
    return keys if len(places) == len(keys) and places == list(range(len(keys))) else [keys[at] for at in places]
