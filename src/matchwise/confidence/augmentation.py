"""How much each predicted element of a ranking adds to the matching, and its share of the last one.

The optima of all beginnings of a ranking cost about as much as the last of them alone: adding an element to an optimal
matching takes one augmenting path (`Duals.add`).

Sums over all pairs of elements (N:N) grow likewise (`grow_pairs`). Every pair counts, so that an element adds all
that it is similar to, and the predictions are worth Σ φ(p, p') over all pairs of them: the one that comes later adds
its pairs with the earlier ones, in both directions, and with itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from itertools import repeat
from typing import Any, Literal, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Match
from matchwise.arrays import Floats, Integers
from matchwise.corpus.elements import Cells, Compared
from matchwise.engine.order import content_order
from matchwise.engine.solve.assignment import Duals

Assign: TypeAlias = Literal["optimal", "greedy"]


class AugmentedRows:
    """The pairs of each element, by element."""

    def __init__(self, cells: Cells, elements: int) -> None:
        order = np.argsort(cells.rows, kind="stable")
        self.columns = cells.columns[order]
        self.weights = cells.weights[order]
        self.starts: list[int] = np.searchsorted(cells.rows[order], np.arange(elements + 1)).tolist()

    def of(self, element: int) -> dict[int, float]:
        span = slice(self.starts[element], self.starts[element + 1])
        return dict(zip(self.columns[span].tolist(), self.weights[span].tolist(), strict=True))


def grow(match: Match, assign: Assign, compared: Compared, order: Integers) -> tuple[Floats, Floats]:
    """Add the elements of all documents in order: how much each adds, and its final share of the matching.

    Elements of two documents share no reference. `assign="greedy"` lets each element take the most similar reference
    that is left, and never gives it back.
    """
    elements = len(compared.pred.items)
    gains = np.zeros(elements)
    if compared.keys is not None:
        _take_equal(match, order, *compared.keys, gains)
        return gains, gains
    cells = compared.cells
    assert cells is not None
    if match == "N:1":
        np.maximum.at(gains, cells.rows, cells.weights)
        return gains, gains
    alone = np.bincount(cells.columns, minlength=len(compared.ref.items))[cells.columns] == 1
    if match == "1:1":
        alone &= np.bincount(cells.rows, minlength=elements)[cells.rows] == 1
    np.add.at(gains, cells.rows[alone], cells.weights[alone])  # no other pair contests these
    credits = gains.copy()
    if alone.all():
        return gains, credits
    contested = Cells(cells.rows[~alone], cells.columns[~alone], cells.weights[~alone])
    rows = AugmentedRows(_by_content(contested, compared.ref.items), elements)
    ranked = [i for i in order.tolist() if rows.starts[i] < rows.starts[i + 1]]
    if match == "1:N":
        _take_best(ranked, rows, gains, credits)
    elif assign == "greedy":
        _take_left(ranked, rows, gains, credits)
    else:
        _augment_all(ranked, rows, compared.pred.offsets, gains, credits)
    return gains, credits


def _by_content(cells: Cells, references: list[Any]) -> Cells:
    """Number the references by content, so that no tie is broken by the order of the input."""
    found, numbers = np.unique(cells.columns, return_inverse=True)
    rank = np.empty(len(found), dtype=np.int64)
    rank[content_order([references[place] for place in found.tolist()])] = np.arange(len(found))
    columns = rank[numbers]
    order = np.argsort(columns, kind="stable")
    return Cells(cells.rows[order], columns[order], cells.weights[order])


def _take_equal(match: Match, order: Integers, mine: list[Hashable], theirs: list[Hashable], made: Floats) -> None:
    """For equality: elements take equal references until none is left."""
    codes = {key: number for number, key in enumerate(dict.fromkeys(theirs))}
    often = np.bincount(np.array(list(map(codes.__getitem__, theirs)), dtype=np.int64), minlength=len(codes))
    found = np.array(list(map(codes.get, mine, repeat(-1))), dtype=np.int64)[order]
    places = np.flatnonzero(found >= 0)
    places = places[np.argsort(found[places], kind="stable")]
    equal = found[places]
    before = np.arange(len(equal)) - np.searchsorted(equal, equal)
    if match == "1:N":
        gains = np.where(before == 0, often[equal], 0)
    else:
        gains = np.ones(len(equal)) if match == "N:1" else before < often[equal]
    made[order[places]] = gains


def _take_best(ranked: list[int], rows: AugmentedRows, gains: Floats, credits: Floats) -> None:
    """For 1:N: a reference counts with the most similar element so far."""
    best: dict[int, tuple[float, int]] = {}
    for i in ranked:
        for j, w in rows.of(i).items():
            before = best.get(j, (0.0, -1))[0]
            if w > before:
                gains[i] += w - before
                best[j] = w, i
    for w, i in best.values():
        credits[i] += w


def _take_left(ranked: list[int], rows: AugmentedRows, gains: Floats, credits: Floats) -> None:
    taken: set[int] = set()
    for i in ranked:
        free = [(w, -j) for j, w in rows.of(i).items() if j not in taken]
        if free:
            w, j = max(free)
            taken.add(-j)
            gains[i] = credits[i] = w


def _augment_all(ranked: list[int], rows: AugmentedRows, offsets: list[int], gains: Floats, credits: Floats) -> None:
    """The optimal matching, document by document."""
    by_document: dict[int, list[int]] = {}
    for i in ranked:
        by_document.setdefault(bisect_right(offsets, i), []).append(i)
    for some in by_document.values():
        mine = [rows.of(i) for i in some]
        numbers = {j: number for number, j in enumerate(sorted({j for row in mine for j in row}))}
        growing = Duals([{numbers[j]: w for j, w in row.items()} for row in mine])
        gains[some] = [growing.add(place) for place in range(len(some))]
        credits[some] = [0 if j is None else row[j] for row, j in zip(growing.table, growing.column_of, strict=True)]


Within: TypeAlias = tuple[Compared, Compared]
"""The elements of each side compared with each other."""


def grow_pairs(compared: Compared, within: Within, order: Integers) -> tuple[Compared, Floats]:
    """What each element adds to the pairs of both sides, and (its worth) to the pairs of its own side."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    pred = replace(compared.pred, worth=_later_sums(within[0], rank).tolist())
    ref = replace(compared.ref, worth=_row_sums(within[1]).tolist())
    return compared._replace(pred=pred, ref=ref), _row_sums(compared)


def _row_sums(compared: Compared) -> Floats:
    """For each element, what it is similar to on the other side."""
    if compared.keys is not None:
        mine, theirs = compared.keys
        often = Counter(theirs)
        return np.array([often[key] for key in mine], dtype=float)
    cells = compared.cells
    assert cells is not None, "elements have keys or cells"
    return np.bincount(cells.rows, cells.weights, len(compared.pred.items)).astype(float)


def _later_sums(within: Compared, rank: Integers) -> Floats:
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
