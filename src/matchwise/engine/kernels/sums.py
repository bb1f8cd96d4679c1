"""Sums by owner, over arrays, each rounded once."""

from __future__ import annotations

from math import fsum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[Any]

FINE = 1024
"""Sums of multiples of 1 / 1024 are exact in any order."""


def sum_by(owners: Vector, values: Vector, n: int) -> Vector:
    if not len(values):
        return np.zeros(n)
    rough = values * FINE % 1 != 0
    if not rough.any():
        return np.bincount(owners, weights=values, minlength=n).astype(np.float64, copy=False)
    order = None if (owners[1:] >= owners[:-1]).all() else np.argsort(owners, kind="stable")
    if order is not None:
        owners, values = owners[order], values[order]
    made = np.zeros(n)
    ends = np.searchsorted(owners, np.arange(n + 1))
    several = np.flatnonzero(np.diff(ends) > 1).tolist()
    made[owners] = values
    numbers, bounds = values.tolist(), ends.tolist()
    for owner in several:
        made[owner] = fsum(numbers[bounds[owner] : bounds[owner + 1]])
    return made
