"""Tables whose rows and columns are both latent: the bounds hold, close, and do not depend on the input's order."""

import random
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from matchwise import DataError, align, eq, f1, latent, overlap, score, var
from matchwise.engine.limits import UNLIMITED, Limits
from matchwise.engine.solve.grids import Grid, solve_grids

CELLS = latent(f1("rows", eq("place") * overlap("cells", var("column") * eq("value"))))


def table(rows: list[list[Any]], columns: str = "abcdefgh", *, placed: bool = False) -> dict[str, Any]:
    cells = [[{"column": name, "value": value} for name, value in zip(columns, row, strict=False)] for row in rows]
    return {"rows": [{"place": place if placed else None, "cells": row} for place, row in enumerate(cells)]}


def most(a: np.ndarray, b: np.ndarray, kinds: tuple[np.ndarray, np.ndarray]) -> int:
    """By all permutations of rows and columns; `a` has no more of either than `b`."""
    met = kinds[0][:, None] == kinds[1]
    equal = (a[:, None, :, None] == b[None, :, None, :]) & met[:, :, None, None]
    rows, columns = (list(permutations(range(b.shape[axis]), a.shape[axis])) for axis in (0, 1))
    here, there = np.arange(len(a)), np.arange(a.shape[1])
    return max(int(equal[here, list(row)][:, there, list(column)].sum()) for row in rows for column in columns)


@pytest.mark.parametrize("seed", range(200))
def test_the_most_equal_cells_are_found_and_proved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (n, m), values = rng.integers(1, 5, 2), int(rng.integers(2, 5))
    a, b = rng.integers(0, values, (n, m)), rng.integers(0, values, (n + rng.integers(2), m + rng.integers(2)))
    a[rng.random(a.shape) < 0.1] = -1
    b[rng.random(b.shape) < 0.1] = -2
    kinds = rng.integers(0, 1 + seed % 2, n), rng.integers(0, 1 + seed % 2, len(b))
    for sides in ((0, 1), (1, 0)):
        grids = [Grid(a, kinds[0]), Grid(b, kinds[1])]
        found = solve_grids(grids[sides[0]], grids[sides[1]], UNLIMITED)
        assert found.lower == found.upper == most(a, b, kinds)


def test_the_answer_does_not_depend_on_the_order_of_rows_and_columns() -> None:
    rng = random.Random(3)
    rows = [[rng.randrange(3) for _ in range(5)] for _ in range(12)]
    other = [[value if rng.random() < 0.7 else rng.randrange(3) for value in row] for row in rows]
    found = {align(CELLS, table(other), table(rows)).variables}
    for _ in range(5):
        places = rng.sample(range(5), 5)
        moved = [[row[place] for place in places] for row in rng.sample(other, len(other))]
        names = "".join("abcde"[place] for place in places)
        found.add(align(CELLS, table(moved, names), table(rng.sample(rows, len(rows)))).variables)
    assert len(found) == 1


def test_rows_of_different_places_do_not_meet() -> None:
    rows = [[1, 2], [3, 4]]
    assert score(CELLS, table(rows[::-1]), table(rows)) == 1
    assert score(CELLS, table(rows[::-1], placed=True), table(rows, placed=True)) == 0


def test_a_row_with_two_cells_in_a_column_is_compared_too() -> None:
    assert score(CELLS, table([[1, 2]], "aa"), table([[2, 1]], "bb")) == 1


def test_large_tables_have_bounds() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, (300, 12))
    b = np.where(rng.random(a.shape) < 0.1, 1 - a, a)[rng.permutation(300)][:, rng.permutation(12)]
    kinds = np.zeros(300, dtype=np.int64)
    found = solve_grids(Grid(a, kinds), Grid(b, kinds), Limits(0.5).start())
    assert a.size * 0.8 < found.lower <= found.upper <= a.size


def test_equal_tables_of_many_rows_need_no_table_of_their_pairs() -> None:
    rng = np.random.default_rng(0)
    a, kinds = rng.integers(0, 9, (5000, 6)), np.zeros(5000, dtype=np.int64)
    found = solve_grids(Grid(a, kinds), Grid(a[::-1, ::-1], kinds), UNLIMITED)
    assert found.lower == found.upper == a.size
    worse = a.copy()
    worse[:2, 0] = 0, 1
    a[:2, 0] = 1, 0
    with pytest.raises(DataError, match="give time_limit= to get bounds"):
        solve_grids(Grid(a, kinds), Grid(worse, kinds), UNLIMITED)
    known = solve_grids(Grid(a, kinds), Grid(worse, kinds), Limits(60).start())
    assert a.size - 6 <= known.lower <= known.upper <= a.size


@pytest.mark.parametrize("shapes", [((0, 0), (0, 0)), ((1, 0), (1, 0)), ((1, 0), (2, 3)), ((0, 3), (2, 2))])
def test_a_table_without_cells_has_none_in_common(shapes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    grids = [Grid(np.zeros(shape, dtype=np.int64), np.zeros(shape[0], dtype=np.int64)) for shape in shapes]
    assert solve_grids(grids[0], grids[1], UNLIMITED) == ([], 0, 0)
    assert solve_grids(grids[1], grids[0], UNLIMITED) == ([], 0, 0)
