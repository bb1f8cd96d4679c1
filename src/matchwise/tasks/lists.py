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
