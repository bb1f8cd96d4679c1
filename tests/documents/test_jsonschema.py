"""JSON Schema -> expression: each keyword, references, recursion, `x-matchwise`, and schemas that are wrong."""

from typing import Annotated, Any, Literal

import pydantic
import pytest

from matchwise import (
    again,
    any_of,
    close,
    derive,
    edit,
    eq,
    floor,
    ignore,
    keyed,
    normalize,
    ordered,
    overlap,
    positional,
    recursive,
    signature,
    strict,
    union,
    weight,
)
from matchwise.deriving.jsonschema import hint
from matchwise.errors import DeriveError
from matchwise.tasks.documents import form

TEXT = {"type": "string"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "phi"),
    [
        (TEXT, eq("x")),
        ({"type": "integer"}, eq("x")),
        ({"type": ["string", "null"]}, eq("x")),
        ({"type": ["integer", "number"]}, eq("x")),
        ({"enum": ["a", "b", None]}, eq("x")),
        ({"const": 3}, eq("x")),
        ({"type": "string", "format": "date"}, eq("x")),
        ({"type": "string", "nullable": True}, eq("x")),
        ({"anyOf": [TEXT, {"type": "null"}]}, eq("x")),
        ({"oneOf": [TEXT, {"type": "integer"}]}, union("x", {str: eq(), int: eq()})),
        ({"type": "array", "items": TEXT}, overlap("x")),
        ({"items": TEXT}, overlap("x")),
        ({"type": "array", "prefixItems": [TEXT, {"type": "integer"}]}, eq("x.0") + eq("x.1")),
        ({"type": "array", "items": [TEXT, TEXT]}, eq("x.0") + eq("x.1")),
        ({"type": "object", "additionalProperties": TEXT}, overlap("x", eq("key") * (1 * eq("value")))),
        ({"patternProperties": {"^a": TEXT}, "type": "object"}, overlap("x", eq("key") * (1 * eq("value")))),
        (of(a=TEXT, b=TEXT), eq("x.a") + eq("x.b")),
        ({"allOf": [of(a=TEXT), of(b=TEXT)]}, eq("x.a") + eq("x.b")),
        ({"allOf": [{"$ref": "#/$defs/P"}], "description": "…"}, eq("x.p")),
        ({"allOf": [], **TEXT}, eq("x")),
        ({"allOf": [], **of(a=TEXT)}, eq("x.a")),
        ({"$ref": "#/$defs/P"}, eq("x.p")),
        ({"$ref": "#/$defs/Q"}, eq("x.p")),
        ({"$ref": "#/$defs/a~01~1b"}, eq("x.p")),
        ({**TEXT, "x-matchwise": "edit()"}, edit("x")),
        ({**TEXT, "x-matchwise": ["edit(floor=0.5)", "weight(2)"]}, 2 * edit("x", floor=0.5)),
        ({"$ref": "#/$defs/P", "x-matchwise": "weight(3)"}, 3 * eq("x.p")),
        ({"items": of(id=TEXT, b=TEXT), "x-matchwise": 'keyed("id")'}, overlap("x", eq("id") * (eq("id") + eq("b")))),
        ({"items": TEXT, "x-matchwise": "ordered()"}, overlap("x", order="sequence")),
        (
            {**of(a=TEXT), "additionalProperties": TEXT},
            eq("x.a") + overlap(("x", "*"), eq("key") * (1 * eq("value"))),
        ),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_schema_derives_to_an_expression(schema: Any, phi: Any) -> None:
    defs = {"P": of(p=TEXT), "Q": {"$ref": "#/$defs/P", "title": "Q"}, "a~1/b": of(p=TEXT)}
    found = derive({**of(x=schema, y=TEXT), "$defs": defs})
    assert found == normalize(phi + eq("y"), "f1")


def test_a_schema_that_comes_back_to_itself_is_recursive() -> None:
    tree = {**of(label=TEXT, kids={"items": {"$ref": "#"}}), "title": "Tree"}
    assert derive(tree) == normalize(recursive("Tree", eq("label") + overlap("kids", again("Tree"))), "f1")


def test_a_named_schema_that_is_no_object_may_be_recursive() -> None:
    schema = {**of(x={"$ref": "#/$defs/Nested"}), "$defs": {"Nested": {"items": {"$ref": "#/$defs/Nested"}}}}
    assert derive(schema) == normalize(1 * recursive("Nested", overlap(None, again("Nested")), "x"), "f1")


def test_what_a_schema_leaves_open_is_compared_as_json() -> None:
    anything = form(of(x={}))
    assert anything.score({"x": {"a": [1, 2]}}, {"x": {"a": [2, 1]}}).f1 == 1.0
    assert anything.score({"x": {"a": [1, 2]}}, {"x": {"a": [2, 3]}}).f1 == 0.5


class Card(pydantic.BaseModel):
    kind: Literal["card"]
    digits: Annotated[str, edit()]


class Transfer(pydantic.BaseModel):
    kind: Literal["transfer"]
    iban: str


class Order(pydantic.BaseModel):
    pay: Card | Transfer = pydantic.Field(discriminator="kind")
    parts: dict[str, int]
    next: "Order | None" = None


def test_the_schema_of_a_model_scores_like_the_model() -> None:
    by_type, by_schema = form(Order, {"pay": eq()}), form(Order.model_json_schema(), {"pay": eq()})
    gold = {
        "pay": {"kind": "card", "digits": "12"},
        "parts": {"a": 1},
        "next": {"pay": {"kind": "transfer", "iban": "D"}},
    }
    pred = {
        "pay": {"kind": "card", "digits": "12"},
        "parts": {"a": "1"},
        "next": {"pay": {"kind": "card", "iban": "D"}},
    }
    one, two = by_type.score(pred, gold), by_schema.score(pred, gold)
    assert (one.counts, [f.path for f in one.faults]) == (two.counts, [f.path for f in two.faults])


def test_equal_schemas_give_equal_expressions_and_signatures() -> None:
    schema = Order.model_json_schema()
    assert derive(schema) == derive(schema)
    assert signature(derive(schema)) == signature(derive(schema))


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (of(x={"$ref": "other.json"}), "#/properties/x: $ref 'other.json' leads out of the document"),
        (of(x={"$ref": "#/$defs/Lin"}), "#/properties/x: $ref '#/$defs/Lin' leads nowhere: there is no '$defs'"),
        (
            {**of(x={"$ref": "#/$defs/Lin"}), "$defs": {"Line": TEXT}},
            "#/properties/x: $ref '#/$defs/Lin' leads nowhere: there is no 'Lin'; did you mean 'Line'?",
        ),
        ({**of(x={"$ref": "#/$defs/A"}), "$defs": {"A": {"$ref": "#/$defs/A"}}}, "leads back to itself"),
        (of(x={"type": "strin"}), "#/properties/x: type 'strin' is unknown; did you mean 'string'?"),
        (of(x={**TEXT, "x-matchwise": "edt()"}), "#/properties/x: x-matchwise: column 1: unknown word 'edt'"),
        (of(x={**TEXT, "x-matchwise": 3}), "is 3; write a text such as"),
        (of(x={**TEXT, "x-matchwise": "weight(-1)"}), "cannot weigh a field by -1"),
        (of(x={**TEXT, "x-matchwise": "weight(two)"}), "cannot read 'weight(two)'"),
        (of(x=3), "#/properties/x: found 3, expected a schema"),
        (of(x={"allOf": [TEXT, TEXT]}), "allOf joins objects only"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_schema_is_refused_with_its_place(schema: Any, message: str) -> None:
    with pytest.raises(DeriveError) as caught:
        derive(schema)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("weight(3)", weight(3)),
        ("weight(0.5)", weight(0.5)),
        ("ordered()", ordered()),
        ("positional()", positional()),
        ("keyed('id')", keyed("id")),
        ("ignore()", ignore()),
        ("strict()", strict()),
        ("any_of()", any_of()),
        ("floor(0.5)", floor(0.5)),
        ("edit()", None),
        ("weight", None),
        ("(", None),
    ],
)
def test_hints_are_written_as_in_python(text: str, meant: Any) -> None:
    assert hint(text) == meant


def test_settings_by_path_reach_into_a_schema() -> None:
    schema = of(lines={"items": of(text=TEXT, price={"type": "number"})})
    settings = {"lines[].text": edit(), "lines[].price": close(abs=0.1)}
    assert derive(schema, settings) == normalize(1 * overlap("lines", edit("text") + close("price", abs=0.1)), "f1")


def test_fields_of_a_schema_stand_in_its_order() -> None:
    written = str(form({"properties": {"b": {"type": "string"}, "a": {"type": "string"}}}))
    assert written.startswith('normalize(eq("b") + eq("a")')


def test_an_empty_all_of_says_nothing() -> None:
    dated = {"x": "2020-01-01"}
    assert not form(of(x={"format": "date", "allOf": []})).score(dated, dated).faults
