"""Why nothing of a model's text could be read: it refused, was cut off, or wrote something that is not quite JSON.

>>> name_kind("I am sorry, but I cannot read this."), name_kind('{"total": 3.5,}'), name_kind("{'total': 3.5}")
('refused', 'trailing comma', 'single quotes')
>>> name_kind('{"total": 3'), name_kind('{"total": }'), name_kind("The total is 3.5.")
('cut off', 'malformed JSON', 'no JSON')
"""

from __future__ import annotations

import json
import re
from typing import Any

from matchwise.deriving.faults import Fault

MISMATCH = "schema mismatch"
"""JSON that is something else as a whole: a list, where an object was asked for."""


def kind_of(pred: Any, faults: tuple[Fault, ...]) -> str | None:
    """The kind of error that a whole prediction is; None if some of it could be read as the form asks."""
    whole = next((fault for fault in faults if not fault.path), None)
    if whole is None:
        return None
    if whole.is_unreadable:
        text = pred.decode("utf-8", "replace") if isinstance(pred, bytes) else pred
        return name_kind(text) if isinstance(text, str) else MISMATCH
    return MISMATCH if " is not " in whole.problem else None


def name_kind(text: str) -> str:
    """The kind of a text in which there is no JSON that could be read."""
    start = _OPENING.search(text)
    if start is None:
        return "refused" if _REFUSAL.search(text) else "no JSON"
    tail = text[start.start() :]
    if sum({"{": 1, "[": 1, "}": -1, "]": -1}.get(token, 0) for token in _TOKEN.findall(tail)) > 0:
        return "cut off"
    if _SINGLE.match(tail):
        return "single quotes"
    strings = _STRING.split(tail)  # at odd places, where a comma is text
    strings[::2] = [_COMMA.sub(r"\1", between) for between in strings[::2]]
    try:
        json.JSONDecoder().raw_decode("".join(strings))
    except (ValueError, RecursionError):
        return "malformed JSON"
    return "trailing comma"


_OPENING = re.compile(r"""\{(?=\s*+(?:["'}]|\Z))|\[(?=\s*+(?:["'{\[\]\d-]|\Z))""")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_SINGLE = re.compile(r"[{\[][\s{\[]*+'")
_STRING = re.compile(r'("(?:[^"\\]|\\.)*+")', re.DOTALL)
_COMMA = re.compile(r",\s*+([}\]])")
_REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|unfortunately|as an ai|unable to|not able to)\b"
    r"|\bI (?:cannot|can not|will not|could not|(?:ca|wo|could)n[’']?t)\b",
    re.IGNORECASE,
)
