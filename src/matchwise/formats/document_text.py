"""The text of a document in columns. A short text stays in memory; the other side often has the same one.

The text of a long document stays in its file. Scoring only asks whether two documents have the same words, so hashes
of the lines are enough; the words are read again if somebody asks for them. A file that cannot be read twice, such as
standard input, leaves its words in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from stat import S_ISREG
from typing import ClassVar, Protocol, TextIO, TypeAlias

from matchwise.errors import FormatError
from matchwise.formats.io.source import Text, open_text, stretches
from matchwise.tasks.coref.entities import Unread, words_of

LONG = 1 << 20
"""The characters that a short document may have."""

Begin: TypeAlias = Callable[[str], str | None]
"""Reads the id of a document from the line that begins it."""


@dataclass(eq=False, slots=True)
class DocumentText:
    """The lines of a document without their mentions, as they come; `column` is that of the words."""

    last: ClassVar[str] = ""
    """The text that was kept last: often the other side has the same one next, which need not be held twice."""

    column: int
    source: Text
    file: TextIO
    id: str
    begin: Begin
    _lines: list[str] = field(default_factory=list)
    _size: int = 0
    _words: int = 0
    _long: Long | None = None

    def add(self, lines: str, words: int) -> None:
        """Add lines and the number of their words."""
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
        file = File.of(self.source, self.file)
        return _Words(self.column) if file is None else TextHashes(self.column, file, self.id, self.begin)

    def text(self) -> tuple[str | Unread, int | None]:
        """The text of the document, and the column of words in it; None if it has nothing else."""
        if self._long is not None:
            return self._long.text(), None
        text, last = "".join(self._lines)[:-1], DocumentText.last
        if text == last:
            return last, self.column
        DocumentText.last = text
        return text, self.column


class Long(Protocol):
    """How a long document is kept."""

    def add(self, lines: str, words: int) -> None: ...

    def text(self) -> str | Unread: ...


@dataclass(eq=False, slots=True)
class _Words:
    """Nothing but the words."""

    column: int
    _found: list[str] = field(default_factory=list)

    def add(self, lines: str, words: int) -> None:
        found = words_on(lines, self.column)
        if len(found) != words:
            found = words_of(lines, self.column)
        self._found += ["\n".join(found)] if found else []

    def text(self) -> str:
        return "\n".join(self._found)


def words_on(lines: str, column: int) -> list[str]:
    """Like `words_of`, in half the time; finds fewer words if a line is not in plain columns.

    >>> words_on("a 0 I -\\n\\na  1 see  (2)\\n", 2)
    ['I', 'see']
    """
    return re.findall("\n" + r"\S++[ \t]++" * column + r"(\S++)[ \t]++\S", "\n" + lines)


PIECE = 1 << 14
"""The characters that are hashed at once."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that can be read again as long as its size and modification time stay the same."""

    path: str
    size: int
    written: int

    @classmethod
    def of(cls, source: Text, file: TextIO) -> File | None:
        """The file behind an open source (its path may lead elsewhere by now); None if it can be read only once.

        Standard input, a pipe and what was given as an open file can.
        """
        if not isinstance(source, str | os.PathLike) or os.fspath(source) == "-":
            return None
        path, found = os.path.abspath(source), os.fstat(file.fileno())
        if path.startswith(("/dev/", "/proc/")) or not S_ISREG(found.st_mode):  # each process has its own /dev/stdin
            return None
        return cls(path, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class TextOnDisk:
    """The text of one document of a file; it equals another of the same lines, whatever their mentions are."""

    hashes: tuple[int, ...]
    length: int
    """How many words there are."""

    column: int
    """Where in a line the word stands."""

    file: File = field(compare=False, repr=False)
    id: str = field(compare=False)
    begin: Begin = field(compare=False, repr=False)

    def read(self) -> str:
        """The words, one on each line."""
        found = "".join(self._words(words_on))
        if found.count("\n") != self.length:
            found = "".join(self._words(words_of))
        return found[:-1]

    def _words(self, find: Callable[[str, int], list[str]]) -> Iterator[str]:
        """One on each line, many at a time."""
        for text in self._stretches():
            if found := find(text, self.column):
                yield "\n".join(found) + "\n"

    def _stretches(self) -> Iterator[str]:
        """Its lines, many at a time."""
        inside = False
        with open_text(self.file.path) as file:
            if File.of(self.file.path, file) != self.file:
                raise FormatError("has changed since it was read; score it again to see its words", self.file.path)
            for text in stretches(file):
                if text[0] != "#":
                    if inside:
                        yield text
                elif text.startswith("#begin document"):
                    inside = self.begin(text) == self.id
                elif inside and text.startswith("#end document"):
                    return


@dataclass(eq=False, slots=True)
class TextHashes:
    """Hashes the lines of a document, wherever they are cut; other lines have the same ones once in 2⁶⁴ times.

    >>> one, other = (TextHashes(3, File("a.conll", 0, 0), "a", str.strip) for _ in range(2))
    >>> for part in "so it ", "goes":
    ...     one.add(part, 0)
    >>> other.add("so it goes", 0)
    >>> one.text() == other.text()
    True
    """

    column: int
    file: File
    id: str
    begin: Begin
    _hashes: list[int] = field(default_factory=list)
    _rest: str = ""
    _length: int = 0

    def add(self, lines: str, words: int) -> None:
        self._length += words
        end = PIECE - len(self._rest)
        piece = self._rest + lines[:end]
        while len(piece) == PIECE:
            self._hashes.append(hash(piece))
            piece = lines[end : end + PIECE]
            end += PIECE
        self._rest = piece

    def text(self) -> TextOnDisk:
        hashes = *self._hashes, hash(self._rest)
        return TextOnDisk(hashes, self._length, self.column, self.file, self.id, self.begin)
