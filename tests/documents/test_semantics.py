"""What a filled form is worth: sums at the leaves, one notion of absent, misfits, undeclared keys, accepted values."""

import pickle
from dataclasses import dataclass, field
from datetime import date as day
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict, get_args

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import (
    any_of,
    casefold,
    close,
    custom,
    date,
    edit,
    eq,
    floor,
    ignore,
    keyed,
    name,
    normalize,
    overlap,
    positional,
    score,
    strict,
    weight,
    within,
)
from matchwise.corpus.counts import Counts
from matchwise.deriving import registered
from matchwise.engine.many.chosen import fields
from matchwise.engine.many.frame import run
from matchwise.engine.plan import plan
from matchwise.errors import DataError, ExpressionError
from matchwise.tasks.documents import Undeclared, evaluate, form, suite, undeclared
from matchwise.tasks.errors import analyse_fields


class Line(pydantic.BaseModel):
    sku: str | None = None
    text: Annotated[str, edit()]
    quantity: int
    price: Annotated[float, close(abs=0.01)]


class Party(pydantic.BaseModel):
    name: str
    city: str | None = None


class Invoice(pydantic.BaseModel):
    number: Annotated[str, weight(3)]
    seller: Party | None = None
    lines: list[Line] = []
    notes: list[str] = []


INVOICE = form(Invoice)
GOLD = {
    "number": "R-1",
    "seller": {"name": "Pump & Co", "city": "Faro"},
    "lines": [
        {"sku": "a", "text": "pump", "quantity": 2, "price": 10.0},
        {"sku": None, "text": "valve", "quantity": 1, "price": 2.5},
    ],
    "notes": [],
}


def changed(**parts: Any) -> dict[str, Any]:
    return {**GOLD, **parts}


def counts(pred: Any, gold: Any = GOLD) -> tuple[Any, Any, Any]:
    found = INVOICE.score(pred, gold).counts
    return found.matched, found.predicted, found.reference


def test_the_metric_prints_as_the_sum_of_its_leaves() -> None:
    line = eq("sku") + edit("text") + eq("quantity") + close("price", abs=0.01)
    whole = 3 * eq("number") + eq("seller.name") + eq("seller.city") + overlap("lines", line) + overlap("notes")
    assert INVOICE.phi == normalize(whole + overlap(undeclared), "f1")


def test_a_document_that_is_all_right_has_all_its_leaves() -> None:
    assert counts(GOLD) == (12, 12, 12)  # 3 + 2 of the party + 4 and 3 of the lines


def test_a_wrong_value_is_one_missing_and_one_invented() -> None:
    assert counts(changed(number="R-2")) == (9, 12, 12)


def test_a_missing_value_is_missing_and_nothing_is_invented() -> None:
    assert counts(changed(number=None)) == (9, 9, 12)


def test_a_missing_line_loses_all_its_leaves() -> None:
    assert counts(changed(lines=GOLD["lines"][:1])) == (9, 9, 12)


def test_an_invented_line_counts_at_its_leaves() -> None:
    new = {"text": "????", "quantity": 9, "price": 99}
    assert counts(changed(lines=[*GOLD["lines"], new])) == (12, 15, 12)


@pytest.mark.parametrize("notes", [None, [], ()])
@pytest.mark.parametrize("seller", [None, {}, {"name": None}])
def test_missing_key_null_empty_list_and_empty_record_are_one_notion(notes: Any, seller: Any) -> None:
    gold = {"number": "R-1"}
    assert counts({"number": "R-1", "notes": notes, "seller": seller}, gold) == (3, 3, 3)
    assert counts(gold, {"number": "R-1", "notes": notes, "seller": seller}) == (3, 3, 3)


def test_two_empty_documents_agree() -> None:
    assert INVOICE.score({}, {}).f1 == 1.0


def test_the_order_of_lines_does_not_matter() -> None:
    assert counts(changed(lines=GOLD["lines"][::-1])) == (12, 12, 12)


def test_instances_dictionaries_and_text_score_the_same() -> None:
    instance = Invoice.model_validate(GOLD)
    text = instance.model_dump_json()
    found = {INVOICE.score(pred, gold).counts for pred in (GOLD, instance, text) for gold in (GOLD, instance, text)}
    assert [(c.matched, c.predicted, c.reference) for c in found] == [(12, 12, 12)]


def test_a_value_of_the_wrong_type_is_wrong_in_its_place_and_listed() -> None:
    lines = [GOLD["lines"][0], {**GOLD["lines"][1], "price": "n/a", "quantity": "1"}]
    result = INVOICE.score(changed(lines=lines), GOLD)
    assert (result.counts.matched, result.counts.predicted) == (10, 12)
    assert [str(fault) for fault in result.faults] == [
        'lines[1].quantity: "1" is not an integer',
        'lines[1].price: "n/a" is not a number',
    ]


def test_true_is_no_number_and_text_is_not_parsed() -> None:
    assert counts(changed(lines=[{**GOLD["lines"][0], "quantity": True}, GOLD["lines"][1]]))[0] == 11


def test_an_undeclared_key_is_an_invented_leaf() -> None:
    result = INVOICE.score(changed(colour="red"), GOLD)
    assert (result.counts.matched, result.counts.predicted) == (12, 13)
    assert [str(fault) for fault in result.faults] == ["colour: found a key that the type does not have"]


def test_an_undeclared_record_counts_at_its_leaves() -> None:
    assert counts(changed(extra={"a": [1, 2, None], "b": {"c": "x"}}))[1] == 15


def test_an_undeclared_key_that_the_reference_has_too_is_right() -> None:
    assert counts(changed(colour="red"), changed(colour="red")) == (13, 13, 13)


def test_undeclared_keys_can_be_ignored() -> None:
    result = form(Invoice, extra="ignore").score(changed(colour="red"), GOLD)
    assert (result.counts.predicted, result.faults[0].problem) == (12, "found a key that the type does not have")


def test_a_text_where_a_list_should_be_is_one_invented_leaf_and_the_list_is_missing() -> None:
    result = INVOICE.score(changed(lines="none"), GOLD)
    assert (result.counts.matched, result.counts.predicted) == (5, 6)
    assert [str(fault) for fault in result.faults] == ['lines: "none" is not a list']


def test_a_text_among_the_lines_leaves_the_positions_of_the_others() -> None:
    bad = {**GOLD["lines"][1], "price": "n/a"}
    found = INVOICE.score(changed(lines=[GOLD["lines"][0], "total: 3", bad]), GOLD)
    assert [fault.path for fault in found.faults] == ["lines[1]", "lines[2].price"]
    assert (found.counts.matched, found.counts.predicted) == (11, 13)


def test_text_that_is_no_json_is_an_empty_prediction() -> None:
    result = INVOICE.score("I could not find an invoice.", GOLD)
    assert (result.counts.predicted, result.recall, len(result.faults)) == (0, 0.0, 1)


def test_a_reference_that_is_no_json_is_an_error() -> None:
    with pytest.raises(DataError, match="reference: not JSON"):
        INVOICE.score(GOLD, "no gold")


def test_unrelated_items_are_not_paired() -> None:
    pairs = form(list[str]).align(["a"], ["b"]).inner.pairs
    assert [len(pair.pairs) for pair in pairs] == [0]


class Item(TypedDict):
    name: Annotated[str, edit()]
    size: int


def test_a_floor_keeps_items_apart_that_are_little_alike() -> None:
    basket = form(dict[str, Annotated[list[Item], floor(0.7)]])
    pred, gold = {"items": [{"name": "bolt", "size": 3}]}, {"items": [{"name": "sofa", "size": 3}]}
    assert form(dict[str, list[Item]]).score(pred, gold).counts.matched == 1.25
    assert basket.score(pred, gold).counts.matched == 0
    assert basket.score({"items": [{"name": "bolts", "size": 3}]}, {"items": [{"name": "bolt", "size": 3}]}).f1 == 0.9


def test_a_floor_lets_the_fields_of_the_pairs_that_are_left_be_counted() -> None:
    item = {"properties": {"name": {"type": "string", "x-matchwise": "edit()"}, "size": {"type": "integer"}}}
    basket = form({"properties": {"items": {"x-matchwise": "floor(0.5)", "items": item}}})
    pred = {"items": [{"name": "bolts", "size": 3}, {"name": "x", "size": 9}]}
    gold = {"items": [{"name": "bolt", "size": 3}, {"name": "y", "size": 9}]}
    rows = {row.path: row for row in evaluate(basket, [pred], [gold]).report.fields()}
    assert (rows["items[].name"].right, rows["items[].name"].wrong, rows["items[].name"].missed) == (0.8, 1.2, 0)
    assert (rows["items[].size"].right, rows["items[].size"].reference) == (2, 2)


def test_a_floor_of_a_leaf_cuts_its_own_credit() -> None:
    named = form({"properties": {"name": {"type": "string", "x-matchwise": ["edit()", "floor(0.9)"]}}})
    assert named.score({"name": "bolts"}, {"name": "bolt"}).counts.matched == 0
    assert [row.path for row in evaluate(named, [{}], [{"name": "a"}]).report.fields()] == ["name"]


class Answer(TypedDict):
    currency: Annotated[str, any_of()]
    total: Annotated[float, close(abs=0.5), any_of()]


def test_any_accepted_value_is_right() -> None:
    gold = {"currency": ["EUR", "€"], "total": [10, 12]}
    assert [form(Answer).score({"currency": c, "total": 11.6}, gold).f1 for c in ("€", "EUR", "USD")] == [1.0, 1.0, 0.5]


def test_several_accepted_values_are_one_leaf_of_the_reference() -> None:
    found = form(Answer).score({}, {"currency": ["EUR", "€"], "total": 3}).counts
    assert (found.predicted, found.reference) == (0, 2)


def test_a_prediction_may_not_give_several_values() -> None:
    result = form(Answer).score({"currency": ["EUR", "€", "USD"]}, {"currency": ["EUR", "€"]})
    assert (result.f1, str(result.faults[0])) == (0.0, 'currency: ["EUR", "€", "USD"] is not a text')


def test_keyed_lines_meet_only_under_their_key() -> None:
    orders = form(list[Item], {"": keyed("name"), "[].name": eq()})
    pred, gold = (
        [{"name": "a", "size": 1}, {"name": "b", "size": 2}],
        [{"name": "a", "size": 2}, {"name": "b", "size": 1}],
    )
    assert orders.score(pred, gold).counts.matched == 2


def test_ignored_fields_are_declared_and_not_compared() -> None:
    result = form(Invoice, {"number": ignore()}).score(changed(number="R-2"), GOLD)
    assert (result.f1, result.faults) == (1.0, ())


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ExpressionError, match='extra=\'drop\'; write extra="count" or extra="ignore"'):
        form(Invoice, extra="drop")  # type: ignore[arg-type]


@dataclass
class Tree:
    label: str
    children: list["Tree"] = field(default_factory=list)


def test_a_recursive_form_reads_and_scores_at_every_depth() -> None:
    gold = {"label": "a", "children": [{"label": "b", "children": [{"label": "c"}]}]}
    pred = {"label": "a", "children": [{"label": "b", "children": [{"label": "x", "size": 3}]}]}
    result = form(Tree).score(pred, gold)
    assert (result.counts.matched, result.counts.predicted, result.counts.reference) == (2, 4, 3)
    assert [str(fault) for fault in result.faults] == [
        "children[0].children[0].size: found a key that the type does not have"
    ]


class Card(pydantic.BaseModel):
    kind: str = "card"
    digits: str


class Transfer(pydantic.BaseModel):
    iban: str
    days: int | None = None


class Payment(pydantic.BaseModel):
    way: Card | Transfer


def test_a_union_of_records_reads_dictionaries_as_the_case_they_fit() -> None:
    payment = form(Payment)
    gold = Payment(way=Transfer(iban="DE1", days=14))
    assert payment.score({"way": {"iban": "DE1", "days": 14}}, gold).f1 == 1.0
    assert payment.score({"way": {"kind": "card", "digits": "1"}}, gold).counts.matched == 0


def test_a_value_that_fits_no_case_of_a_union_is_invented() -> None:
    result = form(Payment).score({"way": 7}, {"way": {"iban": "DE1"}})
    assert (result.counts.matched, result.counts.predicted, result.counts.reference) == (0, 1, 1)


values = st.one_of(st.none(), st.sampled_from(["a", "b", "pump", "pumps", ""]), st.integers(0, 3), st.just(1.5))
lines = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {}, optional={"sku": values, "text": values, "quantity": values, "price": values, "z": values}
        ),
        st.just("misplaced"),
    ),
    max_size=4,
)
documents = st.fixed_dictionaries(
    {},
    optional={
        "number": values,
        "seller": st.one_of(
            st.none(), st.just(3), st.fixed_dictionaries({}, optional={"name": values, "city": values})
        ),
        "lines": lines,
        "notes": st.lists(values, max_size=3),
        "other": values,
    },
)


@settings(max_examples=150)
@given(documents, documents)
def test_the_headline_is_the_sum_of_the_fields(pred: Any, gold: Any) -> None:
    filled, wanted = INVOICE(pred, gold)
    rows = run(lambda p, r: fields(plan(INVOICE.phi), p, r), [filled], [wanted]).values()
    counts = INVOICE.score(pred, gold).counts
    assert sum(row.weight * row.right[0] for row in rows) == pytest.approx(counts.matched, abs=1e-9)
    assert sum(row.weight * row.predicted[0] for row in rows) == counts.predicted
    assert sum(row.weight * row.reference[0] for row in rows) == counts.reference


@settings(max_examples=100)
@given(documents, st.randoms(use_true_random=False))
def test_a_document_scores_one_with_itself_in_any_order(document: Any, random: Any) -> None:
    other = dict(document)
    if other.get("lines"):
        other["lines"] = random.sample(other["lines"], len(other["lines"]))
    assert INVOICE.score(other, document).f1 == pytest.approx(1, abs=1e-12)


@settings(max_examples=100)
@given(documents, documents)
def test_exchanging_the_sides_exchanges_precision_and_recall(pred: Any, gold: Any) -> None:
    there, back = INVOICE.score(pred, gold), INVOICE.score(gold, pred)
    assert there.precision == pytest.approx(back.recall, abs=1e-12)
    assert there.counts.matched == pytest.approx(back.counts.matched, abs=1e-9)


def test_undeclared_values_print_where_they_were() -> None:
    assert Undeclared("lines[].colour", "red") == ("lines[].colour", "red")
    assert INVOICE.read(changed(colour="red")).undeclared == (("colour", "red"),)


def test_the_suite_of_the_task_is_that_of_the_form() -> None:
    made = suite(type=Invoice)
    assert made["score"] == INVOICE.step | INVOICE.phi


class Lone(TypedDict):
    word: str


def test_a_record_with_one_field_may_lack_it() -> None:
    found = form(list[Lone]).score([{}, {"word": "a"}], [{"word": "a"}, {}, {}]).counts
    assert (found.matched, found.predicted, found.reference) == (1, 1, 1)


def test_a_line_without_its_key_meets_only_lines_without_one() -> None:
    orders = form(list[Item], {"": keyed("name"), "[].name": eq()})
    assert orders.score([{"size": 1}, {"size": 2}], [{"size": 2}, {"name": "a", "size": 1}]).counts.matched == 1


class Span(TypedDict):
    left: int
    right: int


class Marked(TypedDict):
    span: Annotated[Span, strict()]
    tags: Annotated[list[Span], strict()]


def test_a_strict_record_counts_as_a_whole_and_may_lack_parts() -> None:
    marked = form(Marked)
    gold = {"span": {"left": 1, "right": 2}, "tags": [{"left": 1, "right": 2}]}
    found = marked.score({"span": {"left": 1}, "tags": [{"left": 1}, {"left": 1, "right": 2}]}, gold).counts
    assert (found.matched, found.predicted, found.reference) == (1, 3, 2)


class Order(TypedDict):
    id: int
    lines: list[str]


def test_a_strict_record_with_a_list_counts_once() -> None:
    orders = form(list[Order], {"": strict()})

    def counts(pred: list[Any], ref: list[Any]) -> tuple[float, float, float]:
        found = orders.score(pred, ref).counts
        return found.matched, found.predicted, found.reference

    assert counts([{"id": 1, "lines": []}], [{"id": 2, "lines": []}]) == (0, 1, 1)
    assert counts([{"id": 1, "lines": ["a", "b"]}], [{"id": 1, "lines": ["a", "c"]}]) == (0, 1, 1)
    assert counts([{"id": 1, "lines": ["a", "b", "c"]}], [{"id": 1, "lines": ["c", "b", "a"]}]) == (1, 1, 1)
    assert counts([{"id": 1}], [{"id": 1, "lines": []}]) == (1, 1, 1)


def test_a_strict_document_may_be_empty_and_counts_what_is_undeclared() -> None:
    span = form(Span, {"": strict()})
    gold = {"left": 1, "right": 2}
    assert span.score({}, gold).counts == Counts(0, 0, 1)
    assert span.score({**gold, "colour": "red"}, gold).counts == Counts(1, 2, 1)


class Rows(TypedDict):
    rows: list[Span]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (2, 4)),
        ({"rows": keyed("left")}, (2, 4)),
        ({"rows": strict()}, (1, 2)),
        ({"rows[]": strict()}, (1, 2)),
        ({"rows[].left": name("row")}, (1, 2)),
        ({"rows": positional()}, (2, 4)),
        ({"rows": (positional(), keyed("left"))}, (2, 4)),
        ({"rows": (positional(), strict())}, (1, 2)),
        ({"rows": positional(), "rows[].left": name("row")}, (1, 2)),
        ({"rows": overlap(None, eq("left") * eq("right"))}, (1, 2)),
        ({"rows[]": eq("left") * eq("right")}, (1, 2)),
        ({"rows[]": eq()}, (1, 2)),
    ],
)
@pytest.mark.parametrize(("item", "invented"), [("sorry", 1), (None, 0), ([], 0), (["so", "sorry"], 2)])
def test_an_item_that_is_not_a_record_is_scored(
    settings: dict[str, Any], expected: tuple[int, int], item: object, invented: int
) -> None:
    gold = [{"left": 1, "right": 2}, {"left": 3, "right": 4}]
    matched, reference = expected
    found = form(Rows, settings).score({"rows": [item, gold[1]]}, {"rows": gold}).counts
    assert found == Counts(matched, matched + invented, reference)


def test_an_empty_item_is_absent_where_items_count_as_a_whole() -> None:
    assert form(Rows, {"rows": strict()}).score({"rows": [{}]}, {"rows": []}).counts == Counts(0, 0, 0)


class Listed(TypedDict):
    x: str
    y: list[str]


class Nested(TypedDict):
    inner: Listed
    pair: tuple[int, Listed]
    more: dict[str, Listed]


FULL = {"inner": {"x": "a", "y": []}, "pair": [1, {"x": "b", "y": []}], "more": {"k": {"x": "c", "y": []}}}
LESS = {"inner": {"x": "a"}, "pair": [1, {"x": "b"}], "more": {"k": {"x": "c"}}}


@pytest.mark.parametrize(
    ("settings", "pred", "expected"),
    [
        ({"": strict()}, LESS, (1, 1, 1)),
        ({"": strict()}, {**LESS, "inner": {}}, (0, 1, 1)),
        ({"": strict()}, {}, (0, 0, 1)),
        ({"pair": strict()}, LESS, (3, 3, 3)),
        ({"pair": strict()}, {**LESS, "pair": [1]}, (2, 3, 3)),
        ({"inner": strict()}, {**LESS, "inner": {}}, (3, 3, 4)),
        ({}, {**LESS, "pair": [1]}, (3, 3, 4)),
    ],
)
def test_parts_without_value_may_be_left_out_at_any_depth(
    settings: dict[str, Any], pred: Any, expected: tuple[int, int, int]
) -> None:
    assert form(Nested, settings).score(pred, FULL).counts == Counts(*expected)


def test_a_value_that_is_not_a_record_is_scored_in_a_strict_mapping() -> None:
    found = form(dict[str, Span], {"": strict()}).score({"a": "sorry", "b": {}}, {"a": {"left": 1, "right": 2}})
    assert found.counts == Counts(0, 1, 1)


class Part(TypedDict):
    price: Annotated[float, close(abs=0.01)]
    tags: list[str]


class Chain(TypedDict):
    label: str
    next: "Chain | None"


class Whole(TypedDict):
    id: int
    price: Annotated[float, close(abs=0.01)]
    either: int | str | Part
    currency: Annotated[str, any_of()]
    part: Part
    perhaps: Part | None
    pair: tuple[int, Part]
    chain: Chain


WHOLE = form(list[Whole], {"": strict()})


@pytest.mark.parametrize(
    ("pred", "ref", "matched"),
    [
        ({"id": 1}, {"id": 1}, 1),
        ({"id": 1}, {"id": 1, "price": None, "part": {}, "perhaps": {}, "pair": [], "chain": None}, 1),
        ({"id": 1, "price": 2.0}, {"id": 1, "price": 2.005}, 1),
        ({"id": 1, "price": 2.0}, {"id": 1}, 0),
        ({"id": 1, "either": "a"}, {"id": 1}, 0),
        ({"id": 1, "either": {"price": 1.0}}, {"id": 1, "either": {"price": 1.0, "tags": []}}, 1),
        ({"id": 1, "currency": "€"}, {"id": 1, "currency": ["EUR", "€"]}, 1),
        ({"id": 1, "currency": "€"}, {"id": 1}, 0),
        ({"id": 1, "part": {"tags": ["a"]}}, {"id": 1, "part": {"tags": ["a"]}}, 1),
        ({"id": 1, "part": {"tags": ["a"]}}, {"id": 1}, 0),
        ({"id": 1, "perhaps": {"price": 1.0}}, {"id": 1, "perhaps": {"price": 1.0}}, 1),
        ({"id": 1, "perhaps": {"price": 1.0}}, {"id": 1}, 0),
        ({"id": 1, "pair": [3]}, {"id": 1, "pair": [3, None]}, 1),
        ({"id": 1, "pair": [3]}, {"id": 1, "pair": [3, {"price": 1.0}]}, 0),
        ({"id": 1, "chain": {"label": "a"}}, {"id": 1, "chain": {"label": "a", "next": {}}}, 1),
        ({"id": 1, "chain": {"label": "a"}}, {"id": 1, "chain": {"label": "a", "next": {"label": "b"}}}, 0),
    ],
)
def test_a_strict_record_may_lack_parts_of_any_kind(pred: Any, ref: Any, matched: int) -> None:
    assert WHOLE.score([pred], [ref]).counts == Counts(matched, 1, 1)
    assert WHOLE.score([pred], [pred]).counts == Counts(1, 1, 1)


class Cells(TypedDict):
    cells: Annotated[list[int], positional()]
    pairs: Annotated[list[tuple[int, int]], positional()]


def test_an_absent_item_keeps_its_position() -> None:
    gold = {"cells": [1, 2], "pairs": [[0, 0], [1, 2]]}
    found = form(Cells).score({"cells": [None, 2], "pairs": ["x", [1, 2]]}, gold).counts
    assert found == Counts(3, 4, 6)


class Node(TypedDict):
    id: Annotated[str, name("node")]
    label: str


class Edge(TypedDict):
    src: Annotated[str, name("node")]
    dst: Annotated[str, name("node")]
    kind: str


class Graph(TypedDict):
    nodes: list[Node]
    edges: list[Edge]


def test_identifiers_that_mean_nothing_are_matched_by_what_they_stand_for() -> None:
    gold = {
        "nodes": [{"id": "a", "label": "start"}, {"id": "b", "label": "end"}],
        "edges": [{"src": "a", "dst": "b", "kind": "next"}],
    }
    pred = {
        "nodes": [{"id": "n2", "label": "end"}, {"id": "n1", "label": "start"}],
        "edges": [{"src": "n1", "dst": "n2", "kind": "next"}],
        "title": "x",
    }
    result = form(Graph).score(pred, gold)
    assert (result.counts.matched, result.counts.predicted, result.counts.reference) == (3, 4, 3)
    turned = {**pred, "edges": [{"src": "n2", "dst": "n1", "kind": "next"}]}
    assert form(Graph).score(turned, gold).counts.matched == 2


class ByCard(TypedDict):
    kind: Literal["card"]
    digits: str


class ByTransfer(TypedDict):
    kind: Literal["transfer"]
    iban: str


class Square(pydantic.BaseModel):
    side: float


@dataclass(frozen=True, slots=True)
class Circle:
    radius: float


def test_a_union_of_typed_dictionaries_is_read_by_tag() -> None:
    payments = form(list[ByCard | ByTransfer])
    gold = [{"kind": "card", "digits": "1234"}, {"kind": "transfer", "iban": "DE1"}]
    assert payments.score(gold[::-1], gold).counts == Counts(4, 4, 4)
    assert payments.score([{"kind": "card", "iban": "DE1"}], gold[1:]).counts == Counts(0, 2, 2)


def test_a_typed_dictionary_and_a_mapping_are_two_cases() -> None:
    either = form(list[ByCard | dict[str, int]])
    gold = [{"kind": "card", "digits": "1"}, {"a": 1}]
    assert either.score(gold, gold).counts == Counts(3, 3, 3)


@pytest.mark.parametrize(("T", "field"), [(Square | Circle, "side"), (Square | Circle, "radius"), (ByCard, "digits")])
def test_a_union_at_the_root_keeps_its_faults(T: Any, field: str) -> None:
    found = form(T | ByTransfer).read({field: [1], "colour": "red"})
    assert f"{field}: [1] is not" in " ".join(map(str, found.faults))
    assert "colour" in [part.path for part in found.undeclared]
    assert pickle.loads(pickle.dumps(found)).faults == found.faults


def test_a_union_at_the_root_takes_instances_and_counts_what_is_undeclared() -> None:
    shape = form(Square | Circle)
    assert shape.score(Circle(1.0), {"radius": 1}).counts == Counts(1, 1, 1)
    assert shape.score({"radius": 1, "colour": "red"}, Circle(1.0)).counts == Counts(1, 2, 1)
    assert shape.score({"side": 1}, Circle(1.0)).counts == Counts(0, 1, 1)


def test_a_plain_value_at_the_root_has_its_faults_too() -> None:
    assert [str(fault) for fault in form(int).score('"many"', 3).faults] == ['"many" is not an integer']


def test_what_is_registered_after_a_form_was_made_counts() -> None:
    @dataclass
    class Amount:
        value: float

    @dataclass
    class Paid:
        total: Amount

    made = form(Paid)
    pred, ref = {"total": {"value": 1.0}}, {"total": {"value": 1.05}}
    assert score(made.phi, pred, ref) == 0
    with registered(Amount, close("value", abs=0.1)):
        assert score(made.phi, pred, ref) == 1
    assert score(made.phi, pred, ref) == 0


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def same_amount(x: Any, y: Any) -> bool:
    return float(str(x).replace(",", "")) == float(str(y).replace(",", ""))


def near(x: float, y: float) -> bool:
    return abs(x - y) < 1


@pytest.mark.parametrize(
    ("T", "written", "wanted", "problem"),
    [
        (Annotated[day, date(formats=("%Y-%m-%d", "%d.%m.%Y"))], "1.2.2024", "2024-02-01", "a date (YYYY-MM-DD)"),
        (Annotated[Literal["red", "blue"], casefold()], "RED", "red", "one of 'red', 'blue'"),
        (Annotated[Colour, casefold()], "Red", "red", "one of 'red', 'blue'"),
        (Annotated[Colour, edit()], "red!", "red", "one of 'red', 'blue'"),
        (Annotated[float, custom(same_amount)], "1,234.50", 1234.5, "a number"),
        (Annotated[int, close(abs=1)], 9.5, 9, "an integer"),
    ],
)
def test_a_hint_decides_before_the_type_does_and_the_fault_stays_a_note(
    T: Any, written: Any, wanted: Any, problem: str
) -> None:
    bills = form(TypedDict("Bill", {"number": str, "x": T}))  # type: ignore[misc]
    gold = {"number": "1", "x": wanted}
    found = bills.score({"number": "1", "x": written}, gold)
    assert found.f1 >= 0.87  # edit() gives 3/4 of one field of two
    assert [fault.problem.endswith(f"is not {problem}") for fault in found.faults] == [True]
    run_of_two = evaluate(bills, [{"number": "1", "x": written}, gold], [gold, gold])
    assert run_of_two.report["score"].per_document == [found.f1, 1.0]
    by_path = form(TypedDict("Bill", {"number": str, "x": get_args(T)[0]}), {"x": get_args(T)[1]})  # type: ignore[misc]
    assert by_path.score({"number": "1", "x": written}, gold) == found


@pytest.mark.parametrize(
    ("T", "written", "wanted"),
    [
        (Annotated[float, custom(near)], "9.5", 9.5),
        (Annotated[float, custom(near)], True, 1),
        (Annotated[float, custom(near)], float("nan"), 1),
        (Annotated[day, within(days=1)], "2024-02-01T10:00", "2024-02-01"),
        (Annotated[day, date(formats="%d.%m.%Y")], "soon", "2024-02-01"),
        (Annotated[float, close(abs=1)], "9.5", 9.5),
        (Annotated[Colour, casefold()], 7, "red"),
        (Annotated[str, custom(same_amount)], ["9"], "9"),
    ],
)
def test_a_value_that_neither_the_type_nor_the_hint_takes_is_wrong_in_its_place(
    T: Any, written: Any, wanted: Any
) -> None:
    bills = form(TypedDict("Bill", {"x": T}))  # type: ignore[misc]
    found = bills.score({"x": written}, {"x": wanted})
    assert (found.counts, len(found.faults)) == (Counts(0, 1, 1), 1)


def test_another_value_under_the_same_key_of_a_mapping_is_wrong() -> None:
    calls = form(TypedDict("Call", {"tool": str, "args": dict[str, str]}))
    pred = {"tool": "find", "args": {"po": "1", "to": "x", "new": "n"}}
    gold = {"tool": "find", "args": {"po": "2", "to": "x", "old": "o"}}
    found = evaluate(calls, [pred, gold, {}, pred], [gold, gold, gold, pred])
    [row] = [row for row in found.report.fields() if row.path == "args[].value"]
    assert (row.right, row.wrong, row.missed, row.spurious) == (7, 1, 4, 1)
    assert found.score.counts == Counts(10, 12, 16)
    assert [(line.status, line.name, line.pred, line.ref) for line in calls.align(pred, gold).view().rows()] == [
        ("wrong", "po", "1", "2"),
        ("missed", "old", None, "o"),
        ("spurious", "new", "n", None),
    ]
    [[level]] = analyse_fields(calls.suite, "score")([pred], [gold])
    assert [(case.kind, case.where, case.pred, case.ref) for case in level.cases] == [
        ("wrong value", "args.po", "1", "2"),
        ("missed", "args.old", None, "o"),
        ("spurious", "args.new", "n", None),
    ]


def test_records_under_the_same_key_of_a_mapping_are_compared_field_by_field() -> None:
    class Point(TypedDict):
        x: int
        y: int

    points = form(dict[str, Point])
    view = points.align({"a": {"x": 1, "y": 2}}, {"a": {"x": 3, "y": 4}}).view()
    assert [(line.status, line.name) for line in view.rows()] == [("wrong", "x"), ("wrong", "y")]
    run_of_one = evaluate(points, [{"a": {"x": 1, "y": 2}}], [{"a": {"x": 3, "y": 4}}])
    assert [(row.wrong, row.missed, row.spurious) for row in run_of_one.report.fields()] == [(1, 0, 0)] * 2
