"""Collections whose elements have a similarity of their own: join the elements, then match them per pair of owners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from matchwise.algebra.facts import is_realigned, is_whole
from matchwise.algebra.nodes import Number, Overlap
from matchwise.engine.frame import Flat, Frame, Vector
from matchwise.engine.kernels.sequence import (
    chain_total,
    common_subsequence,
    lay_out,
    matrix_total,
    sequence_matched,
    sequence_total,
)
from matchwise.engine.kernels.short import exact_sum
from matchwise.engine.limits import answer, reads_upper
from matchwise.engine.operators.base import Operator, Pairs
from matchwise.engine.operators.equality import Equality
from matchwise.engine.solve import Cell, Chosen, choose_cells, combine
from matchwise.engine.tuning import AT_ONCE, FEW, SPARSE, TOO_MANY

if TYPE_CHECKING:
    from matchwise.engine.operators.searched import Bounded


class MatchElements(Operator):
    """Σ^◇[φ] of two collections."""

    verb: ClassVar[str] = "match"

    def __init__(self, phi: Overlap, inner: Operator, by: Operator | None) -> None:
        super().__init__(phi, *((inner,) if by is None else (inner, by)))
        self.inner, self.by = inner, by
        self.sel, self.match, self.order = phi.sel, phi.match, phi.order
        self.dense = phi.order != "bag" or (inner if by is None else by).dense
        self.is_whole = phi.order == "bag" and is_whole(inner.phi)
        """True if all weights are whole numbers: no sum of them is rounded, in whatever order they are added."""
        self.windows = phi.order == "bag" and (inner if by is None else by).windows

    def _fills(self, p: Frame, r: Frame) -> bool:
        """True if most pairs of elements score, so that all are compared instead of joined."""
        return (self.inner if self.by is None else self.by).fills(p, r)

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        if self.order != "bag" or self.by is not None or self._fills(p.frame, r.frame):
            return super()._join(preds, refs)
        kernels = preds.kernels
        a, b, w = self.inner.join(p.frame, r.frame)
        owners = kernels.gather(p.owners(), a), kernels.gather(r.owners(), b)
        i, j, block, order = kernels.group(*owners, len(refs))
        cells = (kernels.gather(column, order) for column in (a, b, w))
        return Pairs(*kernels.filter_pairs(i, j, kernels.totals(self.match, block, *cells, len(i))))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        kernels = preds.kernels
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        is_read = preds.side.reads_pairs and preds.is_root and refs.is_root
        if self.by is not None or (is_read and self.is_whole and not self._has_large(p, r, i, j)):
            chosen = self.chosen(preds, refs, i, j)
            return kernels.sum_by(chosen.block, chosen.w, len(i))
        if self.order == "index":
            block, a, b = kernels.diagonal(i, j, p.offsets, r.offsets)
            return kernels.sum_by(block, self.inner.at(p.frame, r.frame, a, b), len(i))
        if self.order == "sequence":
            return kernels.weights(self._sequences(preds, refs, i, j))
        if self._fills(p.frame, r.frame):
            return self._fill(p, r, i, j)
        if not (preds.is_root and refs.is_root):
            found = self.join(preds, refs)
            return found.w if found.i is i and found.j is j else found.at(kernels, len(refs), i, j)
        return kernels.totals(self.match, *self._join_elements(self.inner, preds, refs, i, j), len(i))

    def _fill(self, p: Flat, r: Flat, i: Vector, j: Vector) -> Vector:
        """Σ of the given owners, comparing all pairs of their elements; large collections are taken one by one."""
        kernels = p.frame.kernels
        sizes = _sizes(p, r, i, j)
        large = kernels.nonzero(kernels.larger(sizes, FEW, True))
        if not len(large):
            return self._blocks(p, r, i, j)
        kernels.leave_lists()
        small = kernels.nonzero(kernels.larger(kernels.scale(sizes, -1), -FEW, False))
        values = self._blocks(p, r, kernels.gather(i, small), kernels.gather(j, small))
        made = kernels.spread(len(i), small, values)
        alone = [
            self._large(p.of(x), r.of(y))
            for x, y in zip(*(kernels.plain(kernels.gather(v, large)) for v in (i, j)), strict=True)
        ]
        return kernels.plus(made, kernels.spread(len(i), large, kernels.weights(alone)))

    def _blocks(self, p: Flat, r: Flat, i: Vector, j: Vector) -> Vector:
        kernels = p.frame.kernels
        if self._is_one_table(p, r) and len(i):
            return self._table_total(p.frame, r.frame)
        made = []
        for start, end in self._portions(p, r, i, j):
            block, a, b, w = self._compare(self.inner, p, r, i[start:end], j[start:end])
            mine, theirs = (
                kernels.gather(kernels.sizes_of(flat.offsets), owners[start:end]) for flat, owners in ((p, i), (r, j))
            )
            made.append(kernels.table_totals(self.match, block, a, b, w, mine, theirs))
        return made[0] if len(made) == 1 else kernels.concatenate(made) if made else kernels.full(0, 0)

    def _compare(self, inner: Operator, p: Flat, r: Flat, i: Vector, j: Vector) -> Chosen:
        """All pairs of elements of the given owners; they are kept, as the same owners may be asked for again."""
        kernels, tag, ends = p.frame.kernels, (inner, "compared", r.frame), (p.offsets, r.offsets)
        made: tuple[Vector, Vector, Vector, Vector, Chosen] | None = p.frame.memo.get(tag)
        if made is None or not all(map(kernels.same_places, made, (i, j, *ends))):
            block, a, b = kernels.expand(i, j, *ends, inner.effort)
            made = i, j, *ends, Chosen(block, a, b, inner.at(p.frame, r.frame, a, b))
            if p.frame is not r.frame:  # a frame that remembered itself would outlive the batch
                p.frame.memo[tag] = made
        return made[4]

    def _is_one_table(self, p: Flat, r: Flat) -> bool:
        """True if there is one collection a side, and all of their pairs are compared."""
        alone = len(p.offsets) == len(r.offsets) == 2 and bool(len(p.frame) and len(r.frame))
        return alone and self._fills(p.frame, r.frame)

    def _table_total(self, p: Frame, r: Frame) -> Vector:
        """Σ of two collections by themselves, all pairs compared."""
        places = p.kernels.cross(len(p), len(r), self.inner.effort)
        return p.kernels.table_total(self.match, *places, self.inner.at(p, r, *places))

    def _portions(self, p: Flat, r: Flat, i: Vector, j: Vector) -> list[tuple[int, int]]:
        """Split the given pairs into stretches of at most `AT_ONCE` pairs of elements."""
        if len(p.frame) * len(r.frame) <= AT_ONCE:
            return [(0, len(i))] if len(i) else []
        kernels = p.frame.kernels
        sizes = _sizes(p, r, i, j)
        made, start, room = [], 0, AT_ONCE
        for place, size in enumerate(kernels.plain(sizes)):
            if size > room and place > start:
                made.append((start, place))
                start, room = place, AT_ONCE
            room -= size
        return [*made, (start, len(i))] if len(i) > start else made

    def _large(self, p: Frame, r: Frame) -> Number:
        """Σ of two large collections: equal items are paired first where that is exact, then the rest is compared."""
        if not len(p) or not len(r):
            return 0
        paired = self._pair_equals(p, r)
        if paired is not None:
            equal, left_p, left_r = paired
            kernels = p.kernels
            own = kernels.plain(kernels.gather(self.inner.self_scores(p), kernels.places([i for i, _ in equal])))
            return exact_sum([*own, self._whole(p.take(left_p), r.take(left_r))])
        return self._whole(p, r)

    def _pair_equals(self, p: Frame, r: Frame) -> tuple[list[tuple[int, int]], list[int], list[int]] | None:
        """Pair equal items: the pairs and the items left over; None unless this is proved to lose nothing."""
        if self.by is not None or self.match != "1:1" or self.order != "bag":
            return None
        from matchwise.engine.operators.bulk import is_best_with_equals, pair_equals

        phi = self.inner.phi
        return pair_equals(phi, p, r) if is_best_with_equals(phi) else None

    def _whole(self, p: Frame, r: Frame) -> Number:
        if not len(p) or not len(r):
            return 0
        priced = self._price(p, r)
        if priced is not None:
            return priced.upper if reads_upper() else priced.lower
        kernels = p.kernels
        if self._fills(p, r):
            total = self._table_total(p, r)
        else:
            a, b, w = self.inner.join(p, r)
            total = kernels.totals(self.match, kernels.zeros(len(a)), a, b, w, 1)
        found: Number = kernels.plain(total)[0]
        return found

    def _price(self, preds: Frame, refs: Frame) -> Bounded | None:
        """The best pairs of two collections that are too large for all pairs to be compared."""
        if len(preds) * len(refs) <= TOO_MANY or self.match != "1:1" or self.order != "bag" or self.by is not None:
            return None
        from matchwise.engine.operators.bulk import Candidates, solve_priced

        if not Candidates.suits(self.inner) or not (self.inner.dense or self.inner.volume(preds, refs) > AT_ONCE):
            return None
        name = (self, preds.side.name, preds.path(0), len(preds), refs.side.name, refs.path(0), len(refs))
        more = Candidates(self.inner, preds, refs).more
        return answer(name, lambda limits: solve_priced(len(preds), len(refs), more, limits))

    def _cells(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The pairs of elements that score or may be aligned, sorted by the pair of their owners."""
        kernels = preds.kernels
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        inner = self.inner if self.by is None else self.by
        if self.order == "index":
            block, a, b = kernels.diagonal(i, j, p.offsets, r.offsets)
            w = inner.at(p.frame, r.frame, a, b)
        elif self._is_one_table(p, r) and len(i):
            places = kernels.cross(len(p.frame), len(r.frame), inner.effort)
            a, b, w = kernels.filter_pairs(*places, inner.at(p.frame, r.frame, *places))
            return Chosen(kernels.zeros(len(a)), a, b, w)
        elif self._fills(p.frame, r.frame):
            block, a, b, w = self._compare(inner, p, r, i, j)
        else:
            return self._join_elements(inner, preds, refs, i, j)
        kept = kernels.nonzero(w)
        if len(kept) == len(w):
            return Chosen(block, a, b, w)
        return Chosen(*(kernels.gather(column, kept) for column in (block, a, b, w)))

    def _join_elements(self, inner: Operator, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The pairs of elements that a join finds."""
        kernels = preds.kernels
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        known = inner.known_pairs(self.sel, preds, refs)
        a, b, w = inner.join(p.frame, r.frame) if known is None else known  # no call around `join`: trees are deep
        here = kernels.gather(p.owners(), a)
        if len(i) == len(preds) and preds.is_root and refs.is_root and kernels.same_places(i, kernels.index(len(i))):
            return Chosen(here, a, b, w)
        there = kernels.gather(r.owners(), b)
        return Chosen.sorted(kernels, kernels.number_pairs(i, j, len(refs), here, there), a, b, w)

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        tag, is_same = (self, "chosen", refs), preds.kernels.same_places
        made: tuple[Vector, Vector, Chosen] | None = preds.memo.get(tag)
        if made is None or not (is_same(made[0], i) and is_same(made[1], j)):
            made = i, j, self._choose(preds, refs, i, j)
            if preds is not refs:  # a frame that remembered itself would outlive the batch
                preds.memo[tag] = made
        return made[2]

    def _choose(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        kernels = preds.kernels
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        if self.order == "bag" and self.by is None and self._has_large(p, r, i, j):
            return self._choose_one_by_one(p, r, i, j)
        cells = self._cells(preds, refs, i, j)
        if self.order == "index" and self.by is None:
            return cells
        if self.order == "bag" and self.by is None:
            content = p.frame.sort_by_content, r.frame.sort_by_content
            kept = kernels.choose(self.match, *cells, content)
        else:
            kept = kernels.places(self._pick(p, r, i, j, cells))
        weights = cells.w if self.by is None else self.inner.at(p.frame, r.frame, cells.a, cells.b)
        return Chosen(*(kernels.gather(column, kept) for column in (*cells[:3], weights)))

    def _pick(self, p: Flat, r: Flat, i: Vector, j: Vector, cells: Chosen) -> list[int]:
        """The numbers of the matched cells when the matching keeps an order or another similarity aligns."""
        kernels = p.frame.kernels
        first = second = None
        if self.by is not None:
            first = kernels.plain(cells.w)
            second = kernels.plain(self.inner.at(p.frame, r.frame, cells.a, cells.b))
        content = p.frame.sort_by_content, r.frame.sort_by_content
        picked: list[int] = []
        for number, run in kernels.runs(cells.block):
            w = cells.w[run] if first is None or second is None else combine(first[run], second[run])
            if self.order == "sequence":
                found = self._best_sequence(cells.a[run], cells.b[run], w, p, r, int(i[number]), int(j[number]))
            else:
                found = [place for place, weight in enumerate(w) if weight]
            if self.order == "bag":
                columns = kernels.plain(cells.a[run]), kernels.plain(cells.b[run]), w
                some = [cell for cell in zip(*columns, strict=True) if cell[2]]
                found = [found[place] for place in choose_cells(self.match, some, content, exact=True)]
            picked += [run.start + place for place in found]
        return picked

    def _best_sequence(self, a: Vector, b: Vector, w: Vector, p: Flat, r: Flat, x: int, y: int) -> list[int]:
        """The numbers of the cells of a best matching of two sequences."""
        kernels = p.frame.kernels
        rows, columns = p.span(x), r.span(y)
        found = sequence_matched(self.match, lay_out(a, b, w, rows, columns), len(columns))
        i, j = kernels.places([rows[x] for x, _, _ in found]), kernels.places([columns[y] for _, y, _ in found])
        numbers: list[int] = kernels.plain(kernels.number_pairs(a, b, len(r.frame), i, j))
        return numbers

    def _sequences(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> list[Number]:
        """Σ of the given pairs of sequences."""
        kernels = preds.kernels
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        pairs = list(zip(kernels.plain(i), kernels.plain(j), strict=True))
        if self.match == "1:1" and isinstance(self.inner, Equality):
            mine, theirs = map(kernels.plain, self.inner.codes(p.frame, r.frame))
            ends_p, ends_r = kernels.plain(p.offsets), kernels.plain(r.offsets)
            return [
                common_subsequence(mine[ends_p[x] : ends_p[x + 1]], theirs[ends_r[y] : ends_r[y + 1]]) for x, y in pairs
            ]
        if self._is_one_table(p, r) and len(p.frame) * len(r.frame) >= FEW:
            places = kernels.cross(len(p.frame), len(r.frame), self.inner.effort)
            if kernels.is_table(places[0]):
                return [matrix_total(self.match, self.inner.at(p.frame, r.frame, *places))]
        made: list[Number] = [0] * len(pairs)
        cells = self._cells(preds, refs, i, j)
        for number, run in kernels.runs(cells.block):
            rows, columns = p.span(pairs[number][0]), r.span(pairs[number][1])
            cut = cells.a[run], cells.b[run], cells.w[run]
            if len(rows) * len(columns) >= max(FEW, SPARSE * len(cut[0])):
                i, j, w = map(kernels.plain, cut)
                places = [x - rows.start for x in i], [y - columns.start for y in j]
                made[number] = chain_total(self.match, *places, w, len(columns))
            else:
                made[number] = sequence_total(self.match, lay_out(*cut, rows, columns), len(columns))
        return made

    def _has_large(self, p: Flat, r: Flat, i: Vector, j: Vector) -> bool:
        if len(p.frame) * len(r.frame) <= FEW or not self._fills(p.frame, r.frame):
            return False
        kernels = p.frame.kernels
        return bool(len(kernels.nonzero(kernels.larger(_sizes(p, r, i, j), FEW, True))))

    def _choose_one_by_one(self, p: Flat, r: Flat, i: Vector, j: Vector) -> Chosen:
        """Match the elements of large collections, one pair of collections at a time."""
        kernels = p.frame.kernels
        kernels.leave_lists()
        found = []
        for number, (x, y) in enumerate(zip(kernels.plain(i), kernels.plain(j), strict=True)):
            top, left = int(p.offsets[x]), int(r.offsets[y])
            found += [(number, top + a, left + b, w) for a, b, w in self._choose_alone(p.of(x), r.of(y))]
        columns = list(zip(*found, strict=True)) if found else [(), (), (), ()]
        block, a, b = map(kernels.places, columns[:3])
        return Chosen(block, a, b, kernels.weights(columns[3]))

    def _choose_alone(self, p: Frame, r: Frame) -> list[Cell]:
        """The matched elements of two collections, sorted."""
        if not len(p) or not len(r):
            return []
        kernels = p.kernels
        if len(p) * len(r) > FEW:
            paired = self._pair_equals(p, r)
            if paired is not None:
                equal, left_p, left_r = paired
                own = kernels.plain(self.inner.self_scores(p))
                rest = self._choose_alone(p.take(left_p), r.take(left_r))
                return sorted([*((i, j, own[i]) for i, j in equal), *((left_p[i], left_r[j], w) for i, j, w in rest)])
            priced = self._price(p, r)
            if priced is not None:
                return priced.matched
        a, b, w = self.inner.join(p, r)
        block = kernels.zeros(len(a))
        kept = kernels.choose(self.match, block, a, b, w, (p.sort_by_content, r.sort_by_content))
        return list(zip(*(kernels.plain(kernels.gather(column, kept)) for column in (a, b, w)), strict=True))

    def volume(self, preds: Frame, refs: Frame) -> int:
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        return super().volume(preds, refs) or self.inner.volume(p.frame, r.frame)

    def _self_scores(self, frame: Frame) -> Vector:
        kernels, flat = frame.kernels, frame.flat(self.sel)
        facts = self.inner.facts
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
                return kernels.weights(kernels.sizes_of(flat.offsets))
            return kernels.sum_by(flat.owners(), self.inner.self_scores(flat.frame), len(frame))
        places = kernels.index(len(frame))
        if self.order == "bag" and not self._fills(flat.frame, flat.frame):
            return kernels.totals(
                self.match, *self._join_elements(self.inner, frame, frame, places, places), len(frame)
            )
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


def _sizes(p: Flat, r: Flat, i: Vector, j: Vector) -> Vector:
    """How many pairs of elements each pair of collections has."""
    kernels = p.frame.kernels
    heights, widths = kernels.sizes_of(p.offsets), kernels.sizes_of(r.offsets)
    return kernels.times(kernels.gather(heights, i), kernels.gather(widths, j))
