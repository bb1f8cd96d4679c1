"""Matchings that are plain to see: said to be the only best one when they are, and never when they are not."""

from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from matchwise import align, eq, overlap
from matchwise.engine.solvers.matching import only_optimum

TABLES = st.integers(1, 3).flatmap(
    lambda columns: st.lists(
        st.dictionaries(st.integers(0, columns - 1), st.integers(1, 3), max_size=columns), min_size=1, max_size=3
    )
)


def best_matchings(table: list[dict[int, int]]) -> list[list[tuple[int, int, int]]]:
    """All 1:1 matchings of the greatest weight, without pairs of weight 0."""
    columns = sorted({j for row in table for j in row})
    found: list[list[tuple[int, int, int]]] = []
    for size in range(min(len(table), len(columns)) + 1):
        for rows in combinations(range(len(table)), size):
            for chosen in permutations(columns, size):
                if all(j in table[i] for i, j in zip(rows, chosen, strict=True)):
                    found.append([(i, j, table[i][j]) for i, j in zip(rows, chosen, strict=True)])
    most = max(sum(w for _, _, w in one) for one in found)
    return [one for one in found if sum(w for _, _, w in one) == most]


@given(TABLES)
def test_what_is_called_the_only_optimum_is_the_only_one(table: list[dict[int, int]]) -> None:
    found = only_optimum(table)  # type: ignore[arg-type]  # whole numbers
    if found is not None:
        assert best_matchings(table) == [found]


def test_rows_with_different_best_partners_are_plain_to_see() -> None:
    assert only_optimum([{0: 3, 1: 1}, {1: 2}]) == [(0, 0, 3), (1, 1, 2)]


def test_columns_with_different_best_partners_are_plain_to_see() -> None:
    assert only_optimum([{0: 1, 1: 3}, {1: 1}, {0: 2}]) == [(0, 1, 3), (2, 0, 2)]


def test_equal_weights_are_not_plain_to_see() -> None:
    assert only_optimum([{0: 1, 1: 1}, {0: 1, 1: 1}]) is None


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
