"""Structs of msgspec, by attribute names: `rename` concerns the encoded form only."""

from __future__ import annotations

from matchwise.deriving.sources.annotations import resolve
from matchwise.deriving.sources.field import Field


def owns(cls: type) -> bool:
    return isinstance(getattr(cls, "__struct_fields__", None), tuple)


def fields(cls: type) -> tuple[Field, ...]:
    hints = resolve(cls)
    return tuple(Field(name, hints[name]) for name in cls.__struct_fields__)  # type: ignore[attr-defined]  # owns(cls)
