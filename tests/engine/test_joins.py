"""The polynomial by one join is the polynomial by terms: same arrays, same optimum, same matching."""

from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from matchwise.algebra.build import eq, latent, overlap, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import Var
from matchwise.engine import joins
from matchwise.engine.kernels import joins as kernel
from matchwise.engine.limits import UNLIMITED
from matchwise.engine.operators.latent import LatentMatch, _by_join
from matchwise.engine.operators.terms import Pairing
from matchwise.engine.parts import documents
from matchwise.engine.plan import part, sides
from matchwise.engine.polynomials import Board, arrange
from matchwise.engine.solvers import blocks


class Prop(NamedTuple):
    rel: str
    subj: Any
    obj: Any


PROPS = eq("rel") * var("subj") * union("obj", {Var: var(), str: eq(), int: eq()})
METRICS: dict[str, Similarity] = {
    "propositions": PROPS,
    "nodes": eq("rel") * var("subj"),
    "edges": var("subj") * var("obj"),
    "two spaces": eq("rel") * var("subj") * union("obj", {Var: var(space="other"), str: eq(), int: eq()}),
    "one of two": eq("rel") * union("obj", {Var: var(), str: var(), int: eq()}),
}


def props(random: Random, most: int = 9) -> list[Prop]:
    names = [Var(name) for name in "abcd"]
    objects = [*names, *names, "x", "y", 7]
    made = {
        Prop(random.choice("rs"), random.choice(names), random.choice(objects)) for _ in range(random.randint(1, most))
    }
    return random.sample(sorted(made, key=repr), len(made))


def some(random: Random) -> list[Prop]:
    """Now and then none, now and then one twice."""
    made = props(random) if random.random() < 0.9 else []
    return made + made[:1] if random.random() < 0.1 else made


def operator(inner: Similarity) -> LatentMatch:
    made = part(latent(overlap(None, inner)))
    assert isinstance(made, LatentMatch)
    return made


@pytest.mark.parametrize("metric", METRICS)
def test_joins_make_the_same_problem_as_terms(metric: str) -> None:
    match = operator(METRICS[metric])
    assert isinstance(match.scheme, Pairing)
    used = 0
    for seed in range(150):
        random = Random(seed)
        with sides(props(random), props(random)) as (p, r):
            joined = match.scheme.joined(p, r)
            if joined is None or joined.left_out[0]:
                continue
            board = Board()
            terms = match.scheme.terms(board, p, r)
            assert joined.blocks.constants.tolist() == [terms.pop((), 0)]
            slow = match._by_terms(p, r, UNLIMITED)
            fast = _by_join(joined, UNLIMITED)
            assert (fast.lower, fast.upper) == (slow.lower, slow.upper)
            if terms:
                used += 1
                for one, other in zip(joined.blocks.arrays, arrange(board, terms).arrays, strict=True):
                    assert np.array_equal(one, other)
                assert fast.matching == slow.matching
    assert used > 10


def test_names_may_be_numbers() -> None:
    phi = overlap(None, eq("rel") * var("subj") * var("obj"))
    one = [Prop("r", 1, 2), Prop("r", 2, 10)]
    other = [Prop("r", "a", "b"), Prop("r", "b", "c")]
    with sides(one, other) as (p, r):
        found = operator(phi.inner).solve(p, r)  # type: ignore[attr-defined]
        assert (found.lower, sorted(found.matching[""])) == (2, [(1, "a"), (2, "b"), (10, "c")])


def test_an_element_that_is_there_twice_is_left_to_terms() -> None:
    match = operator(PROPS)
    assert isinstance(match.scheme, Pairing)
    twice = [Prop("r", Var("a"), Var("b"))] * 2
    with sides(twice, twice[:1]) as (p, r):
        assert match.scheme.joined(p, r) is None
        assert match.solve(p, r).lower == 1


def test_pairs_that_add_nothing_are_not_matched() -> None:
    one = [Prop("r", Var("a"), Var("b")), Prop("s", Var("c"), "x")]
    other = [Prop("r", Var("k"), Var("l")), Prop("s", Var("m"), "y"), Prop("t", Var("m"), Var("k"))]
    with sides(one, other) as (p, r):
        assert operator(PROPS).solve(p, r).matching == {"": [("a", "k"), ("b", "l")]}


@pytest.mark.parametrize("metric", METRICS)
def test_documents_joined_together_have_the_problems_that_each_has_by_itself(metric: str) -> None:
    match = operator(METRICS[metric])
    assert isinstance(match.scheme, Pairing)
    for seed in range(20):
        random = Random(seed)
        several = [(some(random), some(random)) for _ in range(random.randint(2, 9))]
        preds, refs = documents([p for p, _ in several]), documents([r for _, r in several])
        together = match.scheme.joined(preds, refs)
        assert together is not None
        for place, (pred, ref) in enumerate(several):
            with sides(pred, ref) as (p, r):
                alone = match.scheme.joined(p, r)
            if alone is None:
                assert together.left_out[place] or not pred or not ref
                continue
            assert together.blocks.constants[place] == alone.blocks.constants[0]
            for one, other in zip(together.blocks.one(place), alone.blocks.arrays, strict=True):
                assert np.array_equal(one, other)


@pytest.mark.parametrize("metric", METRICS)
def test_optima_found_together_are_those_that_each_has_by_itself(metric: str) -> None:
    match = operator(METRICS[metric])
    for seed in range(20):
        random = Random(seed)
        several = [(some(random), some(random)) for _ in range(random.randint(1, 9))]
        found = match.along(documents([p for p, _ in several]), documents([r for _, r in several]))
        alone = []
        for pred, ref in several:
            with sides(pred, ref) as (p, r):
                alone.append(match._by_terms(p, r, UNLIMITED).lower)
        assert found == alone


def test_what_is_still_open_after_the_steps_of_all_is_solved_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    match = operator(PROPS)
    random = Random(3)
    several = [(props(random, 30), props(random, 30)) for _ in range(12)]
    alone = []
    for pred, ref in several:
        with sides(pred, ref) as (p, r):
            alone.append(match._by_terms(p, r, UNLIMITED).lower)
    for steps in (0, 1, 2, 50):
        monkeypatch.setattr(blocks, "STEPS", steps)
        assert match.along(documents([p for p, _ in several]), documents([r for _, r in several])) == alone


def test_a_document_with_many_pairs_is_not_joined_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "MOST", 5)
    match = operator(PROPS)
    assert isinstance(match.scheme, Pairing)
    large, small = ([Prop("r", Var(f"v{n}"), "x") for n in range(size)] for size in (4, 2))
    together = match.scheme.joined(documents([large, small]), documents([large, small]))
    assert together is not None
    assert together.left_out == [True, False]
    assert match.along(documents([large, small]), documents([large, small])) == [4, 2]


def test_elements_with_three_variables_are_left_to_terms() -> None:
    match = operator(eq("rel") * var("subj") * var("obj") * var("other"))
    assert isinstance(match.scheme, Pairing)
    items = [{"rel": "r", "subj": "a", "obj": "b", "other": "c"}, {"rel": "r", "subj": "b", "obj": "c", "other": "a"}]
    with sides(items, items) as (p, r):
        assert match.scheme.joined(p, r) is None
    together = match.scheme.joined(documents([items] * 2), documents([items] * 2))
    assert together is not None
    assert together.left_out == [True, True]
    assert match.along(documents([items] * 2), documents([items] * 2)) == [2, 2]


def test_large_documents_are_joined_as_small_ones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    match = operator(PROPS)
    assert isinstance(match.scheme, Pairing)
    for seed in range(40):
        random = Random(seed)
        with sides(props(random), props(random)) as (p, r):
            few = match.scheme.joined(p, r)
            with monkeypatch.context() as patch:
                patch.setattr(joins, "FEWEST", 0)
                patch.setattr(kernel, "SMALL_CODES", 0)
                many = match.scheme.joined(p, r)
        assert few is not None
        assert many is not None
        assert few.blocks.constants.tolist() == many.blocks.constants.tolist()
        for one, other in zip(few.blocks.arrays, many.blocks.arrays, strict=True):
            assert np.array_equal(one, other)
