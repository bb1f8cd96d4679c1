"""The fields of a record, whichever library its class comes from.

A source is two functions: `owns(cls)` tells its classes by the attributes they carry, so that no library is imported
that the user's types do not come from, and `fields(cls)` reads their fields. Fields go by the names of attributes:
aliases and renamed fields concern the encoded form only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from matchwise.deriving import jsonschema
from matchwise.deriving.annotations import MISSING, Field, is_typeddict, resolve
from matchwise.errors import DeriveError


class RecordSource(NamedTuple):
    """A library whose classes are records."""

    owns: Callable[[type], bool]
    fields: Callable[[type], tuple[Field, ...]]


def find_source(cls: type) -> RecordSource | None:
    """The source that reads this class, if it is a record at all."""
    return next((source for source in SOURCES if source.owns(cls)), None)


def _dataclass_fields(cls: type) -> tuple[Field, ...]:
    """The fields of a dataclass, the standard library's or Pydantic's."""
    hints = resolve(cls)
    made = dataclasses.fields(cls)
    return tuple(Field(field.name, hints.get(field.name, field.type)) for field in made)


def is_pydantic_model(cls: type) -> bool:
    """True if the class is a model of Pydantic 2."""
    return hasattr(cls, "__pydantic_complete__") and isinstance(getattr(cls, "model_fields", None), dict)


def _pydantic_fields(cls: type) -> tuple[Field, ...]:
    model: Any = cls
    if not model.__pydantic_complete__:
        try:
            model.model_rebuild()
        except Exception as error:  # PydanticUndefinedAnnotation, which is not imported here
            raise DeriveError(
                f"{cls.__name__}: {getattr(error, 'message', error)} where its annotations are read; "
                f"define that name, then call {cls.__name__}.model_rebuild()"
            ) from None
    return tuple(Field(name, _pydantic_annotation(info)) for name, info in model.model_fields.items())


def _pydantic_annotation(info: Any) -> Any:
    """Pydantic takes the outermost `Annotated` apart; put it together again."""
    return Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation


def _is_attrs_class(cls: type) -> bool:
    return isinstance(getattr(cls, "__attrs_attrs__", None), tuple)


def _attrs_fields(cls: type) -> tuple[Field, ...]:
    """A private attribute `_x` is read as `_x`, whatever its argument is called."""
    hints = resolve(cls)
    made = cls.__attrs_attrs__  # type: ignore[attr-defined]  # _is_attrs_class(cls)
    return tuple(Field(a.name, hints.get(a.name, MISSING if a.type is None else a.type)) for a in made)


def _is_struct(cls: type) -> bool:
    """True if the class is a struct of msgspec."""
    return isinstance(getattr(cls, "__struct_fields__", None), tuple)


def _struct_fields(cls: type) -> tuple[Field, ...]:
    hints = resolve(cls)
    return tuple(Field(name, hints[name]) for name in cls.__struct_fields__)  # type: ignore[attr-defined]  # _is_struct


def _typeddict_fields(cls: type) -> tuple[Field, ...]:
    """The keys are the fields; keys that are not required may be absent."""
    free = cls.__optional_keys__  # type: ignore[attr-defined]  # is_typeddict(cls)
    return tuple(Field(name, hint, optional=name in free) for name, hint in resolve(cls).items())


def _is_namedtuple(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def _namedtuple_fields(cls: type) -> tuple[Field, ...]:
    """A `collections.namedtuple` has names only, and needs a setting for each."""
    hints = resolve(cls)
    return tuple(Field(name, hints.get(name, MISSING)) for name in cls._fields)  # type: ignore[attr-defined]  # _is_namedtuple


SOURCES = (
    RecordSource(dataclasses.is_dataclass, _dataclass_fields),
    RecordSource(is_pydantic_model, _pydantic_fields),
    RecordSource(_is_attrs_class, _attrs_fields),
    RecordSource(_is_struct, _struct_fields),
    RecordSource(is_typeddict, _typeddict_fields),
    RecordSource(_is_namedtuple, _namedtuple_fields),
    RecordSource(jsonschema.owns, jsonschema.fields),
)
