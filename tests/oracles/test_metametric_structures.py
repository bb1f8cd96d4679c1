"""metametric 0.2.1 side by side: latent variables, sequences and graphs, on what it can do."""

from random import Random
from typing import Any

import metametric.dsl as mm
import networkx
import pytest
from metametric.core.metric import Variable
from metametric.structures.amr import AMR, Prop

from matchwise import eq, f1, latent, overlap, score, union, var
from matchwise.algebra.nodes import Match

S_MATCH = mm.normalize["f1"](mm.auto[AMR])
SMATCH = latent(f1("props", eq("pred") * var("subj.name") * union("obj", {Variable: var("name"), str: eq()})))
ARROWS: dict[Match, str] = {"1:1": "<->", "N:1": "->", "1:N": "<-", "N:N": "~"}


def graph(random: Random, size: int) -> AMR:
    nodes = [Variable(f"v{number}") for number in range(size)]
    props = {Prop(node, "instance", random.choice("abcd")) for node in nodes}
    props |= {Prop(random.choice(nodes), random.choice(["ARG0", "ARG1"]), random.choice(nodes)) for _ in range(size)}
    return AMR(sorted(props, key=repr))


@pytest.mark.parametrize("seed", range(12))
def test_smatch_agrees(seed: int) -> None:
    random = Random(seed)
    pred, ref = graph(random, random.randint(1, 5)), graph(random, random.randint(1, 5))
    assert score(SMATCH, pred, ref) == pytest.approx(S_MATCH.score(pred, ref), abs=1e-9)


@pytest.mark.parametrize("match", ARROWS)
@pytest.mark.parametrize("seed", range(6))
def test_sequences_agree(match: Match, seed: int) -> None:
    random = Random(seed)
    one, other = ([random.choice("abc") for _ in range(random.randint(1, 9))] for _ in range(2))
    metric: Any = mm.sequence_matching[str, ARROWS[match]](mm.discrete[str])  # type: ignore[misc]
    assert score(overlap(match=match, order="sequence"), one, other) == metric.score(one, other)


@pytest.mark.parametrize("seed", range(8))
def test_graphs_agree(seed: int) -> None:
    random = Random(seed)
    graphs = []
    for _ in range(2):
        made = networkx.gnp_random_graph(7, 0.25, seed=random.randrange(10**6), directed=True)
        networkx.set_node_attributes(made, {node: node % 3 for node in made}, "label")
        graphs.append(made)
    metric: Any = mm.graph_matching[int, "<->"](mm.from_func(lambda x, y: float(x % 3 == y % 3)))  # type: ignore[misc]
    found = score(overlap(None, eq("label"), order="graph"), *graphs)
    assert found == pytest.approx(metric.score(*graphs), abs=1e-6)
