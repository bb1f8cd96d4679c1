"""A text file in byte ranges that hold whole documents, so that several processes can read one file.

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
from typing import NamedTuple

from matchwise.errors import FormatError
from matchwise.formats.io.lines import Lines

BYTES = 1 << 18
"""About how many are in a range: what is read is counted while it is in the caches."""

ALIKE, BEGINNING = 8, 1 << 11
"""Words that two files have in common where they go on with the same text, and the bytes in which these are found."""

WINDOW, TRIES = 200, 20
"""Documents that one file may be ahead of the other, and places that are tried before a file stays whole."""

HEADS = 8
"""A range is at least so many times as long as the head that is read before it."""


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
    """Where a file may be cut, in order, and the head that is read again before each range."""

    def __init__(self, path: str, cut: bytes, words: bytes | None = None) -> None:
        self.head = NO_HEAD
        self.words = words
        """What finds the words of a document, where two files are paired by their words and not by position."""
        with open(path, "rb") as file:
            self.data: mmap.mmap | bytes = file.read(1) and mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.ends = array("q", (match.end() for match in re.finditer(cut, self.data)))
        self.ends.append(len(self.data))

    def begins(self, number: int) -> list[bytes]:
        """The first words behind a cut."""
        assert self.words is not None
        start = self.ends[number]
        return re.findall(self.words, self.data[start : start + BEGINNING])[:ALIKE]


def ranges(preds: Cuts, refs: Cuts) -> Iterator[tuple[Range, Range]]:
    """Ranges of two files that have the same documents each, as far as cuts tell; what cannot be cut is one range."""
    size = max(BYTES, HEADS * refs.head.length)
    i = j = here = there = 0
    while there < refs.ends[-1]:
        further = bisect_left(refs.ends, there + size, i, len(refs.ends) - 1)
        i, j = _meet(preds, refs, further, j + further - i, here)
        heads = (preds.head, refs.head) if there else (NO_HEAD, NO_HEAD)
        other, end = preds.ends[j], refs.ends[i]
        yield Range(here, other - here, heads[0]), Range(there, end - there, heads[1])
        here, there = other, end


def _meet(preds: Cuts, refs: Cuts, i: int, j: int, here: int) -> tuple[int, int]:
    """The next cuts at which both files go on with the same words, or, without words, have as many documents.

    The predictions are cut somewhere behind `here`.
    """
    most = len(preds.ends) - 1
    if refs.words is None or preds.words is None:
        return (i, j) if i < len(refs.ends) - 1 and j < most else (len(refs.ends) - 1, most)
    for further in range(min(TRIES, len(refs.ends) - 1 - i)):
        words = refs.begins(i + further)
        if len(words) < ALIKE:
            continue
        for away in range(WINDOW):
            for place in {j + further + away, j + further - away}:
                if 0 <= place < most and preds.ends[place] > here and preds.begins(place) == words:
                    return i + further, place
    return len(refs.ends) - 1, most
