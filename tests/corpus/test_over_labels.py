"""Averages over the labels of a breakdown."""

import pytest

from matchwise.algebra.build import eq, f1
from matchwise.corpus.counts import Counts
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import constituency, events, sdp, srl

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


def test_labels_of_other_metrics_do_not_count() -> None:
    # Both metrics have elements with a kind: the words are N and V, the names are PER.
    suite = Suite(words=f1("words", eq("kind"), empty=0), names=f1("names", eq("kind"), empty=0))
    document = {"words": [{"kind": "N"}, {"kind": "V"}], "names": [{"kind": "PER"}]}
    report = evaluate(suite, [document], [document], by="kind")
    assert (report.over_labels("words"), report.over_labels("names")) == (1.0, 1.0)
    assert report.over_labels("names", weigh="reference") == 1.0


def test_a_label_has_an_empty_slice_of_a_metric_without_elements() -> None:
    suite = Suite(words=f1("words", eq("kind")), names=f1("names", eq("kind")))
    report = evaluate(suite, [{"words": [{"kind": "N"}], "names": []}], [{"words": [], "names": []}], by="kind")
    assert report.by["N"]["names"].counts == Counts()
    assert not report.by["N"]["names"].occurs
    assert report.by["N"]["words"].counts == Counts(0, 1, 0)
    assert report.over_labels("names") == 0.0
    table = str(report).split("\n\n")[1].splitlines()
    assert [line.split()[:2] for line in table[1:3]] == [["kind", "metric"], ["N", "words"]]
    assert [line.split()[0] for line in table[3:]] == ["(micro)", "(macro)", "(weighted)"]


def test_a_metric_that_is_not_broken_down_says_so() -> None:
    suite = Suite(words=f1("words", eq("kind")), whole=eq("words"), by={"kind": ("words",)})
    report = evaluate(suite, [{"words": [{"kind": "N"}]}], [{"words": [{"kind": "N"}]}], by="kind")
    with pytest.raises(
        ExpressionError, match="whole is not broken down by kind, which its elements do not have; words"
    ):
        report.over_labels("whole")


PERFECT = {
    "srl": (srl.suite(), [{"predicate": 1, "args": [(0, 1, "A0"), (2, 5, "A1")]}], "role", ["arguments"]),
    "oneie": (
        events.suite("oneie"),
        [{"type": "Die", "trigger": (3, 4), "args": [(0, 1, "Victim")]}],
        "role",
        ["arg_c"],
    ),
    "constituency": (constituency.suite(), "(S (NP (N dogs)) (VP (V bark)))", "label", ["labelled", "tags"]),
    "sdp": (sdp.suite(), {"edges": [(1, 2, "ARG1")], "tops": [1]}, "label", ["labeled"]),
}


@pytest.mark.parametrize("task", PERFECT)
def test_a_perfect_system_has_a_perfect_average(task: str) -> None:
    suite, document, by, metrics = PERFECT[task]
    report = evaluate(suite, [document], [document], by=by)
    assert [report.over_labels(metric) for metric in metrics] == [1.0] * len(metrics)
