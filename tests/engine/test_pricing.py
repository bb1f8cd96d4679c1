"""Collections too large for all pairs: the same optimum from few of them, or bounds that hold it."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from matchwise.algebra.build import eq, normalize, overlap
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.tally import Tally
from matchwise.engine import reference
from matchwise.engine.limits import UNLIMITED, Limits
from matchwise.engine.many.frame import frame_of
from matchwise.engine.many.operators import bulk, matching
from matchwise.engine.many.operators.bulk import Candidates
from matchwise.engine.one import evaluator
from matchwise.engine.plan import Plan, Planner, part
from matchwise.engine.solve.assignment import Row
from matchwise.errors import DataError
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import close, edit

LINE = eq("sku") + 2 * edit("text") + close("price", abs=0.01) + overlap("tags") + 0.5 * eq("unit")
PHI = normalize(eq("id") + overlap("lines", LINE), "f1")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is too large for memory: what is, would take minutes."""
    monkeypatch.setattr(matching, "TOO_MANY", 0)
    monkeypatch.setattr(evaluator, "LARGE_TABLE", 0)
    monkeypatch.setattr(matching, "AT_ONCE", -1)
    monkeypatch.setattr(bulk, "CANDIDATES", 2)


def lines(number: int, random: Random) -> list[dict[str, Any]]:
    return [
        {
            "sku": random.choice([None, "a", "b", f"{n}"]),
            "text": "".join(random.choices("ab ", k=random.randint(0, 5))),
            "price": random.choice([1, 1.01, 2.5, None]),
            "tags": random.choices("xyz", k=random.randint(0, 3)),
            "unit": random.choice("mk"),
        }
        for n in range(number)
    ]


def documents(seed: int, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    random = Random(seed)
    return ({"id": 1, "lines": lines(size, random)}, {"id": 1, "lines": lines(size, random)})


def fresh(phi: Similarity) -> Plan:
    return Plan(phi, Planner())


ELEMENTS: list[Similarity] = [LINE, eq("sku") + 3 * eq("unit") + overlap("tags"), edit("text")]


@pytest.mark.parametrize("phi", ELEMENTS, ids=["graded", "equalities", "texts"])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_lead_to_the_optimum_of_all_pairs(phi: Similarity, seed: int) -> None:
    pred, ref = documents(seed, 80)  # a row is given 8 of 80 cells at first
    inner = part(phi)
    assert Candidates.suits(inner)
    p, r = (frame_of([side]).flat(("lines",)).frame for side in (pred, ref))
    found = bulk.solve_priced(80, 80, Candidates(inner, p, r).more, UNLIMITED)
    assert found.lower == found.upper == pytest.approx(fresh(overlap("lines", phi)).score(pred, ref), abs=1e-12)
    assert len({i for i, _, _ in found.matched}) == len({j for _, j, _ in found.matched}) == len(found.matched)


@pytest.mark.parametrize("phi", ELEMENTS, ids=["graded", "equalities", "texts"])
@pytest.mark.parametrize("full", [(), (0,), (1,), (0, 1)], ids=["gaps", "predictions", "references", "both"])
def test_no_cell_that_is_left_out_is_above_the_ceiling_of_its_row(phi: Similarity, full: tuple[int, ...]) -> None:
    pred, ref = sides = documents(3, 30)
    for side in full:  # no part is missing there
        sides[side]["lines"] = [
            {key: 9 if value is None or value == [] else value for key, value in line.items()}
            | {"tags": line["tags"] or ["z"]}
            for line in sides[side]["lines"]
        ]
    inner = part(phi)
    p, r = (frame_of([side]).flat(("lines",)).frame for side in (pred, ref))
    for i, (cells, bound) in enumerate(Candidates(inner, p, r).more(list(range(30)), 4)):
        for j, line in enumerate(ref["lines"]):
            exact = reference.score(phi, pred["lines"][i], line)
            assert exact == pytest.approx(cells[j], abs=1e-12) if j in cells else exact <= bound + 1e-12


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([0.001, 0.05, 0.3, 0.99]))
def test_bounds_hold_the_optimum(seed: int, gap: float) -> None:
    random = Random(seed)
    n, m = random.randint(1, 40), random.randint(1, 40)  # a row is given 8 cells at first
    cells = [[random.choice([0, 1, 2, 2.5, 3]) for _ in range(m)] for _ in range(n)]

    def more(rows: list[int], width: int) -> list[tuple[Row, float]]:
        order = [sorted(range(m), key=lambda j, i=i: -cells[i][j]) for i in rows]
        return [
            ({j: cells[i][j] for j in some[:width] if cells[i][j]}, max([cells[i][j] for j in some[width:]], default=0))
            for i, some in zip(rows, order, strict=True)
        ]

    best = linear_sum_assignment(np.array(cells), maximize=True)
    exact = np.array(cells)[best].sum()
    proved, found = bulk.solve_priced(n, m, more, UNLIMITED), bulk.solve_priced(n, m, more, Limits(gap=gap))
    assert proved.lower == proved.upper == exact
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= gap * found.upper


@pytest.mark.usefixtures("small")
def test_bounds_reach_the_report_and_its_fields_are_those_of_the_lower_one() -> None:
    pred, ref = documents(4, 70)
    report = evaluate(PHI, [pred], [ref], fields=True, gap=0.3)
    found = report["score"]
    assert found.bounds.upper - found.bounds.lower > 0
    assert found.bounds.lower <= fresh(PHI).score(pred, ref) <= found.bounds.upper
    total = sum(row.weight * row.right for row in report.fields())
    assert float(total) == pytest.approx(float(found.counts.matched), abs=1e-9)


@pytest.mark.usefixtures("small")
def test_without_limits_nothing_is_left_open() -> None:
    assert Tally(PHI).add(*documents(5, 70)).scores.open == {}


@pytest.mark.usefixtures("small")
def test_too_many_alike_are_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST", 10)
    pred = {"id": 1, "lines": [{"sku": f"{n}", "text": f"{n} a", "unit": "m"} for n in range(70)]}
    ref = {"id": 1, "lines": [{"sku": f"{n}", "text": f"{n} b", "unit": "m"} for n in range(100, 170)]}
    with pytest.raises(DataError, match=r'70 × 70 elements .* give them a key, as in keyed\("id"\), or write gap=0.01'):
        fresh(PHI).score(pred, ref)


@pytest.mark.usefixtures("small")
def test_the_time_limit_ends_the_search() -> None:
    pred, ref = documents(8, 70)
    found = fresh(PHI).bounds(pred, ref, time_limit=0)
    assert found.lower <= fresh(PHI).score(pred, ref) <= found.upper


@pytest.mark.usefixtures("small")
def test_a_printed_report_says_that_it_is_not_proved() -> None:
    pred, ref = documents(4, 70)
    found = evaluate(PHI, [pred], [ref], gap=0.3)
    bounds = found["score"].bounds
    assert f"{bounds.lower:.4f}–{bounds.upper:.4f}" in str(found)
    assert "bounds" not in str(evaluate(PHI, [pred], [ref]))
