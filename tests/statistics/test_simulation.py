"""What the intervals and tests promise, on corpora whose true scores are known.

Every simulation is seeded. A share of 1,000 runs is exact to ±0.014 (two standard errors), of 2,000 to ±0.010.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from matchwise.corpus.counts import Reading
from matchwise.corpus.statistic import statistic
from matchwise.corpus.table import Table
from matchwise.statistics.compare import compare
from matchwise.statistics.intervals import Intervals, intervals
from matchwise.statistics.variation import bca_interval, p_value, percentile_interval, resample

Array = Any

SPREAD = 6
"""How much documents agree in difficulty: the parameters of their Beta distribution add up to this."""

F1 = statistic({"m": Reading("f1")}, "m")


def references(rng: np.random.Generator, n: int) -> Any:
    """How many items each document has: mostly a few, sometimes a hundred."""
    return 1 + np.floor(rng.lognormal(1, 1, n)).astype(int)


def counts(rng: np.random.Generator, reference: Any, found: float, invented: float) -> Array:
    """A system that finds a share of the items and invents others, document by document."""
    share = rng.beta(SPREAD * found, SPREAD * (1 - found), len(reference))
    matched = rng.binomial(reference, share)
    predicted = matched + rng.poisson(reference * invented)
    return np.stack([matched, predicted, reference, matched], axis=1).astype(float)


def true_f1(found: float, invented: float) -> float:
    """2 E[matched] / (E[predicted] + E[reference])."""
    return 2 * found / (found + invented + 1)


def corpus(rows: Array) -> Table:
    return Table("simulated", {"m": Reading("f1")}, (None,) * len(rows), rows)


def share_of(runs: int, holds: Callable[[np.random.Generator, int], bool]) -> float:
    rng = np.random.default_rng(7)
    return sum(holds(rng, run) for run in range(runs)) / runs


@pytest.mark.parametrize(
    ("found", "invented", "n", "lowest"),
    [(0.8, 0.2, 20, 0.91), (0.8, 0.2, 200, 0.92), (0.97, 0.02, 20, 0.93), (0.97, 0.02, 200, 0.925)],
)
def test_intervals_of_the_delta_method_cover_the_true_score(
    found: float, invented: float, n: int, lowest: float
) -> None:
    def covers(rng: np.random.Generator, run: int) -> bool:
        row = intervals(corpus(counts(rng, references(rng, n), found, invented)), scores=["value"])["m"]
        assert row.low is not None
        assert row.high is not None
        return row.low <= true_f1(found, invented) <= row.high

    assert lowest <= share_of(1_000, covers) <= 0.97


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_intervals_of_the_bootstrap_cover_the_true_score(method: str) -> None:
    def covers(rng: np.random.Generator, run: int) -> bool:
        forms = F1.project(counts(rng, references(rng, 100), 0.8, 0.2))
        values = F1.of(resample(forms, 500, run))
        low, high = (
            percentile_interval(values, 0.95) if method == "bootstrap" else bca_interval(F1.of, forms, values, 0.95)
        )
        return low <= true_f1(0.8, 0.2) <= high

    assert 0.90 <= share_of(400, covers) <= 0.98


def test_near_1_the_delta_method_covers_where_the_bootstrap_does_not_and_the_bootstrap_says_so() -> None:
    rng = np.random.default_rng(7)
    hits = np.zeros(2)
    for run in range(300):
        rows = corpus(counts(rng, references(rng, 50), 0.999, 0.001))
        both = [
            intervals(rows, scores=["value"], method=name, resamples=200, seed=run) for name in ("delta", "bootstrap")
        ]
        assert both[0].warnings == ()
        assert (
            both[1]
            .warnings[0]
            .startswith("bootstrap intervals are too narrow for fewer than 100 documents, and there are 50")
        )
        assert both[1].warnings[1].startswith("bootstrap intervals are too narrow for scores near 0 or 1: m (")
        hits += [(one["m"].low or 0) <= true_f1(0.999, 0.001) <= (one["m"].high or 1) for one in both]
    delta, bootstrap = hits / 300
    assert 0.92 <= delta <= 1
    assert bootstrap <= 0.72


def test_intervals_of_clusters_cover_where_those_of_documents_do_not() -> None:
    def found(rng: np.random.Generator) -> tuple[Intervals, Intervals]:
        share = np.repeat(rng.beta(4, 1, 40), 10)  # 40 sources of 10 documents, each as hard as its source
        matched = rng.binomial(5, share)
        rows = np.stack([matched, np.full(400, 5), np.full(400, 5), matched], axis=1).astype(float)
        return intervals(corpus(rows)), intervals(corpus(rows), cluster=np.repeat(range(40), 10).tolist())

    rng = np.random.default_rng(7)
    hits = np.zeros(2)
    for _ in range(300):
        for place, one in enumerate(found(rng)):
            row = one["m"]
            hits[place] += (row.low or 0) <= 0.8 <= (row.high or 1)
    documents, clusters = hits / 300
    assert documents < 0.75
    assert 0.91 <= clusters <= 0.98


@pytest.mark.parametrize(("n", "lowest", "highest"), [(10, 0.0, 0.055), (30, 0.025, 0.07), (100, 0.03, 0.065)])
def test_equal_systems_are_told_apart_no_more_often_than_promised(n: int, lowest: float, highest: float) -> None:
    def rejects(rng: np.random.Generator, run: int) -> bool:
        reference = references(rng, n)
        one, other = (counts(rng, reference, 0.8, 0.2) for _ in range(2))
        return p_value(lambda sums: F1.of(F1.project(sums)), one, other, 499, run).p <= 0.05

    assert lowest <= share_of(1_000, rejects) <= highest


def test_a_better_system_is_found() -> None:
    def rejects(rng: np.random.Generator, run: int) -> bool:
        reference = references(rng, 200)
        found = compare(
            {
                "old": corpus(counts(rng, reference, 0.65, 0.2)),
                "new": corpus(counts(rng, reference, 0.8, 0.2)),
            },
            resamples=499,
        )["m"]
        return found.p <= 0.05 and found.difference > 0

    assert share_of(200, rejects) >= 0.8


@pytest.mark.parametrize("n", [20, 100])
def test_paired_intervals_cover_the_true_difference(n: int) -> None:
    def covers(rng: np.random.Generator, run: int) -> bool:
        reference = references(rng, n)
        found = compare(
            {
                "old": corpus(counts(rng, reference, 0.7, 0.2)),
                "new": corpus(counts(rng, reference, 0.8, 0.2)),
            },
            resamples=100,
        )["m"]
        assert found.low is not None
        assert found.high is not None
        return found.low <= true_f1(0.8, 0.2) - true_f1(0.7, 0.2) <= found.high

    assert 0.91 <= share_of(500, covers) <= 0.975


def test_of_many_true_hypotheses_holm_rejects_any_no_more_often_than_promised() -> None:
    readings = {f"m{number}": Reading("f1") for number in range(4)}

    def rejects(rng: np.random.Generator, run: int) -> bool:
        reference = references(rng, 40)
        sides = (
            Table(
                "simulated",
                readings,
                (None,) * 40,
                np.concatenate([counts(rng, reference, 0.8, 0.2) for _ in readings], axis=1),
            )
            for _ in range(2)
        )
        found = compare(dict(zip("ab", sides, strict=True)), resamples=199, seed=run)
        return any(row.p_holm <= 0.05 for row in found)

    assert share_of(200, rejects) <= 0.09
