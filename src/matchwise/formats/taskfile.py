"""A file in one of a task's formats: documents are decoded as they are read, and wait in memory where they must."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from typing import Any

from matchwise.errors import FormatError, suggestion
from matchwise.formats import format_module, formats_of, sniffed
from matchwise.formats.entries import Entry
from matchwise.formats.lines import Lines

HEAD = 20_000
"""Bytes that a format is recognised by."""


class TaskFile:
    """The documents that a format module reads from a file."""

    def __init__(self, path: str, format: str) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.format = format

    def __iter__(self) -> Iterator[Entry]:
        try:
            for document in format_module(self.format).read(self.path):
                yield Entry(getattr(document, "id", None), document)
        except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
            raise FormatError(f"cannot be read as text: {error}", self.name) from None

    def parked(self, entry: Entry) -> Entry:
        return entry

    def document(self, entry: Entry) -> Any:
        return entry.document

    def place(self, entry: Entry) -> str:
        return self.name if entry.id is None else f"{self.name}: document {entry.id}"

    def close(self) -> None:
        """A format module closes what it opens."""

    def progress(self) -> float | None:
        return None


def format_of(path: str, task: str, name: str | None = None) -> str:
    """The format of a file: the one that is named, or the first of the task's that it looks like."""
    known = formats_of(task)
    if name is not None:
        if name not in (*known, "jsonl"):
            raise FormatError(f"{task} has no format {name!r}{suggestion(name, known)}", path)
        return name
    if not known:
        return "jsonl"
    return sniffed(task, head(path), path)


def head(path: str) -> str:
    """The beginning of a file; of standard input it is looked at, not taken."""
    if path == "-":
        data = sys.stdin.buffer.peek(HEAD)[:HEAD]  # type: ignore[union-attr]  # standard input is buffered
        return bytes(data).decode("utf-8", "replace")
    if os.path.isdir(path):
        return ""  # brat keeps each document in a file of its own
    Lines(path)  # says what is wrong with the path
    try:
        with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as file:
            return file.read(HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
    except (EOFError, gzip.BadGzipFile) as error:
        raise FormatError(f"the compressed file is cut off or damaged ({error})", path) from None
