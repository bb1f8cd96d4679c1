"""The best matching of the cells (i, j, w > 0) of two collections, exactly; ties by content, then position.

    N:N takes all cells       N:1 the best of each row      1:N the best of each column      1:1 is an assignment

A cell that shares neither its row nor its column is in every best 1:1 matching; the others are assigned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.solve.assignment import assign_cells
from matchwise.errors import DataError

Cell: TypeAlias = tuple[int, int, float]
"""Predicted element, reference element, weight above 0."""

Content: TypeAlias = Callable[[list[list[int]]], list[list[int]]]
"""Elements of one side of each block -> the same elements in the order of their content."""


UNITS = 10**12
"""Weights that choose an alignment are compared in whole units of 10⁻¹², so that equal ones are equal."""


MOST_CELLS = 10**9
"""Cells of a table that is compared pair by pair: 8 GB of weights."""


def check_table(rows: int, columns: int) -> None:
    """Refuse a table that no memory holds."""
    if rows * columns > MOST_CELLS:
        raise DataError(
            f"found {rows:,} × {columns:,} elements to compare pair by pair, too many; "
            'give them a key, as in keyed("id")'
        )


def choose_cells(
    match: Match, cells: Sequence[Cell], content: tuple[Content, Content] | None = None, *, exact: bool = False
) -> list[int]:
    """The numbers of the cells of a best matching, ascending; the cells are sorted by row, then column.

    Equal optima are broken by content, if it is given, then by position. `exact` for whole numbers of any size.
    """
    if match == "N:N":
        return list(range(len(cells)))
    if match == "1:1":
        rows, columns = Counter(i for i, _, _ in cells), Counter(j for _, j, _ in cells)
        taken = [place for place, (i, j, _) in enumerate(cells) if rows[i] == columns[j] == 1]
        if len(taken) == len(cells):
            return taken
        contested = [place for place, (i, j, _) in enumerate(cells) if not rows[i] == columns[j] == 1]
    else:
        taken, contested = [], list(range(len(cells)))
    ordered = list(enumerate(cells[place] for place in contested))
    if content is not None:
        ordered = in_order([cell for _, cell in ordered], content)
    some = [cell for _, cell in ordered]
    found = solve(some, exact=exact) if match == "1:1" else _best_of_lines(some, 0 if match == "N:1" else 1)
    return sorted(taken + [contested[ordered[place][0]] for place in found])


def combine(first: list[Number], second: list[Number]) -> list[int]:
    """Weights for the best matching by `align_by` and, among equals, by `inner`: both in one exact whole number.

    One unit of the first outweighs everything that the second can add up to.
    """
    ones, others = ([round(w * UNITS) for w in side] for side in (first, second))
    scale = sum(others) + 1
    return [one * scale + other if one else 0 for one, other in zip(ones, others, strict=True)]


def in_order(cells: Sequence[Cell], content: tuple[Content, Content]) -> list[tuple[int, Cell]]:
    """The cells in the order of their elements' content, with their numbers; rows and columns are numbered anew."""
    [mine], [theirs] = content[0]([sorted({i for i, _, _ in cells})]), content[1]([sorted({j for _, j, _ in cells})])
    rows, columns = ({element: number for number, element in enumerate(side)} for side in (mine, theirs))
    renamed = [(place, (rows[i], columns[j], w)) for place, (i, j, w) in enumerate(cells)]
    return sorted(renamed, key=lambda one: one[1][:2])


def solve(cells: Sequence[Cell], *, exact: bool = False) -> list[int]:
    """The numbers of the cells of a best 1:1 matching, given by row and column; `exact` for whole numbers."""
    rows, columns = (
        {line: number for number, line in enumerate(sorted(lines))}
        for lines in ({i for i, _, _ in cells}, {j for _, j, _ in cells})
    )
    codes = [rows[i] * len(columns) + columns[j] for i, j, _ in cells]
    return assign_cells(codes, [w for _, _, w in cells], (len(rows), len(columns)), sparse=exact or None)


def _best_of_lines(cells: Sequence[Cell], side: int) -> list[int]:
    """The number of the greatest cell of each row or column, the first of equal ones."""
    best: dict[int, int] = {}
    for place, (i, j, w) in enumerate(cells):
        line = j if side else i
        if line not in best or w > cells[best[line]][2]:
            best[line] = place
    return list(best.values())


JOINT: dict[Match, Callable[[int, int], int]] = {
    "1:1": min,
    "N:1": lambda mine, theirs: mine,
    "1:N": lambda mine, theirs: theirs,
    "N:N": lambda mine, theirs: mine * theirs,
}
"""What an element adds, given how often it occurs on each side."""


def exact_sum(values: Sequence[Number]) -> float:
    """The sum, rounded once: an integer if all values are, else the float nearest to the exact sum."""
    added = sum(values)
    return added if type(added) is int else fsum(values)


class Bounded(NamedTuple):
    """What was matched, what it adds up to, and what no matching exceeds."""

    matched: Sequence[Any]
    lower: Number
    upper: Number


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
