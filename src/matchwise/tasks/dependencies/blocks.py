"""Sentences of a file, many at a time: a sentence is cut out when somebody asks for it.

Splitting a line makes an object of every cell, and comparing cells looks each of them up in a dictionary. Arrays do
both for many rows at once: a cell is a place in the text (`engine/tokens.py`) until somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from matchwise.arrays import Flags, Integers
from matchwise.engine.many.tokens import PADDING, WIDTH, Tokens
from matchwise.tasks.dependencies.sentences import Multiword, has_spaces

PLACES = {"forms": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "heads": 6, "deprels": 7, "deps": 8}
"""The columns of CoNLL-U that a sentence has."""


class Block:
    """Sentences laid end to end: sentence k has the words starts[k], …, starts[k + 1] − 1."""

    __slots__ = ("columns", "starts")

    def __init__(self, columns: dict[str, list[Any]], starts: list[int]) -> None:
        self.columns, self.starts = columns, starts

    def list_cells(self, name: str, begin: int, end: int) -> list[Any]:
        """A column of some words."""
        return self.columns[name][begin:end]

    def cut(self, name: str, place: int) -> tuple[Any, ...]:
        """A column of one sentence."""
        return tuple(self.list_cells(name, *self.starts[place : place + 2]))


class GridBlock(Block):
    """Sentences whose cells are places in a text: words are rows."""

    __slots__ = ("borders", "forms", "grid", "heads", "lengths", "token_starts")

    def __init__(
        self, grid: Grid, heads: Integers, starts: Integers, multiwords: Sequence[Sequence[Multiword]]
    ) -> None:
        super().__init__({}, starts.tolist())
        self.grid, self.heads = grid, heads
        self.forms, begins = grid.join(PLACES["forms"])
        self.borders: list[int] = begins[starts].tolist()
        """Where the forms of each sentence begin."""
        is_token, self.lengths = self._find_tokens(begins, starts, multiwords)
        """The characters of each token; None if one of them has a space, which is no character of the text."""
        self.token_starts = np.concatenate(([0], np.cumsum(is_token)))[starts]
        """Where the tokens of each sentence begin."""

    def _find_tokens(
        self, begins: Integers, starts: Integers, multiwords: Sequence[Sequence[Multiword]]
    ) -> tuple[Flags, Integers | None]:
        """Which words begin a token, and the length of each token."""
        is_character = (np.frombuffer(self.forms, dtype=np.uint8) & 0xC0) != 0x80  # not a further byte of one
        lengths = np.diff(np.concatenate(([0], np.cumsum(is_character)))[begins]) - 1
        is_token = np.ones(len(lengths), dtype=bool)
        rows = [(place, *token) for place, tokens in enumerate(multiwords) for token in tokens]
        if rows:
            owners, firsts, lasts, forms = zip(*rows, strict=True)
            at, sizes = starts[list(owners)] + firsts - 1, np.subtract(lasts, firsts)
            is_token[np.repeat(at + sizes - np.cumsum(sizes), sizes) + np.arange(1, 1 + sizes.sum())] = False
            lengths[at] = list(map(len, forms))
        is_spaced = has_spaces(self.forms.decode()) or any(has_spaces(row[-1]) for row in rows)
        return is_token, None if is_spaced else lengths[is_token]

    def list_cells(self, name: str, begin: int, end: int) -> list[Any]:
        if name == "heads":
            return list(self.heads[begin:end].tolist())
        return self.grid.pick(slice(begin, end)).texts(PLACES[name])

    def join_forms(self, place: int) -> bytes:
        """The forms of one sentence with a tab after each."""
        begin, end = self.borders[place : place + 2]
        return self.forms[begin:end]


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


def stack(several: Sequence[Grid]) -> Grid:
    """The rows of several grids as one grid.

    A grid may be a few rows of a long text, which many others share: only the text of its rows is copied.
    """
    spans = [(int(grid.borders[0, 0]), int(grid.borders[-1, -1])) for grid in several]
    texts = [memoryview(grid.data)[begin + 1 : end + 1] for grid, (begin, end) in zip(several, spans, strict=True)]
    starts = accumulate(map(len, texts), initial=-1)
    borders = [grid.borders + (start - begin) for grid, start, (begin, _) in zip(several, starts, spans, strict=False)]
    return Grid(b"".join([*texts, PADDING]), np.concatenate(borders))
