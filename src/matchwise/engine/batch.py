"""Many small documents at once: they are the objects of one list, and what they have is selected and compared together.

A corpus of sentences is a corpus of overheads when it is counted sentence by sentence. Only what gives the very same
numbers either way is counted together: a function of two documents, or a collection at the root of a plan, whose
elements are joined by keys (each document is a scope, which no join leaves), or are compared by leaves that compare
each pair by itself.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, compress, pairwise, repeat
from operator import itemgetter, sub
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from matchwise.algebra.nodes import Custom, Number, Selector
from matchwise.engine.credit import labels_of
from matchwise.engine.operators.bag import BagOverlap, Inclusion
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import HarmonicMean, Normalize, Subtract, Threshold
from matchwise.engine.operators.compound import Add, Average, Multiply
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.operators.latent import LatentMatch
from matchwise.engine.operators.leaf import FEW, Compare
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.operators.routing import Select
from matchwise.engine.order import content_order
from matchwise.engine.pairs import Table, as_table
from matchwise.engine.parts import Flat, Parts, documents
from matchwise.engine.plan import Plan, Program
from matchwise.engine.solvers.matching import Matched, exact_sum, matched, total

Collection: TypeAlias = BagOverlap | MatchElements
Column: TypeAlias = list[Number]

SMALL_CELLS = 1024
"""Up to this many pairs of elements of one document are compared together with those of all others."""


def suits(program: Program, labelled: Iterable[str] = ()) -> bool:
    """Whether documents can be counted together under every plan of a program, and some of them by label."""
    if any(_collection(program.plans[name]) is None for name in labelled):
        return False
    return all(_counts_together(operator) for plan in program.plans.values() for operator in plan.sums)


class Batch:
    """Documents that are counted together; `with` forgets what was computed of them."""

    def __init__(self, program: Program, preds: list[Any], refs: list[Any]) -> None:
        self.program = program
        scoped = any(_joined(operator) for plan in program.plans.values() for operator in plan.sums)
        self.p, self.r = documents(preds, "prediction", scoped=scoped), documents(refs, "reference", scoped=scoped)
        self.elements = 0
        """How many elements the documents have, in the collections that were met."""
        self._made: dict[Any, Any] = {}

    def __enter__(self) -> Batch:
        self._collecting = gc.isenabled()
        gc.disable()  # as `sides` does
        return self

    def __exit__(self, *_: object) -> None:
        for parts in (self.p, self.r):
            parts.side.forget()
            parts.memo.clear()
        self._made.clear()
        if self._collecting:
            gc.enable()

    def columns(self, name: str) -> tuple[Column, Column, Column, Column]:
        """Matched, predicted, recalled and reference quantities of one metric, document by document."""
        plan = self.program.plans[name]
        if plan.root == "value":
            values = self._along(plan.operator)
            ones: Column = [1] * len(values)
            return values, ones, values, ones
        p, r = plan.sums if plan.root == "sides" else plan.sums * 2
        matched = self._along(p)
        recalled = matched if p is r else self._along(r)
        return matched, self._selfs(p, self.p), recalled, self._selfs(r, self.r)

    def _along(self, operator: Operator) -> Column:
        """φ of each prediction and its reference."""
        before, root = _found(operator)
        p, r = self.p.select(before), self.r.select(before)
        if isinstance(root, Collection):
            mine, theirs = p.flat(root.sel), r.flat(root.sel)
            self.elements = max(self.elements, len(mine.parts) + len(theirs.parts))
            if isinstance(root, MatchElements) and _joined(root) and root not in self._made:
                return _totals(root, mine, theirs)
            if isinstance(root, MatchElements) or root in self._made:
                each = self._matched(root, mine, theirs)
                return [exact_sum([w for _, _, w in found]) if found else 0 for found in each]
        if isinstance(root, LatentMatch):
            self.elements = max(self.elements, *(sum(map(len, parts.side.known)) for parts in (p, r)))
            return root.along(p, r)
        places = list(range(len(p)))
        return root.probe(p, r, places, places)

    def _selfs(self, operator: Operator, parts: Parts) -> Column:
        before, root = _found(operator)
        return _selfs(root, parts.select(before))

    def labels(self, name: str, sel: Selector) -> list[ByLabel]:
        """The quantities of one metric by the label of its elements, in the order in which documents bring labels."""
        before, collection = self._of(name)
        p, r = (side.select(before).flat(collection.sel) for side in (self.p, self.r))
        table = self._cells(p, r, sel)
        found: Column = [0] * table.size
        recalled: Column = [0] * table.size
        mine, theirs = table.mine, table.theirs
        for i, j, amount in chain.from_iterable(self._matched(collection, p, r, by_content=True)):
            found[mine[i]] += amount
            recalled[theirs[j]] += amount
        predicted = table.total(mine, collection.inner.selfs(p.parts))
        reference = table.total(theirs, collection.inner.selfs(r.parts))
        columns = found, predicted, recalled, reference
        return [ByLabel(label, places, *map(pick, columns)) for label, places, pick in table.labels]

    def _of(self, name: str) -> tuple[Selector, Collection]:
        made = _collection(self.program.plans[name])
        assert made is not None, "suits says so"
        return made

    def _cells(self, p: Flat, r: Flat, sel: Selector) -> Cells:
        tag = (p.parts, r.parts, sel)
        made: Cells | None = self._made.get(tag)
        if made is None:
            made = self._made[tag] = Cells(p, labels_of(p.parts, sel), r, labels_of(r.parts, sel))
        return made

    def _matched(self, collection: Collection, p: Flat, r: Flat, *, by_content: bool = False) -> list[Matched]:
        """The matched pairs of each document, numbered through all; of equal optima any, or that by content."""
        made: list[Matched] | None = self._made.get(collection)
        if made is None:
            if isinstance(collection, BagOverlap):
                made = self._equal(collection, p, r)
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

    def _near(self, collection: MatchElements, p: Flat, r: Flat, by_content: bool) -> list[Matched]:
        rows, columns, alone = self._same_document(p, r)
        weights = collection.inner.at(p.parts, r.parts, rows, columns) if rows else []
        pairs = list(compress(zip(rows, columns, weights, strict=True), weights))
        found: list[Matched] = [[] for _ in pairwise(p.offsets)]
        owners = p.owners()
        for pair in pairs:
            found[owners[pair[0]]].append(pair)
        for owner in _torn(pairs, owners, r.owners()):
            chosen = _plain_choice(found[owner], collection.match == "1:1", by_content)
            found[owner] = _by_content(collection, p, r, owner, found[owner]) if chosen is None else chosen
        for owner in alone:
            found[owner] = _alone(collection, p, r, owner)
        return found

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


class ByLabel(NamedTuple):
    """One label: the documents that have it, and the quantities of each."""

    label: Hashable
    documents: list[int]
    matched: Sequence[Number]
    predicted: Sequence[Number]
    recalled: Sequence[Number]
    reference: Sequence[Number]


class Cells:
    """A cell for each label of each document: the cell that each element belongs to, and the cells of each label."""

    def __init__(self, p: Flat, mine: list[Hashable], r: Flat, theirs: list[Hashable]) -> None:
        found: dict[tuple[int, Hashable], int] = {}
        self.mine: list[int] = []
        self.theirs: list[int] = []
        for owner, ((a, b), (c, d)) in enumerate(zip(pairwise(p.offsets), pairwise(r.offsets), strict=True)):
            self.mine += [found.setdefault((owner, label), len(found)) for label in mine[a:b]]
            self.theirs += [found.setdefault((owner, label), len(found)) for label in theirs[c:d]]
        self.size = len(found)
        by_label: dict[Hashable, tuple[list[int], list[int]]] = {}
        for (owner, label), cell in found.items():
            places, cells = by_label.setdefault(label, ([], []))
            places.append(owner)
            cells.append(cell)
        self.labels = [(label, places, _picker(cells)) for label, (places, cells) in by_label.items()]
        self._sizes: dict[int, Column] = {}

    def total(self, cells: list[int], amounts: Column) -> Column:
        """The amounts of the elements of each cell."""
        if amounts.count(1) == len(amounts):
            made = self._sizes.get(id(cells), [])
            if not made:
                counts = Counter(cells)
                made = self._sizes[id(cells)] = [counts[cell] for cell in range(self.size)]
            return made
        made = [0] * self.size
        for cell, amount in zip(cells, amounts, strict=True):
            made[cell] += amount
        return made


def _picker(places: list[int]) -> Callable[[Column], Sequence[Number]]:
    """The values at the given places of a column."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda column: [column[place] for place in places]


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


def _found(operator: Operator) -> tuple[Selector, Operator]:
    """The path from a document to what is compared of it, and the operator that compares."""
    return (operator.sel, operator.inner) if isinstance(operator, Select) else ((), operator)


def _collection(plan: Plan) -> tuple[Selector, Collection] | None:
    """The collection at the root of a plan and the path to it, if its matched pairs can be found together."""
    before, root = _found(plan.sigma())
    if plan.root == "counts" and (isinstance(root, BagOverlap) or (_is_bag(root) and _by_itself(root.inner))):
        return before, root
    return None


def _counts_together(operator: Operator) -> bool:
    """Whether φ of many documents can be computed together."""
    _, root = _found(operator)
    match root:
        case BagOverlap() | Discrete():
            return True
        case Compare():
            return not root.batched and (isinstance(root.phi, Custom) or root.goes_along)
        case LatentMatch():
            return root.joins
    return _joined(root) or (_is_bag(root) and _by_itself(root.inner))


def _is_bag(operator: Operator) -> TypeGuard[MatchElements]:
    return isinstance(operator, MatchElements) and operator.order == "bag" and operator.by is None


def _joined(operator: Operator) -> bool:
    """Whether the elements of a collection are found by a join, and matched as those of one document would be."""
    _, root = _found(operator)
    return _is_bag(root) and _joins(root.inner) and (not root.peels or isinstance(root.inner, BagOverlap))


def _joins(operator: Operator) -> bool:
    """Whether all non-zero pairs come from equal keys, so that a scope keeps documents apart."""
    match operator:
        case Discrete() | BagOverlap() | Inclusion():
            return True
        case Multiply():
            # Leaves compare the few pairs of a small document faster than a join finds fewer.
            return _joins(operator.first) and all(
                _by_itself(factor) and not _has_leaf(factor) for factor in operator.rest
            )
        case Threshold() if operator.all:
            return False
        case Normalize() if operator.empty:
            return False
        case Threshold() | Normalize() | Subtract() | Add() | HarmonicMean() | Select():
            return all(map(_joins, operator.inputs))
    return False


def _has_leaf(operator: Operator) -> bool:
    return isinstance(operator, Compare) or any(map(_has_leaf, operator.inputs))


def _by_itself(operator: Operator) -> bool:
    """Whether the similarity of two elements is the same number whatever else is compared."""
    match operator:
        case Discrete() | BagOverlap() | Inclusion():
            return True
        case Compare():
            return operator.goes_along
        case Multiply() | Average() | Threshold() | Subtract() | Normalize() | Select():
            return all(map(_by_itself, operator.inputs))
    return False
