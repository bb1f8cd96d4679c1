"""Matchings of many blocks of cells at once are those that each block has by itself, ties included."""

from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.many.blocks import Chosen, choose, choose_in_table
from matchwise.engine.solve.cells import Cell, Content, choose_cells

MATCHES = pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])

weights = st.integers(1, 3) | st.floats(0.01, 1)  # few whole numbers: ties everywhere
tables = st.lists(st.dictionaries(st.integers(0, 5), weights, max_size=6), max_size=6)
orders = st.permutations(range(6))


def cells_of(table: list[dict[int, Number]], first: int = 0, step: int = 1) -> list[Cell]:
    """The cells of a table whose elements are numbered from `first` on, with gaps."""
    return [(first + step * i, first + step * j, row[j]) for i, row in enumerate(table) for j in sorted(row)]


def by_rank(rank: list[int], step: int = 1) -> Content:
    """The order in which element n of a block comes at place rank[n mod 6]."""
    return lambda groups: [sorted(places, key=lambda place: rank[place // step % 6]) for places in groups]


@MATCHES
@pytest.mark.parametrize("step", [1, 1000], ids=["dense", "spread"])
@settings(max_examples=150)
@given(blocks=st.lists(tables, max_size=5), mine=orders, theirs=orders, ordered=st.booleans())
def test_many_blocks_are_matched_as_each_is_by_itself(
    match: Match, step: int, blocks: list[Any], mine: list[int], theirs: list[int], ordered: bool
) -> None:
    content = (by_rank(mine, step), by_rank(theirs, step)) if ordered else None
    several = [cells_of(table, 6 * step * number, step) for number, table in enumerate(blocks)]
    rows = [(3 * number, *cell) for number, some in enumerate(several) for cell in some]
    found = choose(match, Chosen.of(rows), content).tolist()
    assert found == sorted(found)
    assert [rows[place] for place in found] == [
        (3 * number, *some[place])
        for number, some in enumerate(several)
        for place in choose_cells(match, some, content)
    ]


@MATCHES
@given(tables, tables)
def test_an_element_of_two_blocks_is_matched_in_each(match: Match, one: Any, other: Any) -> None:
    rows = [(number, *cell) for number, table in enumerate((one, other)) for cell in cells_of(table)]
    found = [rows[place] for place in choose(match, Chosen.of(rows))]
    assert [[cell for block, *cell in found if block == number] for number in (0, 1)] == [
        [[*some[place]] for place in choose_cells(match, some)] for some in map(cells_of, (one, other))
    ]


@st.composite
def matrices(draw: st.DrawFn, least: int) -> tuple[Any, tuple[list[int], list[int]]]:
    """A table of weights, and an order of its rows and one of its columns."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    values = weights if least else weights | st.just(0)
    rows = st.lists(st.lists(values, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
    return np.array(draw(rows), dtype=np.float64), tuple(draw(st.permutations(range(size))) for size in shape)


def both_ways(match: Match, matrix: Any, orders: tuple[list[int], list[int]] | None) -> list[list[tuple[int, int]]]:
    """The matched pairs of a table, found in it and found in the list of its cells."""
    cells = [(int(i), int(j), float(matrix[i, j])) for i, j in zip(*np.nonzero(matrix), strict=True)]
    content, arrays = None, None
    if orders is not None:
        content = by_rank(np.argsort(orders[0]).tolist()), by_rank(np.argsort(orders[1]).tolist())
        arrays = np.array(orders[0]), np.array(orders[1])
    a, b = choose_in_table(match, matrix, arrays)
    found = list(zip(a.tolist(), b.tolist(), strict=True))
    return [found, [cells[place][:2] for place in choose_cells(match, cells, content)]]


@MATCHES
@settings(max_examples=150)
@given(case=matrices(1), ordered=st.booleans())
def test_a_full_table_is_matched_as_its_cells_are(match: Match, case: Any, ordered: bool) -> None:
    matrix, orders = case
    found, expected = both_ways(match, matrix, orders if ordered else None)
    assert found == expected


@MATCHES
@settings(max_examples=150)
@given(case=matrices(0), ordered=st.booleans())
def test_a_table_with_zeros_is_matched_as_well_as_its_cells_are(match: Match, case: Any, ordered: bool) -> None:
    matrix, orders = case
    found, expected = both_ways(match, matrix, orders if ordered else None)
    if match != "1:1":
        assert found == expected
        return
    # Lines of zeros move LAPJV's choice among equal optima.
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)
    assert all(matrix[i, j] for i, j in found)
    assert isclose(*(sum(matrix[i, j] for i, j in pairs) for pairs in (found, expected)), rel_tol=1e-12)
