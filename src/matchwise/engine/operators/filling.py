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
from matchwise.engine.tuning import EVERY


class Filled(NamedTuple):
    """The non-zero cells of the rows that were reached, which come first, and an upper bound of each other row."""

    cells: list[Cell]
    reached: int
    most: list[Number]


def filled(phi: Operator, us: Frame, vs: Frame, limits: Limits) -> Filled:
    """The pairs of two frames of one document, as far as half of the time goes; the rest is for matching them.

    Rows are filled a few at a time: at most twice as many as before, and no more than half of the time left is for.
    """
    end, most = limits.half().deadline, None
    if end is not None and len(us) * len(vs) > EVERY * EVERY and _pair_by_pair(phi):
        most = _largest(phi, us)
    if end is None or most is None:
        return Filled(cells_of(phi, us, vs), len(us), [])
    found: list[Cell] = []
    place, size, start = 0, 1, monotonic()
    while place < len(us) and start < end:
        rows = list(range(place, min(place + size, len(us))))
        found += [(place + i, j, w) for i, j, w in cells_of(phi, us.take(rows), vs)]
        place += len(rows)
        start, took = monotonic(), monotonic() - start
        size = max(1, min(2 * size, int(size * (end - start) / 2 / took)))
    return Filled(found, place, most[place:])


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
