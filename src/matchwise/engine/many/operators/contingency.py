"""Functions of the table of two collections: a join finds its cells, which several metrics may share."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress
from typing import ClassVar

import numpy as np

from matchwise.algebra.nodes import Contingency, Number
from matchwise.engine.many import kernels
from matchwise.engine.many.blocks import Chosen
from matchwise.engine.many.frame import Flat, Frame, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.selection import attempt, valid

Cells = tuple[list[int], list[int], list[Number]]


class Tabulate(Operator):
    """f(T), T the non-zero φ(u, v) of two collections."""

    verb: ClassVar[str] = "function of a table"
    dense = True  # f of two collections that share nothing need not be 0

    phi: Contingency

    def __init__(self, phi: Contingency, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        a, b, w = self.inner.join(p.frame, r.frame)
        owners = p.owners()[a], r.owners()[b]
        block, a, b, w = Chosen.sorted(kernels.number_pairs(i, j, len(refs), *owners), a, b, w)
        # Arrays have floats only, which `math.comb` would refuse.
        cells = a.tolist(), b.tolist(), kernels.whole(w)
        pairs = i.tolist(), j.tolist()
        return np.array(self._of_each(block.tolist(), cells, p, r, preds, pairs), dtype=np.float64)

    def _self_scores(self, frame: Frame) -> Vector:
        flat = frame.flat(self.sel)
        places = np.arange(len(frame))
        if not (self.inner.best_with_itself and self.inner.tells_apart(flat.frame)):
            return self.at(frame, frame, places, places)
        own = list(range(len(flat.frame)))  # the table of a collection with itself is a diagonal
        blocks = flat.owners().tolist()
        cells = own, own, kernels.whole(self.inner.self_scores(flat.frame))
        several = list(range(len(frame)))
        return np.array(self._of_each(blocks, cells, flat, flat, frame, (several, several)), dtype=np.float64)

    def _of_each(
        self, blocks: list[int], cells: Cells, p: Flat, r: Flat, preds: Frame, pairs: tuple[list[int], list[int]]
    ) -> list[Number]:
        """Apply f to the table of each pair."""
        rows, columns, weights = cells
        if not all(weights):
            blocks = list(compress(blocks, weights))
            rows, columns = list(compress(rows, weights)), list(compress(columns, weights))
            weights = list(filter(None, weights))
        ends = [bisect_left(blocks, place) for place in range(len(pairs[0]) + 1)]
        return self._each((rows, columns, weights), ends, p, r, preds, pairs)

    def _each(
        self, cells: Cells, ends: list[int], p: Flat, r: Flat, preds: Frame, pairs: tuple[list[int], list[int]]
    ) -> list[Number]:
        rows, columns, weights = cells
        made = []
        for number, (x, y) in enumerate(zip(*pairs, strict=True)):
            top, left, run = int(p.offsets[x]), int(r.offsets[y]), slice(ends[number], ends[number + 1])
            block = [a - top for a in rows[run]], [b - left for b in columns[run]], weights[run]
            made.append(self._value(block, preds, x))
        return made

    def _value(self, cells: Cells, preds: Frame, at: int) -> Number:
        rows, columns, weights = cells
        try:
            # A user's function may change its lists.
            found = attempt(self.phi.function, list(rows), list(columns), list(weights))
            return valid(found, self.phi, self.facts)
        except ValueError as error:
            raise preds.select(self.sel).fail(at, str(error)) from error

    def detail(self) -> str:
        return self.phi.function.__name__

    def cost(self) -> str:
        return "O(n·m)" if self.inner.dense else "O(non-zero)"
