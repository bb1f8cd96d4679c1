"""Logs of models: each line has the text that a model wrote, somewhere inside.

>>> value_at({"id": 7, "choices": [{"message": {"content": "{}"}}]}, "choices.0.message.content")
'{}'
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from matchwise.errors import FormatError, suggestion

NO_KEY = "found no key"
"""How the message begins about a line that does not have what --text names."""


def value_at(record: Any, path: str) -> Any:
    """What a line has under a dotted path; a whole number is a place in a list."""
    value, done = record, ""
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, list) and step.lstrip("-").isdecimal() and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            keys = suggestion(step, [key for key in value if isinstance(key, str)]) if isinstance(value, dict) else ""
            raise FormatError(f"{done + ': ' if done else ''}{NO_KEY} {step!r}{keys}; write --text KEY for another")
        done = f"{done}.{step}".removeprefix(".")
    if value is None:
        raise FormatError(f"{path}: found null, expected the text of a model, or a document")
    return value


def found_in(text: str, path: str, warnings: Counter[str]) -> Any:
    """The JSON value in a text; how it was found is a warning."""
    from matchwise.tasks.documents.loading import load

    value, faults = load(text, fences="find")
    for fault in faults:
        if fault.is_unreadable:
            raise FormatError(f"{path}: {fault}")
        warnings[f"{path}: {fault.kind}"] += 1
    return value
