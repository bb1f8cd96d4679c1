"""Quantiles are those of SciPy."""

import pytest
from scipy import stats

from matchwise.corpus.quantiles import normal, normal_share, student

SHARES = [0.0005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.995, 0.9995]


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 30, 99, 400, 999, 1000, 10**6])
def test_students_quantiles_are_those_of_scipy(freedom: int) -> None:
    found = [student(share, freedom) for share in SHARES]
    assert found == pytest.approx([float(stats.t.ppf(share, freedom)) for share in SHARES], rel=1e-11, abs=1e-12)


def test_normal_quantiles_are_those_of_scipy() -> None:
    assert [normal(share) for share in SHARES] == pytest.approx(stats.norm.ppf(SHARES).tolist(), rel=1e-12, abs=1e-15)
    assert [normal_share(z) for z in (-3, -1, 0, 2)] == pytest.approx(stats.norm.cdf([-3, -1, 0, 2]).tolist(), rel=1e-9)
