"""Two long lists most of whose pairs score: equal elements first, then all pairs in one array and its best matching."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.algebra.nodes import Again
from matchwise.algebra.walk import parts
from matchwise.engine.frame import Frame
from matchwise.engine.kernels import long
from matchwise.engine.limits import answer, reads_upper
from matchwise.engine.one.parts import Part
from matchwise.engine.order import content_order, sort_groups
from matchwise.engine.side import Side
from matchwise.engine.solve import choose_cells
from matchwise.engine.solvers.assignment import assign_matrix
from matchwise.engine.tuning import SPARSE, TOO_MANY

if TYPE_CHECKING:
    from matchwise.engine.one.matching import Overlap, Solution
    from matchwise.engine.operators.searched import Bounded


def choose_in_table(overlap: Overlap, us: list[Part], vs: list[Part]) -> Solution:
    """Σ of two long lists, and its pairs."""
    paired = _pair_equals(overlap, us, vs)
    if paired is not None:
        equal, mine, theirs = paired
        rest, found = overlap.choose([us[i] for i in mine], [vs[j] for j in theirs])
        worth = [overlap.inner.own(us[i]) for i, _ in equal]
        cells = [(i, j, w) for (i, j), w in zip(equal, worth, strict=True)]
        return fsum([*worth, rest]), sorted([*cells, *((mine[i], theirs[j], w) for i, j, w in found)])
    priced = _priced(overlap, us, vs)
    if priced is not None:
        return float(priced.upper if reads_upper() else priced.lower), [(i, j, float(w)) for i, j, w in priced.matched]
    made, how = overlap.inner.grid(us, vs), overlap.phi.match
    values = [u.value for u in us], [v.value for v in vs]
    if how == "N:N" or np.count_nonzero(made) * SPARSE <= made.size:
        rows, columns = np.nonzero(made)
        cells = list(zip(rows.tolist(), columns.tolist(), made[rows, columns].tolist(), strict=True))
        content = (lambda groups: sort_groups(values[0], groups)), (lambda groups: sort_groups(values[1], groups))
        found = [cells[place] for place in choose_cells(how, cells, content)]
    else:
        pairs = _plain_to_see(made) if how == "1:1" else None
        if pairs is None:
            mine, theirs = map(content_order, values)
            pairs = [(mine[i], theirs[j]) for i, j in _best(how, made[np.ix_(mine, theirs)])]
        found = sorted((i, j, made[i, j].item()) for i, j in pairs)
    return fsum([w for _, _, w in found]), found


def _pair_equals(
    overlap: Overlap, us: list[Part], vs: list[Part]
) -> tuple[list[tuple[int, int]], list[int], list[int]] | None:
    """Pair equal elements: the pairs and the elements left over; None unless this is proved to lose nothing."""
    from matchwise.engine.operators.bulk import is_best_with_equals, pair_equals

    phi = overlap.inner.phi
    if overlap.phi.match != "1:1" or not is_best_with_equals(phi):
        return None
    return pair_equals(phi, frame_of_parts(us), frame_of_parts(vs))


def _priced(overlap: Overlap, us: list[Part], vs: list[Part]) -> Bounded | None:
    """The best pairs of two lists that are too long for all pairs to be compared."""
    phi = overlap.inner.phi
    if len(us) * len(vs) <= TOO_MANY or overlap.phi.match != "1:1" or any(isinstance(one, Again) for one in parts(phi)):
        return None
    from matchwise.engine.operators.bulk import Candidates, solve_priced
    from matchwise.engine.plan import part

    inner = part(phi)
    if not Candidates.suits(inner):
        return None
    more = Candidates(inner, frame_of_parts(us), frame_of_parts(vs)).more
    name = (overlap, us[0].side.name, us[0].path(), len(us), vs[0].side.name, vs[0].path(), len(vs))
    return answer(name, lambda limits: solve_priced(len(us), len(vs), more, limits))


def frame_of_parts(us: Sequence[Part]) -> Frame:
    """Parts of one side as the elements of one document, for the solvers that work on frames."""
    made = Frame([u.value for u in us], lambda place: us[place].path(), Side(us[0].side.name, long))
    made.side.remember(made)
    return made


def _plain_to_see(made: Any) -> list[tuple[int, int]] | None:
    """The best cell of each row, or of each column, if no two of them meet and none is tied."""
    for table, turned in ((made, False), (made.T, True)):
        best, most = table.argmax(axis=1), table.max(axis=1)
        tied = np.count_nonzero(table == most[:, None], axis=1) > 1
        if most.all() and not tied.any() and len(np.unique(best)) == len(best):
            pairs = enumerate(best.tolist())
            return [(j, i) for i, j in pairs] if turned else list(pairs)
    return None


def _best(how: str, made: Any) -> list[tuple[int, int]]:
    """The pairs of a best matching; of equal ones, the first."""
    if how == "1:1":
        return assign_matrix(made)
    best = made.argmax(axis=1 if how == "N:1" else 0).tolist()
    pairs = list(enumerate(best)) if how == "N:1" else [(i, j) for j, i in enumerate(best)]
    return [(i, j) for i, j in pairs if made[i, j]]
