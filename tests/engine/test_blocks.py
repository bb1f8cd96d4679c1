"""Matchings of many blocks of cells at once are those that each block has by itself, ties included."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.many.kernels import Chosen, choose
from matchwise.engine.solve.cells import Cell, Content, choose_cells

MATCHES = pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])

weights = st.integers(1, 3) | st.floats(0.01, 1)  # few whole numbers: ties everywhere
tables = st.lists(st.dictionaries(st.integers(0, 5), weights, max_size=6), max_size=6)
orders = st.permutations(range(6))


def cells_of(table: list[dict[int, Number]], first: int = 0, step: int = 1) -> list[Cell]:
    """The cells of a table whose elements are numbered from `first` on, with gaps."""
    return [(first + step * i, first + step * j, row[j]) for i, row in enumerate(table) for j in sorted(row)]


def rows_of(chosen: Chosen) -> list[tuple[Any, ...]]:
    return list(zip(*(column.tolist() for column in chosen), strict=True))


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
    assert rows_of(choose(match, Chosen.of(rows), content)) == [
        (3 * number, *some[place])
        for number, some in enumerate(several)
        for place in choose_cells(match, some, content)
    ]


@MATCHES
@given(tables, tables)
def test_an_element_of_two_blocks_is_matched_in_each(match: Match, one: Any, other: Any) -> None:
    rows = [(number, *cell) for number, table in enumerate((one, other)) for cell in cells_of(table)]
    found = rows_of(choose(match, Chosen.of(rows)))
    assert [[cell for block, *cell in found if block == number] for number in (0, 1)] == [
        [[*some[place]] for place in choose_cells(match, some)] for some in map(cells_of, (one, other))
    ]
