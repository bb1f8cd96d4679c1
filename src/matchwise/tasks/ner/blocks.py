"""Sentences of a file, many at a time: the tags and the tokens of one are cut out when somebody asks for them."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

from matchwise.arrays import Integers, np
from matchwise.engine.table import Numbers


class Columns(NamedTuple):
    """What a file of columns looks like: how many there are, and which has the tags; tokens are in the first."""

    width: int
    tags: int


class Block:
    """Tagged sentences laid end to end: sentence k has the words starts[k], …, starts[k + 1] − 1.

    `cells` has all columns of all words, or is the text that is split into them when somebody asks.
    """

    __slots__ = ("_cells", "_columns", "_numbered", "lengths", "lines", "starts")

    def __init__(
        self,
        cells: list[str] | str,
        columns: Columns,
        lengths: list[int],
        lines: list[int],
        numbered: tuple[list[str], Integers] | None = None,
    ) -> None:
        self._cells, self._columns = cells, columns
        self.lengths, self.lines = lengths, lines
        """How many words each sentence has, and where it begins in its file."""
        self.starts = list(accumulate(lengths, initial=0))
        self._numbered = numbered
        """Different tags, and which of them each word has, where they were found by arrays."""

    def cut(self, name: str, place: int) -> Any:
        """The tags, the tokens or the line of one sentence."""
        if name == "line":
            return self.lines[place]
        return tuple(self._cut(self._columns.tags if name == "tags" else 0, place, place + 1))

    def number(self, begin: int, end: int, numbers: Numbers) -> Integers:
        """The numbers of the tags of the sentences begin, …, end − 1."""
        if self._numbered is None:
            tags = self._cut(self._columns.tags, begin, end)
            return numbers.of(tags, len(tags))
        names, codes = self._numbered
        codes = codes[self.starts[begin] : self.starts[end]]
        used = np.flatnonzero(np.bincount(codes))
        made = np.zeros(len(names), dtype=np.intp)
        made[used] = numbers.of([names[code] for code in used.tolist()], len(used))
        return made[codes]

    def _cut(self, column: int, begin: int, end: int) -> list[str]:
        """A column of the sentences begin, …, end − 1."""
        cells = self._cells  # another thread may split them meanwhile
        if isinstance(cells, str):
            cells = self._cells = cells.split()
        width = self._columns.width
        return cells[self.starts[begin] * width + column : self.starts[end] * width : width]
