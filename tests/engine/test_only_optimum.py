"""Ties: no content decides where there is one best matching only, else it does."""

from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import align, custom, eq, overlap
from matchwise.engine.many.kernels import Chosen, choose
from matchwise.engine.solve.cells import Cell, choose_cells

TABLES = st.integers(1, 3).flatmap(
    lambda columns: st.lists(
        st.dictionaries(st.integers(0, columns - 1), st.integers(1, 3), max_size=columns), min_size=1, max_size=3
    )
)


def best_matchings(table: list[dict[int, int]]) -> list[list[Cell]]:
    """All 1:1 matchings of the greatest weight, without pairs of weight 0."""
    columns = sorted({j for row in table for j in row})
    found: list[list[Cell]] = []
    for size in range(min(len(table), len(columns)) + 1):
        for rows in combinations(range(len(table)), size):
            for chosen in permutations(columns, size):
                if all(j in table[i] for i, j in zip(rows, chosen, strict=True)):
                    found.append([(i, j, table[i][j]) for i, j in zip(rows, chosen, strict=True)])
    most = max(sum(w for _, _, w in one) for one in found)
    return [one for one in found if sum(w for _, _, w in one) == most]


def cells(table: list[dict[int, int]]) -> list[Cell]:
    return [(i, j, row[j]) for i, row in enumerate(table) for j in sorted(row)]


def as_they_are(groups: list[list[int]]) -> list[list[int]]:
    return groups


def backwards(groups: list[list[int]]) -> list[list[int]]:
    return [places[::-1] for places in groups]


@given(TABLES)
def test_where_there_is_one_best_matching_the_content_decides_nothing(table: list[dict[int, int]]) -> None:
    some, best = cells(table), best_matchings(table)
    for mine in (as_they_are, backwards):
        for theirs in (as_they_are, backwards):
            found = [some[place] for place in choose_cells("1:1", some, (mine, theirs))]
            assert found in best


@pytest.mark.parametrize(
    ("match", "mine", "theirs", "expected"),
    [
        ("1:1", as_they_are, as_they_are, [(0, 0), (1, 1)]),
        ("1:1", as_they_are, backwards, [(0, 1), (1, 0)]),
        ("1:1", backwards, backwards, [(0, 0), (1, 1)]),
        ("N:1", as_they_are, as_they_are, [(0, 0), (1, 0)]),
        ("N:1", as_they_are, backwards, [(0, 1), (1, 1)]),
        ("1:N", as_they_are, as_they_are, [(0, 0), (0, 1)]),
        ("1:N", backwards, as_they_are, [(1, 0), (1, 1)]),
    ],
)
def test_equal_optima_are_broken_by_content(
    match: Any, mine: Any, theirs: Any, expected: list[tuple[int, int]]
) -> None:
    some: list[Cell] = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]
    assert [some[place][:2] for place in choose_cells(match, some, (mine, theirs))] == expected
    many = choose(match, Chosen.of([(0, *cell) for cell in some]), (mine, theirs))
    assert list(zip(many.a.tolist(), many.b.tolist(), strict=True)) == expected


def test_an_alignment_by_another_similarity_does_not_depend_on_the_order_of_the_input() -> None:
    phi = overlap("xs", eq("a"), align_by=eq("b"))
    xs = [{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 3, "b": 2}]
    ys = [{"a": 2, "b": 1}, {"a": 1, "b": 1}, {"a": 4, "b": 2}]
    found = {
        tuple(sorted((pair.pred, pair.ref) for pair in align(phi, {"xs": p}, {"xs": r})))
        for p in permutations(xs)
        for r in permutations(ys)
    }
    assert found == {((1, 1), (2, 2), (3, 4))}


def same_half(x: int, y: int) -> float:
    return 1.0 if x // 2 == y // 2 else 0.0


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N"])
def test_an_alignment_with_ties_does_not_depend_on_the_order_of_the_input(match: Any) -> None:
    phi = overlap("xs", custom(same_half), match=match)
    found = {
        tuple(sorted((pair.pred, pair.ref) for pair in align(phi, {"xs": p}, {"xs": r})))
        for p in permutations([0, 1, 2, 2])
        for r in permutations([1, 0, 3])
    }
    assert len(found) == 1


def test_ties_are_broken_by_numbers_inside_of_elements_too() -> None:
    small, large = {"t": "a", "v": {"w": [0.25]}}, {"t": "a", "v": {"w": [0.5]}}
    for preds in ([small, large], [large, small]):
        [left] = align(overlap("xs", eq("t")), {"xs": preds}, {"xs": [{"t": "a"}]}).spurious
        assert left.value == large
