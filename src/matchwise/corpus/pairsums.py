"""Sums over all pairs of elements (N:N), as the predictions grow by one element at a time.

Under N:N every pair counts, so that an element adds all that it is similar to, and the predictions are worth Σ φ(p, p')
over all pairs of them: the one that comes later adds its pairs with the earlier ones, in both directions, and with
itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from matchwise.algebra.nodes import Overlap
from matchwise.corpus.augmentation import Grown
from matchwise.corpus.elements import Compared, compare_elements

if TYPE_CHECKING:
    from matchwise.corpus.elements import Integers
    from matchwise.corpus.statistic import Array


class Within(NamedTuple):
    """Compare the elements of each side with each other."""

    pred: Compared
    ref: Compared


def compare_within(sigma: Overlap, preds: list[Any], refs: list[Any]) -> Within:
    return Within(compare_elements(sigma, preds, preds), compare_elements(sigma, refs, refs))


def grow_pairs(compared: Compared, within: Within, order: Integers) -> tuple[Compared, Grown]:
    """What each element adds to the pairs of both sides, and (its worth) to the pairs of its own side."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    pred = replace(compared.pred, worth=_later_sums(within.pred, rank).tolist())
    ref = replace(compared.ref, worth=_row_sums(within.ref).tolist())
    gains = _row_sums(compared)
    return compared._replace(pred=pred, ref=ref), Grown(gains, gains)


def _row_sums(compared: Compared) -> Array:
    """For each element, what it is similar to on the other side."""
    if compared.keys is not None:
        mine, theirs = compared.keys
        often = Counter(theirs)
        return np.array([often[key] for key in mine], dtype=float)
    cells = compared.cells
    assert cells is not None, "elements have keys or cells"
    return np.bincount(cells.rows, cells.weights, len(compared.pred.items)).astype(float)


def _later_sums(within: Compared, rank: Integers) -> Array:
    """For each element, its pairs with itself and with the elements that come before it."""
    if within.keys is not None:
        seen: Counter[Hashable] = Counter()
        made = np.zeros(len(rank))
        for place in np.argsort(rank).tolist():
            key = within.keys[0][place]
            made[place] = 2 * seen[key] + 1
            seen[key] += 1
        return made
    cells = within.cells
    assert cells is not None, "elements have keys or cells"
    later = np.where(rank[cells.rows] >= rank[cells.columns], cells.rows, cells.columns)
    return np.bincount(later, cells.weights, len(rank)).astype(float)
