"""The documents of a file, one at a time, each with its id and the place it was read from.

What must be known of a corpus to find repeated ids and to join files by id grows with it. Ids, and entries that wait,
are in memory while they are few, and in a temporary file when they are many: a database of SQLite without a name, which
the system removes even if the process is killed.

>>> seen = Seen()
>>> seen.add_all(["a", "b"]), seen.add_all(["c", "a"]), "c" in seen
(True, False, False)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.errors import FormatError, MatchwiseError

if TYPE_CHECKING:
    import sqlite3

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


MOST = 1 << 17
"""Ids that stay in memory, about 100 bytes each."""

CACHE = 8 << 10
"""Memory of a database, in kB."""


class Seen:
    """The ids that were met."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.few: set[Id] = set()
        self.many: DiskTable | None = None
        self.times = 0

    def __contains__(self, id: Id) -> bool:
        return id in self.few if self.many is None else id in self.many

    def add(self, id: Id) -> None:
        if self.many is None and len(self.few) < self.most:
            self.few.add(id)
        else:
            self.add_all([id])

    def add_all(self, ids: list[Id]) -> bool:
        """Add ids if none was met before or occurs twice here; returns whether they were added."""
        fresh = set(ids)
        if len(fresh) < len(ids):
            return False
        if self.many is None:
            if not self.few.isdisjoint(fresh):
                return False
            self.few |= fresh
            if len(self.few) > self.most:
                self.many, self.few = DiskTable((id, 0) for id in self.few), set()
            return True
        self.times += 1
        if self.many.put((id, self.times) for id in ids) == len(ids):
            return True
        self.many.remove(self.times)
        return False


class Waiting:
    """Entries that wait for the other file, by id."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.few: dict[Id, Entry] = {}
        self.many: DiskTable | None = None
        self.spilt = 0
        """Entries in the file that were not taken."""

    def __contains__(self, id: Id) -> bool:
        return id in self.few or (self.many is not None and id in self.many)

    def __bool__(self) -> bool:
        return bool(self.few) or self.many is not None

    def put(self, entry: Entry) -> None:
        """Keep an entry with a new id."""
        assert entry.id is not None
        self.few[entry.id] = entry
        if len(self.few) > self.most:
            import pickle

            if self.many is None:
                self.many = DiskTable()
            self.many.put((id, pickle.dumps(tuple(one))) for id, one in self.few.items())
            self.spilt += len(self.few)
            self.few.clear()

    def take(self, id: Id) -> Entry | None:
        """The entry of an id, if there is one; each is asked for once."""
        found = self.few.pop(id, None)
        if found is not None or self.many is None:
            return found
        data = self.many.get(id)
        if data is None:
            return None
        self.spilt -= 1
        return _entry(data)

    def left(self, done: Seen) -> Iterator[Entry]:
        """The entries that still wait, in any order."""
        yield from self.few.values()
        if self.many is not None and self.spilt:
            yield from (entry for entry in map(_entry, self.many) if entry.id is not None and entry.id not in done)


def _entry(data: bytes) -> Entry:
    import pickle

    return Entry(*pickle.loads(data))


class DiskTable:
    """Values by id, in a temporary file."""

    def __init__(self, rows: Iterable[tuple[Id, Any]] = ()) -> None:
        import sqlite3

        self.made = sqlite3.connect("", isolation_level=None)  # no name: a temporary file
        for setting in ("journal_mode=OFF", "synchronous=OFF", "temp_store=FILE", f"cache_size=-{CACHE}"):
            self._do(f"PRAGMA {setting}")
        self._do("CREATE TABLE kept (id PRIMARY KEY, value) WITHOUT ROWID")
        self._do("BEGIN")
        self.put(rows)

    def put(self, rows: Iterable[tuple[Id, Any]]) -> int:
        """Keep the values whose id is new; returns how many."""
        import sqlite3

        try:
            return self.made.executemany(
                "INSERT OR IGNORE INTO kept VALUES (?, ?)", ((_key(id), value) for id, value in rows)
            ).rowcount
        except sqlite3.Error as error:
            raise _as_error(error) from None

    def __contains__(self, id: Id) -> bool:
        return self._do("SELECT 1 FROM kept WHERE id = ?", _key(id)).fetchone() is not None

    def get(self, id: Id) -> Any:
        found = self._do("SELECT value FROM kept WHERE id = ?", _key(id)).fetchone()
        return None if found is None else found[0]

    def remove(self, value: object) -> None:
        """Remove all rows of a value."""
        self._do("DELETE FROM kept WHERE value = ?", value)

    def __iter__(self) -> Iterator[Any]:
        return (value for (value,) in self._do("SELECT value FROM kept"))

    def _do(self, command: str, *values: Any) -> sqlite3.Cursor:
        import sqlite3

        try:
            return self.made.execute(command, values)
        except sqlite3.Error as error:
            raise _as_error(error) from None

    def __del__(self) -> None:
        self.made.close()


def _key(id: Id) -> bytes:
    """A database key for an id: text differs from a number that looks the same, and any length or surrogate works."""
    return b"s" + id.encode("utf-8", "surrogatepass") if isinstance(id, str) else b"i%d" % id


def _as_error(error: Exception) -> MatchwiseError:
    return MatchwiseError(f"a temporary file cannot be written: {error}; set TMPDIR to a folder with room")
