"""Ids, and entries by id: in memory while they are few, in a temporary file when they are many.

What must be known of a corpus to find repeated ids and to join files by id grows with it; here it grows on disk.
The file is a database of SQLite without a name, which the system removes even if the process is killed.

>>> seen = Seen()
>>> seen.add_all(["a", "b"]), seen.add_all(["c", "a"]), "c" in seen
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from matchwise.corpus.table import Id
from matchwise.errors import MatchwiseError
from matchwise.formats.io.entries import Entry

if TYPE_CHECKING:
    import sqlite3

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
            raise _failed(error) from None

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
            raise _failed(error) from None

    def __del__(self) -> None:
        self.made.close()


def _key(id: Id) -> bytes:
    """A database key for an id: text differs from a number that looks the same, and any length or surrogate works."""
    return b"s" + id.encode("utf-8", "surrogatepass") if isinstance(id, str) else b"i%d" % id


def _failed(error: Exception) -> MatchwiseError:
    return MatchwiseError(f"a temporary file cannot be written: {error}; set TMPDIR to a folder with room")
