"""Functions of the table of two collections: a join finds its cells, which several metrics may share."""

from __future__ import annotations

from itertools import compress, pairwise
from typing import ClassVar

from matchwise.algebra.nodes import Contingency, Number
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.leaf import valid
from matchwise.engine.pairs import Cells, Matrix, Pairs
from matchwise.engine.parts import Flat, Parts
from matchwise.engine.selection import attempt


class Tabulate(Operator):
    """f(T), T the non-zero φ(u, v) of two collections."""

    verb: ClassVar[str] = "function of a table"
    dense = True  # f of two collections that share nothing need not be 0

    phi: Contingency

    def __init__(self, phi: Contingency, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel

    def one(self, pred: Parts, ref: Parts) -> Number:
        return self.along(pred, ref)[0]

    def along(self, preds: Parts, refs: Parts) -> list[Number]:
        """f of each two documents: elements of two documents never meet."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        return self._of_each(self._table(p.parts, r.parts), p, r, preds)

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        mine, theirs = {i: p.of(i) for i in set(rows)}, {j: r.of(j) for j in set(columns)}
        return [self._value(self._table(mine[i], theirs[j]), preds, i) for i, j in zip(rows, columns, strict=True)]

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        return self.matrix(preds, refs)

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        import numpy as np

        n, m = len(preds), len(refs)
        places = [i for i in range(n) for _ in range(m)], list(range(m)) * n
        return np.array(self.probe(preds, refs, *places), dtype=np.float64).reshape(n, m)

    def _selfs(self, parts: Parts) -> list[Number]:
        flat = parts.flat(self.sel)
        if self._apart(flat.parts):
            return self._of_each(self._diagonal(flat.parts), flat, flat, parts)
        own = map(flat.of, range(len(parts)))
        tables = [self._diagonal(some) if self._apart(some) else self._table(some, some) for some in own]
        return [self._value(table, parts, at) for at, table in enumerate(tables)]

    def _apart(self, elements: Parts) -> bool:
        """Whether the table of a collection with itself is known to be a diagonal of self-scores."""
        return self.inner.best_with_itself and self.inner.apart(elements)

    def _diagonal(self, elements: Parts) -> Cells:
        places = list(range(len(elements)))
        return _above_0((places, places, self.inner.selfs(elements)))

    def _table(self, preds: Parts, refs: Parts) -> Cells:
        """Its cells row by row and column by column, whichever way they were found."""
        if not len(preds) or not len(refs):
            return [], [], []
        ordered = sorted(zip(*_above_0(self.inner.cells(preds, refs)), strict=True))
        rows, columns, weights = map(list, zip(*ordered, strict=True)) if ordered else ([], [], [])
        return rows, columns, weights

    def _of_each(self, cells: Cells, p: Flat, r: Flat, preds: Parts) -> list[Number]:
        """f of the blocks along the diagonal of a table that is 0 elsewhere; f may have a form for many of them.

        That form, its attribute `together` (see `columns`), gets all cells as they are numbered in the table, and where
        each block begins and ends.
        """
        rows, columns, weights = cells
        ends = p.ends(rows)
        many = getattr(self.phi.function, "together", None) if len(preds) > 1 else None
        if many is None:
            return self._each(cells, ends, p, r, preds)
        try:
            return [
                valid(value, self.phi, self.facts) for value in many(list(rows), list(columns), list(weights), ends)
            ]
        except ValueError:
            self._each(cells, ends, p, r, preds)  # says which it was
            raise  # none: what failed is the form for many documents

    def _each(self, cells: Cells, ends: list[int], p: Flat, r: Flat, preds: Parts) -> list[Number]:
        rows, columns, weights = cells
        made = []
        for at, ((a, b), top, left) in enumerate(zip(pairwise(ends), p.offsets, r.offsets, strict=False)):
            block = [i - top for i in rows[a:b]], [j - left for j in columns[a:b]], weights[a:b]
            made.append(self._value(block, preds, at))
        return made

    def _value(self, cells: Cells, preds: Parts, at: int) -> Number:
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


def _above_0(cells: Cells) -> Cells:
    """Cells without those that are 0 after all.

    Whole numbers are integers: a matrix has floats only, which `math.comb` would refuse in large documents alone.
    """
    rows, columns, weights = cells
    if set(map(type, weights)) != {int}:
        weights = [int(w) if isinstance(w, float) and w.is_integer() else w for w in weights]
    if not all(weights):
        rows, columns = list(compress(rows, weights)), list(compress(columns, weights))
        weights = list(filter(None, weights))
    return rows, columns, weights
