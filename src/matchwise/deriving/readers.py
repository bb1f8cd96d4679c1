"""Readers: functions from a value to the fitted value, one for each shape a type can have, combined by `Fit`.

A reader notes what is wrong and never raises for it. None stands for an absent value.

A value shows which record it is: what an instance holds, and which class a value is of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Custom, Leaf
from matchwise.deriving import jsonschema
from matchwise.deriving.annotations import Field
from matchwise.deriving.faults import MISSING, REPEATED, UNDECLARED, At, Notes, show_json
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
from matchwise.errors import near_word, suggestion

Reader: TypeAlias = Callable[[Any, At, "Notes"], Any]
"""From a value to the fitted value, or None for an absent one."""


class FieldReader(NamedTuple):
    """A field of a record, its reader, and whether null is a value of it."""

    field: Field
    read: Reader
    nullable: bool


def nothing(value: Any, at: At, notes: Notes) -> None:
    return None


def unknown(value: Any, at: At, notes: Notes) -> Any:
    return value


def scalar(decode: Decode, hint: Leaf | Custom | None) -> Reader:
    """A plain value; one that does not fit its type is kept as it is where the hint can compare it."""
    leaf = hint if isinstance(hint, Leaf) else None
    options = {} if leaf is None else dict(leaf.options)

    def read(value: Any, at: At, notes: Notes) -> Any:
        if not decode.fits(value):
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


def record(shape: RecordShape, fields: list[FieldReader], rest: Reader | None) -> Reader:
    own_class = () if issubclass(shape.cls, dict) else (shape.cls,)  # a dictionary is read by its keys
    declared = frozenset(key for part in fields for key in (part.field.name, *part.field.aliases))
    more = shape.more

    def read(value: Any, at: At, notes: Notes) -> Any:
        values: Mapping[str, Any]
        if isinstance(value, Mapping):
            values = value
        elif isinstance(value, own_class):
            # The fields of an instance, and what Pydantic was told to keep besides.
            values = {part.field.name: getattr(value, part.field.name, None) for part in fields}
            values |= getattr(value, "model_extra", None) or {}
        else:
            return notes.report_misplaced(value, at, "a record")
        made = {}
        for field, read_field, nullable in fields:
            name = field.name
            found = values.get(name)
            if found is None and field.aliases:
                found = next((part for alias in field.aliases if (part := values.get(alias)) is not None), None)
            if found is not None:
                found = read_field(found, (at, name), notes)
                if found is not None:
                    made[name] = found
            elif field.required and read_field is not nothing:
                is_null = not values.keys().isdisjoint((name, *field.aliases))
                if not (nullable and is_null):
                    notes.fault((at, name), MISSING)
        if declared.issuperset(values) or (notes.decoding and more is None):
            return made
        others = {str(name): part for name, part in values.items() if name not in declared}
        if rest is not None:
            made[jsonschema.OTHERS] = rest({name: part for name, part in others.items() if part is not None}, at, notes)
            return made
        for name, part in others.items():
            if name not in (more or ()) if notes.decoding else part is not None:
                notes.fault((at, name), UNDECLARED + _suggest(name, declared, notes.decoding))
                notes.leaves(part, (at, name))
        return made

    return read


@lru_cache(maxsize=1024)
def _suggest(name: str, declared: frozenset[str], is_error: bool) -> str:
    """What may have been meant; documents have the same unknown keys again and again."""
    return suggestion(name, declared) if is_error else near_word(name, declared)


def tuple_of(readers: list[Reader], nullable: list[bool]) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if not isinstance(value, list | tuple):
            return notes.report_misplaced(value, at, f"a list of {len(readers)}")
        for i, more in enumerate(value[len(readers) :], start=len(readers)):
            notes.fault((at, i), "found an item that the type does not have")
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


def collection(read_item: Reader, blank: Callable[[], Any] | None, *, nullable: bool, distinct: bool) -> Reader:
    def read(value: Any, at: At, notes: Notes) -> Any:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection):
            return notes.report_misplaced(value, at, "a list")
        if distinct and notes.decoding and len(set(map(repr, value))) < len(value):
            notes.fault(at, REPEATED)
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
                    notes.fault((at, str(name)), f"the key {show_json(name)} is not {key.wanted}")
                    notes.leaves(item, (at, str(name)))
        return found

    return read


def tag_case(read: Reader, name: str) -> Reader:
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
        least = 1 if notes.decoding else best  # a decoder may take any case
        tried = []
        for reader, claim in zip(readers, claims, strict=True):
            if claim >= least:
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

    return read


def claim(described: Described, *, lax: bool) -> Callable[[Any], int]:
    """How good a claim a case of a union has on a value; 0 is none."""
    match described.shape:
        case ScalarShape():
            return decoder(described, lax=lax).claim
        case RecordShape(cls, fields):
            tags = {
                f.name: get_args(describe(f.type).type) for f in fields if get_origin(describe(f.type).type) is Literal
            }
            return lambda value: _claim_record(value, cls, tags)
        case CollectionShape() | TupleShape():
            return lambda value: int(isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping))
        case MappingShape():
            return lambda value: int(isinstance(value, Mapping))
        case UnionShape(cases):
            claims = [claim(describe(case), lax=lax) for case in cases]
            return lambda value: max(each(value) for each in claims)
        case UnknownShape():
            return lambda value: 1


def _claim_record(value: Any, cls: type, tags: dict[str, tuple[Any, ...]]) -> int:
    if not isinstance(value, Mapping):
        return 0 if issubclass(cls, dict) else 2 * isinstance(value, cls)
    return 2 if all(value.get(name) in allowed for name, allowed in tags.items()) else 1
