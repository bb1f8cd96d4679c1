"""JSON Schema, read as annotations: an object is a record, `$ref` a name, `anyOf` a union, `format: date` a date.

The keyword `x-matchwise` says how a place is compared, in the words that Python would use:
`{"type": "number", "x-matchwise": ["close(abs=0.01)", "weight(2)"]}`. What a schema leaves open is compared as JSON:
objects by key, arrays as bags.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from functools import lru_cache
from typing import Annotated, Any, Literal, Union
from uuid import UUID

from matchwise.algebra.nodes import Similarity
from matchwise.algebra.parse import syntax
from matchwise.deriving.annotations import Field
from matchwise.deriving.hints import BUILDERS, Hint
from matchwise.deriving.infer import refuse_example
from matchwise.errors import DeriveError, ExpressionError, suggestion

KEYWORD = "x-matchwise"
OTHERS = "*"
"""The field that holds what `additionalProperties` allows beside the declared properties."""

FORMATS: dict[str, Any] = {"date": date, "date-time": datetime, "time": time, "uuid": UUID}
SCALARS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}


class Object(dict[str, Any]):
    """The class of the values of one object schema; a subclass is made for each, and told from others by its name."""

    __slots__ = ("faults", "undeclared")
    schema: SchemaPlace
    faults: tuple[Any, ...]
    undeclared: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self).__name__, dict(self), *(getattr(self, slot, ()) for slot in Object.__slots__))


def _restore(name: str, values: dict[str, Any], faults: tuple[Any, ...], undeclared: tuple[Any, ...]) -> Object:
    """The value as another process knows it: the name of its class is what unions look at."""
    made = case(name)(values)
    made.faults, made.undeclared = faults, undeclared
    return made


@lru_cache(maxsize=1024)
def case(name: str) -> type[Object]:
    """The class of the dictionaries that are the case of this name in a union."""
    return type(name, (Object,), {"__slots__": ()})


class Alias:
    """A named schema other than an object, resolved when it is reached, so that it may contain itself."""

    def __init__(self, place: SchemaPlace, name: str) -> None:
        self._place, self._name = place, name

    @property
    def __supertype__(self) -> Any:
        return self._place.annotation()

    def __call__(self) -> None:
        """`typing` takes for a type what can be called."""

    def __repr__(self) -> str:
        return self._name


class SchemaPlace:
    """One schema inside a document: where it is, and how it is called."""

    def __init__(self, document: SchemaDocument, schema: Any, pointer: str, name: str) -> None:
        self.document, self.schema, self.pointer = document, schema, pointer
        self.name = name.replace("\0", "�").encode("utf-8", "replace").decode()
        """The name of a class, which has no null character and no half of a surrogate."""

    def annotation(self) -> Any:
        known = self.document.annotations
        if self.pointer not in known:
            known[self.pointer] = self._annotation()
        return known[self.pointer]

    def _annotation(self) -> Any:
        schema = self.schema
        if schema is True or schema == {}:
            return self.document.anything
        if not isinstance(schema, Mapping):
            raise self.refuse(f"found {schema!r}, expected a schema")
        self.check_keywords(schema)
        written = schema.get(KEYWORD, [])
        wishes = [self._wish(text) for text in (written if isinstance(written, list) else [written])]
        bare = self._bare(schema)
        if schema.get("nullable") is True:
            bare = union([bare, None])
        return Annotated[(bare, *wishes)] if wishes else bare

    def _bare(self, schema: Mapping[str, Any]) -> Any:
        match schema:
            case {"$ref": ref}:
                return self.document.follow(ref, self).target_annotation()
            case {"const": value}:
                return self._literal([value])
            case {"enum": [*values]}:
                return self._literal(values)
            case {"anyOf": [*cases]}:
                return self._union("anyOf", cases)
            case {"oneOf": [*cases]}:
                return self._union("oneOf", cases)
            case {"allOf": [_, *_] as parts}:
                return self._join(schema, parts)
            case {"type": [*names]}:
                return self._union("type", [{**schema, "type": name, KEYWORD: []} for name in names])
        return self._read_typed(schema)

    def _read_typed(self, schema: Mapping[str, Any]) -> Any:
        kind = schema.get("type")
        if kind == "object" or (kind is None and not {"properties", "additionalProperties"}.isdisjoint(schema)):
            return self._object(schema)
        if kind == "array" or (kind is None and not {"items", "prefixItems"}.isdisjoint(schema)):
            return self._array(schema)
        if kind == "string":
            return FORMATS.get(schema.get("format", ""), str)
        if kind is None:
            return self.document.anything
        if kind not in SCALARS:
            raise self.refuse(f"type {kind!r} is unknown{suggestion(str(kind), [*SCALARS, 'array', 'object'])}")
        return SCALARS[kind]

    def _object(self, schema: Mapping[str, Any]) -> Any:
        if schema.get("properties"):
            return type(self.name, (Object,), {"__slots__": (), "schema": self})
        return dict[str, self._others(schema)]  # type: ignore[misc]  # known at run time only

    def _others(self, schema: Mapping[str, Any]) -> Any:
        """What the values of undeclared keys are."""
        patterns = list(schema.get("patternProperties", {}).values())
        more = schema.get("additionalProperties", True)
        found = [self.inside("patternProperties", str(i), part).annotation() for i, part in enumerate(patterns)]
        if isinstance(more, Mapping) or (more is True and not found):
            found.append(self.inside("additionalProperties", None, more).annotation())
        return union(found) if found else self.document.anything

    def fields(self) -> tuple[Field, ...]:
        properties, required = self.schema["properties"], self.schema.get("required", ())
        found = [
            Field(name, self.inside("properties", name, part).annotation(), name not in required, name in required)
            for name, part in properties.items()
        ]
        if "patternProperties" in self.schema or isinstance(self.schema.get("additionalProperties"), Mapping):
            found.append(Field(OTHERS, dict[str, self._others(self.schema)], optional=True))  # type: ignore[misc]
        return tuple(found)

    def _array(self, schema: Mapping[str, Any]) -> Any:
        items, first = schema.get("items", True), schema.get("prefixItems")
        if isinstance(items, list):  # drafts before 2020-12
            first = items
        if first:
            return tuple[tuple(self._each("prefixItems", first))]  # type: ignore[misc]
        return list[self.inside("items", None, items).annotation()]  # type: ignore[misc]

    def _literal(self, values: list[Any]) -> Any:
        plain = [value for value in values if value is None or isinstance(value, str | int | float)]
        if len(plain) < len(values):
            return self.document.anything
        named = [value for value in plain if value is not None]
        cases = [Literal[tuple(named)]] if named else []
        return union([*cases, *([None] if len(named) < len(plain) else [])])

    def _join(self, schema: Mapping[str, Any], parts: list[Any]) -> Any:
        """`allOf`: one part is itself; several objects are one object with the properties of all."""
        if len(parts) == 1 and not {"type", "properties"} & schema.keys():
            return self.inside("allOf", "0", parts[0]).annotation()
        joined: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        for part in [*parts, {**schema, "allOf": []}]:
            place = self
            while isinstance(part, Mapping) and "$ref" in part:
                place = self.document.follow(part["$ref"], place)
                part = place.schema
            if not isinstance(part, Mapping) or part.get("type", "object") != "object":
                raise self.refuse("allOf joins objects only; write one schema in its place")
            self.check_keywords(part)
            joined["properties"] |= part.get("properties", {})
            joined["required"] += part.get("required", [])
            if isinstance(part.get("additionalProperties"), Mapping):
                joined["additionalProperties"] = part["additionalProperties"]
        return SchemaPlace(self.document, joined, f"{self.pointer}/joined", self.name).annotation()

    def _wish(self, text: object) -> Similarity | Hint:
        if not isinstance(text, str):
            raise self.refuse(f'{KEYWORD} is {text!r}; write a text such as "edit()" or a list of such')
        try:
            return hint(text) or _parse(text)
        except (ExpressionError, DeriveError) as error:
            raise self.refuse(f"{KEYWORD}: {error}") from None

    def target_annotation(self) -> Any:
        """The annotation of a place that a `$ref` leads to."""
        is_record = isinstance(self.schema, Mapping) and self.schema.get("properties") and "allOf" not in self.schema
        return self.annotation() if is_record else self.document.alias(self)

    def inside(self, keyword: str, key: str | None, schema: Any) -> SchemaPlace:
        way = keyword if key is None else f"{keyword}/{key.replace('~', '~0').replace('/', '~1')}"
        title = schema.get("title") if isinstance(schema, Mapping) else None
        case = f"{self.name}_{int(key) + 1}" if key and keyword in ("anyOf", "oneOf") else self.name
        name = title or (key if keyword == "properties" else case)
        return SchemaPlace(self.document, schema, f"{self.pointer}/{way}", str(name))

    def _union(self, keyword: str, schemas: list[Any]) -> Any:
        return union(self._each(keyword, schemas))

    def _each(self, keyword: str, schemas: list[Any]) -> list[Any]:
        """The annotations of several schemas."""
        return [self.inside(keyword, str(number), schema).annotation() for number, schema in enumerate(schemas)]

    def check_keywords(self, schema: Mapping[str, Any]) -> None:
        """Refuse a keyword with a value of another shape."""
        for keyword, wanted, example in _SHAPES:
            if keyword in schema and not isinstance(schema[keyword], wanted):
                raise self.refuse(f"{keyword} is {schema[keyword]!r}, expected {example}")

    def refuse(self, problem: str) -> DeriveError:
        return DeriveError(f"{self.pointer}: {problem}")


_LIST = (list, tuple)
_SHAPES: tuple[tuple[str, Any, str], ...] = (
    ("properties", Mapping, 'an object such as {"name": {"type": "string"}}'),
    ("patternProperties", Mapping, 'an object such as {"^x-": {"type": "string"}}'),
    ("additionalProperties", (Mapping, bool), "a schema, true or false"),
    ("required", _LIST, 'a list such as ["name"]'),
    ("type", (str, *_LIST), 'a text such as "string", or a list of such'),
    ("format", str, 'a text such as "date"'),
    ("items", (Mapping, bool, *_LIST), 'a schema such as {"type": "string"}'),
    ("prefixItems", _LIST, 'a list such as [{"type": "string"}]'),
    ("enum", _LIST, 'a list such as ["a", "b"]'),
    ("anyOf", _LIST, 'a list such as [{"type": "string"}]'),
    ("oneOf", _LIST, 'a list such as [{"type": "string"}]'),
    ("allOf", _LIST, 'a list such as [{"type": "string"}]'),
)
"""What the keywords of a schema may be; it is checked before a keyword is read."""


class SchemaDocument:
    """A schema as a whole, with what was read of it so far."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.root = SchemaPlace(self, schema, "#", str(schema.get("title") or "document"))
        self.aliases: dict[str, Alias] = {}
        anything: Any = Alias(SchemaPlace(self, True, "JSON", "JSON"), "JSON")
        self.anything = anything
        """Any JSON value."""
        self.annotations = {"JSON": union([bool, float, str, list[anything], dict[str, anything], None])}

    def follow(self, ref: object, origin: SchemaPlace) -> SchemaPlace:
        """The place that `$ref` names, at the end of a chain of references."""
        seen: list[object] = []
        while True:
            if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
                raise origin.refuse(f"$ref {ref!r} leads out of the document; only #/… is followed")
            if ref in seen:
                raise origin.refuse(f"$ref {ref!r} leads back to itself")
            seen.append(ref)
            schema: Any = self.root.schema
            steps = [step.replace("~1", "/").replace("~0", "~") for step in ref.split("/")[1:]]
            for step in steps:
                try:
                    schema = schema[int(step)] if isinstance(schema, list) else schema[step]
                except (KeyError, IndexError, ValueError, TypeError):
                    near = suggestion(step, schema) if isinstance(schema, Mapping) else ""
                    raise origin.refuse(f"$ref {ref!r} leads nowhere: there is no {step!r}{near}") from None
            if isinstance(schema, Mapping) and set(schema) <= {"$ref", "title", "description"} and "$ref" in schema:
                ref = schema["$ref"]
                continue
            title = schema.get("title") if isinstance(schema, Mapping) else None
            return SchemaPlace(self, schema, ref, str(title or (steps[-1] if steps else self.root.name)))

    def alias(self, place: SchemaPlace) -> Alias:
        return self.aliases.setdefault(place.pointer, Alias(place, place.name))


def annotation(schema: Mapping[str, Any]) -> Any:
    """The annotation that a schema stands for.

    >>> annotation({"type": "array", "items": {"enum": ["a", "b"]}})
    list[typing.Literal['a', 'b']]
    """
    refuse_example(schema)
    try:
        return SchemaDocument(schema).root.annotation()
    except RecursionError:
        raise DeriveError("#: found schemas that are nested too deeply; name some of them in $defs") from None


def owns(cls: type) -> bool:
    return issubclass(cls, Object) and cls is not Object


def fields(cls: type) -> tuple[Field, ...]:
    return cls.schema.fields()  # type: ignore[attr-defined, no-any-return]  # owns(cls)


def union(cases: Iterable[Any]) -> Any:
    """The union of types that are only known at run time; None if there are none."""
    found = tuple(cases)
    return Union[found] if found else None  # noqa: UP007  # X | Y needs them written out


def hint(text: str) -> Hint | None:
    """The hint that a text calls for, or None if it is not a hint.

    >>> hint('keyed("id")'), hint("edit()")
    (keyed('id'), None)
    """
    builders = {builder.__name__: builder for builder in BUILDERS}
    try:
        call = syntax(text)
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in builders:
        return None
    try:
        arguments = [ast.literal_eval(argument) for argument in call.args]
        return builders[call.func.id](*arguments, **{str(k.arg): ast.literal_eval(k.value) for k in call.keywords})
    except ValueError:
        raise DeriveError(f"cannot read {text!r}; write plain numbers and texts, as in weight(2)") from None
    except TypeError as error:
        raise DeriveError(f"cannot read {text!r}: {error}") from None


def _parse(text: str) -> Similarity:
    from matchwise.similarities.vocabulary import parse  # registers the leaves, too

    return parse(text)
