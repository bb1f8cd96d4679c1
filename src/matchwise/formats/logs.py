"""Logs of models and exports of evaluation tools: where each line has what a model wrote, and what was expected.

A line is recognised by paths that it has. What other files may have too (`is_common`) is taken for a log only where
somebody asks for it (`--text auto`). Two kinds of files hold their lines inside of one JSON value: a log of Inspect,
and a table of W&B or MLflow, which has `columns` and `data`.

>>> log = find_log({"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "{}"}}]}}})
>>> log.name, log.path, log.id
('batch output of OpenAI', 'response.body.choices.0.message.content', 'custom_id')
"""

from __future__ import annotations

from typing import Any, NamedTuple

from matchwise.errors import FormatError
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
