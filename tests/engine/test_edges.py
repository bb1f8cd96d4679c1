"""Edges of the engine; each test was written for a planted mistake that survived."""

from random import Random
from typing import Any

import pytest

from matchwise import (
    DataError,
    ExpressionError,
    Similarity,
    custom,
    eq,
    evaluate,
    f1,
    fbeta,
    latent,
    normalize,
    overlap,
    plan,
    score,
    var,
)
from matchwise.engine import reference
from matchwise.engine.operators import collections


@pytest.mark.parametrize("many", [1, 400])
@pytest.mark.parametrize("empty", [1, 0.5, 0])
@pytest.mark.parametrize("beta", [0, 0.0])
def test_f0_of_an_empty_prediction_is_0_over_0_inside_a_collection_as_by_itself(
    beta: float, empty: float, many: int
) -> None:
    phi = fbeta("xs", beta=beta, empty=empty)
    pred, ref = {"gs": [{"xs": []}, {"xs": ["b"]}]}, {"gs": [{"xs": ["a"]}, {"xs": ["c"]}]}
    assert score(phi, pred["gs"][0], ref["gs"][0]) == reference.score(phi, pred["gs"][0], ref["gs"][0]) == empty
    whole = overlap("gs", phi)
    assert reference.score(whole, pred, ref) == empty
    assert evaluate(whole, [pred] * many, [ref] * many)["score"].per_document == [empty] * many


@pytest.mark.parametrize("many", [1, 20])
@pytest.mark.parametrize("phi", [f1("xs", eq("a") * eq("b")), f1("xs", eq("a") * eq("b"), match="N:N")], ids=repr)
def test_a_field_that_is_missing_is_named_though_there_is_nothing_to_compare_it_with(
    phi: Similarity, many: int
) -> None:
    with pytest.raises(DataError, match=r"prediction: xs\[0\]: found dict \{'a': 1\} without key 'b'; there are a"):
        evaluate(phi, [{"xs": [{"a": 1}]}] * many, [{"xs": []}] * many)
    with pytest.raises(DataError, match=r"reference: xs\[0\]: found dict \{'b': 1\} without key 'a'; there are b"):
        evaluate(phi, [{"xs": []}] * many, [{"xs": [{"b": 1}]}] * many)


@pytest.mark.parametrize(("less", "value"), [(0, 2 / 3), (1, 1.0), (0.5, 2 / 3)])
def test_a_difference_of_an_equality_is_an_equality_only_without_the_difference(less: float, value: float) -> None:
    assert score(f1("xs", eq("a") - less), {"xs": [{"a": 1}, {"a": 2}]}, {"xs": [{"a": 1}]}) == pytest.approx(value)


def test_many_pairs_of_collections_are_matched_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)

    def document() -> dict[str, Any]:
        return {"xs": [{"ys": random.choices("abc", k=random.randint(0, 4))} for _ in range(6)]}

    phi = f1("xs", overlap("ys", custom(near)), match="N:N")
    preds, refs = ([document() for _ in range(5)] for _ in range(2))
    exact = [float(reference.score(phi, x, y)) for x, y in zip(preds, refs, strict=True)]
    for room in (1, 7, 40, 4_000_000):
        monkeypatch.setattr(collections, "AT_ONCE", room)
        assert [score(phi, x, y) for x, y in zip(preds, refs, strict=True)] == pytest.approx(exact, abs=1e-12)
        assert evaluate(phi, preds, refs)["score"].per_document == pytest.approx(exact, abs=1e-12)


def near(x: str, y: str) -> float:
    return 1 / 2 ** abs(ord(x) - ord(y))


def longer(x: str, y: str) -> float:
    """Less of a value and itself than of a value and a smaller one, so that Σ(x, x) has to be searched for, too."""
    return 1.0 if x > y else 0.25


LONGER = custom(longer, "0")


def propositions(random: Random) -> dict[str, Any]:
    return {"ps": [(random.choice("pqr"), *random.choices("wxyz", k=2)) for _ in range(random.randint(2, 5))]}


@pytest.mark.parametrize("kind", ["f1", "precision", "recall"])
def test_bounds_hold_the_score_where_its_denominator_is_searched_too(kind: Any) -> None:
    phi, random = normalize(latent(overlap("ps", LONGER * var("1") * var("2"))), kind), Random(4)
    for _ in range(12):
        pred, ref = propositions(random), propositions(random)
        found = plan(phi).bounds(pred, ref, time_limit=0)
        assert found.lower - 1e-12 <= score(phi, pred, ref) <= found.upper + 1e-12


@pytest.mark.parametrize("inner", [eq("label"), custom(longer, "label")], ids=repr)
def test_bounds_hold_the_score_of_structures(inner: Similarity) -> None:
    phi, random = f1(None, inner, order="graph"), Random(7)

    def tree(depth: int) -> dict[str, Any]:
        return {"label": random.choice("ab"), "children": [tree(depth - 1) for _ in range(3 if depth else 0)]}

    found = []
    for _ in range(6):
        pred, ref = tree(2), tree(2)
        found.append(plan(phi).bounds(pred, ref, time_limit=0))
        assert found[-1].lower - 1e-12 <= score(phi, pred, ref) <= found[-1].upper + 1e-12
    assert not all(bounds.proved for bounds in found)


def test_a_jaccard_score_that_may_be_above_1_has_no_bounds() -> None:
    """s / (p + r − s) does not grow with s beyond p + r."""
    phi, random = normalize(latent(overlap("ps", LONGER * var("1") * var("2"))), "jaccard"), Random(4)
    found = []
    for _ in range(12):
        pred, ref = propositions(random), propositions(random)
        try:
            bounds = plan(phi).bounds(pred, ref, time_limit=0)
            assert bounds.lower == bounds.upper == pytest.approx(score(phi, pred, ref), abs=1e-12)
        except ExpressionError as error:
            found.append(str(error))
    assert found
    assert {text.split(": ")[0] for text in found} == {
        "an optimum was not proved within the limits, and a Jaccard score above 1 has no bounds"
    }
