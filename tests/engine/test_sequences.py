"""Matching without crossings: the dynamic programmes, by rows and by chains, against all sets of pairs."""

from itertools import chain, combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import score
from matchwise.algebra.build import eq, overlap
from matchwise.engine.solve.sequence import match_sequence, sum_chain, sum_sequence

Table = list[dict[int, Any]]

MATCHES = ["1:1", "N:1", "1:N", "N:N"]
WIDTHS = {"by rows": 3, "by chains": 3000}
"""Columns without a weight change nothing, but for the programme that a table of so many cells is given to."""

weights = st.integers(1, 3) | st.sampled_from([0.25, 0.5, 1.75])
tables = st.lists(st.dictionaries(st.integers(0, 2), weights), min_size=1, max_size=3)


def allowed(match: str, pairs: tuple[tuple[int, int], ...]) -> bool:
    """No two pairs cross; a part that may be matched once is."""
    for (i, j), (a, b) in combinations(pairs, 2):
        if (i - a) * (j - b) < 0:
            return False
        if (i == a and match in ("1:1", "N:1")) or (j == b and match in ("1:1", "1:N")):
            return False
    return True


def best(match: str, table: Table) -> Any:
    cells = [(i, j) for i, row in enumerate(table) for j in row]
    subsets = chain.from_iterable(combinations(cells, size) for size in range(len(cells) + 1))
    return max(sum(table[i][j] for i, j in pairs) for pairs in subsets if allowed(match, pairs))


def padded(table: Table, width: int) -> Table:
    return table if width == 3 else [*table, {}, {}]


def cells_of(table: Table) -> list[Any]:
    return [(i, j, w) for i, row in enumerate(table) for j, w in sorted(row.items())]


def total(match: Any, table: Table, width: int) -> Any:
    return sum_sequence(match, cells_of(table), len(table), width)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=60)
@given(table=tables)
def test_the_total_is_the_best_of_all_sets_of_pairs(match: Any, width: int, table: Table) -> None:
    several = padded(table, width)
    assert total(match, several, width) == best(match, table)


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=100)
@given(table=tables)
def test_the_heaviest_chain_of_cells_is_the_best_of_all_sets_of_pairs(match: Any, table: Table) -> None:
    assert sum_chain(match, cells_of(table)) == best(match, table)


@pytest.mark.parametrize("match", MATCHES)
def test_long_sequences_of_few_cells_have_the_total_of_all_cells(match: Any) -> None:
    random = Random(match)
    xs, ys = ([random.randrange(400) for _ in range(200)] for _ in range(2))
    table = [{j: 1 for j, y in enumerate(ys) if x == y} for x in xs]
    expected = total(match, table, 200)
    assert score(overlap(None, order="sequence", match=match), xs, ys) == expected
    assert expected > 5


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=60)
@given(table=tables)
def test_the_matching_is_allowed_and_reaches_the_total(match: Any, width: int, table: Table) -> None:
    several = padded(table, width)
    chosen = match_sequence(match, cells_of(several), len(several), width)
    assert allowed(match, tuple(chosen))
    assert sum(table[i][j] for i, j in chosen) == best(match, table)


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=40)
@given(
    rows=st.lists(
        st.dictionaries(st.integers(0, 29), st.floats(0.01, 1), min_size=5, max_size=30), min_size=20, max_size=30
    )
)
def test_rows_and_chains_agree_on_longer_sequences(match: Any, rows: Table) -> None:
    by_rows, by_chains = (total(match, rows, width) for width in (30, 3000))
    assert by_rows == by_chains


words = st.lists(st.sampled_from("abc"), max_size=12)


@given(words, words)
def test_the_longest_common_subsequence_of_keys_is_that_of_the_programme(p: list[str], r: list[str]) -> None:
    table = [{j: 1 for j, y in enumerate(r) if x == y} for x in p]
    expected = total("1:1", table, len(r)) if p and r else 0
    assert score(overlap(None, eq(), order="sequence"), p, r) == expected


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("1:1", 2),  # a-a, b-b
        ("N:1", 3),  # both a's share the reference's a, b-b
        ("1:N", 3),  # a-a, b-b, b-b
        ("N:N", 4),  # a-a, a-a, b-b, b-b
    ],
)
def test_several_may_share_a_partner_but_never_cross(match: Any, expected: int) -> None:
    assert score(overlap(None, match=match, order="sequence"), ["a", "a", "b"], ["a", "b", "b"]) == expected


def test_crossing_pairs_are_not_matched() -> None:
    assert score(overlap(None, order="sequence"), ["a", "b"], ["b", "a"]) == 1


def test_by_position_only_equal_positions_meet() -> None:
    assert score(overlap(None, order="index"), ["a", "b", "c"], ["a", "c"]) == 1


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_of_two_equal_matchings_that_cross_the_one_of_the_earlier_prediction_is_taken(width: int) -> None:
    several = padded([{1: 1}, {0: 1}], width)
    assert match_sequence("1:1", cells_of(several), len(several), width) == [(0, 1)]


def test_weights_beyond_floats_are_added_up_exactly() -> None:
    large = 10**25
    assert match_sequence("1:1", [(0, 0, large), (0, 1, large + 1), (1, 1, 2)], 2, 2) == [(0, 0), (1, 1)]
    assert total("1:1", [{0: large, 1: large + 2}, {1: 1}], 2) == large + 2
