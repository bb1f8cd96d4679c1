"""Lists in documents that are given as plain dictionaries and lists, and the pairs that a scorer chose of two lists."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

ANSWERS = ("response", "answer", "output", "prediction", "completion", "text", "content")
"""Where the answer of a model stands."""

Item = TypeVar("Item")
Made = TypeVar("Made")


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


def read_list(
    build: Callable[[Any], Made], document: Any, names: tuple[str, ...], or_else: str = ""
) -> tuple[Made, ...]:
    """What `build` makes of each element of a document, which is a list, or a dictionary that has one under a name.

    A ValueError says which element it is about.

    >>> read_list(int, {"id": 1, "numbers": ["1", "2"]}, ("numbers", "values"), "a NumberSet")
    (1, 2)
    >>> read_list(int, ["1", "two"], ("numbers",))
    Traceback (most recent call last):
    ValueError: numbers[1]: invalid literal for int() with base 10: 'two'
    """
    found = document if isinstance(document, list | tuple) else find_list(document, names)
    if found is None and isinstance(document, Mapping):
        raise missing_key(f"a document with {names[0]}", document)
    if found is None:
        either = f"{or_else} or " if or_else else ""
        raise ValueError(f"expected {either}a list of {names[0]}, found {type(document).__name__}")
    return read_each(build, found, names[0])


def read_each(build: Callable[[Any], Made], values: Iterable[Any], key: str) -> tuple[Made, ...]:
    """What `build` makes of each value; a ValueError names the place, as in `relations[3]`."""
    if not isinstance(values, Iterable):
        raise ValueError(f"{key}: expected a list, found {type(values).__name__}")
    made = []
    for place, value in enumerate(values):
        try:
            made.append(build(value))
        except ValueError as error:
            raise ValueError(f"{key}[{place}]: {error}") from None
    return tuple(made)


def missing_key(expected: str, value: Mapping[Any, Any]) -> ValueError:
    """The error of a dictionary that lacks a key.

    >>> missing_key("a relation with a type", {"head": 1})
    ValueError('expected a relation with a type, found the keys head')
    """
    return ValueError(f"expected {expected}, found the keys {', '.join(map(str, value)) or 'none'}")


def keep_first(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[Item]:
    """The items as a set: the first of those that have one key stays.

    >>> keep_first(["ab", "c", "de"], len)
    ['ab', 'c']
    """
    found: dict[Hashable, Item] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())


class Numbered(NamedTuple):
    """An element, and the number that it shares with its partner only: `eq("pair")` matches the two."""

    pair: int
    value: Any


def pair_up(
    mine: Sequence[Any], theirs: Sequence[Any], pairs: Iterable[tuple[int, int]]
) -> tuple[tuple[Numbered, ...], tuple[Numbered, ...]]:
    """The elements of both sides, given the places of those that belong together.

    >>> mine, theirs = pair_up("ab", "bc", [(1, 0)])
    >>> mine[1], [one.pair for one in mine], [one.pair for one in theirs]
    (Numbered(pair=0, value='b'), [-1, 0], [0, 1])
    """
    partner = dict(pairs)
    left = tuple([Numbered(partner.get(i, -1 - i), one) for i, one in enumerate(mine)])
    return left, tuple(map(Numbered, range(len(theirs)), theirs))
