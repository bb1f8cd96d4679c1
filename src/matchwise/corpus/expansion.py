"""Sums that are never rounded: an *expansion* is a few floats, the largest first, that add up to it (Shewchuk 1997).

It is determined by the sum alone: shards give the floats that one run gives.

>>> expansion([0.1] * 10), expansion([0.1] * 3 + [0.1] * 7) == expansion([0.1] * 10)
((1.0, 5.551115123125783e-17), True)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from math import frexp, fsum, isfinite
from typing import Any, TypeAlias, TypeVar

import numpy as np

Expansion: TypeAlias = tuple[float, ...]


def expansion(numbers: Iterable[float]) -> Expansion:
    """Σ numbers, exactly: each float is what the ones before it leave, rounded."""
    left = list(numbers) if isinstance(numbers, _PLAIN) else _add_exactly(numbers)
    found: list[float] = []
    while rest := fsum(left):
        found.append(rest)
        if not isfinite(rest):
            break
        left.append(-rest)
    return tuple(found)


_PLAIN = (list, tuple, array, Iterator)

AT_ONCE = 1 << 17
"""Numbers that are added at once: whole numbers up to 2³⁵, so that their sum is below 2⁵³ and not rounded."""


FEW = 1024
"""Numbers that are added one by one: below it, a call of NumPy costs more than it saves."""


def _add_exactly(numbers: Any) -> list[float]:
    """A few floats with the sum of an array: each number is split into two multiples of powers of 2, if it can be."""
    if len(numbers) < FEW:
        return list(numbers.tolist())
    found: list[float] = []
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        largest = float(np.abs(some).max(initial=1.0))
        if largest < 2.0**60:  # which is neither infinite nor not a number
            unit = 2.0 ** (frexp(largest)[1] - 35)
            small = unit * 2.0**-36
            high = np.rint(some / unit)
            low = (some - high * unit) / small
            if (np.rint(low) == low).all():
                found += (float(high.sum()) * unit, float(low.sum()) * small)
                continue
        found += some.tolist()
    return found


Numbers = TypeVar("Numbers", float, "Any")

SPLITTER = 2.0**27 + 1


def exact_product(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """x · y as a rounded product and the rest, exactly (Dekker 1971); of numbers or of arrays.

    >>> exact_product(0.1, 3.0)
    (0.30000000000000004, -2.7755575615628914e-17)
    """
    product = x * y
    (x1, x2), (y1, y2) = _halves(x), _halves(y)
    return product, x2 * y2 - (((product - x1 * y1) - x2 * y1) - x1 * y2)


def _halves(x: Any) -> tuple[Any, Any]:
    """Two numbers of 26 bits that add up to x."""
    scaled = SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high
