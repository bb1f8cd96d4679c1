"""Spark: every partition of a DataFrame is counted where it lies, and only tallies come back (`mapInArrow`).

from matchwise.runners import spark
report = spark.evaluate(suite, frame, pred="output", ref="gold", id="doc_id")
frame = spark.documents(suite, frame, pred="output", ref="gold", id="doc_id")   # a row for each document and metric
"""

from __future__ import annotations

from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.runners.tables import ROWS, Work, add_up
from matchwise.runners.wording import write_suite


def evaluate(
    suite: Suite | Similarity | str,
    frame: Any,
    *,
    pred: str,
    ref: str,
    id: str,
    by: str | None = None,
    fields: bool = False,
    isolate: bool = True,
    timeout: float | None = None,
) -> Report:
    """The scores of the rows of a DataFrame, the same bits as those of one process.

    `pred`, `ref` and `id` name columns: structs and lists, or text that is JSON. A null prediction counts as empty. A
    document that cannot be scored, that kills its process (with `isolate`), or that takes longer than `timeout` seconds
    is named in `report.errors`. A suite is sent as text; one that text cannot hold is named: `"package.module:suite"`.
    """
    work = Work(write_suite(suite), by, fields, isolate, timeout)
    parts = _selected(frame, pred, ref, id).mapInArrow(work.tallies, "tally binary").collect()
    return add_up((bytes(part["tally"]) for part in parts), work)


def documents(
    suite: Suite | Similarity | str,
    frame: Any,
    *,
    pred: str,
    ref: str,
    id: str,
    isolate: bool = True,
    timeout: float | None = None,
) -> Any:
    """A DataFrame with a row for each document and metric: value, counts, faults; or an `error`, if it has one."""
    work = Work(write_suite(suite), None, False, isolate, timeout)
    return _selected(frame, pred, ref, id).mapInArrow(work.documents, ROWS)


def _selected(frame: Any, pred: str, ref: str, id: str) -> Any:
    return frame.select(frame[pred].alias("pred"), frame[ref].alias("ref"), frame[id].alias("id"))
