"""Collections whose elements have a similarity of their own: join the elements, then match them per pair of owners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from matchwise.algebra.facts import realigned
from matchwise.algebra.nodes import Best, Number, Overlap
from matchwise.engine.limits import answered, reads_upper
from matchwise.engine.operators import peeling
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.order import content_order
from matchwise.engine.pairs import Pairs, Table, as_table, lighter, reordered
from matchwise.engine.parts import Flat, Parts
from matchwise.engine.solvers.matching import Matched, exact_sum, exact_sums, matched, only_optimum, total

if TYPE_CHECKING:
    from matchwise.engine.solvers.pricing import Priced

FEW_CELLS = 64
"""Up to this many pairs are found by one join, even if some of them are not asked for."""

CELLS_AT_ONCE = 20_000_000
"""Element matrices above this size are made owner by owner."""


ALL_CELLS = 100_000_000
"""Above this many pairs of elements, only those are compared that a ceiling of their similarity leaves."""

TABLE_CELLS = 5_000_000
"""A join that finds fewer pairs than this needs no ceiling."""


class MatchElements(Operator):
    """Σ^◇[φ] of two collections."""

    verb: ClassVar[str] = "match"

    def __init__(self, phi: Overlap, inner: Operator, by: Operator | None) -> None:
        super().__init__(phi, *((inner,) if by is None else (inner, by)))
        self.inner, self.by = inner, by
        self.sel, self.match, self.order = phi.sel, phi.match, phi.order
        self.dense = inner.dense if by is None else by.dense
        self.peels = by is None and phi.match == "1:1" and phi.order == "bag" and peeling.peels(phi.inner)

    def one(self, pred: Parts, ref: Parts) -> Number:
        p, r = pred.flat(self.sel).parts, ref.flat(self.sel).parts
        if self.by is not None:
            return exact_sum([w for _, _, w in self._chosen_by(self.by, p, r)])
        if self.order == "sequence" and self.match == "1:1" and isinstance(self.inner, Discrete):
            return _common_subsequence(self.inner, p, r)
        forced = self.inner.forced(p, r) if self.order == "bag" else None
        if forced is not None:
            return exact_sum(forced[2])
        if self.match == "N:N" and self.order == "bag" and not self.dense:
            return exact_sum(self.inner.cells(p, r)[2]) if p.items and r.items else 0
        peeled = self._peeled(p, r)
        if peeled is not None:
            equal, i, j = peeled
            own = self.inner.selfs(p)
            return exact_sum([*(own[a] for a, _ in equal), self._elements_total(p.take(i), r.take(j))])
        return self._elements_total(p, r)

    def _peeled(self, preds: Parts, refs: Parts) -> tuple[list[tuple[int, int]], list[int], list[int]] | None:
        """Equal items, paired, and the rest of each side, where that is exact and worth it."""
        if not self.peels or len(preds) * len(refs) <= peeling.FEWEST_CELLS:
            return None
        if self.inner.volume(preds, refs) <= 4 * (len(preds) + len(refs)):
            return None  # a join that finds few pairs is cheaper than the content of all items
        return peeling.peel(self.phi.inner, preds, refs)  # type: ignore[attr-defined]  # φ is an Overlap

    def aligned(self, preds: Parts, refs: Parts) -> Matched:
        """The matched pairs of two lists of elements, each with its weight; equal optima are broken by content."""
        if self.order != "bag":
            return self._matched(preds, refs)
        peeled = self._peeled(preds, refs)
        if peeled is not None:
            equal, left_p, left_r = peeled
            own = self.inner.selfs(preds)
            rest = self._by_content(preds.take(left_p), refs.take(left_r))
            return sorted([*((i, j, own[i]) for i, j in equal), *((left_p[i], left_r[j], w) for i, j, w in rest)])
        return self._by_content(preds, refs)

    def _by_content(self, preds: Parts, refs: Parts) -> Matched:
        priced = self._priced(preds, refs)
        if priced is not None:
            return priced.matched
        values: dict[tuple[int, int], Number] = {}
        if self.by is None:
            pairs = self.inner.pairs(preds, refs)
        else:
            pairs, values = self._combined(self.by, preds, refs)
        found = only_optimum(pairs) if self.match == "1:1" else None
        if found is None:
            p, r = content_order(preds.items), content_order(refs.items)
            chosen = matched(self.match, self.order, reordered(pairs, p, r), len(preds), len(refs))
            found = [(p[i], r[j], w) for i, j, w in chosen]
        return sorted(found if self.by is None else [(i, j, values[i, j]) for i, j, _ in found])

    def _matched(self, preds: Parts, refs: Parts) -> Matched:
        if self.by is None:
            return matched(self.match, self.order, self.inner.pairs(preds, refs), len(preds), len(refs))
        return self._chosen_by(self.by, preds, refs)

    def _chosen_by(self, by: Operator, preds: Parts, refs: Parts) -> Matched:
        pairs, values = self._combined(by, preds, refs)
        chosen = matched(self.match, self.order, pairs, len(preds), len(refs))
        return [(i, j, values[i, j]) for i, j, _ in chosen]

    def _combined(self, by: Operator, preds: Parts, refs: Parts) -> tuple[Table, dict[tuple[int, int], Number]]:
        """The best matching by `align_by`, among equals the best by `inner`: both in one exact whole number.

        Weights are counted in units of 10⁻¹²; one unit of `by` outweighs everything `inner` can add up to. The values
        of `inner` come with them.
        """
        found = as_table(by.pairs(preds, refs))
        table = [{j: unit for j, w in row.items() if (unit := round(w * 10**12))} for row in found]
        rows = [i for i, row in enumerate(table) for _ in row]
        columns = [j for row in table for j in row]
        values = self.inner.probe(preds, refs, rows, columns) if rows else []
        units = [round(w * 10**12) for w in values]
        scale = sum(units) + 1
        combined: Table = [{} for _ in table]
        for i, j, unit in zip(rows, columns, units, strict=True):
            combined[i][j] = table[i][j] * scale + unit
        return combined, dict(zip(zip(rows, columns, strict=True), values, strict=True))

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        if self.by is not None or self.order != "bag":
            return [self._row(p, i, r) for i in range(len(preds))]
        if self.dense and len(p.parts) * len(r.parts) > CELLS_AT_ONCE:
            return [self._row(p, i, r) for i in range(len(preds))]
        found = lighter(self.inner.pairs(p.parts, r.parts))
        if not isinstance(found, list):
            import numpy as np

            from matchwise.engine.kernels.tiles import block_totals

            return block_totals(self.match, found, np.asarray(p.offsets), np.asarray(r.offsets))
        return [self._from_elements(found, p, i, r) for i in range(len(preds))]

    def _from_elements(self, found: Table, p: Flat, i: int, r: Flat) -> dict[int, Number]:
        """One owner against all: its elements' pairs, split by the owner of the other element."""
        a0, a1 = p.offsets[i], p.offsets[i + 1]
        owners = r.owners()
        tables: dict[int, Table] = {}
        for a in range(a0, a1):
            for b, w in found[a].items():
                j = owners[b]
                if j not in tables:
                    tables[j] = [{} for _ in range(a0, a1)]
                tables[j][a - a0][b - r.offsets[j]] = w
        return {
            j: total(self.match, "bag", table, a1 - a0, r.offsets[j + 1] - r.offsets[j])
            for j, table in sorted(tables.items())
        }

    def _row(self, p: Flat, i: int, r: Flat) -> dict[int, Number]:
        own = p.of(i)
        values = ((j, self._elements_total(own, r.of(j))) for j in range(len(r.offsets) - 1))
        return {j: w for j, w in values if w}

    def _elements_total(self, p: Parts, r: Parts) -> Number:
        if self.by is not None:
            return exact_sum([w for _, _, w in self._chosen_by(self.by, p, r)])
        priced = self._priced(p, r)
        if priced is not None:
            return priced.upper if reads_upper() else priced.lower
        return total(self.match, self.order, self.inner.pairs(p, r), len(p), len(r))

    def _priced(self, preds: Parts, refs: Parts) -> Priced | None:
        """The best pairs of two collections that are too large for all pairs to be compared."""
        if len(preds) * len(refs) <= ALL_CELLS or self.match != "1:1" or self.order != "bag" or self.by is not None:
            return None
        from matchwise.engine.operators.candidates import Candidates
        from matchwise.engine.solvers.pricing import solve

        if not Candidates.suits(self.inner) or not (self.dense or self.inner.volume(preds, refs) > TABLE_CELLS):
            return None
        name = (self, preds.side.name, preds.path(0), len(preds), refs.side.name, refs.path(0), len(refs))
        more = Candidates(self.inner, preds, refs).more
        return answered(name, lambda limits: solve(len(preds), len(refs), more, limits))

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        if len(preds) == len(refs) == 1 and rows == [0]:
            return [self.one(preds, refs)]
        if self.known(preds, refs) is not None or (
            self.by is None and self.order == "bag" and max(len(rows) * 4, FEW_CELLS) > len(preds) * len(refs)
        ):
            return super().probe(preds, refs, rows, columns)
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        mine, theirs = {i: p.of(i) for i in set(rows)}, {j: r.of(j) for j in set(columns)}
        return [self._elements_total(mine[i], theirs[j]) for i, j in zip(rows, columns, strict=True)]

    def _selfs(self, parts: Parts) -> list[Number]:
        flat = parts.flat(self.sel)
        best = self.inner.best_with_itself
        if (
            self.by is not None
            or (self.match != "N:N" and best)
            or (self.order == "bag" and (best or not realigned(self.inner.phi)) and self.inner.apart(flat.parts))
        ):
            return flat.once(self.inner.selfs(flat.parts), exact_sums)
        return [self._elements_total(own, own) for own in (flat.of(i) for i in range(len(parts)))]

    def detail(self) -> str:
        order = "" if self.order == "bag" else f", {self.order}"
        solver = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}[self.match]
        return f"{self.match}{order}, {solver if self.order == 'bag' else 'dynamic programme'}"

    def children(self) -> tuple[tuple[str, Any], ...]:
        return (("", self.inner),) if self.by is None else (("align by", self.by), ("score", self.inner))

    def cost(self) -> str:
        if self.order == "sequence":
            return "O(n·m)"
        return "O(n·m) to fill" + (", O(n³) to assign" if self.match == "1:1" else "") if self.dense else super().cost()


class BestElement(Operator):
    """max φ(u, v) over the elements of two collections; a value that is no collection is its own only element."""

    verb: ClassVar[str] = "best pair"

    def __init__(self, phi: Best, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel
        self.dense = inner.dense

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        p, r = preds.several(self.sel), refs.several(self.sel)
        owner_p, owner_r = p.owners(), r.owners()
        made: Table = [{} for _ in preds.items]
        for a, row in enumerate(as_table(self.inner.pairs(p.parts, r.parts))):
            into = made[owner_p[a]]
            for b, w in row.items():
                if w > into.get(owner_r[b], 0):
                    into[owner_r[b]] = w
        return made

    def _selfs(self, parts: Parts) -> list[Number]:
        flat = parts.several(self.sel)
        if self.inner.best_with_itself:
            own = self.inner.selfs(flat.parts)
            return [max(own[a:b], default=0) for a, b in zip(flat.offsets, flat.offsets[1:], strict=False)]
        places = range(len(parts))
        return [self.pairs(own, own)[0].get(0, 0) for own in (parts.take([place]) for place in places)]


def _common_subsequence(inner: Discrete, preds: Parts, refs: Parts) -> Number:
    """The longest common subsequence of two sequences of keys, bit-parallel."""
    p, r = inner.keys(preds), inner.keys(refs)
    if not p or not r:
        return 0
    from rapidfuzz.distance import LCSseq

    codes: dict[Any, int] = {}
    return LCSseq.similarity([codes.setdefault(k, len(codes)) for k in p], [codes.setdefault(k, len(codes)) for k in r])
