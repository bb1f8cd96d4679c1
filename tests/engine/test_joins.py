"""The polynomial by one join is the polynomial by terms: same arrays, same optimum, same matching."""

from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from matchwise.algebra.build import eq, latent, overlap, union, var
from matchwise.algebra.nodes import Similarity
from matchwise.deriving import Var
from matchwise.engine.limits import UNLIMITED
from matchwise.engine.many.frame import Frame, frame_of
from matchwise.engine.many.operators.latent import LatentMatch, _by_join
from matchwise.engine.many.operators.terms import PairTerms
from matchwise.engine.plan import part
from matchwise.engine.solve.polynomials import Board, arrange


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


def sides(pred: list[Any], ref: list[Any]) -> tuple[Frame, Frame]:
    return frame_of([pred], "prediction"), frame_of([ref], "reference")


def optima(match: LatentMatch, several: list[tuple[list[Any], list[Any]]]) -> list[Any]:
    """φ of each pair of documents, found together."""
    preds, refs = (frame_of([pair[side] for pair in several]) for side in (0, 1))
    found: list[Any] = match.of_documents(preds, refs).tolist()
    return found


def alone(match: LatentMatch, several: list[tuple[list[Any], list[Any]]]) -> list[Any]:
    return [match._by_terms(*sides(pred, ref), UNLIMITED).lower for pred, ref in several]


@pytest.mark.parametrize("metric", METRICS)
def test_joins_make_the_same_problem_as_terms(metric: str) -> None:
    match = operator(METRICS[metric])
    assert isinstance(match.scheme, PairTerms)
    used = 0
    for seed in range(150):
        random = Random(seed)
        p, r = sides(props(random), props(random))
        joined = match.scheme.joined(p, r)
        if joined is None or joined.left_out[0]:
            continue
        board = Board()
        terms = match.scheme(board, p, r)
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
    p, r = sides(one, other)
    found = operator(phi.inner).solve(p, r)  # type: ignore[attr-defined]
    assert (found.lower, sorted(found.matching[""])) == (2, [(1, "a"), (2, "b"), (10, "c")])


def test_an_element_that_is_there_twice_is_left_to_terms() -> None:
    match = operator(PROPS)
    assert isinstance(match.scheme, PairTerms)
    twice = [Prop("r", Var("a"), Var("b"))] * 2
    p, r = sides(twice, twice[:1])
    joined = match.scheme.joined(p, r)
    assert joined is not None
    assert joined.left_out == [True]
    assert match.solve(p, r).lower == 1


def test_pairs_that_add_nothing_are_not_matched() -> None:
    one = [Prop("r", Var("a"), Var("b")), Prop("s", Var("c"), "x")]
    other = [Prop("r", Var("k"), Var("l")), Prop("s", Var("m"), "y"), Prop("t", Var("m"), Var("k"))]
    p, r = sides(one, other)
    assert operator(PROPS).solve(p, r).matching == {"": [("a", "k"), ("b", "l")]}


@pytest.mark.parametrize("metric", METRICS)
def test_documents_joined_together_have_the_problems_that_each_has_by_itself(metric: str) -> None:
    match = operator(METRICS[metric])
    assert isinstance(match.scheme, PairTerms)
    for seed in range(20):
        random = Random(seed)
        several = [(some(random), some(random)) for _ in range(random.randint(2, 9))]
        preds, refs = frame_of([p for p, _ in several]), frame_of([r for _, r in several])
        together = match.scheme.joined(preds, refs)
        assert together is not None
        for place, (pred, ref) in enumerate(several):
            own = match.scheme.joined(*sides(pred, ref))
            if own is None:
                assert together.left_out[place] or not pred or not ref
                continue
            assert together.blocks.constants[place] == own.blocks.constants[0]
            for one, other in zip(together.blocks.one(place), own.blocks.arrays, strict=True):
                assert np.array_equal(one, other)


@pytest.mark.parametrize("metric", METRICS)
def test_optima_found_together_are_those_that_each_has_by_itself(metric: str) -> None:
    match = operator(METRICS[metric])
    for seed in range(20):
        random = Random(seed)
        several = [(some(random), some(random)) for _ in range(random.randint(1, 9))]
        assert optima(match, several) == alone(match, several)


def edges(random: Random, size: int) -> list[Prop]:
    """Edges that nothing but their ends tells from each other: no first bound proves the best matching of these."""
    nodes = [Var(f"v{number}") for number in range(size)]
    made = {Prop(random.choice("rs"), *random.sample(nodes, 2)) for _ in range(3 * size)}
    return sorted(made, key=repr)


@pytest.mark.parametrize("size", [5, 7])
def test_what_is_still_open_after_the_steps_of_all_is_solved_by_itself(size: int) -> None:
    match = operator(PROPS)
    random = Random(size)
    several = [(edges(random, size), edges(random, size)) for _ in range(6)] + [(some(random), some(random))]
    assert optima(match, several) == alone(match, several)


@pytest.mark.parametrize("seed", range(4))
def test_problems_that_are_split_keep_their_optima(seed: int) -> None:
    match = operator(PROPS)
    random = Random(seed)
    several = [(edges(random, random.randint(2, 5)), edges(random, random.randint(2, 5))) for _ in range(30)]
    assert optima(match, several) == alone(match, several)


def test_any_two_objects_of_two_lists_have_the_optimum_that_they_have_by_themselves() -> None:
    match = operator(PROPS)
    random = Random(5)
    preds, refs = ([some(random) for _ in range(number)] for number in (7, 9))
    p, r = frame_of(preds), frame_of(refs)
    i, j = (np.array(places) for places in zip(*[(x, y) for y in range(9) for x in range(7)], strict=True))
    assert match.at(p, r, i, j).tolist() == alone(match, [(preds[x], refs[y]) for y in range(9) for x in range(7)])


def test_a_document_with_many_pairs_is_not_joined_with_others() -> None:
    match = operator(PROPS)
    assert isinstance(match.scheme, PairTerms)
    large, small = ([Prop("r", Var(f"v{n}"), "x") for n in range(size)] for size in (150, 2))  # 22,500 pairs, and 4
    together = match.scheme.joined(*(frame_of([large, small]) for _ in range(2)))
    assert together is not None
    assert together.left_out == [True, False]
    assert optima(match, [(large, large), (small, small)]) == [150, 2]


def test_elements_with_three_variables_are_left_to_terms() -> None:
    match = operator(eq("rel") * var("subj") * var("obj") * var("other"))
    assert isinstance(match.scheme, PairTerms)
    items = [{"rel": "r", "subj": "a", "obj": "b", "other": "c"}, {"rel": "r", "subj": "b", "obj": "c", "other": "a"}]
    together = match.scheme.joined(*(frame_of([items] * 2) for _ in range(2)))
    assert together is not None
    assert together.left_out == [True, True]
    assert optima(match, [(items, items)] * 2) == [2, 2]


@pytest.mark.parametrize("seed", range(5))
def test_large_documents_make_the_same_problem_as_terms(seed: int) -> None:
    match = operator(PROPS)
    assert isinstance(match.scheme, PairTerms)
    random = Random(seed)
    names = [Var(f"v{number}") for number in range(60)]
    pred, ref = (
        sorted(
            {
                Prop(f"r{random.randrange(40)}", random.choice(names), random.choice([*names, "x", "y", 7]))
                for _ in range(160)
            },
            key=repr,
        )
        for _ in range(2)
    )  # more pairs of elements than a loop is given
    p, r = sides(pred, ref)
    assert len(pred) * len(ref) > 20_000
    joined = match.scheme.joined(p, r)
    assert joined is not None
    board = Board()
    terms = match.scheme(board, p, r)
    assert joined.blocks.constants.tolist() == [terms.pop((), 0)]
    for one, other in zip(joined.blocks.arrays, arrange(board, terms).arrays, strict=True):
        assert np.array_equal(one, other)
