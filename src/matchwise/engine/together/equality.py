"""Equal elements of each document, in all documents at once: Σ^◇[δ] by one join of codes."""

from __future__ import annotations

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.columns import owners_of
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.parts import Flat
from matchwise.engine.together.codes import Codes, codes


class Equality:
    """Two sides whose elements are equal when document and key are."""

    def __init__(self, operator: Discrete, p: Flat, r: Flat) -> None:
        self.documents = len(p.offsets) - 1
        mine, theirs = codes(operator, p.parts, r.parts)
        self.width = 1 + max(mine.max(initial=0), theirs.max(initial=0))
        self.owners = owners_of(p.offsets)
        self.mine, self.theirs = self.owners * self.width + mine, owners_of(r.offsets) * self.width + theirs

    def pairs(self) -> tuple[Codes, Codes] | None:
        """The pairs of equal elements in order; None if an element is twice in a document."""
        rows, columns, repeating = self.single_pairs()
        return None if len(repeating) else (rows, columns)

    def single_pairs(self) -> tuple[Codes, Codes, Codes]:
        """Those of documents that have no element twice, and the other documents."""
        import numpy as np

        order = np.argsort(self.theirs)
        there = self.theirs[order]
        repeating = np.unique(np.concatenate((_repeated(there), _repeated(np.sort(self.mine)))) // self.width)
        if not len(there):
            return there, there, repeating
        at = np.minimum(np.searchsorted(there, self.mine), len(there) - 1)
        equal = there[at] == self.mine
        if len(repeating):
            equal &= ~np.isin(self.owners, repeating)
        rows = np.nonzero(equal)[0]
        return rows, order[at[rows]], repeating

    def totals(self, match: Match) -> list[Number]:
        """Σ of each document."""
        import numpy as np

        both = np.sort(np.concatenate((self.mine * 2, self.theirs * 2 + 1)))
        key = both >> 1
        first = np.flatnonzero(np.diff(key, prepend=-1))  # of each run of equal elements
        theirs = np.add.reduceat(both & 1, first)
        mine = np.diff(first, append=len(both)) - theirs
        match match:
            case "1:1":
                amounts = np.minimum(mine, theirs)
            case "N:1":
                amounts = mine * (theirs > 0)
            case "1:N":
                amounts = theirs * (mine > 0)
            case "N:N":
                amounts = mine * theirs
        sums = np.bincount(key[first] // self.width, weights=amounts, minlength=self.documents)
        found: list[Number] = sums.astype(np.intp).tolist()
        return found


def _repeated(ordered: Codes) -> Codes:
    repeated: Codes = ordered[1:][ordered[1:] == ordered[:-1]]
    return repeated
