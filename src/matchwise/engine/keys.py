"""The content of a value as something hashable: x = y exactly when key(x) == key(y).

`True` is not 1, `1` is `1.0`, `"1"` is neither; lists equal tuples; records (dataclasses, Pydantic models, attrs
classes, msgspec structs) are equal when class and fields are.

>>> key([1, {"a": True}]) == key((1.0, {"a": True})), key(True) == key(1)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields
from enum import Enum
from functools import lru_cache
from itertools import chain, repeat
from typing import Any
from weakref import WeakKeyDictionary

from matchwise.errors import write_error

PLAIN_KEYS = frozenset({str, int, bytes, type(None)})


class _Tag(Enum):
    """Keeps the keys of one kind of value apart from all others, in every process."""

    TRUE = "True"
    FALSE = "False"
    MAPPING = "mapping"
    NUMPY = "numpy"

    def __repr__(self) -> str:
        return str(self.value)

    __str__ = __repr__


def key(value: Any) -> Hashable:
    """The content of one value; ValueError says why a value has none."""
    if type(value) in PLAIN_KEYS:
        return value  # type: ignore[no-any-return]
    try:
        cls = type(value)
        return _keyer(cls)(value)  # type: ignore[arg-type]  # classes hash
    except RecursionError:
        raise ValueError("found a value that contains itself, or is nested too deeply to compare") from None
    except ValueError:
        raise
    except Exception as error:  # of a method of the user's class
        if cls.__module__ == "builtins":
            raise  # a mistake of ours
        problem = f"found a {cls.__name__} that cannot be read: {write_error(error)}"
        raise ValueError(f"{problem}; convert it when reading") from None


def content_of(value: Any) -> Hashable:
    """The content of one value; values without comparable content are distinguished by identity."""
    try:
        return key(value)
    except ValueError:
        return "identity", id(value)


def keys(values: list[Any]) -> list[Hashable]:
    """The content of each value."""
    classes = set(map(type, values))
    if classes <= PLAIN_KEYS:
        return values
    if classes == {tuple} and set(map(type, chain.from_iterable(values))) <= PLAIN_KEYS:
        return values  # the spans of a treebank: key by key, its scores take a tenth more time
    return list(map(str.__str__ if all(issubclass(cls, str) for cls in classes) else key, values))


_TAGS: WeakKeyDictionary[type, str] = WeakKeyDictionary()


def record_fields(cls: type) -> tuple[str, ...] | None:
    """The fields that make up a record's content, or None if the class is not a record."""
    return _record_fields(cls)


@lru_cache(maxsize=4096)
def _record_fields(cls: type) -> tuple[str, ...] | None:
    if hasattr(cls, "__dataclass_fields__"):
        return tuple(field.name for field in fields(cls) if field.compare)
    if hasattr(cls, "__struct_fields__"):
        return tuple(cls.__struct_fields__)
    if hasattr(cls, "__attrs_attrs__"):
        return tuple(field.name for field in cls.__attrs_attrs__ if field.eq)
    if hasattr(cls, "__pydantic_fields__"):
        return tuple(cls.__pydantic_fields__)
    return None


def _record_tag(cls: type) -> str:
    """What keeps the keys of a class apart from others and from lists: a text that no document has.

    The garbage collector forgets tuples of texts and numbers, but not of objects, which would take it two thirds of
    the time of a long document.
    """
    if cls not in _TAGS:
        name = f"\0record {cls.__module__}:{cls.__qualname__}"
        # Two classes of one name (defined twice in a function) are two classes; the name is for other processes.
        _TAGS[cls] = f"{name} {id(cls)}" if name in list(_TAGS.values()) else name
    return _TAGS[cls]


@lru_cache(maxsize=4096)
def _keyer(cls: type) -> Callable[[Any], Hashable]:
    """How values of one class become keys."""
    if cls is bool:
        return lambda value: _Tag.TRUE if value else _Tag.FALSE
    if issubclass(cls, str):
        return str.__str__
    if issubclass(cls, int):
        return int
    if issubclass(cls, float):
        return _float_key
    if issubclass(cls, list | tuple):
        return lambda value: tuple(map(key, value))
    if issubclass(cls, set | frozenset):
        return lambda value: frozenset(map(key, value))
    if issubclass(cls, Mapping):
        return lambda value: (_Tag.MAPPING, frozenset((key(name), key(part)) for name, part in value.items()))
    if cls.__module__ == "numpy" and cls.__hash__ is not None:  # 3 == [3] is an array of truth values for NumPy
        return lambda value: key(value.item()) if value.dtype.kind in "biufc" else (_Tag.NUMPY, _own_key(value))
    names = record_fields(cls)
    if names is not None:
        tag = _record_tag(cls)
        return lambda value: (tag, *map(key, map(getattr, repeat(value), names)))
    return _own_key


def _float_key(value: float) -> Hashable:
    if value != value:
        raise ValueError("found NaN, which equals nothing, not even itself; leave it out or write None when reading")
    return float(value)


def _own_key(value: Any) -> Hashable:
    """The key of an object that is not a record: its own `==` and `hash` decide."""
    name = type(value).__name__
    try:
        hash(value)
    except Exception:
        problem = f"found an unhashable {name}, which is not a record, list or mapping"
        raise ValueError(f"{problem}; {_advise(value)}") from None
    try:
        same = value == value  # a tensor answers with a tensor, and pandas.NA with NA
    except Exception as error:
        raise ValueError(f"found a {name} whose == raises {write_error(error)}; {_advise(value)}") from None
    if type(same).__name__ not in ("bool", "bool_"):  # the second is NumPy's
        problem = f"found a {name} whose == answers with a {type(same).__name__}, not with True or False"
        raise ValueError(f"{problem}; {_advise(value)}")
    return value  # type: ignore[no-any-return]


def _advise(value: Any) -> str:
    """What to do with a value that has no content; arrays and frames have a way to lists."""
    known = [way for way in ("tolist", "to_list", "to_dicts", "to_dict") if hasattr(value, way)]
    return f"write .{known[0]}()" if known else "give the class __hash__ and __eq__, or make it a dataclass"
