"""Values against types: an instance, a dictionary or a list is read as the type says, and what does not fit is listed.

A plain value of the wrong type stays in its place as a `Misfit`, so that it counts as wrong there. A key that the type
does not declare, or a value where a record or a list should be, is counted as *undeclared*: one invented leaf for each
plain value in it. Text that JSON writes for a date, a number or a member of an Enum is decoded; nothing is coerced.

>>> from typing import NamedTuple
>>> class Line(NamedTuple):
...     sku: str
...     price: float
>>> fitted = Fit(list[Line]).read([{"sku": "a", "price": "n/a", "colour": "red"}])
>>> fitted.value, [str(fault) for fault in fitted.faults]
([{'sku': 'a', 'price': 'n/a'}], ['[0].price: "n/a" is not a number', '[0].colour: undeclared key'])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.misfits import Misfit
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.algebra.walk import parts
from matchwise.derive import typeinfo
from matchwise.derive.advice import Advice, Setting, advise
from matchwise.derive.scalars import LARGEST, Decode, decoder
from matchwise.derive.shapes import built, claim, instance, required, spellings
from matchwise.derive.sources import jsonschema
from matchwise.derive.typeinfo import Described, describe
from matchwise.errors import DataError


class Fault(NamedTuple):
    """What does not fit, and where."""

    path: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem

    @property
    def kind(self) -> str:
        """The fault without positions and values, by which faults are counted.

        >>> Fault("lines[2].price", '"n/a" is not a number').kind
        'lines[].price: not a number'
        """
        where = re.sub(r"\[\d+\]", "[]", self.path)
        if not where:
            return self.problem.split(":")[0]
        what = self.problem.rsplit(" is not ", 1)
        return f"{where}: {f'not {what[1]}' if len(what) == 2 else self.problem}"


class Undeclared(NamedTuple):
    """A plain value that the type has no place for: its path without positions, and the value."""

    path: str
    value: Any

    def __repr__(self) -> str:
        return f"{self.path}: {self.value!r}"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A value as the type says, what the type has no place for, and what is wrong."""

    value: Any
    undeclared: tuple[Undeclared, ...] = ()
    faults: tuple[Fault, ...] = ()


At: TypeAlias = "tuple[At, str | int] | None"
"""A place: the place around it, and one step; the path is written only where something is wrong."""

Whole: TypeAlias = "frozenset[str] | bool"
"""Which fields of a record must be there to be compared: all where it is compared as a whole, a key, or none."""

Reader: TypeAlias = Callable[[Any, At, "Notes"], Any]
"""From a value to the fitted value, or None for an absent one."""


@dataclass(slots=True)
class Notes:
    """What one reading found."""

    accept_several: bool
    undeclared: list[Undeclared] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, at: At, problem: str) -> None:
        self.faults.append(Fault(path(at), problem))

    def misfit(self, value: Any, at: At, wanted: str) -> Misfit:
        self.fault(at, f"{shown(value)} is not {wanted}")
        return Misfit(value)

    def misplaced(self, value: Any, at: At, wanted: str) -> None:
        self.fault(at, f"{shown(value)} is not {wanted}")
        self.leaves(value, at)

    def leaves(self, value: Any, at: At) -> None:
        """Count the plain values inside; deep or endless nesting is cut."""
        for where, leaf in _leaves(value, at):
            self.undeclared.append(Undeclared(path(where, positions=False), leaf))


class Fit:
    """Reads values as a type, a JSON Schema or an annotation says; `settings` are those of `derive`."""

    def __init__(self, T: Any, settings: Mapping[str, Setting] | None = None) -> None:
        self.type = jsonschema.annotation(T) if isinstance(T, Mapping) else T
        self.settings = dict(settings or {})
        self._open: list[tuple[tuple[Any, ...], list[Reader]]] = []
        self._read = self._reader(self.type, "")

    def read(self, value: Any, *, reference: bool = False) -> Fitted:
        """The value, fitted; only a `reference` may give several accepted values (`any_of`)."""
        notes = Notes(reference)
        try:
            read = None if value is None else self._read(value, None, notes)
        except RecursionError:
            raise DataError("found a value that contains itself, or is nested too deeply to read") from None
        return Fitted(read, tuple(notes.undeclared), tuple(notes.faults))

    def _reader(self, annotation: Any, place: str, whole: Whole = frozenset(), role: str = "part") -> Reader:
        described = describe(annotation)
        advice = self._advice(described, place, role)
        if advice.ignored:
            return _nothing
        if advice.similarity is not None or advice.strict is not None:
            whole = True
        read = self._by_shape(described, advice, place, whole)
        return _any_of(read) if advice.any_of is not None else read

    def _advice(self, described: Described, place: str, role: str = "part") -> Advice:
        setting = None if role == "case" else self.settings.get(place)
        return advise(described.metadata, setting, place or "root", place)

    def _by_shape(self, described: Described, advice: Advice, place: str, whole: Whole) -> Reader:
        """A type that is met again inside itself is read by the reader that is being made."""
        names = described.names if isinstance(described.shape, typeinfo.Record) else described.names[:-1]
        if advice.similarity is not None or not names:
            return self._made(described, advice, place, whole)
        for entered, made in self._open:
            if any(name in entered for name in names):
                return lambda value, at, notes: made[0](value, at, notes)
        self._open.append((names, made := []))
        made.append(self._made(described, advice, place, whole))
        self._open.pop()
        return made[0]

    def _made(self, described: Described, advice: Advice, place: str, whole: Whole) -> Reader:
        inside: Whole = True if whole is True else frozenset()
        match described.shape:
            case typeinfo.Scalar():
                return _scalar(decoder(described), _leaf(advice.similarity))
            case typeinfo.Record() as shape:
                return self._record(shape, place, whole)
            case typeinfo.Tuple(items):
                places = [f"{place}.{i}" if place else f"{i}" for i in range(len(items))]
                return _tuple([self._reader(item, at, inside) for item, at in zip(items, places, strict=True)])
            case typeinfo.Collection(item=item):
                if advice.key is not None and not inside:
                    inside = frozenset({advice.key.field.split(".")[0]})
                return _collection(self._reader(item, f"{place}[]", inside), _blank(item))
            case typeinfo.Mapping(key=key, value=value):
                return _mapping(decoder(describe(key)), self._reader(value, f"{place}{{}}", inside))
            case typeinfo.Union(cases):
                return self._union([describe(case) for case in cases], cases, place, inside)
            case typeinfo.Unknown():
                return _unknown
        raise AssertionError(f"no reader for {described.shape!r}")

    def _record(self, shape: typeinfo.Record, place: str, whole: Whole) -> Reader:
        def within(name: str) -> str:
            return f"{place}.{name}" if place else name

        inside: Whole = True if whole is True else frozenset()
        names = spellings(shape.cls)
        needed = required(shape.cls)
        fields = [
            (f.name, names.get(f.name, (f.name,)), self._reader(f.type, within(f.name), inside))
            for f in shape.fields
            if f.name != jsonschema.OTHERS
        ]
        filled = {
            f.name: _filler(f.type, read)
            for f, (_, _, read) in zip(shape.fields, fields, strict=False)
            if (
                whole is True
                or (whole and f.name in whole)
                or self._advice(describe(f.type), within(f.name)).name is not None
            )
            and read is not _nothing
        }
        others = next((f for f in shape.fields if f.name == jsonschema.OTHERS), None)
        rest = None if others is None else self._reader(others.type, within("*"))
        nullable = frozenset(f.name for f in shape.fields if f.name in needed and _nullable(describe(f.type)))
        read = _record(shape.cls, fields, needed, nullable, rest)
        return _complete(read, filled) if filled else read

    def _union(self, described: list[Described], cases: tuple[Any, ...], place: str, whole: Whole) -> Reader:
        readers = [self._reader(case, place, whole, "case") for case in cases]
        made = [
            _as_instance(reader, case.shape.cls) if isinstance(case.shape, typeinfo.Record) else reader
            for reader, case in zip(readers, described, strict=True)
        ]
        return _union(made, [claim(case) for case in described])


def path(at: At, positions: bool = True) -> str:
    """`lines[2].price`, or `lines[].price` without positions."""
    steps = []
    while at is not None:
        at, step = at
        steps.append(step)
    text = ""
    for step in reversed(steps):
        if isinstance(step, int):
            text += f"[{step}]" if positions else "[]"
        else:
            text += f".{step}" if text else step
    return text


def shown(value: Any) -> str:
    """A value as JSON would write it, cut short."""
    import json

    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


DEEPEST = 100
"""Undeclared values nested deeper than this are one leaf."""


def _leaves(value: Any, at: At) -> Iterator[tuple[At, Any]]:
    waiting: list[tuple[Any, At, int]] = [(value, at, 0)]
    while waiting:
        found, where, depth = waiting.pop()
        if isinstance(found, Mapping) and depth < DEEPEST:
            waiting += [(part, (where, str(name)), depth + 1) for name, part in reversed(list(found.items()))]
        elif isinstance(found, list | tuple | set | frozenset) and depth < DEEPEST:
            waiting += [(part, (where, i), depth + 1) for i, part in reversed(list(enumerate(found)))]
        elif found is not None:
            plain = isinstance(found, str) or (isinstance(found, int) and -LARGEST < found < LARGEST)
            yield where, found if plain else Misfit(found) if depth < DEEPEST else "…"


def _nothing(value: Any, at: At, notes: Notes) -> None:
    return None


def _unknown(value: Any, at: At, notes: Notes) -> Any:
    return value


def _leaf(phi: Similarity | None) -> Leaf | None:
    """The leaf whose own reading of a value decides whether it fits."""
    leaves = [part for part in parts(phi) if isinstance(part, Leaf)] if phi is not None else []
    return leaves[0] if len(leaves) == 1 and not leaves[0].sel else None


def _scalar(decode: Decode, leaf: Leaf | None) -> Reader:
    classes, wanted, decoded, check = decode.classes, decode.wanted, decode.decode, decode.check
    options = {} if leaf is None else dict(leaf.options)
    safe = leaf is None or (leaf.kind.name, wanted) in SAFE

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


SAFE = {(leaf, "a text") for leaf in ("edit", "jaro", "tokens", "text")} | {
    ("close", "a number"),
    ("close", "an integer"),
}
"""Leaves that take every value of their type."""


def _any_of(read: Reader) -> Reader:
    def several(value: Any, at: At, notes: Notes) -> Any:
        if notes.accept_several and isinstance(value, list | tuple | set | frozenset):
            found = [read(item, (at, i), notes) for i, item in enumerate(value) if item is not None]
            return [item for item in found if item is not None]
        return read(value, at, notes)

    return several


def _filler(annotation: Any, read: Reader) -> Callable[[], Any]:
    """What stands for an absent part where a record is compared as a whole, and has to have all its parts."""
    match describe(annotation).shape:
        case typeinfo.Collection():
            return list
        case typeinfo.Mapping():
            return dict
        case typeinfo.Record():
            return lambda: read({}, None, Notes(False))
        case typeinfo.Tuple(items):
            return lambda: (None,) * len(items)
    return lambda: None


def _complete(read: Reader, filled: dict[str, Callable[[], Any]]) -> Reader:
    def complete(value: Any, at: At, notes: Notes) -> Any:
        found = read(value, at, notes)
        if found is not None:
            for name, fill in filled.items():
                if name not in found:
                    found[name] = fill()
        return found

    return complete


def _nullable(described: Described) -> bool:
    return described.optional or described.type in (None, type(None))


def _record(
    cls: type,
    fields: list[tuple[str, tuple[str, ...], Reader]],
    needed: frozenset[str],
    nullable: frozenset[str],
    rest: Reader | None,
) -> Reader:
    own = [name for name, _, _ in fields]
    classes = () if issubclass(cls, dict) else (cls,)  # a dictionary is read by its keys
    declared = frozenset(name for _, names, _ in fields for name in names)

    def read(value: Any, at: At, notes: Notes) -> Any:
        values: Mapping[str, Any]
        if type(value) is dict or isinstance(value, Mapping):
            values = value
        elif isinstance(value, classes):
            values = built(value, own)
        else:
            return notes.misplaced(value, at, "a record")
        made = {}
        for name, names, read_field in fields:
            found = values.get(name)
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
                    notes.fault((at, name), "undeclared key")
                    notes.leaves(part, (at, name))
        return made

    return read


def _as_instance(read: Reader, cls: type) -> Reader:
    """Unions tell their cases apart by class."""

    def made(value: Any, at: At, notes: Notes) -> Any:
        found = read(value, at, notes)
        return None if found is None else instance(cls, found)

    return made


def _tuple(readers: list[Reader]) -> Reader:
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


def _blank(item: Any) -> Any:
    """What stands for an absent item, so that the items after it keep their positions; None: it is left out."""
    match describe(item).shape:
        case typeinfo.Record() | typeinfo.Mapping():
            return {}
        case typeinfo.Collection():
            return []
    return None


def _collection(read_item: Reader, blank: Any) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if type(value) is not list and (isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection)):
            return notes.misplaced(value, at, "a list")
        found = [None if item is None else read_item(item, (at, i), notes) for i, item in enumerate(value)]
        if None not in found:
            return found
        if blank is None:
            return [item for item in found if item is not None]
        return [blank if item is None else item for item in found]

    return read


def _mapping(key: Decode, read_item: Reader) -> Reader:
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


def _union(readers: list[Reader], claims_of: list[Callable[[Any], int]]) -> Reader:
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
