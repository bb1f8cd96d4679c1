"""Counts by the label of an element, read from the pairs that an optimal matching chooses.

    args[].role     the Σ of events, spread over what the arguments of matched events share

Equal optima are broken by content, so that no count depends on the order of the input.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.nodes import Selector
from matchwise.engine.keys import key
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.compound import Multiply
from matchwise.engine.many.operators.matching import MatchElements
from matchwise.engine.many.operators.pairwise import MatchInOrder
from matchwise.engine.many.operators.routing import Select
from matchwise.engine.plan import Plan
from matchwise.errors import ExpressionError

Collection = BagOverlap | MatchElements | MatchInOrder


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


def collection_of(plan: Plan, sigma: Operator | None = None) -> tuple[Selector, Collection]:
    """The collection that a Σ of the plan matches, the outermost by default, and the path to the object that has it."""
    found = (sigma or plan.sigma()).core
    before: Selector = ()
    if isinstance(found, Select):
        before, found = found.sel, found.inner
    if not isinstance(found, Collection):
        raise ExpressionError(f"{plan.phi!r} has no elements to break down: it does not compare a collection")
    return before, found


def labels(plan: Plan, sel: Selector, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of a batch by the label of the elements of the outermost collection, or of one inside it.

    Precision is read from one Σ and recall from another (usually the same).
    """
    sigmas = plan.sums if plan.root == "sides" else (plan.sigma(),)
    precise, *more = [_elements(plan, sigma, sel, preds, refs) for sigma in sigmas]
    recalled = more[0] if more else precise
    frames = [precise.p, recalled.r, *((precise.r, recalled.p) if more else ())]
    # Metrics that compare the same elements share this; frames live as long as their batch, and so do their ids.
    tag = ("cells", split(sel)[1], *map(id, frames))
    cells = preds.once(tag, partial(_find_cells, frames, split(sel)[1], len(preds)))
    mine, predicted = np.arange(len(precise.p)), precise.predicted
    theirs, reference = np.arange(len(recalled.r)), recalled.reference
    if not precise.by_parts:
        mine, _, predicted = _elements(plan, sigmas[0], sel, preds, preds)[4:7]
    if not recalled.by_parts:
        _, theirs, reference = _elements(plan, sigmas[-1], sel, refs, refs)[4:7]
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


def _elements(plan: Plan, sigma: Operator, sel: Selector, preds: Frame, refs: Frame) -> _Level:
    """The elements that have the label, with the share of Σ that falls to each."""
    before, collection = collection_of(plan, sigma)
    by_parts = counts_part_by_part(collection)
    preds, refs = sigma.settle(preds, refs)
    p, r = preds.select(before), refs.select(before)
    i = j = np.arange(len(p))
    predicted, reference, weights = (np.ones(len(p)) for _ in range(3))
    operator: Operator = collection
    for number, inner_sel in enumerate([(), *split(sel)[0]]):
        if number:
            collection, others = _factors(operator, inner_sel)
            for factor in others:
                predicted = predicted * factor.self_scores(p)
                reference = reference * factor.self_scores(r)
                weights = weights * factor.at(p, r, i, j)
        chosen = collection.chosen(p, r, i, j)
        flat_p, flat_r = p.flat(collection.sel), r.flat(collection.sel)
        weights = weights[chosen.block]
        predicted, reference = predicted[flat_p.owners()], reference[flat_r.owners()]
        p, r, i, j, operator = flat_p.frame, flat_r.frame, chosen.a, chosen.b, collection.inner
    predicted, reference = predicted * operator.self_scores(p), reference * operator.self_scores(r)
    return _Level(p, r, predicted, reference, i, j, weights * chosen.w, by_parts)


def counts_part_by_part(collection: Collection) -> bool:
    """Whether Σ(x, x) of a collection is the sum of the self-scores of its elements."""
    if isinstance(collection, MatchInOrder) and collection.by is not None:
        return True
    return collection.match != "N:N" and collection.inner.best_with_itself


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
    names = list(dict.fromkeys(found[place] for place in np.argsort(scopes, kind="stable").tolist()))
    numbers = {name: number for number, name in enumerate(names)}
    codes, documents, cell, order = kernels.group(kernels.places([numbers[one] for one in found]), scopes, size)
    cells = cell[kernels.inverse(order, len(order))]
    first, second = len(frames[0]), len(frames[0]) + len(frames[1])
    written = [(names[code], run) for code, run in kernels.runs(codes)]
    return _Cells(cells[:first], cells[first:second], documents, written)


def _factors(operator: Operator, sel: Selector) -> tuple[Collection, list[Operator]]:
    """The sum over the collection in question, and what it is multiplied by."""
    factors = [operator.first, *operator.rest] if isinstance(operator, Multiply) else [operator]
    sums = [factor for factor in factors if isinstance(factor, Collection) and factor.sel == sel]
    if len(sums) != 1:
        raise ExpressionError(f"{operator.phi!r} is not a product with one sum over {sel}")
    return sums[0], [factor for factor in factors if factor is not sums[0]]


def split(sel: Selector) -> tuple[list[Selector], Selector]:
    """The collections on the way to a label, and the label: `args[].role` -> `[("args",)], ("role",)`."""
    levels: list[Selector] = []
    steps: list[object] = []
    for step in sel:
        if isinstance(step, str) and step.endswith("[]"):
            levels.append((*steps, step.removesuffix("[]")))  # type: ignore[arg-type]  # steps of a selector
            steps = []
        else:
            steps.append(step)
    return levels, tuple(steps)  # type: ignore[arg-type]


def labels_of(frame: Frame, sel: Selector) -> list[Any]:
    """The label of each element."""
    items = frame.select(sel).items
    return items if OWN_LABELS.issuperset(map(type, items)) else list(map(label, items))


OWN_LABELS = frozenset({str, int, type(None)})
"""Types of values that are their own labels."""


def label(value: Any) -> Hashable:
    """The value itself if it can be a label, else its content."""
    return value if type(value) in OWN_LABELS else key(value)
