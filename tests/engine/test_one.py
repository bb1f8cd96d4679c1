"""Definition, one and many: the equations, one pair of objects and a batch of documents give the same numbers."""

from contextlib import suppress
from math import fsum, isclose
from random import Random
from typing import Any

import pytest
import small_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise import MatchwiseError
from matchwise.algebra.nodes import Number, Similarity
from matchwise.engine import reference
from matchwise.engine.batch import run_over
from matchwise.engine.frame import Frame
from matchwise.engine.kernels import long
from matchwise.engine.one.build import evaluator
from matchwise.engine.one.evaluator import Match
from matchwise.engine.one.parts import compare
from matchwise.engine.plan import Plan, Planner
from matchwise.testing import strategies

Case = tuple[Similarity, list[Any], list[Any]]


@st.composite
def cases(draw: st.DrawFn, size: int = 3) -> Case:
    """An expression, and two or three predictions and references that it compares."""
    shape = draw(strategies.shapes())
    several = st.lists(strategies.objects(shape, size), min_size=2, max_size=3)
    return draw(strategies.expressions(shape)), draw(several), draw(several)


def one(phi: Similarity, x: Any, y: Any) -> tuple[float, float, float]:
    """φ(x, y), φ(x, x) and φ(y, y)."""
    made = evaluator(phi)
    return compare(None, lambda p, r: (made.score(p, r), made.own(p), made.own(r)), x, y)


def many(phi: Similarity, xs: list[Any], ys: list[Any]) -> list[tuple[float, float, float]]:
    """The same of each pair of documents, counted as one batch."""

    def read(p: Frame, r: Frame) -> list[tuple[float, float, float]]:
        made, places = Plan(phi, Planner()).operator, p.kernels.index(len(p))
        return list(zip(made.at(p, r, places, places), made.self_scores(p), made.self_scores(r), strict=True))

    return run_over(long, read, xs, ys)


def same(found: Number, exact: Number) -> bool:
    return isclose(found, exact, rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=200)
@given(cases())
def test_one_pair_scores_as_the_equations_say(case: Case) -> None:
    phi, preds, refs = case
    for x in preds:
        for y in refs:
            exact = reference.score(phi, x, y), reference.self_score(phi, x), reference.self_score(phi, y)
            assert all(map(same, one(phi, x, y), exact)), f"{phi!r} of {x!r} and {y!r}: {one(phi, x, y)}, {exact}"


@settings(max_examples=200)
@given(cases())
def test_one_and_many_have_the_same_bits_alone_batched_and_shuffled(case: Case) -> None:
    phi, preds, refs = case
    xs, ys = [x for x in preds for _ in refs], [y for _ in preds for y in refs]
    alone = [one(phi, x, y) for x, y in zip(xs, ys, strict=True)]
    assert alone == [many(phi, [x], [y])[0] for x, y in zip(xs, ys, strict=True)]
    assert alone == many(phi, xs, ys)
    assert alone[::-1] == many(phi, xs[::-1], ys[::-1])


@settings(max_examples=200)
@given(cases())
def test_a_match_has_the_score_and_is_made_of_its_pairs(case: Case) -> None:
    phi, preds, refs = case
    for x in preds:
        for y in refs:
            found = compare(None, evaluator(phi).match, x, y, keeps=True)
            assert found.score == one(phi, x, y)[0]
            check(found)


def check(found: Match) -> None:
    """A Σ is the sum of its pairs, of which no part is left out or there twice."""
    if found.kind in ("match", "sum"):
        assert same(found.score, fsum(pair.weight * pair.score for pair in found.pairs))
    for pair in found.pairs:
        check(pair)


@pytest.mark.parametrize("seed", range(60))
def test_small_documents_with_gaps_and_mixed_types(seed: int) -> None:
    random = Random(seed)
    for _ in range(10):
        phi = small_cases.draw_expression(random)
        preds, refs = small_cases.draw_documents(random, 3), small_cases.draw_documents(random, 3)
        pairs = [(x, y) for x in preds for y in refs if is_known(phi, x, y)]
        if not pairs:
            continue
        xs, ys = map(list, zip(*pairs, strict=True))
        alone = [one(phi, x, y) for x, y in pairs]
        assert alone == [many(phi, [x], [y])[0] for x, y in pairs], f"{phi!r} of {pairs!r}"
        with suppress(MatchwiseError):  # a batch looks at parts that nothing of their own document meets
            assert alone == many(phi, xs, ys), f"{phi!r} of {pairs!r}"
        for (x, y), (score, mine, theirs) in zip(pairs, alone, strict=True):
            assert same(score, reference.score(phi, x, y)), f"{phi!r} of {x!r} and {y!r}"
            assert same(mine, reference.self_score(phi, x))
            assert same(theirs, reference.self_score(phi, y))


def is_known(phi: Similarity, x: Any, y: Any) -> bool:
    """Whether neither refuses the documents."""
    try:
        one(phi, x, y)
        many(phi, [x], [y])
    except MatchwiseError:
        return False
    return True
