"""Counts by the label of an element, read from the pairs that an optimal matching chooses.

    args[].role     the Σ of events, spread over what the arguments of matched events share

Equal optima are broken by content, so that no count depends on the order of the input.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.nodes import Selector
from matchwise.engine.keys import key
from matchwise.engine.many import kernels
from matchwise.engine.many.chosen.pairs import Collection, collection_of
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.compound import Multiply
from matchwise.engine.many.operators.pairwise import MatchInOrder
from matchwise.engine.plan import Plan
from matchwise.errors import ExpressionError


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


def labels(plan: Plan, sel: Selector, preds: Frame, refs: Frame) -> list[ByLabel]:
    """The quantities of a batch by the label of the elements of the outermost collection, or of one inside it."""
    sigmas = plan.sums if plan.root == "sides" else (plan.sigma(),)
    levels = [_elements(plan, sigma, sel, preds, refs) for sigma in sigmas]
    shares = [_share(plan, sigmas[0], sel, levels[0], preds), _share(plan, sigmas[-1], sel, levels[-1], refs, ref=True)]
    return _by_label(preds, levels[0], levels[-1], shares, split(sel)[1])


def _share(
    plan: Plan, sigma: Operator, sel: Selector, level: _Level, side: Frame, *, ref: bool = False
) -> tuple[Vector, Vector]:
    """The elements of one side that have counts of their own, each with its share of Σ(x, x)."""
    frame, own = (level.r, level.reference) if ref else (level.p, level.predicted)
    if level.by_parts:
        return np.arange(len(frame)), own
    found = _elements(plan, sigma, sel, side, side)
    return (found.j if ref else found.i), found.w


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
    outer = collection
    preds, refs = sigma.settle(preds, refs)
    p, r = preds.select(before), refs.select(before)
    i = j = np.arange(len(p))
    predicted, reference, weights = (kernels.full(len(p), 1) for _ in range(3))
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
        amounts = chosen.w
    return _Level(
        p,
        r,
        predicted * operator.self_scores(p),
        reference * operator.self_scores(r),
        i,
        j,
        weights * amounts,
        counts_part_by_part(outer),
    )


def counts_part_by_part(collection: Collection) -> bool:
    """Whether Σ(x, x) of a collection is the sum of the self-scores of its elements."""
    if isinstance(collection, MatchInOrder) and collection.by is not None:
        return True
    return collection.match != "N:N" and collection.inner.best_with_itself


def _by_label(
    root: Frame, precise: _Level, recalled: _Level, shares: list[tuple[Vector, Vector]], sel: Selector
) -> list[ByLabel]:
    """Sum up by label and document; precision is read from one level and recall from another (usually the same)."""
    frames = [precise.p, recalled.r, *(() if precise is recalled else (precise.r, recalled.p))]
    # Metrics that compare the same elements share this; frames live as long as their batch, and so do their ids.
    cells = root.once(("cells", sel, *map(id, frames)), lambda: _find_cells(root, frames, sel))
    columns = [
        kernels.sum_by(places, amounts, len(cells.documents))
        for places, amounts in (
            (cells.mine[precise.i], precise.w),
            (cells.mine[shares[0][0]], shares[0][1]),
            (cells.theirs[shares[1][0]], shares[1][1]),
            (cells.theirs[recalled.j], recalled.w),
        )
    ]
    return [
        ByLabel(label, cells.documents[part], *(column[part] for column in columns)) for label, part in cells.labels
    ]


class _Cells(NamedTuple):
    """A cell for each label in each document that has it, sorted by label, and the cells of the elements."""

    mine: Vector
    theirs: Vector
    documents: Vector
    """The document of each cell."""
    labels: list[tuple[Hashable, slice]]
    """The cells of each label."""


def _find_cells(root: Frame, frames: list[Frame], sel: Selector) -> _Cells:
    names: dict[Hashable, int] = {}
    codes = np.concatenate([_label_codes(frame, sel, names) for frame in frames])
    scopes = np.concatenate([frame.scope() for frame in frames])
    found, documents, cell, order = kernels.group(codes, scopes, len(root))
    cells = cell[kernels.inverse(order, len(order))]
    by_label = dict(kernels.runs(found))
    written = [(label, by_label[code]) for label, code in _as_written(frames, sel, names) if code in by_label]
    first, second = len(frames[0]), len(frames[0]) + len(frames[1])
    return _Cells(cells[:first], cells[first:second], documents, written)


def _label_codes(frame: Frame, sel: Selector, names: dict[Hashable, int]) -> Vector:
    """Number the labels of the elements; equal labels of the two sides get the same number."""
    column = frame.column(sel)
    if column is None:
        labels = labels_of(frame, sel)
        for one in dict.fromkeys(labels):
            names.setdefault(one, len(names))
        return kernels.places(list(map(names.__getitem__, labels)))
    numbers = [names.setdefault(label(value), len(names)) for value in column.values]
    return kernels.places(numbers)[kernels.places(column.codes)]


def _as_written(frames: list[Frame], sel: Selector, names: dict[Hashable, int]) -> list[tuple[Hashable, int]]:
    """The labels in the order of the documents, each as its first document writes it (1 is 1.0)."""
    first: dict[int, tuple[tuple[int, int, int], Hashable]] = {}
    for side, frame in enumerate(frames):
        for place, name in _find_first(frame, sel):
            document = 0 if frame.documents is None else int(frame.documents[place])
            known = first.get(names[name])
            if known is None or (document, side, place) < known[0]:
                first[names[name]] = (document, side, place), name
    return [(name, code) for code, (_, name) in sorted(first.items(), key=lambda one: one[1][0])]


def _find_first(frame: Frame, sel: Selector) -> list[tuple[int, Hashable]]:
    """Where each label first stands among the elements, and the label as it is written there."""
    column = frame.column(sel)
    if column is None:
        found = labels_of(frame, sel)
        places = dict(zip(reversed(found), range(len(found) - 1, -1, -1), strict=True))
        return [(place, found[place]) for place in places.values()]
    first = np.full(len(column.values), -1)
    first[column.codes[::-1]] = np.arange(len(column.codes))[::-1]  # the last one that is written stays
    return [(place, label(value)) for place, value in zip(first.tolist(), column.values, strict=True) if place >= 0]


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
    return frame.once(("labels", sel), lambda: _labels_of(frame, sel))


def _labels_of(frame: Frame, sel: Selector) -> list[Any]:
    column = frame.column(sel)
    if column is not None:
        names = list(map(label, column.values))
        return [names[code] for code in column.codes.tolist()]
    items = frame.select(sel).items
    return items if OWN_LABELS.issuperset(map(type, items)) else list(map(label, items))


OWN_LABELS = frozenset({str, int, type(None)})
"""Types of values that are their own labels."""


def label(value: Any) -> Hashable:
    """The value itself if it can be a label, else its content."""
    return value if type(value) in OWN_LABELS else key(value)
