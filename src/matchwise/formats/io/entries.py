"""The documents of a file, one at a time, each with its id and the place it was read from."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.errors import FormatError, MatchwiseError
from matchwise.formats import find_format

if TYPE_CHECKING:
    from matchwise.corpus.table import Id
    from matchwise.formats.io.decoding import Decoding


class Entry(NamedTuple):
    """A document: its id if it has one, the object (`UNREAD`, or the error of a broken one), and where it stands."""

    id: Id | None
    document: Any
    spot: Any = None


def take_documents(entries: Iterable[Entry]) -> Iterator[Any]:
    """The documents themselves; raises the error of a broken one."""
    for entry in entries:
        if isinstance(entry.document, MatchwiseError):
            raise entry.document
        yield entry.document


class Unread:
    """A document that is decoded where it is needed: later, or by another process."""

    def __repr__(self) -> str:
        return "UNREAD"

    def __reduce__(self) -> str:
        return "UNREAD"  # the same object in every process


UNREAD = Unread()


class Source(ABC):
    """A file of documents; can be iterated once for each system that is scored against it, except standard input."""

    name: str
    pair: Callable[..., Iterator[tuple[Entry, Entry]]] | None = None
    """How the format pairs the entries of two files, if neither by id nor by position."""
    remedy: str | None = None
    """The advice of the format where documents have no ids and are not as many on both sides, if it has any."""
    repeated: str | None = None
    """The advice where an id is there twice, if there is a better one than to make the ids unique."""
    decoding: Decoding | None = None
    """How documents of JSON are decoded."""

    @abstractmethod
    def __iter__(self) -> Iterator[Entry]: ...

    @abstractmethod
    def place(self, entry: Entry) -> str:
        """`file:line` for messages."""

    def park(self, entry: Entry) -> Entry:
        """The entry as it waits for its partner: small if it can be read again."""
        return entry

    def document(self, entry: Entry) -> Any:
        """The document of an entry, read now if necessary; raises its error."""
        if isinstance(entry.document, MatchwiseError):
            raise entry.document
        return entry.document

    def close(self) -> None:
        """Close the file, if it is still open."""
        return

    def progress(self) -> float | None:
        """How much of the file is read, from 0 to 1, if that is known."""
        return None


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


TOO_DEEP = "found values that are nested too deeply to read"
TOO_LARGE = "found a document that is too large for the memory of this process"


@contextmanager
def place_errors(name: str, line: int | None = None, part: str = "") -> Iterator[None]:
    """Give the errors of a reader their place; a ValueError of ours says what was found and expected.

    >>> with place_errors("a.jsonl", 3):
    ...     raise ValueError("found 1 word, expected 2")
    Traceback (most recent call last):
    matchwise.errors.FormatError: a.jsonl:3: found 1 word, expected 2
    """
    before = f"{part}: " if part else ""
    try:
        yield
    except UnicodeDecodeError:
        raise  # which byte it was is found by whoever opened the file
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(before + _problem(error), name, line) from None
    except _MISTAKES as error:
        frame = extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
        problem = f"the reader failed on this: {type(error).__name__}: {error} ({where})"
        advice = "the value has another shape than it expects, or there is a mistake in the reader"
        raise FormatError(f"{before}{problem}; {advice}", name, line) from error


_MISTAKES = ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError
"""What a reader raises only where it did not expect a value, or by mistake."""


def _problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, MemoryError):
        return TOO_LARGE
    text = str(error)
    if text.startswith("Exceeds the limit"):  # of digits: Python guards against numbers that take minutes to read
        return "found a number of more than 4,300 digits, expected one that fits its place"
    return text


def decode_value(text: str, name: str, line: int | None = None, *, advice: str) -> Any:
    """One JSON value; what is wrong with it is a FormatError that ends in advice."""
    import msgspec

    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise FormatError(f"cannot read this as JSON: {error}; {advice}", name, line) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(_problem(error), name, line) from None
