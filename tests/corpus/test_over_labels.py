"""Averages over the labels of a breakdown."""

import pytest

from matchwise.algebra.build import eq, f1
from matchwise.errors import ExpressionError
from matchwise.runners.evaluate import evaluate

PRED = {"xs": [{"type": "a", "at": 1}, {"type": "b", "at": 2}]}
REF = {"xs": [{"type": "a", "at": 1}, {"type": "a", "at": 3}, {"type": "a", "at": 4}, {"type": "b", "at": 2}]}
REPORT = evaluate(f1("xs", eq("type") * eq("at"), empty=0), [PRED], [REF], by="type")


def test_labels_count_equally() -> None:
    assert REPORT.over_labels("score", "recall") == pytest.approx((1 / 3 + 1) / 2, abs=1e-12)


def test_labels_may_count_as_often_as_they_are_in_the_reference() -> None:
    assert REPORT.over_labels("score", "recall", weigh="reference") == pytest.approx(2 / 4, abs=1e-12)


def test_without_labels_the_average_is_zero() -> None:
    assert evaluate(f1("xs", eq("type")), [{"xs": []}], [{"xs": []}], by="type").over_labels("score") == 0.0


def test_an_unknown_metric_or_weighing_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="no metric 'scor' in the report; did you mean 'score'"):
        REPORT.over_labels("scor")
    with pytest.raises(ExpressionError, match='weigh=\'size\' is unknown; write "equally" or "reference"'):
        REPORT.over_labels("score", weigh="size")  # type: ignore[arg-type]


def test_a_report_without_a_breakdown_has_no_average_over_labels() -> None:
    with pytest.raises(ExpressionError, match="the report has no breakdown"):
        evaluate(f1("xs", eq("type")), [PRED], [REF]).over_labels("score")
