"""Which intervals of two sides meet, over arrays: by sorted ends, so that intervals far apart are never compared."""

from __future__ import annotations

import numpy as np

from matchwise.engine.kernels.blocks import Vector


class Windows:
    """The closed intervals of both sides, with the document of each; intervals of two documents never meet.

    Two intervals meet if the second begins inside the first (A), or the first begins later, inside the second (B).
    """

    def __init__(self, mine: tuple[Vector, Vector, Vector], theirs: tuple[Vector, Vector, Vector]) -> None:
        ends = np.concatenate((*mine[:2], *theirs[:2]))
        values, ranks = np.unique(ends, return_inverse=True)
        n, m = len(mine[0]), len(theirs[0])
        cuts = np.split(ranks.ravel(), [n, 2 * n, 2 * n + m])
        p, r = mine[2] * len(values), theirs[2] * len(values)
        self._starts = p + cuts[0], r + cuts[2]
        self._inside = _ranges(self._starts[1], p + cuts[0], p + cuts[1], "left")
        self._later = _ranges(self._starts[0], r + cuts[2], r + cuts[3], "right")

    def count(self) -> int:
        """How many pairs meet."""
        return int(sum((last - first).sum() for _, first, last in (self._inside, self._later)))

    def pairs(self) -> tuple[Vector, Vector]:
        """The pairs that meet, sorted."""
        i, b = _listed(*self._inside)
        j, a = _listed(*self._later)
        i, j = np.concatenate((i, a)), np.concatenate((b, j))
        order = np.lexsort((j, i))
        return i[order], j[order]


def _ranges(starts: Vector, low: Vector, high: Vector, side: str) -> tuple[Vector, Vector, Vector]:
    """The order that sorts the starts, and for each interval the range of sorted starts inside it."""
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    first = np.searchsorted(ordered, low, side=side)  # type: ignore[call-overload]  # "left" or "right"
    return order, first, np.maximum(first, np.searchsorted(ordered, high, side="right"))


def _listed(order: Vector, first: Vector, last: Vector) -> tuple[Vector, Vector]:
    """List each interval beside each start inside it."""
    found = last - first
    owner = np.repeat(np.arange(len(found)), found)
    return owner, order[np.arange(len(owner)) + np.repeat(first - (np.cumsum(found) - found), found)]
