"""Products, sums and means: several similarities of the same two objects."""

from __future__ import annotations

from collections.abc import Collection
from operator import lt, mul
from typing import Any, ClassVar

from matchwise.algebra.nodes import (
    Above,
    Harmonic,
    Latent,
    Mean,
    Minus,
    Normalized,
    Number,
    Product,
    Selector,
    Similarity,
    Sum,
)
from matchwise.algebra.walk import children
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.pairs import DENSE_CELLS, Cells, Matrix, Pairs, Table, as_table, map_cells
from matchwise.engine.parts import Parts
from matchwise.engine.selection import join

PROBES = 256
"""Up to this many candidates are probed one by one; more are compared block by block."""


class Multiply(Operator):
    """φ × ψ: join on one factor, probe the others at the pairs it leaves."""

    verb: ClassVar[str] = "product"

    phi: Product

    def __init__(self, phi: Product, first: Operator, *rest: Operator) -> None:
        super().__init__(phi, first, *rest)
        self.first = first
        self.rest = rest
        self.dense = first.dense

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        n, m = len(preds), len(refs)
        if self.dense or (n * m > DENSE_CELLS and self.first.volume(preds, refs) * 4 > n * m):
            return self.first.matrix(preds, refs) * self._rest_matrix(preds, refs)
        if isinstance(self.first, Discrete) and self.first.volume(preds, refs) > PROBES:
            return self._by_blocks(self.first, preds, refs)
        return self._probed(as_table(self.first.pairs(preds, refs)), preds, refs)

    def _probed(self, table: Table, preds: Parts, refs: Parts) -> Table:
        rows = [i for i, row in enumerate(table) for _ in row]
        columns = [j for row in table for j in row]
        weights: list[Number] = [w for row in table for w in row.values()]
        for factor in self.rest:
            if not rows:
                break
            found = factor.probe(preds, refs, rows, columns)
            kept = [place for place, w in enumerate(found) if w]
            if len(kept) < len(rows):
                rows, columns = [rows[place] for place in kept], [columns[place] for place in kept]
            weights = [weights[place] * found[place] for place in kept]
        made: Table = [{} for _ in preds.items]
        for i, j, w in zip(rows, columns, weights, strict=True):
            made[i][j] = w
        return made

    def _by_blocks(self, first: Discrete, preds: Parts, refs: Parts) -> Table:
        """Parts meet only those of equal key; a block of 1 × 1 is probed with all others, a larger one joined."""
        blocks: dict[Any, tuple[list[int], list[int]]] = {}
        for i, k in enumerate(first.keys(preds)):
            blocks.setdefault(k, ([], []))[0].append(i)
        for j, k in enumerate(first.keys(refs)):
            if k in blocks:
                blocks[k][1].append(j)
        single: Table = [{} for _ in preds.items]
        large = []
        for rows, columns in blocks.values():
            if len(rows) * len(columns) > 16 and any(factor.dense for factor in self.rest):
                large.append((rows, columns))
            else:
                for i in rows:
                    single[i] = dict.fromkeys(columns, 1)
        made = self._probed(single, preds, refs)
        for rows, columns in large:
            block = self._rest_matrix(preds.take(rows), refs.take(columns))
            for i, row in zip(rows, block.tolist(), strict=True):
                made[i] = {j: w for j, w in zip(columns, row, strict=True) if w}
        return made

    def _rest_matrix(self, preds: Parts, refs: Parts) -> Matrix:
        made = self.rest[0].matrix(preds, refs)
        for factor in self.rest[1:]:
            made = made * factor.matrix(preds, refs)
        return made

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        values = self.first.probe(preds, refs, rows, columns)
        for factor in self.rest:
            kept = [place for place, w in enumerate(values) if w]
            if not kept:
                break
            found = factor.probe(preds, refs, [rows[place] for place in kept], [columns[place] for place in kept])
            for place, w in zip(kept, found, strict=True):
                values[place] = values[place] * w
        return values

    def _selfs(self, parts: Parts) -> list[Number]:
        values = self.first.selfs(parts)
        rest = self.rest
        if isinstance(self.first, Discrete):  # 1 each
            values, rest = rest[0].selfs(parts), rest[1:]
        for factor in rest:
            own = factor.selfs(parts)
            if own.count(1) < len(own):
                values = list(map(mul, values, own))
        return values

    def apart(self, parts: Parts) -> bool:
        return any(factor.apart(parts) for factor in self.inputs)

    def cells(self, preds: Parts, refs: Parts) -> Cells:
        if self.dense or isinstance(self.first, Discrete) or any(factor.dense for factor in self.rest):
            return super().cells(preds, refs)
        rows, columns, weights = self.first.cells(preds, refs)
        for factor in self.rest if rows else ():
            weights = list(map(mul, weights, factor.at(preds, refs, rows, columns)))
        return rows, columns, weights

    def forced(self, preds: Parts, refs: Parts) -> Cells | None:
        pairs = self.first.forced(preds, refs)
        if pairs is None:
            return None
        rows, columns, weights = pairs
        for factor in self.rest if rows else ():
            weights = list(map(mul, weights, factor.at(preds, refs, rows, columns)))
        return rows, columns, weights

    def volume(self, preds: Parts, refs: Parts) -> int:
        return self.first.volume(preds, refs)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return ("join", self.first), *(("probe", factor) for factor in self.rest)

    def cost(self) -> str:
        return "O(n·m)" if self.dense else "O(n + m + pairs joined)"


class Term:
    """One part of a sum: its weight, what it selects, and the operator on what is selected."""

    __slots__ = ("operator", "phi", "sel", "weight")

    def __init__(self, weight: Number, phi: Similarity, sel: Selector | None, operator: Operator) -> None:
        self.weight = weight
        self.phi = phi
        self.sel = sel
        self.operator = operator

    def present(self, parts: Parts) -> tuple[list[int], Parts]:
        """The objects that have this part; a term that selects by itself works on the selected values."""
        made: tuple[list[int], Parts] | None = parts.memo.get(self)
        if made is None:
            made = self._present(parts)
            if made[1] is not parts:  # a list that remembered itself would outlive the document
                parts.memo[self] = made
        return made

    def _present(self, parts: Parts) -> tuple[list[int], Parts]:
        if self.sel is not None:
            return parts.present(self.sel)
        tag = ("has", self.phi)
        made: tuple[list[int], Parts | None] | None = parts.memo.get(tag)
        if made is None:
            kept = sorted(_having(self.phi, parts))
            made = parts.memo[tag] = kept, parts.take(kept) if len(kept) < len(parts) else None
        return made[0], parts if made[1] is None else made[1]


def _having(phi: Similarity, parts: Parts) -> Collection[int]:
    """The objects that have what φ compares: `reference.has`, by columns."""
    match phi:
        case Product() | Sum() | Mean() | Harmonic() | Normalized() | Above() | Minus() | Latent():
            found: set[int] = set()
            for part in children(phi):
                having = _having(part, parts)
                if len(having) == len(parts):
                    return having
                found.update(having)
            return found
    flat = parts.memo.get(("flat", phi.sel))  # type: ignore[attr-defined]  # all other nodes select
    if flat is not None and all(map(lt, flat.offsets, flat.offsets[1:])):  # each has elements
        return range(len(parts))
    return parts.present(phi.sel)[0]  # type: ignore[attr-defined]


class Add(Operator):
    """Σ w·φ over the parts that both sides have."""

    verb: ClassVar[str] = "sum of parts"

    def __init__(self, phi: Sum, terms: list[Term]) -> None:
        super().__init__(phi, *(term.operator for term in terms))
        self.terms = terms
        self.dense = any(term.operator.dense for term in terms)

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        n, m = len(preds), len(refs)
        if self.dense or (n * m > DENSE_CELLS and self.volume(preds, refs) * 4 > n * m):
            return self.matrix(preds, refs)
        made: Table = [{} for _ in preds.items]
        for term in self.terms:
            if not term.weight:
                continue  # a table has no cells of weight 0
            (rows, p), (columns, r) = term.present(preds), term.present(refs)
            weight = term.weight
            for i, row in zip(rows, as_table(term.operator.pairs(p, r)), strict=True):
                into = made[i]
                for b, w in row.items():
                    j = columns[b]
                    into[j] = into.get(j, 0) + weight * w
        return made

    def cells(self, preds: Parts, refs: Parts) -> Cells:
        if len(self.terms) == 1 and not self.dense:
            [term] = self.terms
            (_, p), (_, r) = term.present(preds), term.present(refs)
            if p is preds and r is refs:
                rows, columns, weights = term.operator.cells(p, r)
                weight = term.weight
                return rows, columns, [weight * w for w in weights]
        return super().cells(preds, refs)

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        import numpy as np

        made = np.zeros((len(preds), len(refs)))
        for term in self.terms:
            (rows, p), (columns, r) = term.present(preds), term.present(refs)
            if not rows or not columns:
                continue
            cells = term.operator.matrix(p, r)
            if term.weight != 1:
                cells = cells * float(term.weight)
            if len(rows) == len(preds) and len(columns) == len(refs):
                made += cells
            else:
                made[np.asarray(rows)[:, None], np.asarray(columns)[None, :]] += cells
        return made

    def one(self, pred: Parts, ref: Parts) -> Number:
        values: list[Number] = []
        for term in self.terms:
            (kept_p, p), (kept_r, r) = term.present(pred), term.present(ref)
            values.append(term.operator.one(p, r) if kept_p and kept_r else 0)
        if pred is not ref:
            pred.memo[self, ref, "ones"] = values
        value: Number = 0
        for term, part in zip(self.terms, values, strict=True):
            value += term.weight * part
        return value

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        values: list[Number] = [0] * len(rows)
        for term in self.terms:
            places, p, a, r, b = self.meeting(term, preds, refs, rows, columns)
            for place, w in zip(places, term.operator.probe(p, r, a, b) if places else (), strict=True):
                values[place] += term.weight * w
        return values

    @staticmethod
    def meeting(
        term: Term, preds: Parts, refs: Parts, rows: list[int], columns: list[int]
    ) -> tuple[list[int], Parts, list[int], Parts, list[int]]:
        """Of the given pairs those where both sides have the part: their numbers, and where each side keeps it."""
        (kept_p, p), (kept_r, r) = term.present(preds), term.present(refs)
        if len(kept_p) == len(preds) and len(kept_r) == len(refs):
            return list(range(len(rows))), p, rows, r, columns
        at_p, at_r = {i: a for a, i in enumerate(kept_p)}, {j: b for b, j in enumerate(kept_r)}
        places = [k for k, (i, j) in enumerate(zip(rows, columns, strict=True)) if i in at_p and j in at_r]
        return places, p, [at_p[rows[k]] for k in places], r, [at_r[columns[k]] for k in places]

    def apart(self, parts: Parts) -> bool:
        return all(term.operator.apart(term.present(parts)[1]) for term in self.terms)

    def _selfs(self, parts: Parts) -> list[Number]:
        values: list[Number] = [0] * len(parts)
        for term in self.terms:
            kept, own = term.present(parts)
            if term.operator.facts.unit.holds and term.operator in own.memo:  # φ(x, x) = 1, and the values were read
                weight = term.weight
                for index in kept:
                    values[index] += weight
                continue
            if len(self.terms) == 1 and len(kept) == len(parts):
                return [term.weight * value for value in term.operator.selfs(own)]
            for index, value in zip(kept, term.operator.selfs(own), strict=True):
                values[index] += term.weight * value
        return values

    def volume(self, preds: Parts, refs: Parts) -> int:
        return sum(term.operator.volume(term.present(preds)[1], term.present(refs)[1]) for term in self.terms)

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{term.weight} × {join('', term.sel or ())}".rstrip(), term.operator) for term in self.terms)


class Average(Operator):
    """Σ w·φ / Σ w."""

    verb: ClassVar[str] = "mean"

    def __init__(self, phi: Mean, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.weights = [w for w, _ in phi.terms]
        self.total = sum(self.weights)
        self.dense = any(operator.dense for operator in inputs)

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        if self.dense:
            return self.matrix(preds, refs)
        made: Table = [{} for _ in preds.items]
        for weight, operator in zip(self.weights, self.inputs, strict=True):
            for into, row in zip(made, as_table(operator.pairs(preds, refs)), strict=True):
                for j, w in row.items():
                    into[j] = into.get(j, 0) + weight * w
        return map_cells(made, lambda w: w / self.total, lambda cells: cells / float(self.total))

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        parts = [
            operator.matrix(preds, refs) * float(weight)
            for weight, operator in zip(self.weights, self.inputs, strict=True)
        ]
        made = parts[0]
        for cells in parts[1:]:
            made = made + cells
        return made / float(self.total)

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        values: list[Number] = [0] * len(rows)
        for weight, operator in zip(self.weights, self.inputs, strict=True):
            found = operator.probe(preds, refs, rows, columns)
            values = [value + weight * w for value, w in zip(values, found, strict=True)]
        return [value / self.total for value in values]

    def _selfs(self, parts: Parts) -> list[Number]:
        values: list[Number] = [0] * len(parts)
        for weight, operator in zip(self.weights, self.inputs, strict=True):
            values = [value + weight * w for value, w in zip(values, operator.selfs(parts), strict=True)]
        return [value / self.total for value in values]

    def children(self) -> tuple[tuple[str, Any], ...]:
        return tuple((f"{weight} ×", operator) for weight, operator in zip(self.weights, self.inputs, strict=True))
