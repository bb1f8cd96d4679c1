"""The documents of a file, one at a time, each with its id and the place it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from matchwise.errors import DataError, FormatError

Id: TypeAlias = str | int


class Entry(NamedTuple):
    """A document: its id if it has one, the object (or `UNREAD`, or a `Fault`), and where it is to be found again."""

    id: Id | None
    document: Any
    spot: Any = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A document that could not be read."""

    error: FormatError | DataError


def sound(entries: Iterable[Entry]) -> Iterator[Any]:
    """The documents themselves; what is wrong with one is raised."""
    for entry in entries:
        if isinstance(entry.document, Fault):
            raise entry.document.error
        yield entry.document


class Unread:
    """A document that is decoded where it is needed: later, or by another process."""

    def __repr__(self) -> str:
        return "UNREAD"

    def __reduce__(self) -> str:
        return "UNREAD"  # the same object in every process


UNREAD = Unread()


class Source(Protocol):
    """A file of documents; can be iterated once for each system that is scored against it, except standard input."""

    name: str

    def __iter__(self) -> Iterator[Entry]: ...

    def parked(self, entry: Entry) -> Entry:
        """The entry in the form in which it waits: small where it can be read again."""
        ...

    def document(self, entry: Entry) -> Any:
        """The document of an entry, read if it is not; raises what is wrong with it."""
        ...

    def place(self, entry: Entry) -> str:
        """`file:line` for messages."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...

    def progress(self) -> float | None:
        """How much of the file is read, from 0 to 1, if that is known."""
        ...
