"""Ray Data: every block of a Dataset is counted by a task, and only tallies come back (`map_batches`).

from matchwise.runners import ray
report = ray.evaluate(suite, dataset, pred="output", ref="gold", id="doc_id")
dataset = ray.documents(suite, dataset, pred="output", ref="gold", id="doc_id")  # a row for each document and metric
"""

from __future__ import annotations

from functools import partial
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.runners.tables import Work, add_up
from matchwise.runners.wording import write_suite

AT_ONCE = 8192
"""Documents of a task: each may start a process of its own."""


def evaluate(
    suite: Suite | Similarity | str,
    dataset: Any,
    *,
    pred: str,
    ref: str,
    id: str,
    by: str | None = None,
    fields: bool = False,
    isolate: bool = True,
    timeout: float | None = None,
    batch_size: int = AT_ONCE,
) -> Report:
    """The scores of the rows of a Dataset, the same bits as those of one process; see `spark.evaluate`."""
    work = Work(write_suite(suite), by, fields, isolate, timeout)
    made = _mapped(dataset, partial(_tally, work, (pred, ref, id)), batch_size)
    return add_up((row["tally"] for row in made.iter_rows()), work)


def documents(
    suite: Suite | Similarity | str,
    dataset: Any,
    *,
    pred: str,
    ref: str,
    id: str,
    isolate: bool = True,
    timeout: float | None = None,
    batch_size: int = AT_ONCE,
) -> Any:
    """A Dataset with a row for each document and metric: value, counts, faults; or an `error`, if it has one."""
    work = Work(write_suite(suite), None, False, isolate, timeout)
    return _mapped(dataset, partial(_results, work, (pred, ref, id)), batch_size)


def _mapped(dataset: Any, function: Any, batch_size: int) -> Any:
    return dataset.map_batches(function, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True)


def _tally(work: Work, columns: tuple[str, str, str], table: Any) -> Any:
    return _joined(work.tallies([_selected(table, columns)]))


def _results(work: Work, columns: tuple[str, str, str], table: Any) -> Any:
    return _joined(work.documents([_selected(table, columns)]))


def _selected(table: Any, columns: tuple[str, str, str]) -> Any:
    return table.select(list(columns)).rename_columns(["pred", "ref", "id"])


def _joined(batches: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches(list(batches))
