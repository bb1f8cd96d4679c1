"""A JSON object that should be a JSON Schema: is it one, or is it an example of the documents?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matchwise.errors import DeriveError

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

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
            return any(isinstance(name, str) and name in TYPES for name in names)
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
