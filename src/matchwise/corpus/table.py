"""The score table: what each document adds to each metric, or what they all add up to; no metric code.

A tally fills it, and reports, intervals, tests, slices and merged shards read it. It comes from a tally, a report or a
file, and stands by itself: the expressions that filled it are only named, by their signature.

>>> from matchwise.algebra.build import f1
>>> from matchwise.corpus.tally import Tally
>>> one, two = Tally(f1("xs")).add({"xs": [3]}, {"xs": []}), Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]})
>>> one.table() + two.table()
<Table of 2 documents under score: f1>
>>> (one.table().fold() + two.table().fold()).report()["score"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Selector
from matchwise.arrays import Floats, Integers
from matchwise.corpus.counts import WIDTH, Portion, PortionRows, Reading, add_counts
from matchwise.corpus.suite import Derived
from matchwise.corpus.values import Sums, add_up, not_kept
from matchwise.engine.selection import join
from matchwise.errors import DataError, MergeError, count_units

if TYPE_CHECKING:
    from pathlib import Path

    from matchwise.corpus.breakdown import FieldTable, LabelTable
    from matchwise.corpus.report import Report

Id: TypeAlias = str | int

Keep: TypeAlias = Literal["documents", "sums"]
"""What is kept of documents: the counts and the id of each, or what they add up to."""

FOLDED = 4096
"""Documents that are folded into sums together."""

Clusters: TypeAlias = Mapping[Any, Hashable] | Sequence[Hashable]
"""The cluster of each document: by id (as a Series of pandas has it in its index), or in the order of the documents."""


@dataclass(eq=False, repr=False, slots=True)
class Table:
    """The counts of every document: one row each, and the four numbers of `Counts` for every metric.

    `readings` says how the value of each entry of the suite is read, in the order of the suite. With `keep="sums"` no
    document is kept, only `sums`, which need the same memory however many documents there are. Tables of one suite add
    up by `+`, to the last bit; documents and sums add up to sums.

    >>> import matchwise as mw
    >>> table = mw.evaluate(mw.f1("xs"), [{"xs": ["a"]}], [{"xs": ["a", "b"]}], ids=["d1"]).table()
    >>> table.ids
    ['d1']
    """

    signature: str
    readings: Mapping[str, Reading | Derived]
    ids: list[Id | None] = field(default_factory=list)
    rows: array[float] = field(default_factory=lambda: array("d"))
    """The counts, document by document and in each metric by metric."""
    by: Selector = ()
    parts: dict[Portion, PortionRows] = field(default_factory=lambda: defaultdict(PortionRows))
    """The counts behind labels and fields, document by document."""
    errors: list[tuple[Id | None, str]] = field(default_factory=list)
    """The documents that could not be read or scored, with the reason; the id is None where it was not legible.

    Some of them have a row, because they were counted as empty; those that have none are `lost`.
    """
    prepared: bool = False
    """Whether a step before scoring saw both sides, so that what the reference counts depends on the system."""
    searched: frozenset[str] = frozenset()
    """The metrics whose optimum is searched for."""
    keep: Keep = "documents"
    sums: Sums | None = None
    """What the documents that have no row add up to."""
    labels: LabelTable | None = None
    fields: FieldTable | None = None
    open: dict[str, PortionRows] = field(default_factory=lambda: defaultdict(PortionRows))
    """By metric, the documents whose optimum was not proved within the limits, and their counts at best."""
    missing: list[Id] = field(default_factory=list)
    """The documents that had no prediction and were counted as empty."""
    unreadable: list[Id] = field(default_factory=list)
    """The documents whose prediction could not be read and was counted as empty."""
    seen: int | None = None
    """How many documents there were, scored or not, where the errors do not tell."""
    left_out: int = field(default=0, init=False, compare=False)
    """How many predictions could not be read and were left out, where the table was not loaded from a file."""

    def __post_init__(self) -> None:
        self.ids, self.errors = list(self.ids), list(self.errors)
        self.missing, self.unreadable = list(self.missing), list(self.unreadable)
        rows: Any = self.rows
        if not isinstance(rows, array):  # a matrix
            self.rows = as_floats(rows)

    @property
    def metrics(self) -> list[str]:
        """The metrics that have columns, in the order of the columns."""
        return [name for name, entry in self.readings.items() if isinstance(entry, Reading)]

    @property
    def documents(self) -> int:
        """How many documents there were, whether they could be scored or not."""
        if self.seen is not None:
            return self.seen
        return len(self) + (len(self.errors) if self.keep == "sums" else len(self.lost))

    @property
    def lost(self) -> dict[Id, str]:
        """The documents that could not be scored and have no row, each with the reason."""
        known = set(self.names)
        return {id: reason for id, reason in self.errors if id is not None and id not in known}

    @property
    def unscored(self) -> list[tuple[Id | None, str]]:
        """The documents that could not be scored; an unreadable prediction that counts as empty is a result."""
        empty = set(self.unreadable)
        return [(id, problem) for id, problem in self.errors if id not in empty]

    @property
    def names(self) -> list[Id]:
        """The id of each document, or its position where it has none."""
        if self.keep == "sums":
            raise not_kept()
        return [place if id is None else id for place, id in enumerate(self.ids)]

    @property
    def counts(self) -> Floats:
        """A row for each document, and four columns for each metric."""
        if self.keep == "sums":
            raise not_kept()
        return self.matrix()

    def matrix(self, *, at_best: bool = False) -> Floats:
        """The counts of the documents that have rows; at best, where an optimum was not proved within the limits."""
        made = np.array(self.rows).reshape(len(self.ids), len(self.metrics) * WIDTH)
        for metric, rows in self.open.items() if at_best else ():
            first = self.metrics.index(metric) * WIDTH
            documents, counts = rows.arrays()
            made[documents, first : first + WIDTH] = counts
        return made

    def slice(self, part: Portion) -> tuple[Integers, Floats]:
        """The documents in which a label or a field occurs, by position, and its counts in each."""
        return self.parts[part].arrays()

    def report(self) -> Report:
        """The scores; where no documents were kept, what needs them is an error."""
        from matchwise.corpus.report import Report

        return Report(self)

    def __len__(self) -> int:
        return len(self.ids) + (0 if self.sums is None else self.sums.documents)

    def __bool__(self) -> bool:
        """True: a table counts as something even without documents."""
        return True

    def __eq__(self, other: object) -> bool:
        """The same metrics of the same documents in the same order, or the same sums."""
        if not isinstance(other, Table):
            return NotImplemented
        self.settle()
        other.settle()
        return all(getattr(self, one.name) == getattr(other, one.name) for one in fields(self) if one.compare)

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        read = (
            f"{name}: {entry.kind if isinstance(entry, Reading) else repr(entry)}"
            for name, entry in self.readings.items()
        )
        return f"<Table of {count_units(len(self), 'documents')} under {', '.join(read)}>"

    def zero(self) -> Table:
        """A table of the same kind without documents."""
        return Table(
            self.signature,
            self.readings,
            by=self.by,
            prepared=self.prepared,
            searched=self.searched,
            keep=self.keep,
            labels=None if self.labels is None else {name: {} for name in self.labels},
            fields=None if self.fields is None else {name: {} for name in self.fields},
        )

    def __add__(self, other: Table) -> Table:
        """The documents of both tables, which must not share any."""
        return merge([self, other]) if isinstance(other, Table) else NotImplemented

    def extend(self, other: Table) -> None:
        """Append other documents."""
        if self.signature != other.signature:
            raise MergeError(f"cannot add scores of different metrics:\n  {self.signature}\n  {other.signature}")
        if self.by != other.by:
            both = " and ".join(f"by {join('', one.by)}" if one.by else "no label" for one in (self, other))
            raise MergeError(
                f"cannot add scores broken down by different labels: {both}; "
                "count every shard with the same by=... (--by)"
            )
        if (self.fields is None) != (other.fields is None):
            raise MergeError(
                "cannot add scores with a table of fields to scores without; "
                "count every shard with fields=True (--fields), or none"
            )
        if self.seen is not None or other.seen is not None:
            self.seen = self.documents + other.documents
        if other.keep == "sums":
            self.keep = "sums"
        slices: list[tuple[Any, Any]] = [(self.open, other.open)]
        slices += [(self.parts, other.parts)] if self.keep == "documents" else []
        for mine, theirs in slices:
            for key, rows in theirs.items():
                documents, counts = rows.arrays()
                mine[key].add(documents + len(self.ids), counts)
        self.rows += other.rows
        self.ids += other.ids
        if other.sums is not None:
            self.sums = other.sums if self.sums is None else self.sums + other.sums
        if len(self.ids) >= FOLDED:
            self.settle()
        self.errors += other.errors
        self.missing += other.missing
        self.unreadable += other.unreadable
        for mine, theirs in ((self.fields, other.fields), (self.labels, other.labels)):
            if mine is not None:
                for name, counts in (theirs or {}).items():
                    add_counts(mine.setdefault(name, {}), counts)

    def settle(self) -> None:
        """Where only sums are kept: add the documents that have rows to them, and drop the rows."""
        if self.keep == "documents" or not self.ids:
            return
        found = add_up(replace(self, sums=None))
        self.sums = found if self.sums is None else self.sums + found
        self.rows, self.ids = array("d"), []
        self.parts.clear()
        self.open.clear()

    def fold(self) -> Table:
        """The sums alone: a table of the same scores and of constant size."""
        made = self.zero()
        made.keep, made.seen = "sums", self.documents
        made.extend(replace(self, seen=0))
        made.settle()
        return made

    def take(self, rows: Sequence[int]) -> Table:
        """The documents at these positions, in this order."""
        places = np.full(len(self), -1)
        places[list(rows)] = range(len(rows))

        def move(found: PortionRows) -> PortionRows:
            documents, counts = found.arrays()
            to = places[documents]
            order = np.argsort(to, kind="stable")
            order = order[to[order] >= 0]
            return PortionRows().add(to[order], counts[order])

        parts = {part: move(found) for part, found in self.parts.items()}
        open = {metric: move(found) for metric, found in self.open.items()}
        ids, taken = [self.ids[row] for row in rows], as_floats(self.counts[list(rows)])
        # The totals by label and by field belong to all documents.
        return replace(self, ids=ids, rows=taken, parts=parts, labels=None, fields=None, open=open)

    def cluster(self, cluster: Clusters) -> Table:
        """The counts summed by cluster: documents of one source are no independent evidence."""
        names, of = _codes(self, cluster)
        parts = {}
        for part in self.parts:
            documents, counts = self.slice(part)
            units, places = np.unique(of[documents], return_inverse=True)
            parts[part] = PortionRows().add(units, _sum_by(counts, places, len(units)))
        return replace(self, ids=names, rows=as_floats(_sum_by(self.counts, of, len(names))), parts=parts, open={})

    def save(self, path: str | Path) -> None:
        """Write the table, whole or not at all: Parquet if the name ends in .parquet, else JSON lines (.gz or not).

        A file that holds anything else than a table is not overwritten.
        """
        from matchwise.corpus.storage import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Table:
        """The table that was saved."""
        from matchwise.corpus.storage import load

        return load(path)


def merge(tables: Iterable[Table]) -> Table:
    """The documents of all tables, in order; a document that is in two of them is an error."""
    total: Table | None = None
    seen: set[Id] = set()
    for one in tables:
        if total is None:
            total = one.zero()
        total.extend(one)
        ids = {id for id in one.ids if id is not None}
        twice = sorted(map(str, seen & ids))
        if twice:
            raise MergeError(
                f"document {twice[0]} is in two tables (with it {len(twice)} in all); merge tables of different shards"
            )
        seen |= ids
    if total is None:
        raise MergeError("found no tables to merge")
    total.settle()
    return total


def as_floats(numbers: Floats) -> array[float]:
    """The numbers of a matrix, row by row."""
    return array("d", np.ascontiguousarray(numbers, dtype=np.float64).tobytes())


def sort_parts(parts: Iterable[Portion]) -> list[Portion]:
    """Labels as text, as a report has them, then fields as they came; each once."""
    found = list(dict.fromkeys(parts))
    labels = [part for part in found if part.kind == "label"]
    labels.sort(key=lambda part: (str(part.name), repr(part.name)))
    return labels + [part for part in found if part.kind == "field"]


def _codes(table: Table, cluster: Clusters) -> tuple[list[Id | None], Integers]:
    """The names of the clusters in the order in which they first occur, and the cluster of each document."""
    found: Iterable[Hashable]
    from matchwise.corpus.pairing import is_series

    series: Any = cluster
    if is_series(cluster) and list(series.index) != list(range(len(table))):
        cluster = series.to_dict()
    if isinstance(cluster, Mapping):
        missing = [name for name in table.names if name not in cluster]
        if missing:
            raise DataError("has no cluster; give one for each document", document=missing[0])
        found = [cluster[name] for name in table.names]
    elif isinstance(cluster, str | bytes) or len(cluster) != len(table):
        size = repr(cluster) if isinstance(cluster, str | bytes) else f"{len(cluster)} of them"
        expected = f"one for each of {count_units(len(table), 'documents')}"
        raise DataError(f"found {size} as clusters, expected {expected}, or id -> cluster")
    else:
        found = cluster
    codes: dict[Hashable, int] = {}
    of = [codes.setdefault(name, len(codes)) for name in found]
    return [name if isinstance(name, str | int) else str(name) for name in codes], np.array(of, dtype=np.int64)


def _sum_by(counts: Floats, places: Integers, units: int) -> Floats:
    sums = np.zeros((units, counts.shape[1]))
    np.add.at(sums, places, counts)
    return sums
