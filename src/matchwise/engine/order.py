"""An order of objects by content, so that equal optima are broken the same way whatever order the input comes in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from matchwise.engine.keys import record_fields


def content_order(items: list[Any]) -> list[int]:
    """The positions of the objects, sorted by content; equal objects keep their positions' order.

    >>> content_order(["b", "a", "b"])
    [1, 0, 2]
    """
    if set(map(type, items)) in ({str}, {int}):
        return sorted(range(len(items)), key=items.__getitem__)
    names = [rank(item) for item in items]
    return sorted(range(len(items)), key=names.__getitem__)


def rank(value: Any) -> str:
    """A text that depends on nothing but the content of a value."""
    if isinstance(value, str):
        return "s" + value
    if value is None or isinstance(value, bool):
        return f"b{value}"
    if isinstance(value, int | float):
        return f"n{int(value)}" if value == value and abs(value) < 2**53 and value == int(value) else f"n{value!r}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(rank, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{','.join(sorted(map(rank, value)))}}}"
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{rank(name)}:{rank(part)}' for name, part in value.items()))}}}"
    if isinstance(value, Enum):
        return f"e{value.name}"
    names = record_fields(type(value))
    if names is not None:
        return f"{type(value).__name__}({','.join(rank(getattr(value, name)) for name in names)})"
    text = repr(value)
    return f"o{type(value).__name__}" if " object at 0x" in text else f"o{text}"
