"""Resampling: corpora that are drawn or exchanged at random, for intervals (bootstrap) and p-values (randomisation).

Exact where that is possible: sums have the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.arrays import Floats
from matchwise.statistics.moments import normal, normal_share

if TYPE_CHECKING:
    from numpy.typing import NDArray


Value: TypeAlias = "Callable[[Floats], Floats]"
"""From summed forms along the last axis to a value."""

BLOCK = 2_000_000
"""Numbers held at a time."""

KINDS = 20
"""Documents per kind from which drawing kinds is faster than drawing documents (measured)."""

WORD = 62
"""Bits of a word that may number rows."""


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
    """The distinct rows and how often each occurs; several times as fast as np.unique(axis=0)."""
    code = np.zeros(len(rows), dtype=np.int64)
    size = 1
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        if size * len(values) > 2**WORD:
            known, code = np.unique(code, return_inverse=True)
            size = len(known)
        code = code * len(values) + place
        size *= len(values)
    _, first, often = np.unique(code, return_index=True, return_counts=True)
    return rows[first], often.astype(np.float64)


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
    if len(kinds) * KINDS <= len(apart):
        return _exchange_kinds(kinds, often, resamples, rng)
    moved = np.empty((resamples, apart.shape[1]))
    for some in blocks(resamples, len(apart)):
        drawn = rng.bytes((some.stop - some.start) * (-(-len(apart) // 8)))
        bits = np.frombuffer(drawn, dtype=np.uint8).reshape(some.stop - some.start, -1)
        taken = np.unpackbits(bits, axis=1, count=len(apart))
        moved[some] = weighted_sums(taken, apart)
    return moved


def _exchange_kinds(kinds: Floats, often: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Exchange a binomial number of the m documents of each kind."""
    moved = np.empty((resamples, kinds.shape[1]))
    for some in blocks(resamples, len(kinds)):
        size = (some.stop - some.start, len(kinds))
        moved[some] = weighted_sums(rng.binomial(often.astype(np.int64), 0.5, size=size), kinds)
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
