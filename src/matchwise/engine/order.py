"""An order of objects by content, so that equal optima are broken the same way whatever order the input comes in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from operator import attrgetter, ne
from types import NoneType
from typing import Any

from matchwise.engine.keys import record_fields


class Missing:
    """The class of `MISSING`, which stands for a part that is not there."""


MISSING = Missing()


def content_order(items: list[Any]) -> list[int]:
    """Sort the positions of objects by content; equal objects keep their order.

    The order of a list inside an object comes last: the list may be compared as a bag.

    >>> content_order(["b", "a", "b"]), content_order([{"xs": [2, 1]}, {"xs": [1, 3]}, {"xs": [1, 2]}])
    ([1, 0, 2], [2, 0, 1])
    """
    if is_ordered(items):
        return sorted(range(len(items)), key=items.__getitem__)
    names: Sequence[Any] | None = names_by_columns(items)
    if names is None:
        names = [rank(item, bags=True) for item in items]
        if len(set(names)) < len(names):
            names = list(zip(names, map(rank, items), strict=True))
    return sorted(range(len(items)), key=names.__getitem__)


def sort_by_content(items: list[Any]) -> list[Any]:
    """The objects in an order that depends on their content alone."""
    return sorted(items) if is_ordered(items) else [items[place] for place in content_order(items)]


def sort_groups(items: Sequence[Any], groups: list[list[int]]) -> list[list[int]]:
    """Sort each group of places by the content of the items there; many groups share the names of their items.

    >>> sort_groups([{"x": 2}, {"x": 1}, {"x": 4}, {"x": 3}], [[0, 1], [2, 3]])
    [[1, 0], [3, 2]]
    """
    if len(groups) > 1:
        every = list(chain.from_iterable(groups))
        several = [items[place] for place in every]
        names = several if is_ordered(several) else names_by_columns(several)
        if names is not None:
            key = dict(zip(every, names, strict=True)).__getitem__
            return [sorted(places, key=key) for places in groups]
    return [[places[number] for number in content_order([items[place] for place in places])] for places in groups]


def names_by_columns(items: list[Any]) -> list[tuple[Any, ...]] | None:
    """Sort keys for objects whose parts Python can compare: tuples, in a tenth of the time that texts take.

    If there are such names for a list, there are for every part of it, which they put into the same order.
    """
    table = _columns(items)
    if table is None:
        return None
    columns: list[list[Any]] = []
    in_order: list[list[Any]] = []
    for column in table:
        found = set(map(type, column))
        types = found - {NoneType, Missing}
        if types in ({list}, {tuple}):
            lists = column if found == types else [part if type(part) in types else () for part in column]
            parts = list(chain.from_iterable(lists))
            if parts and not is_ordered(parts):
                return None
            in_order.append(lists)
            column = [sorted(part) if type(part) in types else part for part in column]
        elif types - {str} and (types - {int, float} or any(map(ne, column, column))):
            return None  # texts are not compared with numbers, and nothing with NaN
        if len(types) > 1 and types != {int, float}:
            return None
        if len(types) != 1 or found != types:
            column = [(0,) if part is MISSING else (1,) if part is None else (2, part) for part in column]
        columns.append(column)
        if found in ({str}, {int}) and len(set(column)) == len(column):
            break  # all objects differ here, so that nobody looks further
    return list(zip(*columns, *in_order, strict=True))


def _columns(items: list[Any]) -> Iterator[list[Any]] | None:
    """The values of objects of one class by fields, if they are dictionaries or records."""
    classes = set(map(type, items))
    cls = classes.pop() if len(classes) == 1 else None
    if cls is dict and set(map(type, names := set(chain.from_iterable(items)))) == {str}:
        return ([item.get(name, MISSING) for item in items] for name in sorted(names))
    fields = None if cls is None else record_fields(cls)
    return (list(map(attrgetter(name), items)) for name in fields) if fields else None


def is_ordered(items: Sequence[Any]) -> bool:
    """True if Python can sort the values: only text, only whole numbers, or equally long tuples of such (or None)."""
    types = set(map(type, items))
    if types in ({str}, {int}):
        return True
    if not all(issubclass(cls, tuple) for cls in types) or len(set(map(len, items))) != 1:
        return False
    return all(set(map(type, column)) == {NoneType} or is_ordered(column) for column in zip(*items, strict=True))


def rank(value: Any, bags: bool = False) -> str:
    """A text that depends only on the content of a value; with `bags`, not on the order of lists inside it either."""
    return _ranker(type(value))(value, bags)  # type: ignore[arg-type]  # classes hash


@cache
def _ranker(cls: type) -> Callable[[Any, bool], str]:
    """How values of one class are ranked."""
    for base in cls.__mro__:
        if base in _RANKERS:
            return _RANKERS[base]
    if issubclass(cls, Mapping):
        return _rank_mapping
    return _rank_other if record_fields(cls) is None else _rank_record


def _rank_number(value: float, bags: bool) -> str:
    if value == value and abs(value) < 2**53 and value == int(value):
        return f"n{int(value)}"
    return f"n{value:x}" if isinstance(value, int) else f"n{value!r}"


def _rank_list(value: Iterable[Any], bags: bool) -> str:
    parts = [rank(part, bags) for part in value]
    return f"[{','.join(sorted(parts) if bags else parts)}]"


def _rank_mapping(value: Mapping[Any, Any], bags: bool) -> str:
    return f"{{{','.join(sorted([f'{rank(name)}:{rank(part, bags)}' for name, part in value.items()]))}}}"


def _rank_record(value: Any, bags: bool) -> str:
    parts = (rank(getattr(value, name), bags) for name in record_fields(type(value)) or ())
    return f"{type(value).__name__}({','.join(parts)})"


def _rank_other(value: Any, bags: bool) -> str:
    text = repr(value)
    return f"o{type(value).__name__}" if " object at 0x" in text else f"o{text}"


_RANKERS: dict[type, Callable[[Any, bool], str]] = {
    str: lambda value, _: "s" + value,
    bool: lambda value, _: f"b{value}",
    NoneType: lambda value, _: "bNone",
    Enum: lambda value, _: f"e{value.name}",
    **dict.fromkeys((int, float), _rank_number),
    **dict.fromkeys((list, tuple), _rank_list),
    **dict.fromkeys((set, frozenset), lambda value, _: f"{{{','.join(sorted(map(rank, value)))}}}"),
    dict: _rank_mapping,
}
