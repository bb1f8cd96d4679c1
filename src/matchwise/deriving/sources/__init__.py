"""The fields of a record, whichever library its class comes from.

A source is two functions: `owns(cls)` tells its classes by the attributes they carry, so that no library is imported
that the user's types do not come from, and `fields(cls)` reads their fields.
"""

from __future__ import annotations

from typing import Protocol

from matchwise.deriving.sources import attrs, dataclasses, jsonschema, msgspec, namedtuple, pydantic, typeddict
from matchwise.deriving.sources.field import Field as Field


class Source(Protocol):
    def owns(self, cls: type) -> bool: ...

    def fields(self, cls: type) -> tuple[Field, ...]: ...


SOURCES: tuple[Source, ...] = (dataclasses, pydantic, attrs, msgspec, typeddict, namedtuple, jsonschema)


def source_of(cls: type) -> Source | None:
    """The source that reads this class, if it is a record at all."""
    return next((source for source in SOURCES if source.owns(cls)), None)
