"""Sets, bags and sequences of anything, and SQuAD's answers."""

import re

import pytest

from matchwise.corpus.suite import Suite
from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import edit
from matchwise.tasks import sequences, sets


def test_a_bag_counts_repeated_items_and_a_set_does_not() -> None:
    pred, ref = ["a", "a", "b"], ["a", "b", "c"]
    assert evaluate(sets.suite(), [pred], [ref])["f1"].counts.to_dict() == {
        "matched": 2,
        "predicted": 3,
        "reference": 3,
    }
    assert evaluate(sets.suite("sets"), [pred], [ref])["f1"].counts.to_dict() == {
        "matched": 2, "predicted": 2, "reference": 3
    }  # fmt: skip


def test_jaccard_and_exact_match() -> None:
    report = evaluate(sets.suite(), [["a", "b"], ["c"]], [["b", "x"], ["c"]])
    assert report["jaccard"].value == 2 / 4
    assert report["exact"].value == 0.5


@pytest.mark.parametrize("document", [["a"], ("a",), {"a"}, {"items": ["a"]}, {"labels": ["a"], "id": 1}])
def test_a_set_may_be_any_collection_or_a_dictionary_that_has_one(document: object) -> None:
    assert evaluate(sets.suite(), [document], [["a"]])["f1"].f1 == 1.0


def test_items_may_have_partial_credit() -> None:
    assert evaluate(sets.suite(items=edit()), [["abcd"]], [["abce"]])["f1"].f1 == 0.75


def test_unhashable_items_are_items() -> None:
    assert evaluate(sets.suite("sets"), [[{"a": [1]}, {"a": [1]}]], [[{"a": [1]}]])["f1"].f1 == 1.0


def test_two_empty_sets_are_equal() -> None:
    report = evaluate(sets.suite(), [[]], [[]])
    assert (report["f1"].f1, report["jaccard"].value, report["exact"].value) == (1.0, 1.0, 1.0)


def test_text_is_no_set() -> None:
    with pytest.raises(DataError, match="expected a collection, or a dictionary with 'items', found str"):
        evaluate(sets.suite(), ["abc"], [["a"]])


@pytest.mark.parametrize(
    ("pred", "refs", "exact", "f1"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], 1.0, 1.0),
        ("in Paris", ["Paris", "Paris, France"], 0.0, 2 / 3),
        ("London", ["Paris"], 0.0, 0.0),
        ("", [], 1.0, 1.0),
        ("the", [], 1.0, 1.0),
        ("", ["Paris"], 0.0, 0.0),
        ("Paris", ["the", "Paris"], 1.0, 1.0),
        ("a a b", ["a b"], 1.0, 1.0),
        ("x x y", ["x y y"], 0.0, 2 / 3),
    ],
)
def test_squad_answers(pred: str, refs: list[str], exact: float, f1: float) -> None:
    report = evaluate(sets.suite("squad"), [pred], [refs])
    assert report["exact"].value == exact
    assert report["f1"].value == pytest.approx(f1, abs=1e-12)


def test_squad_is_averaged_over_questions_and_reads_its_own_json() -> None:
    preds = [{"id": "1", "prediction_text": "Paris"}, {"id": "2", "prediction_text": "Rome"}]
    refs = [
        {"id": "1", "answers": {"text": ["Paris"], "answer_start": [3]}},
        {"id": "2", "answers": [{"text": "Oslo"}]},
    ]
    assert evaluate(sets.suite("squad"), preds, refs)["f1"].value == 0.5


def test_sequences_match_in_order() -> None:
    report = evaluate(sequences.suite(), [[1, 2, 3, 4, 5]], [[1, 3, 5, 7, 9]])
    assert report["lcs"].counts.to_dict() == {"matched": 3, "predicted": 5, "reference": 5}
    assert report["jaccard"].value == 3 / 7
    assert report["position"].counts.matched == 1
    assert report["exact"].value == 0.0


def test_a_sequence_in_another_order_is_another_sequence() -> None:
    assert evaluate(sequences.suite(), [["b", "a"]], [["a", "b"]])["lcs"].f1 == 0.5


def test_a_sequence_may_be_text_or_a_dictionary() -> None:
    report = evaluate(sequences.suite(), ["a b c", {"tokens": ["x"]}], [["a", "c"], {"items": ["x"]}])
    assert report["lcs"].counts.to_dict() == {"matched": 3, "predicted": 4, "reference": 3}


def test_graded_items_of_sequences() -> None:
    assert evaluate(sequences.suite(items=edit()), [["abcd", "x"]], [["abce"]])["lcs"].counts.matched == 0.75


@pytest.mark.parametrize(
    ("suite", "expected"),
    [(sets.suite(), "a collection"), (sets.suite("sets"), "a collection"), (sequences.suite(), "a list")],
)
def test_a_document_that_is_none_is_not_an_empty_one(suite: Suite, expected: str) -> None:
    said = f"document 0 prediction: expected {expected}, or a dictionary with 'items', found NoneType; "
    with pytest.raises(DataError, match=re.escape(f"{said}write [] for one without items")):
        evaluate(suite, [None], [["a"]])
    empty = evaluate(suite, [{"items": None}], [["a"]]).to_dict()
    assert empty == evaluate(suite, [None], [["a"]], missing="empty").to_dict()


def test_an_answer_that_is_a_number_is_refused_in_words() -> None:
    with pytest.raises(DataError, match="expected the text of an answer or a list of them, found float"):
        evaluate(sets.suite("squad"), [float("nan")], [["a"]])
