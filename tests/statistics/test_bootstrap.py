"""Resamples are drawn from the exact bootstrap distribution, whichever way they are drawn."""

from collections import Counter
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

import matchwise as mw
from matchwise.corpus.counts import Reading
from matchwise.corpus.statistic import statistic
from matchwise.corpus.table import Table
from matchwise.statistics import variation
from matchwise.statistics.variation import (
    _draw_documents,
    _draw_kinds,
    _some_exchanges,
    bca_interval,
    p_value,
    percentile_interval,
    resample,
    unique_rows,
    weighted_sums,
)

F1 = statistic({"m": Reading("f1")}, "m")


def forms(n: int, seed: int = 3) -> Any:
    rng = np.random.default_rng(seed)
    reference = rng.poisson(4, n) + 1
    matched = rng.binomial(reference, 0.8)
    return F1.project(np.stack([matched, matched + rng.poisson(1, n), matched, reference], axis=1).astype(float))


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.sampled_from([0, 0.5, 3]))
)
def test_unique_rows_are_each_kept_once_with_their_number(rows: Any) -> None:
    kinds, often = unique_rows(rows)
    assert Counter({tuple(kind): int(number) for kind, number in zip(kinds.tolist(), often, strict=True)}) == Counter(
        map(tuple, rows.tolist())
    )


def test_unique_rows_of_many_columns_with_many_values_do_not_run_into_each_other() -> None:
    rows = np.random.default_rng(0).random((3_000, 8))
    kinds, often = unique_rows(np.concatenate([rows, rows]))
    assert kinds.shape == (3_000, 8)
    assert set(often) == {2}


@pytest.mark.parametrize("draw", ["kinds", "documents"])
def test_two_documents_are_drawn_as_often_as_they_should(draw: str) -> None:
    rows = np.array([[1.0], [10.0]])
    rng = np.random.default_rng(0)
    found = (
        _draw_kinds(rows, np.array([1.0, 1.0]), 40_000, rng) if draw == "kinds" else _draw_documents(rows, 40_000, rng)
    )
    often = Counter(found[:, 0].tolist())
    assert set(often) == {2.0, 11.0, 20.0}
    assert stats.chisquare([often[2.0], often[11.0], often[20.0]], [10_000, 20_000, 10_000]).pvalue > 0.001


@pytest.mark.parametrize("scale", [1, 0.1])
@pytest.mark.parametrize("n", [300, 30_000])
def test_resampled_sums_have_the_mean_and_covariance_of_theory(n: int, scale: float) -> None:
    rows = forms(n) * scale
    sums = resample(rows, 4_000, seed=5)
    spread = n * np.cov(rows.T, bias=True)
    error = np.sqrt(np.diag(spread) / 4_000)
    assert np.all(np.abs(sums.mean(axis=0) - rows.sum(axis=0)) < 4 * error)
    assert np.cov(sums.T) == pytest.approx(spread, rel=0.1)


def test_the_same_seed_draws_the_same_and_another_seed_something_else() -> None:
    rows = forms(100)
    assert resample(rows, 100, seed=1).tolist() == resample(rows, 100, seed=1).tolist()
    assert resample(rows, 100, seed=1).tolist() != resample(rows, 100, seed=2).tolist()


def paired_f1(above: Any, below: Any, axis: int = -1) -> Any:
    return above.sum(axis=axis) / below.sum(axis=axis)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
@pytest.mark.parametrize("n", [15, 200])
def test_the_interval_of_given_replicates_is_that_of_scipy(n: int, method: Any) -> None:
    rows = forms(n)
    values = F1.of(resample(rows, 999, seed=2))
    columns = tuple(rows.T)
    options: dict[str, Any] = {"paired": True, "vectorized": True}
    # Only to have a result to put our replicates into: BCa of nine replicates may lie all on one side, which is 0/0.
    seed = stats.bootstrap(columns, paired_f1, n_resamples=9, method="percentile", **options)
    seed.bootstrap_distribution = values
    peer = stats.bootstrap(columns, paired_f1, n_resamples=0, bootstrap_result=seed, method=method, **options)
    low, high = percentile_interval(values, 0.95) if method == "percentile" else bca_interval(F1.of, rows, values, 0.95)
    assert (low, high) == pytest.approx(tuple(peer.confidence_interval), abs=1e-12)


def test_the_bootstrap_agrees_with_that_of_scipy() -> None:
    rows = forms(200)
    low, high = percentile_interval(F1.of(resample(rows, 20_000, seed=2)), 0.95)
    peer = stats.bootstrap(
        tuple(rows.T),
        paired_f1,
        n_resamples=20_000,
        batch=1_000,
        paired=True,
        vectorized=True,
        method="percentile",
        random_state=np.random.default_rng(0),
    )
    width = high - low
    assert (low, high) == pytest.approx(tuple(peer.confidence_interval), abs=0.04 * width)


def test_documents_that_do_not_differ_have_an_interval_without_width() -> None:
    rows = np.tile([4.0, 8.0], (20, 1))
    values = F1.of(resample(rows, 100, seed=0))
    assert percentile_interval(values, 0.95) == bca_interval(F1.of, rows, values, 0.95) == (0.5, 0.5)


def stretches(*rows: tuple[str, int]) -> Table:
    """A table of stretches by their names, with so many items matched of 10."""
    counts = np.array([[matched, 10, 10, matched] for _, matched in rows], dtype=float)
    return Table("by hand", {"m": Reading("f1")}, [name for name, _ in rows], counts)


@pytest.mark.parametrize("n", [9, 16, 17, 30])
def test_every_document_is_exchanged_in_half_of_the_resamples(n: int) -> None:
    first, seen = np.diag(np.arange(1.0, n + 1)), []

    def value(sums):
        seen.append(sums)
        return sums[..., 0]

    p_value(value, first, 0 * first, 500, 3)
    *_, moved = seen  # the second system is 0 everywhere, so that it has what was exchanged
    shares = (moved != 0).mean(axis=0)
    assert len(moved) == 500
    assert 0.4 < shares.min() < 0.5 < shares.max() < 0.6


def test_exchanged_sums_are_those_of_the_documents_that_were_drawn() -> None:
    rng = np.random.default_rng(0)
    for n, scale in ((9, 0.1), (65, 0.1), (73, 1.0), (40, 2.0**20)):  # fractions, and whole numbers with large sums
        apart = rng.integers(1, 50, (n, 3)) * scale + (scale > 1) * rng.integers(0, 2, (n, 3))
        bits = np.frombuffer(np.random.Generator(np.random.PCG64(7)).bytes(200 * -(-n // 8)), dtype=np.uint8)
        taken = np.unpackbits(bits.reshape(200, -1), axis=1)[:, :n].astype(bool)
        want = [[fsum(apart[row, column]) for column in range(3)] for row in taken]
        found = _some_exchanges(apart, 200, 7)
        assert found == pytest.approx(np.array(want), rel=1e-15, abs=0)


def test_weighted_sums_of_tiny_and_of_huge_numbers_are_exact() -> None:
    for scale in (1e-200, 1e-30, 1.0, 1e30):
        rows = np.array([[0.1, 1 / 3], [0.7, 2 / 7], [1e-9, 3.0]]) * scale
        weights = np.array([[3, 0, 2], [1, 5, 1000]])
        want = [
            [float(sum(int(w) * Fraction(float(x)) for w, x in zip(row, column, strict=True))) for column in rows.T]
            for row in weights
        ]
        assert weighted_sums(weights, rows) == pytest.approx(np.array(want), rel=3e-16, abs=0)


def test_rows_of_more_columns_than_a_word_has_bits_are_told_apart() -> None:
    rows = np.zeros((3, 70))
    rows[:, 1:] = 1.0
    rows[0, 0] = 1.0  # the others are 0 there
    rows[2, 69] = 0.0
    kinds, often = unique_rows(np.concatenate([rows, np.zeros((1, 70)), rows[:1]]))
    assert sorted(map(tuple, kinds.tolist())) == sorted({*map(tuple, rows.tolist()), (0.0,) * 70})
    assert sorted(often) == [1, 1, 1, 2]


def test_what_is_drawn_does_not_depend_on_how_much_is_drawn_at_once(monkeypatch) -> None:
    rng = np.random.default_rng(4)
    few, many = rng.integers(0, 2, (100, 2)).astype(float), rng.random((30, 2))
    made = []
    for block in (variation.BLOCK, 200, 1):
        monkeypatch.setattr(variation, "BLOCK", block)
        drawn = [variation.resample(forms, 150, 3).tolist() for forms in (few, many)]
        exchanged = [_some_exchanges(forms, 150, 3).tolist() for forms in (few, many)]
        made.append((drawn, exchanged[0], exchanged[1] if block > 30 else None))
    assert made[0][0] == made[1][0] == made[2][0]
    assert made[0][1] == made[1][1] == made[2][1]


def test_each_bootstrap_has_its_own_interval() -> None:
    rows = [(f"d{n}", 10 - (n % 7 == 0) - 9 * (n % 50 == 0)) for n in range(150)]
    table = stretches(*rows)
    one = statistic({"m": Reading("f1")}, "m")
    forms = one.project(table.counts)
    values = one.of(variation.resample(forms, 500, 1))
    want = {
        "bootstrap": variation.percentile_interval(values, 0.95),
        "bca": variation.bca_interval(one.of, forms, values, 0.95),
    }
    assert want["bootstrap"] != want["bca"]
    for method, ends in want.items():
        found = mw.intervals(table, method=method, resamples=500, seed=1, scores=["value"])["m"]
        assert (found.low, found.high) == ends


def test_weighted_sums_are_rounded_once() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        weights, rows = rng.integers(0, 2**20, (1, 40)), rng.random((40, 1))
        want = sum(int(w) * Fraction(float(x)) for w, x in zip(weights[0], rows[:, 0], strict=True))
        assert weighted_sums(weights, rows)[0, 0] == float(want)
