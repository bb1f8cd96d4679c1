"""Several files that are one: the shards of a folder or of a pattern such as `part-*.jsonl`, one after the other.

Several files of references are one, too: each document has the references that the files hold for it. The first
file says which documents there are; the others may leave some out. They are joined by id, or by position where
documents have none, as predictions are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

from matchwise.errors import FormatError, MatchwiseError
from matchwise.formats.io.entries import UNREAD, Entry, Source
from matchwise.formats.io.lines import TABLES, bare_name
from matchwise.formats.io.pairing import Pairing

ENDINGS = (".jsonl", ".ndjson", ".json", *TABLES)


def files_of(path: str) -> list[str]:
    """The file itself, or the files of a pattern or a folder, sorted by name."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if _is_shard(name))
        if not names:
            endings = ", ".join(ENDINGS)
            raise FormatError(f"found a directory without shards, expected files that end in {endings}", path)
        return [os.path.join(path, name) for name in names]
    if path == "-" or os.path.lexists(path) or not any(mark in path for mark in "*?["):
        return [path]
    from glob import glob

    found = sorted(one for one in glob(path, recursive=True) if not os.path.isdir(one))
    if not found:
        raise FormatError("no file matches the pattern", path)
    return found


def _is_shard(name: str) -> bool:
    """False for what Spark and others put beside shards: _SUCCESS, .part-0.crc."""
    return not name.startswith((".", "_")) and bare_name(name).endswith(ENDINGS)


class Shards(Source):
    """Yield the documents of several sources as if they were one."""

    def __init__(self, name: str, parts: list[Source], *, repeated: str | None = None) -> None:
        self.name = name
        self.parts = parts
        self.repeated = repeated
        first = parts[0]
        self.decoding, self.pair, self.remedy = first.decoding, first.pair, first.remedy
        self._read = 0
        """The part that is being read."""
        self._last = 0
        """The part of which a document was last read again."""

    def __iter__(self) -> Iterator[Entry]:
        for number, part in enumerate(self.parts):
            self._read = number
            for entry in part:
                yield entry._replace(spot=_Spot(number, entry.spot))
            part.close()  # a folder may have more files than a process may have open

    def document(self, entry: Entry) -> Any:
        if isinstance(entry.document, MatchwiseError) or not isinstance(entry.spot, _Spot):
            return super().document(entry)
        number = entry.spot.part
        if self._last not in (number, self._read):
            self.parts[self._last].close()
        self._last = number
        return self.parts[number].document(entry._replace(spot=entry.spot.spot))

    def parked(self, entry: Entry) -> Entry:
        kept: Entry = self.parts[entry.spot.part].parked(entry._replace(spot=entry.spot.spot))
        return kept._replace(spot=entry.spot)

    def place(self, entry: Entry) -> str:
        if not isinstance(entry.spot, _Spot):
            return self.parts[0].place(entry)
        return self.parts[entry.spot.part].place(entry._replace(spot=entry.spot.spot))

    def close(self) -> None:
        for part in self.parts:
            part.close()

    def progress(self) -> float | None:
        return (self._read + (self.parts[self._read].progress() or 0.0)) / len(self.parts)


class _Spot(NamedTuple):
    """Which part, and where in it."""

    part: int
    spot: Any


def join_files(sources: list[Source], *, references: bool = True) -> Source:
    """One source whose documents are lists of references, or of readings, which are joined by id or position."""
    for one in sources if references else ():
        if one.pair is not None:
            raise FormatError(
                "documents of this format are paired by their text, which several references do not allow; "
                "write one -r REF",
                one.name,
            )
    return reduce(Joined, sources)


class Joined(Source):
    """The documents of `first`, each with that of `other` if there is one."""

    def __init__(self, first: Source, other: Source) -> None:
        self.first = first
        self.other = other
        self.name = f"{first.name}, {other.name}"

    def __iter__(self) -> Iterator[Entry]:
        for other, first in Pairing(self.other, self.first):
            yield Entry(first.id, UNREAD, (first, other))

    def document(self, entry: Entry) -> Any:
        if entry.document is not UNREAD:
            return super().document(entry)
        first, other = entry.spot
        found = self.first.document(first)
        references = found if isinstance(self.first, Joined) else [found]
        return references if other is None else [*references, self.other.document(other)]

    def place(self, entry: Entry) -> str:
        return self.first.place(entry.spot[0])

    def close(self) -> None:
        self.first.close()
        self.other.close()

    def progress(self) -> float | None:
        return self.first.progress()
