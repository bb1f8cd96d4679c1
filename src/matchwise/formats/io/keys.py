"""Find what decoding into a type would drop: unknown keys, most often misspelt, and repeated items of a set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchwise.deriving import typeinfo
from matchwise.deriving.typeinfo import describe
from matchwise.errors import DeriveError, suggestion


@dataclass(eq=False, slots=True)
class Shape:
    """What is known of a JSON value: the keys of an object, and the shapes inside."""

    known: frozenset[str] | None = None
    fields: dict[str, Shape] = field(default_factory=dict)
    items: Shape | None = None
    values: Shape | None = None
    parts: tuple[Shape | None, ...] = ()
    distinct: bool = False
    """Whether a list is decoded into a set."""

    @property
    def says_nothing(self) -> bool:
        return not (self.known is not None or self.items or self.values or any(self.parts) or self.distinct)


class Lost(NamedTuple):
    """Something that decoding would drop: an unknown key or (without `known`) repeated items of a set."""

    path: str
    key: str = ""
    known: frozenset[str] | None = None

    def message(self) -> str:
        problem = "found repeated items, which a set drops; make it a list to count them"
        if self.known is None:
            return f"{self.path.removeprefix('.')}: {problem}"
        path = f"{self.path}.{self.key}".removeprefix(".")
        return f"{path}: found a key that the type does not have{suggestion(self.key, self.known)}"


def shape_of(type: Any) -> Shape | None:
    """The shape of a type's JSON form; None where nothing of it can be lost."""
    made = _Shapes().of(type)
    return None if made is None or made.says_nothing else made


def lost(value: Any, shape: Shape | None) -> list[Lost]:
    """Everything that decoding into a type of this shape would drop."""
    if shape is None:
        return []
    found: list[Lost] = []
    kind = type(value)
    if kind is dict:
        if shape.known is not None:
            if not value.keys() <= shape.known:
                found += [Lost("", key, shape.known) for key in value if key not in shape.known]
            for name, inner in shape.fields.items():
                if name in value:
                    found += _within(f".{name}", lost(value[name], inner))
        if shape.values is not None:
            for name, part in value.items():
                found += _within(f".{name}", lost(part, shape.values))
    elif kind is list:
        if shape.distinct and len(set(map(repr, value))) < len(value):
            found.append(Lost(""))
        if shape.items is not None:
            for place, part in enumerate(value):
                found += _within(f"[{place}]", lost(part, shape.items))
        elif shape.parts:
            for place, (part, inside) in enumerate(zip(value, shape.parts, strict=False)):
                found += _within(f"[{place}]", lost(part, inside))
    return found


def _within(step: str, found: list[Lost]) -> list[Lost]:
    return [one._replace(path=step + one.path) for one in found] if found else found


class _Shapes:
    """One walk over a type; a recursive type meets the shape that is being made of it."""

    def __init__(self) -> None:
        self.made: dict[Any, Shape] = {}

    def of(self, annotation: Any) -> Shape | None:
        try:
            described = describe(annotation)
        except DeriveError:
            return None
        key = described.type
        try:
            if key in self.made:
                return self.made[key]
        except TypeError:
            return None
        match described.shape:
            case typeinfo.Record(cls, fields):
                made = self.made[key] = Shape()
                names = _names(cls)
                if names is None:
                    return made
                made.known = frozenset(name for encoded in names.values() for name in encoded)
                for part in fields:
                    inner = self.of(part.type)
                    if inner is not None:
                        made.fields |= dict.fromkeys(names.get(part.name, ()), inner)
                return made
            case typeinfo.Collection(item=item) as shape:
                made = self.made[key] = Shape(distinct=not shape.has_order)
                made.items = self.of(item)
                return made
            case typeinfo.Mapping(value=value):
                made = self.made[key] = Shape()
                made.values = self.of(value)
                return made
            case typeinfo.Tuple(parts):
                made = self.made[key] = Shape()
                made.parts = tuple(map(self.of, parts))
                return made
            case typeinfo.Union(cases):
                return self.union(cases)
            case _:
                return None

    def union(self, cases: tuple[Any, ...]) -> Shape | None:
        """The shape of a union: a key is unknown if no case has it; what several cases share is not looked into."""
        shapes = [shape for shape in map(self.of, cases) if shape is not None]
        if len(shapes) == 1:
            return shapes[0]
        known = [shape.known for shape in shapes]
        if not shapes or any(names is None for names in known):
            return None
        return Shape(frozenset().union(*(names for names in known if names is not None)))


def _names(cls: Any) -> dict[str, tuple[str, ...]] | None:
    """Field -> its keys in JSON; None if the class takes any key."""
    if hasattr(cls, "__struct_fields__"):
        if cls.__struct_config__.array_like:
            return None
        names = dict(zip(cls.__struct_fields__, ((name,) for name in cls.__struct_encode_fields__), strict=True))
        tag = cls.__struct_config__.tag_field
        return {**names, "": (tag,)} if tag else names
    if hasattr(cls, "__pydantic_fields__"):
        if cls.model_config.get("extra") == "allow":
            return None
        return {name: _aliases(name, info) for name, info in cls.model_fields.items()}
    if isinstance(cls, type) and issubclass(cls, tuple):
        return None  # a named tuple is a JSON list
    return {part.name: (part.name,) for part in _fields(cls)}


def _fields(cls: Any) -> tuple[Any, ...]:
    described = describe(cls).shape
    return described.fields if isinstance(described, typeinfo.Record) else ()


def _aliases(name: str, info: Any) -> tuple[str, ...]:
    """A field's name and every alias that a validator may take it by."""
    found = [name, info.alias, info.validation_alias]
    choices = getattr(info.validation_alias, "choices", ())
    paths = [getattr(alias, "path", [alias])[0] for alias in (*found, *choices) if alias is not None]
    return tuple(alias for alias in paths if isinstance(alias, str))
