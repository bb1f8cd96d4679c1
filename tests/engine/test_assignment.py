"""The 1:1 matching of greatest total, against SciPy's on the whole matrix and against all matchings of small tables."""

from importlib.machinery import PathFinder
from itertools import permutations
from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from matchwise import custom, edit, evaluate, overlap, score
from matchwise.algebra.nodes import Number
from matchwise.engine.many.kernels import Chosen, choose
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.solve import cells as solver
from matchwise.engine.solve.assignment import assign, assign_matrix, lapjv
from matchwise.engine.solve.cells import Cell, choose_cells, combine, solve
from matchwise.errors import DataError

Table = list[dict[int, Number]]

MATCHES = ["1:1", "N:1", "1:N", "N:N"]

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


def cells(table: Table) -> list[Cell]:
    return [(i, j, row[j]) for i, row in enumerate(table) for j in sorted(row)]


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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("unit", [0.001, 1])
def test_many_rows_that_want_the_same_few_columns_reach_the_optimum(seed: int, unit: float) -> None:
    # Bidding is given up after some rounds, long before such rows agree; paths do the rest.
    random = np.random.default_rng(seed)
    table: Table = [{j: 1000 + unit * int(random.integers(1, 50)) for j in range(25)} for _ in range(60)]
    assert isclose(weight(table, assign(table)), best(table, 25), rel_tol=1e-12)


def test_rows_of_one_column_leave_it_to_the_best() -> None:
    table: Table = [{0: 2}, {0: 5}, {0: 4}, {1: 1}]
    assert assign(table) == [(1, 0), (3, 1)]
    assert choose("1:1", Chosen.of([(0, 0, 0, 2), (0, 1, 0, 5), (0, 2, 0, 4), (1, 3, 1, 1)])).a.tolist() == [1, 3]


@given(table=tables(integers))
def test_a_matrix_is_solved_as_its_table_is(table: Table) -> None:
    pairs = assign_matrix(dense(table, 7))
    assert all(j in table[i] for i, j in pairs)
    assert weight(table, pairs) == best(table, 7)


@pytest.mark.parametrize("seed", range(5))
def test_a_full_table_has_the_same_total_by_either_solver(seed: int) -> None:
    random = np.random.default_rng(seed)
    table: Table = [
        {j: int(random.integers(1, 9)) for j in range(17) if random.random() < 0.8} for _ in range(15)
    ]  # dense enough for LAPJV
    some = cells(table)
    by_matrix, by_paths = solve(some), solve(some, exact=True)
    assert sum(some[place][2] for place in by_matrix) == sum(some[place][2] for place in by_paths) == best(table, 17)


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


@pytest.mark.parametrize(
    ("table", "chosen"),
    [
        ([{1: 1}, {0: 1}, {0: 1, 1: 1}, {1: 1}], [(1, 0), (3, 1)]),  # one row still waits after the others have bid
        ([{0: 2}, {1: 2}, {0: 2, 1: 2}, {0: 1}], [(1, 1), (2, 0)]),  # rows are outbid more often than there are rows
    ],
)
def test_a_small_table_keeps_its_choice_among_equally_good_matchings(
    table: Table, chosen: list[tuple[int, int]]
) -> None:
    """Tables by category are read from it, so that they would change with it."""
    assert assign(table) == chosen


def test_nothing_is_assigned_in_an_empty_table() -> None:
    assert assign([]) == []
    assert assign([{}, {}]) == []


EITHER: Table = [{0: 1, 1: 2}, {0: 2, 1: 3}]
"""1:1 either way 1 + 3 or 2 + 2."""


@pytest.mark.parametrize(
    ("match", "expected"),
    [("1:1", 4), ("N:1", 2 + 3), ("1:N", 2 + 3), ("N:N", 1 + 2 + 3 + 2)],
)
def test_each_constraint_has_its_total(match: Any, expected: int) -> None:
    some = cells(EITHER)
    assert sum(some[place][2] for place in choose_cells(match, some)) == expected


@pytest.mark.parametrize("match", MATCHES)
@given(table=tables(integers))
def test_the_cells_of_a_matching_share_no_line_that_they_must_not_share(match: Any, table: Table) -> None:
    some, matrix = cells(table), dense(table, 7)
    taken = [some[place] for place in choose_cells(match, some)]
    if match in ("1:1", "N:1"):
        assert len({i for i, _, _ in taken}) == len(taken)
    if match in ("1:1", "1:N"):
        assert len({j for _, j, _ in taken}) == len(taken)
    most = {"1:1": best(table, 7), "N:1": matrix.max(axis=1).sum(), "1:N": matrix.max(axis=0, initial=0).sum()}
    assert sum(w for _, _, w in taken) == most.get(match, matrix.sum())


WEIGHTS = ((1, 0, 2, 0.5), (0, 3, 1, 0), (2, 0.25, 0, 4), (0, 1, 4, 1))


def weigh(x: int, y: int) -> float:
    return WEIGHTS[x][y]


values = st.lists(st.integers(0, 3), max_size=6)


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("order", ["bag", "index", "sequence"])
@given(pred=values, ref=values)
def test_the_matching_adds_up_to_the_total(match: Any, order: Any, pred: list[int], ref: list[int]) -> None:
    phi = overlap(None, custom(weigh, unnormalized=True), match=match, order=order)
    weights = [weigh(pred[i], ref[j]) for i, j in chosen_pairs(phi, pred, ref)]
    assert sum(weights) == score(phi, pred, ref)
    assert all(weights)


def test_the_least_unit_of_what_aligns_outweighs_all_that_the_inner_similarity_adds_up_to() -> None:
    first = combine([0.5 + 1e-12, 0.5, 0.5, 0.5], [0, 0, 1, 1])
    assert sum(first[:2]) > sum(first[2:])
    same = combine([0.5, 0.5, 0.5, 0.5], [0, 0, 1, 1])
    assert sum(same[:2]) < sum(same[2:])


def test_a_table_that_no_memory_holds_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "MOST_CELLS", 10)
    xs = [f"{n} a" for n in range(70)]
    with pytest.raises(DataError, match=r'70 × 70 elements .* give them a key, as in keyed\("id"\)'):
        score(overlap(None, edit()), xs, xs)
    with pytest.raises(DataError, match="70 × 70"):
        evaluate(overlap(None, edit()), [xs] * 2, [xs] * 2)


def test_a_scipy_that_keeps_its_solver_elsewhere_is_asked_by_the_public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.array([[0.5, 1.0], [0.75, 1.0], [0.25, 0.0]])
    alone = [side.tolist() for side in lapjv()(matrix, maximize=True)]
    monkeypatch.setattr(PathFinder, "find_spec", lambda *_: None)
    found = lapjv.__wrapped__()
    assert found is linear_sum_assignment
    assert [side.tolist() for side in found(matrix, maximize=True)] == alone == [[0, 1], [1, 0]]
