"""From objects to their parts, one step at a time, for one object or for a whole list; and what type a part has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from math import inf, isfinite
from operator import attrgetter, itemgetter
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.algebra.nodes import (
    Contingency,
    Custom,
    Eq,
    Move,
    Number,
    Overlap,
    Product,
    Selector,
    Similarity,
    Union,
)
from matchwise.engine.order import MISSING as MISSING
from matchwise.engine.order import sort_by_content
from matchwise.errors import RAISED, DataError, MatchwiseError, shorten, suggestion, write_error

if TYPE_CHECKING:
    from matchwise.algebra.facts import Facts


class Item(NamedTuple):
    """One entry of a mapping that is read as a collection."""

    key: Any
    value: Any


def elements(value: Any, fail: Fail | None = None) -> list[Any] | None:
    """The elements of a collection, the items of a mapping; None for any other value.

    A set has the order of its content, so that no place in it depends on how Python hashes.
    """
    if type(value) is list:
        return value
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        return None
    try:
        if isinstance(value, Mapping):
            return [Item(name, part) for name, part in value.items()]
        found = list(value)
    except RAISED as error:
        name = type(value).__name__
        problem = f"found a {name} whose elements cannot be read: {write_error(error)}"
        raise (fail or fail_at)(f"{problem}; convert it to a list when reading", ()) from error
    if isinstance(value, set | frozenset) and len(found) > 1:
        return sort_by_content(found)
    return found


def is_keyed_mapping(phi: Similarity) -> bool:
    """Whether φ compares mappings: only entries of one key, δ_key × φ_value, are similar."""
    match phi:
        case Overlap(_, Product(factors), "1:1", "bag", None):
            return Eq(("key",)) in factors
    return False


def pair_same_keys(us: list[Any], vs: list[Any], met: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of entries of one key that did not meet: their values have nothing in common, and are wrong."""
    mine, theirs = {i for i, _ in met}, {j for _, j in met}
    left = {v.key: j for j, v in enumerate(vs) if type(v) is Item and j not in theirs}
    entries = ((i, u) for i, u in enumerate(us) if type(u) is Item and i not in mine)
    return [(i, left[u.key]) for i, u in entries if u.key in left]


def not_a_collection(value: Any) -> str:
    found = "None" if value is None else f"{type(value).__name__} {shorten(value)}"
    hint = "; write an empty list when reading, or give it a place in a sum of parts" if value is None else ""
    return f"found {found}, expected a collection (list, tuple, set, mapping){hint}"


def absent(value: Any) -> bool:
    """True for a missing key, None, an empty list and an empty record: all mean absent."""
    if type(value) in PLAIN:
        return value is None
    try:
        return value is MISSING or (isinstance(value, _COLLECTIONS) and not value)
    except RAISED:  # it has a length that cannot be read; who reads the elements says so
        return False


_COLLECTIONS = (list, tuple, set, frozenset, Mapping)


def attempt(function: Callable[..., Any], *values: Any) -> Any:
    """Call a user's function; what it raises becomes a ValueError that names it (our own say what is wrong)."""
    try:
        return function(*values)
    except RAISED as error:
        if isinstance(error, ValueError) and getattr(function, "__module__", "").startswith("matchwise."):
            raise
        raise ValueError(f"{function.__name__} raised {write_error(error)}") from error


def valid(value: Any, phi: Custom | Contingency, facts: Facts) -> Number:
    """Check that a user's function returned a similarity, and return it."""
    if (type(value) is float or type(value) is int) and 0 <= value < inf and (value <= 1 or not facts.bounded.holds):
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


PLAIN = frozenset({bool, bytes, float, int, str, type(None)})


Fail = Callable[[str, Selector], Exception]
"""What is wrong, and the steps that led there -> the error that says so."""


def fail_at(problem: str, before: Selector) -> DataError:
    """The error of an object that is no part of another."""
    return DataError(problem, join("", before))


@lru_cache(maxsize=4096)
def _is_mapping(cls: type) -> bool:
    return issubclass(cls, Mapping)


def follow(value: Any, sel: Selector, fail: Fail, *, optional: bool = False) -> Any:
    """The selected part; if it is `optional`, MISSING where a mapping lacks it or something on the way is None."""
    for done, step in enumerate(sel):
        if optional and (value is None or value is MISSING):
            return MISSING
        get = _getter(type(value), step)  # type: ignore[arg-type]  # classes hash
        if get is not None:
            try:
                value = get(value)
                continue
            except (AttributeError, KeyError, ValueError, TypeError):
                pass  # below it is said what is wrong
        found: Any = MISSING
        is_mapping = _is_mapping(type(value))  # type: ignore[arg-type]  # classes hash
        try:
            if callable(step):
                found = attempt(step, value)
            elif is_mapping:
                found = value.get(step, MISSING)
                found = value.get(str(step), MISSING) if found is MISSING else found
            elif value is not None:
                found = value[step] if isinstance(step, int) else getattr(value, step)
        except ValueError as error:
            raise fail(str(error), sel[:done]) from error
        except (AttributeError, IndexError, TypeError, KeyError):
            if is_mapping:
                raise
            raise fail(lacks(value, step), sel[:done]) from None
        if found is MISSING and not optional:
            raise fail(lacks(value, step), sel[:done])
        value = found
    return value


def fetch_all(items: list[Any], step: Move) -> list[Any] | None:
    """What a step leads to from each of many objects of one class; None if they need care one by one."""
    classes = set(map(type, items))
    get = _getter(classes.pop(), step) if len(classes) == 1 else None
    try:
        return None if get is None else list(map(get, items))
    except (AttributeError, KeyError):
        return None  # the careful way says which object it was


@lru_cache(maxsize=4096)
def _getter(cls: type, step: Move) -> Callable[[Any], Any] | None:
    """A getter that fetches a part at full speed, if there is one for this class."""
    if issubclass(cls, dict):
        # A defaultdict would be given the keys that it is asked for.
        return None if hasattr(cls, "__missing__") or callable(step) else itemgetter(step)
    return attrgetter(step) if isinstance(step, str) and not issubclass(cls, Mapping) else None


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
    """The attributes that the user may have meant: values, not methods."""
    names = (name for name in dir(type(item)) if not callable(getattr(type(item), name)))
    return [name for name in {*names, *getattr(item, "__dict__", ())} if not name.startswith("_")]


def blame(error: BaseException, preds: list[Any], refs: list[Any]) -> None:
    """Raise a DataError if an object that is compared cannot be read: it says which, and where it stands.

    A method of it raised the error, or answered with what Python refuses (an `__iter__` without an iterator, `items`
    without pairs). An object that contains itself is one too. Any other error is our own mistake and stays what it is.
    """
    if isinstance(error, RecursionError):
        raise DataError(
            "found an object that contains itself, or is nested too deeply to score; "
            "if it is only deep, write sys.setrecursionlimit(20_000) first"
        ) from None
    if isinstance(error, MatchwiseError):
        return
    for frame, _ in walk_tb(error.__traceback__):
        code = frame.f_code
        owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        methods = (found for cls in type(owner).__mro__ for found in vars(cls).items())
        named = {getattr(getattr(method, "fget", method), "__code__", None): name for name, method in methods}
        is_ours = code not in named or type(owner).__module__.startswith("matchwise.")
        for path, side in [] if is_ours else [where for value, *where in _walk(preds, refs) if value is owner]:
            problem = f"found a {type(owner).__name__} whose {named[code]} raises {write_error(error)}"
            raise DataError(f"{problem}; convert it when reading", path, side=side) from error
    for value, path, side in reversed(list(_walk(preds, refs))):  # what is inside first
        try:
            _read(value)
        except RAISED as fault:
            problem = f"found a {type(value).__name__} that cannot be read: {write_error(fault)}"
            raise DataError(f"{problem}; convert it when reading", path, side=side) from error


def _walk(preds: list[Any], refs: list[Any]) -> Iterator[tuple[Any, str, str]]:
    """All objects in some documents, outer ones first, each with its path and the side that it is on."""
    waiting = [(one, "", side) for side, several in (("prediction", preds), ("reference", refs)) for one in several]
    seen: set[int] = set()
    for value, path, side in waiting:
        if type(value) in PLAIN or id(value) in seen:
            continue
        yield value, path, side
        seen.add(id(value))
        with suppress(*RAISED):
            if isinstance(value, list | tuple | set | frozenset):
                inside: Iterable[tuple[Any, Any]] = enumerate(value)
            else:
                inside = value.items() if isinstance(value, Mapping) else vars(value).items()
            waiting += [(part, join(path, (step,)), side) for step, part in inside]


def _read(value: Any) -> None:
    """Write and compare one object, and read all that is in it."""
    repr(value), value == value
    if isinstance(value, Collection):
        len(value)
        for _, _ in value.items() if isinstance(value, Mapping) else enumerate(value):
            pass


Kinds = tuple[type | str, ...]
"""The classes of the cases of a union, or their names."""


def kinds_of(phi: Union) -> Kinds:
    return tuple(case for case, _ in phi.cases)


def case_of(kinds: Kinds, value: Any) -> int:
    """The number of the case for a value; ValueError if there is none."""
    number = _case_of_class(kinds, type(value))  # type: ignore[arg-type]  # classes hash
    if number is None:
        names = ", ".join(case if isinstance(case, str) else case.__name__ for case in kinds)
        raise ValueError(f"found a {type(value).__name__}, expected one of {names}; add a case for it to the union")
    return number


@lru_cache(maxsize=4096)
def _case_of_class(cases: Kinds, cls: type) -> int | None:
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
