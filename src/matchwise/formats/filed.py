"""The text of a long document stays in its file: its hashes are kept, its words are read if somebody asks for them.

Whether two documents hold the same words is all that scoring wants to know.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from stat import S_ISREG
from typing import TextIO

from matchwise.errors import FormatError
from matchwise.formats.io.source import Text, open_text
from matchwise.formats.io.stretches import stretches
from matchwise.formats.kept import Begin, words_on
from matchwise.tasks.coref.entities import words_of

PIECE = 1 << 14
"""The characters that are hashed at once."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that can be read again, if it is as it was: its size, and when it was written."""

    path: str
    size: int
    written: int

    @classmethod
    def of(cls, source: Text, file: TextIO) -> File | None:
        """That of an open source, as its path may lead elsewhere by now; None if it can be read only once.

        Standard input, a pipe and what was given as an open file can.
        """
        if not isinstance(source, str | os.PathLike) or os.fspath(source) == "-":
            return None
        path, found = os.path.abspath(source), os.fstat(file.fileno())
        if path.startswith(("/dev/", "/proc/")) or not S_ISREG(found.st_mode):  # each process has its own /dev/stdin
            return None
        return cls(path, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Filed:
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


class Filing:
    """Hashes the lines of a document, wherever they are cut; other lines have the same ones once in 2⁶⁴ times.

    >>> one, other = (Filing(3, File("a.conll", 0, 0), "a", str.strip) for _ in range(2))
    >>> for part in "so it ", "goes":
    ...     one.add(part, 0)
    >>> other.add("so it goes", 0)
    >>> one.text() == other.text()
    True
    """

    __slots__ = ("_hashes", "_length", "_rest", "begin", "column", "file", "id")

    def __init__(self, column: int, file: File, id: str, begin: Begin) -> None:
        self.column = column
        self.file = file
        self.id = id
        self.begin = begin
        self._hashes: list[int] = []
        self._rest = ""
        self._length = 0

    def add(self, lines: str, words: int) -> None:
        self._length += words
        end = PIECE - len(self._rest)
        piece = self._rest + lines[:end]
        while len(piece) == PIECE:
            self._hashes.append(hash(piece))
            piece = lines[end : end + PIECE]
            end += PIECE
        self._rest = piece

    def text(self) -> Filed:
        hashes = *self._hashes, hash(self._rest)
        return Filed(hashes, self._length, self.column, self.file, self.id, self.begin)
