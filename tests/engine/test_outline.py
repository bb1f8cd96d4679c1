"""Problems that are not written down whole under a time limit: what is left out widens the bounds, nothing else."""

from random import Random
from typing import Any

import pytest

from matchwise import align, custom, eq, f1, latent, overlap, plan, score, var
from matchwise.algebra.nodes import Match, Similarity
from matchwise.engine import limits
from matchwise.engine.limits import Bounds, Limits
from matchwise.engine.solve.polynomial import Board, extend
from matchwise.errors import DataError

MATCHES: list[Match] = ["1:1", "N:1", "1:N", "N:N"]


def near(x: int, y: int) -> float:
    return 1.0 if x == y else 0.5 if abs(x - y) == 1 else 0.0


def elements(random: Random) -> list[dict[str, int]]:
    return [
        {"k": random.randrange(3), "a": random.randrange(4), "b": random.randrange(4), "c": random.randrange(3)}
        for _ in range(random.randint(0, 9))
    ]


def nested(random: Random) -> dict[str, Any]:
    return {
        "t": elements(random),
        "docs": [{"id": random.randrange(2), "t": elements(random)} for _ in range(random.randint(0, 3))],
    }


def similarities(match: Match) -> list[Similarity]:
    edge = eq("k") * var("a") * var("b")
    return [
        latent(overlap("t", eq("k") * var("a"), match=match)),
        latent(overlap("t", edge, match=match)),
        latent(overlap("t", edge * var("c", space="other"), match=match)),
        latent(overlap("t", custom(near, "k") * var("a") * var("b"), match=match)),
        latent(overlap("docs", eq("id") * overlap("t", edge, match=match))),
        latent(overlap("docs", overlap("t", custom(near, "k") * var("a"), match=match))),
    ]


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(limits, "FEWEST", request.param)


@pytest.mark.parametrize("little_room", [0, 3, 12], indirect=True)
@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.usefixtures("little_room")
def test_the_optimum_lies_between_the_bounds_whatever_is_left_out(match: Match) -> None:
    for seed in range(12):
        random = Random(seed)
        pred, ref = nested(random), nested(random)
        for phi in similarities(match):
            found = plan(phi).bounds(pred, ref, time_limit=0)
            assert found.lower <= score(phi, pred, ref) + 1e-9
            assert score(phi, pred, ref) <= found.upper + 1e-9


def star(size: int) -> dict[str, Any]:
    """A centre with so many leaves, which nothing tells from each other."""
    edges = [{"rel": "ARG1", "x": "c", "y": f"v{k}"} for k in range(size)]
    leaves = [{"rel": "leaf", "x": f"v{k}", "y": f"v{k}"} for k in range(size)]
    return {"props": [*edges, *leaves, {"rel": "top", "x": "c", "y": "c"}]}


SMATCH = latent(f1("props", eq("rel") * var("x") * var("y")))


def test_under_a_time_limit_a_problem_beyond_memory_has_bounds() -> None:
    pred, ref = star(3000), star(2995)
    assert plan(SMATCH).bounds(pred, ref, time_limit=1) == Bounds(11982 / 11992, 11982 / 11992)


def test_without_a_time_limit_a_problem_beyond_memory_is_refused() -> None:
    with pytest.raises(DataError, match=r"more than 10,000,000; .* or give time_limit= to get bounds"):
        score(SMATCH, star(3000), star(2995))


@pytest.mark.parametrize("little_room", [12], indirect=True)
@pytest.mark.usefixtures("little_room")
def test_the_alignment_has_the_variables_that_only_the_rest_speaks_of() -> None:
    found = align(SMATCH, star(6), star(5), time_limit=0)
    assert found.score == plan(SMATCH).bounds(star(6), star(5), time_limit=0).lower == 22 / 24


@pytest.mark.parametrize("little_room", [0], indirect=True)
@pytest.mark.usefixtures("little_room")
def test_many_objects_with_variables_in_common_have_bounds() -> None:
    phi = latent(overlap("docs", overlap("t", eq("k") * var("a") * var("b"))))
    docs = {"docs": [{"t": [{"k": 1, "a": name, "b": name}]} for name in "abcd"]}
    assert plan(phi).bounds(docs, docs, time_limit=0) == Bounds(0, 4)
    others = {"docs": [{"t": [{"k": k, "a": "x", "b": "y"}]} for k in (2, 1, 3)]}
    assert plan(phi).bounds(docs, others, time_limit=0) == Bounds(0, 1)  # whatever is matched, one key is shared


@pytest.mark.parametrize("little_room", [0], indirect=True)
@pytest.mark.usefixtures("little_room")
def test_what_is_normalised_inside_is_at_most_what_it_is_with_itself() -> None:
    phi = latent(overlap("docs", f1("t", eq("k") * var("a"))))
    docs = {"docs": [{"t": [{"k": 1, "a": name}]} for name in "abcd"]}
    assert plan(phi).bounds(docs, docs, time_limit=0) == Bounds(0, 4)


@pytest.mark.parametrize("little_room", [0], indirect=True)
@pytest.mark.usefixtures("little_room")
def test_what_is_normalised_inside_needs_facts_or_the_whole_problem() -> None:
    phi = latent(overlap("docs", f1("t", custom(near, "k") * var("a"))))
    docs = {"docs": [{"t": [{"k": 1, "a": name}]} for name in "abcd"]}
    with pytest.raises(DataError, match="P, R or F inside latent"):
        plan(phi).bounds(docs, docs, time_limit=0)


@pytest.mark.parametrize("little_room", [0], indirect=True)
@pytest.mark.parametrize(("match", "most"), [("1:1", 2), ("N:1", 3), ("1:N", 2), ("N:N", 6)])
@pytest.mark.usefixtures("little_room")
def test_elements_left_out_add_at_most_what_their_best_partners_do(match: Match, most: int) -> None:
    phi = latent(overlap(None, eq("k") * var("a"), match=match))
    pred, ref = ([{"k": 1, "a": name} for name in names] for names in ("abc", "xy"))
    assert plan(phi).bounds(pred, ref, time_limit=0).upper == most


def test_the_smallest_groups_are_kept() -> None:
    board = Board(Limits(0, deadline=0.0))
    board.room = 4
    assert board.fit(["aaaa", "a", "bb"], len) == (["a", "bb"], ["aaaa"])
    assert not board.is_whole


def test_a_matching_is_extended_along_the_variables_that_it_has() -> None:
    edges = [(0, 1), (0, 2)], [(7, 8), (9, 6), (9, 5)]
    assert extend({0: 9}, [edges]) == {0: 9, 1: 6, 2: 5}


def test_a_matching_stays_one_to_one_when_it_is_extended() -> None:
    loops = [(0, 0), (1, 2)], [(5, 6), (7, 7)]
    assert extend({}, [loops]) == {0: 7}


def labelled(random: Random, size: int) -> dict[str, Any]:
    edges = [sorted(random.sample(range(size), 2)) for _ in range(size)]
    return {"nodes": [{"id": k, "do": random.randrange(3)} for k in range(size)], "edges": edges}


@pytest.mark.parametrize("little_room", [0], indirect=True)
@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.usefixtures("little_room")
def test_the_best_matching_of_graphs_lies_between_the_bounds_without_their_conflicts(match: Match) -> None:
    phi = overlap(None, eq("do"), order="graph", match=match)
    for seed in range(10):
        pred, ref = labelled(Random(seed), 7), labelled(Random(seed + 100), 6)
        found = plan(phi).bounds(pred, ref, time_limit=0)
        assert found.lower <= score(phi, pred, ref) <= found.upper


def test_graphs_too_large_for_their_conflicts_have_bounds() -> None:
    pred, ref = labelled(Random(1), 150), labelled(Random(2), 150)
    found = plan(overlap(None, eq("do"), order="graph")).bounds(pred, ref, time_limit=0)
    assert 0 < found.lower < found.upper <= 150
