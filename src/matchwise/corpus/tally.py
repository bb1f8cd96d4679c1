"""A tally: documents are counted under a suite, one after the other or in batches, into a score table.

>>> from matchwise.algebra.build import f1
>>> one, two = Tally(f1("xs")).add({"xs": [3]}, {"xs": []}), Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]})
>>> (one + two).report()["score"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np
from msgspec import Struct, field

from matchwise.algebra import walk
from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Latent, Number, Selector
from matchwise.algebra.steps import Stepped
from matchwise.corpus.counts import WIDTH, reading
from matchwise.corpus.suite import Derived, Scorable, Suite, as_suite
from matchwise.corpus.table import FOLDED, Id, Keep, Table, as_floats
from matchwise.engine.limits import UNLIMITED, Limits, Search, check_bounded, start_search
from matchwise.engine.many.frame import both_sides
from matchwise.engine.plan import CountColumns, Program, program
from matchwise.errors import DataError, FormatError, MatchwiseError, MergeError, check_choice, count_units

if TYPE_CHECKING:
    from matchwise.corpus.report import Report
    from matchwise.engine.many.chosen import ByLabel, FieldColumns

Document: TypeAlias = tuple[Any, Any, Id | None]
"""Prediction, reference, id."""


class Batch(Struct):
    """What a batch of documents adds to a tally, by metric, and how many elements it has."""

    counts: dict[str, CountColumns[Number]] = field(default_factory=dict)
    rows: Sequence[float] = ()
    """The counts, document by document and in each metric by metric."""
    labels: dict[str, list[ByLabel]] = field(default_factory=dict)
    fields: dict[str, dict[str, FieldColumns]] = field(default_factory=dict)
    elements: int = 0


class Tally:
    """Counts documents one after the other; none of them is kept.

    `by` also counts by a label of the elements of each metric's collection; `fields` also counts each field of a sum.
    `time_limit` (seconds a document) and `gap` stop the search for optima that are hard to prove, with bounds.
    What else takes long, such as a similarity of your own, is ended by `timeout` of `evaluate`.
    `keep="sums"` keeps no counts of each document: memory does not grow, and scores are the same, to the last bit.
    Tallies of one suite add up by `+` and `+=`; `Tally(suite)` is their zero. Documents and sums add up to sums.

    >>> import matchwise as mw
    >>> one = mw.Tally(mw.f1("xs")).add({"xs": ["a"]}, {"xs": ["a", "b"]})
    >>> two = mw.Tally(mw.f1("xs")).add({"xs": ["c"]}, {"xs": ["c"]})
    >>> (one + two).report()["score"].f1
    0.8
    """

    def __init__(
        self,
        suite: Scorable,
        *,
        by: Selectable = None,
        fields: bool = False,
        time_limit: float | None = None,
        gap: float = 0.0,
        keep: Keep = "documents",
    ) -> None:
        self.suite = as_suite(suite)
        check_choice("keep", keep, get_args(Keep))
        self.limits = UNLIMITED if time_limit is None and not gap else Limits(time_limit, gap)
        self.scores = Table(
            self.suite.signature,
            {name: entry if isinstance(entry, Derived) else reading(entry) for name, entry in self.suite.entries},
            by=selector(by),
            prepared=any(isinstance(phi, Stepped) for phi in self.suite.metrics.values()),
            searched=frozenset(name for name, phi in self.suite.metrics.items() if walk.is_searched(phi)),
            keep=keep,
        )
        """What was counted."""
        self.paths: dict[str, Selector] = {}
        """By metric, the way to the label."""
        if self.scores.by or fields:
            from matchwise.corpus.breakdown import with_fields, with_labels

            if self.scores.by:
                self.paths = with_labels(self.suite, self.scores.by)
                self.scores.labels = {name: {} for name in self.paths}
            if fields:
                self.scores.fields = {name: {} for name in with_fields(self.suite)}
        several = self.suite.several
        self.is_batchable = self.limits is UNLIMITED and (several is None or several.per == "document")
        """Whether documents can be counted in batches.

        Where a search has limits, every document has its own; under `latent` the variables behind a table by field or
        label are matched document by document; so are several references with such a table, or joined by element.
        """
        if self.scores.by or fields:
            parts = (part for phi in self.suite.metrics.values() for part in walk.parts(phi))
            self.is_batchable &= several is None and not any(isinstance(part, Latent) for part in parts)

    @cached_property
    def program(self) -> Program:
        """The plans of the suite, made when the first document needs them."""
        return program(tuple(self.suite.metrics.items()))

    @property
    def signature(self) -> str:
        return self.suite.signature

    @property
    def errors(self) -> list[tuple[Id | None, str]]:
        """The documents that could not be scored, which have no row, each with the reason."""
        return self.scores.errors

    def add(self, pred: Any, ref: Any, id: Id | None = None) -> Tally:
        """Count one document; an error in it leaves the tally as it was and names the document.

        Where the suite takes several references, `ref` is the list of them.
        """
        if self.suite.several is not None:
            from matchwise.corpus.references import add_several

            return add_several(self, pred, ref, id)
        count, alone = partial(self.program.count_one, pred, ref), not (self.paths or self.scores.fields)
        best: list[float] = []
        found = None
        limited = start_search(self.limits) if self.limits else nullcontext()
        try:
            with limited as search:
                found = None if alone else self.read([pred], [ref])
                rows = count() if found is None else found.rows
                if isinstance(search, Search) and search.open:
                    for phi in self.suite.metrics.values():
                        check_bounded(phi)
                    search.end = "upper"
                    best = count()
        except DataError as error:
            if error.document is None:
                error.document = len(self) if id is None else id
            raise
        for place, metric in enumerate(self.suite.metrics if best else ()):
            own = slice(place * WIDTH, (place + 1) * WIDTH)
            if best[own] != list(rows[own]):
                self.scores.open[metric].add([len(self.scores.ids)], [best[own]])
        self.add_rows(rows, [id], found)
        return self

    def update(self, preds: Sequence[Any], refs: Sequence[Any], ids: Sequence[Id] | None = None) -> Tally:
        """Count a batch: two lists of documents in the same order. For one document write `add(pred, ref)`.

        An error in a document leaves the tally as it was.
        """
        from matchwise.corpus.loop import Counting, count_all

        for side, given in (("predictions", preds), ("references", refs)):
            if not isinstance(given, list | tuple):
                raise MatchwiseError(
                    f"update() needs two lists of documents, but the {side} are {type(given).__name__}; "
                    "for one document write add(pred, ref)"
                )
        if len(preds) != len(refs) or (ids is not None and len(ids) != len(refs)):
            named = "" if ids is None else f" and {count_units(len(ids), 'ids')}"
            raise MatchwiseError(
                f"found {count_units(len(preds), 'predictions')}, {count_units(len(refs), 'references')}{named}; "
                "give one of each for every document"
            )
        documents = zip(preds, refs, repeat(None) if ids is None else ids, strict=False)
        self += count_all(Counting(self, start=len(self)), documents).tally
        return self

    def add_all(self, documents: list[Document]) -> int:
        """Count a batch of documents, all or none, as `add` would one by one; returns the number of their elements.

        The error of a document does not say which it is; `add` names it.
        """
        if self.suite.several is not None:
            from matchwise.corpus.references import add_several_together

            return add_several_together(self, documents)
        if not documents:
            return 0
        preds, refs, ids = map(list, zip(*documents, strict=True))
        found = self.read(preds, refs)
        self.add_rows(found.rows, ids, found)
        return found.elements

    def read(self, preds: list[Any], refs: list[Any]) -> Batch:
        """What a batch adds to the tally; metrics that share a step are read together."""
        found = Batch()
        for step, names in self.program.after.items():
            with both_sides(preds, refs, step) as (p, r):
                found.counts |= zip(names, self.program.count(p, r, names), strict=True)
                found.elements = p.side.elements + r.side.elements
                if not self.paths and not self.scores.fields:
                    continue
                from matchwise.corpus import breakdown

                for name in names:
                    if name in self.paths:
                        found.labels[name] = breakdown.labels_of(self, name, p, r)
                    if name in (self.scores.fields or ()):
                        fields = breakdown.fields(self.program.plans[name], p, r)
                        found.fields[name] = breakdown.name_columns(fields, p.items, r.items)
        columns: list[Any] = [column for name in self.program.plans for column in found.counts[name]]
        found.rows = as_floats(np.stack(columns, axis=1))
        return found

    def add_rows(self, rows: Sequence[float], ids: Sequence[Id | None], found: Batch | None = None) -> None:
        """Add the counts of documents, and their labels and fields."""
        if found is not None and (found.labels or found.fields):
            from matchwise.corpus.breakdown import add_batch

            add_batch(self.scores, found.labels, found.fields)
        self.scores.rows.extend(rows)
        self.scores.ids += ids
        if len(self.scores.ids) >= FOLDED:
            self.scores.settle()

    def zero(self) -> Tally:
        """A tally of the same kind without documents, which shares the plans."""
        made = Tally.__new__(Tally)
        made.__dict__ |= self.__dict__ | {"scores": self.scores.zero()}
        return made

    def with_suite(self, suite: Suite) -> Tally:
        """A tally of the same metrics under another suite, which counts every document by itself."""
        made = Tally(
            suite,
            by=self.scores.by,
            fields=self.scores.fields is not None,
            time_limit=self.limits.time_limit,
            gap=self.limits.gap,
        )
        made.program = self.program
        return made

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        made = self.zero()
        made += self
        made += other
        return made

    def __iadd__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        self.scores.extend(other.scores)
        return self

    def __len__(self) -> int:
        return len(self.scores)

    def __bool__(self) -> bool:
        """True: a tally counts as something even before its first document."""
        return True

    def __eq__(self, other: object) -> bool:
        """The same metrics of the same documents in the same order, or the same sums."""
        if not isinstance(other, Tally):
            return NotImplemented
        return self.scores == other.scores

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"<Tally of {len(self)} documents under {self.suite!r}>"

    def table(self) -> Table:
        """The score table of the documents so far: `tally.table().save("shard.jsonl")`; its `fold()` has sums alone."""
        made = self.scores.zero()
        made.extend(self.scores)
        made.settle()
        return made

    def report(self) -> Report:
        """The scores of the documents so far."""
        from matchwise.corpus.report import Report

        return Report(self.table(), self.suite)

    def to_bytes(self) -> bytes:
        """The tally as bytes; `Tally.from_bytes(data, suite)` reads it back."""
        from matchwise.corpus.storage import check_exact, to_bytes

        check_exact(self.scores.by, self.scores.labels)
        return to_bytes(self.table())

    @classmethod
    def from_bytes(cls, data: bytes, suite: Scorable) -> Tally:
        """The tally that was written, of the same suite."""
        from matchwise.corpus.storage import from_bytes

        found, own = from_bytes(data), as_suite(suite)
        if found.signature != own.signature:
            mine, theirs = own.signature, found.signature
            raise MergeError(f"the tally was counted under another suite:\n  {theirs}\n  {mine} (yours)")
        made = cls(own, by=found.by, fields=found.fields is not None, keep=found.keep)
        if found.readings != made.scores.readings:
            raise FormatError("the tally has other metrics than its suite")
        made.scores.extend(found)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "program"}  # made anew in each process
