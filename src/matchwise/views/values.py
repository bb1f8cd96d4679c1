"""Values as JSON holds them, and as people write them, on one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Number
from matchwise.engine.keys import content_of, record_fields
from matchwise.engine.order import rank
from matchwise.engine.selection import absent
from matchwise.errors import RAISED
from matchwise.sheets.table import write_one_line

UNPRINTABLE = 10**4000
"""Python refuses to write integers from about here on."""


def plain(value: Any) -> Any:
    """Convert a value to what JSON can hold; a value without a JSON form becomes its repr."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else repr(value)
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, set | frozenset):
        return [plain(part) for part in sorted(value, key=rank)]
    if isinstance(value, list | tuple | range):
        return [plain(part) for part in value]
    names = record_fields(type(value))
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    return _write_repr(value)


def _write_repr(value: Any, write: Callable[[Any], str] = repr) -> str:
    """A value as its own class writes it, or the name of the class if that fails."""
    try:
        return write(value)
    except RAISED:
        return f"<{type(value).__name__}>"


def write_value(value: Any) -> str:
    """A value as a person writes it: no quotes around a text, no names of classes, fields without a value left out.

    >>> write_value({"sku": "b", "price": 2.50, "note": None}), write_value(["ink", 3]), write_value("")
    ('sku b, price 2.5', 'ink, 3', '""')
    """
    try:
        return _write(value)
    except RecursionError:
        return "a value that contains itself, or is nested too deeply"


def _write(value: Any) -> str:
    try:
        return _write_content(value)
    except RecursionError:
        raise
    except RAISED:  # of a method of the user's class
        return f"<{type(value).__name__}>"


def _write_content(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case Enum():
            return _write(value.value)
        case Misfit(value=str() as text):
            return _write(text)
        case str():
            text = str.__str__(value)
            return write_one_line(text) if text.strip() else f'"{text}"'
        case float():
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case int() if abs(value) >= UNPRINTABLE:
            return "a number of more than 4,000 digits"  # which Python does not write
        case int() | Decimal() | UUID() | timedelta():
            return str(value)
        case datetime():
            return value.isoformat(" ")
        case date() | time():
            return value.isoformat()
        case bytes():
            return repr(value)
        case Mapping():
            return _fields({str(name): part for name, part in value.items()})
        case set() | frozenset():
            return ", ".join(_inside(part) for part in sorted(value, key=rank)) or "nothing"
    if is_dataclass(value) and type(value).__str__ is not object.__str__:
        return str(value)
    names = record_fields(type(value))
    if names is not None:
        return _fields({name: getattr(value, name) for name in names})
    if isinstance(value, list | tuple | range):
        return ", ".join(map(_inside, value)) or "nothing"
    return write_one_line(_write_repr(value, str))


def write_both(pred: Any, ref: Any) -> tuple[str, str]:
    """Two values that differ, so that they look different: `"7"` and 7 are a text and a number."""
    mine, theirs = write_value(pred), write_value(ref)
    if mine != theirs or content_of(pred) == content_of(ref):
        return mine, theirs
    mine, theirs = _with_type(pred), _with_type(ref)
    return (mine, theirs) if mine != theirs else (_write_repr(pred), _write_repr(ref))


def number(value: Number) -> str:
    """An integer as it is, anything else with four digits."""
    as_float = float(value)
    return str(int(as_float)) if as_float.is_integer() else f"{as_float:.4f}"


def shorten(text: str, width: int) -> str:
    """Cut a text to `width` characters.

    >>> shorten("a long description", 10)
    'a long de…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def write_change(values: Iterable[str]) -> str:
    """What several systems have, one after the other, or one value where all are equal.

    >>> write_change(["19", "4", "19"]), write_change(["4", "4"])
    ('19 → 4 → 19', '4')
    """
    found = list(values)
    return found[0] if len(set(found)) == 1 else " → ".join(found)


def place(path: str) -> str:
    """A path for people, without the functions that select parts.

    >>> place("item_bag()[1]"), place("lines()[0].price"), place("orders.plain()")
    ('[1]', '[0].price', 'orders.plain')
    """
    return re.sub(r"\.?\w+\(\)(?=\[)", "", path).replace("()", "") if "()" in path else path


def _fields(fields: dict[str, Any]) -> str:
    shown = [
        f"{name} {_inside(part)}"
        for name, part in fields.items()
        if not absent(part) and not (isinstance(part, str) and str.__len__(part) == 0)
    ]
    return ", ".join(shown) or "nothing"


def _inside(value: Any) -> str:
    """A value inside of another: what has parts of its own is put in brackets."""
    text = _write(value)
    has_parts = isinstance(value, Mapping | list | tuple | set | frozenset) or record_fields(type(value)) is not None
    return f"({text})" if has_parts and ", " in text else text


def _with_type(value: Any) -> str:
    found = value.value if isinstance(value, Misfit) else value
    return f'"{_write(found)}"' if isinstance(found, str) else _write_repr(found)
