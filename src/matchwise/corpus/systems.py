"""The score tables of several systems, cut to the same documents in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from matchwise.corpus.counts import WIDTH, Part, Reading
from matchwise.corpus.statistic import REFERENCE
from matchwise.corpus.table import Id, Table
from matchwise.errors import DataError, MergeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matchwise.corpus.statistic import Array

CLOSE = 1e-9


def pair_systems(systems: Mapping[str, Table]) -> dict[str, Table]:
    """The same documents of every table, joined by id, or by position where documents have none.

    A document that some system has lost is left out of all; one that was counted as empty stays. Any other document
    that one has and another has not is an error, and so is a document whose reference is not the same.
    """
    (first, start), *others = systems.items()
    for name, one in others:
        if one.signature != start.signature:
            raise MergeError(
                f"{first} and {name} were scored by different metrics:\n  {start.signature}\n  {one.signature}"
            )
    places = {name: _places(name, one) for name, one in systems.items()}
    lost = {id for one in systems.values() for id in one.lost}
    kept = [id for id in places[first] if id not in lost]
    for name, _ in others:
        _check_same(first, places[first].keys() - lost, name, places[name].keys() - lost)
    made = {name: _cut(one, [places[name][id] for id in kept]) for name, one in systems.items()}
    for name, _ in others:
        _check_references(first, made[first], name, made[name], kept)
    return made


def share_stretches(systems: Mapping[str, Table]) -> dict[str, Table]:
    """Tables of the stretches of one text, which each system may cut elsewhere, summed up to stretches of them all.

    A stretch goes by the document of the reference that it begins with: where all systems begin one, the text is cut.
    """
    starts = {name: {*_places(name, one), *one.lost} for name, one in systems.items()}
    shared = set.intersection(*starts.values())
    if all(found == shared for found in starts.values()):
        return dict(systems)
    for name, one in systems.items():
        if one.lost:
            raise DataError(
                f"the systems cut the text in different places, and {name} has documents that could not be scored "
                f"({next(iter(one.lost))}), so that the others cannot be found; correct them first"
            )
    return {name: one.cluster(_stretches(list(_places(name, one)), shared)) for name, one in systems.items()}


def _stretches(ids: list[Id], shared: set[Id]) -> list[Id]:
    """For each document, the document that begins its stretch."""
    made: list[Id] = []
    for id in ids:
        made.append(id if id in shared or not made else made[-1])
    return made


def side_by_side(part: Part, one: Table, other: Table) -> tuple[Array, Array]:
    """The counts of a label or a field, in the documents in which either system has it."""
    found = [table.slice(part) if part in table.parts else None for table in (one, other)]
    documents = np.union1d(*(() if rows is None else rows[0] for rows in found)).astype(np.int64)
    mine, theirs = (_spread(rows, documents) for rows in found)
    return mine, theirs


def _spread(rows: tuple[NDArray[np.int64], Array] | None, documents: NDArray[np.int64]) -> Array:
    counts = np.zeros((len(documents), WIDTH))
    if rows is not None:
        counts[np.searchsorted(documents, rows[0])] = rows[1]
    return counts


def _places(name: str, table: Table) -> dict[Id, int]:
    found: dict[Id, int] = {}
    for place, id in enumerate(table.names):
        if id in found:
            raise DataError(f"occurs twice in {name}; give each document its own id", document=id)
        found[id] = place
    return found


def _check_same(first: str, mine: set[Id], name: str, theirs: set[Id]) -> None:
    for has, has_not, missing in ((first, name, mine - theirs), (name, first, theirs - mine)):
        if missing:
            shown = ", ".join(sorted(map(str, missing))[:5]) + (" …" if len(missing) > 5 else "")
            raise DataError(
                f"{len(missing)} of the documents of {has} are not in {has_not}: {shown}; "
                "compare systems on the same documents (a missing prediction counts as an empty one)"
            )


def _cut(table: Table, rows: list[int]) -> Table:
    return table if rows == list(range(len(table))) else table.take(rows)


def _check_references(first: str, mine: Table, name: str, theirs: Table, ids: list[Id]) -> None:
    """Check that all systems were scored against the same references."""
    one, other = mine.counts, theirs.counts
    for at, metric in enumerate(mine.metrics):
        reading = mine.readings[metric]
        if isinstance(reading, Reading) and reading.kind != "mean" and not mine.prepared:
            column = at * WIDTH + REFERENCE
            apart = np.abs(one[:, column] - other[:, column])
            wrong = np.flatnonzero(apart > CLOSE * np.maximum(1, one[:, column]))
            if len(wrong):
                row = int(wrong[0])
                found = " and ".join(f"{counts[row, column]:g}" for counts in (one, other))
                raise DataError(
                    f"{first} and {name} were scored against different references: {metric} counts {found} of it",
                    document=ids[row],
                )
