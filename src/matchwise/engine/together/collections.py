"""Documents whose collections are matched together.

A corpus of sentences is a corpus of overheads when it is counted sentence by sentence. Only what gives the very same
numbers either way is counted together: a function of two documents, or a collection at the root of a plan, whose
elements are joined by keys (each document is a scope, which no join leaves), or are compared by leaves that compare
each pair by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from operator import sub
from typing import TYPE_CHECKING, Any, TypeVar

from matchwise.algebra.nodes import Selector
from matchwise.engine.credit import counts_part_by_part
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.contingency import Tabulate
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.operators.searched import Searched
from matchwise.engine.pairs import as_table
from matchwise.engine.parts import Flat, Parts, Rows
from matchwise.engine.plan import Program
from matchwise.engine.selection import MANY
from matchwise.engine.solvers.matching import block_totals, exact_sums, total
from matchwise.engine.together.batch import ELEMENTS, Batch
from matchwise.engine.together.codes import Codes, tabular
from matchwise.engine.together.roots import Collection, counts_together, joined, matched_at_root, root_of
from matchwise.engine.together.telling import Pairs, parts_of, telling_parts

if TYPE_CHECKING:
    from matchwise.engine.together.equality import Equality
    from matchwise.engine.together.labels import ByLabel, Cells, Column
    from matchwise.engine.together.nearness import Pairing, Weights

Made = TypeVar("Made")


class Collections(Batch):
    """Documents whose collections are matched together."""

    @staticmethod
    def suits(program: Program, labelled: Iterable[str] = ()) -> bool:
        """Whether documents can be counted together under every plan of a program, and some of them by label."""
        if any(matched_at_root(program.plans[name]) is None for name in labelled):
            return False
        return all(counts_together(operator) for plan in program.plans.values() for operator in plan.sums)

    @staticmethod
    def fewest(program: Program, labelled: Iterable[str]) -> int:
        roots = (root_of(operator)[1] for plan in program.plans.values() for operator in plan.sums)
        arrays = any(isinstance(root, MatchElements) and not joined(root) for root in roots)
        return MANY if arrays or any(labelled) or telling_parts(program) else 1

    @staticmethod
    def most(program: Program) -> int:
        tables = any(joined(operator) for plan in program.plans.values() for operator in plan.sums)
        return ELEMENTS // 2 if tables else ELEMENTS

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
            if joined(root) and not isinstance(mine.parts, Rows):
                return _totals(root, mine, theirs)  # type: ignore[arg-type]  # a MatchElements
            if isinstance(root, MatchElements):
                found = self._paired(root, mine, theirs)
                totals: Column = found.totals(mine)
                for owner in found.alone:
                    totals[owner] = root.one(p.take([owner]), r.take([owner]))
                return totals
            if tabular(root.inner.phi, mine.parts) or (root, mine.parts, theirs.parts) in self._made:
                return self._equal(root, mine, theirs).totals(root.match)
            if p.scope is not None and (forced := root.inner.forced(mine.parts, theirs.parts)) is not None:
                ends = mine.ends(forced[0])
                return list(map(sub, ends[1:], ends))
        if isinstance(root, BagOverlap | Searched | Tabulate):
            return root.along(p, r)
        places = list(range(len(p)))
        return root.probe(p, r, places, places)

    def _selfs(self, operator: Operator, parts: Parts) -> Column:
        before, root = root_of(operator)
        return _selfs(root, parts.select(before))

    def labels(self, name: str, sel: Selector) -> list[ByLabel]:
        """The quantities of one metric by the label of its elements."""
        from matchwise.engine.together.labels import ByLabel, Cells

        made = matched_at_root(self.program.plans[name])
        assert made is not None, "suits says so"
        before, collection = made
        p, r = (side.select(before).flat(collection.sel) for side in (self.p, self.r))
        cells: Cells = self._once((p.parts, r.parts, sel), lambda: Cells(p, r, sel))
        rows, columns, weights = self._matched(collection, p, r)
        if counts_part_by_part(collection):
            mine, theirs = (None if weights is None else collection.inner.selfs(side.parts) for side in (p, r))
            predicted, reference = cells.total(cells.mine, mine), cells.total(cells.theirs, theirs)
        else:
            (own, _, pairs), (_, others, twins) = self._matched(collection, p, p), self._matched(collection, r, r)
            predicted, reference = cells.total(cells.mine[own], pairs), cells.total(cells.theirs[others], twins)
        quantities = (
            cells.total(cells.mine[rows], weights),
            predicted,
            cells.total(cells.theirs[columns], weights),
            reference,
        )
        return [ByLabel(label, of, *(column[at] for column in quantities)) for label, at, of in cells.labels]

    def _matched(self, collection: Collection, p: Flat, r: Flat) -> tuple[Codes, Codes, Weights | None]:
        """The matched pairs of all documents, of equal optima those by content; None of weights is 1 of each."""
        if isinstance(collection, MatchElements):
            return self._paired(collection, p, r, by_content=True)[:3]
        rows, columns, repeating = self._equal(collection, p, r).single_pairs()
        if len(repeating):
            rows, columns = _with_repeating(collection, p, r, rows, columns, repeating.tolist())
        return rows, columns, None

    def _equal(self, collection: BagOverlap, p: Flat, r: Flat) -> Equality:
        from matchwise.engine.together.equality import Equality

        return self._once((collection, p.parts, r.parts), lambda: Equality(collection.inner, p, r))

    def _paired(self, collection: MatchElements, p: Flat, r: Flat, *, by_content: bool = False) -> Pairing:
        from matchwise.engine.together.nearness import candidates, key_of, pairing

        tag = (p.parts, r.parts, key_of(collection.inner))
        found = self._once(tag, lambda: candidates(collection.inner, p, r))
        made = (collection, p.parts, r.parts)  # one operator serves all paths to a collection of its kind
        return self._once(made, lambda: pairing(collection, p, r, found, by_content=by_content))

    def _once(self, tag: Any, make: Callable[[], Made]) -> Made:
        made: Made | None = self._made.get(tag)
        if made is None:
            made = self._made[tag] = make()
        return made


def _totals(collection: MatchElements, p: Flat, r: Flat) -> Column:
    """Σ of each document: the pairs of a joined table are those of one document after the other."""
    inner, offsets = collection.inner, p.offsets
    cells = inner.forced(p.parts, r.parts)
    if cells is None and collection.match == "1:1":
        return block_totals(inner.cells(p.parts, r.parts), offsets)
    if cells is None and collection.match == "N:N":
        cells = inner.cells(p.parts, r.parts)
    if cells is not None:
        rows, _, weights = cells
        return exact_sums(weights, p.ends(rows))
    table = as_table(inner.pairs(p.parts, r.parts))
    sizes = map(sub, r.offsets[1:], r.offsets)
    return [
        total(collection.match, "bag", table[a:b], b - a, m) for (a, b), m in zip(pairwise(offsets), sizes, strict=True)
    ]


def _selfs(root: Operator, parts: Parts) -> Column:
    """φ(x, x) of each document; of a collection where every element counts 1, how many there are."""
    if isinstance(root, Collection) and root.inner.best_with_itself and root.match != "N:N":
        flat = parts.flat(root.sel)
        if isinstance(root, BagOverlap) and tabular(root.inner.phi, flat.parts):  # whose codes were compared
            return list(map(sub, flat.offsets[1:], flat.offsets))
        own = root.inner.selfs(flat.parts)
        if own.count(1) == len(own):
            return list(map(sub, flat.offsets[1:], flat.offsets))
    return root.selfs(parts)


def _with_repeating(
    collection: BagOverlap, p: Flat, r: Flat, rows: Codes, columns: Codes, documents: list[int]
) -> tuple[Codes, Codes]:
    """Elements that are several times in a document are told apart by content, document by document."""
    import numpy as np

    more = [
        (p.offsets[owner] + i, r.offsets[owner] + j)
        for owner in documents
        for i, j, _ in collection.aligned(p.of(owner), r.of(owner))
    ]
    if not more:
        return rows, columns
    mine, theirs = np.array(more, dtype=np.intp).T
    rows, columns = np.concatenate((rows, mine)), np.concatenate((columns, theirs))
    order = np.argsort(rows, kind="stable")
    return rows[order], columns[order]
