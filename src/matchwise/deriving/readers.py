"""Readers: functions from a value to the fitted value, one for each shape a type can have, combined by `Fit`.

A reader notes what is wrong and never raises for it. None stands for an absent value.

A value shows which record it is: what an instance holds, what a class asks for, and which class a value is of.

A record is a class that `matchwise.deriving.typeinfo` knows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Leaf
from matchwise.deriving import jsonschema, typeinfo
from matchwise.deriving.faults import MISSING, UNDECLARED, At, Notes, shown
from matchwise.deriving.scalars import Decode, decoder
from matchwise.deriving.typeinfo import Described, describe

Reader: TypeAlias = Callable[[Any, At, "Notes"], Any]
"""From a value to the fitted value, or None for an absent one."""


class Untouched(NamedTuple):
    """The values that a reader leaves as they are: all of these classes, and numbers of these if they are not huge."""

    classes: frozenset[type] = frozenset()
    numbers: frozenset[type] = frozenset()


class FieldReader(NamedTuple):
    """A field of a record: its name, the keys that JSON may have for it, its reader, and what needs no reading."""

    name: str
    names: tuple[str, ...]
    read: Reader
    kept: Untouched


def nothing(value: Any, at: At, notes: Notes) -> None:
    return None


def unknown(value: Any, at: At, notes: Notes) -> Any:
    return value


def scalar(decode: Decode, leaf: Leaf | None) -> Reader:
    classes, refused, wanted = decode.classes, decode.refused, decode.wanted
    decoded, check = decode.decode, decode.check
    options = {} if leaf is None else dict(leaf.options)
    safe = takes_all(leaf, decode)

    def read(value: Any, at: At, notes: Notes) -> Any:
        if type(value) in refused:
            return notes.misfit(value, at, wanted)
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
    fields: list[FieldReader],
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
            return notes.report_misplaced(value, at, "a record")
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
                notes.fault((at, name), MISSING)
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


def fixed(readers: list[Reader], nullable: list[bool]) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, list | tuple):
            return notes.report_misplaced(value, at, f"a list of {len(readers)}")
        for i, more in enumerate(value[len(readers) :], start=len(readers)):
            notes.fault((at, i), "undeclared item")
            notes.leaves(more, (at, i))
        padded = [*value, *[None] * (len(readers) - len(value))]
        for i, may_lack in enumerate(nullable):
            if padded[i] is None and not (may_lack and i < len(value)):
                notes.fault((at, i), MISSING)
        return tuple(
            None if item is None else of(item, (at, i), notes)
            for i, (of, item) in enumerate(zip(readers, padded, strict=False))
        )

    return read


def collection(read_item: Reader, blank: Callable[[], Any] | None, kept: frozenset[type], *, nullable: bool) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if type(value) is not list and (isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection)):
            return notes.report_misplaced(value, at, "a list")
        if kept.issuperset(map(type, value)):
            return list(value)
        found = [None if item is None else read_item(item, (at, i), notes) for i, item in enumerate(value)]
        if None not in found:
            return found
        if not nullable:
            for i, item in enumerate(value):
                if item is None:
                    notes.fault((at, i), MISSING)
        if blank is None:
            return [item for item in found if item is not None]
        return [blank() if item is None else item for item in found]

    return read


def mapping(key: Decode, read_item: Reader, *, nullable: bool) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, Mapping):
            return notes.report_misplaced(value, at, "an object")
        found = {}
        for name, item in value.items():
            part = None if item is None else read_item(item, (at, str(name)), notes)
            if item is None and not nullable:
                notes.fault((at, str(name)), MISSING)
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
            return notes.report_misplaced(value, at, "of any type that is expected")
        chosen = [reader for reader, claim in zip(readers, claims, strict=True) if claim == best]
        tried = []
        for reader in chosen:
            own = Notes(notes.accept_several, notes.brief)
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


def built(value: Any, names: Collection[str]) -> dict[str, Any]:
    """The fields of an instance, and what Pydantic was told to keep besides."""
    found = {name: getattr(value, name, None) for name in names}
    return found | (getattr(value, "model_extra", None) or {})


def spellings(cls: type) -> dict[str, tuple[str, ...]]:
    """Under which keys JSON holds a field, if not only under its name: aliases of Pydantic and msgspec."""
    if hasattr(cls, "__struct_encode_fields__"):
        pairs = zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True)  # type: ignore[attr-defined]
        return {name: (name, alias) for name, alias in pairs if name != alias}
    found = {}
    for name, info in _pydantic_fields(cls).items():
        aliases = [
            info.alias,
            info.serialization_alias,
            *getattr(info.validation_alias, "choices", [info.validation_alias]),
        ]
        names = tuple(dict.fromkeys([name, *(alias for alias in aliases if isinstance(alias, str))]))
        if len(names) > 1:
            found[name] = names
    return found


def required(cls: type) -> frozenset[str]:
    """The fields that have to be there."""
    if issubclass(cls, jsonschema.Object):
        return frozenset(cls.schema.schema.get("required", ()))
    if hasattr(cls, "__required_keys__"):
        return frozenset(cls.__required_keys__)
    if hasattr(cls, "_field_defaults"):
        return frozenset(name for name in cls._fields if name not in cls._field_defaults)  # type: ignore[attr-defined]
    if hasattr(cls, "__struct_defaults__"):
        names = cls.__struct_fields__  # type: ignore[attr-defined]
        return frozenset(names[: len(names) - len(cls.__struct_defaults__)])
    if hasattr(cls, "__attrs_attrs__"):
        return frozenset(a.name for a in cls.__attrs_attrs__ if repr(a.default) == "NOTHING")
    if dataclasses.is_dataclass(cls):
        missing = dataclasses.MISSING
        plain = (f for f in dataclasses.fields(cls) if f.default is missing and f.default_factory is missing)
        return frozenset(f.name for f in plain)
    return frozenset(name for name, info in _pydantic_fields(cls).items() if info.is_required())


def claim(described: Described) -> Callable[[Any], int]:
    """How good a claim a case of a union has on a value; 0 is none."""
    match described.shape:
        case typeinfo.Scalar():
            return decoder(described).claim
        case typeinfo.Record(cls, fields):
            tags = {
                f.name: get_args(describe(f.type).type) for f in fields if get_origin(describe(f.type).type) is Literal
            }
            return lambda value: _record_claim(value, cls, tags)
        case typeinfo.Collection() | typeinfo.Tuple():
            return _list_claim
        case typeinfo.Mapping():
            return lambda value: int(isinstance(value, Mapping))
        case typeinfo.Union(cases):
            claims = [claim(describe(case)) for case in cases]
            return lambda value: max(each(value) for each in claims)
        case typeinfo.Unknown():
            return lambda value: 1


def _record_claim(value: Any, cls: type, tags: dict[str, tuple[Any, ...]]) -> int:
    if not isinstance(value, Mapping):
        return 0 if issubclass(cls, dict) else 2 * isinstance(value, cls)
    return 2 if all(value.get(name) in allowed for name, allowed in tags.items()) else 1


def _list_claim(value: Any) -> int:
    return int(isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping))


def _pydantic_fields(cls: type) -> dict[str, Any]:
    if dataclasses.is_dataclass(cls):
        return {}
    return getattr(cls, "__pydantic_fields__", None) or {}
