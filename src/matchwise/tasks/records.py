"""Records of which a corpus has tens of thousands: they are made in half the time of a frozen dataclass.

A frozen dataclass sets each field by `object.__setattr__`, which looks the field up by its name. Its slots know where
the field is.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def quick(cls: Class) -> Class:
    """Let a frozen dataclass with slots set its fields by the slots; it is the same in all else.

    >>> from dataclasses import dataclass
    >>> @quick
    ... @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(3)
    Point(x=3, y=0)
    """
    known: dict[str, Any] = {}
    given, body = [], []
    for one in fields(cls):
        known[f"set_{one.name}"] = cls.__dict__[one.name].__set__
        given.append(one.name if one.default is MISSING else f"{one.name}=default_{one.name}")
        known[f"default_{one.name}"] = one.default
        body.append(f"set_{one.name}(self, {one.name})")
    exec(f"def __init__(self, {', '.join(given)}): {'; '.join(body)}", known)
    made, before = known["__init__"], cls.__init__  # type: ignore[misc]  # of this very class
    made.__qualname__, made.__module__, made.__annotations__ = (
        before.__qualname__,
        cls.__module__,
        before.__annotations__,
    )
    cls.__init__ = made  # type: ignore[misc]
    return cls
