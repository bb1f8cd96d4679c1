"""Tables of documents to tables of results: the work of one machine of many, whichever engine hands out the work.

A batch of rows, each with a prediction, a reference and an id, becomes a partial tally. Tallies are added exactly: the
result is that of one process, bit for bit, however the rows were cut and in whatever order they come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.missing import NOTHING
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id, Keep
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import DataError
from matchwise.runners.runner import run
from matchwise.runners.wording import read_suite, write_suite
from matchwise.tasks.documents.form import form_of

ROWS = (
    "id string, metric string, value double, precision double, recall double, matched double, predicted double, "
    "reference double, error string, faults array<string>"
)
"""The columns of results by document: a row for each metric, or one with an error."""


COLUMNS = ("pred", "ref", "id")
"""The columns of a batch."""

Batches: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]
"""From batches of documents to batches of results."""


@dataclass(frozen=True, slots=True)
class Engine:
    """`evaluate` and `documents` of an engine that can map a function over batches of rows."""

    map_rows: Callable[..., Any]
    """(rows, names of the three columns, function, schema of the results, ...) -> results, as rows of the engine."""
    collect: Callable[[Any], Iterable[bytes]]
    """The tallies in such results."""

    def evaluate(
        self,
        suite: Suite | Similarity | str,
        rows: Any,
        *,
        pred: str,
        ref: str,
        id: str,
        by: str | None = None,
        fields: bool = False,
        isolate: bool = True,
        timeout: float | None = None,
        **options: Any,
    ) -> Report:
        """The scores of rows, the same bits as those of one process.

        `pred`, `ref` and `id` name columns: structs and lists, or text that is JSON. A null prediction counts as empty.
        A document that cannot be scored, that kills its process (with `isolate`), or that takes longer than `timeout`
        seconds is named in `report.errors`. A suite is sent as text; one that text cannot hold is named:
        `"package.module:suite"`.
        """
        work = Work(write_suite(suite), by, fields, isolate, timeout)
        made = self.map_rows(rows, (pred, ref, id), work.tallies, "tally binary", **options)
        return add_up(self.collect(made), work)

    def documents(
        self,
        suite: Suite | Similarity | str,
        rows: Any,
        *,
        pred: str,
        ref: str,
        id: str,
        isolate: bool = True,
        timeout: float | None = None,
        **options: Any,
    ) -> Any:
        """Rows of the engine, one for each document and metric: value, counts, faults; or an `error`, if it has one."""
        work = Work(write_suite(suite), None, False, isolate, timeout)
        return self.map_rows(rows, (pred, ref, id), work.documents, ROWS, **options)


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with each batch; made of text and numbers, so that no code is sent to a worker."""

    suite: str
    """As `write_suite` has it."""
    by: str | None = None
    fields: bool = False
    isolate: bool = True
    """Whether documents are counted by a process of their own, so that one that kills it costs that document only."""
    timeout: float | None = None

    def tallies(self, batches: Iterable[Any]) -> Iterator[Any]:
        """One row with the tally of all batches."""
        import pyarrow

        tally, errors = self._count((row for batch in batches for row in _rows(batch)), "sums")
        tally.errors.extend(errors)
        yield pyarrow.record_batch({"tally": pyarrow.array([tally.to_bytes()], pyarrow.binary())})

    def documents(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows of `ROWS`, batch by batch."""
        for batch in batches:
            if batch.num_rows:
                yield self._results(list(_rows(batch)))

    def _count(self, rows: Iterable[Document], keep: Keep) -> tuple[Tally, list[tuple[Id, str]]]:
        tally = Tally(read_suite(self.suite), by=self.by, fields=self.fields, keep=keep)
        errors: list[tuple[Id, str]] = []
        read = _decoded(rows, errors, form_of(tally.suite) is not None)
        run(tally, read, on_error="skip", timeout=self.timeout, apart=self.isolate)
        return tally, errors

    def _results(self, rows: list[Document]) -> Any:
        import pyarrow

        tally, errors = self._count(rows, "documents")
        form = form_of(tally.suite)
        faults = {} if form is None else {id: [str(fault) for fault in form.faults(pred)] for pred, _, id in rows}
        made = [{"id": str(id), "error": reason} for id, reason in (*tally.errors, *errors)]
        columns = Report(tally.scores, tally.suite).columns() if len(tally) else {"document": []}
        for place, id in enumerate(columns["document"]):
            for metric in tally.suite:
                row = {"id": str(id), "metric": metric, "value": columns[metric][place], "faults": faults.get(id)}
                for name in ("precision", "recall", "matched", "predicted", "reference"):
                    if f"{metric}.{name}" in columns:
                        row[name] = float(columns[f"{metric}.{name}"][place])
                made.append(row)
        return pyarrow.RecordBatch.from_pylist(made, schema=rows_schema())


def rows_schema() -> Any:
    """`ROWS` as Arrow has it."""
    import pyarrow

    kinds = {"string": pyarrow.string(), "double": pyarrow.float64(), "array<string>": pyarrow.list_(pyarrow.string())}
    return pyarrow.schema([(name, kinds[kind]) for name, kind in (column.split() for column in ROWS.split(", "))])


def add_up(parts: Iterable[bytes], work: Work) -> Report:
    """The report of all partial tallies; errors come in the order of their ids."""
    suite = read_suite(work.suite)
    total = Tally(suite, by=work.by, fields=work.fields, keep="sums")
    for data in parts:
        total += Tally.from_bytes(data, suite)
    total.errors.sort(key=lambda error: str(error[0]))
    if not len(total) and total.errors:
        id, reason = total.errors[0]
        raise DataError(f"{reason} (no document could be scored)", document=id)
    if not len(total):
        raise DataError("found no documents to score")
    return Report(total.scores, suite)


def _rows(batch: Any) -> Iterator[Document]:
    preds, refs, ids = (batch.column(name).to_pylist() for name in COLUMNS)
    return zip(preds, refs, ids, strict=True)


def _decoded(rows: Iterable[Document], errors: list[tuple[Id, str]], is_form: bool) -> Iterator[Document]:
    """Documents as objects: text is JSON, which a form reads itself; no prediction counts as empty."""
    for pred, ref, id in rows:
        try:
            if not is_form:
                pred, ref = (msgspec.json.decode(one) if isinstance(one, str | bytes) else one for one in (pred, ref))
        except (ValueError, RecursionError) as error:
            errors.append(("" if id is None else id, f"cannot read this as JSON: {error}"))
            continue
        yield NOTHING if pred is None else pred, ref, id
