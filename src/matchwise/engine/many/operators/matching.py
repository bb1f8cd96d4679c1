"""Collections whose elements have a similarity of their own: compare or join the elements, then match them.

Σ is solved once for each pair of collections: `chosen` has the matched elements, and their sum is the total.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

import numpy as np

from matchwise.algebra.facts import is_realigned, is_whole
from matchwise.algebra.nodes import Contingency, Overlap
from matchwise.engine.many import kernels
from matchwise.engine.many.blocks import Chosen, choose, choose_in_table
from matchwise.engine.many.frame import Flat, Frame, Vector
from matchwise.engine.many.operators.base import Operator, Pairs, Places, all_places
from matchwise.engine.selection import attempt, valid
from matchwise.engine.solve.cells import Content, check_table
from matchwise.engine.tuning import AT_ONCE, LARGE_TABLE


class MatchElements(Operator):
    """Σ^◇[φ] of two bags."""

    verb: ClassVar[str] = "match"

    def __init__(self, phi: Overlap, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel, self.match = phi.sel, phi.match
        self.dense, self.windows = inner.dense, inner.windows
        self.is_whole = is_whole(inner.phi)
        """True if all weights are whole numbers: equal optima have the same sum to the last bit, whichever is found."""

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        if preds is refs or not (preds.is_root and refs.is_root and len(i) == len(preds)):
            return self._solve(preds, refs, i, j, ordered=True)
        return preds.once((self, "chosen", refs), lambda: self._solve(preds, refs, i, j, ordered=True))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        if preds.is_root and refs.is_root:
            found = self.chosen(preds, refs, i, j)
        elif self._fills(preds, refs):
            found = self._solve(preds, refs, i, j, ordered=not self.is_whole)
        else:
            return super()._at(preds, refs, i, j)
        return kernels.sum_by(found.block, found.w, len(i))

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        if self._fills(preds, refs):
            i, j = all_places(preds, refs)
            return Pairs(*kernels.filter_pairs(i, j, self.at(preds, refs, i, j)))
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        a, b, w = self.inner.join(p.frame, r.frame)
        i, j, block, order = kernels.group(p.owners()[a], r.owners()[b], len(refs))
        cells = Chosen(block, a[order], b[order], w[order])
        content = None if self.is_whole else (p.frame.sort_by_content, r.frame.sort_by_content)
        found = cells.at(choose(self.match, cells, content))
        return Pairs(*kernels.filter_pairs(i, j, kernels.sum_by(found.block, found.w, len(i))))

    def _fills(self, preds: Frame, refs: Frame) -> bool:
        """True if most pairs of elements score, so that all are compared instead of joined."""
        return self.inner.near(preds.flat(self.sel).frame, refs.flat(self.sel).frame) is None

    def _solve(self, preds: Frame, refs: Frame, i: Vector, j: Vector, *, ordered: bool) -> Chosen:
        """The elements that a best matching of each pair of collections chooses."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        content = (p.frame.sort_by_content, r.frame.sort_by_content) if ordered else None
        if not self._fills(preds, refs):
            a, b, w = self.inner.join(p.frame, r.frame)
            block = kernels.number_pairs(i, j, len(refs), p.owners()[a], r.owners()[b])
            cells = Chosen.sorted(block, a, b, w)
            return cells.at(choose(self.match, cells, content))
        found = [Chosen.of([])]
        sizes = _sizes(p, r, i, j)
        for start, end in _portions(sizes):
            if sizes[start] > LARGE_TABLE:
                found.append(self._solve_large(p, r, int(i[start]), int(j[start]), start, content))
                continue
            block, a, b = kernels.expand(i[start:end], j[start:end], p.offsets, r.offsets)
            cells = Chosen(block, a, b, self.inner.at(p.frame, r.frame, a, b))
            cells = cells.at(np.flatnonzero(cells.w))
            some = cells.at(choose(self.match, cells, content))
            found.append(some._replace(block=some.block + start))
        return Chosen(*map(np.concatenate, zip(*found, strict=True)))

    def _solve_large(
        self, p: Flat, r: Flat, x: int, y: int, number: int, content: tuple[Content, Content] | None
    ) -> Chosen:
        """The matched elements of two large collections, whose pairs are a matrix."""
        us, vs, top, left = p.of(x), r.of(y), int(p.offsets[x]), int(r.offsets[y])
        check_table(len(us), len(vs))
        matrix = self.inner.at(us, vs, *kernels.cross(len(us), len(vs)))
        orders = None
        if content is not None:
            [mine], [theirs] = content[0]([list(p.span(x))]), content[1]([list(r.span(y))])
            orders = np.array(mine) - top, np.array(theirs) - left
        a, b = choose_in_table(self.match, matrix, orders)
        return Chosen(np.full(len(a), number), a + top, b + left, matrix[a, b])

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        return None if self._fills(preds, refs) else self.join(preds, refs)[:2]

    def _self_scores(self, frame: Frame) -> Vector:
        flat, facts = frame.flat(self.sel), self.inner.facts
        best = {"1:1": facts.left or facts.right, "N:1": facts.left, "1:N": facts.right, "N:N": False}[self.match]
        is_own = self.inner.best_with_itself or not is_realigned(self.inner.phi)
        if best or (is_own and self.inner.tells_apart(flat.frame)):
            return kernels.sum_by(flat.owners(), self.inner.self_scores(flat.frame), len(frame))
        places = np.arange(len(frame))
        return self.at(frame, frame, places, places)

    def detail(self) -> str:
        solver = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}[self.match]
        return f"{self.match}, {solver}"

    def cost(self) -> str:
        if self.windows:
            return "O(pairs in reach)"
        return "O(n·m) to fill" + (", O(n³) to assign" if self.match == "1:1" else "") if self.dense else super().cost()


class Tabulate(Operator):
    """f(T), T the non-zero φ(u, v) of two collections: a join finds them, which several metrics may share."""

    verb: ClassVar[str] = "function of a table"
    dense = True  # f of two collections that share nothing need not be 0
    phi: Contingency

    def __init__(self, phi: Contingency, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = preds.flat(self.phi.sel), refs.flat(self.phi.sel)
        a, b, w = self.inner.join(p.frame, r.frame)
        block, a, b, w = Chosen.sorted(kernels.number_pairs(i, j, len(refs), p.owners()[a], r.owners()[b]), a, b, w)
        rows, columns = (a - p.offsets[i[block]]).tolist(), (b - r.offsets[j[block]]).tolist()
        weights, ends = kernels.whole(w), np.searchsorted(block, np.arange(len(i) + 1)).tolist()
        made = np.zeros(len(i))
        for number, (start, end) in enumerate(pairwise(ends)):
            try:
                found = attempt(self.phi.function, rows[start:end], columns[start:end], weights[start:end])
                made[number] = valid(found, self.phi, self.facts)
            except ValueError as error:
                raise preds.select(self.phi.sel).fail(int(i[number]), str(error)) from error
        return made

    def detail(self) -> str:
        return self.phi.function.__name__

    def cost(self) -> str:
        return "O(n·m)" if self.inner.dense else "O(non-zero)"


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
