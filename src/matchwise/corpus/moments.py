"""The delta method: the variance of a value from second moments of its forms, (n, Σx, Σxxᵀ), which add up over shards.

    value = f(S),  S = Σ x_i        Var[f(S)] ≈ n / (n − 1) · Σ (∇f · (x_i − x̄))²

A value between 0 and 1 gets its interval on the logit scale, which keeps it inside and follows the skew near 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import TYPE_CHECKING

from matchwise.corpus.quantiles import student
from matchwise.corpus.statistic import Statistic

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

ENOUGH = 10
"""Units below which no interval is given: too few to estimate a variance from."""

HALF_AN_ERROR = (0.0, 0.5, 0.0, 0.5)
HALF_A_MATCH = (0.5, 0.5, 0.5, 0.5)
"""Half an item that is wrong, half one that is right: matched, predicted, recalled, reference."""


@dataclass(frozen=True, eq=False)
class Moments:
    """n units, the sums of their forms and of the products of these; moments of shards add up to those of the whole."""

    n: int
    sums: Array
    squares: Array

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n + other.n, self.sums + other.sums, self.squares + other.squares)

    def variance(self, gradient: Array) -> float:
        """Of the value whose gradient it is; 0 where no two units differ."""
        if self.n < 2:
            return 0.0
        spread = gradient @ self.squares @ gradient - (gradient @ self.sums) ** 2 / self.n
        return max(float(spread), 0.0) * self.n / (self.n - 1)


def moments(forms: Array, *, zeros: bool = False) -> Moments:
    """The moments of rows of forms. A row of zeros is no unit, unless `zeros` say something, as they do of a total."""
    n = len(forms) if zeros else int(forms.any(axis=1).sum())
    return Moments(n, forms.sum(axis=0), forms.T @ forms)


def logit_interval(statistic: Statistic, moments: Moments, level: float) -> tuple[float, float]:
    """The interval of a value between 0 and 1: logit(value) ± t · se / (value · (1 − value)).

    At exactly 0 or 1 no unit differs from another and the variance is 0: half an item of the other kind is added.
    """
    value = float(statistic.of(moments.sums))
    end = value if value in (0.0, 1.0) else None
    if end is not None:
        moments = _with_half_an_item(statistic, moments, HALF_AN_ERROR if end else HALF_A_MATCH)
        value = float(statistic.of(moments.sums))
    if not 0 < value < 1:
        return value, value
    margin = _margin(statistic.gradient(moments.sums), moments, level) / (value * (1 - value))
    middle = log(value / (1 - value))
    low, high = _expit(middle - margin), _expit(middle + margin)
    return (0.0 if end == 0 else low), (1.0 if end == 1 else high)


def plain_interval(value: float, gradient: Array, moments: Moments, level: float) -> tuple[float, float]:
    """value ± t · se: of a total, a difference, or a score that may exceed 1."""
    margin = _margin(gradient, moments, level)
    return value - margin, value + margin


def _margin(gradient: Array, moments: Moments, level: float) -> float:
    return student((1 + level) / 2, moments.n - 1) * sqrt(moments.variance(gradient))


def _with_half_an_item(statistic: Statistic, moments: Moments, item: tuple[float, ...]) -> Moments:
    import numpy as np

    columns = 1 + max(column for form in statistic.forms for column, _ in form)
    row = statistic.project(np.resize(np.array(item), columns))
    return Moments(moments.n, moments.sums + row, moments.squares + np.outer(row, row))


def _expit(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))
