"""The best matching of a block of cells (i, j, w > 0), exactly; ties by content.

    N:N takes all cells       N:1 the best of each row      1:N the best of each column
    1:1 is an assignment

A 1:1 matching has three parts, which both bodies of the kernels take in this order, so that they find the same one:

1. *Stars*: cells that share nothing with others, or share one element only. The greatest cell of each star is taken.
2. *Plain to see*: no two of the remaining rows (else: columns) have the same best partner, so that each takes its own.
3. *Contested*: what is left is assigned, over the non-zero cells by shortest augmenting paths where they are sparse, by
   SciPy's LAPJV where they are dense.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Match, Number
from matchwise.arrays import np
from matchwise.engine.solvers.assignment import assign, assign_matrix
from matchwise.engine.solvers.contests import match_table
from matchwise.engine.tuning import SMALL, SPARSE

Cell: TypeAlias = tuple[int, int, Number]
"""Predicted element, reference element, weight above 0."""

Content: TypeAlias = Callable[[list[list[int]]], list[list[int]]]
"""Elements of one side of each block -> the same elements in the order of their content."""


UNITS = 10**12
"""Weights that choose an alignment are compared in whole units of 10⁻¹², so that equal ones are equal."""


class Chosen(NamedTuple):
    """The matched elements of several pairs of collections: the number of the pair, both elements, and their weight."""

    block: Any
    a: Any
    b: Any
    w: Any

    @classmethod
    def sorted(cls, kernels: Any, block: Any, a: Any, b: Any, w: Any) -> Chosen:
        """Drop the elements of other pairs (block −1) and sort by block, then elements."""
        kept = kernels.both_kept(block, block)
        order = kernels.sort_places(*(kernels.gather(column, kept) for column in (block, a, b)))
        return cls(*(kernels.gather(kernels.gather(column, kept), order) for column in (block, a, b, w)))


def assign_cells(match: Match, cells: Sequence[Cell]) -> list[int]:
    """The numbers of the cells of a best matching; the cells are sorted by row, then column."""
    if match == "N:1":
        return list(_best_of_lines(cells, 0).values())
    if match == "1:N":
        return list(_best_of_lines(cells, 1).values())
    taken, contested = _stars(cells)
    if contested:
        taken += _plain(cells, contested) or [contested[place] for place in solve([cells[at] for at in contested])]
    return taken


def choose(
    match: Match, block: list[int], a: list[int], b: list[int], w: list[Number], content: tuple[Content, Content]
) -> list[int]:
    """The numbers of the cells of a best matching of each block; equal optima are broken by content."""
    if match == "N:N":
        return list(range(len(w)))
    found: list[int] = []
    for _, run in runs(block):
        cells = list(zip(a[run], b[run], w[run], strict=True))
        found += [run.start + place for place in choose_cells(match, cells, content)]
    return found


def runs(block: list[int]) -> list[tuple[int, slice]]:
    """The number of each block, and where its cells are."""
    if not block:
        return []
    starts = [0, *(place for place in range(1, len(block)) if block[place] != block[place - 1]), len(block)]
    return [(block[start], slice(start, end)) for start, end in pairwise(starts)]


def choose_cells(
    match: Match, cells: Sequence[Cell], content: tuple[Content, Content], *, exact: bool = False
) -> list[int]:
    """The cells of a best matching; equal optima are broken by content, then position. `exact` for whole numbers."""
    if match == "N:N":
        return list(range(len(cells)))
    taken, ordered = _settle(match, cells, content)
    return sorted(taken + [ordered[place][0] for place in solve([cell for _, cell in ordered], exact=exact)])


def _settle(
    match: Match, cells: Sequence[Cell], content: tuple[Content, Content]
) -> tuple[list[int], list[tuple[int, Cell]]]:
    """Split the cells into matched ones that need no solver and cells to solve, as `in_order` has them."""
    if match == "1:1":
        taken, contested = _stars(cells, unique=True)
        seen = _plain(cells, contested, unique=True) if contested else []
        if seen is not None:
            return taken + seen, []
        ordered = in_order([cells[at] for at in contested], content)
        return taken, [(contested[place], cell) for place, cell in ordered]
    ordered = in_order(cells, content)
    best = _best_of_lines([cell for _, cell in ordered], 0 if match == "N:1" else 1)
    return [ordered[place][0] for place in best.values()], []


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
    """The numbers of the cells of a best 1:1 matching, by the solver that suits them; `exact` for whole numbers."""
    if not cells:
        return []
    rows = {i: number for number, i in enumerate(dict.fromkeys(i for i, _, _ in cells))}
    columns = {j: number for number, j in enumerate(sorted({j for _, j, _ in cells}))}
    if not exact and len(rows) * len(columns) <= SMALL:
        return _solve_small(cells, rows, columns)
    places = {(rows[i], columns[j]): place for place, (i, j, _) in enumerate(cells)}
    if exact or len(cells) <= SMALL or len(cells) * SPARSE <= len(rows) * len(columns):
        table: list[dict[int, Number]] = [{} for _ in rows]
        for i, j, w in cells:
            table[rows[i]][columns[j]] = w
        return [places[pair] for pair in assign(table)]
    matrix = np.zeros((len(rows), len(columns)))
    at = np.array(list(places))
    matrix[at[:, 0], at[:, 1]] = [float(w) for _, _, w in cells]
    return [places[pair] for pair in assign_matrix(matrix)]


def _solve_small(cells: Sequence[Cell], rows: dict[int, int], columns: dict[int, int]) -> list[int]:
    """Solve a small block as a full table, with the longer side as columns."""
    turned = len(rows) > len(columns)
    height, width = (len(columns), len(rows)) if turned else (len(rows), len(columns))
    table: list[list[Number]] = [[0] * width for _ in range(height)]
    places: list[list[int]] = [[-1] * width for _ in range(height)]
    for place, (i, j, w) in enumerate(cells):
        x, y = (columns[j], rows[i]) if turned else (rows[i], columns[j])
        table[x][y], places[x][y] = w, place
    found = map(list.__getitem__, places, match_table(table))
    return [place for place in found if place >= 0]


def _best_of_lines(cells: Sequence[Cell], side: int) -> dict[int, int]:
    """Row or column -> the number of its greatest cell, the first of equal ones."""
    best: dict[int, int] = {}
    for place, (i, j, w) in enumerate(cells):
        line = j if side else i
        if line not in best or w > cells[best[line]][2]:
            best[line] = place
    return best


def _stars(cells: Sequence[Cell], *, unique: bool = False) -> tuple[list[int], list[int]]:
    """The greatest cell of each star, and the cells that are in none; `unique` leaves out stars with a tie."""
    in_row: dict[int, int] = {}
    in_column: dict[int, int] = {}
    for i, j, _ in cells:
        in_row[i] = in_row.get(i, 0) + 1
        in_column[j] = in_column.get(j, 0) + 1
    rows: set[int] = set()
    columns: set[int] = set()
    for i, j, _ in cells:
        if in_row[i] > 1 < in_column[j]:
            rows.add(i)
            columns.add(j)
    best: dict[tuple[bool, int], int] = {}
    contested: list[int] = []
    tied: set[tuple[bool, int]] = set()
    for place, (i, j, w) in enumerate(cells):
        if i in rows or j in columns:
            contested.append(place)
            continue
        centre = (True, i) if in_row[i] > 1 else (False, j)
        other = best.get(centre)
        if other is None or w > cells[other][2]:
            best[centre] = place
            tied.discard(centre)
        elif w == cells[other][2]:
            tied.add(centre)
    if not unique or not tied:
        return list(best.values()), contested
    contested += [
        place
        for place, (i, j, _) in enumerate(cells)
        if not (i in rows or j in columns) and ((True, i) if in_row[i] > 1 else (False, j)) in tied
    ]
    return [place for centre, place in best.items() if centre not in tied], sorted(contested)


def _plain(cells: Sequence[Cell], contested: list[int], *, unique: bool = False) -> list[int] | None:
    """The best cell of each row (else: of each column), if no two of them meet; with `unique`, if there are no ties."""
    some = [cells[place] for place in contested]
    for side in (0, 1):
        best = _best_of_lines(some, side)
        if len({some[place][1 - side] for place in best.values()}) < len(best):
            continue
        if unique and _is_tied(some, best, side):
            continue
        return [contested[place] for place in best.values()]
    return None


def _is_tied(cells: Sequence[Cell], best: dict[int, int], side: int) -> bool:
    """True if the greatest weight of a line occurs twice."""
    for place, (i, j, w) in enumerate(cells):
        first = best[j if side else i]
        if place != first and w == cells[first][2]:
            return True
    return False


Vector = list[Any]


def bag_total(match: Match, mine: Vector, theirs: Vector) -> Number:
    """Σ^◇[δ] of two bags of codes."""
    if match == "1:1":
        if mine == theirs:
            return len(mine)
        p, r = set(mine), set(theirs)
        if len(p) == len(mine) or len(r) == len(theirs):
            return len(p & r)
    elif match == "N:1":
        return sum(map(set(theirs).__contains__, mine))
    elif match == "1:N":
        return sum(map(set(mine).__contains__, theirs))
    here, there = Counter(mine), Counter(theirs)
    return sum(joint(match, here[code], there[code]) for code in here.keys() & there.keys())


def joint(match: Match, mine: int, theirs: int) -> int:
    """What an element adds, given how often it occurs on each side."""
    match match:
        case "1:1":
            return min(mine, theirs)
        case "N:1":
            return mine
        case "1:N":
            return theirs
        case "N:N":
            return mine * theirs
