"""Quantiles are those of SciPy."""

from math import pi, sqrt, tan

import pytest
from scipy import stats

from matchwise.statistics.variation import normal, normal_share, student

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
