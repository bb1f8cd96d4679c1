"""Random expressions over random data: a batch gives what the equations give, whichever path it takes."""

from contextlib import suppress
from fractions import Fraction
from math import isclose, isfinite
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.build import again, custom, eq, f1, mean, normalize, overlap, recursive, union
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Match, Number, Similarity
from matchwise.algebra.walk import shift
from matchwise.engine import reference
from matchwise.engine.many.frame import run
from matchwise.engine.many.operators import collections, compound, values
from matchwise.engine.plan import Plan, Program, plan
from matchwise.errors import MatchwiseError
from matchwise.runners.runner import evaluate
from matchwise.testing import strategies


@st.composite
def cases(draw: st.DrawFn, size: int = 3) -> tuple[Similarity, list[Any], list[Any]]:
    """An expression, and two or three predictions and references that it compares."""
    shape = draw(strategies.shapes())
    several = st.lists(strategies.objects(shape, size), min_size=2, max_size=3)
    return draw(strategies.expressions(shape)), draw(several), draw(several)


def same(planned: Number, exact: Number) -> bool:
    """Integers exactly, everything else up to rounding."""
    if isinstance(exact, int):
        return planned == exact
    return isclose(planned, exact, rel_tol=1e-12, abs_tol=1e-12)


def planned(phi: Similarity, preds: list[Any], refs: list[Any]) -> list[Number]:
    """φ of each prediction and its reference, counted as one batch."""
    operator, places = Plan(phi).operator, np.arange(len(preds))
    found: list[Number] = run(lambda p, r: operator.at(p, r, places, places).tolist(), preds, refs)
    return found


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(collections, "LARGE_TABLE", 0), (compound, "FILLED", 0), (values, "FILLED", 0), (values, "REACH_PAYS", 0)],
)
@settings(max_examples=40)
@given(case=cases())
def test_every_way_to_compare_the_elements_of_small_documents_gives_the_same_score(
    module: ModuleType, name: str, value: int, case: tuple[Similarity, list[Any], list[Any]]
) -> None:
    phi, preds, refs = case
    xs, ys = [x for x in preds for _ in refs], [y for _ in preds for y in refs]
    usual = planned(phi, xs, ys)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, value)
        assert planned(phi, xs, ys) == usual


@settings(max_examples=60)
@given(cases())
def test_a_program_counts_what_each_plan_counts_alone(case: tuple[Similarity, list[Any], list[Any]]) -> None:
    phi, preds, refs = case
    preds, refs = preds[:2], refs[:2]
    together = Program({"once": phi, "thresholded": phi > 0.37, "again": phi, "doubled": 2 * phi})
    for counted, psi in zip(run(together.count, preds, refs), (phi, phi > 0.37, phi, 2 * phi), strict=True):
        alone = run(Plan(psi).count, preds, refs)
        assert all(map(np.array_equal, counted, alone))


@settings(max_examples=80)
@given(cases())
def test_the_quantities_of_a_document_give_its_score(case: tuple[Similarity, list[Any], list[Any]]) -> None:
    phi, (x, *_), (y, *_) = case
    [counts] = run(Program({"f1": normalize(phi, "f1", empty=0)}).count, [x], [y])
    total = counts.predicted[0] + counts.reference[0]
    exact = reference.score(normalize(phi, "f1", empty=0), x, y)
    assert isclose(2 * counts.matched[0] / total if total else 0, exact, rel_tol=1e-12, abs_tol=1e-12)


def self_score(phi: Similarity, x: Any) -> Number:
    return run(lambda p, _: plan(phi).operator.self_scores(p).item(), [x], [x])


def never(x: Any, y: Any) -> int:
    return 0


@pytest.mark.parametrize(
    "phi",
    [
        mean(eq("a")),
        mean(eq("a")) * eq("b"),
        recursive("T", eq("a") * eq("b")),
        recursive("T", eq("a") * (f1("trees", again("T")) >= 1)),
        f1("trees", eq("a") * recursive("T", eq("b") * (f1("trees", again("T")) >= 1))),
        union(None, {dict: recursive("T", eq("a"))}) * mean(eq("b")),
    ],
)
def test_an_equality_scores_as_one_wherever_it_stands(phi: Similarity) -> None:
    bud = {"a": 2, "b": 1, "trees": []}
    tree = {"a": 1, "b": 1, "trees": [bud, {"a": 3, "b": 1, "trees": [bud]}]}
    for other in (tree, {**tree, "a": 2}, {**tree, "trees": tree["trees"][::-1]}, {**tree, "trees": [bud, bud]}):
        assert plan(phi).score(tree, other) == reference.score(phi, tree, other)
    assert plan(phi).score(tree, tree) == 1


REALIGNED = overlap(None, eq(), align_by=custom(never))


@pytest.mark.parametrize(
    "phi",
    [
        REALIGNED,
        2 * REALIGNED,
        mean(REALIGNED, eq()),
        REALIGNED - 0.5,
        REALIGNED >= 1,
        eq() * REALIGNED,
        union(None, {list: REALIGNED}),
        recursive("T", REALIGNED),
    ],
    ids=repr,
)
def test_what_is_aligned_by_another_similarity_is_normalised_by_its_parts_with_themselves(phi: Similarity) -> None:
    assert self_score(phi, ["a"]) == reference.self_score(phi, ["a"]) > 0
    assert same(plan(normalize(phi, "f1")).score(["a"], ["a"]), reference.score(normalize(phi, "f1"), ["a"], ["a"]))
    assert not facts(normalize(phi, "f1")).unit


@pytest.mark.parametrize("match", ["1:1", "N:N"])
def test_what_is_aligned_by_another_similarity_inside_a_collection_scores_as_it_does_there(match: Match) -> None:
    phi = overlap("xs", eq("key") * shift(REALIGNED, ("ys",)), match=match)
    pred = {"xs": [{"key": 1, "ys": ["a"]}, {"key": 2, "ys": ["b"]}]}
    assert self_score(phi, pred) == reference.self_score(phi, pred) == 0


def test_a_part_without_weight_aligns_nothing() -> None:
    phi = overlap(None, eq(), align_by=0 * eq())
    assert plan(phi).score(["a"], ["a"]) == reference.score(phi, ["a"], ["a"]) == 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", "key"]), inner),
    max_leaves=8,
)


@settings(max_examples=150)
@given(cases(), anything, st.booleans())
def test_an_object_of_the_wrong_shape_is_scored_or_refused_with_one_error(
    case: tuple[Similarity, list[Any], list[Any]], wrong: Any, predicted: bool
) -> None:
    phi, (x, *_), _ = case
    with suppress(MatchwiseError):
        assert isfinite(plan(phi).score(wrong, x) if predicted else plan(phi).score(x, wrong))


def test_counts_of_equalities_are_whole_numbers() -> None:
    pred, ref = {"xs": [{"a": 1, "ys": [1, 1, 2]}]}, {"xs": [{"a": 1.0, "ys": [1, 2, 2]}]}
    matched = evaluate(overlap("xs", eq("a") * overlap("ys")), [pred], [ref])["score"].counts.matched
    assert (type(matched), matched) == (int, 2)


def test_the_reference_keeps_fractions() -> None:
    assert reference.score(f1(), ["a", "b"], ["a"]) == Fraction(2, 3)
