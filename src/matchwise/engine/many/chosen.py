"""Counts by field of a sum and by label of an element, read from the pairs that an optimal matching chooses.

    lines[].price   the price of all lines of all documents: how much of it there is on each side, how much of it met,
                    how much of that was right
    args[].role     the Σ of events, spread over what the arguments of matched events share

The law: Σ_root = Σ_fields weight · right. Equal optima are broken by content, so that no count depends on the order of
the input.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.keys import key
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Numbers
from matchwise.engine.many.kernels import Vector
from matchwise.engine.operators.collections import BagOverlap, MatchElements
from matchwise.engine.operators.compound import Add, ByCase, Recur, Select, meet
from matchwise.engine.operators.equality import Equality
from matchwise.engine.operators.functions import Multiply, Threshold
from matchwise.engine.operators.operator import Operator
from matchwise.engine.operators.sequences import MatchInOrder
from matchwise.engine.plan import Plan
from matchwise.engine.selection import is_keyed_mapping, join, pair_same_keys
from matchwise.errors import ExpressionError

Collection = BagOverlap | MatchElements | MatchInOrder


class FieldColumns(NamedTuple):
    """One leaf path of a sum: how much of it each document has on each side, how much met, how much was right."""

    weight: Number
    first: int
    """The first document that has such a path."""

    right: Vector
    paired: Vector
    predicted: Vector
    reference: Vector

    def plus(self, other: FieldColumns) -> FieldColumns:
        """Add the counts of the same path in other parts."""
        return FieldColumns(self.weight, min(self.first, other.first), *map(np.add, self[2:], other[2:]))


def fields(plan: Plan, preds: Frame, refs: Frame) -> dict[str, FieldColumns]:
    """The fields of a batch by path (`lines[].price`), in the order in which the sum names them.

    What a field counts on one side is its share of Σ(x, x). Where a collection is best matched to itself part by part,
    that is the self-score of the part; elsewhere it is what the field adds when the side is compared with itself.
    """
    sigma, preds, refs = plan.sigma().settle(preds, refs)
    places = np.arange(len(preds))
    found = _Walk(len(preds))
    found.add(sigma, _Met(preds, refs, places, places), 1, "")
    if not sigma.facts.self_score.holds:
        mine, theirs = _Walk(len(preds)), _Walk(len(preds))
        for walk, side in ((mine, preds), (theirs, refs)):
            walk.add(sigma, _Met(side, side, places, places, itself=True), 1, "")
        for path, row in found.rows.items():
            predicted, reference = (
                side.rows[path].right if path in side.rows else 0 * row.right for side in (mine, theirs)
            )
            found.rows[path] = row._replace(predicted=predicted, reference=reference)
    return dict(sorted(found.rows.items(), key=lambda one: one[1].first))  # as documents by themselves would name them


class _Met(NamedTuple):
    """Objects of both sides, the pairs that were matched, and the first document that has each path.

    `itself` if both sides are one, whose objects `align_by` matches to themselves.
    """

    p: Frame
    r: Frame
    i: Vector
    j: Vector
    first: int = 0
    itself: bool = False

    def own_first(self) -> _Met:
        """The same objects, where the first document with their paths is one of their own."""
        return self._replace(first=min(int(frame.scope().min()) for frame in (self.p, self.r) if len(frame)))

    def values(self, operator: Operator) -> Vector:
        return operator.at(self.p, self.r, self.i, self.j)


class _Walk:
    """One walk over a plan, which finds the fields of a batch of documents."""

    def __init__(self, documents: int) -> None:
        self.documents = documents
        self.rows: dict[str, FieldColumns] = {}

    def add(self, operator: Operator, met: _Met, weight: Number, path: str) -> None:
        """Add the fields that an operator compares, given all objects and the matched pairs."""
        match operator:
            case Recur(sel=sel):
                if len(met.p) or len(met.r):
                    below = met._replace(p=met.p.select(sel), r=met.r.select(sel)).own_first()
                    self.add(operator.target, below, weight, join(path, sel))
            case Add():
                both = zip(operator.present(met.p), operator.present(met.r), strict=True)
                terms = zip(operator.phi.terms, operator.selectors, operator.inputs, both, strict=True)
                for (share, phi), own, inner, (mine, theirs) in terms:
                    _, i, j = meet(mine, theirs, met.p, met.r, met.i, met.j)
                    below = met._replace(p=mine.frame, r=theirs.frame, i=i, j=j)
                    self.add(inner, below, weight * share, join(path, _shared_steps(phi) if own is None else own))
            case BagOverlap(sel=sel):
                equal, sizes = met.values(operator), (np.diff(side.flat(sel).offsets) for side in (met.p, met.r))
                self._count(join(path, sel) + "[]", weight, met, equal, equal, *sizes)
            case MatchElements(sel=sel) | MatchInOrder(sel=sel):
                p, r = met.p.flat(sel).frame, met.r.flat(sel).frame
                is_aligned = isinstance(operator, MatchInOrder) and operator.by is not None
                i, j = _pair(operator, met) if not (met.itself and is_aligned) else (np.arange(len(p)),) * 2
                below = _Met(p, r, i, j, met.first, met.itself and is_aligned)
                self.add(operator.inner, below, weight, join(path, sel) + "[]")
            case Multiply() if (split := _split_conditions(operator)) is not None:
                conditions, inner = split
                for condition in conditions:
                    passed = np.flatnonzero(met.values(condition))
                    met = met._replace(i=met.i[passed], j=met.j[passed])
                self.add(inner, met, weight, path)
            case ByCase(phi=nodes.Union(sel=sel)):
                for inner, mine, theirs in zip(
                    operator.inputs, operator.present(met.p), operator.present(met.r), strict=True
                ):
                    if len(mine.frame) or len(theirs.frame):
                        _, i, j = meet(mine, theirs, met.p, met.r, met.i, met.j)
                        below = _Met(mine.frame, theirs.frame, i, j, itself=met.itself).own_first()
                        self.add(inner, below, weight, join(path, sel))
            case _:
                xx, yy = operator.self_scores(met.p), operator.self_scores(met.r)
                right = xx[met.i] if met.itself else met.values(operator)
                self._count(path, weight, met, right, np.minimum(xx[met.i], yy[met.j]), xx, yy)

    def _count(
        self, path: str, weight: Number, met: _Met, right: Vector, paired: Vector, xx: Vector, yy: Vector
    ) -> None:
        """Add what matched pairs and objects count; rows of one path with different weights stay apart.

        So Σ weight · right is the whole.
        """
        of_pair = met.p.scope()[met.i]
        sides = (of_pair, right), (of_pair, paired), (met.p.scope(), xx), (met.r.scope(), yy)
        columns = (kernels.sum_by(documents, amounts, self.documents) for documents, amounts in sides)
        row = FieldColumns(weight, met.first, *columns)
        if path in self.rows and self.rows[path].weight != weight:
            path = f"{path} (weight {weight})"
        self.rows[path] = self.rows[path].plus(row) if path in self.rows else row


def _pair(operator: MatchElements | MatchInOrder, met: _Met) -> tuple[Vector, Vector]:
    """The matched elements; entries of mappings also with those whose values have nothing in common but their key."""
    block, i, j, _ = operator.chosen(met.p, met.r, met.i, met.j)
    if not is_keyed_mapping(operator.phi):
        return i, j
    p, r = met.p.flat(operator.sel), met.r.flat(operator.sel)
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    ends = np.searchsorted(block, np.arange(len(met.i) + 1)).tolist()
    for number, (x, y) in enumerate(zip(met.i.tolist(), met.j.tolist(), strict=True)):
        (top, bottom), (left, right) = p.offsets[x : x + 2].tolist(), r.offsets[y : y + 2].tolist()
        chosen = [(a - top, b - left) for a, b in found[ends[number] : ends[number + 1]]]
        more = pair_same_keys(p.frame.items[top:bottom], r.frame.items[left:right], chosen)
        found += [(a + top, b + left) for a, b in more]
    return kernels.places([a for a, _ in found]), kernels.places([b for _, b in found])


def _shared_steps(phi: Similarity) -> Selector:
    """The steps with which all selectors of a term begin: its path, if it has no selector of its own."""
    if hasattr(phi, "sel"):
        return phi.sel  # type: ignore[no-any-return]
    found = [_shared_steps(part) for part in children(phi)]
    return tuple(steps[0] for steps in takewhile(lambda steps: len(set(steps)) == 1, zip(*found, strict=False)))


def _split_conditions(product: Multiply) -> tuple[list[Operator], Operator] | None:
    """Split a product into conditions (0 or 1) and the sum that they guard; None if it has other factors."""
    sums = [factor for factor in product.inputs if isinstance(factor, Add | Recur)]
    conditions: list[Operator] = [factor for factor in product.inputs if isinstance(factor, Equality | Threshold)]
    return (conditions, sums[0]) if len(sums) == 1 and len(conditions) == len(product.inputs) - 1 else None


class ByLabel(NamedTuple):
    """One label: the documents of a batch that have it, and the quantities of each.

    A matched pair adds to `matched` of the predicted element's label and to `recalled` of the reference's.
    """

    label: Hashable
    documents: Vector
    matched: Vector
    predicted: Vector
    reference: Vector
    recalled: Vector


def collection_of(sigma: Operator) -> tuple[Selector, Collection]:
    """The collection that a Σ matches, and the path to the object that has it."""
    before, found = (sigma.sel, sigma.inner) if isinstance(sigma, Select) else ((), sigma)
    if not isinstance(found, Collection):
        raise ExpressionError(f"{sigma.phi!r} has no elements to break down: it does not compare a collection")
    return before, found


def labels(plan: Plan, sel: Selector, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of a batch by the label of the elements of the outermost collection, or of one inside it.

    Precision is read from one Σ and recall from another (usually the same).
    """
    levels, last = split(sel)
    sigmas = list(plan.sides) if plan.root == "sides" else [plan.sigma()]
    precise, *more = [_elements(sigma, levels, preds, refs) for sigma in sigmas]
    recalled = more[0] if more else precise
    frames = precise.p, recalled.r, *((precise.r, recalled.p) if more else ())
    memo, tag = preds.side.known, ("labels", last, *frames)  # metrics that compare the same elements share this
    if tag not in memo:
        memo[tag] = _find_cells(list(frames), last, len(preds))
    cells: _Cells = memo[tag]
    mine, predicted = np.arange(len(precise.p)), precise.predicted
    theirs, reference = np.arange(len(recalled.r)), recalled.reference
    if not precise.by_parts:
        own = _elements(sigmas[0], levels, preds, preds)
        mine, predicted = own.i, own.w
    if not recalled.by_parts:
        own = _elements(sigmas[-1], levels, refs, refs)
        theirs, reference = own.j, own.w
    columns = [
        kernels.sum_by(places, amounts, len(cells.documents))
        for places, amounts in (
            (cells.mine[precise.i], precise.w),
            (cells.mine[mine], predicted),
            (cells.theirs[theirs], reference),
            (cells.theirs[recalled.j], recalled.w),
        )
    ]
    return [ByLabel(name, cells.documents[part], *(column[part] for column in columns)) for name, part in cells.labels]


class _Level(NamedTuple):
    """Elements of both sides: what each counts alone, which are matched, and the share of each match."""

    p: Frame
    r: Frame
    predicted: Vector
    reference: Vector
    i: Vector
    j: Vector
    w: Vector
    by_parts: bool
    """Whether Σ(x, x) is the sum of what each element counts by itself."""


def _elements(sigma: Operator, levels: list[Selector], preds: Frame, refs: Frame) -> _Level:
    """The elements that have the label, with the share of Σ that falls to each."""
    sigma, preds, refs = sigma.settle(preds, refs)
    before, collection = collection_of(sigma)
    is_aligned = isinstance(collection, MatchInOrder) and collection.by is not None
    by_parts = is_aligned or (collection.phi.match != "N:N" and collection.inner.facts.self_score.holds)
    p, r = preds.select(before), refs.select(before)
    i = j = np.arange(len(p))
    predicted, reference, weights = (np.ones(len(p)) for _ in range(3))
    while True:
        chosen = collection.chosen(p, r, i, j)
        mine, theirs = p.flat(collection.sel), r.flat(collection.sel)
        weights, predicted, reference = weights[chosen.block], predicted[mine.owners], reference[theirs.owners]
        p, r, i, j, inner = mine.frame, theirs.frame, chosen.a, chosen.b, collection.inner
        if not levels:
            break
        sel, *levels = levels
        factors = inner.inputs if isinstance(inner, Multiply) else (inner,)
        sums = [factor for factor in factors if isinstance(factor, Collection) and factor.sel == sel]
        if len(sums) != 1:
            raise ExpressionError(f"{inner.phi!r} is not a product with one sum over {sel}")
        [collection] = sums
        for factor in factors:
            if factor is not collection:
                predicted, reference = predicted * factor.self_scores(p), reference * factor.self_scores(r)
                weights = weights * factor.at(p, r, i, j)
    predicted, reference = predicted * inner.self_scores(p), reference * inner.self_scores(r)
    return _Level(p, r, predicted, reference, i, j, weights * chosen.w, by_parts)


class _Cells(NamedTuple):
    """A cell for each label in each document that has it, sorted by label, and the cells of the elements."""

    mine: Vector
    theirs: Vector
    documents: Vector
    """The document of each cell."""
    labels: list[tuple[Hashable, slice]]
    """The cells of each label."""


def _find_cells(frames: list[Frame], sel: Selector, size: int) -> _Cells:
    """The labels stand in the order of the documents, each as its first document writes it (1 is 1.0)."""
    found = [one for frame in frames for one in labels_of(frame, sel)]
    scopes = np.concatenate([frame.scope() for frame in frames])
    codes, in_order = Numbers().of(found, len(found)), np.argsort(scopes, kind="stable")
    places = np.unique(codes[in_order], return_index=True)[1]
    ranks = np.argsort(places)
    names = [found[place] for place in in_order[places[ranks]].tolist()]
    codes, documents, cell, order = kernels.group(kernels.inverse(ranks, len(ranks))[codes], scopes, size)
    cells = cell[kernels.inverse(order, len(order))]
    first, second = len(frames[0]), len(frames[0]) + len(frames[1])
    written = [(names[code], run) for code, run in kernels.runs(codes)]
    return _Cells(cells[:first], cells[first:second], documents, written)


def split(sel: Selector) -> tuple[list[Selector], Selector]:
    """The collections on the way to a label, and the label: `args[].role` -> `[("args",)], ("role",)`."""
    levels: list[Selector] = []
    steps: Selector = ()
    for step in sel:
        if isinstance(step, str) and step.endswith("[]"):
            levels.append((*steps, step.removesuffix("[]")))
            steps = ()
        else:
            steps = (*steps, step)
    return levels, steps


def labels_of(frame: Frame, sel: Selector) -> list[Any]:
    """The label of each element: the value itself if it can be one, else its content; True is "True"."""
    items = frame.select(sel).items
    if OWN_LABELS.issuperset(map(type, items)):
        return items
    truths = {key(True): "True", key(False): "False"}
    made = (item if type(item) in OWN_LABELS else key(item) for item in items)
    return [truths.get(label, label) for label in made]


OWN_LABELS = frozenset({str, int, type(None)})
"""Types of values that are their own labels."""
