"""The classes of records, from values: what an instance holds, what a class asks for, and which class a value is of.

What a class is called here must be one of the sources of `derive`; see `matchwise.deriving.sources`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, get_args, get_origin

from matchwise.deriving import typeinfo
from matchwise.deriving.scalars import decoder
from matchwise.deriving.sources import jsonschema
from matchwise.deriving.typeinfo import Described, describe


def built(value: Any, names: Collection[str]) -> dict[str, Any]:
    """The fields of an instance, and what Pydantic was told to keep besides."""
    found = {name: getattr(value, name, None) for name in names}
    return found | (getattr(value, "model_extra", None) or {})


def spellings(cls: type) -> dict[str, tuple[str, ...]]:
    """Under which keys JSON holds a field, if not only under its name: aliases of Pydantic and msgspec."""
    if hasattr(cls, "__struct_encode_fields__"):
        pairs = zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True)  # type: ignore[attr-defined]
        return {name: (name, alias) for name, alias in pairs if name != alias}
    found = {}
    for name, info in _pydantic_fields(cls).items():
        aliases = [
            info.alias,
            info.serialization_alias,
            *getattr(info.validation_alias, "choices", [info.validation_alias]),
        ]
        names = tuple(dict.fromkeys([name, *(alias for alias in aliases if isinstance(alias, str))]))
        if len(names) > 1:
            found[name] = names
    return found


def required(cls: type) -> frozenset[str]:
    """The fields that have to be there."""
    if issubclass(cls, jsonschema.Object):
        return frozenset(cls.schema.schema.get("required", ()))
    if hasattr(cls, "__required_keys__"):
        return frozenset(cls.__required_keys__)
    if hasattr(cls, "_field_defaults"):
        return frozenset(name for name in cls._fields if name not in cls._field_defaults)  # type: ignore[attr-defined]
    if hasattr(cls, "__struct_defaults__"):
        names = cls.__struct_fields__  # type: ignore[attr-defined]
        return frozenset(names[: len(names) - len(cls.__struct_defaults__)])
    if hasattr(cls, "__attrs_attrs__"):
        return frozenset(a.name for a in cls.__attrs_attrs__ if repr(a.default) == "NOTHING")
    if dataclasses.is_dataclass(cls):
        missing = dataclasses.MISSING
        plain = (f for f in dataclasses.fields(cls) if f.default is missing and f.default_factory is missing)
        return frozenset(f.name for f in plain)
    return frozenset(name for name, info in _pydantic_fields(cls).items() if info.is_required())


def claim(described: Described) -> Callable[[Any], int]:
    """How good a claim a case of a union has on a value; 0 is none."""
    match described.shape:
        case typeinfo.Scalar():
            return decoder(described).claim
        case typeinfo.Record(cls, fields):
            tags = {
                f.name: get_args(describe(f.type).type) for f in fields if get_origin(describe(f.type).type) is Literal
            }
            return lambda value: _record_claim(value, cls, tags)
        case typeinfo.Collection() | typeinfo.Tuple():
            return _list_claim
        case typeinfo.Mapping():
            return lambda value: int(isinstance(value, Mapping))
        case typeinfo.Union(cases):
            claims = [claim(describe(case)) for case in cases]
            return lambda value: max(each(value) for each in claims)
        case typeinfo.Unknown():
            return lambda value: 1


def _record_claim(value: Any, cls: type, tags: dict[str, tuple[Any, ...]]) -> int:
    if not isinstance(value, Mapping):
        return 0 if issubclass(cls, dict) else 2 * isinstance(value, cls)
    return 2 if all(value.get(name) in allowed for name, allowed in tags.items()) else 1


def _list_claim(value: Any) -> int:
    return int(isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping))


def _pydantic_fields(cls: type) -> dict[str, Any]:
    if dataclasses.is_dataclass(cls):
        return {}
    return getattr(cls, "__pydantic_fields__", None) or {}
