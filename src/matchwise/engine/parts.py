"""The parts of one side of a document: lists of objects, what is selected from them, and where each came from.

A plan works on lists of parts, never on pairs of objects. Each list remembers (`memo`) what was computed of it, so that
equal sub-expressions of a suite are computed once, and forgets it with the document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from matchwise.algebra.nodes import Selector, Step
from matchwise.errors import DataError, suggestion


class Item(NamedTuple):
    """One entry of a mapping that is read as a collection."""

    key: Any
    value: Any


class Side:
    """One side of one document: its name for messages, and the lists of parts that were met so far."""

    __slots__ = ("known", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: list[Parts] = []


class Parts:
    """Objects of one side, with the way back to the document."""

    __slots__ = ("items", "memo", "path", "side")

    def __init__(self, items: list[Any], path: Callable[[int], str], side: Side) -> None:
        self.items = items
        self.path = path
        self.memo: dict[Any, Any] = {}
        self.side = side

    def __len__(self) -> int:
        return len(self.items)

    def fail(self, index: int, problem: str) -> DataError:
        return DataError(problem, path=self.path(index), side=self.side.name)

    def select(self, sel: Selector) -> Parts:
        """The selected value of every object."""
        if not sel:
            return self
        made: Parts | None = self.memo.get(sel)
        if made is None:
            items = self.items
            for done, step in enumerate(sel):
                items = _step_all(items, step, self, sel[:done])
            made = self.memo[sel] = Parts(items, _Field(self.path, sel), self.side)
        return made

    def flat(self, sel: Selector) -> Flat:
        """The elements of the selected collection of every object, in one list."""
        tag = ("flat", sel)
        made: Flat | None = self.memo.get(tag)
        if made is None:
            values = self.select(sel)
            lists = [elements(value) for value in values.items]
            if None in lists:
                index = lists.index(None)
                raise values.fail(index, not_a_collection(values.items[index]))
            made = self.memo[tag] = flatten(lists, values)  # type: ignore[arg-type]  # None is excluded above
        return made

    def present(self, sel: Selector) -> tuple[list[int], Parts]:
        """The objects that have the selected part, and the part itself; an absent one is no error."""
        tag = ("present", sel)
        made: tuple[list[int], Parts] | None = self.memo.get(tag)
        if made is None:
            values = [_reach(item, sel, self, index) for index, item in enumerate(self.items)]
            kept = [index for index, value in enumerate(values) if not absent(value)]
            path = _Taken(_Field(self.path, sel) if sel else self.path, kept)
            made = self.memo[tag] = kept, Parts([values[index] for index in kept], path, self.side)
        return made

    def take(self, indices: list[int]) -> Parts:
        """The objects at the given positions."""
        items = self.items
        return Parts([items[index] for index in indices], _Taken(self.path, indices), self.side)

    def distinct(self) -> tuple[list[int], Parts]:
        """The number of each object among the distinct objects (by identity), and these."""
        made: tuple[list[int], Parts] | None = self.memo.get("distinct")
        if made is None:
            numbers: dict[int, int] = {}
            first: list[int] = []
            codes = []
            for index, item in enumerate(self.items):
                number = numbers.get(id(item))
                if number is None:
                    number = numbers[id(item)] = len(first)
                    first.append(index)
                codes.append(number)
            made = codes, self._recognised(first)
            if made[1] is not self:  # a list that remembered itself would outlive the document
                self.memo["distinct"] = made
        return made

    def _recognised(self, first: list[int]) -> Parts:
        """The same objects as an earlier list of this side are that list: its tables are shared."""
        if len(first) == len(self.items):
            return self
        items = [self.items[index] for index in first]
        for other in self.side.known:
            if len(other.items) == len(items) and all(a is b for a, b in zip(other.items, items, strict=True)):
                return other
        made = self.take(first)
        self.side.known.append(made)
        return made


class Flat(NamedTuple):
    """Collections laid end to end: those of object i are parts[offsets[i]:offsets[i + 1]]."""

    parts: Parts
    offsets: list[int]

    def owners(self) -> list[int]:
        made: list[int] | None = self.parts.memo.get("owners")
        if made is None:
            offsets = self.offsets
            made = [owner for owner in range(len(offsets) - 1) for _ in range(offsets[owner], offsets[owner + 1])]
            self.parts.memo["owners"] = made
        return made

    def of(self, owner: int) -> Parts:
        return self.parts.take(list(range(self.offsets[owner], self.offsets[owner + 1])))


def document(item: Any, side: str = "") -> Parts:
    """One side of one document, as a list of one object."""
    return Parts([item], _root, Side(side))


def flatten(lists: list[list[Any]], parents: Parts) -> Flat:
    offsets = list(accumulate(map(len, lists), initial=0))
    items = lists[0] if len(lists) == 1 else [item for part in lists for item in part]
    parts = Parts(items, _Element(parents.path, offsets), parents.side)
    parents.side.known.append(parts)
    return Flat(parts, offsets)


def elements(value: Any) -> list[Any] | None:
    """The elements of a collection; those of a mapping are its items. None if the value is no collection."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping):
        return [Item(name, part) for name, part in value.items()]
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        return list(value)
    return None


def not_a_collection(value: Any) -> str:
    found = "None" if value is None else f"{type(value).__name__} {_short(value)}"
    hint = "; write an empty list when reading, or give it a place in a sum of parts" if value is None else ""
    return f"found {found}, expected a collection (list, tuple, set, mapping){hint}"


def absent(value: Any) -> bool:
    """Missing, None, an empty list and an empty record are one notion."""
    return (
        value is None
        or value is _MISSING
        or (isinstance(value, list | tuple | set | frozenset | Mapping) and not value)
    )


def attempt(function: Callable[..., Any], *values: Any) -> Any:
    """Call a user's function; what it raises becomes a ValueError that names it."""
    try:
        return function(*values)
    except Exception as error:
        raise ValueError(f"{function.__name__} raised {type(error).__name__}: {error}") from error


_MISSING = object()


def _root(_: int) -> str:
    return ""


class _Field:
    """The path to a selected value: `parent.name`."""

    __slots__ = ("parent", "sel")

    def __init__(self, parent: Callable[[int], str], sel: Selector) -> None:
        self.parent = parent
        self.sel = sel

    def __call__(self, index: int) -> str:
        return join(self.parent(index), self.sel)


class _Element:
    """The path to an element: `parent[3]`."""

    __slots__ = ("offsets", "parent")

    def __init__(self, parent: Callable[[int], str], offsets: list[int]) -> None:
        self.parent = parent
        self.offsets = offsets

    def __call__(self, index: int) -> str:
        owner = bisect_right(self.offsets, index) - 1
        return f"{self.parent(owner)}[{index - self.offsets[owner]}]"


class _Taken:
    __slots__ = ("indices", "parent")

    def __init__(self, parent: Callable[[int], str], indices: list[int]) -> None:
        self.parent = parent
        self.indices = indices

    def __call__(self, index: int) -> str:
        return self.parent(self.indices[index])


def join(path: str, sel: Iterable[Step]) -> str:
    """A path with further steps: join("items[3]", ("price",)) == "items[3].price"."""
    for step in sel:
        if isinstance(step, int):
            path = f"{path}[{step}]"
        else:
            name = step if isinstance(step, str) else f"{step.__name__}()"
            path = f"{path}.{name}" if path else name
    return path


def _step_all(items: list[Any], step: Step, parts: Parts, before: Selector) -> list[Any]:
    """One step for a whole list: one class at a time at full speed, anything else object by object."""
    types = set(map(type, items))
    if len(types) == 1 and not callable(step):
        (only,) = types
        try:
            if issubclass(only, dict):
                return list(map(itemgetter(step), items))
            if isinstance(step, str) and not issubclass(only, Mapping):
                return list(map(attrgetter(step), items))
        except (AttributeError, KeyError):
            pass  # the careful way below says which object it was
    values = []
    for index, item in enumerate(items):
        value = _one_step(item, step, parts, index, before)
        if value is _MISSING:
            raise _no_part(item, step, parts, index, before)
        values.append(value)
    return values


def _reach(item: Any, sel: Selector, parts: Parts, index: int) -> Any:
    for done, step in enumerate(sel):
        if item is None or item is _MISSING:
            return _MISSING
        item = _one_step(item, step, parts, index, sel[:done])
    return item


def _one_step(item: Any, step: Step, parts: Parts, index: int, before: Selector) -> Any:
    """The part of one object that a step leads to; a mapping or None may lack it, any other object may not."""
    if callable(step):
        try:
            return attempt(step, item)
        except ValueError as error:
            raise DataError(str(error), join(parts.path(index), before), side=parts.side.name) from error
    if isinstance(item, Mapping):
        return item.get(step, item.get(str(step), _MISSING))
    try:
        return item[step] if isinstance(step, int) else getattr(item, step)
    except (AttributeError, IndexError, TypeError, KeyError):
        if item is None:
            return _MISSING
        raise _no_part(item, step, parts, index, before) from None


def _no_part(item: Any, step: Step, parts: Parts, index: int, before: Selector) -> DataError:
    where = join(parts.path(index), before)
    if item is None:
        return DataError(f"found None, expected an object with {step!r}", path=where, side=parts.side.name)
    known = list(item) if isinstance(item, Mapping) else [name for name in dir(item) if not name.startswith("_")]
    noun = "key" if isinstance(item, Mapping) else "position" if isinstance(step, int) else "attribute"
    hint = suggestion(str(step), known) if noun != "position" and len(known) < 40 else ""
    problem = f"found {type(item).__name__} {_short(item)} without {noun} {step!r}{hint}"
    return DataError(problem, path=where, side=parts.side.name)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
