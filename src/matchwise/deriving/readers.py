"""Readers: functions from a value to the fitted value, one for each shape a type can have, combined by `Fit`.

A reader notes what is wrong and never raises for it. None stands for an absent value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.misfits import Misfit
from matchwise.algebra.nodes import Leaf
from matchwise.deriving.faults import UNDECLARED, At, Notes, shown
from matchwise.deriving.scalars import Decode
from matchwise.deriving.shapes import built
from matchwise.deriving.sources import jsonschema

Reader: TypeAlias = Callable[[Any, At, "Notes"], Any]
"""From a value to the fitted value, or None for an absent one."""


class Kept(NamedTuple):
    """The values that a reader leaves as they are: all of these classes, and numbers of these if they are not huge."""

    classes: frozenset[type] = frozenset()
    numbers: frozenset[type] = frozenset()


class Field(NamedTuple):
    """A field of a record: its name, the keys that JSON may have for it, its reader, and what needs no reading."""

    name: str
    names: tuple[str, ...]
    read: Reader
    kept: Kept


def nothing(value: Any, at: At, notes: Notes) -> None:
    return None


def unknown(value: Any, at: At, notes: Notes) -> Any:
    return value


def scalar(decode: Decode, leaf: Leaf | None) -> Reader:
    classes, wanted, decoded, check = decode.classes, decode.wanted, decode.decode, decode.check
    options = {} if leaf is None else dict(leaf.options)
    safe = takes_all(leaf, decode)

    def read(value: Any, at: At, notes: Notes) -> Any:
        if type(value) not in classes or (check is not None and not check(value)):
            try:
                value = decoded(value)
            except (ValueError, TypeError, ArithmeticError, RecursionError):
                return notes.misfit(value, at, wanted)
        if safe:
            return value
        try:
            leaf.kind.feature(value, options)  # type: ignore[union-attr]  # a leaf that is not known to be safe
        except ValueError as error:
            notes.fault(at, str(error))
            return Misfit(value)
        return value

    return read


def takes_all(leaf: Leaf | None, decode: Decode) -> bool:
    """Whether a leaf has no objection to any value of a type."""
    return leaf is None or (leaf.kind.name, decode.wanted) in SAFE


SAFE = {(leaf, "a text") for leaf in ("edit", "jaro", "tokens", "text")} | {
    ("close", "a number"),
    ("close", "an integer"),
}
"""Leaves that take every value of their type."""


def any_of(read: Reader) -> Reader:
    def several(value: Any, at: At, notes: Notes) -> Any:
        if notes.accept_several and isinstance(value, list | tuple | set | frozenset):
            found = [read(item, (at, i), notes) for i, item in enumerate(value) if item is not None]
            return [item for item in found if item is not None]
        return read(value, at, notes)

    return several


def complete(read: Reader, filled: dict[str, Callable[[], Any]], *, is_whole: bool) -> Reader:
    """Fill in what a record lacks; one that is compared as a whole and has nothing at all is absent."""

    def complete(value: Any, at: At, notes: Notes) -> Any:
        found = read(value, at, notes)
        if found is None or (is_whole and all(map(_is_absent, found.values()))):
            return None
        for name, fill in filled.items():
            if name not in found:
                found[name] = fill()
        return found

    return complete


def complete_tuple(read: Reader, fillers: list[Callable[[], Any]]) -> Reader:
    """The same of a tuple that is compared as a whole."""

    def complete(value: Any, at: At, notes: Notes) -> Any:
        found = read(value, at, notes)
        if found is None or all(map(_is_absent, found)):
            return None
        return tuple(fill() if part is None else part for part, fill in zip(found, fillers, strict=True))

    return complete


def _is_absent(part: Any) -> bool:
    return part is None or (isinstance(part, list | dict) and not part)


HUGE = 2**53
"""Larger numbers are looked at by their reader."""


def record(
    cls: type,
    fields: list[Field],
    needed: frozenset[str],
    nullable: frozenset[str],
    rest: Reader | None,
) -> Reader:
    own = [field.name for field in fields]
    own_class = () if issubclass(cls, dict) else (cls,)  # a dictionary is read by its keys
    declared = frozenset(name for field in fields for name in field.names)

    def read(value: Any, at: At, notes: Notes) -> Any:
        values: Mapping[str, Any]
        if type(value) is dict or isinstance(value, Mapping):
            values = value
        elif isinstance(value, own_class):
            values = built(value, own)
        else:
            return notes.misplaced(value, at, "a record")
        made = {}
        get = values.get
        for name, names, read_field, (classes, numbers) in fields:
            found = get(name)
            kind = type(found)
            if kind in classes or (kind in numbers and -HUGE < found < HUGE):  # type: ignore[operator]  # a number
                made[name] = found
                continue
            if found is None and len(names) > 1:
                found = next((part for spelling in names if (part := values.get(spelling)) is not None), None)
            if found is not None:
                found = read_field(found, (at, name), notes)
                if found is not None:
                    made[name] = found
            elif name in needed and not (name in nullable and not values.keys().isdisjoint(names)):
                notes.fault((at, name), "missing")
        if not declared.issuperset(values):
            more = {str(name): part for name, part in values.items() if name not in declared and part is not None}
            if rest is not None:
                made[jsonschema.OTHERS] = rest(more, at, notes)
            else:
                for name, part in more.items():
                    notes.fault((at, name), UNDECLARED)
                    notes.leaves(part, (at, name))
        return made

    return read


def fixed(readers: list[Reader]) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, list | tuple):
            return notes.misplaced(value, at, f"a list of {len(readers)}")
        for i, more in enumerate(value[len(readers) :], start=len(readers)):
            notes.fault((at, i), "undeclared item")
            notes.leaves(more, (at, i))
        padded = [*value, *[None] * (len(readers) - len(value))]
        return tuple(
            None if item is None else of(item, (at, i), notes)
            for i, (of, item) in enumerate(zip(readers, padded, strict=False))
        )

    return read


def collection(read_item: Reader, blank: Callable[[], Any] | None, kept: frozenset[type]) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if type(value) is not list and (isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection)):
            return notes.misplaced(value, at, "a list")
        if kept.issuperset(map(type, value)):
            return list(value)
        found = [None if item is None else read_item(item, (at, i), notes) for i, item in enumerate(value)]
        if None not in found:
            return found
        if blank is None:
            return [item for item in found if item is not None]
        return [blank() if item is None else item for item in found]

    return read


def mapping(key: Decode, read_item: Reader) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, Mapping):
            return notes.misplaced(value, at, "an object")
        found = {}
        for name, item in value.items():
            part = None if item is None else read_item(item, (at, str(name)), notes)
            if part is not None:
                try:
                    found[key.key(name)] = part
                except (ValueError, TypeError, ArithmeticError):
                    notes.fault((at, str(name)), f"the key {shown(name)} is not {key.wanted}")
                    notes.leaves(item, (at, str(name)))
        return found

    return read


def tagged(read: Reader, name: str) -> Reader:
    """Unions tell their cases apart by class: a dictionary of a class of this name."""
    cls = jsonschema.case(name)

    def made(value: Any, at: At, notes: Notes) -> Any:
        found = read(value, at, notes)
        return None if found is None else cls(found)

    return made


def union(readers: list[Reader], claims_of: list[Callable[[Any], int]]) -> Reader:
    """The case with the best claim: the class itself, its tag, its keys; then the one with the fewest faults."""

    def read(value: Any, at: At, notes: Notes) -> Any:
        claims = [claimed(value) for claimed in claims_of]
        best = max(claims)
        if best == 0:
            return notes.misplaced(value, at, "of any type that is expected")
        chosen = [reader for reader, claim in zip(readers, claims, strict=True) if claim == best]
        tried = []
        for reader in chosen:
            own = Notes(notes.accept_several)
            tried.append((reader(value, at, own), own))
            if not own.faults:
                break
        found, own = min(tried, key=lambda one: len(one[1].faults))
        notes.faults += own.faults
        if isinstance(found, Misfit):  # no case of the union is for it
            notes.leaves(value, at)
            return None
        notes.undeclared += own.undeclared
        return found

    return read
