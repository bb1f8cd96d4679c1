"""Solvers against enumeration: the optimum, and bounds that hold it, whichever part of a solver does the work."""

from itertools import combinations
from random import Random
from time import monotonic
from typing import Any

import numpy as np
import pytest
from scipy.optimize import milp
from test_latent_solver import brute_force
from test_latent_solver import problem as draw_problem

from matchwise.algebra.build import custom, eq, overlap
from matchwise.engine.limits import UNLIMITED, Limits
from matchwise.engine.many.chosen import FieldColumns
from matchwise.engine.many.kernels import inverse, occurrences, overlaps, within
from matchwise.engine.plan import score
from matchwise.engine.solve import graphs, latent
from matchwise.engine.solve.climbing import Climber
from matchwise.engine.solve.latent import Answer, Goal, find_unit
from matchwise.engine.solve.polynomial import Polynomial, arrange, value


def draw_conflicts(random: Random, size: int, graded: bool) -> tuple[list[int], list[float]]:
    """A conflict graph as bit sets, heavier pairs first."""
    weights = sorted((random.random() if graded else random.choice([1, 1, 2]) for _ in range(size)), reverse=True)
    conflict = [0] * size
    for a, b in combinations(range(size), 2):
        if random.random() < 0.4:
            conflict[a] |= 1 << b
            conflict[b] |= 1 << a
    return conflict, [float(weight) for weight in weights]


def best_choice(conflict: list[int], weights: list[float]) -> float:
    best = 0.0
    for chosen in range(1 << len(weights)):
        places = [place for place in range(len(weights)) if chosen >> place & 1]
        if not any(conflict[place] & chosen for place in places):
            best = max(best, sum(weights[place] for place in places))
    return best


def check_choice(found: Answer, conflict: list[int], weights: list[float]) -> None:
    """The pairs have no conflict, and add up to the lower bound."""
    assert not any(conflict[a] >> b & 1 for a in found.chosen for b in found.chosen)
    assert found.lower == pytest.approx(sum(weights[place] for place in found.chosen), abs=1e-9)
    assert len(set(found.chosen)) == len(found.chosen)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("budget", [graphs.BUDGET, 1, 60, 200])
def test_the_best_set_without_conflict_is_that_of_all_sets(
    budget: int, graded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "BUDGET", budget)
    random = Random(budget)
    for _ in range(25):
        conflict, weights = draw_conflicts(random, random.randint(2, 9), graded)
        best = best_choice(conflict, weights)
        goal = Goal(find_unit(np.array(weights)), 0.0, None)
        found = graphs._solve(conflict, weights, goal)
        check_choice(found, conflict, weights)
        assert found.lower == pytest.approx(best, abs=1e-6)
        assert goal.is_closed(found.lower, found.upper)
        assert found.upper >= best - 1e-6


@pytest.mark.parametrize("graded", [False, True])
def test_a_programme_alone_finds_the_best_set_and_keeps_a_better_one(graded: bool) -> None:
    random = Random(7)
    for _ in range(15):
        conflict, weights = draw_conflicts(random, random.randint(2, 9), graded)
        best = best_choice(conflict, weights)
        goal = Goal(0.0, 0.0, None)
        found = graphs._programme(conflict, weights, goal, Answer((), 0.0, sum(weights)))
        check_choice(found, conflict, weights)
        assert (found.lower, found.upper) == (pytest.approx(best, abs=1e-6), pytest.approx(best, abs=1e-6))
        known = graphs._programme(conflict, weights, goal, found)
        assert known.chosen == found.chosen
        soon = graphs._programme(conflict, weights, goal._replace(deadline=monotonic() + 60), found)
        assert soon.lower == found.lower
        wide = graphs._programme(conflict, weights, goal._replace(gap=0.5), Answer((), 0.0, sum(weights)))
        check_choice(wide, conflict, weights)
        assert wide.lower <= best + 1e-6
        assert best - 1e-6 <= wide.upper <= sum(weights) + 1e-6
        assert wide.upper - wide.lower <= 0.5 * wide.upper + 1e-6


def test_a_programme_is_given_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, float]] = []

    def record(*programme: Any, options: dict[str, float], **details: Any) -> Any:
        given.append(options)
        return milp(*programme, options=options, **details)

    monkeypatch.setattr("scipy.optimize.milp", record)
    for deadline in (None, monotonic() + 60):
        graphs._programme([0b10, 0b01], [1.0, 1.0], Goal(0.0, 0.0, deadline), Answer((), 0.0, 2.0))
    assert "time_limit" not in given[0]
    assert 0 < given[1]["time_limit"] <= 60


@pytest.mark.parametrize("budget", [1, 60, 150])
def test_bounds_hold_the_best_set_when_time_is_over(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "BUDGET", budget)
    random = Random(budget)
    for seconds in (-1.0, 60.0):
        for _ in range(15):
            conflict, weights = draw_conflicts(random, random.randint(2, 9), True)
            best = best_choice(conflict, weights)
            search = graphs._Search(conflict, weights, Goal(0.0, 0.0, monotonic() + seconds))
            upper = search.run()
            assert search.best <= best + 1e-9
            assert best - 1e-6 <= upper <= sum(weights) + 1e-9
            found = graphs._solve(conflict, weights, Goal(0.0, 0.3, monotonic() + seconds))
            assert found.lower <= best + 1e-9
            assert best - 1e-6 <= found.upper


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_the_outline_of_too_many_pairs_has_bounds_by_nodes(match: Any) -> None:
    unrelated = np.zeros((3, 3), dtype=np.int8)
    rows, columns = np.array([0, 1, 0, 1, 2]), np.array([0, 0, 1, 1, 1])
    weights = np.array([3.0, 2.5, 2.0, 1.0, 0.5])
    some = graphs.Candidates(match, unrelated, unrelated, rows, columns, weights)
    # By rows at most 3 + 2.5 + 0.5, by columns at most 3 + 2; greedily 3 first, then what fits.
    assert (
        graphs._bound(some, Goal(0.0, 0.0, None))
        == {
            "1:1": ((0, 3), 4.0, 5.0),
            "N:1": ((0, 1, 4), 6.0, 6.0),
            "1:N": ((0, 2), 5.0, 5.0),
            "N:N": ((0, 1, 2, 3, 4), 9.0, 9.0),
        }[match]
    )


@pytest.mark.parametrize("arity", [1, 2, 3])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 8, 30])
def test_variables_are_matched_best_however_soon_the_programme_takes_over(
    steps: int, graded: bool, arity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latent, "STEPS", steps)
    random = Random(steps)
    for _ in range(12):
        board, terms = draw_problem(random, arity, graded)
        (made, pairs), best = arrange(board, terms), brute_force(board, terms)
        found = latent.solve(made, UNLIMITED)
        assert found.lower == found.upper == pytest.approx(best, abs=1e-6)
        assert value(terms, [pairs[pair] for pair in found.chosen]) == pytest.approx(found.lower, abs=1e-9)
        wide = latent.solve(made, Limits(gap=0.5))
        assert wide.lower <= best + 1e-6
        assert best - 1e-6 <= wide.upper
        assert wide.upper - wide.lower <= 0.5 * wide.upper + 1e-6
        late = latent.solve(made, Limits(deadline=monotonic() - 1))
        assert late.lower <= best + 1e-6
        assert best - 1e-6 <= late.upper


@pytest.mark.parametrize("arity", [2, 3])
def test_variables_are_matched_best_though_pairs_are_dropped_after_every_step(
    arity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latent, "EVERY", 1)
    random = Random(arity)
    for graded in (False, True):
        for _ in range(40):
            board, terms = draw_problem(random, arity, graded)
            (made, pairs), best = arrange(board, terms), brute_force(board, terms)
            found = latent.solve(made, UNLIMITED)
            assert found.lower == found.upper == pytest.approx(best, abs=1e-6)
            assert value(terms, [pairs[pair] for pair in found.chosen]) == pytest.approx(found.lower, abs=1e-9)


def test_goals_are_reached_by_units_and_gaps() -> None:
    whole, real = Goal(1.0, 0.0, None), Goal(0.0, 0.1, None)
    assert (whole.is_closed(3.0, 3.9), whole.is_closed(3.0, 4.0)) == (True, False)
    assert (real.is_closed(3.0, 3.0 + 5e-7), real.is_closed(3.0, 3.001)) == (True, False)
    assert (real.is_reached(Answer((), 9.0, 10.0)), real.is_reached(Answer((), 8.9, 10.0))) == (True, False)
    assert (whole.needed, real.needed) == (1 - latent.TOLERANCE, latent.TOLERANCE)
    assert (whole.late(), whole._replace(deadline=monotonic() - 1).late()) == (False, True)
    assert not whole._replace(deadline=monotonic() + 60).late()


@pytest.mark.parametrize(("weights", "unit"), [([1, 2.0], 1), ([0.5, 1], 0.5), ([0.25, 1 / 3], 1 / 12), ([0.37], 0.01)])
def test_the_largest_unit_that_divides_all_weights(weights: list[float], unit: float) -> None:
    assert find_unit(np.array(weights)) == unit
    assert find_unit(np.array([*weights, 0.123456])) == 0


def test_kernels_of_arrays_by_hand() -> None:
    assert inverse(np.array([2, 0]), 4).tolist() == [1, -1, 0, -1]
    assert occurrences(np.array([5, 3, 5, 5, 3])).tolist() == [0, 0, 1, 2, 1]
    assert occurrences(np.array([], dtype=int)).tolist() == []
    for large in (1, 2**31, 2**40):  # too large for a product of both
        codes = within(np.array([large, 0, large, 0]), np.array([0, 0, large, large]))
        assert len(set(codes.tolist())) == 4


@pytest.mark.parametrize("match", ["1:1", "N:1", "1:N", "N:N"])
def test_overlaps_of_bags_are_those_of_each_pair(match: Any) -> None:
    rng = np.random.default_rng(3)
    for n, m in ((3, 4), (1, 1), (0, 2), (2, 0)):
        mine, theirs = (rng.integers(0, 3, 5 * size) for size in (n, m))
        owners, other = (np.repeat(np.arange(size), 5) for size in (n, m))
        i, j, w = overlaps(match, mine, owners, theirs, other, (n, m))
        found = dict(zip(zip(i.tolist(), j.tolist(), strict=True), w.tolist(), strict=True))
        for a in range(n):
            for b in range(m):
                p, r = (
                    np.bincount(side[of == one], minlength=3)
                    for side, of, one in ((mine, owners, a), (theirs, other, b))
                )
                want = {
                    "1:1": np.minimum(p, r).sum(), "N:1": p[r > 0].sum(), "1:N": r[p > 0].sum(), "N:N": (p * r).sum()
                }[match]  # fmt: skip
                assert found.get((a, b), 0) == want


def total_of(problem: Polynomial, chosen: set[int]) -> float:
    """The polynomial at a set of pairs, as it is written."""
    links = [range(start, start + size) for start, size in zip(problem.starts, problem.sizes, strict=True)]
    linked = [
        w for w, run in zip(problem.weights, links, strict=True) if {int(problem.members[k]) for k in run} <= chosen
    ]
    return float(sum(problem.gains[pair] for pair in chosen) + sum(linked))


def moved(problem: Polynomial, chosen: set[int], pair: int) -> set[int]:
    """Take a pair in, its rivals out, and let what became free take the best pair that is left."""
    rows, columns = problem.rows.tolist(), problem.columns.tolist()
    old = next((one for one in chosen if rows[one] == rows[pair]), None)
    rival = next((one for one in chosen if columns[one] == columns[pair]), None)
    made = (chosen - {old, rival}) | {pair}

    def fill(candidates: list[int]) -> None:
        free = [
            one
            for one in candidates
            if not any(rows[one] == rows[other] or columns[one] == columns[other] for other in made)
        ]
        gains = [total_of(problem, made | {one}) - total_of(problem, made) for one in free]
        if gains and max(gains) > 0:
            made.add(free[gains.index(max(gains))])

    if rival is not None:
        fill([one for one in range(len(rows)) if rows[one] == rows[rival]])
    if old is not None:
        fill([one for one in range(len(rows)) if columns[one] == columns[old]])
    return made


@pytest.mark.parametrize("arity", [1, 2, 3])
@pytest.mark.parametrize("graded", [False, True])
def test_a_climb_ends_where_no_move_leads_up(graded: bool, arity: int) -> None:
    random = Random(arity)
    for _ in range(25):
        board, terms = draw_problem(random, arity, graded)
        problem, _ = arrange(board, terms)
        for start in ([], [random.randrange(len(problem.gains))]):
            found, chosen = Climber(problem).climb(start, lambda: False)
            assert found == pytest.approx(total_of(problem, set(chosen)), abs=1e-9)
            assert found >= total_of(problem, set(start)) - 1e-9
            for side in (problem.rows, problem.columns):
                assert len({int(side[pair]) for pair in chosen}) == len(chosen)
            for pair in set(range(len(problem.gains))) - set(chosen):
                if total_of(problem, {*chosen, pair}) > found + 1e-8:  # only pairs that would add something are tried
                    assert total_of(problem, moved(problem, set(chosen), pair)) <= found + 1e-8
        late, there = Climber(problem).climb([0], lambda: True)
        assert (late, there) == (pytest.approx(total_of(problem, {0})), [0])


def test_a_path_of_two_parts_is_named_by_the_first_document_that_has_it() -> None:
    early, late = (FieldColumns(1, first, [1], [1], [1], [2]) for first in (2, 5))
    for one, other in ((early, late), (late, early)):
        assert one.plus(other) == FieldColumns(1, 2, [2], [2], [2], [4])


@pytest.mark.parametrize("n", [3, 12])
def test_an_alignment_by_another_similarity_is_exact_in_tables_of_any_size(n: int) -> None:
    """All pairs are alike but for one part in 10¹¹, which decides."""
    docs = [{"xs": list(range(n))}] * 2
    phi = overlap("xs", eq(), align_by=custom(nearly))
    assert score(phi, *docs) == n


def nearly(x: int, y: int) -> float:
    return 1.0 if x == y else 1.0 - 1e-11
