"""Moments of forms are exact, and so is the variance that is read from them; quantiles are those of SciPy."""

from fractions import Fraction
from math import pi, sqrt, tan

import numpy as np
import pytest
from scipy import stats

from matchwise.statistics.variation import moments, normal, normal_share, student


def test_one_unit_has_no_variance_and_two_have_that_of_their_difference() -> None:
    assert moments(np.array([[3.0, 4.0]])).variance(np.array([1.0, 2.0])) == 0.0
    # The values are 11 and 5, three from their mean: 2 / 1 · (3² + 3²).
    assert moments(np.array([[3.0, 4.0], [1.0, 2.0]])).variance(np.array([1.0, 2.0])) == 36.0


LARGE = [[[most - 1, 3], [most - 3, most - 5], [1, 2]] for most in (2**25, 2**26, 2**27, 2**40)]


@pytest.mark.parametrize("rows", [[[0.1, 3.0], [1 / 3, 2.0], [1e-9, 7.5]], [[0.1, 0.7], [1 / 3, 0.2]], *LARGE])
def test_moments_of_fractions_and_of_large_whole_numbers_are_exact(rows: list[list[float]]) -> None:
    found = moments(np.array(rows, dtype=float))
    columns = [list(map(Fraction, column)) for column in zip(*rows, strict=True)]
    assert list(found.sums) == [sum(column) for column in columns]
    assert found.squares.tolist() == [
        [sum(a * b for a, b in zip(one, other, strict=True)) for other in columns] for one in columns
    ]


SHARES = [0.0005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.995, 0.9995]


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 30, 99, 400, 999, 1000, 10**6])
def test_the_shares_below_students_quantiles_are_those_of_scipy(freedom: int) -> None:
    # Shares, as SciPy's own quantiles were off in the eleventh digit before 1.16.
    found = [float(stats.t.cdf(student(share, freedom), freedom)) for share in SHARES]
    assert found == pytest.approx(SHARES, rel=1e-12, abs=0)


def test_students_quantiles_of_one_and_two_degrees_of_freedom_are_those_of_their_formulas() -> None:
    assert [student(share, 1) for share in SHARES] == pytest.approx(
        [tan(pi * (share - 0.5)) for share in SHARES], rel=1e-12
    )
    exact = [(2 * share - 1) / sqrt(2 * share * (1 - share)) for share in SHARES]
    assert [student(share, 2) for share in SHARES] == pytest.approx(exact, rel=1e-12)


def test_normal_quantiles_are_those_of_scipy() -> None:
    assert [normal(share) for share in SHARES] == pytest.approx(stats.norm.ppf(SHARES).tolist(), rel=1e-12, abs=1e-15)
    assert [normal_share(z) for z in (-3, -1, 0, 2)] == pytest.approx(stats.norm.cdf([-3, -1, 0, 2]).tolist(), rel=1e-9)
