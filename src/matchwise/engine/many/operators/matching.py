"""Collections whose elements have a similarity of their own: compare or join the elements, then match them.

Σ is solved once for each pair of collections: `chosen` has the matched elements, and their sum is the total.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from matchwise.algebra.facts import is_realigned, is_whole
from matchwise.algebra.nodes import Number, Overlap
from matchwise.engine.limits import answer, reads_upper
from matchwise.engine.many import kernels
from matchwise.engine.many.blocks import Chosen, choose, choose_in_table
from matchwise.engine.many.frame import Flat, Frame, Vector
from matchwise.engine.many.operators.base import Operator, Pairs
from matchwise.engine.many.operators.equality import Equality
from matchwise.engine.solve.cells import Cell, Content, choose_cells, combine
from matchwise.engine.solve.sequence import (
    chain_total,
    common_subsequence,
    lay_out,
    matrix_total,
    sequence_matched,
    sequence_total,
)
from matchwise.engine.tuning import AT_ONCE, FILLED, LARGE_TABLE, TOO_MANY

if TYPE_CHECKING:
    from matchwise.engine.solve.cells import Bounded


class MatchElements(Operator):
    """Σ^◇[φ] of two collections."""

    verb: ClassVar[str] = "match"

    def __init__(self, phi: Overlap, inner: Operator, by: Operator | None) -> None:
        super().__init__(phi, *((inner,) if by is None else (inner, by)))
        self.inner, self.by = inner, by
        self.sel, self.match, self.order = phi.sel, phi.match, phi.order
        self.meeting = inner if by is None else by
        """What says which elements may be matched."""
        self.dense = phi.order != "bag" or self.meeting.dense
        self.windows = phi.order == "bag" and self.meeting.windows
        self.is_whole = is_whole(inner.phi)
        """True if all weights are whole numbers: equal optima have the same sum to the last bit, whichever is found."""

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        if preds is refs or not (preds.is_root and refs.is_root and len(i) == len(preds)):
            return self._solve(preds, refs, i, j, ordered=True)
        return preds.once((self, "chosen", refs), lambda: self._solve(preds, refs, i, j, ordered=True))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        if self.order == "sequence" and self.by is None:
            return self._sequences(preds, refs, i, j)
        if preds.is_root and refs.is_root:
            found = self.chosen(preds, refs, i, j)
        elif self.order == "bag" and self.by is None and not self._fills(preds, refs):
            return super()._at(preds, refs, i, j)
        else:
            found = self._solve(preds, refs, i, j, ordered=not self.is_whole)
        total = kernels.sum_by(found.block, found.w, len(i))
        if reads_upper():
            p, r = preds.flat(self.sel), refs.flat(self.sel)
            for place in np.flatnonzero(_sizes(p, r, i, j) > TOO_MANY).tolist():
                priced = self._price(p.of(int(i[place])), r.of(int(j[place])))
                total[place] = total[place] if priced is None else priced.upper
        return total

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.order != "bag" or self.by is not None or self._fills(preds, refs):
            return super()._join(preds, refs)
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        a, b, w = self.inner.join(p.frame, r.frame)
        i, j, block, order = kernels.group(p.owners()[a], r.owners()[b], len(refs))
        cells = Chosen(block, a[order], b[order], w[order])
        content = None if self.is_whole else (p.frame.sort_by_content, r.frame.sort_by_content)
        found = cells.at(choose(self.match, cells, content))
        return Pairs(*kernels.filter_pairs(i, j, kernels.sum_by(found.block, found.w, len(i))))

    def _fills(self, preds: Frame, refs: Frame) -> bool:
        """True if most pairs of elements score, so that all are compared instead of joined."""
        return self.meeting.fills(preds.flat(self.sel).frame, refs.flat(self.sel).frame)

    def _solve(self, preds: Frame, refs: Frame, i: Vector, j: Vector, *, ordered: bool) -> Chosen:
        """The elements that a best matching of each pair of collections chooses."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        content = (p.frame.sort_by_content, r.frame.sort_by_content) if ordered else None
        if self.order == "index" and self.by is None:
            block, a, b = kernels.diagonal(i, j, p.offsets, r.offsets)
            return _nonzero(Chosen(block, a, b, self.inner.at(p.frame, r.frame, a, b)))
        if self.order != "bag" or self.by is not None:
            return self._pick(p, r, i, j, self._cells(preds, refs, i, j), content)
        if not self._fills(preds, refs):
            cells = self._join_elements(preds, refs, i, j)
            return cells.at(choose(self.match, cells, content))
        found = [Chosen.of([])]
        sizes = _sizes(p, r, i, j)
        for start, end in _portions(sizes):
            if sizes[start] > LARGE_TABLE:
                found.append(self._solve_large(p, r, int(i[start]), int(j[start]), start, content))
                continue
            cells = _nonzero(self._compare(p, r, i[start:end], j[start:end]))
            some = cells.at(choose(self.match, cells, content))
            found.append(some._replace(block=some.block + start))
        return Chosen(*map(np.concatenate, zip(*found, strict=True)))

    def _compare(self, p: Flat, r: Flat, i: Vector, j: Vector) -> Chosen:
        """All pairs of elements of the given owners."""
        block, a, b = kernels.expand(i, j, p.offsets, r.offsets)
        return Chosen(block, a, b, self.meeting.at(p.frame, r.frame, a, b))

    def _solve_large(
        self, p: Flat, r: Flat, x: int, y: int, number: int, content: tuple[Content, Content] | None
    ) -> Chosen:
        """The matched elements of two large collections, whose pairs are a matrix."""
        us, vs, top, left = p.of(x), r.of(y), int(p.offsets[x]), int(r.offsets[y])
        priced = self._price(us, vs)
        if priced is not None:
            return Chosen.of([(number, top + a, left + b, w) for a, b, w in priced.matched])
        matrix = self.inner.at(us, vs, *kernels.cross(len(us), len(vs)))
        orders = None
        if content is not None:
            [mine], [theirs] = content[0]([list(p.span(x))]), content[1]([list(r.span(y))])
            orders = np.array(mine) - top, np.array(theirs) - left
        a, b = choose_in_table(self.match, matrix, orders)
        return Chosen(np.full(len(a), number), a + top, b + left, matrix[a, b])

    def _price(self, preds: Frame, refs: Frame) -> Bounded | None:
        """The best pairs of two collections that are too large for all pairs to be compared."""
        if len(preds) * len(refs) <= TOO_MANY or self.match != "1:1":
            return None
        from matchwise.engine.many.operators.bulk import Candidates, solve_priced

        if not Candidates.suits(self.inner):
            return None
        name = (self, preds.side.name, preds.path(0), len(preds), refs.side.name, refs.path(0), len(refs))
        more = Candidates(self.inner, preds, refs).more
        return answer(name, lambda limits: solve_priced(len(preds), len(refs), more, limits))

    def _cells(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The pairs of elements that score or may be aligned, sorted by the pair of their owners."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        if self.order == "index":
            block, a, b = kernels.diagonal(i, j, p.offsets, r.offsets)
            return _nonzero(Chosen(block, a, b, self.meeting.at(p.frame, r.frame, a, b)))
        if self._fills(preds, refs):
            return _nonzero(self._compare(p, r, i, j))
        return self._join_elements(preds, refs, i, j)

    def _join_elements(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The pairs of elements that a join finds."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        a, b, w = self.meeting.join(p.frame, r.frame)
        block = kernels.number_pairs(i, j, len(refs), p.owners()[a], r.owners()[b])
        return Chosen.sorted(block, a, b, w)

    def _pick(
        self, p: Flat, r: Flat, i: Vector, j: Vector, cells: Chosen, content: tuple[Content, Content] | None
    ) -> Chosen:
        """The matched cells when the matching keeps an order or another similarity aligns."""
        weights = cells.w if self.by is None else self.inner.at(p.frame, r.frame, cells.a, cells.b)
        picked: list[int] = []
        for number, run in kernels.runs(cells.block):
            a, b, w = cells.a[run].tolist(), cells.b[run].tolist(), cells.w[run].tolist()
            if self.by is not None:
                w = combine(w, weights[run].tolist())
            if self.order == "sequence":
                rows, columns = p.span(int(i[number])), r.span(int(j[number]))
                matched = sequence_matched(self.match, lay_out(a, b, w, rows, columns), len(columns))
                places = {pair: place for place, pair in enumerate(zip(a, b, strict=True))}
                found = [places[rows[x], columns[y]] for x, y, _ in matched]
            else:
                found = [place for place, weight in enumerate(w) if weight]
            if self.order == "bag":
                some: list[Cell] = [(a[place], b[place], w[place]) for place in found]
                found = [found[place] for place in choose_cells(self.match, some, content, exact=True)]
            picked += [run.start + place for place in found]
        return cells._replace(w=weights).at(kernels.places(picked))

    def _sequences(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """Σ of the given pairs of sequences, without the matched pairs: they take memory for all cells."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        pairs = list(zip(i.tolist(), j.tolist(), strict=True))
        if self.match == "1:1" and isinstance(self.inner, Equality):
            mine, theirs = (codes.tolist() for codes in self.inner.codes(p.frame, r.frame))
            spans = ((p.span(x), r.span(y)) for x, y in pairs)
            found: list[Number] = [
                common_subsequence(mine[a.start : a.stop], theirs[b.start : b.stop]) for a, b in spans
            ]
            return np.array(found, dtype=np.float64)
        made: list[Number] = [0] * len(pairs)
        if self._fills(preds, refs):
            for number, (x, y) in enumerate(pairs):
                us, vs = p.of(x), r.of(y)
                if len(us) and len(vs):
                    made[number] = matrix_total(self.match, self.inner.at(us, vs, *kernels.cross(len(us), len(vs))))
            return np.array(made, dtype=np.float64)
        cells = self._join_elements(preds, refs, i, j)
        for number, run in kernels.runs(cells.block):
            rows, columns = p.span(pairs[number][0]), r.span(pairs[number][1])
            a, b, w = cells.a[run].tolist(), cells.b[run].tolist(), cells.w[run].tolist()
            if len(rows) * len(columns) >= max(LARGE_TABLE, FILLED * len(a)):
                places = [x - rows.start for x in a], [y - columns.start for y in b]
                made[number] = chain_total(self.match, *places, w, len(columns))
            else:
                made[number] = sequence_total(self.match, lay_out(a, b, w, rows, columns), len(columns))
        return np.array(made, dtype=np.float64)

    def volume(self, preds: Frame, refs: Frame) -> int:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        return super().volume(preds, refs) or self.inner.volume(p.frame, r.frame)

    def _self_scores(self, frame: Frame) -> Vector:
        flat, facts = frame.flat(self.sel), self.inner.facts
        best = {"1:1": facts.left or facts.right, "N:1": facts.left, "1:N": facts.right, "N:N": False}[self.match]
        if (
            self.by is not None
            or best
            or (
                self.order == "bag"
                and (self.inner.best_with_itself or not is_realigned(self.inner.phi))
                and self.inner.tells_apart(flat.frame)
            )
        ):
            if facts.unit.holds:
                self.inner.check(flat.frame)
                return np.diff(flat.offsets).astype(np.float64)
            return kernels.sum_by(flat.owners(), self.inner.self_scores(flat.frame), len(frame))
        places = np.arange(len(frame))
        return self.at(frame, frame, places, places)

    def detail(self) -> str:
        order = "" if self.order == "bag" else f", {self.order}"
        solver = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}[self.match]
        return f"{self.match}{order}, {solver if self.order == 'bag' else 'dynamic programme'}"

    def children(self) -> tuple[tuple[str, Any], ...]:
        return (("", self.inner),) if self.by is None else (("align by", self.by), ("score", self.inner))

    def cost(self) -> str:
        if self.order == "index":
            return "O(min(n, m))"
        if self.order == "sequence":
            if self.match == "1:1" and isinstance(self.inner, Equality):
                return "O(n·m / 64)"  # a machine word at a time
            return "O(n·m)" if self.inner.dense else "O(n + m + non-zero·log m)"
        if self.windows:
            return "O(pairs in reach)"
        return "O(n·m) to fill" + (", O(n³) to assign" if self.match == "1:1" else "") if self.dense else super().cost()


def _nonzero(cells: Chosen) -> Chosen:
    kept = np.flatnonzero(cells.w)
    return cells if len(kept) == len(cells.w) else cells.at(kept)


def _sizes(p: Flat, r: Flat, i: Vector, j: Vector) -> Vector:
    """How many pairs of elements each pair of collections has."""
    return np.diff(p.offsets)[i] * np.diff(r.offsets)[j]


def _portions(sizes: Vector) -> Iterator[tuple[int, int]]:
    """Split pairs of collections into stretches of at most `AT_ONCE` pairs of elements; a large one stands alone."""
    start, room = 0, AT_ONCE
    for place, size in enumerate(sizes.tolist()):
        if size > LARGE_TABLE or size > room:
            if place > start:
                yield start, place
            start, room = place, AT_ONCE
            if size > LARGE_TABLE:
                yield place, place + 1
                start = place + 1
                continue
        room -= size
    if start < len(sizes):
        yield start, len(sizes)
