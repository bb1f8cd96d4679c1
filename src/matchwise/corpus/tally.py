"""A tally: the quantities of every document of a corpus as compact columns, or their sums; shards add up to the whole.

>>> from matchwise.algebra.build import f1
>>> one, two = Tally(f1("xs")).add({"xs": [3]}, {"xs": []}), Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]})
>>> (one + two).report()["score"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from matchwise.algebra import walk
from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Latent, Selector, Similarity
from matchwise.corpus.folding import folded, read
from matchwise.corpus.preparation import prepare_all
from matchwise.corpus.reading import WIDTH as WIDTH
from matchwise.corpus.reading import Reading, readings
from matchwise.corpus.reduce import Combined, Measured, not_kept
from matchwise.corpus.slices import Part, Rows, add_row, extend, interleaved
from matchwise.corpus.suite import Derived, Suite, as_suite
from matchwise.engine.frame import Frame
from matchwise.engine.limits import Limits, check_bounded, searching
from matchwise.engine.plan import Program, Quantities, run
from matchwise.engine.selection import join
from matchwise.errors import RAISED, DataError, MatchwiseError, MergeError

if TYPE_CHECKING:
    from matchwise.corpus.breakdown import FieldTable, LabelTable
    from matchwise.corpus.report import Report
    from matchwise.corpus.sums import Sums
    from matchwise.corpus.totals import Totals
    from matchwise.engine.chosen import ByLabel, FieldColumns

Id: TypeAlias = str | int

Keep: TypeAlias = Literal["documents", "sums"]
"""What is kept of documents: the quantities and the id of each, or what they add up to."""

FOLDED = 1024
"""Documents that are folded into sums together."""


Result = TypeVar("Result")


class Read(NamedTuple):
    """What a batch of documents adds to a tally, and how many elements it has."""

    counts: list[Quantities]
    labels: dict[str, list[ByLabel]]
    fields: dict[str, dict[str, FieldColumns]]
    elements: int


class Tally:
    """Counts documents under a suite, one after the other; no document is kept.

    `by` also counts by a label of the elements of each metric's collection; `fields` also counts each field of a sum.
    `time_limit` (seconds a document) and `gap` stop the search for optima that are hard to prove, with bounds.
    `keep="sums"` keeps no counts of each document: memory does not grow, and scores are the same, to the last bit.
    Tallies of one suite add up by `+` and `+=`; `Tally(suite)` is their zero. Documents and sums add up to sums.
    """

    __slots__ = (
        "_program",
        "by",
        "errors",
        "fields",
        "ids",
        "keep",
        "labels",
        "limits",
        "open",
        "parts",
        "paths",
        "rows",
        "suite",
        "sums",
    )

    def __init__(
        self,
        suite: Suite | Similarity,
        *,
        by: Selectable = None,
        fields: bool = False,
        time_limit: float | None = None,
        gap: float = 0.0,
        keep: Keep = "documents",
    ) -> None:
        self.suite = as_suite(suite)
        if keep not in get_args(Keep):
            raise MatchwiseError(f'keep={keep!r}; write keep="documents" or keep="sums"')
        self.keep: Keep = keep
        self.sums: Sums | None = None
        """Of the documents that are not in the rows."""
        self.limits = Limits(time_limit, gap)
        self.open: dict[str, Rows] = {}
        """By metric, the documents whose optimum was not proved within the limits, and their quantities at best."""
        self.by: Selector = selector(by)
        self.rows = array("d")
        """The quantities, document by document and in each metric by metric."""
        self.ids: list[Id | None] = []
        self.errors: list[tuple[Id, str]] = []
        """The documents that could not be scored, which have no row, each with the reason."""
        self.fields: FieldTable | None = None
        if fields:
            from matchwise.corpus.breakdown import with_fields

            self.fields = {name: {} for name in with_fields(self.suite)}
        self.paths = self._paths()
        """By metric, the way to the label."""
        self.labels: LabelTable | None = {name: {} for name in self.paths} if self.by else None
        self.parts: dict[Part, Rows] = {}
        """The quantities behind labels and fields, document by document."""
        self._program: Program | None = None

    def _paths(self) -> dict[str, Selector]:
        if not self.by:
            return {}
        from matchwise.corpus.breakdown import with_labels

        return with_labels(self.suite, self.by)

    @property
    def signature(self) -> str:
        return self.suite.signature

    @property
    def readings(self) -> dict[str, Reading | Derived]:
        """How the value of every entry is read."""
        return readings(self.suite)

    def add(self, pred: Any, ref: Any, id: Id | None = None) -> Tally:
        """Count one document; an error in it leaves the tally as it was and names the document.

        Where the suite takes several references, `ref` is the list of them.
        """
        if self.suite.several is not None:
            from matchwise.corpus.references import add_several

            return add_several(self, pred, ref, id)
        try:
            self._add([pred], [ref], [id])
        except DataError as error:
            if error.document is None:
                error.document = len(self) if id is None else id
            raise
        return self

    def update(self, preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None = None) -> Tally:
        """Count a batch: two lists of documents in the same order. For one document write `add(pred, ref)`.

        An error in a document leaves the tally as it was.
        """
        from matchwise.corpus.batch import count_batch

        self += count_batch(self, preds, refs, ids)
        return self

    def _add_open(self, row: array[float], best: list[Quantities]) -> None:
        """Keep what a document is at best, for each metric whose optimum was not proved within the limits."""
        for place, (metric, quantities) in enumerate(zip(self.suite.metrics, best, strict=True)):
            upper = interleaved(quantities)
            if upper != row[place * WIDTH : (place + 1) * WIDTH]:
                add_row(self.open, metric, len(self.ids), upper)

    def add_all(self, documents: list[tuple[Any, Any, Id | None]]) -> int:
        """Count a batch of documents, as `add` would one by one; how many elements they have, and 1 more.

        0, and nothing is counted, where one of them has an error, which `add` raises and names, or where there is not
        enough memory for all of them at once.
        """
        if self.suite.several is not None:
            from matchwise.corpus.references import add_several_together

            return add_several_together(self, documents)
        preds, refs, ids = ([document[side] for document in documents] for side in (0, 1, 2))
        try:
            return self._add(preds, refs, ids) + 1 if documents else 1
        except MemoryError:
            return 0
        except RAISED:
            if not self._has_error(documents):
                raise  # an error of our own, or of a function's form for many documents
            return 0

    def _has_error(self, documents: list[tuple[Any, Any, Id | None]]) -> bool:
        """True if a document by itself has an error too; whoever counts it next raises and names it."""
        one = self.zero()
        for document in documents:
            try:
                one.add(*document)
            except RAISED:
                return True
        return False

    def _add(self, preds: list[Any], refs: list[Any], ids: list[Id | None]) -> int:
        """Count documents, all or none of them; how many elements they have."""
        with searching(self.limits) if self.limits else nullcontext() as search:
            found = self._prepared(self._read, preds, refs)
            best = None
            if search is not None and search.open:
                for phi in self.suite.metrics.values():
                    check_bounded(phi)
                search.end = "upper"
                best = self._prepared(self.program().count, preds, refs)
        if found.labels or found.fields:
            from matchwise.corpus.portions import add_batch

            add_batch(self, found.labels, found.fields)
        rows = interleaved(list(chain.from_iterable(found.counts)))
        if best is not None:
            self._add_open(rows, best)
        self.rows.extend(rows)
        self.ids += ids
        if len(self.ids) >= FOLDED:
            self.fold()
        return found.elements

    def _read(self, preds: Frame, refs: Frame) -> Read:
        """What a batch adds to the tally."""
        program = self.program()
        counts = program.count(preds, refs)
        labels: dict[str, list[ByLabel]] = {}
        fields: dict[str, dict[str, FieldColumns]] = {}
        if self.paths or self.fields:
            from matchwise.corpus import portions

            labels = {name: portions.labels_of(self, name, preds, refs) for name in self.paths}
            fields = {name: portions.fields_of(self, name, preds, refs) for name in self.fields or ()}
        return Read(counts, labels, fields, preds.side.elements + refs.side.elements)

    def _prepared(self, read: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]) -> Result:
        """Read documents after the step before scoring; its method `leaves`, if any, says if all stay as they are.

        What that finds out of the documents is known to the metrics, too.
        """
        prepare = self.suite.prepare
        leaves = getattr(prepare, "leaves", None) if len(preds) > 1 else None
        if leaves is not None:
            found = run(lambda p, r: read(p, r) if leaves(p, r) else None, preds, refs)
            if found is not None:
                return found
        return run(read, *prepare_all(prepare, preds, refs))

    @property
    def together(self) -> bool:
        """True if documents can be counted in batches.

        Where a search has limits, every document has its own; under `latent` the variables behind a table by field or
        label are matched document by document.
        """
        if self.limits:
            return False
        if not self.paths and not self.fields:
            return True
        return not any(isinstance(part, Latent) for phi in self.suite.metrics.values() for part in walk.parts(phi))

    def program(self) -> Program:
        """The plans of the suite, made when the first document needs them."""
        if self._program is None:
            self._program = Program(self.suite.metrics)
        return self._program

    def zero(self) -> Tally:
        """A tally of the same kind without documents."""
        limits = self.limits
        made = Tally(
            self.suite,
            by=self.by,
            fields=self.fields is not None,
            time_limit=limits.time_limit,
            gap=limits.gap,
            keep=self.keep,
        )
        made._program = self._program
        return made

    def __add__(self, other: Tally) -> Tally:
        made = self.zero()
        made += self
        made += other
        return made

    def __iadd__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        self._check_same_kind(other)
        if other.keep == "sums":
            self.keep = "sums"
        if self.keep == "documents":
            extend(self.parts, other.parts, len(self.ids))
        extend(self.open, other.open, len(self.ids))
        self.rows += other.rows
        self.ids += other.ids
        if other.sums is not None:
            self.sums = other.sums if self.sums is None else self.sums + other.sums
        if len(self.ids) >= FOLDED:
            self.fold()
        self.errors += other.errors
        if other.fields or other.labels:
            from matchwise.corpus.portions import add_tables

            add_tables(self, other)
        return self

    def _check_same_kind(self, other: Tally) -> None:
        mine, theirs = self.suite.signature, other.suite.signature
        if mine != theirs:
            raise MergeError(f"cannot add counts of different metrics:\n  {mine}\n  {theirs}")
        if self.by != other.by:
            mine, theirs = (f"by {join('', tally.by)}" if tally.by else "no label" for tally in (self, other))
            raise MergeError(f"cannot add counts broken down by different labels: {mine} and {theirs}")
        if (self.fields is None) != (other.fields is None):
            raise MergeError("cannot add counts with a table of fields to counts without; count both with fields=True")

    def fold(self) -> None:
        """Where sums are kept: add the documents of the rows to them, and keep the rows no longer."""
        if self.keep == "documents" or not self.ids:
            return
        found = folded(self)
        self.sums = found if self.sums is None else self.sums + found
        self.rows, self.ids = array("d"), []
        self.parts.clear()
        self.open.clear()

    def metrics(self) -> dict[str, Measured | Combined]:
        """Every entry of the suite, with its values."""
        self.fold()
        return read(self)

    def __len__(self) -> int:
        return len(self.ids) + (0 if self.sums is None else self.sums.documents)

    def __bool__(self) -> bool:
        """A tally is something even before its first document."""
        return True

    def __eq__(self, other: object) -> bool:
        """The same metrics of the same documents in the same order, or the same sums."""
        if not isinstance(other, Tally):
            return NotImplemented
        self.fold()
        other.fold()
        return self._content() == other._content()

    def _content(self) -> tuple[Any, ...]:
        tables = self.fields, self.labels, self.parts, self.open
        return self.suite.signature, self.by, self.keep, self.sums, self.ids, self.rows, self.errors, *tables

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"<Tally of {len(self)} documents under {self.suite!r}>"

    def column(self, metric: str, quantity: int) -> array[float]:
        """One quantity of one metric, document by document."""
        names = list(self.suite.metrics)
        return self.rows[names.index(metric) * WIDTH + quantity :: len(names) * WIDTH]

    def names(self) -> list[Id]:
        """The id of each document, or its position where it has none."""
        if self.keep == "sums":
            raise not_kept()
        return [position if id is None else id for position, id in enumerate(self.ids)]

    def report(self) -> Report:
        """The scores of the documents so far."""
        from matchwise.corpus.report import Report

        return Report(self + self.zero())

    def totals(self) -> Totals:
        """What is left when nothing of each document is kept: `tally.totals().save("shard.tally.json")`."""
        from matchwise.corpus.totals import totals

        return totals(self)

    def to_bytes(self) -> bytes:
        """The tally as a file keeps it; `Tally.from_bytes(data, suite)` reads it back."""
        from matchwise.corpus.saved import write

        return write(self)

    @classmethod
    def from_bytes(cls, data: bytes, suite: Suite | Similarity) -> Tally:
        """The tally that was written, of the same suite."""
        from matchwise.corpus.saved import read

        return read(data, as_suite(suite))

    def __getstate__(self) -> tuple[Any, ...]:
        tables = self.fields, self.labels, self.parts, self.open
        return self.suite, self.by, self.keep, self.sums, self.rows, self.ids, self.errors, self.limits, *tables

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.suite, self.by, self.keep, self.sums, self.rows, self.ids, self.errors, self.limits, *tables = state
        self.fields, self.labels, self.parts, self.open = tables
        self.paths = self._paths()
        self._program = None
