"""A 1:1 matching of greatest weight where most cells are never computed: candidates, prices, and a proof or a bound.

Solved over some cells of each row, a matching has prices: worth[i] + price[j] ≥ w[i, j] on these cells. Let no other
cell of row i be above rest[i]. If rest[i] ≤ worth[i] for all rows, the prices prove the matching best over *all* cells.
If not, Σ max(worth[i], rest[i]) + Σ price[j] is still a bound that no matching exceeds (weak duality), and rows that
fail are given more cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum, inf
from time import monotonic
from typing import TypeAlias

from matchwise.algebra.nodes import Number
from matchwise.engine.kernels.short import exact_sum
from matchwise.engine.limits import Limits
from matchwise.engine.solve import Cell
from matchwise.engine.solvers.assignment import CostRows, Row, assign_priced
from matchwise.errors import DataError

More: TypeAlias = Callable[[list[int], int], list[tuple[Row, Number]]]
"""Rows, how many cells of each -> the cells of each, and what none of its other cells is above."""

FIRST, FACTOR = 16, 4
"""Cells of each row at first, and how many times as many a row is given next."""

MOST = 20_000_000
"""Cells in all, beyond which a search without limits is given up."""


@dataclass(frozen=True, slots=True)
class Priced:
    """The matching that was found, what it is worth, and what no matching exceeds."""

    matched: list[Cell]
    lower: Number
    upper: Number


def solve(rows: int, columns: int, more: More, limits: Limits) -> Priced:
    """The best matching, or with limits the best that was found, with its bound."""
    table: CostRows = [{} for _ in range(rows)]
    rest: list[Number] = [inf] * rows
    waiting, width = list(range(rows)), FIRST
    while True:
        for i, (row, bound) in zip(waiting, more(waiting, min(width, columns)), strict=True):
            table[i], rest[i] = row, bound
        pairs, worth, price = assign_priced(table)
        found: list[Cell] = [(i, j, table[i][j]) for i, j in pairs]
        lower = exact_sum([w for _, _, w in found])
        waiting = [i for i in range(rows) if rest[i] > worth[i]]
        if not waiting:
            return Priced(found, lower, lower)
        each = fsum(max(bound, *row.values()) if row else bound for row, bound in zip(table, rest, strict=True))
        upper = min(each, fsum([*map(max, worth, rest), *price]))  # each row its best, or what the prices say
        late = limits.deadline is not None and monotonic() >= limits.deadline
        if late or upper - lower <= limits.gap * upper:
            return Priced(found, lower, max(lower, upper))
        width *= FACTOR
        if not limits and len(waiting) * width > MOST:
            raise DataError(
                f"found {rows:,} × {columns:,} elements to compare, too many alike to match them all; "
                'give them a key, as in keyed("id"), or write gap=0.01 for a score with bounds'
            )
