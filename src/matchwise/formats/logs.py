"""Logs of models and exports of evaluation tools: where each line has what a model wrote, and what was expected.

A line is recognised by paths that it has. What other files may have too (`is_common`) is taken for a log only where
somebody asks for it (`--text auto`). Two kinds of files hold their lines inside of one JSON value: a log of Inspect,
and a table of W&B or MLflow, which has `columns` and `data`.

>>> log = find_log({"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "{}"}}]}}})
>>> log.name, log.path, log.id
('batch output of OpenAI', 'response.body.choices.0.message.content', 'custom_id')

The scores in a log of Inspect are a score table: two runs are compared without their references. A scorer that says C,
P or I, a number or yes and no has a mean. Scores by `structured_score` have the counts of the document, and are read as
the suite reads them. Epochs of a sample are averaged first, as Inspect does.

>>> sample = {"id": "a", "epoch": 1, "scores": {"match": {"value": "C"}, "parts": {"value": {"length": 3}}}}
>>> table_of_samples([sample], "run.eval")
<Table of 1 document under match: mean, parts/length: mean>
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.corpus.counts import WIDTH, Reading
from matchwise.corpus.suite import Derived
from matchwise.corpus.table import Id, Table
from matchwise.errors import FormatError, shorten
from matchwise.formats.io.decoding import NOWHERE, follow


class FoundLog(NamedTuple):
    """What a line is, the path of what is read, and the key of its id."""

    name: str
    path: str
    id: str


class LogShape(NamedTuple):
    """How a tool writes a line."""

    name: str
    signs: tuple[str, ...]
    """Paths that a line has."""
    text: tuple[str, ...]
    """Paths of what the model wrote: the first that a line has."""
    expected: tuple[str, ...] = ()
    """Paths of the reference; if the tool keeps none, a file of references is read for what a model wrote."""
    id: str = "id"
    is_common: bool = False


LOGS = (
    LogShape(
        "batch output of OpenAI",
        ("custom_id", "response.body"),
        ("response.body.choices.0.message.content", "response.body.output.-1.content.0.text"),
        id="custom_id",
    ),
    LogShape(
        "batch output of Anthropic", ("custom_id", "result.type"), ("result.message.content.-1.text",), id="custom_id"
    ),
    LogShape(
        "log of Inspect",
        ("epoch", "target", "output.choices"),
        ("output.completion", "output.choices.0.message.content"),
        ("target",),
    ),
    LogShape("chat completions of OpenAI", ("choices.0.message",), ("choices.0.message.content",)),
    LogShape("responses of OpenAI", ("output.-1.content.0.text",), ("output.-1.content.0.text",)),
    LogShape("messages of Anthropic", ("stop_reason", "content.-1.text"), ("content.-1.text",)),
    LogShape("dataset of Langfuse", ("input", "expectedOutput"), ("output",), ("expectedOutput",)),
    LogShape("export of Braintrust", ("input", "expected"), ("output",), ("expected",), is_common=True),
    LogShape("table of MLflow", ("inputs", "ground_truth"), ("outputs",), ("ground_truth",), is_common=True),
    LogShape(
        "dataset of MLflow",
        ("inputs", "expectations"),
        ("outputs",),
        ("expectations.expected_response", "expectations"),
        is_common=True,
    ),
    *(
        LogShape("traces of MLflow", ("request", "response", id), ("response",), ("expectations",), id, is_common=True)
        for id in ("trace_id", "request_id")
    ),
    LogShape(
        "export of LangSmith",
        ("inputs", "outputs"),
        ("outputs.output", "outputs"),
        ("reference_outputs", "outputs.output", "outputs"),
        is_common=True,
    ),
    LogShape("chat", ("messages.-1.content",), ("messages.-1.content",), ("messages.-1.content",), is_common=True),
    LogShape("table with an output", ("output",), ("output",), ("expected", "target", "reference"), is_common=True),
)


def find_log(line: Any, *, reference: bool = False, asked: bool = False) -> FoundLog | None:
    """What a line is, if it is known; what is common only where it is `asked` for.

    A line that has only the other side is an error that says so.
    """
    lacking = ""
    for shape in LOGS:
        if (shape.is_common and not asked) or not all(_has(line, path) for path in shape.signs):
            continue
        wanted, other = (shape.expected or shape.text, shape.text) if reference else (shape.text, shape.expected)
        path = next((one for one in wanted if _has(line, one)), None)
        if path is not None:
            return FoundLog(shape.name, path, shape.id)
        held = next((one for one in other if _has(line, one)), None)
        if held is not None and not lacking:
            found, advice = (
                ("what a model wrote", f"--ref-text {held} if that is the reference")
                if reference
                else ("the reference", "-r before the name of the file if it is that")
            )
            lacking = f"{shape.name}: found {found} ({held}), but no {wanted[0]}; write {advice}"
    if lacking:
        raise FormatError(lacking)
    return None


def _has(line: Any, path: str) -> bool:
    return follow(line, path) not in (None, NOWHERE)


def unwrap(value: Any) -> list[Any] | None:
    """The lines that one JSON value holds, if it is a log of Inspect or a table; else None."""
    match value:
        case {"eval": dict(), "samples": list() as samples}:
            return samples
        case {"columns": [*columns], "data": [*rows]} if all(isinstance(row, list) for row in rows):
            return [dict(zip(map(str, columns), row, strict=False)) for row in rows]
    return None


Row: TypeAlias = dict[str, Any]
"""Metric -> its four counts; a metric that follows from others has none."""

WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""As Inspect reads them: correct, partial, incorrect, no answer."""


def load_scores(path: str) -> Table:
    """The scores that a log holds, `.eval` or `.json`; samples without scores are named as errors."""
    from matchwise.formats import jsonl  # which finds the lines in a log by this module

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
                from base64 import b64decode

                from matchwise.corpus.storage import from_bytes

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
