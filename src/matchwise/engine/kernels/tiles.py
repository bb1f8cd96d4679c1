"""All pairs of two lists of collections at once: shared elements by one product, matchings by blocks of one matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]

DISTINCT = 4
"""Up to this many rows, the best column of each is often another: then no assignment has to be solved."""


def count_shared(mine: tuple[Integers, Floats], theirs: tuple[Integers, Floats], codes: int, starts: Any) -> Floats:
    """Σ_k a_k · b_k of every two sparse rows, given as codes and weights; `starts` has the offsets of each side."""
    from scipy.sparse import csr_array

    left, right = (
        csr_array((weights, places, offsets), shape=(len(offsets) - 1, codes))
        for (places, weights), offsets in zip((mine, theirs), starts, strict=True)
    )
    made: Floats = (left @ right.T).toarray()
    return made


def block_totals(match: str, cells: Floats, rows: Integers, columns: Integers) -> Floats:
    """Σ^◇ of every two collections; those of owner i are cells[rows[i]:rows[i + 1]], and likewise the columns."""
    sizes, widths = np.diff(rows), np.diff(columns)
    made = np.zeros((len(sizes), len(widths)))
    some, others = sizes.nonzero()[0], widths.nonzero()[0]
    if not len(some) or not len(others):
        return made
    where = np.ix_(some, others)
    tops, lefts = rows[:-1][some], columns[:-1][others]
    if match == "N:N":
        made[where] = np.add.reduceat(np.add.reduceat(cells, tops, axis=0), lefts, axis=1)
    elif match == "N:1":
        made[where] = np.add.reduceat(np.maximum.reduceat(cells, lefts, axis=1), tops, axis=0)
    elif match == "1:N":
        made[where] = np.add.reduceat(np.maximum.reduceat(cells, tops, axis=0), lefts, axis=1)
    else:
        for a in np.unique(sizes[some]):
            for b in np.unique(widths[others]):
                i, j = (sizes == a).nonzero()[0], (widths == b).nonzero()[0]
                made[np.ix_(i, j)] = _assigned(cells, rows[i], int(a), columns[j], int(b))
    return made


def _assigned(cells: Floats, tops: Integers, a: int, lefts: Integers, b: int) -> Floats:
    """The best 1:1 totals of the blocks of one shape."""
    places = (tops[:, None] + np.arange(a)).ravel(), (lefts[:, None] + np.arange(b)).ravel()
    blocks = cells[np.ix_(*places)].reshape(len(tops), a, len(lefts), b)
    blocks = blocks.transpose((0, 2, 1, 3) if a <= b else (0, 2, 3, 1)).reshape(-1, min(a, b), max(a, b))
    if min(a, b) == 1:
        totals: Floats = blocks.max(axis=2)[:, 0]
    else:
        totals = _best_totals(np.ascontiguousarray(blocks))
    return totals.reshape(len(tops), len(lefts))


def _best_totals(blocks: Floats) -> Floats:
    """The best total of each block, which has no more rows than columns."""
    from scipy.optimize import linear_sum_assignment

    number, height, _ = blocks.shape
    best = blocks.argmax(axis=2)
    unclear = np.arange(number)
    if height <= DISTINCT:
        ordered = np.sort(best, axis=1)
        unclear = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1).nonzero()[0]
    for place in unclear.tolist():
        best[place] = linear_sum_assignment(blocks[place], True)[1]
    totals: Floats = np.take_along_axis(blocks, best[:, :, None], axis=2)[:, :, 0].sum(axis=1)
    return totals
