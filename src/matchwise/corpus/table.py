"""The score table: what each document adds to each metric, and how values are read from the sums; no metric code.

Intervals, tests, slices and merged shards are readers of this table. It comes from a report or from a file, and stands
by itself: the expressions that filled it are only named, by their signature.

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> table(Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]}).report())
<Table of 1 document under score: f1>
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matchwise.corpus.reading import Reading, readings
from matchwise.corpus.reduce import not_kept
from matchwise.corpus.report import Report
from matchwise.corpus.slices import Part
from matchwise.corpus.suite import Derived
from matchwise.corpus.tally import WIDTH, Id, Tally
from matchwise.engine.selection import join
from matchwise.errors import DataError, MatchwiseError, MergeError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from matchwise.corpus.statistic import Array

Clusters: TypeAlias = Mapping[Any, Hashable] | Sequence[Hashable]
"""The cluster of each document: by id, or in the order of the documents."""


class Rows(NamedTuple):
    """The quantities of those documents in which a part occurs."""

    documents: NDArray[np.int64]
    counts: Array


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The quantities of every document: one row each, and four columns to a metric, as `Quantities` names them.

    `readings` says how each metric is read from sums, in the order of the suite; `parts` holds the slices by label and
    field where they were counted; `errors` names the documents that could not be read or scored. Some of them have a
    row, because they were counted as empty; those that have none are `lost`. The id is None where it was not legible.
    """

    signature: str
    readings: Mapping[str, Reading | Derived]
    ids: tuple[Id | None, ...]
    counts: Array
    by: str = ""
    parts: Mapping[Part, Rows] = field(default_factory=dict)
    errors: tuple[tuple[Id | None, str], ...] = ()
    prepared: bool = False
    """Whether a step before scoring saw both sides, so that what the reference counts depends on the system."""

    @property
    def metrics(self) -> list[str]:
        """The metrics that have columns, in the order of the columns."""
        return [name for name, entry in self.readings.items() if isinstance(entry, Reading)]

    @property
    def lost(self) -> dict[Id, str]:
        """The documents that could not be scored and have no row, each with the reason."""
        known = set(self.names)
        return {id: reason for id, reason in self.errors if id is not None and id not in known}

    @property
    def names(self) -> list[Id]:
        """The id of each document, or its position where it has none."""
        return [place if id is None else id for place, id in enumerate(self.ids)]

    def __len__(self) -> int:
        return len(self.ids)

    def __bool__(self) -> bool:
        """A table is something even without a document."""
        return True

    def __repr__(self) -> str:
        read = (
            f"{name}: {entry.kind if isinstance(entry, Reading) else repr(entry)}"
            for name, entry in self.readings.items()
        )
        return f"<Table of {len(self)} document{'' if len(self) == 1 else 's'} under {', '.join(read)}>"

    def __add__(self, other: Table) -> Table:
        """The documents of both, which must be others."""
        import numpy as np

        if not isinstance(other, Table):
            return NotImplemented
        if self.signature != other.signature:
            raise MergeError(f"cannot add tables of different metrics:\n  {self.signature}\n  {other.signature}")
        if self.by != other.by:
            raise MergeError(f"cannot add tables broken down by different labels: {self.by!r} and {other.by!r}")
        twice = sorted(map(str, _named(self) & _named(other)))
        if twice:
            raise MergeError(
                f"document {twice[0]} is in both tables (with it {len(twice)} in all); merge tables of different shards"
            )
        parts = {
            part: _joined(self.parts.get(part), other.parts.get(part), len(self))
            for part in dict.fromkeys([*self.parts, *other.parts])
        }
        return replace(
            self,
            ids=self.ids + other.ids,
            counts=np.concatenate([self.counts, other.counts]),
            parts=parts,
            errors=self.errors + other.errors,
        )

    def take(self, rows: Sequence[int]) -> Table:
        """Those documents, in that order."""
        import numpy as np

        places = np.full(len(self), -1)
        places[list(rows)] = range(len(rows))
        parts = {}
        for part, (documents, counts) in self.parts.items():
            to = places[documents]
            order = np.argsort(to, kind="stable")
            order = order[to[order] >= 0]
            parts[part] = Rows(to[order], counts[order])
        return replace(self, ids=tuple(self.ids[row] for row in rows), counts=self.counts[list(rows)], parts=parts)

    def clustered(self, cluster: Clusters) -> Table:
        """The quantities summed by cluster: documents of one source are no independent evidence."""
        import numpy as np

        names, of = _codes(self, cluster)
        parts = {}
        for part, (documents, counts) in self.parts.items():
            units, places = np.unique(of[documents], return_inverse=True)
            parts[part] = Rows(units, _summed(counts, places, len(units)))
        return replace(self, ids=names, counts=_summed(self.counts, of, len(names)), parts=parts)

    def save(self, path: str | Path) -> None:
        """Write the table, whole or not at all: Parquet if the name ends in .parquet, else JSON lines (.gz or not)."""
        from matchwise.corpus.stored import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Table:
        """The table that was saved."""
        from matchwise.corpus.stored import load

        return load(path)


def table(scored: Report | Tally | Table) -> Table:
    """The score table of a report or a tally."""
    import numpy as np

    if isinstance(scored, Table):
        return scored
    if not isinstance(scored, Report | Tally):
        raise MatchwiseError(
            f"expected a report, a tally or a table, but found {type(scored).__name__}; "
            "write evaluate(suite, preds, refs)"
        )
    tally = scored.tally if isinstance(scored, Report) else scored
    if not isinstance(tally, Tally) or tally.keep == "sums":
        raise not_kept()
    return Table(
        tally.suite.signature,
        readings(tally.suite),
        tuple(tally.ids),
        np.array(tally.rows).reshape(len(tally), len(tally.suite.metrics) * WIDTH),
        join("", tally.by) if tally.by else "",
        _parts(tally),
        tuple(tally.errors),
        tally.suite.prepare is not None,
    )


def in_order(parts: Iterable[Part]) -> list[Part]:
    """Labels as text, as a report has them, then fields as they came; each once."""
    found = list(dict.fromkeys(parts))
    labels = [part for part in found if part.kind == "label"]
    labels.sort(key=lambda part: (str(part.name), repr(part.name)))
    return labels + [part for part in found if part.kind == "field"]


def merged(tables: Iterable[Table]) -> Table:
    """The documents of all tables, in order."""
    found = list(tables)
    if not found:
        raise MergeError("found no tables to merge")
    total = found[0]
    for one in found[1:]:
        total += one
    return total


def _parts(tally: Tally) -> dict[Part, Rows]:
    import numpy as np

    return {
        part: Rows(np.array(rows.documents), np.array(rows.counts).reshape(-1, WIDTH))
        for part, rows in tally.parts.items()
    }


def _joined(mine: Rows | None, theirs: Rows | None, offset: int) -> Rows:
    import numpy as np

    if theirs is None:
        assert mine is not None
        return mine
    shifted = Rows(theirs.documents + offset, theirs.counts)
    if mine is None:
        return shifted
    return Rows(*(np.concatenate(pair) for pair in zip(mine, shifted, strict=True)))


def _named(table: Table) -> set[Id]:
    return {id for id in table.ids if id is not None}


def _codes(table: Table, cluster: Clusters) -> tuple[tuple[Id, ...], NDArray[np.int64]]:
    """The names of the clusters in the order in which they first occur, and the cluster of each document."""
    import numpy as np

    found: Iterable[Hashable]
    if isinstance(cluster, Mapping):
        missing = [name for name in table.names if name not in cluster]
        if missing:
            raise DataError("has no cluster; give one for each document", document=missing[0])
        found = [cluster[name] for name in table.names]
    elif isinstance(cluster, str | bytes) or len(cluster) != len(table):
        size = repr(cluster) if isinstance(cluster, str | bytes) else f"{len(cluster)} of them"
        raise DataError(f"found {size} as clusters, expected one for each of {len(table)} documents, or id -> cluster")
    else:
        found = cluster
    codes: dict[Hashable, int] = {}
    of = [codes.setdefault(name, len(codes)) for name in found]
    return tuple(name if isinstance(name, str | int) else str(name) for name in codes), np.array(of, dtype=np.int64)


def _summed(counts: Array, places: NDArray[np.int64], units: int) -> Array:
    import numpy as np

    sums = np.zeros((units, counts.shape[1]))
    np.add.at(sums, places, counts)
    return sums
