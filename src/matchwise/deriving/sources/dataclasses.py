"""Dataclasses of the standard library (and those of Pydantic, which are the same)."""

from __future__ import annotations

import dataclasses

from matchwise.deriving.sources.annotations import resolve
from matchwise.deriving.sources.field import Field


def owns(cls: type) -> bool:
    return dataclasses.is_dataclass(cls)


def fields(cls: type) -> tuple[Field, ...]:
    hints = resolve(cls)
    made = dataclasses.fields(cls)
    return tuple(Field(field.name, hints.get(field.name, field.type)) for field in made)
