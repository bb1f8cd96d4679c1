"""The content of a value as something hashable: x = y exactly when key(x) == key(y).

`True` is not 1, `1` is `1.0`, `"1"` is neither; lists equal tuples; records (dataclasses, Pydantic models, attrs
classes, msgspec structs) are equal when class and fields are. `key` is the definition, `keys` the same by columns.

>>> key([1, {"a": True}]) == key((1.0, {"a": True})), key(True) == key(1)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from typing import Any

_PLAIN = frozenset({str, int, bytes, type(None)})


class _Tag:
    """Keeps the keys of one kind of value apart from all others; one object per name in a process."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name.rpartition(":")[2]

    def __reduce__(self) -> tuple[object, ...]:
        return _tag, (self.name,)


_NAMED: dict[str, _Tag] = {}


def _tag(name: str) -> _Tag:
    return _NAMED.setdefault(name, _Tag(name))


_TRUE, _FALSE, _MAPPING = _tag("True"), _tag("False"), _tag("mapping")


def key(value: Any) -> Hashable:
    """The content of one value; ValueError says why a value has none."""
    if type(value) in _PLAIN:
        return value  # type: ignore[no-any-return]
    try:
        cls = type(value)
        if cls not in _KEYERS:
            _KEYERS[cls] = _keyer(cls)
        return _KEYERS[cls](value)
    except RecursionError:
        raise ValueError("found a value that contains itself, or is nested too deeply to compare") from None


def keys(values: list[Any]) -> list[Hashable]:
    """The content of each value: `[key(value) for value in values]`, by columns."""
    types = set(map(type, values))
    if types <= _PLAIN:
        return values
    if len(types) == 1:
        (only,) = types
        if issubclass(only, tuple) and set(map(type, chain.from_iterable(values))) <= _PLAIN:
            return values
        shape = record_fields(only)
        if shape:
            rows = plain_rows(values, shape)
            if rows is not None:
                return list(zip(repeat(_record_tag(only)), rows))
    return list(map(key, values))


def plain_rows(values: list[Any], names: tuple[str, ...]) -> list[tuple[Any, ...]] | None:
    """The named fields of objects (or dictionaries) of one class as they stand; None where they need keys."""
    get = itemgetter if isinstance(values[0], dict) else attrgetter
    got = map(get(*names), values)
    rows = list(zip(got)) if len(names) == 1 else list(got)
    return rows if set(map(type, chain.from_iterable(rows))) <= _PLAIN else None


def record_fields(cls: type) -> tuple[str, ...] | None:
    """The fields that make up a record's content, or None if the class is no record."""
    try:
        return _FIELDS[cls]
    except KeyError:
        made = _FIELDS[cls] = _record_fields(cls)
        return made


_FIELDS: dict[type, tuple[str, ...] | None] = {}
_KEYERS: dict[type, Callable[[Any], Hashable]] = {}
_TAGS: dict[type, _Tag] = {}


def _record_fields(cls: type) -> tuple[str, ...] | None:
    if is_dataclass(cls):
        return tuple(field.name for field in fields(cls) if field.compare)
    if hasattr(cls, "__struct_fields__"):
        return tuple(cls.__struct_fields__)
    if hasattr(cls, "__attrs_attrs__"):
        return tuple(field.name for field in cls.__attrs_attrs__ if field.eq)
    if hasattr(cls, "__pydantic_fields__"):
        return tuple(cls.__pydantic_fields__)
    return None


def _record_tag(cls: type) -> _Tag:
    tag = _TAGS.get(cls)
    if tag is None:
        name = f"{cls.__module__}:{cls.__qualname__}"
        # Two classes of one name (defined twice in a function) are two classes; the name is for other processes.
        tag = _TAGS[cls] = _Tag(name) if _NAMED.get(name) in _TAGS.values() else _tag(name)
    return tag


def _keyer(cls: type) -> Callable[[Any], Hashable]:
    """How values of one class become keys."""
    if cls is bool:
        return lambda value: _TRUE if value else _FALSE
    if issubclass(cls, str):
        return str.__str__
    if issubclass(cls, int):
        return int
    if issubclass(cls, float):
        return _float_key
    if issubclass(cls, list | tuple):
        return _sequence_key
    if issubclass(cls, set | frozenset):
        return lambda value: frozenset(map(key, value))
    if issubclass(cls, Mapping):
        return lambda value: (_MAPPING, frozenset((key(name), key(part)) for name, part in value.items()))
    names = record_fields(cls)
    if names is not None:
        tag = _record_tag(cls)
        return lambda value: (tag, _sequence_key(getattr(value, name) for name in names))
    return _own_key


def _float_key(value: float) -> Hashable:
    if value != value:
        raise ValueError("found NaN, which equals nothing, not even itself; leave it out or write None when reading")
    return float(value)


def _sequence_key(values: Iterable[Any]) -> Hashable:
    return tuple(map(key, values))


def _own_key(value: Any) -> Hashable:
    """An object that is no record is equal to what it says it is equal to."""
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"found an unhashable {type(value).__name__}, which is no record, list or mapping; "
            "give the class __hash__ and __eq__, or make it a dataclass"
        ) from None
    return value  # type: ignore[no-any-return]
