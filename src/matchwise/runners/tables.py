"""Tables of documents to tables of results: the work of one machine of many, whichever system hands it out.

A batch of rows, each with a prediction, a reference and an id, becomes a partial tally. Tallies are added exactly: the
result is that of one process, bit for bit, however the rows were cut and in whatever order they come back.

A suite is sent to other machines as text: its expressions in words, its types by name, and never code. A worker reads
the text with `parse`, and imports a type by its name. A suite that cannot be written so is sent as the name under
which a module has it: `"package.module:suite"`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, TypeAlias, get_args, get_origin

import msgspec

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.pairing import NOTHING
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Derived, Scorable, Several, Suite, as_suite
from matchwise.corpus.table import Id, Keep
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import ExpressionError
from matchwise.records import record
from matchwise.runners.runner import check_scored, run
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


@record
class BatchRunner:
    """`evaluate` and `documents` of what can map a function over batches of rows: Spark, Ray."""

    map_rows: Callable[..., Any]
    """(rows, names of the three columns, function, schema of the results, ...) -> results, as rows of its own."""
    collect: Callable[[Any], Iterable[bytes]]
    """The tallies in such results."""

    def evaluate(
        self,
        suite: Scorable | str,
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
        """Score rows, with the same bits as in one process.

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
        suite: Scorable | str,
        rows: Any,
        *,
        pred: str,
        ref: str,
        id: str,
        isolate: bool = True,
        timeout: float | None = None,
        **options: Any,
    ) -> Any:
        """Rows, one for each document and metric: value, counts, faults; or an `error`, if it has one."""
        work = Work(write_suite(suite), None, False, isolate, timeout)
        return self.map_rows(rows, (pred, ref, id), work.documents, ROWS, **options)


def _map_partitions(frame: Any, columns: tuple[str, str, str], function: Batches, schema: str) -> Any:
    """Count every partition of a DataFrame where it lies; only tallies come back."""
    names = zip(columns, COLUMNS, strict=True)
    return frame.select(*(frame[name].alias(called) for name, called in names)).mapInArrow(function, schema)


def _map_blocks(
    dataset: Any, columns: tuple[str, str, str], function: Batches, schema: str, *, batch_size: int = AT_ONCE
) -> Any:
    """Count every block of a Dataset by a task."""
    work = partial(_apply, function, list(columns))
    return dataset.map_batches(work, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True)


def _apply(function: Batches, columns: list[str], table: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches(list(function([table.select(columns).rename_columns(list(COLUMNS))])))


spark = BatchRunner(_map_partitions, lambda made: (bytes(row["tally"]) for row in made.collect()))
ray = BatchRunner(_map_blocks, lambda made: (row["tally"] for row in made.iter_rows()))


@record
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
        read = _decode(rows, errors, form_of(tally.suite) is not None)
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
    check_scored(total, "found no documents to score")
    return Report(total.scores, suite)


def _rows(batch: Any) -> Iterator[Document]:
    preds, refs, ids = (batch.column(name).to_pylist() for name in COLUMNS)
    return zip(preds, refs, ids, strict=True)


def _decode(rows: Iterable[Document], errors: list[tuple[Id, str]], is_form: bool) -> Iterator[Document]:
    """Documents as objects: text is JSON, which a form reads itself; no prediction counts as empty."""
    for pred, ref, id in rows:
        try:
            if not is_form:
                pred, ref = (msgspec.json.decode(one) if isinstance(one, str | bytes) else one for one in (pred, ref))
        except (ValueError, RecursionError) as error:
            errors.append(("" if id is None else id, f"cannot read this as JSON: {error}"))
            continue
        yield NOTHING if pred is None else pred, ref, id


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
            "entries": [(name, _write(entry)) for name, entry in suite.entries],
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
        return as_suite(named if isinstance(named, Scorable) else named())
    names = {name: _import_name(where) for name, where in found["names"].items()}
    return Suite(
        {name: parse(entry, names) if isinstance(entry, str) else _derive(*entry) for name, entry in found["entries"]},
        title=found["title"],
        by={name: path if isinstance(path, str) else tuple(path) for name, path in found["by"]},
        several=None if found["several"] is None else Several(*found["several"]),
    )


def _write(entry: Similarity | Derived) -> Any:
    return repr(entry) if isinstance(entry, Similarity) else (entry.how, entry.names, entry.where)


def _derive(how: Any, names: list[str], where: Any) -> Derived:
    return Derived(how, tuple(names), where)


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
