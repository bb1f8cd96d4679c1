"""Ray Data: every block of a Dataset is counted by a task, and only tallies come back (`map_batches`).

from matchwise.runners import ray
report = ray.evaluate(suite, dataset, pred="output", ref="gold", id="doc_id")
dataset = ray.documents(suite, dataset, pred="output", ref="gold", id="doc_id")  # a row for each document and metric

`batch_size` says how many documents a task has.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from matchwise.runners.tables import COLUMNS, Batches, BatchRunner

AT_ONCE = 8192
"""Documents of a task: each may start a process of its own."""


def _map(
    dataset: Any, columns: tuple[str, str, str], function: Batches, schema: str, *, batch_size: int = AT_ONCE
) -> Any:
    work = partial(_apply, function, list(columns))
    return dataset.map_batches(work, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True)


def _apply(function: Batches, columns: list[str], table: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches(list(function([table.select(columns).rename_columns(list(COLUMNS))])))


def _collect(made: Any) -> Iterable[bytes]:
    return (row["tally"] for row in made.iter_rows())


_RUNNER = BatchRunner(_map, _collect)
evaluate = _RUNNER.evaluate
documents = _RUNNER.documents
