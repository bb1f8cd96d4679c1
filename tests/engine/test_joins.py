"""Problems that one join makes for many documents have the optima that each document has by itself."""

from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from matchwise.algebra.build import eq, latent, overlap, union, var
from matchwise.algebra.nodes import Match, Similarity
from matchwise.deriving import Var
from matchwise.engine.many.frame import frame_of
from matchwise.engine.one.parts import PairSide as Side
from matchwise.engine.one.parts import Part
from matchwise.engine.operators.build import operator as operator_of
from matchwise.engine.operators.collections import BagOverlap
from matchwise.engine.operators.joined import Joined, join_elements
from matchwise.engine.operators.latent import LatentMatch, write
from matchwise.engine.solve.polynomial import Board, arrange


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


def operator(inner: Similarity, match: Match = "1:1") -> LatentMatch:
    made = operator_of(latent(overlap(None, inner, match=match)))
    assert isinstance(made, LatentMatch)
    return made


def join(found: LatentMatch, preds: list[Any], refs: list[Any]) -> Joined | None:
    assert isinstance(found.inner, BagOverlap)
    assert found.elements is not None
    return join_elements(found.inner, frame_of(preds), frame_of(refs), found.elements)


def optima(found: LatentMatch, several: list[tuple[list[Any], list[Any]]]) -> list[Any]:
    """φ of each pair of documents, found together."""
    preds, refs = (frame_of([pair[side] for pair in several]) for side in (0, 1))
    values: list[Any] = found.at(preds, refs, *[np.arange(len(preds))] * 2).tolist()
    return values


def alone(found: LatentMatch, several: list[tuple[list[Any], list[Any]]]) -> list[Any]:
    return [found.score(*sides(pred, ref)) for pred, ref in several]


def sides(pred: Any, ref: Any) -> tuple[Part, Part]:
    return Part(pred, Side("prediction")), Part(ref, Side("reference"))


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
@pytest.mark.parametrize("metric", METRICS)
def test_joins_make_the_same_problems_as_terms(metric: str, match: Match) -> None:
    found = operator(METRICS[metric], match)
    used = 0
    for seed in range(15):
        random = Random(seed)
        several = [(some(random), some(random)) for _ in range(9)]
        joined = join(found, [pred for pred, _ in several], [ref for _, ref in several])
        assert joined is not None
        places = np.arange(9)
        for (pred, ref), problem in zip(several, joined.problems(places, places), strict=True):
            board = Board()
            terms = write(board, found.inner, *sides(pred, ref))
            assert problem is not None
            assert problem[0] == terms.pop((), 0)
            if terms:
                used += 1
                for one, other in zip(problem[1], arrange(board, terms)[0], strict=True):
                    assert np.array_equal(one, other)
    assert used > 10


def test_names_may_be_numbers() -> None:
    one = [Prop("r", 1, 2), Prop("r", 2, 10)]
    other = [Prop("r", "a", "b"), Prop("r", "b", "c")]
    found = operator(eq("rel") * var("subj") * var("obj")).solve(*sides(one, other))
    assert (found.lower, sorted(found.matching)) == (2, [("", 1, "a"), ("", 2, "b"), ("", 10, "c")])


def test_pairs_that_add_nothing_are_not_matched() -> None:
    one = [Prop("r", Var("a"), Var("b")), Prop("s", Var("c"), "x")]
    other = [Prop("r", Var("k"), Var("l")), Prop("s", Var("m"), "y"), Prop("t", Var("m"), Var("k"))]
    assert operator(PROPS).solve(*sides(one, other)).matching == (("", "a", "k"), ("", "b", "l"))


@pytest.mark.parametrize("metric", METRICS)
def test_optima_found_together_are_those_that_each_has_by_itself(metric: str) -> None:
    found = operator(METRICS[metric])
    for seed in range(20):
        random = Random(seed)
        several = [(some(random), some(random)) for _ in range(random.randint(1, 9))]
        assert optima(found, several) == alone(found, several)


def edges(random: Random, size: int) -> list[Prop]:
    """Edges that nothing but their ends tells from each other: no first bound proves the best matching of these."""
    nodes = [Var(f"v{number}") for number in range(size)]
    made = {Prop(random.choice("rs"), *random.sample(nodes, 2)) for _ in range(3 * size)}
    return sorted(made, key=repr)


@pytest.mark.parametrize("size", [5, 7])
def test_what_is_still_open_after_the_steps_of_all_is_solved_by_itself(size: int) -> None:
    found = operator(PROPS)
    random = Random(size)
    several = [(edges(random, size), edges(random, size)) for _ in range(6)] + [(some(random), some(random))]
    assert optima(found, several) == alone(found, several)


@pytest.mark.parametrize("seed", range(4))
def test_problems_that_are_split_keep_their_optima(seed: int) -> None:
    found = operator(PROPS)
    random = Random(seed)
    several = [(edges(random, random.randint(2, 5)), edges(random, random.randint(2, 5))) for _ in range(30)]
    assert optima(found, several) == alone(found, several)


def test_any_two_objects_of_two_lists_have_the_optimum_that_they_have_by_themselves() -> None:
    found = operator(PROPS)
    random = Random(5)
    preds, refs = ([some(random) for _ in range(number)] for number in (7, 9))
    p, r = frame_of(preds), frame_of(refs)
    i, j = (np.array(places) for places in zip(*[(x, y) for y in range(9) for x in range(7)], strict=True))
    assert found.at(p, r, i, j).tolist() == alone(found, [(preds[x], refs[y]) for y in range(9) for x in range(7)])


def test_a_document_with_many_pairs_is_not_joined_with_others() -> None:
    found = operator(PROPS)
    large, small = ([Prop("r", Var(f"v{n}"), "x") for n in range(size)] for size in (150, 2))  # 22,500 pairs, and 4
    joined = join(found, [large, small], [large, small])
    assert joined is not None
    first, second = joined.problems(np.arange(2), np.arange(2))
    assert first is None
    assert second is not None
    assert optima(found, [(large, large), (small, small)]) == [150, 2]


def test_elements_with_three_variables_are_solved_by_themselves() -> None:
    found = operator(eq("rel") * var("subj") * var("obj") * var("other"))
    items = [{"rel": "r", "subj": "a", "obj": "b", "other": "c"}, {"rel": "r", "subj": "b", "obj": "c", "other": "a"}]
    assert join(found, [items] * 2, [items] * 2) is None
    assert optima(found, [(items, items)] * 2) == [2, 2]
