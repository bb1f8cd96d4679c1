"""Functions of one similarity: ⟦φ > t⟧, max{0, φ − c}, the normalisers, and the harmonic mean of two."""

from __future__ import annotations

from typing import Any, ClassVar

from matchwise.algebra.nodes import Above, Harmonic, Minus, Normalized, Number
from matchwise.engine.operators.base import Operator
from matchwise.engine.pairs import Cells, Matrix, Pairs, Table, as_matrix, as_table, map_cells, table
from matchwise.engine.parts import Parts


class Bracket(Operator):
    """A function of one similarity."""

    inner: Operator

    @property
    def vanishes(self) -> bool:
        """Whether it is 0 wherever that similarity is."""
        return not self.dense

    def cells(self, preds: Parts, refs: Parts) -> Cells:
        if not self.vanishes:
            return super().cells(preds, refs)
        rows, columns, _ = self.inner.cells(preds, refs)
        return rows, columns, self.at(preds, refs, rows, columns)


class Threshold(Bracket):
    """⟦φ > t⟧ or ⟦φ ≥ t⟧: a filter."""

    verb: ClassVar[str] = "filter"

    def __init__(self, phi: Above, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.threshold, self.strict = phi.threshold, phi.strict
        self.all = not phi.strict and phi.threshold <= 0  # φ ≥ 0 always holds
        self.dense = inner.dense or self.all

    def passes(self, value: Number) -> int:
        return int(value > self.threshold if self.strict else value >= self.threshold)

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        if self.all:
            return [dict.fromkeys(range(len(refs)), 1) for _ in preds.items]
        t = float(self.threshold)
        pairs = self.inner.pairs(preds, refs)
        return map_cells(pairs, self.passes, lambda cells: (cells > t if self.strict else cells >= t).astype(float))

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        return self._passing(self.inner.at(preds, refs, rows, columns))

    def _selfs(self, parts: Parts) -> list[Number]:
        return self._passing(self.inner.selfs(parts))

    def _passing(self, values: list[Number]) -> list[Number]:
        t = self.threshold
        return [1 if w > t else 0 for w in values] if self.strict else [1 if w >= t else 0 for w in values]

    def apart(self, parts: Parts) -> bool:
        return not self.all and self.inner.apart(parts)

    def detail(self) -> str:
        return f"{'>' if self.strict else '≥'} {self.threshold}"


class Subtract(Bracket):
    """max{0, φ − c}."""

    verb: ClassVar[str] = "subtract"

    def __init__(self, phi: Minus, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.amount = phi.amount
        self.dense = inner.dense

    def cut(self, value: Number) -> Number:
        return max(0, value - self.amount)

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        c = self.amount
        return map_cells(
            self.inner.pairs(preds, refs),
            lambda w: w - c if w > c else 0,
            lambda cells: (cells - float(c)).clip(min=0),
        )

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        c = self.amount
        return [w - c if w > c else 0 for w in self.inner.at(preds, refs, rows, columns)]

    def _selfs(self, parts: Parts) -> list[Number]:
        c = self.amount
        return [w - c if w > c else 0 for w in self.inner.selfs(parts)]

    def apart(self, parts: Parts) -> bool:
        return self.inner.apart(parts)

    def detail(self) -> str:
        return f"{self.amount}"


class Normalize(Bracket):
    """P, R, F_β or J from φ(x, y), φ(x, x) and φ(y, y)."""

    verb: ClassVar[str] = "normalise"

    def __init__(self, phi: Normalized, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.kind, self.empty = phi.kind, phi.empty
        self.square = phi.beta**2
        self.dense = inner.dense

    @property
    def vanishes(self) -> bool:
        return not self.dense and not self.empty

    def value(self, xy: Number, xx: Number, yy: Number) -> Number:
        """(4)–(7); 0/0 is `empty`."""
        match self.kind:
            case "precision":
                above, below = xy, xx
            case "recall":
                above, below = xy, yy
            case "jaccard":
                above, below = xy, xx + yy - xy
            case _:
                above, below = (1 + self.square) * xy, xx + self.square * yy
        return above / below if below else self.empty

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        pairs = self.inner.pairs(preds, refs)
        xx, yy = self.inner.selfs(preds), self.inner.selfs(refs)
        if not isinstance(pairs, list):
            return self._ratios(pairs, xx, yy)
        rows, columns, _ = self.inner.cells(preds, refs)
        made = table(len(preds), (rows, columns, self.at(preds, refs, rows, columns)))
        if self.empty and (0 in xx or 0 in yy):
            self._fill_empty(made, xx, yy)
        return made

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        cells = self.inner.matrix(preds, refs)
        return self._ratios(cells, self.inner.selfs(preds), self.inner.selfs(refs))

    def _fill_empty(self, made: Table, xx: list[Number], yy: list[Number]) -> None:
        """0/0 at pairs that share nothing: two empty sides, P of an empty prediction, R of an empty reference."""
        empty_y = [j for j, y in enumerate(yy) if not y]
        for row, x in zip(made, xx, strict=True):
            if self.kind == "precision":
                columns: Any = () if x else range(len(yy))
            else:
                columns = () if x and self.kind != "recall" else empty_y
            for j in columns:
                row[j] = self.empty

    def _ratios(self, cells: Matrix, xx: list[Number], yy: list[Number]) -> Matrix:
        import numpy as np

        return self.ratios(cells, np.asarray(xx, dtype=float)[:, None], np.asarray(yy, dtype=float)[None, :])

    def ratios(self, found: Matrix, x: Matrix, y: Matrix) -> Matrix:
        """`value` of arrays that go with each other."""
        import numpy as np

        square = float(self.square)
        match self.kind:
            case "precision":
                above, below = found, np.broadcast_to(x, found.shape)
            case "recall":
                above, below = found, np.broadcast_to(y, found.shape)
            case "jaccard":
                above, below = found, x + y - found
            case _:
                above, below = (1 + square) * found, x + square * y
        made = np.full(found.shape, float(self.empty))
        np.divide(above, below, out=made, where=below != 0)
        return made

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        found = self.inner.at(preds, refs, rows, columns)
        xx, yy, empty = self.inner.selfs(preds), self.inner.selfs(refs), self.empty
        if self.kind == "precision":
            return [w / x if (x := xx[i]) else empty for w, i in zip(found, rows, strict=True)]
        if self.kind == "recall":
            return [w / y if (y := yy[j]) else empty for w, j in zip(found, columns, strict=True)]
        places = zip(found, rows, columns, strict=True)
        if self.kind == "f1":
            return [2 * w / below if (below := xx[i] + yy[j]) else empty for w, i, j in places]
        if self.kind == "jaccard":
            return [w / below if (below := xx[i] + yy[j] - w) else empty for w, i, j in places]
        return [self.value(w, xx[i], yy[j]) for w, i, j in places]

    def _selfs(self, parts: Parts) -> list[Number]:
        if self.inner.best_with_itself:
            own = self.inner.selfs(parts)
            return [1] * len(own) if all(own) else [1 if x else self.empty for x in own]
        places = list(range(len(parts)))
        return self.probe(parts, parts, places, places)

    def apart(self, parts: Parts) -> bool:
        return not self.empty and self.inner.apart(parts)

    def detail(self) -> str:
        return self.kind


class HarmonicMean(Operator):
    """2pr / (p + r)."""

    verb: ClassVar[str] = "harmonic mean"

    def __init__(self, phi: Harmonic, precision: Operator, recall: Operator) -> None:
        super().__init__(phi, precision, recall)
        self.precision, self.recall = precision, recall
        self.dense = precision.dense and recall.dense

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        p, r = self.precision.pairs(preds, refs), self.recall.pairs(preds, refs)
        if isinstance(p, list) or isinstance(r, list):
            return [
                {j: 2 * a * b / (a + b) for j, a in row.items() if (b := other.get(j, 0))}
                for row, other in zip(as_table(p), as_table(r), strict=True)
            ]
        import numpy as np

        p, r = as_matrix(p, len(preds), len(refs)), as_matrix(r, len(preds), len(refs))
        below = p + r
        return np.divide(2 * p * r, below, out=np.zeros_like(below), where=below != 0)

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        p = self.precision.probe(preds, refs, rows, columns)
        r = self.recall.probe(preds, refs, rows, columns)
        return [2 * a * b / (a + b) if a + b else 0 for a, b in zip(p, r, strict=True)]

    def children(self) -> tuple[tuple[str, Any], ...]:
        return ("precision", self.precision), ("recall", self.recall)
