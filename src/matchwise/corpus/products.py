"""Weighted sums of rows that have the same bits on every machine.

How BLAS rounds a product depends on the kernel that it picks for the processor. Sums of whole numbers below 2⁵³ are
never rounded, so rows are cut into two slices of whole multiples of a power of 2, whose sums are exact. Adding up the
two is the only rounding.

>>> import numpy as np
>>> weighted_sums(np.array([[1, 2], [0, 3]]), np.array([[0.1], [0.2]])).tolist()
[[0.5], [0.6000000000000001]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matchwise.corpus.statistic import Array

BITS = 53
SLICES = 2
"""The second slice has the bits that the first has no room for; what is left then is far below the last bit."""


def weighted_sums(weights: NDArray[Any], rows: Array) -> Array:
    """weights @ rows, where the weights are whole numbers ≥ 0."""
    import numpy as np

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
