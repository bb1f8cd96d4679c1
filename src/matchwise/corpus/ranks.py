"""Each document as a ranking: P@k, R@k, nDCG and mean average precision, averaged over documents.

Elements of equal confidence share what they add equally, which is the mean over all orders of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from matchwise.corpus.ranking import Ranked
from matchwise.errors import DataError, MatchwiseError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matchwise.corpus.statistic import Array


class Ranks:
    """The elements of each document by falling confidence, document after document."""

    def __init__(self, ranked: Ranked) -> None:
        order = np.argsort(ranked.document, kind="stable")
        self.ranked = ranked
        self.document = ranked.document[order]
        confidence = ranked.confidence[order]
        starts = np.searchsorted(self.document, np.arange(len(ranked.ids)))
        self.rank = np.arange(len(order)) - starts[self.document]
        """From 0, in the document."""
        new = np.ones(len(order), dtype=bool)
        new[1:] = (self.document[1:] != self.document[:-1]) | (confidence[1:] != confidence[:-1])
        self.group = new.cumsum() - 1
        """Elements of one document with equal confidence."""
        self.gain = ranked.gain[order]
        self.worth = ranked.worth[order]

    @cached_property
    def shared(self) -> Array:
        """What each element adds; elements of equal confidence share it equally."""
        return self._mean_by_group(self.gain)

    def _mean_by_group(self, column: Array) -> Array:
        if not len(column):
            return column
        sums, sizes = np.bincount(self.group, column), np.bincount(self.group)
        means: Array = sums / sizes
        shared: Array = means[self.group]
        return shared

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """The documents that have a reference."""
        return self.ranked.reference > 0

    def _by_document(self, column: Array) -> Array:
        return np.bincount(self.document, column, minlength=len(self.ranked.ids)).astype(np.float64)

    def precision_at(self, k: int) -> float:
        _check(k)
        self.ranked.check_elements("precision_at(k)")
        return float((self._by_document(self.shared * (self.rank < k)) / k).mean())

    def recall_at(self, k: int) -> float:
        _check(k)
        found = self._found()
        return float((self._by_document(self.shared * (self.rank < k))[found] / self.ranked.reference[found]).mean())

    def ndcg(self, k: int | None = None) -> float:
        if k is not None:
            _check(k)
        self.ranked.check_elements("ndcg()")
        found = self._found()
        discounts = 1 / np.log2(self.rank + 2.0)
        if k is not None:
            discounts = discounts * (self.rank < k)
        gained = self._by_document(self.shared * discounts)
        return float((gained[found] / self._ideal(k)[found]).mean())

    def _ideal(self, k: int | None) -> Array:
        """The DCG of all references, the worthiest first."""
        made = np.zeros(len(self.ranked.ids))
        for document, worths in enumerate(self.ranked.reference_worths):
            best = np.sort(worths)[::-1][:k]
            made[document] = (best / np.log2(np.arange(len(best)) + 2.0)).sum()
        return made

    def mean_average_precision(self) -> float:
        found = self._found()
        if not len(self.group):
            return 0.0
        last = np.append(self.group[1:] != self.group[:-1], True)
        before = np.concatenate([[0.0], self.gain.cumsum()])
        size = np.concatenate([[0.0], self.worth.cumsum()])
        starts = np.searchsorted(self.document, self.document)
        matched, predicted = before[1:] - before[starts], size[1:] - size[starts]
        precision = np.divide(matched, predicted, out=np.zeros(len(matched)), where=predicted != 0)
        gained = np.bincount(self.group, self.gain)
        area = np.bincount(self.document[last], gained * precision[last], minlength=len(self.ranked.ids))
        return float((area[found] / self.ranked.reference[found]).mean())

    def _found(self) -> NDArray[np.bool_]:
        if not self.found.any():
            raise DataError("no document has anything in its reference, and so no recall or nDCG")
        return self.found


def _check(k: object) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise MatchwiseError(f"k={k!r}; write a whole number from 1")
