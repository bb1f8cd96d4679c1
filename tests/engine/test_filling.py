"""Tables that are filled until time is up: the same cells as at once, and bounds for the rows that were not reached."""

from random import Random
from typing import Any

import pytest

from matchwise import custom, edit, f1, latent, overlap, plan, score, var
from matchwise.algebra.nodes import Match, Similarity
from matchwise.engine import limits
from matchwise.engine.limits import UNLIMITED, Limits
from matchwise.engine.one import structure
from matchwise.engine.one.build import evaluator
from matchwise.engine.one.parts import PairSide as Side
from matchwise.engine.one.parts import Part
from matchwise.engine.one.structure import fill
from matchwise.engine.solve.cells import Filled

CALLS: list[int] = []


def values_of(items: list[Any]) -> list[Part]:
    side = Side("prediction")
    return [Part(item, side) for item in items]


def near(x: int, y: int) -> float:
    return 1.0 if x == y else 0.5 if abs(x - y) == 1 else 0.0


def half(x: int, y: int) -> float:
    return 0.5 if abs(x - y) < 2 else 0.0


def many(xs: list[int], ys: list[int]) -> list[list[float]]:
    CALLS.append(len(xs))
    return [[near(x, y) for y in ys] for x in xs]


def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table counts as large, and there is room for nothing."""
    monkeypatch.setattr(structure, "TINY", 0)
    monkeypatch.setattr(limits, "FEWEST", 0)


def values(random: Random) -> list[int]:
    return [random.randrange(9) for _ in range(random.randint(1, 40))]


PHIS: list[Similarity] = [custom(near, facts=("symmetric", "unit")), custom(half), edit()]


@pytest.mark.parametrize("phi", PHIS)
def test_with_time_enough_a_table_is_what_it_is_at_once(phi: Similarity) -> None:
    pair = evaluator(phi)
    for seed in range(20):
        random = Random(seed)
        make: Any = str if phi == edit() else int
        us, vs = values_of(list(map(make, values(random)))), values_of(list(map(make, values(random))))
        found = fill(pair, us, vs, Limits(100).start())
        assert not found.most
        assert found.reached == len(us)
        assert found.cells == pair.cells(us, vs)


def test_without_a_time_limit_tables_are_filled_at_once() -> None:
    CALLS.clear()
    pair, us, vs = evaluator(custom(many, batch=True)), values_of([1] * 300), values_of([1] * 200)
    pair.prepare(us, vs)
    assert (len(fill(pair, us, vs, UNLIMITED).cells), CALLS) == (60_000, [1])


def test_a_function_of_all_pairs_is_called_once_under_a_time_limit_too() -> None:
    CALLS.clear()
    pair, us, vs = evaluator(custom(many, batch=True)), values_of(list(range(300))), values_of(list(range(200)))
    pair.prepare(us, vs)
    fill(pair, us, vs, Limits(0).start())
    assert CALLS == [300]


def test_rows_that_were_not_reached_have_no_cell_above_1() -> None:
    found = fill(evaluator(custom(near)), values_of([1] * 300), values_of([1] * 200), Limits(0).start())
    assert found == Filled([], 0, [1] * 300)


def test_tables_of_some_hundred_cells_are_not_filled_to_their_end_either() -> None:
    found = fill(evaluator(custom(near)), values_of([1] * 20), values_of([1] * 10), Limits(0).start())
    assert found == Filled([], 0, [1] * 20)


def test_where_nothing_is_known_of_a_function_the_table_is_filled_to_its_end() -> None:
    phi = custom(near, unnormalized=True)
    found = fill(evaluator(phi), values_of([1] * 300), values_of([1] * 200), Limits(0).start())
    assert (len(found.cells), found.reached, found.most) == (60_000, 300, [])


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_the_optimum_lies_between_the_bounds_of_what_was_reached(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [(f"v{number % 4}", number) for number in range(9)]
    for inner in (custom(near, 1, facts=("symmetric", "unit")), custom(half, 1)):
        for phi in (latent(overlap(None, inner * var(0), match=match)), latent(f1(None, inner * var(0), match=match))):
            for seed in range(8):
                random = Random(seed)
                pred, ref = ([random.choice(items) for _ in range(random.randint(1, 7))] for _ in range(2))
                best = score(phi, pred, ref)
                with monkeypatch.context() as patch:
                    tight(patch)
                    found = plan(phi).bounds(pred, ref, time_limit=0)
                assert found.lower - 1e-9 <= best <= found.upper + 1e-9


def test_an_object_is_at_least_what_it_is_with_itself_under_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    tight(monkeypatch)
    phi = latent(f1(None, custom(near, 1) * var(0)))
    items = [(f"v{number}", number) for number in range(6)]
    assert plan(phi).bounds(items, items, time_limit=0).upper == 1


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_the_best_matching_of_graphs_lies_between_the_bounds_of_what_was_reached(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    phi = overlap(None, custom(near, "do"), order="graph", match=match)
    for seed in range(8):
        random = Random(seed)
        pred, ref = (
            {
                "nodes": [{"id": node, "do": random.randrange(4)} for node in range(size)],
                "edges": [sorted(random.sample(range(size), 2)) for _ in range(size)],
            }
            for size in (6, 5)
        )
        best = score(phi, pred, ref)
        with monkeypatch.context() as patch:
            tight(patch)
            found = plan(phi).bounds(pred, ref, time_limit=0)
            enough = plan(phi).bounds(pred, ref, time_limit=100)
        assert found.lower - 1e-9 <= best <= found.upper + 1e-9
        assert (enough.lower, enough.proved) == (best, True)


def test_one_row_that_was_not_reached_may_serve_every_column() -> None:
    phi = overlap("nodes", edit("label"), match="1:N", order="graph")
    pred = {"nodes": {"nodes": [{"label": "ab"}], "edges": []}}
    ref = {"nodes": {"nodes": [{"label": "ab"}] * 300, "edges": []}}
    assert plan(phi).bounds(pred, ref, time_limit=0).upper >= score(phi, pred, ref) == 300
