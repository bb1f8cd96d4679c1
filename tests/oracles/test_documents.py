"""ANLS* 1.0.1 and JSONDiff of autoevals 0.4.1 side by side on random JSON."""

import itertools
import json
import math
from pathlib import Path
from random import Random
from typing import Any

import pytest
from anls_star import anls_score
from autoevals import JSONDiff

from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.tasks import documents
from matchwise.tasks.documents.tools import anls_star, json_diff

PLAIN = [None, "", "hello", "hallo", "world", "help me", "1", 1, 2.5, True, "a b", "A  B", 0, -3, '{"a": 1}', "[1"]
JSON_DIFF = JSONDiff()


def value(random: Random, depth: int, accepted: bool = False) -> Any:
    """Any JSON; in a reference of ANLS* also tuples of accepted values."""
    chance = random.random()
    if depth and chance < 0.3:
        return [value(random, depth - 1, accepted) for _ in range(random.randint(0, 3))]
    if depth and chance < 0.6:
        return {name: value(random, depth - 1, accepted) for name in random.sample("abcd", random.randint(0, 3))}
    if accepted and chance < 0.65:
        return tuple(value(random, 0) for _ in range(random.randint(1, 2)))
    return random.choice(PLAIN)


@pytest.mark.parametrize("seed", range(8))
def test_json_diff_is_reproduced(seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        pred, ref = value(random, 3), value(random, 3)
        assert json_diff(pred, ref) == pytest.approx(JSON_DIFF.json_diff(pred, ref), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_anls_star_is_reproduced(seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        pred, ref = {"x": value(random, 3)}, {"x": value(random, 3, accepted=True)}
        assert anls_star(pred, ref) == pytest.approx(anls_score(ref, pred), abs=1e-12)


def test_a_list_of_accepted_answers_is_read_as_the_package_reads_it() -> None:
    with pytest.warns(UserWarning, match="list of options"):
        theirs = anls_score(["hello", "world"], "hallo")
    assert anls_star("hallo", ["hello", "world"]) == theirs


def test_where_the_package_depends_on_the_order_our_score_is_one_of_its_scores() -> None:
    # Means of the pairs: 0 and 1/2, or 1/2 and 0; the totals are 1 of 3 leaves or 1 of 4.
    ref, pred = [{"c": "q"}, {"a": "p"}], [{"c": "p"}, {"a": "p", "c": "q"}]
    theirs = {
        round(anls_score(list(refs), list(preds)), 12)
        for refs in itertools.permutations(ref)
        for preds in itertools.permutations(pred)
    }
    assert theirs == {0.25, 0.333333333333}
    assert round(anls_star(pred, ref), 12) in theirs


def test_anls_star_maximises_means_and_so_can_be_below_the_best_total() -> None:
    # Means of 1/2 + 0 beat 1/3 + 0, but are 1 of 5 leaves, and the other pairing is 1 of 4.
    ref, pred = [{"b": "q", "a": "r"}, {"c": "r"}], [{"c": "r", "a": "r"}, {"c": "q"}]
    assert anls_star(pred, ref) == anls_score(ref, pred) == 0.2


def test_an_extra_null_key_costs_half_in_anls_star_and_nothing_here() -> None:
    pred, ref = {"a": "x", "b": None}, {"a": "x"}
    assert anls_star(pred, ref) == anls_score(ref, pred) == 0.5
    assert documents.form({"properties": {"a": {"type": "string"}}}).score(pred, ref).f1 == 1.0


def test_a_line_inserted_in_front_ruins_json_diff_and_not_the_best_pairing() -> None:
    ref = [{"t": "aaaa", "n": "1111"}, {"t": "bbbb", "n": "2222"}, {"t": "cccc", "n": "3333"}]
    pred = [{"t": "xxxx", "n": "9999"}, *ref]
    assert json_diff(pred, ref) == JSON_DIFF.json_diff(pred, ref) == 0.0
    schema = {"items": {"properties": {name: {"type": "string"} for name in "tn"}}}
    assert documents.form(schema).score(pred, ref).f1 == pytest.approx(6 / 7, abs=1e-12)


def test_what_the_packages_cannot_score_is_refused_clearly() -> None:
    suite = documents.suite("json_diff")
    assert math.isnan(JSON_DIFF.json_diff(float("nan"), 1.0))
    with pytest.raises(DataError, match="json_diff returned nan, expected a finite number"):
        evaluate(suite, [float("nan")], [1.0])
    with pytest.raises(DataError, match="found a tuple in a prediction"):
        evaluate(documents.suite("anls_star"), [("a",)], ["a"])
    with pytest.raises(DataError, match="found an empty tuple, expected at least one accepted value"):
        evaluate(documents.suite("anls_star"), ["a"], [()])


def test_a_preset_averages_over_documents() -> None:
    report = evaluate(documents.suite("json_diff"), [{"a": 1}, {"a": 2}], [{"a": 1}, {"a": None}])
    assert report["json_diff"].value == 0.5


def test_a_reference_list_of_other_things_than_strings_is_no_list_of_accepted_answers() -> None:
    assert anls_star("a", ["a", 1]) == 0.0
    assert anls_star("a", ["a", "b"]) == 1.0


def test_anls_star_takes_a_list_for_accepted_answers_only_if_all_are_texts() -> None:
    assert (anls_star("a", ["b", "a"]), anls_star("a", ["a", 3])) == (1.0, 0.0)


@pytest.mark.parametrize("place", range(60))
def test_extractbench_is_reproduced(place: int) -> None:
    path = Path(__file__).parent / "extractbench" / "scores.json"  # freeze.py made it
    pred, ref, scores = json.loads(path.read_text(encoding="utf-8"))[place]
    report = evaluate(documents.suite("extractbench"), [pred], [ref])
    found = {name: report[name].recall for name in report if report[name].counts.reference}
    names = {
        "extract_unified_value_f1": "value",
        "extract_unified_page_f1": "page",
        "extract_unified_grounded_f1": "grounded",
    }
    assert found == pytest.approx({names[name]: score for name, score in scores.items()}, abs=1e-12)


def test_extractbench_scores_what_could_not_be_extracted_with_0() -> None:
    ref = {"expected_output": {"a": None, "rows": [{"b": 1}]}, "_field_rules": {"a": {"evidence": [{"page": 1}]}}}
    report = evaluate(documents.suite("extractbench"), [None, ref["expected_output"]], [ref, ref], missing="empty")
    assert (report["value"].recall, report["page"].recall, report["grounded"].counts.reference) == (0.5, 0, 0)
