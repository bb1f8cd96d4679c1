"""The keys of a JSON document that its type does not have: a misspelt key would otherwise be a silent miss."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from matchwise.derive import typeinfo
from matchwise.derive.typeinfo import describe
from matchwise.errors import DeriveError, FormatError, suggestion


@dataclass(slots=True, eq=False)
class Shape:
    """What is known of a JSON value: the keys of an object, and the shapes inside."""

    known: frozenset[str] | None = None
    fields: dict[str, Shape] = field(default_factory=dict)
    items: Shape | None = None
    values: Shape | None = None
    parts: tuple[Shape | None, ...] = ()

    @property
    def says_nothing(self) -> bool:
        return self.known is None and self.items is None and self.values is None and not any(self.parts)


def shape_of(type: Any) -> Shape | None:
    """The shape of a type's JSON form; None where no key of it can be unknown."""
    made = _Shapes().of(type)
    return None if made is None or made.says_nothing else made


def unknown(value: Any, shape: Shape | None) -> list[tuple[str, str, frozenset[str]]]:
    """(path, key, the keys there are) of every key that the shape does not know."""
    if shape is None:
        return []
    found: list[tuple[str, str, frozenset[str]]] = []
    kind = type(value)
    if kind is dict:
        if shape.known is not None:
            if not value.keys() <= shape.known:
                found += [("", key, shape.known) for key in value if key not in shape.known]
            for name, inner in shape.fields.items():
                if name in value:
                    found += [(f".{name}{path}", *rest) for path, *rest in unknown(value[name], inner)]  # type: ignore[misc]  # two more
        if shape.values is not None:
            for name, part in value.items():
                found += [(f".{name}{path}", *rest) for path, *rest in unknown(part, shape.values)]  # type: ignore[misc]
    elif kind is list:
        if shape.items is not None:
            for place, part in enumerate(value):
                found += [(f"[{place}]{path}", *rest) for path, *rest in unknown(part, shape.items)]  # type: ignore[misc]
        elif shape.parts:
            for place, (part, inner_part) in enumerate(zip(value, shape.parts, strict=False)):
                found += [(f"[{place}]{path}", *rest) for path, *rest in unknown(part, inner_part)]  # type: ignore[misc]
    return found


def unknown_key(path: str, key: str, known: frozenset[str]) -> FormatError:
    """The message for one of them."""
    where = f"{path}.{key}".removeprefix(".")
    return FormatError(f"{where}: found a key that the type does not have{suggestion(key, known)}")


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
            case typeinfo.Collection(item=item):
                made = self.made[key] = Shape()
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
        """A key is unknown if no case has it; what lies inside several cases is not looked at."""
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
