"""Feedback: the score of a document and what was wrong in it, for forms, suites and metrics."""

import pytest

import matchwise as mw
from matchwise.errors import DataError
from matchwise.tasks import ner
from matchwise.tasks.documents import form

BILLS = form({"properties": {"number": {"type": "string"}, "total": {"type": "number"}}})


def test_a_form_says_which_field_is_wrong_and_which_does_not_fit() -> None:
    found = mw.feedback(BILLS)('{"number": "R-1", "total": "n/a"}', {"number": "R-1", "total": 9.5})
    assert found.score == 0.5
    assert "total" in found.text
    assert 'total: "n/a" is not a number' in found.text


def test_a_suite_is_judged_by_its_headline_and_counts_add_up() -> None:
    judge = mw.feedback(ner.suite())
    one, two = judge(["B-PER", "O"], ["B-PER", "B-LOC"]), judge(["O"], ["O"])
    assert one.score == 2 / 3
    assert "− " in one.text
    assert (one.tally + two.tally).report()["strict"].counts == mw.Counts(1, 1, 2)


def test_a_prediction_that_cannot_be_read_is_an_empty_one() -> None:
    found = mw.feedback(mw.f1("xs"))("I cannot help.", {"xs": ["a"]})
    assert (found.score, found.text) == (0.0, "the prediction is not JSON")
    assert found.tally.report()["score"].counts == mw.Counts(0, 0, 1)


def test_a_prediction_that_cannot_be_compared_says_why() -> None:
    found = mw.feedback(mw.f1("xs"))({"xs": 3}, {"xs": ["a"]})
    assert found.score == 0.0
    assert found.text == "prediction: xs: found int 3, expected a collection (list, tuple, set, mapping)"


def test_a_reference_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(DataError, match="the reference is not JSON"):
        mw.feedback(mw.f1("xs"))("{}", "not JSON")
