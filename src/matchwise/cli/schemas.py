"""A JSON Schema from a file, and the metric that it derives to."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.deriving import derive
from matchwise.errors import FormatError
from matchwise.formats.io.entries import placing
from matchwise.formats.io.lines import Lines


def schema(path: str) -> Any:
    with closing(Lines(path)) as lines:
        text = b"".join(line.data for line in lines).decode("utf-8", "replace")
    with placing(path):
        try:
            made = json.loads(text)
        except json.JSONDecodeError as error:
            raise FormatError(f"cannot read this as JSON: {error}", path, error.lineno) from None
    if not isinstance(made, dict):
        raise FormatError(f"found {type(made).__name__}, expected a JSON Schema, which is an object", path)
    return made


def metric_of_schema(path: str) -> Similarity:
    """The metric of the documents that a schema describes."""
    return derive(schema(path))
