"""The equations as they are written: fractions stay fractions, and self-scores follow the expression."""

from fractions import Fraction

import pytest

from matchwise import Similarity, again, best, eq, f1, fbeta, latent, normalize, overlap, recursive, union, var
from matchwise.engine import reference
from matchwise.errors import DataError

PAIR = {"xs": ["a", "b"]}
REALIGNED = overlap("xs", align_by=eq())


@pytest.mark.parametrize(
    ("phi", "own"),
    [
        (REALIGNED, 2),
        (REALIGNED >= 2, 1),
        (REALIGNED > 2, 0),
        (REALIGNED >= 3, 0),
        (REALIGNED - 1, 1),
        (REALIGNED - 2, 0),
        (3 * REALIGNED, 6),
        (REALIGNED * REALIGNED, 4),
        (union(None, {dict: REALIGNED}), 2),
        (recursive("T", REALIGNED), 2),
    ],
    ids=repr,
)
def test_a_self_score_follows_the_expression(phi: Similarity, own: int) -> None:
    assert reference.self_score(phi, PAIR) == own


def test_a_self_score_comes_back_to_the_name_that_it_is_inside_of() -> None:
    phi = recursive("T", REALIGNED + 10 * again("T", "next"))
    assert reference.self_score(phi, {"xs": ["a"], "next": {"xs": ["a", "b"]}}) == 21
    assert reference.self_score(phi, {"xs": ["a"], "next": {"xs": ["b"], "next": {"xs": ["c"]}}}) == 111


def test_f_beta_of_whole_numbers_and_fractions_is_a_fraction() -> None:
    pred, ref = ["a", "b"], ["a", "c", "d"]
    assert reference.score(fbeta(beta=2), pred, ref) == Fraction(5, 14)
    assert reference.score(fbeta(beta=Fraction(1, 2)), pred, ref) == Fraction(5, 11)
    assert isinstance(reference.score(fbeta(beta=Fraction(1, 2)), pred, ref), Fraction)
    assert isinstance(reference.score(fbeta(beta=0.5), pred, ref), float)
    assert reference.score(f1(), pred, ref) == Fraction(2, 5)


def test_variables_of_two_spaces_are_not_matched_with_each_other() -> None:
    phi = latent(overlap("xs", var("x", space="one") * var("y", space="two")))
    pred, ref = {"xs": [{"x": 1, "y": 2}]}, {"xs": [{"x": 2, "y": 1}, {"x": 3, "y": 3}]}
    assert reference.score(phi, pred, ref) == 1
    assert reference.score(latent(overlap("xs", var("x") * var("y"))), pred, {"xs": [{"x": 3, "y": 3}]}) == 0
    assert reference.self_score(overlap("xs", var("x") * var("y")), pred) == 1


@pytest.mark.parametrize("kind", [int, float])
def test_a_truth_value_is_no_number(kind: type) -> None:
    with pytest.raises(DataError, match="found a bool, for which there is no case"):
        reference.score(union(None, {kind: eq(), str: eq()}), True, True)
    assert reference.score(union(None, {kind: eq(), bool: eq()}), True, 1) == 0


def test_an_empty_score_is_what_is_said_of_it() -> None:
    assert reference.score(
        normalize(overlap("xs"), "recall", empty=Fraction(1, 3)), {"xs": [1]}, {"xs": []}
    ) == Fraction(1, 3)


def test_matchings_by_another_similarity_that_differ_in_the_12th_digit_are_told_apart() -> None:
    by = 0.5 * eq("a") + 1e-12 * eq("b")
    pred = {"xs": [{"a": 1, "b": 1, "v": 1}]}
    ref = {"xs": [{"a": 1, "b": 1, "v": 2}, {"a": 1, "b": 2, "v": 1}]}
    assert reference.score(overlap("xs", eq("v"), align_by=by), pred, ref) == 0
    nearly = 0.5 * eq("a") + 1e-13 * eq("b")
    assert reference.score(overlap("xs", eq("v"), align_by=nearly), pred, ref) == 1


def test_nothing_is_no_collection_of_one() -> None:
    assert reference.score(best("x"), {"x": "a"}, {"x": ["b", "a"]}) == 1
    with pytest.raises(DataError, match="found None, expected a collection"):
        reference.score(best("x"), {"x": None}, {"x": None})


def test_a_part_that_an_object_lacks_has_no_variables() -> None:
    phi = latent(var("a") + var("b"))
    assert reference.score(phi, {"a": 1}, {"a": 2, "b": 3}) == 1
    assert reference.score(phi, {"a": 1, "b": 1}, {"a": 2, "b": 3}) == 1
    assert reference.self_score(phi, {"b": 3}) == 1
