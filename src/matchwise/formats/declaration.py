"""What a file format is: one frozen `Format` that says what reads a file and how it is recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

BLANK_LINE = rb"\n[ \t\r]*\n[\r\n]*"
"""The cut of a format whose documents end with an empty line."""

LINE = rb"\n"
"""The cut of a format with a document on each line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format with everything that reading asks of it. Only the first four fields are needed."""

    name: str
    title: str
    """What people call it."""

    read: Callable[..., Iterator[Any]]
    """`read(source)` yields documents, which have an `id` if the file names them."""

    sniff: Callable[[str, str], bool]
    """`sniff(head, name)` is true if a file that begins like this looks like the format."""

    tasks: tuple[str, ...] = ()
    """For a format of another package: the tasks whose files may have it."""

    entries: Callable[..., Iterator[Any]] | None = None
    """`entries(source)` yields documents with their faults, where reading goes on after a broken document."""

    read_reference: Callable[..., Iterator[Any]] | None = None
    """Reads the reference from a file that holds both sides."""

    pair: Callable[..., Iterator[tuple[Any, Any]]] | None = None
    """`pair(preds, refs)` pairs the entries of two files, where ids and positions cannot."""

    remedy: str | None = None
    """What to write if documents have no ids and one side has more of them."""

    write: Callable[..., None] | None = None
    """`write(documents, file)` writes documents in the format."""

    cut: bytes | None = None
    """A pattern that ends where a file may be cut, so that several processes can read it; None if it is read whole."""

    head: int = 1
    """Documents at the beginning of a file that say how the others are written, as the number of columns; 0 if none."""

    words: bytes | None = None
    """A pattern that finds the words of a document, where two files cut the same text in different places."""
