"""CEAF-RME: the equations with their overflow, the bounded form, and IterX's scorer."""

import pytest

from matchwise import levels
from matchwise.corpus.report import Report
from matchwise.corpus.tally import Tally
from matchwise.errors import ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import role_mentions


def report(pred: object, ref: object, preset: str = "paper", **options: object) -> Report:
    return evaluate(role_mentions.suite(preset, **options), [pred], [ref])  # type: ignore[arg-type]


def f1(pred: object, ref: object, preset: str = "paper", **options: object) -> dict[str, float]:
    found = report(pred, ref, preset, **options)
    return {name: found[name].f1 for name in found}


SPLIT = {"r": [["b"], ["c"]]}, {"r": [["b", "c"]]}


def test_34_the_equation_exceeds_one() -> None:
    subset, phi3 = report(*SPLIT)["subset"], report(*SPLIT)["phi3"]
    assert (subset.precision, subset.recall, subset.f1) == (1.0, 2.0, pytest.approx(4 / 3, abs=1e-12))
    assert phi3.f1 == 1.0


def test_34_iterx_counts_the_reference_once_and_matches_entities_one_to_one_under_phi3() -> None:
    subset = report(*SPLIT, "iterx")["subset"]
    assert (subset.precision, subset.recall, subset.f1) == (1.0, 1.0, 1.0)
    assert report(*SPLIT, "iterx")["phi3"].f1 == 0.5


def test_34_coverage_is_bounded() -> None:
    subset = report(*SPLIT, "coverage")["subset"]
    assert (subset.precision, subset.recall, subset.f1) == (1.0, 1.0, 1.0)
    assert (subset.counts.matched, subset.counts.found) == (2, 1)


def test_35_any_mention_in_common_is_enough_in_iterx_and_not_in_the_equation() -> None:
    pred, ref = {"r": [["b", "x"]]}, {"r": [["b", "c"]]}
    assert f1(pred, ref, "iterx")["subset"] == 1.0
    assert f1(pred, ref)["subset"] == f1(pred, ref, "coverage")["subset"] == 0.0


def test_36_iterx_credits_the_first_reference_with_a_mention() -> None:
    pred, ref = {"r": [["b"], ["b"]]}, {"r": [["b"], ["b", "c"]]}
    assert report(pred, ref, "iterx")["subset"].recall == 0.5
    assert report(pred, ref)["subset"].recall == 1.0


def test_36_the_first_mention_that_any_reference_has_decides() -> None:
    pred, ref = {"r": [["x", "c", "b"]]}, {"r": [["b"], ["c"]]}
    found = report(pred, ref, "iterx")["subset"].counts
    assert (found.matched, found.found, found.reference) == (1, 1, 2)


def test_37_a_reference_of_two_types_counts_twice_under_phi3() -> None:
    pred, ref = {"type": "bombing", "r": [["b"]]}, {"type": "attack / bombing", "r": [["b", "c"]]}
    found = report(pred, ref, "iterx")
    assert (found["phi3"].recall, found["subset"].recall) == (0.25, 1.0)


def test_37_either_label_is_right_by_the_equation() -> None:
    pred, ref = {"type": "bombing", "r": [["b"]]}, {"type": "attack / bombing", "r": [["b", "c"]]}
    assert report(pred, ref)["phi3"].recall == 0.5


def test_37_without_predictions_a_reference_of_two_types_counts_once() -> None:
    ref = {"templates": [{"type": "attack / bombing", "r": [["b", "c"]]}]}
    assert report({"templates": []}, ref, "iterx")["phi3"].counts.reference == 2


def test_iterx_matches_templates_one_to_one_and_by_type() -> None:
    pred = {"templates": [{"type": "attack", "r": [["b"]]}, {"type": "attack", "r": [["c"]]}]}
    ref = {"templates": [{"type": "attack", "r": [["b"], ["c"]]}, {"type": "bombing", "r": [["c"]]}]}
    found = report(pred, ref, "iterx")["subset"].counts
    assert (found.matched, found.predicted, found.found, found.reference) == (1, 2, 1, 3)


def test_iterx_drops_repeated_reference_templates_and_keeps_repeated_predictions() -> None:
    one = {"type": "attack", "r": [["b"]]}
    found = report({"templates": [one, one]}, {"templates": [one, one]}, "iterx")["subset"].counts
    assert (found.matched, found.predicted, found.reference) == (1, 2, 1)


def test_iterx_compares_normalised_strings() -> None:
    assert f1({"r": [["The Bank"]]}, {"r": [["bank"]]}, "iterx") == {"subset": 1.0, "phi3": 1.0}


def test_a_reference_is_itself_for_iterx_also_where_its_templates_share_their_mentions() -> None:
    one, other = {"type": "x", "r": [["b"], ["c"]]}, {"type": "x", "r": [["b", "c"], ["c"]]}
    counts = report({"templates": []}, {"templates": [one, other]}, "iterx")["subset"].counts
    assert counts.reference == 4


def test_a_predicted_entity_without_mentions_counts_in_iterx_and_one_of_the_reference_is_not_read() -> None:
    found = report({"r": [[], ["b"]]}, {"r": [[], ["b"]]}, "iterx")
    assert (found["subset"].precision, found["subset"].recall) == (0.5, 1.0)
    assert found["phi3"].f1 == 1.0


def test_entities_may_be_split_into_their_mentions() -> None:
    pred, ref = {"r": [["b", "x"]]}, {"r": [["b", "c"]]}
    subset = report(pred, ref, "coverage", predicted="mentions")["subset"]
    assert (subset.precision, subset.recall) == (0.5, 1.0)


def test_hierarchical_roles_get_partial_credit() -> None:
    pred, ref = {"x.y": [["b"]]}, {"x.z": [["b"]]}
    assert f1(pred, ref, "coverage", types=levels("role")) == {"subset": 0.5, "phi3": 0.5}


def test_iterx_has_no_options() -> None:
    with pytest.raises(ExpressionError, match="strings= belongs to paper, coverage, not to iterx"):
        role_mentions.suite("iterx", strings="squad")


def test_a_table_by_role_has_both_sides_of_coverage() -> None:
    by = Tally(role_mentions.suite("coverage"), by="role").add(*SPLIT).report().by
    counts = by["r"]["subset"].counts
    assert (counts.matched, counts.predicted, counts.found, counts.reference) == (2, 2, 1, 1)


def test_a_role_that_only_one_side_fills_is_in_the_table() -> None:
    by = Tally(role_mentions.suite("coverage"), by="role").add({"r": [["b"]]}, {"s": [["c"]]}).report().by
    assert {role: (by[role]["subset"].counts.predicted, by[role]["subset"].counts.reference) for role in by} == {
        "r": (1, 0),
        "s": (0, 1),
    }


def test_iterx_has_a_table_by_role() -> None:
    pred, ref = {"r": [["a"], ["b"]], "s": [["x"]]}, {"r": [["a", "b"]], "s": [["c"]]}
    by = Tally(role_mentions.suite("iterx"), by="role").add(pred, ref).report().by
    assert {role: part["subset"].counts.to_dict() for role, part in by.items()} == {
        "r": {"matched": 2, "predicted": 2, "reference": 1, "recalled": 1},
        "s": {"matched": 0, "predicted": 1, "reference": 1},
    }
    assert {role: part["phi3"].counts.to_dict() for role, part in by.items()} == {
        "r": {"matched": 1, "predicted": 2, "reference": 2},
        "s": {"matched": 0, "predicted": 1, "reference": 1},
    }
