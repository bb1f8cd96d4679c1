"""Similarities whose optimum is searched for, one pair of objects at a time, between bounds."""

from __future__ import annotations

from abc import abstractmethod

from matchwise.algebra.nodes import Number
from matchwise.engine.limits import Ends, reads_upper
from matchwise.engine.operators.base import Operator
from matchwise.engine.parts import Parts


class Searched(Operator):
    """φ of two objects is the lower or the upper end of what `solve` finds, whichever is read."""

    @abstractmethod
    def solve(self, pred: Parts, ref: Parts) -> Ends:
        """The optimum of two objects; within the limits of the search, if there are any."""

    def one(self, pred: Parts, ref: Parts) -> Number:
        found = self.solve(pred, ref)
        return found.upper if reads_upper() else found.lower

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        if self.known(preds, refs) is not None:
            return super().probe(preds, refs, rows, columns)
        mine, theirs = singles(preds), singles(refs)
        return [self.one(mine[i], theirs[j]) for i, j in zip(rows, columns, strict=True)]

    @property
    def joins(self) -> bool:
        """Whether the problem of two objects is made by a join, so that those of many are made together."""
        return False

    def along(self, preds: Parts, refs: Parts) -> list[Number]:
        """φ of each two objects."""
        return list(map(self.one, singles(preds), singles(refs)))

    def solved_selfs(self, parts: Parts) -> list[Number]:
        """φ(x, x), which divides: the end that is not read of φ(x, y)."""
        found = [self.solve(part, part) for part in singles(parts)]
        return [each.lower if reads_upper() else each.upper for each in found]


def singles(parts: Parts) -> list[Parts]:
    """A list of one object for each."""
    return [parts] if len(parts) == 1 else [parts.take([index]) for index in range(len(parts))]
