"""Collections: Σ^◇ of their elements, the best pair of them, inclusion, and collections that many objects share.

Σ is solved once for each pair of collections: `chosen` has the matched elements, and their sum is the total.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from matchwise.algebra.nodes import Best, Contingency, Overlap
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Flat, Frame
from matchwise.engine.many.kernels import Chosen, Pairs, Vector, choose
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.values import Equality
from matchwise.engine.one.compound import OfPart
from matchwise.engine.one.matching import Bag, BestPair, ContingencyPair, OverlapPair, SubsetPair
from matchwise.engine.selection import attempt, join, valid
from matchwise.engine.solve.cells import check_table
from matchwise.engine.tuning import AT_ONCE


class BagOverlap(Operator):
    """Σ^◇[δ] of two bags, by an inverted index: two that share no element never meet, and equal ones are counted."""

    verb: str = "bag overlap"
    inner: Equality
    phi: Overlap

    def __init__(self, pair: Bag) -> None:
        super().__init__(pair)
        self.sel, self.match = self.phi.sel, self.phi.match

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        memo, tag = preds.side.memo, (self, preds, refs)
        made: Pairs | None = memo.get(tag)
        if made is None:
            p, r = preds.flat(self.sel), refs.flat(self.sel)
            _, mine, theirs = self.inner.codes(p.frame, r.frame)
            sizes = len(preds), len(refs)
            made = memo[tag] = kernels.overlaps(self.match, mine, p.owners, theirs, r.owners, sizes)
        return made

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """A look-up in the join, unless that has more to do than to count each pair by itself.

        It has with 20,000 lines that are joined on a key and share tags. Documents meet in pairs, whatever they share.
        """
        if preds.is_root or (self, preds, refs) in preds.side.memo:
            return super().at(preds, refs, i, j)
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        _, mine, theirs = self.inner.codes(p.frame, r.frame)
        heights, widths = np.diff(p.offsets)[i], np.diff(r.offsets)[j]
        if kernels.count_pairs(mine, theirs) <= heights.sum() + widths.sum():
            return super().at(preds, refs, i, j)
        here, a = kernels.lay_out(p.offsets[i], heights)
        there, b = kernels.lay_out(r.offsets[j], widths)
        many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
        sizes = len(i), len(i)
        found = kernels.overlaps(self.match, here * many + mine[a], here, there * many + theirs[b], there, sizes)
        return kernels.spread(len(i), found.i, found.w)

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal ones in the order of their content."""
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        _, mine, theirs = self.inner.codes(p.frame, r.frame)
        here, there = np.arange(len(p.frame)), np.arange(len(r.frame))
        if self.match != "N:N":
            first, second = _occurrences(p, mine), _occurrences(r, theirs)
            if self.match == "1:1":
                many = 1 + int(max(mine.max(initial=0), theirs.max(initial=0)))
                mine, theirs = first * many + mine, second * many + theirs
            elif self.match == "N:1":
                there = np.flatnonzero(second == 0)
            else:
                here = np.flatnonzero(first == 0)
        a, b = kernels.join(mine[here], theirs[there])
        a, b = here[a], there[b]
        block = kernels.number_pairs(i, j, len(refs), p.owners[a], r.owners[b])
        return Chosen.sorted(block, a, b, np.ones(len(a)))

    def self_scores(self, frame: Frame) -> Vector:
        flat = frame.flat(self.sel)
        if self.match != "N:N":
            self.inner.self_scores(flat.frame)
            return np.diff(flat.offsets).astype(np.float64)
        _, codes, _ = self.inner.codes(flat.frame, flat.frame)
        own, size = kernels.within(codes, flat.owners), len(frame)
        found = kernels.overlaps("N:N", own, flat.owners, own, flat.owners, (size, size))
        return kernels.spread(size, found.i, found.w)

    def detail(self) -> str:
        return f"{self.match}, inverted index on {self.inner.phi!r}"

    def cost(self) -> str:
        return "O(elements + non-zero)"


def _occurrences(flat: Flat, codes: Vector) -> Vector:
    """Number the elements of a collection that have the same code, in the order of their content."""
    own = kernels.within(codes, flat.owners)
    found = kernels.occurrences(own)
    if not found.any():
        return found
    order = np.argsort(own, kind="stable")
    groups = [order[run].tolist() for _, run in kernels.runs(own[order]) if run.stop - run.start > 1]
    for places in flat.frame.sort_by_content(groups):
        found[places] = np.arange(len(places))
    return found


class Inclusion(Operator):
    """φ_⊆(P, R) = ⟦∅ ≠ P ⊆ R⟧: Σ→[δ] = |P|, all elements of P are in R."""

    verb: str = "inclusion"

    def __init__(self, pair: SubsetPair) -> None:
        self.found = pair.inner.operator
        super().__init__(pair, self.found.inputs)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        i, j, w = self.found.join(preds, refs)
        return Pairs.of(i, j, (w == self.found.self_scores(preds)[i]).astype(np.float64))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        found, size = self.found.at(preds, refs, i, j), self.found.self_scores(preds)[i]
        return ((found == size) & (size > 0)).astype(np.float64)

    def self_scores(self, frame: Frame) -> Vector:
        return (self.found.self_scores(frame) > 0).astype(np.float64)

    def detail(self) -> str:
        return "inverted index"


class Select(Operator):
    """φ of a part that many objects share (the entity of each mention): computed once per distinct part."""

    verb: str = "select"

    def __init__(self, pair: OfPart) -> None:
        super().__init__(pair)
        self.sel = pair.sel

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        (p, xs), (r, ys) = preds.select(self.sel).distinct(), refs.select(self.sel).distinct()
        a, b, w = self.inner.join(xs, ys)
        i, at = kernels.join(p, a)
        place, j = kernels.join(b[at], r)
        i, w = i[place], w[at][place]
        order = np.lexsort((j, i))
        return Pairs(i[order], j[order], w[order])

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        (p, xs), (r, ys) = preds.select(self.sel).distinct(), refs.select(self.sel).distinct()
        x, y, number, order = kernels.group(p[i], r[j], len(ys))
        made = np.empty(len(i))
        made[order] = self.inner.at(xs, ys, x, y)[number]
        return made

    def self_scores(self, frame: Frame) -> Vector:
        numbers, distinct = frame.select(self.sel).distinct()
        return self.inner.self_scores(distinct)[numbers]

    def detail(self) -> str:
        return f"{join('', self.sel)}, once per distinct object"


class OverElements(Operator):
    """A function of the φ(u, v) of two collections: join the elements, or compare all of them."""

    phi: Best | Overlap

    def __init__(self, pair: BestPair | OverlapPair) -> None:
        super().__init__(pair)
        self.sel = self.phi.sel

    def flat(self, frame: Frame) -> Flat:
        """The elements that are compared."""
        return frame.flat(self.sel)

    def reduce(self, cells: Chosen, p: Frame, r: Frame, size: int) -> Vector:
        """What the cells of each of `size` pairs of collections come to."""
        raise NotImplementedError

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        if self.fills:
            return super().join(preds, refs)
        memo, tag = preds.side.memo, (self, preds, refs)
        made: Pairs | None = memo.get(tag)
        if made is None:
            p, r = self.flat(preds), self.flat(refs)
            a, b, w = self.inner.join(p.frame, r.frame)
            i, j, block, order = kernels.group(p.owners[a], r.owners[b], len(refs))
            cells = Chosen(block, a[order], b[order], w[order])
            made = memo[tag] = Pairs.of(i, j, self.reduce(cells, p.frame, r.frame, len(i)))
        return made

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """All elements of the given pairs are compared if a join must, or if they are fewer than it would look at."""
        p, r = self.flat(preds), self.flat(refs)
        few = len(p.frame) + len(r.frame)
        if not self.fills and (np.diff(p.offsets)[i] * np.diff(r.offsets)[j]).sum() > few:
            return super().at(preds, refs, i, j)
        made = np.zeros(len(i))
        for run, cells in self.compare_all(p, r, i, j):
            made[run] = self.reduce(cells, p.frame, r.frame, run.stop - run.start)
        return made

    def compare_all(self, p: Flat, r: Flat, i: Vector, j: Vector) -> Iterator[tuple[slice, Chosen]]:
        """Stretches of the given pairs of collections, and the cells of each: as many as are held in memory at once."""
        heights, widths = np.diff(p.offsets)[i], np.diff(r.offsets)[j]
        sizes = heights * widths
        if len(sizes):
            check_table(int(heights[sizes.argmax()]), int(widths[sizes.argmax()]))
        for _, run in kernels.runs(np.cumsum(sizes) // AT_ONCE):
            block, a, b = kernels.expand(i[run], j[run], p.offsets, r.offsets)
            cells = Chosen(block, a, b, self.inner.at(p.frame, r.frame, a, b))
            yield run, cells.at(np.flatnonzero(cells.w))


class BestElement(OverElements):
    """max φ(u, v) over the elements of two collections; a value that is not a collection is its own only element."""

    verb: str = "best pair"

    def flat(self, frame: Frame) -> Flat:
        return frame.flat(self.sel, lenient=True)

    def reduce(self, cells: Chosen, p: Frame, r: Frame, size: int) -> Vector:
        return kernels.max_by(cells.block, cells.w, size)

    def self_scores(self, frame: Frame) -> Vector:
        flat = self.flat(frame)
        if not self.inner.facts.self_score.holds:
            return super().self_scores(frame)
        return kernels.max_by(flat.owners, self.inner.self_scores(flat.frame), len(frame))


class MatchElements(OverElements):
    """Σ^◇[φ] of two bags."""

    verb: str = "match"
    phi: Overlap

    def __init__(self, pair: OverlapPair) -> None:
        super().__init__(pair)
        self.match = self.phi.match

    def chosen(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Chosen:
        """The matched elements of the given pairs of collections; equal optima are broken by content."""
        is_whole = preds.is_root and refs.is_root and len(i) == len(preds)  # a document each
        memo, tag = preds.side.memo, (self, preds, refs, "chosen")
        made: Chosen | None = memo.get(tag) if is_whole else None
        if made is not None:
            return made
        p, r = preds.flat(self.sel), refs.flat(self.sel)
        content = p.frame.sort_by_content, r.frame.sort_by_content
        if self.fills:
            found = [Chosen(i[:0], i[:0], i[:0], np.zeros(0))]
            for run, cells in self.compare_all(p, r, i, j):
                some = choose(self.match, cells, content)
                found.append(some._replace(block=some.block + run.start))
            made = Chosen(*map(np.concatenate, zip(*found, strict=True)))
        else:
            a, b, w = self.inner.join(p.frame, r.frame)
            block = kernels.number_pairs(i, j, len(refs), p.owners[a], r.owners[b])
            made = choose(self.match, Chosen.sorted(block, a, b, w), content)
        if is_whole:
            memo[tag] = made
        return made

    def reduce(self, cells: Chosen, p: Frame, r: Frame, size: int) -> Vector:
        content = None if self.pair.is_whole else (p.sort_by_content, r.sort_by_content)
        found = choose(self.match, cells, content)
        return kernels.sum_by(found.block, found.w, size)

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        if not (preds.is_root and refs.is_root):
            return super().at(preds, refs, i, j)
        found = self.chosen(preds, refs, i, j)
        return kernels.sum_by(found.block, found.w, len(i))

    def self_scores(self, frame: Frame) -> Vector:
        memo, tag = frame.side.memo, (self, frame)
        made: Vector | None = memo.get(tag)
        if made is None:
            flat = frame.flat(self.sel)
            if self.pair.is_best_to_itself:
                made = kernels.sum_by(flat.owners, self.inner.self_scores(flat.frame), len(frame))
            else:
                made = super().self_scores(frame)
            memo[tag] = made
        return made

    def detail(self) -> str:
        solver = {"1:1": "assignment", "N:1": "row maxima", "1:N": "column maxima", "N:N": "sum"}[self.match]
        return f"{self.match}, {solver}"

    def cost(self) -> str:
        if self.windows:
            return "O(pairs in reach)"
        return "O(n·m) to fill" + (", O(n³) to assign" if self.match == "1:1" else "") if self.dense else super().cost()


class Tabulate(Operator):
    """f(T), T the non-zero φ(u, v) of two collections: a join finds them, which several metrics may share."""

    verb: str = "function of a table"
    phi: Contingency

    def __init__(self, pair: ContingencyPair) -> None:
        super().__init__(pair)
        self.windows = False  # f of two collections that share nothing need not be 0

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = preds.flat(self.phi.sel), refs.flat(self.phi.sel)
        a, b, w = self.inner.join(p.frame, r.frame)
        block, a, b, w = Chosen.sorted(kernels.number_pairs(i, j, len(refs), p.owners[a], r.owners[b]), a, b, w)
        rows, columns, weights = (
            (a - p.offsets[i[block]]).tolist(),
            (b - r.offsets[j[block]]).tolist(),
            kernels.whole(w),
        )
        made = np.zeros(len(i))
        for number, run in enumerate(pairwise(np.searchsorted(block, np.arange(len(i) + 1)).tolist())):
            some = slice(*run)
            try:
                found = attempt(self.phi.function, rows[some], columns[some], weights[some])
                made[number] = valid(found, self.phi, self.facts)
            except ValueError as error:
                raise preds.fail(int(i[number]), str(error), self.phi.sel) from error
        return made

    def detail(self) -> str:
        return self.phi.function.__name__

    def cost(self) -> str:
        return "O(n·m)" if self.inner.dense else "O(non-zero)"
