"""Texts of rows and columns as the places of their cells: a cell becomes a text only when somebody asks for it.

Splitting a line makes an object of every cell, and comparing cells looks each of them up in a dictionary. Arrays do
both for many rows at once (`engine/tokens.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from matchwise.arrays import Integers, np
from matchwise.engine.tokens import PADDING, WIDTH, Tokens

TAB, NEWLINE, HASH, ZERO = 9, 10, 35, 48

DIGITS = 4
"""A number of more digits is not read as one."""


class Grid:
    """Rows of equally many cells: cell c of row r is data[borders[r, c] + 1 : borders[r, c + 1]]."""

    __slots__ = ("borders", "data")

    def __init__(self, data: bytes, borders: Integers) -> None:
        self.data, self.borders = data, borders
        """The text ends with `PADDING`, as that of tokens does."""

    def __len__(self) -> int:
        return len(self.borders)

    def pick(self, rows: Any) -> Grid:
        return Grid(self.data, self.borders[rows])

    def lengths(self, column: int) -> Integers:
        """The bytes of each cell of a column."""
        found: Integers = self.borders[:, column + 1] - self.borders[:, column] - 1
        return found

    def tokens(self, column: int) -> Tokens:
        """The cells of a column."""
        return Tokens(self.data, self.borders[:, column] + 1, self.lengths(column))

    def texts(self, column: int) -> list[str]:
        """The cells of a column as texts."""
        return self.tokens(column).strings()

    def integers(self, column: int) -> Integers:
        """The numbers in a column; −1 where a cell is anything else than a few digits.

        >>> rows, _ = read_grid("7\\t12\\n-1\\t0\\n", 2)
        >>> rows.integers(0).tolist(), rows.integers(1).tolist()
        ([7, -1], [12, 0])
        """
        lengths = self.lengths(column)
        digits = self.tokens(column).chunks().view(np.uint8).reshape(-1, WIDTH) - np.uint8(ZERO)
        found, is_wrong = np.zeros(len(self), dtype=np.intp), (lengths < 1) | (lengths > DIGITS)
        for place in range(min(DIGITS, int(lengths.max(initial=0)))):
            digit, is_inside = digits[:, place], lengths > place
            found = np.where(is_inside, found * 10 + digit, found)
            is_wrong |= is_inside & (digit > 9)
        found[is_wrong] = -1
        return found

    def join(self, column: int) -> tuple[bytes, Integers]:
        """The cells of a column, each with the border after it, and where each begins."""
        sizes = self.lengths(column) + 1
        begins = np.concatenate(([0], np.cumsum(sizes)))
        places = np.arange(begins[-1]) + np.repeat(self.borders[:, column] + 1 - begins[:-1], sizes)
        return np.frombuffer(self.data, dtype=np.uint8)[places].tobytes(), begins


class Lines(NamedTuple):
    """The lines of a text: where each begins and ends, and which are the rows of its grid or comments."""

    starts: Integers
    ends: Integers
    rows: Integers
    comments: Integers


def read_grid(text: str, width: int) -> tuple[Grid, Lines]:
    """Find the cells of a text whose lines are rows, empty, or comments; a ValueError if a row has another width."""
    if "\0" in text:
        raise ValueError("a cell has a zero byte, which no token may have")
    data = text.encode() + b"\n" + PADDING
    letters = np.frombuffer(data, dtype=np.uint8, count=len(data) - WIDTH)
    borders = np.concatenate(([-1], np.flatnonzero((letters == TAB) | (letters == NEWLINE))))
    last = np.flatnonzero(letters[borders[1:]] == NEWLINE) + 1
    starts, ends = np.concatenate(([0], borders[last[:-1]] + 1)), borders[last]
    is_comment = letters[starts] == HASH
    rows = np.flatnonzero(~is_comment & (starts < ends))
    if (np.diff(last, prepend=0)[rows] != width).any():
        raise ValueError(f"a row does not have {width} cells")
    grid = Grid(data, borders[last[rows][:, None] + np.arange(-width, 1)])
    return grid, Lines(starts, ends, rows, np.flatnonzero(is_comment))
