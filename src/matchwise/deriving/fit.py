"""Values against types: an instance, a dictionary or a list is read as the type says, and what does not fit is listed.

A plain value of the wrong type stays in its place as a `Misfit`, so that it counts as wrong there. A key that the type
does not declare, or a value where a record or a list should be, is counted as *undeclared*: one invented leaf for each
plain value in it. Text that JSON writes for a date, a number or a member of an Enum is decoded; nothing else is coerced
unless the reading is lax.
What another decoder would drop of a value is found by the same readers (`Fit.losses`).

>>> from typing import NamedTuple
>>> class Line(NamedTuple):
...     sku: str
...     price: float
>>> fitted = Fit(list[Line]).read([{"sku": "a", "price": "n/a", "skus": "b"}])
>>> fitted.value
[{'sku': 'a', 'price': 'n/a'}]
>>> print(*fitted.faults, sep="\\n")
[0].price: "n/a" is not a number
[0].skus: found a key that the type does not have; did you mean 'sku'?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Custom, Leaf, Similarity
from matchwise.algebra.walk import parts
from matchwise.deriving import jsonschema, readers
from matchwise.deriving.faults import REPEATED, At, Fault, Fitted, Notes
from matchwise.deriving.hints import Advice, Setting, advise
from matchwise.deriving.readers import FieldReader, Reader, claim
from matchwise.deriving.scalars import decoder
from matchwise.deriving.typeinfo import (
    CollectionShape,
    Described,
    MappingShape,
    RecordShape,
    ScalarShape,
    TupleShape,
    UnionShape,
    UnknownShape,
    describe,
)
from matchwise.errors import DataError, DeriveError

Whole: TypeAlias = "frozenset[str] | bool"
"""Which fields of a record must be there to be compared: all where it is compared as a whole, a key, or none."""


class PartReader(NamedTuple):
    """How a part is read, and what stands for it where it is absent and must be there."""

    read: Reader
    fill: Callable[[], Any] = lambda: None


class Fit:
    """Reads values as a type, a JSON Schema or an annotation says, with `derive`'s settings."""

    def __init__(self, T: Any, settings: Mapping[str, Setting] | None = None, *, lax: bool = False) -> None:
        self.lax = lax
        """Whether values are also taken as Pydantic's lax mode takes them."""
        self.type = jsonschema.annotation(T) if isinstance(T, Mapping) else T
        self.settings = dict(settings or {})
        self._open: list[tuple[tuple[Any, ...], list[Reader]]] = []
        self.may_lose = False
        """Whether the type has records, whose keys are known, or sets."""
        try:
            self._read = self._part(self.type, "").read
        except RecursionError:
            raise DeriveError("a part with a metric of its own contains itself; take the metric from it") from None
        self._is_nullable = _is_nullable(self.type)

    def read(self, value: Any, *, reference: bool = False) -> Fitted:
        """The value, fitted; only a `reference` may give several accepted values (`any_of`)."""
        notes = Notes(accept_several=reference)
        try:
            read = None if value is None and self._is_nullable else self._read(value, None, notes)
        except RecursionError:
            raise DataError(
                "found a value that contains itself, or is nested too deeply to read; "
                "if it is only deep, write sys.setrecursionlimit(20_000) first"
            ) from None
        return Fitted(read, tuple(notes.undeclared), tuple(notes.faults))

    def losses(self, value: Any) -> list[Fault]:
        """What decoding into the type would drop: keys that it does not have, and repeated items of a set."""
        notes = Notes(decoding=True)
        self._read(value, None, notes)
        return [fault for fault in notes.faults if fault.is_undeclared or fault.problem == REPEATED]

    def _part(self, annotation: Any, place: str, whole: Whole = frozenset(), role: str = "part") -> PartReader:
        described = describe(annotation)
        advice = self._advise(described, place, role)
        if advice.ignored:
            return PartReader(readers.nothing)
        if advice.similarity is not None or advice.strict is not None:
            whole = True
        part = self._by_shape(described, advice, place, whole)
        return part._replace(read=readers.any_of(part.read)) if advice.any_of is not None else part

    def _advise(self, described: Described, place: str, role: str = "part") -> Advice:
        setting = None if role == "case" else self.settings.get(place)
        return advise(described.metadata, setting, place or "root", place)

    def _by_shape(self, described: Described, advice: Advice, place: str, whole: Whole) -> PartReader:
        """A type that is met again inside itself is read by the reader that is being made."""
        names = described.names if isinstance(described.shape, RecordShape) else described.names[:-1]
        if advice.similarity is not None or not names:
            return self._make(described, advice, place, whole)
        for entered, made in self._open:
            if any(name in entered for name in names):
                return PartReader(partial(_read_again, made), _find_fill(described))
        self._open.append((names, made := []))
        part = self._make(described, advice, place, whole)
        made.append(part.read)
        self._open.pop()
        return part

    def _make(self, described: Described, advice: Advice, place: str, whole: Whole) -> PartReader:
        inside: Whole = True if whole is True else frozenset()
        fill = _find_fill(described)
        match described.shape:
            case ScalarShape():
                return PartReader(
                    readers.scalar(decoder(described, lax=self.lax), _find_reading_hint(advice.similarity))
                )
            case RecordShape() as shape:
                return self._record(shape, place, whole, fill)
            case TupleShape(items):
                places = [f"{place}.{i}" if place else f"{i}" for i in range(len(items))]
                parts = [self._part(item, at, inside) for item, at in zip(items, places, strict=True)]
                read = readers.tuple_of([part.read for part in parts], list(map(_is_nullable, items)))
                if whole is True:
                    fillers = [part.fill for part in parts]
                    read = readers.complete_tuple(read, fillers)
                    fill = fill if described.optional else lambda: tuple(filler() for filler in fillers)
                return PartReader(read, fill)
            case CollectionShape(item=item) as shape:
                if advice.key is not None and not inside:
                    inside = frozenset(field.split(".")[0] for field in advice.key.values)
                part = self._part(item, f"{place}[]", inside)
                own = self._advise(describe(item), f"{place}[]")
                is_whole = inside is True or own.similarity is not None or own.strict is not None
                blank = _find_blank(item, part, is_whole=is_whole, keep=advice.sequence == "index")
                self.may_lose |= not shape.has_order
                read = readers.collection(part.read, blank, nullable=_is_nullable(item), distinct=not shape.has_order)
                return PartReader(read, fill)
            case MappingShape(key=key, value=value):
                read = self._part(value, f"{place}{{}}", inside).read
                return PartReader(readers.mapping(decoder(describe(key)), read, nullable=_is_nullable(value)), fill)
            case UnionShape(cases):
                return PartReader(self._union(cases, place, inside))
            case UnknownShape():
                return PartReader(readers.unknown)
        raise AssertionError(f"no reader for {described.shape!r}")

    def _record(self, shape: RecordShape, place: str, whole: Whole, fill: Callable[[], Any]) -> PartReader:
        def within(name: str) -> str:
            return f"{place}.{name}" if place else name

        inside: Whole = True if whole is True else frozenset()
        fields: list[FieldReader] = []
        filled: dict[str, Callable[[], Any]] = {}
        rest: Reader | None = None
        for field in shape.fields:
            if field.name == jsonschema.OTHERS:
                rest = self._part(field.type, within("*")).read
                continue
            part = self._part(field.type, within(field.name), inside)
            fields.append(FieldReader(field, part.read, _is_nullable(field.type)))
            is_name = self._advise(describe(field.type), within(field.name)).name is not None
            is_needed = whole is True or (whole and field.name in whole) or is_name
            if is_needed and part.read is not readers.nothing:
                filled[field.name] = part.fill
        self.may_lose |= shape.more is not None
        read = readers.record(shape, fields, rest)
        if not filled:
            return PartReader(read, fill)
        read = readers.complete(read, filled, is_whole=whole is True)
        return PartReader(read, (lambda: {name: filler() for name, filler in filled.items()}) if fill is dict else fill)

    def _union(self, cases: tuple[Any, ...], place: str, whole: Whole) -> Reader:
        made = []
        for case in cases:
            read = self._part(case, place, whole, "case").read
            shape = describe(case).shape
            made.append(readers.tag_case(read, shape.cls.__name__) if isinstance(shape, RecordShape) else read)
        return readers.union(made, [claim(describe(case), lax=self.lax) for case in cases])


def _read_again(made: list[Reader], value: Any, at: At, notes: Notes) -> Any:
    return made[0](value, at, notes)


def _find_fill(described: Described) -> Callable[[], Any]:
    """What stands for an absent part where a record is compared as a whole, and has to have all its parts."""
    match described.shape:
        case CollectionShape():
            return list
        case MappingShape():
            return dict
        case RecordShape() if not described.optional:
            return dict
        case TupleShape(items) if not described.optional:
            return lambda: (None,) * len(items)
    return lambda: None


def _find_blank(item: Any, part: PartReader, *, is_whole: bool, keep: bool) -> Callable[[], Any] | None:
    """What stands for an absent item, so that the items after it keep their positions; None: it is left out.

    Where an item is compared as a whole, a record of absent parts would count as an invented item.
    """
    match describe(item).shape:
        case RecordShape() | MappingShape() | CollectionShape() if not is_whole:
            return part.fill
    return (lambda: None) if keep else None


def _find_reading_hint(phi: Similarity | None) -> Leaf | Custom | None:
    """The leaf, or the function of the user, that decides which values can be compared."""
    found = [part for part in parts(phi) if isinstance(part, Leaf | Custom)] if phi is not None else []
    return found[0] if len(found) == 1 and not found[0].sel else None


def _is_nullable(annotation: Any) -> bool:
    """Whether `null` is a value of the type."""
    described = describe(annotation)
    return described.optional or described.type in (None, type(None)) or isinstance(described.shape, UnknownShape)
