"""One field of a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Field:
    """The name under which an object holds a part, and the part's annotation; `optional` if it may be missing."""

    name: str
    type: Any
    optional: bool = False


MISSING = object()
"""The annotation of a field that has none."""
