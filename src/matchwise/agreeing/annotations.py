"""The documents of several annotators side by side; an annotator may leave documents out.

>>> found = gather({"ann": {"d1": 1, "d2": 2}, "bob": {"d2": 3, "d3": 4}})
>>> found.ids, found.shared(), found.of("d2")
(('d1', 'd2', 'd3'), ['d2'], {'ann': 2, 'bob': 3})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from matchwise.corpus.table import Id
from matchwise.errors import DataError

Annotators: TypeAlias = Mapping[str, Mapping[Any, Any] | Iterable[Any]]
"""Name -> the documents of an annotator: by id, or in order with None for one that was left out."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """Document -> annotator -> what was annotated, in the order of the annotators."""

    names: tuple[str, ...]
    table: dict[Id, dict[str, Any]]

    @property
    def ids(self) -> tuple[Id, ...]:
        return tuple(self.table)

    def of(self, id: Id) -> dict[str, Any]:
        """Who annotated a document, and how."""
        return self.table[id]

    def shared(self) -> list[Id]:
        """The documents that at least two annotators have."""
        return [id for id, found in self.table.items() if len(found) > 1]


def gather(annotators: Annotators) -> Annotations:
    """The documents joined by id, or by position."""
    if not isinstance(annotators, Mapping):
        raise DataError(
            f"found {type(annotators).__name__}, expected the documents of each annotator by name; "
            'write {"ann": docs, "bob": docs}'
        )
    if len(annotators) < 2:
        raise DataError(f"found {len(annotators)} annotator, expected at least two")
    sides = {str(name): _documents(str(name), side) for name, side in annotators.items()}
    named = {name: isinstance(side, Mapping) for name, side in annotators.items()}
    if len(set(named.values())) > 1:
        raise DataError(
            "some annotators have documents by id and others have a list; give all of them by id, as {id: document}"
        )
    if not any(named.values()):
        sizes = {name: len(side) for name, side in sides.items()}
        if len(set(sizes.values())) > 1:
            found = ", ".join(f"{size} of {name}" for name, size in sizes.items())
            raise DataError(
                f"the annotators have different numbers of documents and no ids: {found}; "
                "write None for a document that one of them skipped, or give ids"
            )
    table: dict[Id, dict[str, Any]] = {}
    for name, side in sides.items():
        for id, document in side.items():
            row = table.setdefault(id, {})
            if document is not None:
                row[name] = document
    made = Annotations(tuple(sides), table)
    if not made.shared():
        raise DataError("no document was annotated by two annotators; are the ids the same in all of them?")
    return made


def _documents(name: str, side: object) -> dict[Id, Any]:
    if isinstance(side, Mapping):
        return {id if isinstance(id, str | int) else str(id): document for id, document in side.items()}
    if isinstance(side, str | bytes) or not isinstance(side, Iterable):
        raise DataError(
            f"the documents of {name} are {type(side).__name__}, expected a list, or a mapping id -> document"
        )
    return dict(enumerate(side))
