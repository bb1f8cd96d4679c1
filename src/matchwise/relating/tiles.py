"""All pairs of two lists in tiles that fit into memory, by one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isqrt
from typing import TYPE_CHECKING, TypeAlias

from matchwise.errors import MatchwiseError
from matchwise.relating.comparison import Comparison

if TYPE_CHECKING:
    from matchwise.relating.comparison import Matrix

Done: TypeAlias = Callable[[int], None]
"""Is told how many pairs have been compared."""

CELLS = 4_000_000
"""Pairs of elements that are compared at once."""

LARGEST, PIECES = 2_048, 16
"""Objects along one side of a tile, at most, and pieces of a symmetric matrix: its diagonal is computed whole."""

SAMPLE = 16
"""Objects that tell how many elements an object has."""


class Tile:
    """Some xs against some ys."""

    __slots__ = ("columns", "rows")

    def __init__(self, rows: range, columns: range) -> None:
        self.rows, self.columns = rows, columns

    def __reduce__(self) -> tuple[object, ...]:
        return Tile, (self.rows, self.columns)


def tiles(
    comparison: Comparison, *, jobs: int = 1, done: Done | None = None, edge: int | None = None
) -> Iterator[tuple[Tile, Matrix]]:
    """φ of every pair, tile by tile in order of the rows; of a symmetric φ only the tiles on and above the diagonal."""
    check_jobs(jobs)
    wanted = list(_cut(comparison, edge or _edge(comparison)))
    compared = 0
    for tile, values in zip(wanted, _values(comparison, wanted, jobs), strict=True):
        if comparison.symmetric and tile.rows == tile.columns:
            values = _mirrored(values)
        yield tile, values
        compared += values.size
        if done is not None:
            done(compared)


def _mirrored(values: Matrix) -> Matrix:
    """The same to the last bit on both sides of the diagonal: sums in another order may be rounded otherwise."""
    import numpy as np

    made: Matrix = np.triu(values) + np.triu(values, 1).T
    return made


def _cut(comparison: Comparison, edge: int) -> Iterator[Tile]:
    n, m = comparison.shape
    for top in range(0, n, edge):
        for left in range(top if comparison.symmetric else 0, m, edge):
            yield Tile(range(top, min(n, top + edge)), range(left, min(m, left + edge)))


def _edge(comparison: Comparison) -> int:
    """Objects along the side of a tile, given how many elements the first few have."""
    n, m = comparison.shape
    if not n or not m or comparison.step is not None:
        return SAMPLE
    largest = max(SAMPLE, -(-n // PIECES)) if comparison.symmetric else LARGEST
    return max(1, min(largest, int(isqrt(CELLS) / max(1.0, comparison.relation.elements(SAMPLE)))))


def _values(comparison: Comparison, wanted: list[Tile], jobs: int) -> Iterator[Matrix]:
    work = _Work(comparison)
    if jobs == 1 or len(wanted) < 2:
        for tile in wanted:
            yield from work(0, [tile])
        return
    from matchwise.runners.pool import Lost, run

    for result in run(work, ([tile] for tile in wanted), jobs, what="tile"):
        if isinstance(result, Lost):
            raise MatchwiseError(f"a worker process ended while it compared objects: {result.reason}; write jobs=1")
        yield from result


class _Work:
    """What a worker does with tiles."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    def __call__(self, place: int, wanted: list[Tile]) -> list[Matrix]:
        return [self.comparison.tile(tile.rows, tile.columns) for tile in wanted]


def check_jobs(jobs: int) -> None:
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise MatchwiseError(f"jobs={jobs!r}; write jobs=1, or the number of processes that share the work")
