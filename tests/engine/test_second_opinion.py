"""Random expressions against a second opinion: scores, counts, alignments, tables and shuffled documents."""

from random import Random

import pytest
from comparison import differences
from second_opinion import Evaluator, Refused, score
from small_cases import draw_documents, draw_expression

from matchwise import MatchwiseError, Similarity, eq, f1, jaccard, latent, normalize, overlap, union, var
from matchwise import score as planned
from matchwise.engine import reference

BLOCKS, SEEDS = 10, 12


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_library_agrees_with_the_second_opinion(block: int) -> None:
    for seed in range(block * SEEDS, (block + 1) * SEEDS):
        random = Random(seed)
        phi, documents = draw_expression(random), draw_documents(random, 6)
        found = list(differences(phi, documents[:3], documents[3:], random))
        assert found == [], f"seed {seed}: {phi!r}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_equations_as_they_are_written_agree_with_the_second_opinion(block: int) -> None:
    for seed in range(1000 + block * SEEDS, 1000 + (block + 1) * SEEDS):
        random = Random(seed)
        phi, documents = draw_expression(random), draw_documents(random, 4)
        for x in documents:
            for y in documents:
                try:
                    exact, own = score(phi, x, y), Evaluator({}, {}).self_score(phi, x)
                    found = reference.score(phi, x, y), reference.self_score(phi, x)
                except (Refused, MatchwiseError):
                    continue
                assert found == pytest.approx((float(exact), float(own)), abs=1e-12), f"seed {seed}: {phi!r}"


LATENT = [
    latent(f1("props", eq("rel") * var("x") * union("y", {str: var(), int: eq()}))),
    latent(overlap("props", eq("rel") * var("x") + var("x"), match="N:1")),
    latent(jaccard("props", eq("rel") * var("x"))) > 0.37,
    normalize(latent(overlap("props", eq("rel") * var("x", space="xs") * (eq("y") >= 1), order="index")), "recall"),
]


@pytest.mark.parametrize("phi", LATENT, ids=repr)
def test_variables_are_matched_as_by_trying_all_matchings(phi: Similarity) -> None:
    for seed in range(5):
        random = Random(seed)
        graphs = [
            {"props": [draw_proposition(random) for _ in range(random.choice([0, 1, 2, 3, 3]))]} for _ in range(3)
        ]
        for x in graphs:
            for y in graphs:
                exact = float(score(phi, x, y))
                assert planned(phi, x, y) == pytest.approx(exact, abs=1e-12), f"{x} and {y}"
                assert reference.score(phi, x, y) == pytest.approx(exact, abs=1e-12), f"{x} and {y}"


def draw_proposition(random: Random) -> dict[str, str | int]:
    return {"rel": random.choice("RS"), "x": random.choice("ab"), "y": random.choice(["a", "b", 1])}


def test_nodes_of_trees_are_matched_as_by_trying_all_matchings() -> None:
    random = Random(0)
    trees = [draw_tree(random, 2) for _ in range(12)]
    for order in ("tree", "graph"):
        for match in ("1:1", "N:1", "1:N", "N:N"):
            phi = overlap(None, eq("label"), order=order, match=match)  # type: ignore[arg-type]  # one of their words
            for x in trees[:6]:
                for y in trees[6:]:
                    exact = score(phi, x, y)
                    assert planned(phi, x, y) == reference.score(phi, x, y) == exact, f"{phi!r} of {x} and {y}"


def draw_tree(random: Random, depth: int) -> dict[str, object]:
    children = [draw_tree(random, depth - 1) for _ in range(random.choice([0, 1, 2]))] if depth else []
    return {"label": random.choice("ab"), "children": children}
