"""Values as JSON holds them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from matchwise.engine.keys import record_fields
from matchwise.engine.order import rank


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
    return repr(value)
