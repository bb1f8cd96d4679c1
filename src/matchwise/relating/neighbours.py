"""The most similar objects of each object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.relating.comparison import Comparison
from matchwise.relating.search import find
from matchwise.relating.tiles import Done, tiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL_PAIRS = 4_000_000
"""Up to this many pairs are all compared."""

STEPS = (0.9, 0.7, 0.5, 0.3)
"""Thresholds at which neighbours are looked for, until every object has enough."""


class Neighbour(NamedTuple):
    """The place of an object in its list, and how similar it is."""

    place: int
    score: float


def nearest(
    phi: Similarity | Suite,
    xs: Iterable[Any],
    ys: Iterable[Any] | None = None,
    *,
    k: int = 1,
    threshold: float = 0.0,
    jobs: int = 1,
    done: Done | None = None,
) -> list[list[Neighbour]]:
    """For each x the k most similar ys, the most similar first; without `ys` the others of `xs`.

    >>> from matchwise.algebra.build import f1
    >>> nearest(f1(), [["a", "b"], ["a"]], [["b", "c"], ["a", "b"], ["d"]])
    [[Neighbour(place=1, score=1.0)], [Neighbour(place=1, score=0.6666666666666666)]]

    Objects that are equally similar come in the order of the list. What has a similarity of 0, or one below
    `threshold`, is no neighbour. The result is exact: a pair is left out only where a bound proves that it is not among
    the nearest.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ExpressionError(f"k={k!r}; write how many neighbours each object should have at most, such as k=5")
    comparison = Comparison(phi, xs, ys)
    n, m = comparison.shape
    steps = STEPS if n * m > ALL_PAIRS and facts(comparison.phi).bounded else ()
    for step in (*(step for step in steps if step > threshold), *([threshold] if threshold > 0 else [])):
        best = _best_above(comparison, step, k, jobs, done)
        if step == threshold or best.is_complete():
            return best.neighbours()
    return _best_of_all(comparison, k, jobs, done).neighbours()


def _best_above(comparison: Comparison, threshold: float, k: int, jobs: int, done: Done | None) -> _Best:
    best = _Best(comparison.shape[0], k)
    found = find(comparison, threshold, jobs=jobs, done=done)
    best.offer(found.rows, found.columns, found.scores)
    if comparison.symmetric:
        best.offer(found.columns, found.rows, found.scores)
    return best


def _best_of_all(comparison: Comparison, k: int, jobs: int, done: Done | None) -> _Best:
    best = _Best(comparison.shape[0], k)
    for tile, values in tiles(comparison, jobs=jobs, done=done):
        i, j = values.nonzero()
        rows, columns, scores = i + tile.rows.start, j + tile.columns.start, values[i, j]
        if comparison.within:
            keep = rows != columns
            rows, columns, scores = rows[keep], columns[keep], scores[keep]
        best.offer(rows, columns, scores)
        if comparison.symmetric and tile.rows != tile.columns:
            best.offer(columns, rows, scores)
    return best


class _Best:
    """The k best of each row so far."""

    def __init__(self, rows: int, k: int) -> None:
        import numpy as np

        self.k, self.number = k, rows
        self.rows, self.columns = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        self.scores = np.zeros(0)

    def offer(self, rows: NDArray[np.intp], columns: NDArray[np.intp], scores: NDArray[np.float64]) -> None:
        """Take what is among the best; of equal scores the lower place."""
        import numpy as np

        rows, columns = np.concatenate((self.rows, rows)), np.concatenate((self.columns, columns))
        scores = np.concatenate((self.scores, scores))
        order = np.lexsort((columns, -scores, rows))
        rows, columns, scores = rows[order], columns[order], scores[order]
        starts = np.searchsorted(rows, rows, "left")
        keep = np.arange(len(rows)) - starts < self.k
        self.rows, self.columns, self.scores = rows[keep], columns[keep], scores[keep]

    def is_complete(self) -> bool:
        """True if every row has k."""
        return len(self.rows) == self.number * self.k

    def neighbours(self) -> list[list[Neighbour]]:
        made: list[list[Neighbour]] = [[] for _ in range(self.number)]
        for row, column, score in zip(self.rows.tolist(), self.columns.tolist(), self.scores.tolist(), strict=True):
            made[row].append(Neighbour(column, score))
        return made
