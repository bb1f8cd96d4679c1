"""Quantiles of the normal and of Student's t distribution, without the second that importing scipy.stats takes.

>>> round(normal(0.975), 6), round(student(0.975, 9), 6)
(1.959964, 2.262157)
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi
from statistics import NormalDist

LARGE = 1000
"""Degrees of freedom from which the expansion is exact to 13 digits, while lgamma begins to lose some."""

STEPS = 60

normal = NormalDist().inv_cdf
"""The quantile of the standard normal distribution."""

normal_share = NormalDist().cdf
"""The share of the standard normal distribution that lies below a value."""


@lru_cache(maxsize=4096)
def student(share: float, freedom: float) -> float:
    """The value below which a `share` of Student's t distribution lies, by Newton's method from the expansion."""
    if share < 0.5:
        return -student(1 - share, freedom)
    value = _expansion(normal(share), freedom)
    if freedom >= LARGE:
        return value
    for _ in range(STEPS):
        step = (1 - _above(value, freedom) - share) / _density(value, freedom)
        value = max(value - step, 0.0)
        if abs(step) <= 1e-14 * value:
            break
    return value


def _expansion(z: float, freedom: float) -> float:
    """Abramowitz and Stegun (1964), 26.7.5: t = z + g₁/ν + g₂/ν² + g₃/ν³ + g₄/ν⁴ + O(ν⁻⁵)."""
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    g4 = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + g1 / freedom + g2 / freedom**2 + g3 / freedom**3 + g4 / freedom**4


def _density(t: float, freedom: float) -> float:
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(scale - (freedom + 1) / 2 * log1p(t * t / freedom))


def _above(t: float, freedom: float) -> float:
    """The share above t ≥ 0: half of the regularised incomplete beta function I_x(ν/2, 1/2) at x = ν / (ν + t²)."""
    x = freedom / (freedom + t * t)
    a, b = freedom / 2, 0.5
    front = exp(a * log(x) + b * log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)) if x < 1 else 0.0
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a / 2
    return (1 - front * _fraction(b, a, 1 - x) / b) / 2


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    for m in range(10_000):
        for term in (
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
            (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2)),
        ):
            d = 1 / ((1 + term * d) or 1e-300)
            c = (1 + term / c) or 1e-300
            change = c * d
            value *= change
        if abs(change - 1) < 1e-16:
            return 1 / value
    return inf
