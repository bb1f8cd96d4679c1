"""Two long lists most of whose pairs score: all pairs in one array, and its best matching."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from matchwise.algebra.nodes import Again
from matchwise.algebra.walk import parts
from matchwise.engine.limits import answer, reads_upper
from matchwise.engine.many import blocks
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.side import Side
from matchwise.engine.one.parts import Part
from matchwise.engine.order import content_order
from matchwise.engine.tuning import TOO_MANY

if TYPE_CHECKING:
    from matchwise.engine.one.matching import Overlap, Solution
    from matchwise.engine.solve.cells import Bounded


def choose_in_table(overlap: Overlap, us: list[Part], vs: list[Part]) -> Solution:
    """Σ of two long lists, and its pairs."""
    priced = _priced(overlap, us, vs)
    if priced is not None:
        return float(priced.upper if reads_upper() else priced.lower), [(i, j, float(w)) for i, j, w in priced.matched]
    made = overlap.inner.grid(us, vs)
    orders = np.array(content_order([u.value for u in us])), np.array(content_order([v.value for v in vs]))
    rows, columns = blocks.choose_in_table(overlap.phi.match, made, orders)
    weights: list[float] = made[rows, columns].tolist()
    return fsum(weights), list(zip(rows.tolist(), columns.tolist(), weights, strict=True))


def _priced(overlap: Overlap, us: list[Part], vs: list[Part]) -> Bounded | None:
    """The best pairs of two lists that are too long for all pairs to be compared."""
    phi = overlap.inner.phi
    if len(us) * len(vs) <= TOO_MANY or overlap.phi.match != "1:1" or any(isinstance(one, Again) for one in parts(phi)):
        return None
    from matchwise.engine.many.operators.bulk import Candidates, solve_priced
    from matchwise.engine.plan import part

    inner = part(phi)
    if not Candidates.suits(inner):
        return None
    more = Candidates(inner, frame_of_parts(us), frame_of_parts(vs)).more
    name = (overlap, us[0].side.name, us[0].path(), len(us), vs[0].side.name, vs[0].path(), len(vs))
    return answer(name, lambda limits: solve_priced(len(us), len(vs), more, limits))


def frame_of_parts(us: Sequence[Part]) -> Frame:
    """Parts of one side as the elements of one document, for the solvers that work on frames."""
    made = Frame([u.value for u in us], lambda place: us[place].path(), Side(us[0].side.name))
    made.side.remember(made)
    return made
