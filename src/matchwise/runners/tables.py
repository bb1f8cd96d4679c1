"""Frames of Spark and Ray, scored where they lie: the work of one machine of many.

A batch of rows, each with a prediction, a reference and an id, becomes a partial tally. Tallies are added exactly: the
result is that of one process, bit for bit, however the rows were cut and in whatever order they come back.

A suite is sent to other machines as text: its expressions in words, its types by name, and never code. A worker reads
the text with `parse`, and imports a type by its name. A suite that cannot be written so is sent as the name under
which a module has it: `"package.module:suite"`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import import_module
from itertools import takewhile
from typing import Any, TypeAlias, get_args, get_origin

import msgspec

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.loop import Reader
from matchwise.corpus.pairing import NOTHING, Missing, OnError
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Derived, Scorable, SeveralReferences, Suite, as_suite
from matchwise.corpus.table import Id, Keep
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import DataError, ExpressionError, MatchwiseError, check_choice, check_whole, shorten, suggestion
from matchwise.runners.runner import check_scored, engine_of, run
from matchwise.similarities.vocabulary import parse
from matchwise.tasks.documents.form import form_of

ROWS = (
    "id string, metric string, value double, precision double, recall double, matched double, predicted double, "
    "reference double, error string, faults array<string>"
)
"""The columns of results by document: a row for each metric, or one with an error."""


COLUMNS = ("pred", "ref", "id")
"""The columns of a batch."""

AT_ONCE = 8192
"""Documents of a task of Ray: each may start a process of its own."""

Batches: TypeAlias = Callable[[Iterable[Any]], Iterator[Any]]
"""From batches of documents to batches of results."""


def evaluate_frame(work: Work, frame: Any, columns: tuple[str, str, str], batch_size: int | None) -> Report:
    """Score the rows of a DataFrame of Spark or a Dataset of Ray; `columns` name predictions, references and ids."""
    work.start("documents")  # what is wrong with the options is said before anything runs
    made = _map_rows(frame, columns, work.tallies, "tally binary", batch_size)
    rows = made.iter_rows() if engine_of(frame) == "Ray" else made.collect()
    return add_up((bytes(row["tally"]) for row in rows), work)


def score_rows(
    suite: Scorable | str,
    frame: object,
    *,
    pred: str,
    ref: str,
    id: str,
    missing: Missing = "raise",
    timeout: float | None = None,
    isolate: bool = True,
    batch_size: int | None = None,
) -> Any:
    """Score a DataFrame of Spark or a Dataset of Ray into another one, with a row for each document and metric.

    Its columns are id, metric, value, precision, recall, counts and faults; a document that cannot be scored has one
    row with its `error`. The options are those of `evaluate`.

    >>> import matchwise as mw
    >>> mw.score_rows(mw.f1("xs"), [{"output": {"xs": []}}], pred="output", ref="gold", id="doc")
    Traceback (most recent call last):
    matchwise.errors.MatchwiseError: score_rows() needs a DataFrame of Spark or a Dataset of Ray, not list; for \
documents in memory write evaluate(suite, preds, refs).to_pandas("documents")
    """
    if engine_of(frame) is None:
        raise MatchwiseError(
            f"score_rows() needs a DataFrame of Spark or a Dataset of Ray, not {type(frame).__name__}; for documents "
            'in memory write evaluate(suite, preds, refs).to_pandas("documents")'
        )
    work = Work(write_suite(suite), on_error="skip", missing=missing, isolate=isolate, timeout=timeout)
    return _map_rows(frame, (pred, ref, id), work.documents, ROWS, batch_size)


def _map_rows(frame: Any, columns: tuple[str, str, str], function: Batches, schema: str, batch_size: int | None) -> Any:
    """Apply a function to the rows where they lie; only what it makes of them comes back."""
    known = frame.columns() if engine_of(frame) == "Ray" else frame.columns
    for option, name in zip(COLUMNS, columns, strict=True):
        if not isinstance(name, str) or (name not in known and name.split(".")[0] not in known):
            raise MatchwiseError(f"{option}={name!r}: the frame has no such column{suggestion(str(name), known)}")
    if engine_of(frame) == "Ray":
        size = AT_ONCE if batch_size is None else batch_size
        check_whole("batch_size", size, 1, "how many documents a task of Ray scores")
        work = partial(_apply, function, list(columns))
        return frame.map_batches(work, batch_format="pyarrow", batch_size=size, zero_copy_batch=True)
    if batch_size is not None:
        raise MatchwiseError("batch_size is an option for Ray; for Spark write frame.repartition(n)")
    names = zip(columns, COLUMNS, strict=True)
    return frame.select(*(frame[name].alias(called) for name, called in names)).mapInArrow(function, schema)


def _apply(function: Batches, columns: list[str], table: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches(list(function([table.select(columns).rename_columns(list(COLUMNS))])))


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with each batch; made of text and numbers, so that no code is sent to a worker."""

    suite: str
    """As `write_suite` has it."""
    by: Selectable = None
    fields: bool = False
    on_error: OnError = "raise"
    missing: Missing = "raise"
    keep: Keep = "documents"
    time_limit: float | None = None
    gap: float = 0.0
    timeout: float | None = None
    isolate: bool = True
    """Whether documents are counted by a process of their own, so that one that kills it costs that document only."""

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(Missing))
        if not all(isinstance(step, str | int) for step in selector(self.by)):
            raise ExpressionError(f'by={self.by!r} cannot be sent to other machines; name a field, as in by="type"')

    def start(self, keep: Keep) -> Tally:
        """A tally without documents."""
        suite = read_suite(self.suite)
        return Tally(suite, by=self.by, fields=self.fields, time_limit=self.time_limit, gap=self.gap, keep=keep)

    def tallies(self, batches: Iterable[Any]) -> Iterator[Any]:
        """One row with the tally of all batches."""
        import pyarrow

        tally = self._count((row for batch in batches for row in _rows(batch)), self.keep)
        yield pyarrow.record_batch({"tally": pyarrow.array([tally.to_bytes()], pyarrow.binary())})

    def documents(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows of `ROWS`, batch by batch."""
        for batch in batches:
            if batch.num_rows:
                yield self._results(list(_rows(batch)))

    def _count(self, rows: Iterable[Document], keep: Keep) -> Tally:
        """Count rows; where an error is raised, only up to the first: a worker that raised would be started again."""
        tally = self.start(keep)
        raises = self.on_error == "raise"
        reader = RowReader(decode=form_of(tally.suite) is None, missing=self.missing)
        until = takewhile(lambda _: not (raises and tally.errors), rows)
        how: OnError = "skip" if raises else self.on_error
        return run(tally, until, on_error=how, timeout=self.timeout, apart=self.isolate, reader=reader)

    def _results(self, rows: list[Document]) -> Any:
        import pyarrow

        tally = self._count(rows, "documents")
        form = form_of(tally.suite)
        faults = {} if form is None else {id: [str(fault) for fault in form.faults(pred)] for pred, _, id in rows}
        made = [{"id": str(id), "error": reason} for id, reason in tally.errors]
        columns = Report(tally.scores, tally.suite).columns() if len(tally) else {"document": []}
        for place, id in enumerate(columns["document"]):
            for metric in tally.suite:
                row = {"id": str(id), "metric": metric, "value": columns[metric][place], "faults": faults.get(id)}
                for name in ("precision", "recall", "matched", "predicted", "reference"):
                    if f"{metric}.{name}" in columns:
                        row[name] = float(columns[f"{metric}.{name}"][place])
                made.append(row)
        text, number = pyarrow.string(), pyarrow.float64()
        kinds = {"string": text, "double": number, "array<string>": pyarrow.list_(text)}
        schema = pyarrow.schema([(column.split()[0], kinds[column.split()[1]]) for column in ROWS.split(", ")])
        return pyarrow.RecordBatch.from_pylist(made, schema=schema)


class RowReader(Reader):
    """Reads the rows of a frame: text is JSON, unless a form reads it, and null is a missing prediction."""

    decode: bool = True
    missing: Missing = "raise"

    def read(self, item: Any, place: int) -> Document:
        pred, ref, id = item
        if pred is None and self.missing == "empty":
            return self.read_empty(item, place)
        return self._decode(pred, "prediction"), self._decode(ref, "reference"), id

    def read_empty(self, item: Any, place: int) -> Document:
        _, ref, id = item
        return NOTHING, self._decode(ref, "reference"), id

    def _decode(self, value: Any, side: str) -> Any:
        if not self.decode or not isinstance(value, str | bytes):
            return value
        try:
            return msgspec.json.decode(value)
        except (ValueError, RecursionError) as error:
            raise DataError(f"not JSON: found {shorten(value)} ({error})", side=side) from None


def add_up(parts: Iterable[bytes], work: Work) -> Report:
    """The report of all partial tallies; documents and errors come in the order of their ids."""
    total = work.start(work.keep)
    for data in parts:
        total += Tally.from_bytes(data, total.suite)
    total.errors.sort(key=lambda error: _order(error[0]))
    if total.errors and work.on_error == "raise":
        id, reason = total.errors[0]
        raise DataError(f'{reason}; write on_error="skip" or on_error="empty" to go on without it', document=id)
    check_scored(total.scores, "found no documents to score")
    scores = total.scores
    if work.keep == "documents":
        rows = sorted(range(len(scores)), key=lambda row: _order(scores.ids[row]))
        scores = replace(scores.take(rows), labels=scores.labels, fields=scores.fields)
    return Report(scores, total.suite)


def _order(id: Id | None) -> tuple[bool, bool, Any]:
    """Numbers by size, then names, then documents without id."""
    return id is None, isinstance(id, str), id or 0


def _rows(batch: Any) -> Iterator[Document]:
    preds, refs, ids = (batch.column(name).to_pylist() for name in COLUMNS)
    named = (id if id is None or isinstance(id, str | int) else str(id) for id in ids)
    return zip(preds, refs, named, strict=True)


ADVICE = 'define the suite in a module that the workers can import, and write suite="package.module:name"'


def write_suite(suite: Scorable | str) -> str:
    """The text of a suite; it is an error at once if the suite that is read from it would be another.

    >>> from matchwise.algebra.build import f1
    >>> read_suite(write_suite(f1("xs"))) == Suite(score=f1("xs"))
    True
    """
    if isinstance(suite, str):
        text = json.dumps({"name": suite})
        read_suite(text)
        return text
    suite = as_suite(suite)
    text = json.dumps(
        {
            "entries": [
                (name, repr(entry) if isinstance(entry, Similarity) else (entry.how, entry.names, entry.where))
                for name, entry in suite.entries
            ],
            "names": {T.__name__: _name_of(T) for T in _types(suite)},
            "title": suite.title,
            "by": suite.by,
            "several": suite.several,
        }
    )
    try:
        again = read_suite(text)
    except ExpressionError as error:
        raise ExpressionError(f"the suite cannot be sent as text ({error}); {ADVICE}") from None
    if again.signature != suite.signature:
        raise ExpressionError(f"{suite!r} cannot be sent as text; {ADVICE}")
    return text


@lru_cache(maxsize=16)
def read_suite(text: str) -> Suite:
    """The suite that was written."""
    found = json.loads(text)
    if "name" in found:
        named = _import_name(found["name"])
        if not isinstance(named, Scorable) and not callable(named):
            raise ExpressionError(f"{found['name']} is {shorten(named)}; name a suite, or a function that makes one")
        return as_suite(named if isinstance(named, Scorable) else named())
    names = {name: _import_name(where) for name, where in found["names"].items()}
    return Suite(
        {
            name: parse(entry, names) if isinstance(entry, str) else Derived(entry[0], tuple(entry[1]), entry[2])
            for name, entry in found["entries"]
        },
        title=found["title"],
        by={name: path if isinstance(path, str) else tuple(path) for name, path in found["by"]},
        several=None if found["several"] is None else SeveralReferences(*found["several"]),
    )


def _types(suite: Suite) -> Iterator[type]:
    """The user's classes that steps have as options: a worker cannot know them otherwise."""
    for step in suite.steps:
        for _, value in step.options:
            for one in (value, *get_args(value)):
                if isinstance(one, type) and get_origin(one) is None and one.__module__ != "builtins":
                    yield one


def _name_of(T: Any) -> str:
    module, name = getattr(T, "__module__", "__main__"), getattr(T, "__qualname__", "")
    if module == "__main__" or not name or "<locals>" in name or _import_name(f"{module}:{name}") is not T:
        raise ExpressionError(f"{T!r} cannot be imported by name; define it at the top of a module, or write a schema")
    return f"{module}:{name}"


def _import_name(where: str) -> Any:
    module, colon, name = where.partition(":")
    if not colon or not module or not name:
        raise ExpressionError(f"suite={where!r}; write a suite, or its name as in 'package.module:suite'")
    try:
        found: Any = import_module(module)
        for step in name.split("."):
            found = getattr(found, step)
    except (ImportError, AttributeError) as error:
        raise ExpressionError(f"{where}: {error}; install the module where the workers run") from None
    return found
