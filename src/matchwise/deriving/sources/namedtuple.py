"""Named tuples: a `collections.namedtuple` has names only, and needs a setting for each."""

from __future__ import annotations

from matchwise.deriving.sources.annotations import resolve
from matchwise.deriving.sources.field import MISSING, Field


def owns(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def fields(cls: type) -> tuple[Field, ...]:
    hints = resolve(cls)
    return tuple(Field(name, hints.get(name, MISSING)) for name in cls._fields)  # type: ignore[attr-defined]  # owns(cls)
