"""Quantities by label: a cell for each label of each document of a batch."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Number, Selector
from matchwise.engine.columns import owners_of
from matchwise.engine.parts import Flat
from matchwise.engine.solvers.matching import exact_sums
from matchwise.engine.together.codes import Codes, label_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Column: TypeAlias = list[Number]


class ByLabel(NamedTuple):
    """One label: the documents that have it, and the quantities of each."""

    label: Hashable
    documents: list[int]
    matched: Sequence[Number]
    predicted: Sequence[Number]
    recalled: Sequence[Number]
    reference: Sequence[Number]


class Cells:
    """A cell for each label of each document, those of one label together."""

    def __init__(self, p: Flat, r: Flat, sel: Selector) -> None:
        import numpy as np

        names, mine, theirs = label_codes(sel, p.parts, r.parts)
        number = len(names[0])
        documents, of_p, of_r = len(p.offsets) - 1, owners_of(p.offsets), owners_of(r.offsets)
        distinct, places = np.unique(
            np.concatenate((mine * documents + of_p, theirs * documents + of_r)), return_inverse=True
        )
        self.mine: Codes = places[: len(mine)]
        self.theirs: Codes = places[len(mine) :]
        """The cell that each element belongs to."""
        self.size = len(distinct)
        met = np.full((2, number), np.iinfo(np.intp).max)
        for side, (codes, of) in enumerate(((mine, of_p), (theirs, of_r))):
            met[side, codes[::-1]] = ((2 * of + side) * (len(places) + 1) + np.arange(len(of)))[::-1]
        ends = np.searchsorted(distinct, np.arange(number + 1) * documents).tolist()
        of = (distinct % max(documents, 1)).tolist()
        order, first = np.argsort(met.min(axis=0)), met.argmin(axis=0).tolist()
        several = ((names[first[name]][name], ends[name], ends[name + 1]) for name in order.tolist())
        self.labels = [(label, slice(a, b), of[a:b]) for label, a, b in several if a < b]
        """The labels in the order in which documents bring them, each with its cells and their documents."""

    def total(self, cells: Codes, amounts: NDArray[np.float64] | Column | None = None) -> Column:
        """The amounts of the elements of each cell, by default how many there are; rounded once."""
        import numpy as np

        if amounts is None or (isinstance(amounts, list) and amounts.count(1) == len(amounts)):
            made: Column = np.bincount(cells, minlength=self.size).tolist()
            return made
        weights = np.asarray(amounts, dtype=np.float64)
        if (weights == np.rint(weights)).all():
            made = np.bincount(cells, weights=weights, minlength=self.size).astype(np.int64).tolist()
            return made
        order = np.argsort(cells, kind="stable")
        ends = np.searchsorted(cells[order], np.arange(self.size + 1)).tolist()
        return exact_sums(weights[order].tolist(), ends)
