"""How much a value would vary over other corpora: by second moments (the delta method), or by corpora drawn at random.

    value = f(S),  S = Σ x_i        Var[f(S)] ≈ n / (n − 1) · Σ (∇f · (x_i − x̄))²

Moments (n, Σx, Σxxᵀ) are exact fractions. Σxxᵀ and SSᵀ / n are nearly equal: their difference
would be mostly rounding, and the rounding would depend on the BLAS kernel of the machine and on how the corpus was
split. A value between 0 and 1 gets its interval on the logit scale, which keeps it inside and follows the skew near 1.

Corpora are drawn for intervals (bootstrap) and exchanged for p-values (randomisation). Their sums are exact where that
is possible, and have the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import exp, inf, lgamma, log, log1p, pi, sqrt
from operator import lshift, mul
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.arrays import Floats
from matchwise.corpus.counts import Expansion, Reading, exact_total
from matchwise.corpus.statistic import MomentSums, Statistic, layout
from matchwise.corpus.suite import Derived

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Exact: TypeAlias = NDArray[Any]
    """An array of whole numbers and fractions."""

ENOUGH = 10
"""Units below which no interval is given: too few to estimate a variance from."""

BITS = 53
"""Bits of a float."""

HALF_AN_ERROR = (0.0, 0.5, 0.5, 0.0)
HALF_A_MATCH = (0.5, 0.5, 0.5, 0.5)
"""Half an item that is wrong, half one that is right: matched, predicted, reference, recalled."""


@dataclass(frozen=True, eq=False)
class Moments:
    """n units, the exact sums of their forms and of the products of these."""

    n: int
    sums: Exact
    squares: Exact

    @property
    def rounded(self) -> Floats:
        """The sums as floats, each rounded once."""
        return self.sums.astype(np.float64)

    def variance(self, gradient: Floats) -> float:
        """Variance of a value by the delta method, given its gradient: gᵀ Σ g."""
        if self.n < 2:
            return 0.0
        g = _fractions(gradient)
        spread = g @ self.squares @ g - (g @ self.sums) ** 2 / Fraction(self.n)
        return float(spread * self.n / (self.n - 1))


def moments(forms: Floats, *, zeros: bool = False) -> Moments:
    """The moments of rows of forms. A row of zeros does not count as a unit, unless `zeros` is true, as for a total."""
    n = len(forms) if zeros else int(forms.any(axis=1).sum())
    columns, unit = _whole_multiples(forms.T)
    squares = np.empty((len(columns), len(columns)), dtype=object)
    for i, j in combinations_with_replacement(range(len(columns)), 2):
        squares[i, j] = squares[j, i] = sum(map(mul, columns[i], columns[j])) * unit**2
    return Moments(n, np.array([sum(column) * unit for column in columns], dtype=object), squares)


def read_moments(
    spread: MomentSums, totals: Sequence[Expansion], readings: Mapping[str, Reading | Derived], one: Statistic
) -> tuple[Moments, bool]:
    """The moments of a score, and whether it is at most 1 in every document."""
    scored, pairs = layout(tuple(readings.items()))
    place = scored.index(one)
    sums = list(map(exact_total, totals))
    products = dict(zip(pairs, map(exact_total, spread.products), strict=True))
    forms = [[(column, Fraction(float(weight))) for column, weight in form] for form in one.forms]
    squares = [
        [sum(w * v * products[min(c, d), max(c, d)] for c, w in form for d, v in other) for other in forms]
        for form in forms
    ]
    made = Moments(
        spread.units[place],
        np.array([sum(w * sums[c] for c, w in form) for form in forms], dtype=object),
        np.array(squares, dtype=object),
    )
    return made, bool(one.ratios) and not spread.beyond[place]


def logit_interval(statistic: Statistic, moments: Moments, level: float) -> tuple[float, float]:
    """The interval of a value between 0 and 1: logit(value) ± t · se / (value · (1 − value)).

    At exactly 0 or 1 no unit differs from another and the variance is 0: half an item of the other kind is added.
    """
    value = float(statistic.of(moments.rounded))
    end = value if value in (0.0, 1.0) else None
    if end is not None:
        row = _fractions(half_an_item(statistic, end))
        moments = Moments(moments.n, moments.sums + row, moments.squares + np.outer(row, row))
        value = float(statistic.of(moments.rounded))
    return _on_the_logit_scale(value, _margin(statistic.gradient(moments.rounded), moments, level), end)


def wide_logit_interval(statistic: Statistic, forms: Floats, level: float) -> tuple[float, float]:
    """The same of a value of many forms: of each unit only its pull on the value is kept, ∇f · x."""
    n = int(forms.any(axis=1).sum())
    value = float(statistic.of(forms.sum(axis=0)))
    end = value if value in (0.0, 1.0) else None
    if end is not None:
        forms = np.vstack([forms, half_an_item(statistic, end)])
    sums = forms.sum(axis=0)
    seen = moments((forms * statistic.gradient(sums)).sum(axis=1, keepdims=True))
    margin = _margin(np.ones(1), Moments(n, seen.sums, seen.squares), level)
    return _on_the_logit_scale(float(statistic.of(sums)), margin, end)


def _on_the_logit_scale(value: float, margin: float, end: float | None) -> tuple[float, float]:
    if not 0 < value < 1:
        return value, value
    middle, margin = log(value / (1 - value)), margin / (value * (1 - value))
    low, high = _expit(middle - margin), _expit(middle + margin)
    return (0.0 if end == 0 else low), (1.0 if end == 1 else high)


def plain_interval(value: float, gradient: Floats, moments: Moments, level: float) -> tuple[float, float]:
    """value ± t · se: of a total, a difference, or a score that may exceed 1."""
    margin = _margin(gradient, moments, level)
    return value - margin, value + margin


def _margin(gradient: Floats, moments: Moments, level: float) -> float:
    return student((1 + level) / 2, moments.n - 1) * sqrt(moments.variance(gradient))


def half_an_item(statistic: Statistic, end: float) -> Floats:
    """The forms of half an item that is wrong, beside a value of 1, or of half one that is right."""
    columns = 1 + max(column for form in statistic.forms for column, _ in form)
    return statistic.project(np.resize(np.array(HALF_AN_ERROR if end else HALF_A_MATCH), columns))


def _fractions(numbers: Floats) -> Exact:
    return np.array([Fraction(number) for number in numbers.tolist()], dtype=object)


def _whole_multiples(columns: Floats) -> tuple[list[list[int]], Fraction]:
    """The numbers of columns as whole multiples of one power of 2, whose products lose nothing."""
    fractions, exponents = np.frexp(columns)
    whole, shifts = np.ldexp(fractions, BITS).astype(np.int64), exponents - exponents.min(initial=0)
    unit = Fraction(2) ** (int(exponents.min(initial=0)) - BITS)
    return [list(map(lshift, *pair)) for pair in zip(whole.tolist(), shifts.tolist(), strict=True)], unit


def _expit(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))


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
            d = 1 / (1 + term * d)
            c = 1 + term / c
            change = c * d
            value *= change
        if abs(change - 1) < 1e-16:
            return 1 / value
    return inf


Value: TypeAlias = "Callable[[Floats], Floats]"
"""From summed forms along the last axis to a value."""

BLOCK = 2_000_000
"""Numbers held at a time."""

KINDS = 20
"""Documents per kind from which drawing kinds is faster than drawing documents (measured)."""


def resample(forms: Floats, resamples: int, seed: int) -> Floats:
    """The summed forms of as many corpora drawn with replacement: resamples × forms."""
    rng = np.random.Generator(np.random.PCG64(seed))
    kinds, often = unique_rows(forms)
    if len(kinds) * KINDS <= len(forms):
        return _draw_kinds(kinds, often, resamples, rng)
    return _draw_documents(forms, resamples, rng)


def percentile_interval(replicates: Floats, level: float) -> tuple[float, float]:
    """The middle `level` of the values of the resamples."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bca_interval(value: Value, forms: Floats, replicates: Floats, level: float) -> tuple[float, float]:
    """The bias-corrected and accelerated interval (Efron 1987, eq. 2.3), the acceleration from the jackknife."""
    kinds, often = unique_rows(forms)
    sums = weighted_sums(often, kinds)
    estimate = float(value(sums))
    below = float((replicates < estimate).mean() + (replicates <= estimate).mean()) / 2
    if not 0 < below < 1:
        return percentile_interval(replicates, level)
    bias = normal(below)
    left_out = value(sums - kinds)
    apart = (often * left_out).sum() / often.sum() - left_out
    spread = float((often * apart * apart).sum())
    # x·x·x and not x³: NumPy's powers have other bits on processors with AVX-512.
    pull = float((often * apart * apart * apart).sum()) / (6 * spread**1.5) if spread else 0.0
    shares = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal(share)
        shares.append(normal_share(bias + z / (1 - pull * z)))
    low, high = np.quantile(replicates, shares)
    return float(low), float(high)


def unique_rows(rows: Floats) -> tuple[Floats, Floats]:
    """The distinct rows, sorted, and how often each occurs."""
    found, often = np.unique(rows, axis=0, return_counts=True)
    return found, often.astype(np.float64)


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Rows in blocks that hold a bounded amount of numbers."""
    size = max(1, BLOCK // max(width, 1))
    return (slice(first, min(first + size, rows)) for first in range(0, rows, size))


def _draw_kinds(kinds: Floats, often: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    n = int(often.sum())
    sums = np.empty((resamples, kinds.shape[1]))
    for some in blocks(resamples, len(kinds)):
        sums[some] = weighted_sums(rng.multinomial(n, often / n, size=some.stop - some.start), kinds)
    return sums


def _draw_documents(forms: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    n = len(forms)
    sums = np.empty((resamples, forms.shape[1]))
    for some in blocks(resamples, 20 * n):  # small blocks: what was drawn is read from the cache
        drawn = rng.integers(0, n, size=(some.stop - some.start, n))
        for place, column in enumerate(np.ascontiguousarray(forms.T)):
            sums[some, place] = column[drawn].sum(axis=1)
    return sums


TIE = 1e-12
"""Differences closer than this are equal: sums of fractions are rounded in another order."""


class Chance(NamedTuple):
    """How often exchanged systems differ at least as much as the real ones."""

    p: float
    exchanges: int
    exact: bool
    """All exchanges were tried, and not some at random."""


def p_value(value: Value, first: Floats, second: Floats, resamples: int, seed: int) -> Chance:
    """The two-sided p-value of the difference of a value between two systems, given its forms, unit by unit.

    It depends on these forms and the seed alone, and not on the order of the units.
    """
    apart = first - second
    apart = apart[apart.any(axis=1)]
    apart = apart[np.lexsort(apart.T)]
    one, other = first.sum(axis=0), second.sum(axis=0)
    difference = abs(float(value(one) - value(other)))
    exact = 2 ** len(apart) <= resamples
    moved = _every_exchange(apart) if exact else _some_exchanges(apart, resamples, seed)
    a, b = value(one - moved), value(other + moved)
    room = TIE * max(1.0, float(np.abs(a).max()), float(np.abs(b).max()))
    as_much = int((np.abs(a - b) >= difference - room).sum())
    return Chance(as_much / len(moved) if exact else (1 + as_much) / (1 + len(moved)), len(moved), exact)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) correction: p-values that hold for all hypotheses together.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    made = [1.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        made[place] = highest
    return made


def _every_exchange(apart: Floats) -> Floats:
    moved = np.zeros((1, apart.shape[1]))
    for row in apart:
        moved = np.concatenate([moved, moved + row])
    return moved


def _some_exchanges(apart: Floats, resamples: int, seed: int) -> Floats:
    rng = np.random.Generator(np.random.PCG64(seed))
    kinds, often = unique_rows(apart)
    moved = np.empty((resamples, apart.shape[1]))
    if len(kinds) * KINDS <= len(apart):  # a binomial number of the documents of each kind
        for some in blocks(resamples, len(kinds)):
            size = (some.stop - some.start, len(kinds))
            moved[some] = weighted_sums(rng.binomial(often.astype(np.int64), 0.5, size=size), kinds)
        return moved
    for some in blocks(resamples, len(apart)):
        drawn = rng.bytes((some.stop - some.start) * (-(-len(apart) // 8)))
        bits = np.frombuffer(drawn, dtype=np.uint8).reshape(some.stop - some.start, -1)
        taken = np.unpackbits(bits, axis=1, count=len(apart))
        moved[some] = weighted_sums(taken, apart)
    return moved


BITS = 53
SLICES = 2
"""The second slice has the bits that the first has no room for; what is left then is far below the last bit."""


def weighted_sums(weights: NDArray[Any], rows: Floats) -> Floats:
    """weights @ rows, where the weights are whole numbers ≥ 0."""
    weights = weights.astype(np.float64)
    most = float(weights.sum(axis=-1).max(initial=1))
    sums = np.zeros((*weights.shape[:-1], rows.shape[1]))
    for _ in range(SLICES):
        # frexp gives the power of 2 above the largest sum that a column can have.
        unit = np.ldexp(1.0, np.frexp(np.abs(rows).max(axis=0, initial=0) * most)[1] + 1 - BITS)
        part = np.rint(rows / unit) * unit
        sums += weights @ part
        rows = rows - part
        if not rows.any():
            break
    return sums
