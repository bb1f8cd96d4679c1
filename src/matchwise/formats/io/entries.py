"""The documents of a file, one at a time, each with its id and the place it was read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.errors import FormatError, MatchwiseError

if TYPE_CHECKING:
    from matchwise.corpus.table import Id
    from matchwise.formats.io.decoding import Decoding


class Entry(NamedTuple):
    """A document: its id if it has one, the object (`UNREAD`, or the error of a broken one), and where it stands."""

    id: Id | None
    document: Any
    spot: Any = None


def sound(entries: Iterable[Entry]) -> Iterator[Any]:
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


TOO_DEEP = "found values that are nested too deeply to read"
TOO_LARGE = "found a document that is too large for the memory of this process"


class placing:
    """Give the errors of a reader their place; a ValueError of ours says what was found and expected.

    >>> with placing("a.jsonl", 3):
    ...     raise ValueError("found 1 word, expected 2")
    Traceback (most recent call last):
    matchwise.errors.FormatError: a.jsonl:3: found 1 word, expected 2
    """

    __slots__ = ("line", "name", "part")  # and no generator: every document is read inside of one

    def __init__(self, name: str, line: int | None = None, part: str = "") -> None:
        self.name, self.line, self.part = name, line, part

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None or isinstance(error, UnicodeDecodeError):
            return  # which byte it was is found by whoever opened the file
        part = f"{self.part}: " if self.part else ""
        if isinstance(error, ValueError | RecursionError | MemoryError):
            raise FormatError(f"{part}{_problem(error)}", self.name, self.line) from None
        if isinstance(error, LookupError | TypeError | AttributeError | OverflowError):
            problem = f"the value does not have the shape that the step expects ({error})"
            raise FormatError(f"{part}{problem}", self.name, self.line) from error  # which may be our mistake


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
