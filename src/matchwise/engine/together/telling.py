"""Metrics of one collection that all compare a part which tells its elements apart, as their place does with words.

Elements are joined by that part once, for all metrics; what else a metric compares is compared along the pairs:
Σ^◇[δ_place × δ_tag] = Σ over the pairs of equal place of δ_tag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import eq, itemgetter
from typing import TYPE_CHECKING, TypeAlias

from matchwise.algebra.nodes import Eq, Product, Selector
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import Discrete, keyer
from matchwise.engine.parts import Flat, Rows
from matchwise.engine.plan import Program
from matchwise.engine.together.codes import Codes, codes
from matchwise.engine.together.roots import root_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from matchwise.engine.together.labels import Column

Truths: TypeAlias = "NDArray[np.bool_]"

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
        from matchwise.engine.together.equality import Equality

        self._join = Equality(Discrete(part), p, r)
        found = self._join.pairs()
        self.tells = found is not None
        """Whether no two elements of a document are equal in it."""
        self._equal: dict[Eq, Truths] = {}
        if found is not None:
            self.rows, self.columns = found

    def totals(self, parts: tuple[Eq, ...]) -> Column:
        """Σ of each document."""
        import numpy as np

        owners = self._join.owners[self.rows]
        rest = [self._along(part) for part in parts if part != self.part]
        if rest:
            owners = owners[np.logical_and.reduce(rest)]
        made: Column = np.bincount(owners, minlength=self._join.documents).tolist()
        return made

    def _along(self, part: Eq) -> Truths:
        """Whether each pair is equal in another part."""
        made = self._equal.get(part)
        if made is None:
            made = self._equal[part] = self._compared(part)
        return made

    def _compared(self, part: Eq) -> Truths:
        import numpy as np

        p, r = self.p.parts, self.r.parts
        if isinstance(p, Rows) and isinstance(r, Rows):
            mine, theirs = codes(Discrete(part), p, r)
            equal: Truths = mine[self.rows] == theirs[self.columns]
            return equal
        of = keyer(part)
        compared = map(eq, _at(of(p), self.rows), _at(of(r), self.columns))
        return np.fromiter(compared, dtype=np.bool_, count=len(self.rows))


def _at(keys: list[object], places: Codes) -> Sequence[object]:
    several = places.tolist()
    return itemgetter(*several)(keys) if len(several) > 1 else [keys[at] for at in several]
