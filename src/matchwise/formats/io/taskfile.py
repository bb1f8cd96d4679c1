"""A file in one of a task's formats: documents are decoded as they are read, and wait in memory where they must."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from matchwise.corpus.table import Id
from matchwise.formats import find_format
from matchwise.formats.io.entries import Entry, Source, place_errors


class TaskFile(Source):
    """The documents that a format reads from a file."""

    def __init__(self, path: str, format: str, *, named: bool = True, reference: bool = False) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.format = format
        self.named = named
        """Whether documents go by their ids, where they have any; else they go by position."""
        self.reference = reference
        """Whether the reference is read from a file that has both sides."""
        self.pair, self.remedy = find_format(format).pair, find_format(format).remedy

    def __iter__(self) -> Iterator[Entry]:
        about = find_format(self.format)
        read = (self.reference and about.read_reference) or about.entries or about.read
        found: Iterator[Entry] = read(self.path)
        if about.entries is None:  # a format that stops at a document that is broken
            found = map(_entry, found, count())
        with place_errors(self.name):
            yield from found if self.named else (entry._replace(id=None) for entry in found)

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
