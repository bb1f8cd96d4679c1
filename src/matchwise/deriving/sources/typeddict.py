"""Typed dictionaries, whose keys are the fields; keys that are not required may be absent."""

from __future__ import annotations

from matchwise.deriving.sources.annotations import is_typeddict, resolve
from matchwise.deriving.sources.field import Field


def owns(cls: type) -> bool:
    return is_typeddict(cls)


def fields(cls: type) -> tuple[Field, ...]:
    free = cls.__optional_keys__  # type: ignore[attr-defined]  # owns(cls)
    return tuple(Field(name, hint, optional=name in free) for name, hint in resolve(cls).items())
