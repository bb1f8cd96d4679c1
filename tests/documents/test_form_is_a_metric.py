"""A form is taken wherever a metric or a suite is, and gives what its suite gives."""

from typing import TypedDict

import numpy as np
import pytest

import matchwise as mw
from matchwise.tasks import documents
from matchwise.tasks.documents import Form


class Line(TypedDict):
    sku: str
    sure: float


class Bill(TypedDict):
    number: str
    lines: list[Line]


BILL, LINES = documents.form(Bill), documents.form(list[Line], extra="ignore")
PREDS = [{"number": "1", "lines": [{"sku": "a", "sure": 0.5}]}, {"number": "2", "lines": []}]
REFS = [{"number": "1", "lines": [{"sku": "b", "sure": 0.5}]}, {"number": "2", "lines": []}]
TEXTS = ['{"number": "1", "lines": [{"sku": "a", "sure": 0.5}]}', '{"number": "2", "lines": []}']


def test_evaluate_reads_texts_by_the_form() -> None:
    report = mw.evaluate(BILL, TEXTS, REFS)
    assert report["score"].counts == mw.Counts(3, 4, 4)
    assert report.signature == BILL.suite.signature


def test_score_align_plan_and_facts_take_a_form() -> None:
    assert mw.score(BILL, TEXTS[0], REFS[0]) == 2 / 3
    assert str(mw.align(BILL, TEXTS[0], REFS[0])) == str(mw.align(BILL.metric, TEXTS[0], REFS[0]))
    assert str(mw.plan(BILL)) == str(mw.plan(BILL.metric))
    assert mw.facts(BILL).symmetric
    assert (mw.latex(BILL), mw.unicode(BILL)) == (mw.latex(BILL.metric), mw.unicode(BILL.metric))
    assert mw.signature(BILL) == mw.signature(BILL.metric)
    assert mw.cite(BILL) == mw.cite(BILL.suite)


def test_a_form_is_a_metric_of_a_suite_and_its_parts_are_replaced() -> None:
    assert mw.Suite(bill=BILL) == mw.Suite(bill=BILL.metric)
    changed = mw.replace(BILL, {mw.eq("number"): mw.edit("number")})
    assert changed == mw.replace(BILL.metric, {mw.eq("number"): mw.edit("number")})


def test_lists_are_compared_by_a_form() -> None:
    assert np.array_equal(mw.matrix(BILL, TEXTS), [[1.0, 0.0], [0.0, 1.0]])
    assert mw.duplicates(BILL, [*TEXTS, *REFS], threshold=0.6).pairs == ((1, 3, 1.0), (0, 2, 2 / 3))
    assert mw.nearest(BILL, TEXTS, REFS) == [[(0, 2 / 3)], [(1, 1.0)]]
    assert mw.consensus(BILL, [PREDS[0], PREDS[0], REFS[0]]).value == PREDS[0]
    assert mw.agreement(BILL, {"ann": TEXTS, "bob": REFS}, resamples=0).mean == 0.75


def test_curves_and_calibration_take_a_form() -> None:
    preds = [bill["lines"] for bill in PREDS]
    refs = [bill["lines"] for bill in REFS]
    assert mw.curve(LINES, preds, refs, confidence="sure").best().value == 0.5
    found = mw.calibration(BILL, PREDS, REFS, fields={"lines[].sku": "lines[].sure"})
    assert found["lines[].sku"].error == 0.5


@pytest.mark.parametrize("wrong", ["bill", 3, None])
def test_what_is_neither_a_metric_nor_a_form_is_named(wrong: object) -> None:
    for ask in (mw.latex, mw.unicode, mw.signature, mw.facts, mw.plan):
        with pytest.raises(mw.ExpressionError, match=rf"^{ask.__name__}\(\) needs a metric such as f1"):
            ask(wrong)  # type: ignore[arg-type]


def test_a_form_is_read_from_a_python_file(tmp_path, capsys) -> None:
    from matchwise.cli import main

    (tmp_path / "bill.py").write_text(
        'from matchwise.tasks import documents\nform = documents.form({"properties": {"number": {"type": "string"}}})\n'
    )
    for name, text in (("p", '{"number": "1"}\n'), ("r", '{"number": "1"}\n')):
        (tmp_path / f"{name}.jsonl").write_text(text)
    asked = ["--metric", f"{tmp_path}/bill.py:form", str(tmp_path / "p.jsonl"), "-r", str(tmp_path / "r.jsonl")]
    assert main(["score", *asked, "--format", "json"]) == 0
    assert '"f1": 1.0' in capsys.readouterr().out
    assert isinstance(BILL, Form)
