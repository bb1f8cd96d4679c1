"""An example of the documents where a schema should be."""

import pytest

from matchwise import derive
from matchwise.errors import DeriveError
from matchwise.tasks.documents import form

EXAMPLES = [
    {"number": "R-1", "total": 9.5},
    {"type": "invoice", "total": 9.5},
    {"items": [{"sku": "a"}], "title": "Order", "total": 3},
    {"properties": {"colour": "red"}, "name": "car"},
    {"a": None},
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_refused_with_the_way_to_a_schema(example) -> None:
    message = (
        f"found an example with the keys {', '.join(example)}, expected a class or a JSON Schema; infer a schema from "
        "examples: infer_schema([{...}, ...]), or matchwise schema examples.jsonl > schema.json"
    )
    for build in (form, derive):
        with pytest.raises(DeriveError) as caught:
            build(example)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"title": "Anything"},
        {"type": ["object", "null"], "x-vendor": 1},
        {"properties": {"a": True}, "x-order": ["a"]},
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}},
        {"enum": ["a", "b"], "comment": "two"},
        {"items": [{"type": "string"}], "x-vendor": 1},
    ],
)
def test_a_schema_may_have_keywords_of_others(schema) -> None:
    form(schema)
