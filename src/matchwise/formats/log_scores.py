"""The scores in a log of Inspect as a score table: two runs are compared without their references.

A scorer that says C, P or I, a number or yes and no has a mean. Scores by `structured_score` have the counts of the
document, and are read as the suite reads them. Epochs of a sample are averaged first, as Inspect does.

>>> sample = {"id": "a", "epoch": 1, "scores": {"match": {"value": "C"}, "parts": {"value": {"length": 3}}}}
>>> table_of_samples([sample], "run.eval")
<Table of 1 document under match: mean, parts/length: mean>
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any, TypeAlias

import numpy as np

from matchwise.corpus.counts import WIDTH, Reading
from matchwise.corpus.storage import from_bytes
from matchwise.corpus.suite import Derived
from matchwise.corpus.table import Id, Table
from matchwise.errors import FormatError, shorten
from matchwise.formats import jsonl

Row: TypeAlias = dict[str, Any]
"""Metric -> its four counts; a metric that follows from others has none."""

WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""As Inspect reads them: correct, partial, incorrect, no answer."""


def load_scores(path: str) -> Table:
    """The scores that a log holds, `.eval` or `.json`; samples without scores are named as errors."""
    return table_of_samples(jsonl.read(path), path)


def table_of_samples(samples: Iterable[Any], path: str) -> Table:
    readings: dict[str, Reading | Derived] = {}
    signatures: dict[str, None] = {}
    rows: dict[Id, list[Row]] = {}
    problems: dict[Id, str] = {}
    for sample in samples:
        if not isinstance(sample, dict) or not {"id", "epoch", "scores"} <= sample.keys():
            raise FormatError("found neither a score table of matchwise nor a log of Inspect with samples", path)
        row: Row = {}
        for scorer, score in (sample["scores"] or {}).items():
            counts = (score.get("metadata") or {}).get("counts") if scorer == "matchwise" else None
            if counts is not None:
                table = from_bytes(b64decode(counts))
                readings |= table.readings
                signatures[table.signature] = None
                row |= dict(zip(table.metrics, table.counts[0].reshape(-1, WIDTH), strict=True))
            for name, value in _values(scorer, score["value"]) if counts is None else ():
                readings[name] = Reading("mean")
                signatures[f"inspect:{name}"] = None
                number = _number(value, f"{path}: sample {sample['id']}: {name}")
                row |= {} if isnan(number) else {name: np.array([number, 1, 1, number])}
        if row:
            rows.setdefault(sample["id"], []).append(row)
        else:
            problems[sample["id"]] = (sample.get("error") or {}).get("message", "has no scores")
    metrics = [name for name, entry in readings.items() if isinstance(entry, Reading)]
    kept = {id: some for id, some in rows.items() if all(any(name in row for row in some) for name in metrics)}
    problems |= dict.fromkeys(rows.keys() - kept.keys(), "has not every score")
    return Table(
        "|".join(sorted(signatures)),
        readings,
        list(kept),
        np.array([[_mean(name, some) for name in metrics] for some in kept.values()]),  # type: ignore[arg-type]  # a matrix
        errors=[(id, problem) for id, problem in problems.items() if id not in kept],
    )


def _values(scorer: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a score, by name."""
    parts = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else None
    yield from [(scorer, value)] if parts is None else [(f"{scorer}/{key}", one) for key, one in parts.items()]


def _number(value: Any, where: str) -> float:
    if isinstance(value, str) and (value in WORDS or value.lower() in WORDS):
        return WORDS.get(value, WORDS.get(value.lower(), 0.0))
    try:
        return float("nan" if value is None else value)
    except (TypeError, ValueError):
        raise FormatError(f"expected a number, C, P, I, yes or no, found {shorten(value)}", where) from None


def _mean(name: str, epochs: list[Row]) -> Any:
    return np.mean([row[name] for row in epochs if name in row], axis=0)
