"""Values with evidence: what was extracted, where it was found, and both."""

from typing import Annotated, Any, TypedDict

import pytest

import matchwise as mw
from matchwise import derive, evidence
from matchwise.algebra.steps import split_step
from matchwise.errors import DeriveError
from matchwise.tasks import documents
from matchwise.tasks.documents.extractbench import CellRule, is_same, plain_date


class Found(TypedDict, total=False):
    value: float
    page: int
    box: list[float]


class Line(TypedDict):
    sku: Annotated[Found, evidence("page", "box")]
    count: int


class Bill(TypedDict):
    total: Annotated[Found, evidence()]
    day: str
    lines: list[Line]


FORM = documents.form(Bill)


def found(value: Any, page: int | None = None, box: list[float] | None = None) -> dict[str, Any]:
    return {"value": value} | ({} if page is None else {"page": page}) | ({} if box is None else {"box": box})


def counts(pred: Any, ref: Any, metric: str, form: documents.Form = FORM) -> tuple[float, float, float]:
    made = mw.evaluate(form.suite, [pred], [ref])[metric].counts
    return made.matched, made.predicted, made.reference


def test_evidence_is_not_a_part_of_the_value() -> None:
    assert derive(Bill) == derive(
        TypedDict("Bill", {"total": TypedDict("V", {"value": float}), "day": str, "lines": list[Plain]})  # type: ignore[misc]
    )


class Value(TypedDict):
    value: float


class Plain(TypedDict):
    sku: Value
    count: int


def test_a_type_with_evidence_has_three_metrics() -> None:
    assert list(FORM.suite.metrics) == ["score", "grounding", "grounded"]
    assert list(documents.form(Plain).suite.metrics) == ["score"]
    for phi in FORM.suite.metrics.values():
        assert mw.parse(str(split_step(phi)[1])) == split_step(phi)[1]


@pytest.mark.parametrize(
    ("pred", "score", "grounding", "grounded"),
    [
        (found(9.5, 1, [0, 0, 10, 10]), 1, (1, 1, 1), (1, 1, 1)),
        (found(9.5, 1, [0, 0, 10, 5]), 1, (1, 1, 1), (1, 1, 1)),
        (found(9.5, 1, [0, 0, 10, 4.9]), 1, (0, 1, 1), (0, 1, 1)),
        (found(9.5, 2, [0, 0, 10, 10]), 1, (0, 1, 1), (0, 1, 1)),
        (found(8, 1, [0, 0, 10, 10]), 0, (1, 1, 1), (0, 1, 1)),
        (found(9.5, 1), 1, (0, 1, 1), (0, 1, 1)),
        (found(9.5), 1, (0, 0, 1), (0, 0, 1)),
    ],
)
def test_a_place_is_right_by_its_page_and_half_of_its_box(
    pred: Any, score: float, grounding: tuple[float, ...], grounded: tuple[float, ...]
) -> None:
    ref = {"total": found(9.5, 1, [0, 0, 10, 10])}
    assert counts({"total": pred}, ref, "score")[0] == score
    assert counts({"total": pred}, ref, "grounding") == grounding
    assert counts({"total": pred}, ref, "grounded") == grounded


def test_lists_are_matched_by_values_and_graded_by_places() -> None:
    lines = [{"sku": found(1, 1, [0, 0, 1, 1]), "count": 1}, {"sku": found(2, 1, [5, 5, 6, 6]), "count": 2}]
    swapped = [{"sku": found(2, 1, [0, 0, 1, 1]), "count": 2}, {"sku": found(1, 1, [5, 5, 6, 6]), "count": 1}]
    assert counts({"lines": swapped}, {"lines": lines}, "score") == (4, 4, 4)
    assert counts({"lines": swapped}, {"lines": lines}, "grounding") == (0, 2, 2)
    assert counts({"lines": lines[::-1]}, {"lines": lines}, "grounded") == (2, 2, 2)


def test_places_may_have_a_similarity_of_their_own() -> None:
    class Quoted(TypedDict):
        value: str
        quote: Annotated[str, mw.quote()]
        box: Annotated[list[float], mw.iou(box="xywh")]

    form = documents.form(TypedDict("Doc", {"name": Annotated[Quoted, evidence("quote", "box")]}))
    pred = {"name": {"value": "Ada", "quote": "by Ada", "box": [0, 0, 4, 4]}}
    ref = {"name": {"value": "Ada", "quote": "Written by Ada Novak.", "box": [0, 0, 4, 2]}}
    assert counts(pred, ref, "grounding", form) == (0.5, 1, 1)


def test_a_schema_may_have_evidence() -> None:
    inside = {"value": {"type": "number"}, "page": {"type": "integer"}}
    schema = {"properties": {"total": {"type": "object", "properties": inside, "x-matchwise": 'evidence("page")'}}}
    suite = documents.suite(schema=schema)
    assert mw.evaluate(suite, [{"total": found(1, 2)}], [{"total": found(1, 2)}])["grounded"].f1 == 1


def test_weights_hold_for_evidence_too() -> None:
    form = documents.form(TypedDict("Doc", {"total": Annotated[Found, evidence(), mw.weight(3)]}))
    assert counts({"total": found(1, 1, [0, 0, 1, 1])}, {"total": found(1, 1, [0, 0, 1, 1])}, "grounded", form) == (
        3,
        3,
        3,
    )


@pytest.mark.parametrize(
    ("type", "said"),
    [
        (Annotated[str, evidence()], r"evidence\(\) goes with a record that has these fields; found str"),
        (
            Annotated[Value, evidence("page")],
            r"evidence\('page'\) goes with a record that has these fields; found value",
        ),
    ],
)
def test_evidence_goes_with_a_record_that_has_the_fields(type: Any, said: str) -> None:
    with pytest.raises(DeriveError, match=said):
        derive(TypedDict("Doc", {"x": type}))  # type: ignore[misc]


def test_a_type_without_evidence_has_nothing_to_ground() -> None:
    with pytest.raises(DeriveError, match=r"Plain: no part has evidence; write Annotated"):
        derive(Plain, compare="evidence")
    with pytest.raises(DeriveError, match=r'compare=.* is unknown; write "values", "evidence" or "both"'):
        derive(Plain, compare="places")  # type: ignore[arg-type]
    with pytest.raises(DeriveError, match="names no field"):
        evidence("")


def test_errors_say_which_part_of_the_evidence_is_wrong() -> None:
    ref = {"total": found(9.5, 1, [0, 0, 9, 9]), "lines": [{"sku": found(1, 1, [0, 0, 1, 1]), "count": 1}]}
    pred = {"total": found(9.5, 2, [0, 0, 9, 9]), "lines": [{"sku": found(1), "count": 1}]}
    errors = mw.explain(FORM.suite, [pred], [ref], metric="grounding").to_dict()
    assert {row["kind"] for row in errors["levels"][0]["kinds"]} == {"wrong page", "missed"}
    assert sum(row["share"] for row in errors["levels"][0]["kinds"]) == pytest.approx(1)


def test_quotes_are_looked_for_in_the_source() -> None:
    source = "Total due:\n12.00 EUR"
    phi = mw.precision("quotes", mw.quote(), match="N:1")
    assert mw.score(phi, {"quotes": ["Total due: 12.00", "EUR", "EUR 12"]}, {"quotes": [source]}) == 2 / 3


@pytest.mark.parametrize(
    ("wanted", "given", "normalizer"),
    [
        ("item 5.", "item 5", "optional_terminal_punctuation"),
        ("Lima", "LIMA", "case_insensitive"),
        (None, False, "null_equals_false"),
        ("3, 4", "3,4", "punctuation_spacing"),
        ("(555) 123-4567", "+1 555 123 4567", "phone_digits"),
        ("June 17, 43", "1943-06-17", "lenient_date"),
        ("June 17, 19 43", "1943-06-17", "lenient_date"),
    ],
)
def test_a_field_of_extractbench_may_be_read_leniently(wanted: Any, given: Any, normalizer: str) -> None:
    assert not is_same(wanted, given, "x", CellRule())
    assert is_same(wanted, given, "x", CellRule(normalizers=(normalizer,)))
    assert not is_same(wanted, "other", "x", CellRule(normalizers=(normalizer,)))


@pytest.mark.parametrize("text", ["2026-13-01", "8 apples", "31 June 2026", "1/2/1850", "Jan. 9, 2026", "12345"])
def test_what_is_no_date_of_extractbench_stays(text: str) -> None:
    assert plain_date(text) == text
