"""Suites as text, and the work of one machine of many on tables of Arrow."""

import json
from typing import Any, TypedDict

import pyarrow
import pytest

from matchwise import (
    Counts,
    Report,
    Suite,
    average,
    close,
    custom,
    edit,
    eq,
    evaluate,
    f1,
    intervals,
    keyed,
    normalize,
    overlap,
    weight,
)
from matchwise.corpus.suite import take_several
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.tables import Work, add_up, read_suite, write_suite
from matchwise.tasks import documents, ner
from matchwise.views.errors import Error

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
    documents.form(list[Error]).suite,
    take_several(Suite(f=f1("xs")), "all", "element"),
    documents.form(SCHEMA, extra="ignore").suite,
]


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_read_back_from_its_text(suite) -> None:
    assert read_suite(write_suite(suite)) == Suite(dict(suite.entries), title=suite.title, several=suite.several)


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
    for keep in ("documents", "sums"):
        work = Work(write_suite(f1("xs", close(abs=1))), keep=keep, isolate=False)
        parts = [
            data for one in batches(PREDS, REFS, size) for row in work.tallies([one]) for data in row[0].to_pylist()
        ]
        expected = evaluate(f1("xs", close(abs=1)), PREDS, REFS, ids=range(100), keep=keep).scores
        expected.settle()
        assert add_up(parts, work).scores == add_up(parts[::-1], work).scores == expected


TEXTS = [json.dumps(one) for one in REFS[:4]]
ODD = [TEXTS[0], "no", None, '{"ys": []}']
"""A prediction that is right, one that is no JSON, one that is missing, and one that has other fields."""
DECODED = [REFS[0], "no", None, {"ys": []}]


def added(work: Work, preds: list[Any], size: int = 4) -> Report:
    made = [row for one in batches(preds, TEXTS, size) for row in work.tallies([one])]
    return add_up([data for row in made for data in row["tally"].to_pylist()], work)


@pytest.mark.parametrize("missing", ["raise", "empty"])
@pytest.mark.parametrize("on_error", ["skip", "empty"])
@pytest.mark.parametrize("size", [1, 4])
def test_what_cannot_be_read_or_scored_counts_as_in_one_process(on_error, missing, size) -> None:
    work = Work(write_suite(f1("xs")), on_error=on_error, missing=missing, isolate=False)
    report = added(work, ODD, size)
    alone = evaluate(f1("xs"), DECODED, REFS[:4], ids=range(4), on_error=on_error, missing=missing)
    assert report["score"].counts == alone["score"].counts
    assert [id for id, _ in report.errors] == [id for id, _ in alone.errors]
    assert report.errors[0][1] == "prediction: not JSON: found 'no' (Input data was truncated)"
    expected = {"skip": Counts(2, 2, 2), "empty": Counts(2, 2, 8)}[on_error]
    if missing == "empty":
        expected = {"skip": Counts(2, 2, 4), "empty": Counts(2, 2, 8)}[on_error]
    assert report["score"].counts == expected


def test_the_first_error_is_raised_by_default() -> None:
    with pytest.raises(
        DataError, match=r"^document 1: prediction: not JSON: found 'no' \(Input data was truncated\); write on_error="
    ):
        added(Work(write_suite(f1("xs")), isolate=False), ODD)
    with pytest.raises(DataError, match=r"^document 2: prediction: found None, expected an object with 'xs'"):
        added(Work(write_suite(f1("xs")), isolate=False), [TEXTS[0], TEXTS[1], None, "no"])


def test_a_worker_stops_soon_after_an_error_that_will_be_raised() -> None:
    read: list[int] = []

    def watched():
        for number, batch in enumerate(batches(["no", *TEXTS[1:]] * 1000, TEXTS * 1000, 100)):
            read.append(number)
            yield batch

    list(Work(write_suite(f1("xs")), isolate=False).tallies(watched()))
    assert len(read) < 3


def test_documents_that_cannot_be_scored_are_rows_with_an_error() -> None:
    work = Work(write_suite(f1("xs")), missing="empty", on_error="skip", isolate=False)
    [rows] = work.documents(batches(ODD, TEXTS, 4))
    assert {row["id"]: (row["value"], row["error"] is None) for row in rows.to_pylist()} == {
        "0": (1.0, True), "1": (None, False), "2": (0.0, True), "3": (None, False),
    }  # fmt: skip


def test_intervals_labels_and_fields_are_those_of_one_process() -> None:
    phi = normalize(3 * eq("n") + overlap("xs", eq("t") * eq("v")), "f1")
    refs = [{"n": n % 4, "xs": [{"t": "ab"[n % 2], "v": n % 3}]} for n in range(60)]
    preds = [{"n": n % 3, "xs": [{"t": "ab"[n % 2], "v": n % 2}]} for n in range(60)]
    work = Work(write_suite(phi), fields=True, isolate=False)
    parts = [data for one in batches(preds, refs, 7) for row in work.tallies([one]) for data in row[0].to_pylist()]
    report, alone = add_up(parts[::-1], work), evaluate(phi, preds, refs, ids=range(60), fields=True)
    assert intervals(report).to_dict() == intervals(alone).to_dict()
    assert sorted(map(repr, report.fields())) == sorted(map(repr, alone.fields()))


def test_a_label_that_is_a_function_cannot_be_sent() -> None:
    with pytest.raises(ExpressionError, match=r"by=.*cannot be sent to other machines; name a field"):
        Work(write_suite(f1("xs")), by=len)


def test_a_machine_counts_under_the_limits_that_were_asked_for() -> None:
    tally = Work(write_suite(f1("xs")), by="type", fields=True, time_limit=2, gap=0.5).start("sums")
    assert (tally.limits.time_limit, tally.limits.gap, tally.scores.by, tally.scores.keep) == (
        2,
        0.5,
        ("type",),
        "sums",
    )


def test_nothing_to_score_is_an_error() -> None:
    work = Work(write_suite(f1("xs")), isolate=False)
    with pytest.raises(DataError, match="found no documents to score"):
        add_up([], work)
