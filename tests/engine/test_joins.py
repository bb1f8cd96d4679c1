"""The polynomial by one join is the polynomial by terms: same arrays, same optimum, same matching."""

from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from matchwise.algebra.build import eq, latent, overlap, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.derive import Var
from matchwise.engine.limits import UNLIMITED
from matchwise.engine.operators.latent import LatentMatch, _by_join
from matchwise.engine.operators.terms import Pairing
from matchwise.engine.plan import part, sides
from matchwise.engine.polynomials import Board, arrange


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


def props(random: Random) -> list[Prop]:
    names = [Var(name) for name in "abcd"]
    objects = [*names, *names, "x", "y", 7]
    made = {
        Prop(random.choice("rs"), random.choice(names), random.choice(objects)) for _ in range(random.randint(1, 9))
    }
    return random.sample(sorted(made, key=repr), len(made))


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
            [joined] = match.scheme.joined(p, r)
            if joined is None:
                continue
            board = Board()
            terms = match.scheme.terms(board, p, r)
            assert joined.constant == terms.pop((), 0)
            slow = match._by_terms(p, r, UNLIMITED)
            fast = _by_join(joined, UNLIMITED)
            assert (fast.lower, fast.upper) == (slow.lower, slow.upper)
            if terms:
                used += 1
                for one, other in zip(joined.arrays, arrange(board, terms).arrays, strict=True):
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
        assert list(match.scheme.joined(p, r)) == [None]
        assert match.solve(p, r).lower == 1


def test_pairs_that_add_nothing_are_not_matched() -> None:
    one = [Prop("r", Var("a"), Var("b")), Prop("s", Var("c"), "x")]
    other = [Prop("r", Var("k"), Var("l")), Prop("s", Var("m"), "y"), Prop("t", Var("m"), Var("k"))]
    with sides(one, other) as (p, r):
        assert operator(PROPS).solve(p, r).matching == {"": [("a", "k"), ("b", "l")]}
