"""A file in one of a task's formats: documents are decoded as they are read, and wait in memory where they must.

Several processes can read one text file in byte ranges that hold whole documents.

A format says where its files may be cut (`Format.cut`). What a reader learns from the beginning of a file (how many
columns there are, which year's columns) it learns again in every range: the head of the file is read first, and its
documents are left out.
"""

from __future__ import annotations

import io
import mmap
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain, count, islice
from typing import Any, NamedTuple

from matchwise.corpus.table import Id
from matchwise.errors import DataError, FormatError
from matchwise.formats import find_format
from matchwise.formats.io.entries import Entry, Source, placing, sound
from matchwise.formats.io.lines import Lines
from matchwise.formats.io.source import Text


class TaskFile(Source):
    """The documents that a format reads from a file."""

    def __init__(
        self, path: str, format: str, *, named: bool = True, reference: bool = False, range: Range | None = None
    ) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.format = format
        self.named = named
        """Whether documents go by their ids, where they have any; else they go by position."""
        self.reference = reference
        """Whether the reference is read from a file that has both sides."""
        self.range = range
        """The bytes that are read, if not all of the file."""
        self.pair, self.remedy = find_format(format).pair, find_format(format).remedy

    def __iter__(self) -> Iterator[Entry]:
        about = find_format(self.format)
        source: Text = self.path if self.range is None else self.range.open(self.path, self.name)
        read = (self.reference and about.read_reference) or about.entries or about.read
        found: Iterator[Entry] = read(source)
        if about.entries is None:  # a format that stops at a document that is broken
            found = map(_entry, found, count())
        if self.range is not None:
            found = islice(found, self.range.head.documents, None)
        with placing(self.name):
            yield from found if self.named else (entry._replace(id=None) for entry in found)

    def at(self, range: Range) -> TaskFile:
        """The documents of a range of bytes."""
        return TaskFile(self.path, self.format, named=self.named, reference=self.reference, range=range)

    def cuts(self) -> Cuts | None:
        """Where the file may be cut; None if it has to be read whole."""
        about = find_format(self.format)
        if about.cut is None or not is_divisible(self.path):
            return None
        found = Cuts(self.path, about.cut, about.words)
        if found.is_last(max(about.head, 1) - 1):
            return None
        if about.head:
            end = found.ends[about.head - 1]
            try:
                found.head = Head(end, sum(1 for _ in sound(self.at(Range(0, end)))))
            except (FormatError, DataError):
                return None  # whoever reads the whole file says what is wrong
        return found

    def place(self, entry: Entry) -> str:
        """Name a document by its id in the file, else by its first line, else by its number from 0."""
        document = entry.document[0] if type(entry.document) in (list, tuple) else entry.document
        id, line = _id(document), getattr(document, "line", None)
        if id is not None:
            return f"{self.name}: document {id}"
        if line is not None:
            return f"{self.name}:{line}"
        if entry.spot is not None:
            return f"{self.name}[{entry.spot}]"
        return self.name if entry.id is None else f"{self.name}: document {entry.id}"


def _entry(document: Any, number: int) -> Entry:
    return Entry(_id(document), document, number)


def _id(document: Any) -> Id | None:
    found: Id | None = getattr(document, "id", None)
    return None if found == "" else found


BYTES, FEWEST = 1 << 19, 1 << 15
"""About how many are in a range: what is read is counted while it is in the caches, and soon enough to be worth it."""

RANGES = 24
"""Into which a file is cut at least, if they are long enough: what is left at the end is a small share of the work."""

ALIKE, BEGINNING = 8, 1 << 11
"""Words that two files have in common where they go on with the same text, and the bytes in which these are found."""

WINDOW, TRIES = 200, 20
"""Documents that one file may be ahead of the other, and places that are tried before a file stays whole."""

HEADS = 8
"""A range is at least 8 times as long as the head that is read before it."""


class Head(NamedTuple):
    """The first bytes of a file, and how many documents they hold."""

    length: int
    documents: int


NO_HEAD = Head(0, 0)


class Range(NamedTuple):
    """Bytes of a file, and the head that comes before them; the first range has none."""

    offset: int
    length: int
    head: Head = NO_HEAD

    def open(self, path: str, name: str) -> io.TextIOWrapper:
        """The text of the head and of the range."""
        with open(path, "rb") as file:
            head = file.read(self.head.length)
            file.seek(self.offset)
            data = file.read(self.length)
        if len(head) + len(data) != self.head.length + self.length:
            raise FormatError("the file has become shorter while it was read", name)
        return io.TextIOWrapper(_Named(head + data, name), encoding="utf-8-sig")


class _Named(io.BytesIO):
    """Bytes that go by the name of their file in messages."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def is_divisible(path: str) -> bool:
    """True if any process can read any bytes of a file: not of standard input, a pipe or a compressed file."""
    return path != "-" and Lines(path).seekable


class Cuts:
    """Where a file may be cut, in order, and the head that is read again before each range.

    A cut is looked for when it is asked for: whoever reads the first range need not wait for the last.
    """

    def __init__(self, path: str, cut: bytes, words: bytes | None = None) -> None:
        self.head = NO_HEAD
        self.words = words
        """What finds the words of a document, where two files are paired by their words and not by position."""
        with open(path, "rb") as file:
            self.data: mmap.mmap | bytes = file.read(1) and mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.length = len(self.data)
        self.ends = array("q")
        """The cuts that were found; the last of all is the end of the file."""
        found = (match.end() for match in re.finditer(cut, self.data))
        self._rest: Iterator[int] = chain(found, (self.length,))

    def is_last(self, number: int) -> bool:
        """True if this is the last cut of the file."""
        missing = number + 2 - len(self.ends)
        if missing > 0:
            self.ends.extend(islice(self._rest, missing))
        return len(self.ends) < number + 2

    def last(self) -> int:
        """The number of the last cut."""
        self.ends.extend(self._rest)
        return len(self.ends) - 1

    def behind(self, offset: int, first: int) -> int:
        """The number of the first cut that is not before this offset, from one on."""
        while (not self.ends or self.ends[-1] < offset) and (more := array("q", islice(self._rest, WINDOW))):
            self.ends.extend(more)
        return min(bisect_left(self.ends, offset, first), len(self.ends) - 1)

    def begins(self, number: int) -> list[bytes]:
        """The first words behind a cut."""
        assert self.words is not None
        start = self.ends[number]
        return re.findall(self.words, self.data[start : start + BEGINNING])[:ALIKE]


def ranges(preds: Cuts, refs: Cuts) -> Iterator[tuple[Range, Range]]:
    """Ranges of two files that have the same documents each, as far as cuts tell; what cannot be cut is one range."""
    size = max(min(BYTES, max(FEWEST, refs.length // RANGES)), HEADS * refs.head.length)
    i = j = here = there = 0
    while there < refs.length:
        further = refs.behind(there + size, i)
        i, j = _meet(preds, refs, further, j + further - i, here)
        heads = (preds.head, refs.head) if there else (NO_HEAD, NO_HEAD)
        other, end = preds.ends[j], refs.ends[i]
        yield Range(here, other - here, heads[0]), Range(there, end - there, heads[1])
        here, there = other, end


def _meet(preds: Cuts, refs: Cuts, i: int, j: int, here: int) -> tuple[int, int]:
    """The next cuts at which both files continue with the same words or, without words, after equally many documents.

    The predictions are cut somewhere behind `here`.
    """
    if refs.words is None or preds.words is None:
        return (refs.last(), preds.last()) if refs.is_last(i) or preds.is_last(j) else (i, j)
    for further in range(TRIES):
        if refs.is_last(i + further):
            break
        words = refs.begins(i + further)
        if len(words) < ALIKE:
            continue
        for away in range(WINDOW):
            for place in {j + further + away, j + further - away}:
                is_behind = place >= 0 and not preds.is_last(place) and preds.ends[place] > here
                if is_behind and preds.begins(place) == words:
                    return i + further, place
    return refs.last(), preds.last()
