"""A file in one of a task's formats: documents are decoded as they are read, and wait in memory where they must."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from matchwise.errors import DataError, FormatError, suggestion
from matchwise.formats import find_format, formats_of, recognize
from matchwise.formats.io.entries import Entry, Id, sound
from matchwise.formats.io.faults import placing
from matchwise.formats.io.head import head
from matchwise.formats.io.lines import read_once
from matchwise.formats.io.ranges import Cuts, Head, Range, is_divisible
from matchwise.formats.io.source import Text


class TaskFile:
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

    def __iter__(self) -> Iterator[Entry]:
        about = find_format(self.format)
        source: Text = self.path if self.range is None else self.range.open(self.path, self.name)
        if about.entries is not None:  # a format that goes on after a document that is broken
            found: Iterator[Entry] = about.entries(source)
        else:
            read = (self.reference and about.read_reference) or about.read
            found = (Entry(_id(document), document, number) for number, document in enumerate(read(source)))
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
        if len(found.ends) <= max(about.head, 1):
            return None
        if about.head:
            end = found.ends[about.head - 1]
            try:
                found.head = Head(end, sum(1 for _ in sound(self.at(Range(0, end)))))
            except (FormatError, DataError):
                return None  # whoever reads the whole file says what is wrong
        return found

    @property
    def pair(self) -> Callable[..., Iterator[tuple[Entry, Entry]]] | None:
        """How the format pairs the entries of two files, if neither by id nor by position."""
        return find_format(self.format).pair

    @property
    def remedy(self) -> str | None:
        """The advice of the format where documents have no ids and are not as many on both sides, if it has any."""
        return find_format(self.format).remedy

    def parked(self, entry: Entry) -> Entry:
        return entry

    def document(self, entry: Entry) -> Any:
        return entry.document

    def place(self, entry: Entry) -> str:
        """By the id that a document has in the file, else by its first line, else by its number, from 0."""
        document = entry.document[0] if type(entry.document) in (list, tuple) else entry.document
        id, line = _id(document), getattr(document, "line", None)
        if id is not None:
            return f"{self.name}: document {id}"
        if line is not None:
            return f"{self.name}:{line}"
        if entry.spot is not None:
            return f"{self.name}[{entry.spot}]"
        return self.name if entry.id is None else f"{self.name}: document {entry.id}"

    def close(self) -> None:
        """A format closes what it opens."""

    def progress(self) -> float | None:
        return None


def _id(document: Any) -> Id | None:
    found: Id | None = getattr(document, "id", None)
    return None if found == "" else found


def format_of(path: str, task: str, name: str | None = None) -> str:
    """The format of a file: the one that is named, or the first of the task's that it looks like."""
    known = formats_of(task)
    if name is not None:
        if name not in (*known, "jsonl"):
            raise FormatError(f"{task} has no format {name!r}{suggestion(name, known)}", path)
        return name
    if not known:
        return "jsonl"
    if path != "-" and read_once(path):
        problem = f"found a pipe, whose format cannot be looked at first{suggestion('', known)}"
        raise FormatError(f"{problem}; write --input-format NAME", path)
    start = head(path)
    if start.strip() in ("", "[]") and not os.path.isdir(path):
        return "jsonl"  # a file without documents is one in any format
    return recognize(task, start, path)
