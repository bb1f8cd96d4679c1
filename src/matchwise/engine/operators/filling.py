"""Tables of similarities that are filled row by row until time is up; other rows are known by what they add at most.

A row that was not reached has no cell above 1 where φ is bounded by 1, and none above φ(x, x) where that is a law;
where neither is known, the table is filled to its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import NamedTuple

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.frame import Frame
from matchwise.engine.limits import Limits
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.solve import Cell

CELLS = 64
"""Smaller tables are filled without a look at the clock."""

SECONDS = 0.03
"""About the time between two looks at the clock."""

SHARE = 0.5
"""The share of the remaining time for filling a table; the rest is for matching it."""


class Filled(NamedTuple):
    """The non-zero cells of the rows that were reached, which come first, and an upper bound of each other row."""

    cells: list[Cell]
    reached: int
    most: list[Number]


def filled(phi: Operator, us: Frame, vs: Frame, limits: Limits) -> Filled:
    """The pairs of two frames of one document, as far as there is time."""
    if limits.deadline is None or len(us) * len(vs) <= CELLS or not _pair_by_pair(phi):
        return Filled(cells_of(phi, us, vs), len(us), [])
    most = _largest(phi, us)
    start = monotonic()
    end = start + SHARE * (limits.deadline - start)
    found: list[Cell] = []
    place, size = 0, 1
    while place < len(us) and (most is None or start < end):
        rows = list(range(place, min(place + size, len(us))))
        found += [(place + i, j, w) for i, j, w in cells_of(phi, us.take(rows), vs)]
        place += len(rows)
        start, before = monotonic(), start
        size = 2 * size if start - before < SECONDS else max(1, size // 2)
    return Filled(found, place, [] if most is None else most[place:])


def cells_of(phi: Operator, us: Frame, vs: Frame) -> list[Cell]:
    """The non-zero pairs of two frames, one by one."""
    return list(zip(*map(us.kernels.plain, phi.join(us, vs)), strict=True))


def _pair_by_pair(phi: Operator) -> bool:
    """Whether values are compared, none by a function that is called once for all pairs; joins are quick."""
    leaves = list(_leaves(phi))
    return bool(leaves) and not any(leaf.batched for leaf in leaves)


def _leaves(phi: Operator) -> Iterator[Compare]:
    if isinstance(phi, Compare):
        yield phi
    for part in phi.inputs:
        yield from _leaves(part)


def _largest(phi: Operator, frame: Frame) -> list[Number] | None:
    """For each x an upper bound of all φ(x, y)."""
    if phi.facts.bounded.holds:
        return [1] * len(frame)
    return frame.kernels.plain(phi.self_scores(frame)) if phi.facts.self_score.holds else None


def most_of(match: Match, cells: Iterable[Cell]) -> Number:
    """An upper bound of Σ^◇: every row, or every column, takes its best cell."""
    rows: dict[int, Number] = {}
    columns: dict[int, Number] = {}
    total: Number = 0
    for i, j, w in cells:
        rows[i] = max(w, rows.get(i, 0))
        columns[j] = max(w, columns.get(j, 0))
        total += w
    by_row, by_column = sum(rows.values()), sum(columns.values())
    return {"1:1": min(by_row, by_column), "N:1": by_row, "1:N": by_column, "N:N": total}[match]


def most_of_rows(match: Match, most: Iterable[Number], columns: int) -> Number:
    """The most that the rows which were not reached can add."""
    rows = list(most)
    return {"1:1": sum(rows), "N:1": sum(rows), "1:N": columns * max(rows, default=0), "N:N": columns * sum(rows)}[
        match
    ]
