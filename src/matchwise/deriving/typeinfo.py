"""One level of a type: is it a value, a record, a collection, a mapping, a tuple, a union — or nothing we know?

`describe` looks only at the outermost layer; the annotations inside are described when they are reached, which is why
recursive types need no care here.

A record may come from any library. A `RecordSource` is two functions: `owns(cls)` tells its classes by the attributes
they carry, so that no library is imported that the user's types do not come from, and `fields(cls)` reads their fields.
Fields have the names of attributes: aliases and renamed fields concern the encoded form only.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import sys
from collections import abc
from collections.abc import Callable, Iterable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)
from typing import Union as TypingUnion
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from matchwise.deriving import jsonschema
from matchwise.deriving.annotations import MISSING, Field, is_typeddict, resolve, substitute
from matchwise.errors import DeriveError

SCALARS = (
    str, bytes, bool, int, float, complex, Decimal, Fraction, UUID, Enum, NoneType,
    datetime.date, datetime.time, datetime.timedelta,
)  # fmt: skip
UNORDERED = (set, frozenset, abc.Set, abc.MutableSet)
COLLECTIONS = (
    list, collections.deque, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable, *UNORDERED,
)  # fmt: skip
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, abc.Mapping, abc.MutableMapping)


class ScalarShape(Struct, frozen=True):
    """A plain value; several classes for a Literal of mixed values."""

    classes: tuple[type, ...]


class RecordShape(Struct, frozen=True):
    """An object with named fields."""

    cls: type
    fields: tuple[Field, ...]
    more: frozenset[str] | None = frozenset()
    """Keys that JSON may have besides, and that decoding does not lose; None if it may have any."""


class CollectionShape(Struct, frozen=True):
    """Any number of items."""

    cls: type
    item: Any

    @property
    def has_order(self) -> bool:
        return self.cls not in UNORDERED


class MappingShape(Struct, frozen=True):
    """Values under keys."""

    cls: type
    key: Any
    value: Any


class TupleShape(Struct, frozen=True):
    """A fixed number of parts."""

    items: tuple[Any, ...]


class UnionShape(Struct, frozen=True):
    """One of several types, None apart."""

    cases: tuple[Any, ...]


class UnknownShape(Struct, frozen=True):
    """A type that says too little."""


Shape: TypeAlias = ScalarShape | RecordShape | CollectionShape | MappingShape | TupleShape | UnionShape | UnknownShape


class Described(Struct, frozen=True):
    """The outermost layer of an annotation.

    `names` are the type and, before it, the aliases it was reached by; `metadata` is of Annotated, innermost first.
    """

    shape: Shape
    names: tuple[Any, ...]
    optional: bool = False
    metadata: tuple[Any, ...] = ()

    @property
    def type(self) -> Any:
        return self.names[-1]


def describe(annotation: Any) -> Described:
    """What the annotation says of its values.

    >>> described = describe(Annotated[list[int], "hint"] | None)
    >>> described.shape, described.optional, described.metadata
    (CollectionShape(cls=<class 'list'>, item=<class 'int'>), True, ('hint',))
    """
    optional = False
    metadata: tuple[Any, ...] = ()
    aliases: tuple[Any, ...] = ()
    while True:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            annotation, metadata = arguments[0], (*arguments[1:], *metadata)
        elif origin in (Required, NotRequired, Final, ClassVar) or getattr(origin, "_name", None) == "ReadOnly":
            # ReadOnly and the copies of typing_extensions are told by name: they are newer than our oldest Python.
            optional |= origin is NotRequired
            annotation = arguments[0]
        elif origin in (TypingUnion, UnionType) and NoneType in arguments:
            optional = True
            annotation = jsonschema.union(case for case in arguments if case is not NoneType)
        elif isinstance(annotation, TypeVar) and _bound(annotation) is not None:
            annotation = _bound(annotation)
        elif (aliased := _expand_alias(annotation, origin, arguments)) is not None:
            if any(annotation is alias for alias in aliases):
                raise DeriveError(f"{annotation!r} stands for itself; say what it is made of")
            aliases, annotation = (*aliases, annotation), aliased
        else:
            return Described(_shape(annotation, origin, arguments), (*aliases, annotation), optional, metadata)


def classes(described: Described) -> tuple[type, ...]:
    """The classes of the values, by which a union tells its cases apart."""
    match described.shape:
        case ScalarShape(found):
            return found
        case RecordShape(cls) | CollectionShape(cls) | MappingShape(cls):
            return (dict,) if hasattr(cls, "__required_keys__") else (cls,)
        case TupleShape():
            return (tuple,)
        case UnionShape(cases):
            return tuple(cls for case in cases for cls in classes(describe(case)))
        case UnknownShape():
            return (described.type,) if isinstance(described.type, type) and described.type is not Any else ()


def type_name(annotation: Any) -> str:
    """How messages call a type.

    >>> type_name(int), type_name(list[int]), type_name(Any)
    ('int', 'list[int]', 'typing.Any')
    """
    if annotation is MISSING:
        return "a field without annotation"
    if get_origin(annotation) is None:
        return annotation.__name__ if isinstance(annotation, type) and annotation is not Any else repr(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if not isinstance(origin, type) or origin is UnionType or not all(isinstance(a, type) for a in arguments):
        return repr(annotation)
    return f"{origin.__name__}[{', '.join(map(type_name, arguments))}]"


def _bound(variable: TypeVar) -> Any:
    """What an unsubstituted type variable says of its values, if anything."""
    if variable.__constraints__:
        return jsonschema.union(variable.__constraints__)
    return variable.__bound__


def _expand_alias(annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Any:
    """What a NewType, `type X = …` or `X[int]` stands for."""
    if origin is None and hasattr(annotation, "__supertype__"):
        return annotation.__supertype__
    alias = annotation if origin is None else origin
    if type(alias).__name__ != "TypeAliasType":
        return None
    return substitute(_evaluate_alias(alias), dict(zip(alias.__type_params__, arguments, strict=False)))


def _evaluate_alias(alias: Any) -> Any:
    """The value of an alias, with the names that it holds as strings looked up in its module."""
    holder = SimpleNamespace(__annotations__={"value": alias.__value__})
    names = vars(sys.modules[alias.__module__]) if alias.__module__ in sys.modules else {}
    try:
        return get_type_hints(holder, globalns=names, include_extras=True)["value"]
    except NameError:
        return alias.__value__


def _shape(annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Shape:
    if origin is Literal:
        return ScalarShape(tuple(dict.fromkeys(type(value) for value in arguments)))
    if origin in (TypingUnion, UnionType):
        return UnionShape(arguments)
    if origin is tuple:
        return _tuple_shape(arguments)
    if origin in COLLECTIONS and len(arguments) == 1:
        return CollectionShape(origin, arguments[0])
    if origin in MAPPINGS and len(arguments) == 2:
        return MappingShape(origin, *arguments)
    if annotation is None:
        return ScalarShape((NoneType,))
    cls = annotation if origin is None else origin
    if not isinstance(cls, type):
        return UnknownShape()
    source = next((source for source in SOURCES if source.owns(cls)), None)
    if source is not None:
        fields = source.fields(cls)
        if binding := dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False)):
            fields = tuple(replace(f, type=substitute(f.type, binding)) for f in fields)
        return RecordShape(cls, fields, source.more(cls))
    return ScalarShape((cls,)) if issubclass(cls, SCALARS) else UnknownShape()


def _tuple_shape(arguments: tuple[Any, ...]) -> Shape:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return CollectionShape(tuple, arguments[0])
    if not arguments or any(getattr(part, "__unpacked__", False) for part in arguments):
        return UnknownShape()
    return TupleShape(arguments)


class RecordSource(NamedTuple):
    """A library whose classes are records."""

    owns: Callable[[type], bool]
    fields: Callable[[type], tuple[Field, ...]]
    more: Callable[[Any], frozenset[str] | None] = lambda cls: frozenset()


def _annotated_fields(parts: Callable[[Any], Iterable[Field]]) -> Callable[[type], tuple[Field, ...]]:
    """Read the types of fields from the annotations of their class; without one, a field keeps what it has."""

    def fields(cls: type) -> tuple[Field, ...]:
        hints = resolve(cls)
        return tuple(replace(part, type=hints.get(part.name, part.type)) for part in parts(cls))

    return fields


def _dataclass_fields(cls: Any) -> Iterable[Field]:
    absent = dataclasses.MISSING
    for part in dataclasses.fields(cls):
        yield Field(part.name, part.type, required=part.default is absent and part.default_factory is absent)


def is_pydantic_model(cls: type) -> bool:
    """True if the class is a model of Pydantic 2."""
    return hasattr(cls, "__pydantic_complete__") and isinstance(getattr(cls, "model_fields", None), dict)


def _pydantic_fields(cls: type) -> tuple[Field, ...]:
    model: Any = cls
    if not model.__pydantic_complete__:
        try:
            model.model_rebuild()
        except Exception as error:  # PydanticUndefinedAnnotation, which is not imported here
            raise DeriveError(
                f"{cls.__name__}: {getattr(error, 'message', error)} where its annotations are read; "
                f"define that name, then call {cls.__name__}.model_rebuild()"
            ) from None
    return tuple(
        Field(
            name,
            # Pydantic takes the outermost `Annotated` apart
            Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation,
            required=info.is_required(),
            aliases=tuple(alias for alias in _list_aliases(info) if isinstance(alias, str)),
        )
        for name, info in model.model_fields.items()
    )


def _list_aliases(info: Any) -> list[Any]:
    """The aliases that Pydantic reads; an alias for writing is no key of a document."""
    return list(getattr(info.validation_alias, "choices", [info.validation_alias]))


def _pydantic_keys(cls: Any) -> frozenset[str] | None:
    """The keys that a path of aliases begins with."""
    if cls.model_config.get("extra") == "allow":
        return None
    aliases = [alias for info in cls.model_fields.values() for alias in _list_aliases(info)]
    return frozenset(alias.path[0] for alias in aliases if hasattr(alias, "path"))


def _attrs_fields(cls: Any) -> Iterable[Field]:
    """A private attribute `_x` is read as `_x`, whatever its argument is called."""
    for part in cls.__attrs_attrs__:
        yield Field(part.name, MISSING if part.type is None else part.type, required=repr(part.default) == "NOTHING")


def _struct_fields(cls: Any) -> Iterable[Field]:
    names = cls.__struct_fields__
    required = len(names) - len(cls.__struct_defaults__)
    for place, (name, key) in enumerate(zip(names, cls.__struct_encode_fields__, strict=True)):
        yield Field(name, MISSING, required=place < required, aliases=() if key == name else (key,))


def _struct_keys(cls: Any) -> frozenset[str]:
    tag = cls.__struct_config__.tag_field
    return frozenset({tag} if tag else ())


def _tuple_fields(cls: Any) -> Iterable[Field]:
    """A `collections.namedtuple` has names only, and needs a setting for each."""
    return (Field(name, MISSING, required=name not in cls._field_defaults) for name in cls._fields)


def _lists(name: str, cls: type) -> bool:
    """True if the class has a tuple of this name, as attrs, msgspec and named tuples list their fields."""
    return isinstance(getattr(cls, name, None), tuple)


def _typeddict_fields(cls: type) -> tuple[Field, ...]:
    """The keys are the fields; keys that are not required may be absent."""
    free, bound = cls.__optional_keys__, cls.__required_keys__  # type: ignore[attr-defined]  # is_typeddict(cls)
    return tuple(Field(name, hint, name in free, name in bound) for name, hint in resolve(cls).items())


SOURCES = (
    RecordSource(dataclasses.is_dataclass, _annotated_fields(_dataclass_fields)),
    RecordSource(is_pydantic_model, _pydantic_fields, _pydantic_keys),
    RecordSource(partial(_lists, "__attrs_attrs__"), _annotated_fields(_attrs_fields)),
    RecordSource(partial(_lists, "__struct_fields__"), _annotated_fields(_struct_fields), _struct_keys),
    RecordSource(is_typeddict, _typeddict_fields),
    RecordSource(lambda cls: issubclass(cls, tuple) and _lists("_fields", cls), _annotated_fields(_tuple_fields)),
    RecordSource(jsonschema.owns, jsonschema.fields),
)
