"""Cells as places in a text are the cells that splitting its lines gives."""

import tracemalloc
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.engine.many.tokens import equal, number_tokens
from matchwise.tasks.dependencies.blocks import read_grid, stack

SHARED = "x" * 255
LONG = ("1234567", "12345678", "123456789", "12345678" * 2, "12345678" * 3 + "é")
LONGER = (SHARED, SHARED + "x", SHARED + "y", SHARED + "xx", SHARED + "é")
CELL = st.sampled_from(["", "a", "b", "é", *LONG, *LONGER])


def text_of(cells: list[str]) -> str:
    return "".join(f"x\t{cell}\n" for cell in cells)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(CELL, min_size=1, max_size=30), min_size=1, max_size=3))
def test_equal_cells_of_all_grids_have_equal_numbers(several: list[list[str]]) -> None:
    values, codes = number_tokens([read_grid(text_of(cells), 2)[0].tokens(1) for cells in several])
    assert [values[code] for code in codes.tolist()] == [cell for cells in several for cell in cells]
    assert len(set(values)) == len(values) == len(set(codes.tolist()))


@given(st.lists(CELL, min_size=1, max_size=20), st.data())
def test_a_grid_may_be_some_rows_of_a_text(cells: list[str], data: st.DataObject) -> None:
    grid, _ = read_grid(text_of(cells), 2)
    places = st.integers(0, len(cells) - 1)
    rows = [
        slice(begin, begin + 1 + more) for begin, more in data.draw(st.lists(st.tuples(places, places), min_size=1))
    ]
    stacked = stack([grid.pick(each) for each in rows])
    assert stacked.texts(1) == [cell for each in rows for cell in cells[each]]
    values, codes = number_tokens([stacked.tokens(1)])
    assert [values[code] for code in codes.tolist()] == [cell for each in rows for cell in cells[each]]


def test_a_text_that_many_grids_share_is_not_copied_for_each() -> None:
    grid, _ = read_grid(text_of(["1234567890"] * 10_000), 2)
    rows = [grid.pick(slice(row, row + 1)) for row in range(0, 10_000, 10)]
    tracemalloc.start()
    stack(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000  # 1,000 copies of the text are 130 MB


def test_many_different_cells_are_told_apart() -> None:
    cells = [f"{number:x}" for number in range(20_000)]
    values, codes = number_tokens([read_grid(text_of(cells), 2)[0].tokens(1)])
    assert [values[code] for code in codes.tolist()] == cells


def test_a_cell_of_megabytes_is_compared_as_a_whole() -> None:
    cells = ["x" * 8_000_000, "y", "x" * 8_000_000]
    tokens = read_grid(text_of(cells), 2)[0].tokens(1)
    begin = process_time()
    values, codes = number_tokens([tokens])
    are_equal = equal(tokens, tokens.part([2, 1, 0]))
    assert process_time() - begin < 4  # 30 s, eight bytes at a time
    assert (sorted(map(len, values)), [values[code] for code in codes.tolist()]) == ([1, 8_000_000], cells)
    assert are_equal.tolist() == [True] * 3


@given(st.lists(st.tuples(CELL, CELL), max_size=10))
def test_cells_are_compared_one_by_one(pairs: list[tuple[str, str]]) -> None:
    mine, theirs = ([pair[side] for pair in pairs] for side in (0, 1))
    tokens = [read_grid(text_of(cells), 2)[0].tokens(1) for cells in (mine, theirs)]
    assert equal(*tokens).tolist() == [one == other for one, other in pairs]


@given(st.lists(CELL, max_size=10))
def test_cells_are_read_and_joined_as_they_stand_in_the_text(cells: list[str]) -> None:
    grid, _ = read_grid(text_of(cells), 2)
    joined, begins = grid.join(1)
    assert grid.texts(1) == cells
    assert [joined[begin:end].decode() for begin, end in pairwise(begins)] == [cell + "\n" for cell in cells]
    assert grid.lengths(1).tolist() == [len(cell.encode()) for cell in cells]


def test_numbers_of_a_few_digits_are_read() -> None:
    cells = ["0", "7", "12", "007", "9999", "12345", "-1", "1.5", "1-2", "", "x", "1:", "1/", "٣"]
    grid, _ = read_grid(text_of(cells), 2)
    assert grid.integers(1).tolist() == [0, 7, 12, 7, 9999, -1, -1, -1, -1, -1, -1, -1, -1, -1]


def test_lines_are_rows_or_comments_or_empty() -> None:
    grid, lines = read_grid("# a\tb\tc\n1\t2\n\n\n#\n3\t4", 2)
    assert (grid.texts(0), grid.texts(1)) == (["1", "3"], ["2", "4"])
    assert (lines.rows.tolist(), lines.comments.tolist()) == ([1, 5], [0, 4])
    assert [(lines.starts[line], lines.ends[line]) for line in (0, 1, 2, 5)] == [(0, 7), (8, 11), (12, 12), (16, 19)]


@pytest.mark.parametrize("text", ["1\n", "1\t2\t3\n", "1\t2\n1\n2\t3\t4\n", " \n"])
def test_a_row_of_another_width_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a row does not have 2 cells"):
        read_grid(text, 2)


@pytest.mark.parametrize("cell", ["\0", "a\0"])
def test_a_zero_byte_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="a cell has a zero byte"):
        read_grid(text_of(["a", cell]), 2)
