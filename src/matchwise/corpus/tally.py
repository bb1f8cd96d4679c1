"""A tally: the quantities of every document of a corpus, as compact columns; shards add up to the whole.

>>> from matchwise.algebra.build import f1
>>> one, two = Tally(f1("xs")).add({"xs": [3]}, {"xs": []}), Tally(f1("xs")).add({"xs": [1]}, {"xs": [1, 2]})
>>> (one + two).report()["score"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.corpus.breakdown import (
    FieldTable,
    LabelTable,
    add_fields,
    add_labels,
    document_fields,
    document_labels,
    with_fields,
    with_labels,
)
from matchwise.corpus.suite import Suite, as_suite
from matchwise.engine.parts import join
from matchwise.engine.plan import Program
from matchwise.errors import DataError, MergeError

if TYPE_CHECKING:
    from matchwise.corpus.report import Report

Id: TypeAlias = str | int

WIDTH = 4
"""The quantities of one metric: matched, predicted, recalled, reference."""


class Tally:
    """Counts documents under a suite, one after the other; no document is kept.

    `by` also counts by a label of the elements of each metric's collection; `fields` also counts each field of a sum.
    Tallies of one suite add up by `+` and `+=`; `Tally(suite)` is their zero.
    """

    __slots__ = ("_program", "by", "fields", "ids", "labels", "rows", "suite")

    def __init__(self, suite: Suite | Similarity, *, by: Selectable = None, fields: bool = False) -> None:
        self.suite = as_suite(suite)
        self.by: Selector = selector(by)
        self.rows = array("d")
        """The quantities, document by document and in each metric by metric."""
        self.ids: list[Id | None] = []
        self.fields: FieldTable | None = {name: {} for name in with_fields(self.suite)} if fields else None
        self.labels: LabelTable | None = None
        if self.by:
            self.labels = {name: {} for name in with_labels(self.suite, self.by)}
        self._program: Program | None = None

    def add(self, pred: Any, ref: Any, id: Id | None = None) -> Tally:
        """Count one document; an error in it leaves the tally as it was and names the document."""
        try:
            program = self._program or self.program()
            row = array("d", map(float, chain.from_iterable(program.count(pred, ref))))
            if self.fields is not None or self.labels is not None:
                self._add_parts(program, pred, ref)
        except DataError as error:
            if error.document is None:
                error.document = len(self.ids) if id is None else id
            raise
        self.rows += row
        self.ids.append(id)
        return self

    update = add

    def _add_parts(self, program: Program, pred: Any, ref: Any) -> None:
        found = {name: document_fields(program.plans[name], pred, ref) for name in self.fields or ()}
        labels = {name: document_labels(program.plans[name], self.by, pred, ref) for name in self.labels or ()}
        for name, by_path in found.items():
            add_fields(self.fields[name], by_path)  # type: ignore[index]  # no table, no names
        for name, by_label in labels.items():
            add_labels(self.labels[name], by_label)  # type: ignore[index]

    def program(self) -> Program:
        """The plans of the suite, made when the first document needs them."""
        if self._program is None:
            self._program = Program(self.suite.metrics)
        return self._program

    def zero(self) -> Tally:
        """A tally of the same kind without documents."""
        made = Tally(self.suite, by=self.by, fields=self.fields is not None)
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
        self.rows += other.rows
        self.ids += other.ids
        for name, by_path in (other.fields or {}).items():
            add_fields(self.fields[name], by_path)  # type: ignore[index]  # both have the table
        for name, by_label in (other.labels or {}).items():
            add_labels(self.labels[name], by_label)  # type: ignore[index]
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

    def __len__(self) -> int:
        return len(self.ids)

    def __bool__(self) -> bool:
        """A tally is something even before its first document."""
        return True

    def __eq__(self, other: object) -> bool:
        """The same metrics of the same documents in the same order."""
        if not isinstance(other, Tally):
            return NotImplemented
        return (self.suite.signature, self.by, self.ids, self.rows, self.fields, self.labels) == (
            (other.suite.signature, other.by, other.ids, other.rows, other.fields, other.labels)
        )

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"<Tally of {len(self)} documents under {self.suite!r}>"

    def column(self, metric: str, quantity: int) -> array[float]:
        """One quantity of one metric, document by document."""
        names = list(self.suite.metrics)
        return self.rows[names.index(metric) * WIDTH + quantity :: len(names) * WIDTH]

    def names(self) -> list[Id]:
        """The id of each document, or its position where it has none."""
        return [position if id is None else id for position, id in enumerate(self.ids)]

    def report(self) -> Report:
        """The scores of the documents so far."""
        from matchwise.corpus.report import Report

        return Report(self + self.zero())

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
        return self.suite, self.by, self.rows, self.ids, self.fields, self.labels

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.suite, self.by, self.rows, self.ids, self.fields, self.labels = state
        self._program = None
