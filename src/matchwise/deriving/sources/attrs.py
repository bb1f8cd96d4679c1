"""Classes made by attrs; a private attribute `_x` is read as `_x`, whatever its argument is called."""

from __future__ import annotations

from matchwise.deriving.sources.annotations import resolve
from matchwise.deriving.sources.field import MISSING, Field


def owns(cls: type) -> bool:
    return isinstance(getattr(cls, "__attrs_attrs__", None), tuple)


def fields(cls: type) -> tuple[Field, ...]:
    hints = resolve(cls)
    made = cls.__attrs_attrs__  # type: ignore[attr-defined]  # owns(cls)
    return tuple(Field(a.name, hints.get(a.name, MISSING if a.type is None else a.type)) for a in made)
