"""Several reference files as one: each document with the references that the files have for it.

The first file says which documents there are; the others may leave some out. They are joined by id, or by position
where documents have none, as predictions are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

from matchwise.errors import FormatError
from matchwise.formats.io.entries import UNREAD, Entry, Fault, Source
from matchwise.formats.io.pairing import Pairing


def join_files(sources: list[Source]) -> Source:
    """One source whose documents are lists of references."""
    for one in sources:
        if getattr(one, "pair", None) is not None:
            raise FormatError(
                "documents of this format are paired by their text, which several references do not allow; "
                "write one -r REF",
                one.name,
            )
    return reduce(Joined, sources)


class Joined:
    """The documents of `first`, each with that of `other` if there is one."""

    def __init__(self, first: Source, other: Source) -> None:
        self.first = first
        self.other = other
        self.name = f"{first.name}, {other.name}"

    def __iter__(self) -> Iterator[Entry]:
        for other, first in Pairing(self.other, self.first):
            yield Entry(first.id, UNREAD, (first, other))

    def document(self, entry: Entry) -> Any:
        if isinstance(entry.document, Fault):
            raise entry.document.error
        first, other = entry.spot
        found = self.first.document(first)
        references = found if isinstance(self.first, Joined) else [found]
        return references if other is None else [*references, self.other.document(other)]

    def parked(self, entry: Entry) -> Entry:
        return entry

    def place(self, entry: Entry) -> str:
        return self.first.place(entry.spot[0])

    def close(self) -> None:
        self.first.close()
        self.other.close()

    def progress(self) -> float | None:
        return self.first.progress()
