"""Lists in documents that are given as plain dictionaries and lists."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

Item = TypeVar("Item")


def find_list(value: Mapping[str, Any] | list[Any] | tuple[Any, ...], names: tuple[str, ...]) -> list[Any] | None:
    """The list under the first of the names that a dictionary has, or None."""
    for name in names:
        if isinstance(value, Mapping) and name in value:
            found = value[name]
            if found is None:
                return []
            if not isinstance(found, list | tuple):
                raise ValueError(f"expected a list under {name!r}, found {type(found).__name__}")
            return list(found)
    return None


def list_of(document: Any, names: tuple[str, ...], or_else: str = "") -> list[Any]:
    """The elements of a document: a list, or a dictionary that has one under the first of the names that it has.

    >>> list_of({"props": None, "id": 1}, ("relations", "props")), list_of([1, 2], ("relations",))
    ([], [1, 2])
    """
    found = list(document) if isinstance(document, list | tuple) else find_list(document, names)
    if found is not None:
        return found
    if isinstance(document, Mapping):
        raise missing_key(f"a document with {names[0]}", document)
    either = f"{or_else} or " if or_else else ""
    raise ValueError(f"expected {either}a list of {names[0]}, found {type(document).__name__}")


def missing_key(expected: str, value: Mapping[Any, Any]) -> ValueError:
    """The error of a dictionary that lacks a key.

    >>> missing_key("a relation with a type", {"head": 1})
    ValueError('expected a relation with a type, found the keys head')
    """
    return ValueError(f"expected {expected}, found the keys {', '.join(map(str, value)) or 'none'}")


def read_each(build: Callable[[Any], Any], values: Iterable[Any], key: str) -> tuple[Any, ...]:
    """What `build` makes of each value; a ValueError names the place, as in `relations[3]`."""
    made = []
    for place, value in enumerate(values):
        try:
            made.append(build(value))
        except ValueError as error:
            raise ValueError(f"{key}[{place}]: {error}") from None
    return tuple(made)


def keep_first(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[Item]:
    """The items as a set: the first of those that have one key stays.

    >>> keep_first(["ab", "c", "de"], len)
    ['ab', 'c']
    """
    found: dict[Hashable, Item] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())
