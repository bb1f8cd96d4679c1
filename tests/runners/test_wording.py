"""Suites as text, and the work of one machine of many on tables of Arrow."""

import json
from typing import TypedDict

import pyarrow
import pytest

from matchwise import Suite, average, close, custom, edit, evaluate, f1, keyed, normalize, weight
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.tables import Work, add_up, read_suite, write_suite
from matchwise.tasks import documents, ner

SCHEMA = {
    "properties": {
        "number": {"type": "string"},
        "lines": {"type": "array", "items": {"properties": {"sku": {"type": "string"}, "count": {"type": "integer"}}}},
    }
}
FORM = documents.form(SCHEMA, {"number": (edit(), weight(2)), "lines": keyed("sku", "count")}, fences="find")
SUITES = [
    ner.suite("nervaluate", only="PER"),
    Suite(a=f1("xs"), b=normalize(close("n", abs=1), "f1"), both=average("a", "b", where="either")),
    FORM.suite,
    documents.form(SCHEMA, extra="ignore").suite,
]


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_read_back_from_its_text(suite) -> None:
    assert read_suite(write_suite(suite)) == Suite(dict(suite.entries), title=suite.title)


def test_a_suite_is_named_where_text_cannot_hold_it() -> None:
    with pytest.raises(ExpressionError, match=r"cannot be sent as text .*unknown name 'local'"):
        write_suite(Suite(score=custom(local)))
    assert read_suite(write_suite("matchwise.tasks.ner:suite")) == ner.suite()
    for wrong, problem in (("ner", "write a suite, or its name"), ("matchwise.nothing:suite", "No module named")):
        with pytest.raises(ExpressionError, match=problem):
            write_suite(wrong)


def test_a_type_is_sent_by_name() -> None:
    class Here(TypedDict):
        number: str

    for made in (Here, MAIN):
        with pytest.raises(ExpressionError, match="cannot be imported by name"):
            write_suite(documents.form(made).suite)


class MAIN(TypedDict):
    number: str


MAIN.__module__ = "__main__"


def local(pred: object, ref: object) -> float:
    return float(pred == ref)


REFS = [{"xs": [n % 3, n % 5]} for n in range(100)]
PREDS = [{"xs": [n % 2, n % 5]} for n in range(100)]


def batches(preds, refs, size: int) -> list[pyarrow.RecordBatch]:
    rows = [{"pred": p, "ref": r, "id": n} for n, (p, r) in enumerate(zip(preds, refs, strict=True))]
    return [pyarrow.RecordBatch.from_pylist(rows[start : start + size]) for start in range(0, len(rows), size)]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_partial_tallies_add_up_to_the_bits_of_one_process_in_any_order(size) -> None:
    work = Work(write_suite(f1("xs", close(abs=1))), isolate=False)
    parts = [data for one in batches(PREDS, REFS, size) for row in work.tallies([one]) for data in row[0].to_pylist()]
    expected = evaluate(f1("xs", close(abs=1)), PREDS, REFS, keep="sums").scores
    assert add_up(parts, work).scores == add_up(parts[::-1], work).scores == expected


def test_what_cannot_be_read_or_scored_is_an_error_of_its_document() -> None:
    work = Work(write_suite(f1("xs")), isolate=False)
    texts = [json.dumps(one) for one in REFS[:4]]
    [made] = work.tallies(batches([texts[0], "no", None, '{"ys": []}'], texts, 4))
    report = add_up(made["tally"].to_pylist(), work)
    assert [id for id, _ in report.errors] == [1, 3]
    assert len(report.scores) == 2
    [rows] = work.documents(batches([texts[0], "no", None, '{"ys": []}'], texts, 4))
    assert {row["id"]: (row["value"], row["error"] is None) for row in rows.to_pylist()} == {
        "0": (1.0, True), "1": (None, False), "2": (0.0, True), "3": (None, False),
    }  # fmt: skip


def test_nothing_to_score_is_an_error() -> None:
    work = Work(write_suite(f1("xs")), isolate=False)
    with pytest.raises(DataError, match="found no documents to score"):
        add_up([], work)
