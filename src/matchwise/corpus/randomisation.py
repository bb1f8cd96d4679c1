"""Approximate randomisation: how often would two systems differ as much, were each document's two outputs exchanged?

If the systems are equally good, which of them gave which output is chance (Noreen 1989; Yeh 2000). The p-value is
(1 + exchanges that differ at least as much) / (1 + exchanges tried), which is never 0; counting only those that differ
*more* would reject true hypotheses too often on small corpora. A document on which the systems agree changes nothing
and is left out; where few are left, every exchange is tried and the p-value is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matchwise.corpus.bootstrap import KINDS, Value, blocks, unique_rows
from matchwise.corpus.products import weighted_sums

if TYPE_CHECKING:
    import numpy as np

    from matchwise.corpus.statistic import Array

TIE = 1e-12
"""Differences closer than this are equal: sums of fractions are rounded in another order."""


def p_values(values: Sequence[Value], first: Array, second: Array, resamples: int, seed: int) -> list[float]:
    """For each value, the two-sided p-value of its difference between two systems, given their forms, unit by unit."""
    import numpy as np

    apart = first - second
    apart = apart[apart.any(axis=1)]
    one, other = first.sum(axis=0), second.sum(axis=0)
    observed = [abs(float(value(one) - value(other))) for value in values]
    exact = len(apart) < 63 and 2 ** len(apart) <= resamples
    moved = _every_exchange(apart) if exact else _some_exchanges(apart, resamples, seed)
    found = []
    for value, difference in zip(values, observed, strict=True):
        a, b = value(one - moved), value(other + moved)
        room = TIE * max(1.0, float(np.abs(a).max()), float(np.abs(b).max()))
        as_much = int((np.abs(a - b) >= difference - room).sum())
        found.append(as_much / len(moved) if exact else (1 + as_much) / (1 + len(moved)))
    return found


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


def _every_exchange(apart: Array) -> Array:
    import numpy as np

    moved = np.zeros((1, apart.shape[1]))
    for row in apart:
        moved = np.concatenate([moved, moved + row])
    return moved


def _some_exchanges(apart: Array, resamples: int, seed: int) -> Array:
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(seed))
    kinds, often = unique_rows(apart)
    if len(kinds) * KINDS <= len(apart):
        return _exchange_kinds(kinds, often, resamples, rng)
    # Whole numbers below 2²⁴ are exact in single precision, at twice the speed.
    small = bool((apart == np.floor(apart)).all()) and float(np.abs(apart).sum(axis=0).max()) < 2**24
    single = apart.astype(np.float32)
    moved = np.empty((resamples, apart.shape[1]))
    for some in blocks(resamples, len(apart)):
        drawn = rng.bytes((some.stop - some.start) * (-(-len(apart) // 8)))
        bits = np.frombuffer(drawn, dtype=np.uint8).reshape(some.stop - some.start, -1)
        taken = np.unpackbits(bits, axis=1, count=len(apart))
        moved[some] = taken.astype(np.float32) @ single if small else weighted_sums(taken, apart)
    return moved


def _exchange_kinds(kinds: Array, often: Array, resamples: int, rng: np.random.Generator) -> Array:
    """Of m documents of one kind a binomial number is exchanged."""
    import numpy as np

    moved = np.empty((resamples, kinds.shape[1]))
    for some in blocks(resamples, len(kinds)):
        size = (some.stop - some.start, len(kinds))
        moved[some] = weighted_sums(rng.binomial(often.astype(np.int64), 0.5, size=size), kinds)
    return moved
