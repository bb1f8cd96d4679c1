"""What a file format is: one frozen `Format` that says what reads a file and how it is recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


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
