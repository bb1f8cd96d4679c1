"""Where a corpus runs: in one process or several (`runner`), on Spark, or on Ray Data.

from matchwise.runners import ray, spark
report = spark.evaluate(suite, frame, pred="output", ref="gold", id="doc_id")
frame = spark.documents(suite, frame, pred="output", ref="gold", id="doc_id")   # a row for each document and metric
report = ray.evaluate(suite, dataset, pred="output", ref="gold", id="doc_id", batch_size=8192)  # documents of a task
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matchwise.runners.tables import BatchRunner


def __getattr__(name: str) -> BatchRunner:
    if name not in ("ray", "spark"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from matchwise.runners import tables

    found: BatchRunner = getattr(tables, name)
    return found
