"""A schema from documents."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.errors import DataError
from matchwise.tasks.documents import form, infer_schema


def test_what_all_objects_have_is_required() -> None:
    assert infer_schema([{"a": "x", "b": 1}, {"a": "y"}]) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a"],
    }


@pytest.mark.parametrize(
    ("values", "schema"),
    [
        ([1, 2], {"type": "integer"}),
        ([1, 2.5], {"type": "number"}),
        ([True], {"type": "boolean"}),
        ([None], {"type": "null"}),
        (["a", None], {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (["2024-02-29"], {"type": "string", "format": "date"}),
        (["2024-02-29", "20240229"], {"type": "string"}),
        (["2024-02-29T12:00:00Z"], {"type": "string", "format": "date-time"}),
        (["2024-02-30"], {"type": "string"}),
        ([[]], {"type": "array"}),
        ([[1], ["a"]], {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        ([{}], {"type": "object", "properties": {}}),
    ],
    ids=str,
)
def test_each_kind_of_value_has_its_schema(values: list[Any], schema: Any) -> None:
    assert infer_schema([{"x": value} for value in values])["properties"]["x"] == schema


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (lambda k: k, {"type": "integer"}),
        (lambda k: "2024-02-01", {"type": "string", "format": "date"}),
        (lambda k: "2024-02-01" if k else "soon", {"type": "string"}),
        (lambda k: [k, "a"][:k], {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        (
            lambda k: {"a": k, "b": k} if k else {"a": k},
            {"type": "object", "properties": {key: {"type": "integer"} for key in "ab"}, "required": ["a"]},
        ),
    ],
)
def test_an_object_with_very_many_keys_is_a_mapping_of_all_that_its_values_are(value: Any, schema: Any) -> None:
    documents = [{"count": {f"word{10 * n + k}": value(k) for k in range(10)}} for n in range(20)]
    found = infer_schema(documents)["properties"]["count"]
    assert found == {"type": "object", "additionalProperties": schema}


def test_no_documents_have_no_schema() -> None:
    with pytest.raises(DataError, match="found no documents"):
        infer_schema([])


def test_what_is_no_json_has_no_schema() -> None:
    with pytest.raises(DataError, match=r"document 1\.x: found set, expected JSON"):
        infer_schema([{"x": {1}}])


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(-5, 5), st.sampled_from(["a", "2024-01-01", ""])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=150)
@given(st.lists(st.dictionaries(st.sampled_from("abcd"), json_values, min_size=1), min_size=1, max_size=4))
def test_every_document_fits_the_schema_inferred_from_it_and_scores_one(documents: list[Any]) -> None:
    made = form(infer_schema(documents))
    assert [made.faults(document) for document in documents] == [()] * len(documents)
    assert all(abs(made.score(document, document).f1 - 1) < 1e-12 for document in documents)


def test_an_inferred_schema_is_a_form_of_its_own() -> None:
    made = form(infer_schema([{"n": 1}]))
    assert [str(fault) for fault in made.faults({"n": "1"})] == ['n: "1" is not an integer']
