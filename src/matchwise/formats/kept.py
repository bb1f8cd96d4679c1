"""What is kept of the lines of a document: those of a short one as they are, as the other side has the same.

Of a long one only what it is compared by is kept (`filed`), or its words if its file cannot be read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Protocol, TextIO, TypeAlias

from matchwise.formats.io.source import Text
from matchwise.tasks.coref.entities import Unread, words_of

LONG = 1 << 20
"""The characters that a short document may have."""

Begin: TypeAlias = Callable[[str], str | None]
"""Reads the id of a document from the line that begins it."""


class Kept:
    """The lines of a document without their mentions, as they come; `column` is that of the words."""

    last: ClassVar[str] = ""
    """The text that was kept last: often the other side has the same one next, which need not be held twice."""

    __slots__ = ("_lines", "_long", "_size", "_words", "begin", "column", "file", "id", "source")

    def __init__(self, column: int, source: Text, file: TextIO, id: str, begin: Begin) -> None:
        self.column = column
        self.source = source
        self.file = file
        self.id = id
        self.begin = begin
        self._lines: list[str] = []
        self._size = 0
        self._words = 0
        self._long: Long | None = None

    def add(self, lines: str, words: int) -> None:
        """Lines with so many words."""
        if self._long is not None:
            self._long.add(lines, words)
            return
        self._lines.append(lines)
        self._size += len(lines)
        self._words += words
        if self._size > LONG:
            self._long = self._begin_long()
            self._long.add("".join(self._lines), self._words)
            self._lines.clear()

    def _begin_long(self) -> Long:
        from matchwise.formats.filed import File, Filing

        file = File.of(self.source, self.file)
        return _Words(self.column) if file is None else Filing(self.column, file, self.id, self.begin)

    def text(self) -> tuple[str | Unread, int | None]:
        """The text of the document, and the column of words in it; None if it has nothing else."""
        if self._long is not None:
            return self._long.text(), None
        text, last = "".join(self._lines)[:-1], Kept.last
        if text == last:
            return last, self.column
        Kept.last = text
        return text, self.column


class Long(Protocol):
    """What is kept of a long document."""

    def add(self, lines: str, words: int) -> None: ...

    def text(self) -> str | Unread: ...


class _Words:
    """Nothing but the words."""

    __slots__ = ("_found", "column")

    def __init__(self, column: int) -> None:
        self.column = column
        self._found: list[str] = []

    def add(self, lines: str, words: int) -> None:
        found = words_on(lines, self.column)
        if len(found) != words:
            found = words_of(lines, self.column)
        self._found += ["\n".join(found)] if found else []

    def text(self) -> str:
        return "\n".join(self._found)


def words_on(lines: str, column: int) -> list[str]:
    """What `words_of` finds, in half the time; fewer, if a line is not in plain columns.

    >>> words_on("a 0 I -\\n\\na  1 see  (2)\\n", 2)
    ['I', 'see']
    """
    return re.findall("\n" + r"\S++[ \t]++" * column + r"(\S++)[ \t]++\S", "\n" + lines)
