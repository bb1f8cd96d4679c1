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

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.algebra.walk import parts
from matchwise.deriving import jsonschema, readers, typeinfo
from matchwise.deriving.faults import Fitted, Notes
from matchwise.deriving.hints import Advice, Setting, advise
from matchwise.deriving.readers import FieldReader, Reader, Untouched, claim, required, spellings
from matchwise.deriving.scalars import decoder
from matchwise.deriving.typeinfo import Described, describe
from matchwise.errors import DataError, DeriveError

Whole: TypeAlias = "frozenset[str] | bool"
"""Which fields of a record must be there to be compared: all where it is compared as a whole, a key, or none."""


class Fit:
    """Reads values as a type, a JSON Schema or an annotation says, with `derive`'s settings."""

    def __init__(self, T: Any, settings: Mapping[str, Setting] | None = None) -> None:
        self.type = jsonschema.annotation(T) if isinstance(T, Mapping) else T
        self.settings = dict(settings or {})
        self._open: list[tuple[tuple[Any, ...], list[Reader]]] = []
        self._kept: dict[Reader, Untouched] = {}
        self._filled: dict[Reader, Callable[[], Any]] = {}
        """What stands for a record that is absent where it must be there, by its reader."""
        try:
            self._read = self._reader(self.type, "")
        except RecursionError:
            raise DeriveError("a part with a metric of its own contains itself; take the metric from it") from None
        self._is_nullable = _nullable(describe(self.type))

    def read(self, value: Any, *, reference: bool = False, brief: bool = False) -> Fitted:
        """The value, fitted; only a `reference` may give several accepted values (`any_of`)."""
        notes = Notes(reference, brief)
        try:
            read = None if value is None and self._is_nullable else self._read(value, None, notes)
        except RecursionError:
            raise DataError(
                "found a value that contains itself, or is nested too deeply to read; "
                "if it is only deep, write sys.setrecursionlimit(20_000) first"
            ) from None
        return Fitted(read, tuple(notes.undeclared), tuple(notes.faults))

    def _reader(self, annotation: Any, place: str, whole: Whole = frozenset(), role: str = "part") -> Reader:
        described = describe(annotation)
        advice = self._advice(described, place, role)
        if advice.ignored:
            return readers.nothing
        if advice.similarity is not None or advice.strict is not None:
            whole = True
        read = self._by_shape(described, advice, place, whole)
        return readers.any_of(read) if advice.any_of is not None else read

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
                decode, leaf = decoder(described), _leaf(advice.similarity)
                read = readers.scalar(decode, leaf)
                if readers.takes_all(leaf, decode) and decode.check is None:
                    self._kept[read] = Untouched(decode.classes)
                elif readers.takes_all(leaf, decode) and decode.classes <= {int, float}:
                    self._kept[read] = Untouched(numbers=decode.classes)
                return read
            case typeinfo.Record() as shape:
                return self._record(shape, place, whole)
            case typeinfo.Tuple(items):
                places = [f"{place}.{i}" if place else f"{i}" for i in range(len(items))]
                parts = [self._reader(item, at, inside) for item, at in zip(items, places, strict=True)]
                fixed = readers.fixed(parts, [_nullable(describe(item)) for item in items])
                if whole is not True:
                    return fixed
                fillers = [self._filler(item, part) for item, part in zip(items, parts, strict=True)]
                read = readers.complete_tuple(fixed, fillers)
                self._filled[read] = lambda: tuple(fill() for fill in fillers)
                return read
            case typeinfo.Collection(item=item):
                if advice.key is not None and not inside:
                    inside = frozenset(field.split(".")[0] for field in advice.key.values)
                read = self._reader(item, f"{place}[]", inside)
                own = self._advice(describe(item), f"{place}[]")
                is_whole = inside is True or own.similarity is not None or own.strict is not None
                blank = self._blank(item, read, is_whole=is_whole, keep=advice.sequence == "index")
                kept = self._kept.get(read, Untouched()).classes
                return readers.collection(read, blank, kept, nullable=_nullable(describe(item)))
            case typeinfo.Mapping(key=key, value=value):
                read = self._reader(value, f"{place}{{}}", inside)
                return readers.mapping(decoder(describe(key)), read, nullable=_nullable(describe(value)))
            case typeinfo.Union(cases):
                return self._union([describe(case) for case in cases], cases, place, inside)
            case typeinfo.Unknown():
                return readers.unknown
        raise AssertionError(f"no reader for {described.shape!r}")

    def _record(self, shape: typeinfo.Record, place: str, whole: Whole) -> Reader:
        def within(name: str) -> str:
            return f"{place}.{name}" if place else name

        inside: Whole = True if whole is True else frozenset()
        names = spellings(shape.cls)
        fields = []
        for f in shape.fields:
            if f.name != jsonschema.OTHERS:
                read = self._reader(f.type, within(f.name), inside)
                kept = self._kept.get(read, Untouched())
                fields.append(FieldReader(f.name, names.get(f.name, (f.name,)), read, kept))
        filled = {
            f.name: self._filler(f.type, read)
            for f, (_, _, read, _) in zip(shape.fields, fields, strict=False)
            if (
                whole is True
                or (whole and f.name in whole)
                or self._advice(describe(f.type), within(f.name)).name is not None
            )
            and read is not readers.nothing
        }
        others = next((f for f in shape.fields if f.name == jsonschema.OTHERS), None)
        rest = None if others is None else self._reader(others.type, within("*"))
        needed = required(shape.cls) & {field.name for field in fields if field.read is not readers.nothing}
        nullable = frozenset(f.name for f in shape.fields if f.name in needed and _nullable(describe(f.type)))
        read = readers.record(shape.cls, fields, needed, nullable, rest)
        if filled:
            read = readers.complete(read, filled, is_whole=whole is True)
            self._filled[read] = lambda: {name: fill() for name, fill in filled.items()}
        return read

    def _filler(self, annotation: Any, read: Reader) -> Callable[[], Any]:
        """What stands for an absent part where a record is compared as a whole, and has to have all its parts."""
        described = describe(annotation)
        match described.shape:
            case typeinfo.Collection():
                return list
            case typeinfo.Mapping():
                return dict
            case typeinfo.Record() if not described.optional:
                return self._filled.get(read, dict)
            case typeinfo.Tuple(items) if not described.optional:
                return self._filled.get(read, lambda: (None,) * len(items))
        return lambda: None

    def _blank(self, item: Any, read: Reader, *, is_whole: bool, keep: bool) -> Callable[[], Any] | None:
        """What stands for an absent item, so that the items after it keep their positions; None: it is left out.

        Where an item is compared as a whole, a record of absent parts would count as an invented item.
        """
        match describe(item).shape:
            case typeinfo.Record() | typeinfo.Mapping() | typeinfo.Collection() if not is_whole:
                return self._filler(item, read)
        return (lambda: None) if keep else None

    def _union(self, described: list[Described], cases: tuple[Any, ...], place: str, whole: Whole) -> Reader:
        made = []
        for annotation, case in zip(cases, described, strict=True):
            read = self._reader(annotation, place, whole, "case")
            if isinstance(case.shape, typeinfo.Record):
                read = readers.tagged(read, case.shape.cls.__name__)
            made.append(read)
        return readers.union(made, [claim(case) for case in described])


def _leaf(phi: Similarity | None) -> Leaf | None:
    """The leaf whose own reading of a value decides whether it fits."""
    leaves = [part for part in parts(phi) if isinstance(part, Leaf)] if phi is not None else []
    return leaves[0] if len(leaves) == 1 and not leaves[0].sel else None


def _nullable(described: Described) -> bool:
    """Whether `null` is a value of the type."""
    return described.optional or described.type in (None, type(None)) or isinstance(described.shape, typeinfo.Unknown)
