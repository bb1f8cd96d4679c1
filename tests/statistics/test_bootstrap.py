"""Resamples are drawn from the exact bootstrap distribution, whichever way they are drawn."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from matchwise.corpus.counts import Reading
from matchwise.corpus.statistic import statistic
from matchwise.statistics.resampling import (
    _draw_documents,
    _draw_kinds,
    bca_interval,
    percentile_interval,
    resample,
    unique_rows,
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


def test_packed_counts_draw_what_plain_numbers_draw() -> None:
    rows = np.concatenate([forms(50), forms(50, seed=4)], axis=1)
    fraction = np.full((50, 1), 0.5)
    packed = _draw_documents(rows, 200, np.random.default_rng(1))
    plain = _draw_documents(np.concatenate([rows, fraction], axis=1), 200, np.random.default_rng(1))
    assert packed.tolist() == plain[:, :4].tolist()


def test_counts_too_large_to_be_packed_are_drawn_as_they_are() -> None:
    rows = np.array([[2.0**40, 1.0], [3.0, 2.0**40]])
    sums = _draw_documents(rows, 100, np.random.default_rng(1))
    assert set(map(tuple, sums.tolist())) == {
        (2.0**41, 2.0),
        (2.0**40 + 3, 2.0**40 + 1),
        (6.0, 2.0**41),
    }


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
