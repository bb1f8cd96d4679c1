"""From objects to their parts, one step at a time, for one object or for a whole list; and what type a part has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from math import isfinite
from operator import attrgetter, countOf, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.nodes import Contingency, Custom, Move, Number, Selector, Similarity
from matchwise.algebra.steps import Batched
from matchwise.errors import RAISED, DataError, shorten, suggestion

if TYPE_CHECKING:
    from matchwise.algebra.facts import Facts
    from matchwise.engine.many.frame import Frame
    from matchwise.engine.many.table import ElementTable


class Item(NamedTuple):
    """One entry of a mapping that is read as a collection."""

    key: Any
    value: Any


def elements(value: Any) -> list[Any] | None:
    """The elements of a collection, the items of a mapping; None for any other value."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return [Item(name, part) for name, part in value.items()]
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        return list(value)
    return None


def not_a_collection(value: Any) -> str:
    found = "None" if value is None else f"{type(value).__name__} {shorten(value)}"
    hint = "; write an empty list when reading, or give it a place in a sum of parts" if value is None else ""
    return f"found {found}, expected a collection (list, tuple, set, mapping){hint}"


def absent(value: Any) -> bool:
    """True for a missing key, None, an empty list and an empty record: all mean absent."""
    if type(value) in PLAIN:
        return value is None
    return value is MISSING or (isinstance(value, _COLLECTIONS) and not value)


_COLLECTIONS = (list, tuple, set, frozenset, Mapping)


def attempt(function: Callable[..., Any], *values: Any) -> Any:
    """Call a user's function; what it raises becomes a ValueError that names it (our own say what is wrong)."""
    try:
        return function(*values)
    except RAISED as error:
        if isinstance(error, ValueError) and getattr(function, "__module__", "").startswith("matchwise."):
            raise
        raise ValueError(f"{function.__name__} raised {type(error).__name__}: {error}") from error


def valid(value: Any, phi: Custom | Contingency, facts: Facts) -> Number:
    """Check that a user's function returned a similarity, and return it."""
    if (type(value) is float or type(value) is int) and 0 <= value <= 1:
        return value
    name = phi.function.__name__
    if isinstance(value, bool):
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} returned {value!r}, expected a number") from None
    if not isfinite(number) or number < 0:
        raise ValueError(f"{name} returned {value!r}, expected a finite number that is not negative")
    if number > 1 and facts.bounded.holds:
        raise ValueError(
            f"{name} returned {value!r}, expected a number from 0 to 1; "
            f"write {type(phi).__name__.lower()}(..., unnormalized=True) if it may be larger"
        )
    return value  # type: ignore[no-any-return]


def join(path: str, sel: Iterable[Move]) -> str:
    """A path with further steps: join("items[3]", ("price",)) == "items[3].price"."""
    for step in sel:
        if isinstance(step, int):
            path = f"{path}[{step}]"
        else:
            name = step if isinstance(step, str) else f"{step.__name__}()"
            path = f"{path}.{name}" if path else name
    return path


class Missing:
    """The class of `MISSING`, which stands for a part that is not there."""


MISSING = Missing()

PLAIN = frozenset({bool, bytes, float, int, str, type(None)})


def step_carefully(items: list[Any], step: Move, frame: Frame, before: Selector) -> list[Any] | ElementTable:
    """One step for a whole list, object by object; a function may have a form for many."""
    if callable(step):
        try:
            return _call_all(step, items, frame)
        except RAISED:
            _step_each(items, step, frame, before)  # says which object it was
            raise  # none: what failed is the form for many objects
    return _step_each(items, step, frame, before)


def _call_all(function: Callable[[Any], Any], items: list[Any], frame: Frame) -> list[Any] | ElementTable:
    """Call a function for each object, or its form for many (see `table`), which may decline."""
    found = None
    if isinstance(function, Batched):
        of, given = function.of, items
        if of is not None:
            given = frame.once(("of", of), lambda: of(items)) if items is frame.items else of(items)
        found = function.many(given)
    if found is None:
        found = [function(item) for item in items]  # no map: it would take a StopIteration for the end of all
    return found


def _step_each(items: list[Any], step: Move, frame: Frame, before: Selector) -> list[Any]:
    values = []
    for index, item in enumerate(items):
        value = _one_step(item, step, frame, index, before)
        if value is MISSING:
            raise _no_part(item, step, frame, index, before)
        values.append(value)
    return values


def at_once(items: list[Any], *steps: Move) -> list[Any] | None:
    """Fetch the steps' parts of objects of one class (a tuple for several steps); None if they need care one by one."""
    return fetch_all(items, only_class(items), steps)


def fetch_all(items: list[Any], cls: type | None, steps: tuple[Move, ...]) -> list[Any] | None:
    """Fetch the steps' parts if all objects are of this class; else None."""
    get = None if cls is None else _getter(cls, *steps)
    try:
        return None if get is None else list(map(get, items))
    except (AttributeError, KeyError):
        return None  # the careful way says which object it was


def only_class(items: list[Any]) -> type | None:
    """The class of all items, if they share one."""
    cls = type(items[0]) if items else None
    return cls if cls is not None and countOf(map(type, items), cls) == len(items) else None


@lru_cache(maxsize=4096)
def _getter(cls: type, *steps: Move) -> Callable[[Any], Any] | None:
    """A getter that fetches the steps' parts at full speed, if there is one for this class."""
    if issubclass(cls, dict):
        # A defaultdict would be given the keys that it is asked for.
        return None if hasattr(cls, "__missing__") or any(map(callable, steps)) else itemgetter(*steps)
    if issubclass(cls, Mapping) or not all(isinstance(step, str) for step in steps):
        return None
    return attrgetter(*steps)  # type: ignore[arg-type]  # strings all


@lru_cache(maxsize=4096)
def is_subclass(cls: type, base: type) -> bool:
    return issubclass(cls, base)


def reach(item: Any, sel: Selector, frame: Frame, index: int) -> Any:
    for done, step in enumerate(sel):
        if item is None or item is MISSING:
            return MISSING
        item = _one_step(item, step, frame, index, sel[:done])
    return item


def _one_step(item: Any, step: Move, frame: Frame, index: int, before: Selector) -> Any:
    """The part of one object that a step leads to; a mapping or None may lack it, any other object may not."""
    if callable(step):
        try:
            return attempt(step, item)
        except ValueError as error:
            raise DataError(str(error), join(frame.path(index), before), side=frame.side.name) from error
    if isinstance(item, Mapping):
        return item.get(step, item.get(str(step), MISSING))
    try:
        return item[step] if isinstance(step, int) else getattr(item, step)
    except (AttributeError, IndexError, TypeError, KeyError):
        if item is None:
            return MISSING
        raise _no_part(item, step, frame, index, before) from None


@lru_cache(maxsize=4096)
def may_be_absent(cls: type) -> bool:
    return cls in (type(None), Missing) or issubclass(cls, _COLLECTIONS)


def _no_part(item: Any, step: Move, frame: Frame, index: int, before: Selector) -> DataError:
    return DataError(lacks(item, step), path=join(frame.path(index), before), side=frame.side.name)


def lacks(item: Any, step: Move) -> str:
    """What is wrong with an object that has no such part."""
    if item is None:
        return f"found None, expected an object with {step!r}"
    known = list(item) if isinstance(item, Mapping) else _attributes(item)
    noun = "key" if isinstance(item, Mapping) else "position" if isinstance(step, int) else "attribute"
    telling = noun != "position" and len(known) < 40 and type(item) not in PLAIN
    hint = suggestion(str(step), known) if telling else ""
    return f"found {type(item).__name__} {shorten(item)} without {noun} {step!r}{hint}"


def _attributes(item: Any) -> list[str]:
    """The attributes that the user may have meant, without those every tuple has."""
    without = () if not isinstance(item, tuple) else ("count", "index")
    return [name for name in dir(item) if not name.startswith("_") and name not in without]


Cases = tuple[tuple[type | str, Similarity], ...]


def case_of(cases: Cases, value: Any) -> int:
    """The number of the case for a value; ValueError if there is none."""
    number = _case_of_class(tuple(case for case, _ in cases), type(value))  # type: ignore[arg-type]  # classes hash
    if number is None:
        names = ", ".join(case if isinstance(case, str) else case.__name__ for case, _ in cases)
        raise ValueError(f"found a {type(value).__name__}, expected one of {names}; add a case for it to the union")
    return number


@lru_cache(maxsize=4096)
def _case_of_class(cases: tuple[type | str, ...], cls: type) -> int | None:
    # True is not 1: a truth value is an int to Python, but not to us. An int may stand where a float is expected.
    ancestry = (bool, object) if cls is bool else cls.__mro__
    if int in ancestry:
        ancestry = (*ancestry[:-1], float, object)
    for ancestor in ancestry:
        for number, case in enumerate(cases):
            if ancestor is case or ancestor.__name__ == case:
                return number
    # Classes that register virtual subclasses (Mapping, Number, Protocols) come after the real ancestors.
    for number, case in enumerate(cases):
        if isinstance(case, type) and cls is not bool and issubclass(cls, case):
            return number
    return None
