"""Values against types: an instance, a dictionary or a list is read as the type says, and what does not fit is listed.

A plain value of the wrong type stays in its place as a `Misfit`, so that it counts as wrong there. A key that the type
does not declare, or a value where a record or a list should be, is counted as *undeclared*: one invented leaf for each
plain value in it. Text that JSON writes for a date, a number or a member of an Enum is decoded; nothing else is coerced
unless the reading is lax.
What another decoder would drop of a value is found by the same readers (`Fit.losses`).

A type becomes a reader, a function that notes what is wrong and never raises for it; None stands for an absent value.

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

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Custom, Leaf
from matchwise.algebra.walk import parts
from matchwise.deriving import jsonschema
from matchwise.deriving.faults import MISSING, REPEATED, UNDECLARED, At, Fault, Fitted, Notes, show_json
from matchwise.deriving.hints import Advice, Setting, advise
from matchwise.deriving.scalars import Decode, decoder, is_reasonable
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
from matchwise.errors import DataError, DeriveError, near_word, suggestion

Reader: TypeAlias = Callable[[Any, At, Notes], Any]
"""From a value to the fitted value, or None for an absent one."""

Fill: TypeAlias = Callable[[], Any]
"""Makes what stands for an absent part that must be there."""

Whole: TypeAlias = "frozenset[str] | bool"
"""Which fields of a record must be there to be compared: all where it is compared as a whole, a key, or none."""


class PartReader(NamedTuple):
    """How a part is read, what stands for it where it is absent and must be there, and what else is known of it."""

    read: Reader
    fill: Fill = lambda: None
    nullable: bool = False
    """Whether `null` is a value of its type."""
    advice: Advice = Advice()


class Fit:
    """Reads values as a type, a JSON Schema or an annotation says, with `derive`'s settings."""

    def __init__(self, T: Any, settings: Mapping[str, Setting] | None = None, *, lax: bool = False) -> None:
        self.lax = lax
        """Whether values are also taken as Pydantic's lax mode takes them."""
        self.settings = dict(settings or {})
        self._open: list[tuple[tuple[Any, ...], list[Reader]]] = []
        self.may_lose = False
        """Whether the type has records, whose keys are known, or sets."""
        try:
            self._root = self._part(jsonschema.annotation(T) if isinstance(T, Mapping) else T, "")
        except RecursionError:
            raise DeriveError("a part with a metric of its own contains itself; take the metric from it") from None

    def read(self, value: Any, *, reference: bool = False) -> Fitted:
        """The value, fitted; only a `reference` may give several accepted values (`any_of`)."""
        notes = Notes(accept_several=reference)
        try:
            read = None if value is None and self._root.nullable else self._root.read(value, None, notes)
        except RecursionError:
            raise DataError(
                "found a value that contains itself, or is nested too deeply to read; "
                "if it is only deep, write sys.setrecursionlimit(20_000) first"
            ) from None
        return Fitted(read, tuple(notes.undeclared), tuple(notes.faults))

    def losses(self, value: Any) -> list[Fault]:
        """What decoding into the type would drop: keys that it does not have, and repeated items of a set."""
        notes = Notes(decoding=True)
        self._root.read(value, None, notes)
        return [fault for fault in notes.faults if fault.is_undeclared or fault.problem == REPEATED]

    def _part(self, annotation: Any, place: str, whole: Whole = frozenset(), *, is_case: bool = False) -> PartReader:
        described = describe(annotation)
        setting = None if is_case else self.settings.get(place)  # it was for the union as a whole
        advice = advise(described.metadata, setting, place or "root", place)
        absent = described.optional or described.type in (None, type(None))
        nullable = absent or isinstance(described.shape, UnknownShape)
        if advice.ignored:
            return PartReader(_read_nothing, nullable=nullable, advice=advice)
        if advice.similarity is not None or advice.strict is not None:
            whole = True
        read, fill, *_ = self._by_name(described, advice, place, whole)
        return PartReader(_accept_several(read) if advice.any_of is not None else read, fill, nullable, advice)

    def _by_name(self, described: Described, advice: Advice, place: str, whole: Whole) -> PartReader:
        """A type that is met again inside itself is read by the reader that is being made."""
        names = described.names if isinstance(described.shape, RecordShape) else described.names[:-1]
        if advice.similarity is not None or not names:
            return self._by_shape(described, advice, place, whole)
        for entered, made in self._open:
            if any(name in entered for name in names):
                return PartReader(partial(_read_again, made), _find_fill(described))
        self._open.append((names, made := []))
        part = self._by_shape(described, advice, place, whole)
        made.append(part.read)
        self._open.pop()
        return part

    def _by_shape(self, described: Described, advice: Advice, place: str, whole: Whole) -> PartReader:
        inside: Whole = True if whole is True else frozenset()
        fill = _find_fill(described)
        match described.shape:
            case ScalarShape():
                phi = advice.similarity
                leaves = [part for part in parts(phi) if isinstance(part, Leaf | Custom)] if phi is not None else []
                # The leaf, or the function of the user, decides which values can be compared.
                hint = leaves[0] if len(leaves) == 1 and not leaves[0].sel else None
                return PartReader(_read_scalar(decoder(described, lax=self.lax), hint))
            case RecordShape() as shape:
                return self._record(shape, place, whole, fill)
            case TupleShape(items):
                each = [self._part(item, f"{place}.{i}" if place else f"{i}", inside) for i, item in enumerate(items)]
                if whole is True and not described.optional:
                    fill = lambda: tuple(part.fill() for part in each)  # noqa: E731
                return PartReader(_read_tuple(each, is_whole=whole is True), fill)
            case CollectionShape(item=item) as shape:
                if advice.key is not None and not inside:
                    inside = frozenset(field.split(".")[0] for field in advice.key.values)
                part = self._part(item, f"{place}[]", inside)
                is_whole = inside is True or part.advice.similarity is not None or part.advice.strict is not None
                blank = _find_blank(item, part, is_whole=is_whole, keep=advice.sequence == "index")
                self.may_lose |= not shape.has_order
                return PartReader(_read_collection(part, blank, distinct=not shape.has_order), fill)
            case MappingShape(key=key, value=value):
                return PartReader(
                    _read_mapping(decoder(describe(key)), self._part(value, f"{place}{{}}", inside)), fill
                )
            case UnionShape(cases):
                return PartReader(self._union(cases, place, inside))
        return PartReader(lambda value, at, notes: value)

    def _record(self, shape: RecordShape, place: str, whole: Whole, fill: Fill) -> PartReader:
        start = f"{place}." if place else ""
        inside: Whole = True if whole is True else frozenset()
        fields: list[tuple[Any, PartReader]] = []
        filled: dict[str, Fill] = {}
        rest: Reader | None = None
        for field in shape.fields:
            if field.name == jsonschema.OTHERS:
                rest = self._part(field.type, f"{start}*").read
                continue
            part = self._part(field.type, f"{start}{field.name}", inside)
            fields.append((field, part))
            is_needed = whole is True or (whole and field.name in whole) or part.advice.name is not None
            if is_needed and part.read is not _read_nothing:
                filled[field.name] = part.fill
        self.may_lose |= shape.more is not None
        read = _read_record(shape, fields, rest)
        if not filled:
            return PartReader(read, fill)

        def complete(value: Any, at: At, notes: Notes) -> Any:
            """Fill in what the record lacks; one that is compared as a whole and has nothing at all is absent."""
            found = read(value, at, notes)
            if found is None or (whole is True and all(map(_is_absent, found.values()))):
                return None
            for name, make in filled.items():
                if name not in found:
                    found[name] = make()
            return found

        blank = (lambda: {name: make() for name, make in filled.items()}) if fill is dict else fill
        return PartReader(complete, blank)

    def _union(self, cases: tuple[Any, ...], place: str, whole: Whole) -> Reader:
        """The case with the best claim: the class itself, its tag, its keys; then the one with the fewest faults."""
        readers = []
        for case in cases:
            read = self._part(case, place, whole, is_case=True).read
            shape = describe(case).shape
            readers.append(_tag_case(read, shape.cls.__name__) if isinstance(shape, RecordShape) else read)
        claims_of = [claim(describe(case), lax=self.lax) for case in cases]

        def read_case(value: Any, at: At, notes: Notes) -> Any:
            claims = [claimed(value) for claimed in claims_of]
            best = max(claims)
            if best == 0:
                return notes.report_misplaced(value, at, "of any type that is expected")
            least = 1 if notes.decoding else best  # a decoder may take any case
            tried = []
            for reader, claimed in zip(readers, claims, strict=True):
                if claimed >= least:
                    own = Notes(accept_several=notes.accept_several, decoding=notes.decoding)
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

        return read_case


def _read_again(made: list[Reader], value: Any, at: At, notes: Notes) -> Any:
    return made[0](value, at, notes)


def _read_nothing(value: Any, at: At, notes: Notes) -> None:
    return None


def _accept_several(read: Reader) -> Reader:
    def several(value: Any, at: At, notes: Notes) -> Any:
        if notes.accept_several and isinstance(value, list | tuple | set | frozenset):
            found = [read(item, (at, i), notes) for i, item in enumerate(value) if item is not None]
            return [item for item in found if item is not None]
        return read(value, at, notes)

    return several


def _read_scalar(decode: Decode, hint: Leaf | Custom | None) -> Reader:
    """A plain value; one that does not fit its type is kept as it is where the hint can compare it."""
    leaf = hint if isinstance(hint, Leaf) else None
    options = {} if leaf is None else dict(leaf.options)
    classes, check = decode.classes, decode.check

    def read(value: Any, at: At, notes: Notes) -> Any:
        if type(value) not in classes or (check is not None and not check(value)):  # `decode.fits`, without a call
            try:
                value = decode.decode(value)
            except (ValueError, TypeError, ArithmeticError, RecursionError):
                misfit = notes.misfit(value, at, decode.wanted)
                return value if hint is not None and _is_comparable(value, hint, decode.example) else misfit
        if leaf is None:
            return value
        try:
            leaf.kind.feature(value, options)
        except ValueError as error:
            notes.fault(at, str(error))
            return Misfit(value)
        return value

    return read


def _is_comparable(value: Any, hint: Leaf | Custom, example: Any) -> bool:
    """Whether a hint can compare a text or a number, that the type does not take, with a value of the type."""
    try:
        if not isinstance(value, str) and not (type(value) in (int, float, Decimal) and is_reasonable(value)):
            return False
        if isinstance(hint, Custom):
            for x, y in ((value, value), (value, example), (example, value)):
                float(hint.function([x], [y])[0][0] if hint.batch else hint.function(x, y))
        else:
            options = dict(hint.options)
            hint.kind.compare(hint.kind.feature(value, options), hint.kind.feature(example, options), options)
    except Exception:  # the function is the user's, and may not be made for such a value
        return False
    return True


def _is_absent(part: Any) -> bool:
    return part is None or (isinstance(part, list | dict) and not part)


def _read_record(shape: RecordShape, fields: list[tuple[Any, PartReader]], rest: Reader | None) -> Reader:
    own_class = () if issubclass(shape.cls, dict) else (shape.cls,)  # a dictionary is read by its keys
    declared = frozenset(key for field, _ in fields for key in (field.name, *field.aliases))
    known = [
        (field.name, field.aliases, part.read, field.required and part.read is not _read_nothing, part.nullable)
        for field, part in fields
    ]
    more = shape.more

    def read(value: Any, at: At, notes: Notes) -> Any:
        values: Mapping[str, Any]
        if type(value) is dict or isinstance(value, Mapping):
            values = value
        elif isinstance(value, own_class):
            # The fields of an instance, and what Pydantic was told to keep besides.
            values = {field.name: getattr(value, field.name, None) for field, _ in fields}
            values |= getattr(value, "model_extra", None) or {}
        else:
            return notes.report_misplaced(value, at, "a record")
        made = {}
        for name, aliases, read_part, is_required, nullable in known:
            found = values.get(name)
            if found is None and aliases:
                found = next((one for alias in aliases if (one := values.get(alias)) is not None), None)
            if found is not None:
                found = read_part(found, (at, name), notes)
                if found is not None:
                    made[name] = found
            elif is_required:
                is_null = not values.keys().isdisjoint((name, *aliases))
                if not (nullable and is_null):
                    notes.fault((at, name), MISSING)
        if declared.issuperset(values) or (notes.decoding and more is None):
            return made
        others = {str(name): part for name, part in values.items() if name not in declared}
        if rest is not None:
            made[jsonschema.OTHERS] = rest({name: one for name, one in others.items() if one is not None}, at, notes)
            return made
        for name, one in others.items():
            if name not in (more or ()) if notes.decoding else one is not None:
                notes.fault((at, name), UNDECLARED + _suggest(name, declared, notes.decoding))
                notes.leaves(one, (at, name))
        return made

    return read


@lru_cache(maxsize=1024)
def _suggest(name: str, declared: frozenset[str], is_error: bool) -> str:
    """What may have been meant; documents have the same unknown keys again and again."""
    return suggestion(name, declared) if is_error else near_word(name, declared)


def _read_tuple(each: list[PartReader], *, is_whole: bool) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, list | tuple):
            return notes.report_misplaced(value, at, f"a list of {len(each)}")
        for i, more in enumerate(value[len(each) :], start=len(each)):
            notes.fault((at, i), "found an item that the type does not have")
            notes.leaves(more, (at, i))
        found: list[Any] = []
        for i, part in enumerate(each):
            item = value[i] if i < len(value) else None
            if item is None and not (part.nullable and i < len(value)):
                notes.fault((at, i), MISSING)
            found.append(None if item is None else part.read(item, (at, i), notes))
        if not is_whole:
            return tuple(found)
        if all(map(_is_absent, found)):
            return None
        return tuple(part.fill() if item is None else item for part, item in zip(each, found, strict=True))

    return read


def _read_collection(part: PartReader, blank: Fill | None, *, distinct: bool) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        is_list = type(value) is list
        if not is_list and (isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection)):
            return notes.report_misplaced(value, at, "a list")
        if distinct and notes.decoding and len(set(map(repr, value))) < len(value):
            notes.fault(at, REPEATED)
        found = [None if item is None else part.read(item, (at, i), notes) for i, item in enumerate(value)]
        if None not in found:
            return found
        if not part.nullable:
            for i, item in enumerate(value):
                if item is None:
                    notes.fault((at, i), MISSING)
        if blank is None:
            return [item for item in found if item is not None]
        return [blank() if item is None else item for item in found]

    return read


def _read_mapping(key: Decode, part: PartReader) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, Mapping):
            return notes.report_misplaced(value, at, "an object")
        found = {}
        for name, item in value.items():
            where = (at, str(name))
            one = None if item is None else part.read(item, where, notes)
            if item is None and not part.nullable:
                notes.fault(where, MISSING)
            if one is not None:
                try:
                    found[key.key(name)] = one
                except (ValueError, TypeError, ArithmeticError):
                    notes.fault(where, f"the key {show_json(name)} is not {key.wanted}")
                    notes.leaves(item, where)
        return found

    return read


def _tag_case(read: Reader, name: str) -> Reader:
    """Unions tell their cases apart by class: a dictionary of a class of this name."""
    cls = jsonschema.case(name)

    def made(value: Any, at: At, notes: Notes) -> Any:
        found = read(value, at, notes)
        return None if found is None else cls(found)

    return made


def claim(described: Described, *, lax: bool) -> Callable[[Any], int]:
    """How good a claim a case of a union has on a value; 0 is none."""
    match described.shape:
        case ScalarShape():
            return decoder(described, lax=lax).claim
        case RecordShape(cls, fields):
            types = {field.name: describe(field.type).type for field in fields}
            tags = {name: get_args(T) for name, T in types.items() if get_origin(T) is Literal}

            def claim_record(value: Any) -> int:
                if not isinstance(value, Mapping):
                    return 0 if issubclass(cls, dict) else 2 * isinstance(value, cls)
                return 2 if all(value.get(name) in allowed for name, allowed in tags.items()) else 1

            return claim_record
        case CollectionShape() | TupleShape():
            return lambda value: int(isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping))
        case MappingShape():
            return lambda value: int(isinstance(value, Mapping))
        case UnionShape(cases):
            claims = [claim(describe(case), lax=lax) for case in cases]
            return lambda value: max(each(value) for each in claims)
        case UnknownShape():
            return lambda value: 1


def _find_fill(described: Described) -> Fill:
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


def _find_blank(item: Any, part: PartReader, *, is_whole: bool, keep: bool) -> Fill | None:
    """What stands for an absent item, so that the items after it keep their positions; None: it is left out.

    Where an item is compared as a whole, a record of absent parts would count as an invented item.
    """
    match describe(item).shape:
        case RecordShape() | MappingShape() | CollectionShape() if not is_whole:
            return part.fill
    return (lambda: None) if keep else None
