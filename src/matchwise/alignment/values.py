"""Values as people and JSON see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from matchwise.engine.keys import record_fields
from matchwise.engine.order import rank

WIDTH = 60


def plain(value: Any) -> Any:
    """A value as JSON can hold it; what has no JSON form is its repr."""
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
    return repr(value)


def short(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, set | frozenset):
        text = "{" + ", ".join(repr(part) for part in sorted(value, key=rank)) + "}"
    elif isinstance(value, date | time | Decimal | UUID) or _reads_well(type(value)):
        text = str(value)
    else:
        text = repr(value)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _reads_well(T: type) -> bool:
    """Whether it is a data class that says how people read it."""
    return is_dataclass(T) and T.__str__ is not object.__str__
