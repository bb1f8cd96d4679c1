"""The 1:1 matching of greatest total, against SciPy's on the whole matrix and against all matchings of small tables."""

from itertools import accumulate, permutations
from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from matchwise.algebra.nodes import Number
from matchwise.engine.solvers import assignment
from matchwise.engine.solvers.assignment import assign, assign_matrix, assign_priced
from matchwise.engine.solvers.matching import block_totals, matched, total

Table = list[dict[int, Number]]

integers = st.integers(1, 4)  # few values: ties everywhere
floats = st.floats(0.01, 1, allow_nan=False)


def tables(weights: st.SearchStrategy[Any], columns: int = 7) -> st.SearchStrategy[Table]:
    return st.lists(st.dictionaries(st.integers(0, columns - 1), weights), max_size=9)


def dense(table: Table, columns: int) -> Any:
    matrix = np.zeros((len(table), columns))
    for i, row in enumerate(table):
        for j, weight in row.items():
            matrix[i, j] = weight
    return matrix


def best(table: Table, columns: int) -> float:
    matrix = dense(table, columns)
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


def weight(table: Table, pairs: list[tuple[int, int]]) -> Number:
    """The total of a matching, after making sure that it is one."""
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    return sum(table[i][j] for i, j in pairs)


@settings(max_examples=300)
@given(tables(integers))
def test_whole_weights_with_ties_reach_the_optimum_exactly(table: Table) -> None:
    assert weight(table, assign(table)) == best(table, 7)


@settings(max_examples=300)
@given(tables(floats))
def test_weights_in_between_reach_the_optimum(table: Table) -> None:
    assert isclose(weight(table, assign(table)), best(table, 7), rel_tol=1e-12)


@given(tables(integers) | tables(floats))
def test_rows_come_in_order(table: Table) -> None:
    rows = [i for i, _ in assign(table)]
    assert rows == sorted(rows)


@given(st.lists(st.dictionaries(st.integers(0, 2), integers), max_size=3))
def test_the_optimum_is_that_of_all_matchings(table: Table) -> None:
    # Columns 3 to 5 weigh nothing: a row that gets one of them stays unmatched.
    tried = (sum(table[i].get(j, 0) for i, j in enumerate(columns)) for columns in permutations(range(6), len(table)))
    assert weight(table, assign(table)) == max(tried)


@given(tables(integers))
def test_paths_alone_find_the_same_total_without_bidding(table: Table) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "SWEEPS", 0)
        assert weight(table, assign(table)) == best(table, 7)


@settings(max_examples=300)
@given(tables(floats))
def test_paths_alone_reach_the_optimum_of_weights_in_between(table: Table) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "SWEEPS", 0)
        assert isclose(weight(table, assign(table)), best(table, 7), rel_tol=1e-12)


@settings(max_examples=300)
@given(tables(integers))
def test_prices_prove_the_optimum(table: Table) -> None:
    pairs, worth, prices = assign_priced(table)
    assert min([0, *worth, *prices]) == 0
    assert sum(worth) + sum(prices) == weight(table, pairs)


def test_rows_of_one_column_leave_it_to_the_best() -> None:
    table: Table = [{0: 2}, {0: 5}, {0: 4}, {1: 1}]
    assert assign(table) == [(1, 0), (3, 1)]
    assert block_totals(([0, 1, 2, 3], [0, 0, 0, 1], [2, 5, 4, 1]), [0, 3, 4]) == [5, 1]


@settings(max_examples=300)
@given(st.lists(tables(st.integers(0, 4), 5) | tables(floats, 5), max_size=4))
def test_tables_one_below_the_other_have_the_totals_that_each_has_by_itself(blocks: list[Table]) -> None:
    apart = [[{7 * number + j: w for j, w in row.items()} for row in block] for number, block in enumerate(blocks)]
    rows = [row for block in apart for row in block]
    cells = [(i, j, w) for i, row in enumerate(rows) for j, w in row.items()]
    columns = [i for i, _, _ in cells], [j for _, j, _ in cells], [w for _, _, w in cells]
    plain = [[{j: w for j, w in row.items() if w} for row in block] for block in apart]
    assert block_totals(columns, [0, *accumulate(map(len, apart))]) == [
        total("1:1", "bag", block, len(block), 7 * len(blocks)) for block in plain
    ]


@pytest.mark.parametrize("cells", [0, 10**9])
@given(table=tables(integers))
def test_a_matrix_is_solved_as_its_table_is(cells: int, table: Table) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "SMALL_CELLS", cells)
        pairs = assign_matrix(dense(table, 7))
    assert all(j in table[i] for i, j in pairs)
    assert weight(table, pairs) == best(table, 7)


@pytest.mark.parametrize("seed", range(3))
def test_a_large_table_with_many_ties_reaches_the_optimum(seed: int) -> None:
    random = np.random.default_rng(seed)
    table: Table = [
        {int(j): int(random.integers(1, 3)) for j in random.choice(250, size=12, replace=False)} for _ in range(300)
    ]
    assert weight(table, assign(table)) == best(table, 250)


def test_a_chain_of_rows_that_push_each_other_on_is_resolved() -> None:
    # Row i prefers column i a little to column i + 1; the last row wants column 0 alone.
    table: Table = [{i: 3, i + 1: 2} for i in range(50)] + [{0: 3}]
    # Either one row stays out (50 · 3), or all rows move on by one (50 · 2 + 3 = 103).
    assert weight(table, assign(table)) == 150


def test_nothing_is_assigned_in_an_empty_table() -> None:
    assert assign([]) == []
    assert assign([{}, {}]) == []


@pytest.mark.parametrize(
    ("match", "expected"),
    [("1:1", 4), ("N:1", 2 + 3), ("1:N", 2 + 3), ("N:N", 1 + 2 + 3 + 2)],
)
def test_each_constraint_has_its_total(match: Any, expected: int) -> None:
    table: Table = [{0: 1, 1: 2}, {0: 2, 1: 3}]  # 1:1 either way 1 + 3 or 2 + 2
    assert total(match, "bag", table, 2, 2) == expected


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@pytest.mark.parametrize("order", ["bag", "index", "sequence"])
@given(table=tables(integers))
def test_the_matching_adds_up_to_the_total(match: Any, order: Any, table: Table) -> None:
    chosen = matched(match, order, table, len(table), 7)
    assert sum(w for _, _, w in chosen) == total(match, order, table, len(table), 7)
    assert all(table[i][j] == w > 0 for i, j, w in chosen)


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@given(table=tables(integers))
def test_a_matrix_has_the_total_of_its_table(match: Any, table: Table) -> None:
    assert total(match, "bag", dense(table, 7), len(table), 7) == total(match, "bag", table, len(table), 7)
