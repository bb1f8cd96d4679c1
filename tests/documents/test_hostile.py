"""What should never be a crash: schemas, settings and input that are wrong in ways that people and models find."""

import math
from contextlib import suppress
from typing import Any

import pytest

from matchwise import edit, ignore
from matchwise.errors import DataError, DeriveError, MatchwiseError
from matchwise.tasks.documents import evaluate, form

SCHEMAS: dict[str, tuple[dict[str, Any], str]] = {
    "an alias of itself": (
        {"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}},
        "A stands for itself; say what it is made of",
    ),
    "a case of itself": (
        {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}},
        "A: the type contains itself directly, or is nested too deeply; put a record or a list in between",
    ),
    "a list of itself with a metric": (
        {"x-matchwise": "jaccard()", "items": {"anyOf": [{"$ref": "#"}, {"type": "string"}]}},
        "a part with a metric of its own contains itself; take the metric from it",
    ),
    "properties as a list": ({"properties": ["x"]}, r"#: properties is \['x'\], expected an object such as"),
    "properties as a number": ({"properties": 3}, "#: properties is 3, expected an object such as"),
    "required as a text": (
        {"properties": {"x": {}}, "required": "x"},
        r"#: required is 'x', expected a list such as \[\"name\"\]",
    ),
    "code in a hint": (
        {"properties": {"x": {"type": "string", "x-matchwise": "weight(9**9**9)"}}},
        r"cannot read 'weight\(9\*\*9\*\*9\)'; write plain numbers and texts",
    ),
    "what is no JSON": ({"properties": {"x": {"default": object()}}}, "the JSON Schema holds what JSON cannot"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_hostile_schema_is_refused_in_words(name: str) -> None:
    schema, message = SCHEMAS[name]
    with pytest.raises(DeriveError, match=message):
        form(schema)


@pytest.mark.parametrize("settings", [["x"], {"x": [edit()]}, {1: edit()}, {"x": "edit()"}, {"x": edit}])
def test_hostile_settings_are_refused_in_words(settings: Any) -> None:
    with pytest.raises(DeriveError, match=r"settings.* (found|are) .*, expected a (mapping|similarity)"):
        form({"properties": {"x": {"type": "string"}}}, settings)


@pytest.mark.parametrize("T", [[1], "Invoice", 5])
def test_what_is_no_type_is_refused_in_words(T: Any) -> None:
    with pytest.raises(DeriveError, match="expected a class or a JSON Schema"):
        form(T)


@pytest.mark.parametrize("side", [None, "ab", {"a": 1}, 3])
def test_one_document_in_place_of_many_is_refused_in_words(side: Any) -> None:
    with pytest.raises(DataError, match=r"the predictions are a .*, expected a list .* write form.score"):
        evaluate(form({"properties": {"x": {"type": "string"}}}), side, [])


NUMBERS = form({"properties": {"k": {"type": "integer"}, "x": {"type": "number"}}})


@pytest.mark.parametrize("pred", [{"k": 10**5000}, f'{{"k": 1{"0" * 5000}}}', '{"k": 1e5000}'])
def test_a_number_of_too_many_digits_is_said_to_be_that(pred: Any) -> None:
    [fault] = NUMBERS.faults(pred)
    assert str(fault) == "k: a number of more than 4,000 digits is not compared"


def test_a_key_that_is_there_twice_is_a_fault_and_the_last_one_counts() -> None:
    result = NUMBERS.score('{"k": 1, "x": 2, "k": 3}', {"k": 3, "x": 2})
    assert result.f1 == 1.0
    assert [str(fault) for fault in result.faults] == ['a key twice in one object, the last one counts: "k"']


def test_faults_of_references_are_listed_apart() -> None:
    run = evaluate(NUMBERS, [{"k": 1}, {"k": "one"}], [{"k": 1, "x": math.nan}, {"k": 1}], ids=["a", "b"])
    assert {name: [str(fault) for fault in faults] for name, faults in run.reference_faults.items()} == {
        "a": ["x: NaN is not a number"]
    }
    assert str(run).endswith(
        "faults of the predictions\n     1 × k: not an integer\n\nfaults of the references\n     1 × x: not a number"
    )


def test_a_reference_that_cannot_be_read_names_its_document() -> None:
    with pytest.raises(DataError, match="document b reference: not JSON"):
        evaluate(NUMBERS, [{}, {}], ["{}", "{"], ids=["a", "b"])


def test_an_ignored_field_need_not_be_there() -> None:
    schema = {"properties": {"id": {"type": "string"}, "x": {"type": "integer"}}, "required": ["id", "x"]}
    assert form(schema, {"id": ignore()}).faults({"x": 1}) == ()


@pytest.mark.parametrize("title", ["a\0b", "a\ud800"])
def test_a_title_that_no_class_can_have_is_no_crash(title: str) -> None:
    made = form({"title": title, "type": "object", "properties": {title: {"title": title, "properties": {"x": {}}}}})
    assert made.score({title: {"x": 1}}, {title: {"x": 1}}).f1 == 1.0


KEYWORDS: dict[str, Any] = {
    "properties": None, "patternProperties": [], "additionalProperties": 3, "required": None, "type": {}, "format": [],
    "items": 3, "prefixItems": {}, "enum": "ab", "anyOf": {}, "oneOf": 3, "allOf": "x",
}  # fmt: skip


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_keyword_with_a_value_of_another_shape_is_refused_in_words(keyword: str) -> None:
    value = KEYWORDS[keyword]
    for schema in ({keyword: value}, {"properties": {"a": {"type": "array", "items": {keyword: value}}}}):
        with pytest.raises(DeriveError, match=f"{keyword} is .*, expected "):
            form(schema)


@pytest.mark.parametrize("keyword", ["items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties"])
@pytest.mark.parametrize("depth", [150, 200, 300])
def test_a_schema_that_is_nested_deeply_is_read_or_refused(keyword: str, depth: int) -> None:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = {keyword: schema if keyword in ("items", "additionalProperties") else [schema]}
    problem = "nested too deeply; name some of them in \\$defs|the expression is nested more than 100 levels deep"
    with pytest.raises(MatchwiseError, match=problem) if depth == 300 else suppress(MatchwiseError):
        form(schema)
