"""Large tables of two collections: all pairs in one array, and its best matching."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.engine.one.parts import Part
from matchwise.engine.order import sort_groups
from matchwise.engine.solve import Cell, choose_cells
from matchwise.engine.solvers.assignment import assign_matrix
from matchwise.engine.tuning import SPARSE

if TYPE_CHECKING:
    from matchwise.engine.one.matching import Overlap, Solution


def choose_in_grid(overlap: Overlap, us: list[Part], vs: list[Part]) -> Solution:
    """Σ of two long lists, given that most of their pairs score."""
    made = overlap.inner.grid(us, vs)
    how = overlap.phi.match
    values = [u.value for u in us], [v.value for v in vs]
    if how == "N:N" or np.count_nonzero(made) * SPARSE <= made.size:
        rows, columns = (side.tolist() for side in np.nonzero(made))
        cells: list[Cell] = list(zip(rows, columns, made[rows, columns].tolist(), strict=True))
        content = (lambda groups: sort_groups(values[0], groups)), (lambda groups: sort_groups(values[1], groups))
        found = [cells[place] for place in choose_cells(how, cells, content)]
    else:
        pairs = _plain_to_see(made) if how == "1:1" else None
        if pairs is None:
            [mine], [theirs] = (sort_groups(side, [list(range(len(side)))]) for side in values)
            pairs = [(mine[i], theirs[j]) for i, j in _best(how, made[np.ix_(mine, theirs)])]
        found = sorted((i, j, made[i, j].item()) for i, j in pairs)
    return fsum([w for _, _, w in found]), found


def _plain_to_see(made: Any) -> list[tuple[int, int]] | None:
    """The best cell of each row, or of each column, if no two of them meet and none is tied."""
    for table, turned in ((made, False), (made.T, True)):
        best, most = table.argmax(axis=1), table.max(axis=1)
        if (most > 0).all() and len(set(best.tolist())) == len(best) and ((table == most[:, None]).sum(axis=1) == 1).all():
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
