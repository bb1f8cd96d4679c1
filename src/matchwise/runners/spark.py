"""Spark: every partition of a DataFrame is counted where it lies, and only tallies come back (`mapInArrow`).

from matchwise.runners import spark
report = spark.evaluate(suite, frame, pred="output", ref="gold", id="doc_id")
frame = spark.documents(suite, frame, pred="output", ref="gold", id="doc_id")   # a row for each document and metric
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matchwise.runners.tables import COLUMNS, Batches, BatchRunner


def _map(frame: Any, columns: tuple[str, str, str], function: Batches, schema: str) -> Any:
    names = zip(columns, COLUMNS, strict=True)
    return frame.select(*(frame[name].alias(called) for name, called in names)).mapInArrow(function, schema)


def _collect(made: Any) -> Iterable[bytes]:
    return (bytes(row["tally"]) for row in made.collect())


_RUNNER = BatchRunner(_map, _collect)
evaluate = _RUNNER.evaluate
documents = _RUNNER.documents
