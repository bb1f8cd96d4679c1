"""Texts of rows and columns as the places of their cells: a cell becomes a text only when somebody asks for it.

Splitting a line makes an object of every cell, and comparing cells looks each of them up in a dictionary. Arrays do
both for many rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from matchwise.arrays import Integers, np

TAB, NEWLINE, HASH, ZERO = 9, 10, 35, 48

BYTES = 8
"""Are compared at a time, as one number."""

DIGITS = 4
"""A number of more digits is not read as one."""

MIXER = 0x9E3779B97F4A7C15
"""Multiplying by it spreads numbers over a table (Knuth, The Art of Computer Programming, volume 3, 6.4)."""


class Grid:
    """Rows of equally many cells: cell c of row r is data[borders[r, c] + 1 : borders[r, c + 1]]."""

    __slots__ = ("borders", "data")

    def __init__(self, data: bytes, borders: Integers) -> None:
        self.data, self.borders = data, borders
        """The text ends with `BYTES` zeros, so that as many bytes can be read from any place."""

    def __len__(self) -> int:
        return len(self.borders)

    def pick(self, rows: Any) -> Grid:
        return Grid(self.data, self.borders[rows])

    def lengths(self, column: int) -> Integers:
        """The bytes of each cell of a column."""
        found: Integers = self.borders[:, column + 1] - self.borders[:, column] - 1
        return found

    def texts(self, column: int) -> list[str]:
        """The cells of a column."""
        begins, ends = self.borders[:, column : column + 2].T.tolist()
        return [self.data[begin + 1 : end].decode() for begin, end in zip(begins, ends, strict=True)]

    def integers(self, column: int) -> Integers:
        """The numbers in a column; −1 where a cell is anything else than a few digits.

        >>> rows, _ = read_grid("7\\t12\\n-1\\t0\\n", 2)
        >>> rows.integers(0).tolist(), rows.integers(1).tolist()
        ([7, -1], [12, 0])
        """
        lengths = self.lengths(column)
        digits = _read_bytes(self.data, self.borders[:, column] + 1).view(np.uint8).reshape(-1, BYTES) - np.uint8(ZERO)
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
    data = text.encode() + b"\n" + bytes(BYTES)
    letters = np.frombuffer(data, dtype=np.uint8, count=len(data) - BYTES)
    borders = np.concatenate(([-1], np.flatnonzero((letters == TAB) | (letters == NEWLINE))))
    last = np.flatnonzero(letters[borders[1:]] == NEWLINE) + 1
    starts, ends = np.concatenate(([0], borders[last[:-1]] + 1)), borders[last]
    is_comment = letters[starts] == HASH
    rows = np.flatnonzero(~is_comment & (starts < ends))
    if (np.diff(last, prepend=0)[rows] != width).any():
        raise ValueError(f"a row does not have {width} cells")
    grid = Grid(data, borders[last[rows][:, None] + np.arange(-width, 1)])
    return grid, Lines(starts, ends, rows, np.flatnonzero(is_comment))


def number_cells(grids: Sequence[Grid], column: int) -> tuple[Integers, list[str]]:
    """Number the cells of a column: equal cells have equal numbers, and each number has its text.

    The rows of a grid must be in the order of its text.

    >>> rows, _ = read_grid("a\\tx\\nb\\tx\\na\\ty\\n", 2)
    >>> codes, texts = number_cells([rows], 0)
    >>> [texts[code] for code in codes.tolist()], len(texts)
    (['a', 'b', 'a'], 2)
    """
    # A grid may be a few rows of a long text, which many other grids share: only the text of its rows is copied.
    spans = [(int(grid.borders[0, 0]) + 1, int(grid.borders[-1, -1]) + 1) for grid in grids]
    parts = [memoryview(grid.data)[begin:end] for grid, (begin, end) in zip(grids, spans, strict=True)]
    data = b"".join([*parts, bytes(BYTES)])
    shifts = [place - begin for place, (begin, _) in zip(accumulate(map(len, parts), initial=1), spans, strict=False)]
    begins = np.concatenate([grid.borders[:, column] + shift for grid, shift in zip(grids, shifts, strict=True)])
    lengths = np.concatenate([grid.lengths(column) for grid in grids])
    masks = np.array([256**size - 1 for size in range(BYTES + 1)], dtype=np.uint64)
    # The border after a cell is read with it, so that no cell is the beginning of another.
    found = _find_equal(_read_bytes(data, begins) & masks[np.minimum(lengths + 1, BYTES)])
    rows = np.flatnonzero(lengths >= BYTES)
    done = BYTES
    while len(rows):
        more = _read_bytes(data, begins[rows] + done) & masks[np.minimum(lengths[rows] - done + 1, BYTES)]
        found[rows] = rows[_find_equal(more, found[rows])]
        done += BYTES
        rows = rows[lengths[rows] >= done]
    first = np.flatnonzero(found == np.arange(len(found)))
    codes = np.empty(len(found), dtype=np.intp)
    codes[first] = np.arange(len(first))
    places = zip(begins[first].tolist(), (begins + lengths)[first].tolist(), strict=True)
    return codes[found], [data[begin:end].decode() for begin, end in places]


def _read_bytes(data: bytes, places: Integers) -> Any:
    """Eight bytes from each place on, as a number."""
    shape = (len(data) - BYTES + 1,)
    return np.ndarray(shape, dtype=f"V{BYTES}", buffer=data, strides=(1,))[places].view("<u8")


def _find_equal(parts: Any, codes: Integers | None = None) -> Integers:
    """One of the places where part and code are the same as here, for each place; the same one for all of them.

    It is found by a hash table. A place that loses its slot to another one tries again, with another hash.
    """
    hashes = parts if codes is None else parts ^ (codes.astype(np.uint64) * np.uint64(MIXER))
    bits = max(8, len(parts).bit_length())
    table = np.empty(1 << bits, dtype=np.intp)
    found, rows = np.empty(len(parts), dtype=np.intp), np.arange(len(parts))
    while len(rows):
        hashes = (hashes ^ (hashes >> np.uint64(32))) * np.uint64(MIXER)
        slots = (hashes >> np.uint64(64 - bits)).view(np.intp)
        table[slots] = rows
        same = table[slots]
        is_other = parts[same] != parts[rows]
        if codes is not None:
            is_other |= codes[same] != codes[rows]
        found[rows] = same
        lost = np.flatnonzero(is_other)
        rows, hashes = rows[lost], hashes[lost]
    return found
