"""Dialogue states: what is read, and the scores that papers report, computed a second time."""

import random
from statistics import fmean
from typing import Any

import pytest

import matchwise as mw
from matchwise.tasks import documents

SLOTS = ("hotel-area", "hotel-stars", "train-day", "train-to")


def metric(name: str, **options: Any) -> Any:
    return documents.suite("dst", **options)[name]


@pytest.mark.parametrize(
    "state",
    [
        {"hotel-area": "north", "hotel-stars": "none"},
        {"hotel": {"area": " North", "stars": "not mentioned", "parking": "Not given"}},
        {"id": "t1", "state": {"hotel-area": ["north"]}},
        {"belief_state": [["hotel-area", "north"]]},
        '{"hotel-area": "north"}',
        {"hotel-area": "north", "hotel-stars": None, "train-day": ""},
    ],
)
def test_states_are_read_in_several_forms(state: Any) -> None:
    assert mw.score(metric("jga"), state, {"hotel-area": "north"}) == 1


def test_a_list_has_alternatives() -> None:
    assert mw.score(metric("slot_f1"), {"a": "x"}, {"a": ["y", "x"]}) == 1


def test_two_empty_states_agree() -> None:
    assert mw.score(metric("jga"), {}, {"a": "none"}) == 1
    assert mw.score(metric("jga"), {"a": "x"}, {}) == 0


def test_what_is_not_a_state_is_refused() -> None:
    with pytest.raises(mw.DataError, match=r"expected a state such as \{'hotel-area': 'north'\}, found 3"):
        mw.score(metric("jga"), 3, {})
    with pytest.raises(mw.DataError, match="prediction: found the slot 'a', which is not among slots="):
        mw.score(metric("slot_accuracy", slots="b,c"), {"a": "x"}, {})


def test_slot_accuracy_needs_the_slots() -> None:
    assert "slot_accuracy" not in documents.suite("dst")
    with pytest.raises(mw.ExpressionError, match="slots= belongs to dst, not to anls_star; leave it out"):
        documents.suite("anls_star", slots="a")


def test_errors_go_slot_by_slot() -> None:
    suite = documents.suite("dst")
    analyse = documents.errors(suite, "jga")
    assert analyse is not None
    [[level]] = analyse([{"a": "x", "b": "y"}], [{"a": "z", "c": "w"}])
    assert [(case.kind, case.pred and case.pred.slot) for case in level.cases] == [
        ("wrong value", "a"),
        ("missed", None),
        ("spurious", "b"),
    ]


def test_scores_are_those_of_trade() -> None:
    """Its definitions, over sets of (slot, value)."""
    r = random.Random(3)
    turns = [tuple({slot: r.choice("xyz") for slot in SLOTS if r.random() < 0.6} for _ in range(2)) for _ in range(200)]
    goals, f1s, accuracies = [], [], []
    for pred, ref in turns:
        mine, theirs = set(pred.items()), set(ref.items())
        goals.append(mine == theirs)
        both = len(mine & theirs)
        f1s.append(2 * both / (len(mine) + len(theirs)) if theirs else float(not mine))
        missed = {slot for slot, _ in theirs - mine}
        wrong = [slot for slot, _ in mine - theirs if slot not in missed]
        accuracies.append((len(SLOTS) - len(missed) - len(wrong)) / len(SLOTS))
    report = mw.evaluate(documents.suite("dst", slots=SLOTS), *zip(*turns, strict=True))
    assert report["jga"].value == pytest.approx(fmean(goals), abs=1e-12)
    assert report["turn_f1"].value == pytest.approx(fmean(f1s), abs=1e-12)
    assert report["slot_accuracy"].value == pytest.approx(fmean(accuracies), abs=1e-12)
