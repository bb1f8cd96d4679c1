"""`mw.reward`: completions and references as TRL gives them -> one number each, whatever the model wrote."""

import json
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NotRequired, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import matchwise as mw
from matchwise import eq, f1, strict, weight
from matchwise.tasks.documents import Form, form

SCHEMA = {
    "properties": {"number": {"type": "string"}, "total": {"type": "number"}, "paid": {"type": "boolean"}},
    "required": ["number"],
}
BILLS = form(SCHEMA)
GOLD = {"number": "R-1", "total": 9.5, "paid": True}
RIGHT = json.dumps(GOLD)
RECEIPT_SCHEMA = {
    "properties": {"shop": {"type": "string"}, "total": {"type": "number"}},
    "required": ["shop", "total"],
}


class Receipt(TypedDict):
    shop: str
    total: float


class ReceiptModel(BaseModel):
    shop: str
    total: float


HALF = json.dumps({**GOLD, "total": 9, "note": "?"})


def test_the_reward_is_the_value_of_the_form() -> None:
    score = mw.reward(BILLS)
    assert score([RIGHT, HALF, "Sorry."], reference=[GOLD] * 3) == [1.0, BILLS.score(HALF, GOLD).f1, 0.0]


def test_it_is_called_as_trl_calls_it() -> None:
    conversation = [{"role": "assistant", "content": "wait"}, {"role": "assistant", "content": RIGHT}]
    parts = [{"role": "assistant", "content": [{"type": "text", "text": RIGHT}]}]
    found = mw.reward(BILLS, reference="gold", name="bills")(
        prompts=["p"] * 4,
        completions=[conversation, parts, RIGHT, [{"role": "assistant", "content": None}]],
        completion_ids=[[1], [2], [3], [4]],
        trainer_state=None,
        gold=[GOLD, GOLD, RIGHT, GOLD],
    )
    assert found == [1.0, 1.0, 1.0, 0.0]
    assert mw.reward(BILLS, name="bills").__name__ == "bills"


def test_components_are_weighed() -> None:
    score = mw.reward(BILLS, weights={"format": 1, "fields": 2, "exactness": 1})
    assert score.components([RIGHT, HALF, "{", '{"number": "R-1"}'], reference=[GOLD] * 4) == {
        "format": [1.0, 0.0, 0.0, 1.0],
        "fields": [1.0, 4 / 7, 0.0, 0.5],
        "exactness": [1.0, 0.0, 0.0, 0.0],
    }
    assert score([RIGHT, HALF, "{", '{"number": "R-1"}'], reference=[GOLD] * 4) == [1.0, 2 / 7, 0.0, 0.5]


def test_text_that_cannot_be_read_earns_nothing_even_where_nothing_is_right() -> None:
    everything = mw.reward(BILLS, weights={"format": 1, "fields": 1, "exactness": 1})
    assert everything(["", "no", "{}"], reference=[{}, {}, {}])[:2] == [0.0, 0.0]
    assert mw.reward(BILLS)(["{}"], reference=[{}]) == [1.0]


def test_json_is_found_where_the_form_looks_for_it_and_thoughts_break_no_format() -> None:
    score = mw.reward(form(SCHEMA, fences="find"))
    texts = [
        f"<think>{{}}?</think>{RIGHT}",
        f"```json\n{RIGHT}\n```",
        f"Here it is: {RIGHT}",
        f"<think>{RIGHT}</think>no",
    ]
    found = score.components(texts, reference=[GOLD] * 4)
    assert (found["fields"], found["format"]) == ([1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0])


def test_a_gate_closes_on_a_component_that_is_nothing() -> None:
    assert mw.reward(BILLS, gates=["format"])([RIGHT, HALF], reference=[GOLD] * 2) == [1.0, 0.0]
    assert mw.reward(BILLS, weights={"format": 1, "fields": 1}, gates=["exactness"])(
        [RIGHT, HALF], reference=[GOLD] * 2
    ) == [1.0, 0.0]


@pytest.mark.parametrize("made", [form(Receipt), form(ReceiptModel), form(RECEIPT_SCHEMA)])
def test_an_answer_without_the_required_keys_does_not_fit_however_empty_it_is(made: Form) -> None:
    gold, texts = {"shop": "a", "total": 3.0}, ["{}", "null", "[]", '{"shop": "a"}']
    bonus = mw.reward(made, weights={"format": 1, "fields": 1})
    assert bonus(texts, reference=[gold] * 4) == [0.0, 0.0, 0.0, 1 / 3]
    gated = mw.reward(made, weights={"format": 1, "fields": 1}, gates=["format"])
    assert gated([*texts, '{"shop": "b", "total": 3}'], reference=[gold] * 5) == [0.0, 0.0, 0.0, 0.0, 0.75]


def test_a_constant_answer_is_priced_in_one_call() -> None:
    golds = [{"shop": "a", "total": 1.0}, {"shop": "a", "total": 2.0}, json.dumps({"shop": "b", "total": 2.0})]
    priced = mw.reward(form(Receipt), weights={"format": 1, "fields": 1}).constants(reference=golds)
    assert priced == {
        '{"shop": "a", "total": 2.0}': (0.75 + 1 + 0.75) / 3,
        '{"shop": "a", "total": 1.0}': 0.75,
        '{"shop": "a"}': (2 / 3 * 2 / 3) / 2,
        "{}": 0.0,
        "[]": 0.0,
        "null": 0.0,
    }
    assert list(priced) == sorted(priced, key=lambda answer: -priced[answer])
    with pytest.raises(mw.MatchwiseError, match=r"constants needs references; write constants\(reference=\[...\]\)"):
        mw.reward(form(Receipt)).constants(reference=[])
    with pytest.raises(mw.MatchwiseError, match="column 'reference', which was not given"):
        mw.reward(form(Receipt)).constants(gold=golds)


def test_a_value_below_the_floor_is_nothing() -> None:
    assert mw.reward(BILLS, floor=0.6)([RIGHT, HALF], reference=[GOLD] * 2) == [1.0, 0.0]
    assert mw.reward(BILLS, floor=4 / 7)([HALF], reference=[GOLD]) == [4 / 7]


def test_a_strict_form_has_no_partial_credit() -> None:
    line = {"properties": {"sku": {"type": "string"}, "n": {"type": "integer"}}}
    schema = {"properties": {"lines": {"type": "array", "items": line}}}
    gold = {"lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]}
    pred = {"lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 3}]}
    assert mw.reward(form(schema))([pred], reference=[gold]) == [0.75]
    assert mw.reward(form(schema, {"lines[]": strict()}))([pred], reference=[gold]) == [0.5]


def test_a_suite_reads_json_and_gives_nothing_for_what_it_cannot_compare() -> None:
    suite = mw.Suite(
        types=f1("rels", eq("type")), rels=f1("rels", eq("type") * eq("subj")), both=mw.average("types", "rels")
    )
    gold = {"rels": [{"type": "a", "subj": "b"}]}
    fenced = f"Here:\n```json\n{json.dumps(gold)}\n```"
    wrong = ["hi", "[1]", '{"rels": 3}', '{"rels": [{"type": "a"}]}', "{}", "null"]
    near = '{"rels": [{"type": "a", "subj": "c"}]}'
    score = mw.reward(suite, weights={"format": 1, "fields": 1})
    assert score([json.dumps(gold), *wrong, fenced, near], reference=[gold] * 9) == [1.0, *[0.0] * 6, 1.0, 0.75]
    assert score(wrong, reference=[gold] * 6) == [0.0] * 6


def test_a_wrong_reference_is_an_error_that_names_the_document() -> None:
    with pytest.raises(mw.DataError, match="document 1 reference"):
        mw.reward(BILLS)([RIGHT, RIGHT], reference=[GOLD, "no JSON"])
    with pytest.raises(mw.DataError, match="document 1 reference: there is no reference, or it is not JSON"):
        mw.reward(f1("xs"))(['{"xs": [1]}'] * 2, reference=[{"xs": [1]}, "?"])
    with pytest.raises(mw.DataError, match=r"document 1 reference: found dict \{\} without key 'xs'"):
        mw.reward(f1("xs"))(['{"xs": [1]}'] * 2, reference=[{"xs": [1]}, {}])


class Broken(dict[str, Any]):
    def __iter__(self) -> Any:
        raise OSError("the disk is gone")


def test_an_exception_of_an_object_names_the_document() -> None:
    with pytest.raises(OSError, match="the disk is gone") as caught:
        mw.reward(BILLS)([RIGHT, Broken(GOLD)], reference=[GOLD, GOLD])
    assert caught.value.__notes__ == ["while scoring document 1"]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"answer": [GOLD]}, r"from the column 'reference', which was not given; there are answer \(for another"),
        ({"reference": [GOLD, GOLD]}, "the column 'reference' holds 2 values for 1 completion; give one for each"),
        ({"reference": RIGHT}, "the column 'reference' holds str for 1 completion;"),
    ],
)
def test_columns_that_do_not_fit_are_errors(columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(mw.MatchwiseError, match=problem):
        mw.reward(BILLS)([RIGHT], **columns)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"weights": {"fromat": 1}}, "weights: no component 'fromat'; did you mean 'format'"),
        ({"gates": ["exact"]}, "gates: no component 'exact'"),
        ({"weights": {"fields": -1}}, "cannot weigh fields by -1"),
        ({"weights": {"fields": 0}}, "add up to 0"),
        ({"floor": "high"}, "cannot set floor to 'high'"),
    ],
)
def test_wrong_options_are_refused_when_the_reward_is_made(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(mw.ExpressionError, match=problem):
        mw.reward(BILLS, **options)


def test_no_completions_have_no_rewards() -> None:
    assert mw.reward(BILLS)([], reference=[]) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps), max_size=6))
def test_whatever_is_written_has_a_reward_between_0_and_1(texts: list[str]) -> None:
    everything = mw.reward(BILLS, weights={"format": 1, "fields": 1, "exactness": 1})
    found = everything(texts, reference=[GOLD] * len(texts))
    assert len(found) == len(texts)
    assert all(0 <= value <= 1 for value in found)


VALUES = ["R-1", "", 9.5, 9, 2**60, 1e400, float("nan"), True, None, [], [1], {}, {"a": 1}, "2026-03-17"]


class Note(TypedDict):
    number: str | None
    total: NotRequired[int]
    paid: bool


FORMS = [
    BILLS,
    form(Note),
    form(SCHEMA, {"total": (eq(), weight(2.5))}, extra="ignore", fences="strip"),
    form({"properties": {"number": {"type": "string", "format": "date"}, "total": {"type": "integer"}}}),
]


@pytest.mark.parametrize("bills", FORMS)
def test_each_completion_has_the_value_and_the_faults_of_the_form(bills: Form) -> None:
    draw, reward = random.Random(5), mw.reward(bills)
    for _ in range(300):
        pred = {name: draw.choice(VALUES) for name in ("number", "total", "paid", "more") if draw.random() < 0.8}
        ref = {name: draw.choice([*VALUES[:4], None]) for name in ("number", "total") if draw.random() < 0.9}
        text = (
            json.dumps(pred)
            if draw.random() < 0.9
            else draw.choice(["[]", "{}", "[1]", '{"total": 1, "total": 2}', "{", "null"])
        )
        expected = bills.score(text, ref)
        found = reward.components([text], reference=[ref])
        is_read = not any(fault.is_unreadable for fault in expected.faults)
        assert found["fields"] == [expected.f1 if is_read else 0.0]
        assert found["format"] == [float(not expected.faults)]


def test_the_precision_of_no_fields_is_that_of_the_form() -> None:
    empty = form(SCHEMA, normalizer="precision", extra="ignore")
    texts = ['{"note": 1}', '{"number": "R-1", "total": 8.5}']
    expected = [mw.evaluate(empty.suite, [text], [GOLD])["score"].value for text in texts]
    assert mw.reward(empty)(texts, reference=[GOLD, GOLD]) == expected == [1.0, 0.5]


def test_threads_and_the_size_of_a_batch_change_nothing() -> None:
    draw = random.Random(5)
    texts = [draw.choice([RIGHT, HALF, "{", json.dumps({"number": str(n)})]) for n in range(300)]
    score = mw.reward(BILLS, weights={"format": 1, "fields": 3})
    wanted = [score([text], reference=[GOLD])[0] for text in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: score(texts, reference=[GOLD] * 300), range(8)))
    assert found == [wanted] * 8


def test_a_reward_can_be_sent_to_other_processes() -> None:
    score = pickle.loads(pickle.dumps(mw.reward(BILLS, name="bills")))
    assert (score([RIGHT], reference=[GOLD]), score.__name__) == ([1.0], "bills")
