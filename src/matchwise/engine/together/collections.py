"""Documents whose collections are matched together.

A corpus of sentences is a corpus of overheads when it is counted sentence by sentence. Only what gives the very same
numbers either way is counted together: a function of two documents, or a collection at the root of a plan, whose
elements are joined by keys (each document is a scope, which no join leaves), or are compared by leaves that compare
each pair by itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import chain, compress, pairwise, repeat
from operator import sub
from typing import Any

from matchwise.algebra.nodes import Selector
from matchwise.engine.credit import labels_of
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.latent import LatentMatch
from matchwise.engine.operators.leaf import FEW
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.order import content_order
from matchwise.engine.pairs import Table, as_table
from matchwise.engine.parts import Flat, Parts
from matchwise.engine.plan import Program
from matchwise.engine.solvers.matching import Matched, exact_sum, matched, total
from matchwise.engine.together.batch import Batch
from matchwise.engine.together.labels import ByLabel, Cells, Column
from matchwise.engine.together.roots import Collection, counts_together, joined, matched_at_root, root_of
from matchwise.engine.together.telling import Pairs, parts_of, telling_parts

SMALL_CELLS = 1024
"""Up to this many pairs of elements of one document are compared together with those of all others."""


class Collections(Batch):
    """Documents whose collections are matched together."""

    @staticmethod
    def suits(program: Program, labelled: Iterable[str] = ()) -> bool:
        """Whether documents can be counted together under every plan of a program, and some of them by label."""
        if any(matched_at_root(program.plans[name]) is None for name in labelled):
            return False
        return all(counts_together(operator) for plan in program.plans.values() for operator in plan.sums)

    def __init__(self, program: Program, preds: list[Any], refs: list[Any]) -> None:
        scoped = any(joined(operator) for plan in program.plans.values() for operator in plan.sums)
        super().__init__(program, preds, refs, scoped=scoped)
        self._telling = telling_parts(program)
        self._made: dict[Any, Any] = {}

    def columns(self, name: str) -> tuple[Column, Column, Column, Column]:
        """Matched, predicted, recalled and reference quantities of one metric, document by document."""
        plan = self.program.plans[name]
        if plan.root == "value":
            values = self._along(plan.operator)
            ones: Column = [1] * len(values)
            return values, ones, values, ones
        if plan.root == "counts" and (told := self._told(plan.sums[0])) is not None:
            return told
        p, r = plan.sums if plan.root == "sides" else plan.sums * 2
        matched = self._along(p)
        recalled = matched if p is r else self._along(r)
        return matched, self._selfs(p, self.p), recalled, self._selfs(r, self.r)

    def _told(self, operator: Operator) -> tuple[Column, Column, Column, Column] | None:
        """The quantities of a metric whose elements are told apart by what other metrics of theirs compare too."""
        before, root = root_of(operator)
        parts = parts_of(root)
        part = self._telling.get((before, root.sel)) if isinstance(root, BagOverlap) else None
        if parts is None or part not in parts:
            return None
        tag = (part, before, root.sel)  # type: ignore[attr-defined]  # a BagOverlap
        pairs: Pairs | None = self._made.get(tag)
        if pairs is None:
            p, r = (side.select(before).flat(root.sel) for side in (self.p, self.r))  # type: ignore[attr-defined]
            pairs = self._made[tag] = Pairs(part, p, r)
        if not pairs.tells:
            return None
        matched = pairs.totals(parts)
        predicted, reference = ([b - a for a, b in pairwise(flat.offsets)] for flat in (pairs.p, pairs.r))
        return matched, predicted, matched, reference  # type: ignore[return-value]  # whole numbers

    def _along(self, operator: Operator) -> Column:
        """φ of each prediction and its reference."""
        before, root = root_of(operator)
        p, r = self.p.select(before), self.r.select(before)
        if isinstance(root, Collection):
            mine, theirs = p.flat(root.sel), r.flat(root.sel)
            if joined(root):
                return _totals(root, mine, theirs)  # type: ignore[arg-type]  # a MatchElements
            if isinstance(root, MatchElements) or root in self._made:
                each, solved = self._matched(root, mine, theirs)
                totals: Column = [exact_sum([w for _, _, w in found]) if found else 0 for found in each]
                for owner in solved:
                    totals[owner] = root.one(p.take([owner]), r.take([owner]))
                return totals
        if isinstance(root, LatentMatch):
            return root.along(p, r)
        places = list(range(len(p)))
        return root.probe(p, r, places, places)

    def _selfs(self, operator: Operator, parts: Parts) -> Column:
        before, root = root_of(operator)
        return _selfs(root, parts.select(before))

    def labels(self, name: str, sel: Selector) -> list[ByLabel]:
        """The quantities of one metric by the label of its elements, in the order in which documents bring labels."""
        before, collection = self._of(name)
        p, r = (side.select(before).flat(collection.sel) for side in (self.p, self.r))
        table = self._cells(p, r, sel)
        found: Column = [0] * table.size
        recalled: Column = [0] * table.size
        mine, theirs = table.mine, table.theirs
        for i, j, amount in chain.from_iterable(self._matched(collection, p, r, by_content=True)[0]):
            found[mine[i]] += amount
            recalled[theirs[j]] += amount
        predicted = table.total(mine, collection.inner.selfs(p.parts))
        reference = table.total(theirs, collection.inner.selfs(r.parts))
        columns = found, predicted, recalled, reference
        return [ByLabel(label, places, *map(pick, columns)) for label, places, pick in table.labels]

    def _of(self, name: str) -> tuple[Selector, Collection]:
        made = matched_at_root(self.program.plans[name])
        assert made is not None, "suits says so"
        return made

    def _cells(self, p: Flat, r: Flat, sel: Selector) -> Cells:
        tag = (p.parts, r.parts, sel)
        made: Cells | None = self._made.get(tag)
        if made is None:
            made = self._made[tag] = Cells(p, labels_of(p.parts, sel), r, labels_of(r.parts, sel))
        return made

    def _matched(
        self, collection: Collection, p: Flat, r: Flat, *, by_content: bool = False
    ) -> tuple[list[Matched], list[int]]:
        """The matched pairs of each document, numbered through all; of equal optima any, or that by content.

        And the documents whose equal optima may differ in the last digit of their sums: pairs only `by_content`.
        """
        made: tuple[list[Matched], list[int]] | None = self._made.get(collection)
        if made is None:
            if isinstance(collection, BagOverlap):
                made = self._equal(collection, p, r), []
            else:
                made = self._near(collection, p, r, by_content)
            self._made[collection] = made
        return made

    def _equal(self, collection: BagOverlap, p: Flat, r: Flat) -> list[Matched]:
        mine, theirs = collection.inner.keys(p.parts), collection.inner.keys(r.parts)
        found: list[Matched] = []
        for owner, ((a, b), (c, d)) in enumerate(zip(pairwise(p.offsets), pairwise(r.offsets), strict=True)):
            if a == b or c == d:
                found.append([])
                continue
            place = dict(zip(theirs[c:d], range(c, d), strict=True))
            if len(place) == d - c and len(set(mine[a:b])) == b - a:
                found.append([(i, place[k], 1) for i, k in enumerate(mine[a:b], start=a) if k in place])
            else:
                found.append(_alone(collection, p, r, owner))
        return found

    def _near(self, collection: MatchElements, p: Flat, r: Flat, by_content: bool) -> tuple[list[Matched], list[int]]:
        rows, columns, solved = self._same_document(p, r)
        weights = collection.inner.at(p.parts, r.parts, rows, columns) if rows else []
        pairs = list(compress(zip(rows, columns, weights, strict=True), weights))
        found: list[Matched] = [[] for _ in pairwise(p.offsets)]
        owners = p.owners()
        for pair in pairs:
            found[owners[pair[0]]].append(pair)
        for owner in solved if by_content else ():
            found[owner] = _alone(collection, p, r, owner)
        solved = list(solved)
        for owner in _torn(pairs, owners, r.owners()):
            chosen = _plain_choice(found[owner], collection.match == "1:1", by_content)
            if chosen is not None:
                found[owner] = chosen
                continue
            exact = _adds_exactly(found[owner])
            if by_content:
                found[owner] = _by_content(collection, p, r, owner, found[owner])
            elif exact:
                found[owner] = _any_optimum(collection, p.offsets[owner], r.offsets[owner], found[owner])
            if not exact:
                solved.append(owner)
        return found, solved

    def _same_document(self, p: Flat, r: Flat) -> tuple[list[int], list[int], list[int]]:
        """All pairs of elements of one document, and the documents that have too many of them."""
        tag = (p.parts, r.parts)
        made: tuple[list[int], list[int], list[int]] | None = self._made.get(tag)
        if made is None:
            rows: list[int] = []
            columns: list[int] = []
            alone: list[int] = []
            for owner, ((a, b), (c, d)) in enumerate(zip(pairwise(p.offsets), pairwise(r.offsets), strict=True)):
                if (b - a) * (d - c) > SMALL_CELLS:
                    alone.append(owner)
                elif b > a and d > c:
                    there = range(c, d)
                    for i in range(a, b):
                        rows += repeat(i, d - c)
                        columns += there
            made = self._made[tag] = rows, columns, alone
        return made


def _totals(collection: MatchElements, p: Flat, r: Flat) -> Column:
    """Σ of each document: the pairs of a joined table are those of one document after the other."""
    inner, offsets = collection.inner, p.offsets
    cells = inner.forced(p.parts, r.parts)
    if cells is None and collection.match == "N:N":
        cells = inner.cells(p.parts, r.parts)
    if cells is not None:
        rows, _, weights = cells
        ends = [bisect_left(rows, offset) for offset in offsets]
        return [exact_sum(weights[a:b]) for a, b in pairwise(ends)]
    table = as_table(inner.pairs(p.parts, r.parts))
    sizes = map(sub, r.offsets[1:], r.offsets)
    return [
        total(collection.match, "bag", table[a:b], b - a, m) for (a, b), m in zip(pairwise(offsets), sizes, strict=True)
    ]


def _selfs(root: Operator, parts: Parts) -> Column:
    """φ(x, x) of each document; of a collection where every element counts 1, how many there are."""
    if isinstance(root, MatchElements) and root.inner.best_with_itself and root.match != "N:N":
        flat = parts.flat(root.sel)
        own = root.inner.selfs(flat.parts)
        if own.count(1) == len(own):
            return [b - a for a, b in pairwise(flat.offsets)]
    return root.selfs(parts)


def _torn(pairs: Matched, mine: list[int], theirs: list[int]) -> set[int]:
    """The documents in which an element is in two pairs, so that a matching has to choose."""
    rows, columns = Counter([i for i, _, _ in pairs]), Counter([j for _, j, _ in pairs])
    torn = {mine[i] for i, number in rows.items() if number > 1} if len(rows) < len(pairs) else set()
    if len(columns) < len(pairs):
        torn |= {theirs[j] for j, number in columns.items() if number > 1}
    return torn


def _plain_choice(pairs: Matched, bijective: bool, only: bool) -> Matched | None:
    """The best matching of a document's pairs, if it is plain to see, and the `only` one where that is asked for.

    Pairs that share nothing are taken; of pairs that only share one element, that of greatest weight.
    """
    if not bijective:
        return None
    rows, columns = Counter([i for i, _, _ in pairs]), Counter([j for _, j, _ in pairs])
    taken: Matched = []
    stars: dict[tuple[bool, int], Matched] = {}
    for pair in pairs:
        i, j, _ = pair
        if rows[i] == columns[j] == 1:
            taken.append(pair)
        elif columns[j] == 1:
            stars.setdefault((True, i), []).append(pair)
        elif rows[i] == 1:
            stars.setdefault((False, j), []).append(pair)
        else:
            return None
    for star in stars.values():
        most = max(w for _, _, w in star)
        best = [pair for pair in star if pair[2] == most]
        if only and len(best) > 1:
            return None
        taken.append(best[0])
    return sorted(taken)


def _adds_exactly(pairs: Matched) -> bool:
    """Whether no sum of the weights is rounded, so that equal optima have one sum."""
    return all(float(w * 1024).is_integer() for _, _, w in pairs)


def _any_optimum(collection: MatchElements, a: int, c: int, pairs: Matched) -> Matched:
    """A best matching of the pairs of a document, whose elements begin at a and c."""
    table: Table = [{} for _ in range(max(i for i, _, _ in pairs) - a + 1)]
    for i, j, w in pairs:
        table[i - a][j - c] = w
    chosen = matched(collection.match, "bag", table, len(table), 1 + max(j for _, j, _ in pairs) - c)
    return [(a + i, c + j, w) for i, j, w in chosen]


def _by_content(collection: MatchElements, p: Flat, r: Flat, owner: int, pairs: Matched) -> Matched:
    """The best matching of a document's pairs; equal optima are broken by content, as `MatchElements.aligned` does."""
    (a, b), (c, d) = p.offsets[owner : owner + 2], r.offsets[owner : owner + 2]
    if (b - a) * (d - c) > FEW:  # by itself it may be solved as a matrix, which breaks ties in its own way
        return _alone(collection, p, r, owner)
    mine, theirs = content_order(p.parts.items[a:b]), content_order(r.parts.items[c:d])
    weights = {(i - a, j - c): w for i, j, w in pairs}
    table: Table = [{n: w for n, j in enumerate(theirs) if (w := weights.get((i, j), 0))} for i in mine]
    chosen = matched(collection.match, "bag", table, b - a, d - c)
    return sorted((a + mine[i], c + theirs[j], w) for i, j, w in chosen)


def _alone(collection: Collection, p: Flat, r: Flat, owner: int) -> Matched:
    """The matched pairs of one document, chosen as if it were by itself."""
    a, c = p.offsets[owner], r.offsets[owner]
    return [(a + i, c + j, w) for i, j, w in collection.aligned(p.of(owner), r.of(owner))]
