"""Values -> JSON Schema: what the documents at hand have in common, for those who have no schema yet.

Fields that every object has are required, strings that are all dates have `format: date`, null makes a field nullable.
An object with very many keys, each in few objects, is taken to be a mapping. Nothing is guessed from names.

Where a JSON Schema is expected, an example of the documents is told from a schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct, field

from matchwise.errors import DataError, DeriveError

MANY_KEYS = 50
"""An object with more different keys than this, none in more than a tenth of the objects, is a mapping."""

DEEPEST = 64


def infer_schema(documents: Iterable[Any]) -> dict[str, Any]:
    """The schema that all documents fit.

    >>> infer_schema([{"n": 1, "on": "2024-02-29"}, {"n": 2.5}])["properties"]
    {'n': {'type': 'number'}, 'on': {'type': 'string', 'format': 'date'}}
    """
    seen = _Seen()
    number = 0
    for number, document in enumerate(documents, start=1):
        seen.add(document, f"document {number}", 0)
    if not number:
        raise DataError("found no documents to infer a schema from; give at least one")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **seen.schema()}


class _Seen(Struct):
    """What was seen at one place."""

    kinds: Counter[str] = field(default_factory=Counter)
    fields: dict[str, _Seen] = field(default_factory=dict)
    present: Counter[str] = field(default_factory=Counter)
    items: _Seen | None = None
    formats: set[str] | None = None

    def add(self, value: Any, path: str, depth: int) -> None:
        if depth > DEEPEST:
            raise DataError(f"found values nested more than {DEEPEST} deep, for which no schema is inferred", path=path)
        kind = _kind(value, path)
        self.kinds[kind] += 1
        if kind == "object":
            for name, part in value.items():
                self.fields.setdefault(str(name), _Seen()).add(part, f"{path}.{name}", depth + 1)
                self.present[str(name)] += 1
        elif kind == "array":
            self.items = self.items or _Seen()
            for part in value:
                self.items.add(part, f"{path}[]", depth + 1)
        elif kind == "string":
            found = _formats(value)
            self.formats = found if self.formats is None else self.formats & found

    def schema(self) -> dict[str, Any]:
        cases = [self._case(kind) for kind in sorted(self.kinds, key=_ORDER.index)]
        if "integer" in self.kinds and "number" in self.kinds:
            cases.remove({"type": "integer"})
        return cases[0] if len(cases) == 1 else {"anyOf": cases} if cases else {}

    def _case(self, kind: str) -> dict[str, Any]:
        if kind == "array":
            inner = self.items.schema() if self.items is not None else {}
            return {"type": "array", "items": inner} if inner else {"type": "array"}
        if kind == "string" and self.formats:
            return {"type": "string", "format": min(self.formats)}
        if kind == "object":
            return self._object()
        return {"type": kind}

    def _object(self) -> dict[str, Any]:
        number = self.kinds["object"]
        if len(self.fields) > MANY_KEYS and max(self.present.values()) * 10 <= number:
            values = _Seen()
            for seen in self.fields.values():
                values.merge(seen)
            return {"type": "object", "additionalProperties": values.schema()}
        made: dict[str, Any] = {
            "type": "object",
            "properties": {name: seen.schema() for name, seen in self.fields.items()},
        }
        required = [name for name, count in self.present.items() if count == number]
        return made | ({"required": required} if required else {})

    def merge(self, other: _Seen) -> None:
        self.kinds.update(other.kinds)
        self.present.update(other.present)
        for name, seen in other.fields.items():
            self.fields.setdefault(name, _Seen()).merge(seen)
        if other.items is not None:
            self.items = self.items or _Seen()
            self.items.merge(other.items)
        if other.formats is not None:
            self.formats = other.formats if self.formats is None else self.formats & other.formats


_KINDS: dict[str, Any] = {
    "object": Mapping, "array": (list, tuple), "string": str, "integer": int, "number": float, "boolean": bool,
    "null": type(None),
}  # fmt: skip
_ORDER = list(_KINDS)


def _kind(value: Any, path: str) -> str:
    if isinstance(value, bool):  # which is an int, too
        return "boolean"
    for kind, classes in _KINDS.items():
        if isinstance(value, classes):
            return kind
    raise DataError(f"found {type(value).__name__}, expected JSON: objects, arrays, texts, numbers", path=path)


def _formats(text: str) -> set[str]:
    """The formats that the text is written in; only full forms, as `fromisoformat` also takes 20240229."""
    found = set()
    if len(text) == 10 and text[4:5] == text[7:8] == "-" and _reads(date, text):
        found.add("date")
    if len(text) >= 19 and text[10:11] in "T " and _reads(datetime, text):
        found.add("date-time")
    return found


def _reads(kind: type[date], text: str) -> bool:
    try:
        kind.fromisoformat(text)
    except ValueError:
        return False
    return True


ANNOTATIONS = frozenset(
    {
        "$anchor", "$comment", "$defs", "$id", "$schema", "$vocabulary", "contentEncoding", "contentMediaType",
        "default", "definitions", "deprecated", "description", "discriminator", "else", "examples",
        "exclusiveMaximum", "exclusiveMinimum", "format", "if", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "pattern", "readOnly",
        "required", "then", "title", "unevaluatedProperties", "uniqueItems", "writeOnly", "x-matchwise",
    }
)  # fmt: skip
"""Keywords that do not say by themselves what a value looks like."""

SHAPES = frozenset(
    {"$ref", "additionalProperties", "allOf", "anyOf", "const", "enum", "items", "oneOf", "patternProperties"}
    | {"prefixItems", "properties", "type"}
)
"""Keywords that do, with a value of the right kind."""


def refuse_example(schema: Mapping[str, Any]) -> None:
    """Raise an error if a mapping has keys that no schema has, and nothing that makes it a schema.

    >>> refuse_example({"number": "R-1", "total": 9.5})
    Traceback (most recent call last):
    ...
    matchwise.errors.DeriveError: found an example with the keys number, total, expected a class or a JSON Schema; \
infer a schema from examples: infer_schema([{...}, ...]), or matchwise schema examples.jsonl > schema.json
    """
    if any(_says_something(keyword, value) for keyword, value in schema.items()):
        return
    if any(key not in ANNOTATIONS and key not in SHAPES for key in schema):
        shown = ", ".join(map(str, [*schema][:5])) + (" …" if len(schema) > 5 else "")
        raise DeriveError(
            f"found an example with the keys {shown}, expected a class or a JSON Schema; infer a schema from examples: "
            "infer_schema([{...}, ...]), or matchwise schema examples.jsonl > schema.json"
        )


def _says_something(keyword: str, value: Any) -> bool:
    """True if this is how a schema says what values look like; an invoice may have a key `type` or `items`, too."""
    match keyword:
        case "type":
            names = value if isinstance(value, list) else [value]
            return any(isinstance(name, str) and name in _KINDS for name in names)
        case "properties" | "patternProperties":
            return isinstance(value, Mapping) and all(map(_may_be_schema, value.values()))
        case "items" if isinstance(value, list):  # drafts before 2020-12
            return all(
                isinstance(one, Mapping) and any(_says_something(*part) for part in one.items()) for one in value
            )
        case "items" | "additionalProperties":
            return _may_be_schema(value)
        case "anyOf" | "oneOf" | "allOf" | "prefixItems":
            return isinstance(value, list) and all(map(_may_be_schema, value))
        case "enum":
            return isinstance(value, list)
        case "$ref" | "const":
            return True
    return False


def _may_be_schema(value: Any) -> bool:
    return isinstance(value, Mapping | bool)
