"""Predicted elements in order of confidence, and what each of them adds to the optimal matching of its document.

Elements of equal confidence enter together. Where a place in the ranking matters (P@k, nDCG), they share what they add
equally, so that the order of the input never matters.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import fsum, inf, isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Eq, Normalized, Overlap, Selector, Similarity
from matchwise.algebra.steps import Step, split_step
from matchwise.arrays import Floats, Integers
from matchwise.confidence.augmentation import Assign, Within, grow, grow_pairs
from matchwise.corpus.counts import Reading, reading
from matchwise.corpus.elements import (
    Cells,
    Compared,
    SideElements,
    compare_elements,
    elements_of,
    root_collection,
    select_all,
)
from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.corpus.table import Id
from matchwise.engine.order import content_order
from matchwise.errors import DataError, ExpressionError, count_units, shorten, suggestion

Pairs = Iterable[tuple[Any, Any, Id | None]]
"""Prediction, reference, id."""

TOGETHER = 512
"""Documents whose elements are compared at once."""


class Request(NamedTuple):
    """What is ranked: a metric with a collection at its root, and where the confidence of an element stands."""

    name: str
    phi: Similarity
    sigma: Overlap
    reading: Reading
    step: Step | None
    confidence: Selector
    outside: tuple[Selector, Selector] | None
    """Where confidences are read from the documents: the path to a list, and on from each of its entries."""
    label: Selector
    assign: Assign


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """Every predicted element of a corpus as columns, sorted by falling confidence; and what the references have."""

    confidence: Floats
    document: Integers
    gain: Floats
    """How much more is matched with this element than without it and all that come later."""
    credit: Floats
    """What the element is matched for in the end, when all are there, as a share of its own worth."""
    worth: Floats
    labels: Sequence[Hashable]
    reference: Floats
    """What the references of each document are worth."""
    reference_worths: list[Floats]
    """Each reference by itself, by document."""
    by_label: dict[Hashable, Floats]
    """The same by label."""
    ids: list[Id]
    counts_pairs: bool = False
    """N:N: an element gains, and is worth, its pairs with the elements before it."""

    def check_elements(self, what: str) -> None:
        """Refuse what is read from elements where pairs are counted."""
        if self.counts_pairs:
            raise ExpressionError(f'{what} is about elements, but match="N:N" counts pairs; write match="1:1"')


def make_request(
    suite: Scorable,
    confidence: Selectable,
    *,
    metric: str | None = None,
    by: Selectable = None,
    assign: Assign = "optimal",
) -> Request:
    """Check what was asked for."""
    asked = as_suite(suite)
    if asked.several is not None:
        raise ExpressionError("a curve needs one reference for each document; leave out references")
    name = choose_metric(asked, metric)
    step, phi = split_step(asked.metrics[name])
    sigma = root_collection(phi)
    if sigma.order != "bag" or sigma.align_by is not None:
        raise ExpressionError(
            f"a curve adds elements one by one, in order of their confidence, so that they are matched as a bag, but "
            f"found {sigma!r}; leave out order and align_by"
        )
    if sigma.match == "N:N" and (selector(by) or assign == "greedy"):
        what = "labels" if selector(by) else 'assign="greedy"'
        raise ExpressionError(f'{sigma!r} counts pairs, which have no {what}; write match="1:1", or leave it out')
    if assign not in ("optimal", "greedy"):
        raise ExpressionError(f'assign={assign!r}; write assign="optimal" or assign="greedy"')
    outside = None
    if isinstance(confidence, str) and "[]" in confidence:
        before, _, after = confidence.partition("[]")
        outside = selector(before or None), selector(after.lstrip(".") or None)
    elif not selector(confidence):
        raise ExpressionError('curve() needs to know where the confidence of an element is; write confidence="score"')
    sel = () if outside else selector(confidence)
    read = reading(phi) if isinstance(phi, Normalized) else Reading("f1")
    return Request(name, phi, sigma, read, step, sel, outside, selector(by), assign)


def choose_metric(suite: Suite, metric: str | None) -> str:
    """The metric that is meant: the only one, or the one that is named."""
    names = list(suite.metrics)
    if metric is None and len(names) > 1:
        raise ExpressionError(f"which metric? write metric={names[0]!r}; there are {', '.join(names)}")
    if metric is not None and metric not in names:
        raise ExpressionError(f"no metric {metric!r} in the suite{suggestion(metric, names)}")
    return metric or names[0]


def rank(request: Request, pairs: Pairs) -> Ranked:
    """Compare all documents and let the matching of each grow by confidence."""
    [ranked] = rank_levels(request, pairs, [None])
    return ranked


def rank_levels(request: Request, pairs: Pairs, levels: Sequence[float | None]) -> list[Ranked]:
    """Rank once for each threshold from which a pair counts fully; elements are compared only once.

    With None a pair counts by its similarity.
    """
    if request.sigma.match == "N:N" and levels != [None]:
        raise ExpressionError(f'similarities= is about elements, but {request.sigma!r} counts pairs; write match="1:1"')
    made = [_Columns() for _ in levels]
    ids: list[Id] = []
    source = iter(pairs)
    while batch := list(islice(source, TOGETHER)):
        compared, confidences, within = _compare(request, batch, len(ids))
        order = _order(request, compared, confidences)
        for columns, level in zip(made, levels, strict=True):
            there = compared if level is None else _from_level(compared, level, request.assign)
            if within is None:
                gains, credits = grow(request.sigma.match, request.assign, there, order)
            else:
                there, gains = grow_pairs(there, within, order)
                credits = gains
            if level is not None:
                gains, credits = ((side > 0).astype(float) for side in (gains, credits))
            columns.add(there, confidences, gains, credits, len(ids), labelled=bool(request.label))
        ids += [len(ids) + number if id is None else id for number, (_, _, id) in enumerate(batch)]
    if not ids:
        raise DataError("found no documents; an iterator can be read only once, so make a new one")
    counts_pairs = request.sigma.match == "N:N"
    return [replace(columns.rank(ids), counts_pairs=counts_pairs) for columns in made]


class _Columns:
    """Ranked elements, list of documents by list of documents."""

    def __init__(self) -> None:
        self.batches: list[tuple[Floats, ...]] = []
        self.labels: list[Hashable] = []
        self.worths: list[Floats] = []
        self.by_label: dict[Hashable, dict[int, float]] = {}

    def add(
        self, compared: Compared, confidences: Floats, gains: Floats, credits: Floats, first: int, *, labelled: bool
    ) -> None:
        pred, ref = compared.pred, compared.ref
        worth = np.array(pred.worth, dtype=float)
        credit = np.divide(credits, worth, out=np.zeros(len(worth)), where=worth != 0)
        self.batches.append((confidences, owners_of(pred, first).astype(float), gains, credit, worth))
        theirs = np.array(ref.worth, dtype=float)
        self.worths += np.split(theirs, ref.offsets[1:-1])
        if not labelled:
            return
        self.labels += _labels(pred.values[-1])
        for label, owner, own in zip(_labels(ref.values[-1]), owners_of(ref, first).tolist(), ref.worth, strict=True):
            rows = self.by_label.setdefault(label, {})
            rows[owner] = rows.get(owner, 0.0) + own

    def rank(self, ids: list[Id]) -> Ranked:
        confidence, document, gain, credit, worth = (
            np.concatenate(column) for column in zip(*self.batches, strict=True)
        )
        order = np.lexsort((worth, credit, gain, document, -confidence))  # sums of ties have the same bits in any order
        labels = [self.labels[place] for place in order] if self.labels else []
        by_label = {}
        for label, rows in self.by_label.items():
            by_label[label] = np.zeros(len(ids))
            by_label[label][list(rows)] = list(rows.values())
        return Ranked(
            confidence[order],
            document[order].astype(np.int64),
            gain[order],
            credit[order],
            worth[order],
            labels,
            np.array([fsum(own.tolist()) for own in self.worths]),
            self.worths,
            by_label,
            ids,
        )


def _from_level(compared: Compared, level: float, assign: Assign) -> Compared:
    """Keep the pairs with at least this similarity; greedy matching still takes the most similar first."""
    pred, ref = (replace(side, worth=[int(own >= level) for own in side.worth]) for side in compared[:2])
    if compared.cells is None:
        return compared._replace(pred=pred, ref=ref)
    rows, columns, weights = compared.cells
    kept = weights >= level
    return Compared(
        pred, ref, Cells(rows[kept], columns[kept], weights[kept] if assign == "greedy" else np.ones(kept.sum()))
    )


def _compare(
    request: Request, batch: list[tuple[Any, Any, Id | None]], before: int
) -> tuple[Compared, Floats, Within | None]:
    """The elements of a list of documents, and their confidences; an error names the document."""
    try:
        return _compare_all(request, batch)
    except DataError as error:
        if len(batch) == 1:
            if error.document is None:
                error.document = before if batch[0][2] is None else batch[0][2]
            raise
    for number, one in enumerate(batch):  # one by one, which says which document it is
        _compare(request, [one], before + number)
    raise AssertionError("documents that are wrong together are wrong alone")


def _compare_all(request: Request, batch: list[tuple[Any, Any, Id | None]]) -> tuple[Compared, Floats, Within | None]:
    preds, refs = [pred for pred, _, _ in batch], [ref for _, ref, _ in batch]
    if request.step is not None:
        preds, refs = request.step.all(preds, refs)
    label = (request.label,) if request.label else ()
    own = () if request.outside else (request.confidence,)
    compared = compare_elements(request.sigma, preds, refs, own + label, label)
    if request.outside is None:
        found = compared.pred.values[0]
    else:
        found = _outside(request.outside, [pred for pred, _, _ in batch], compared.pred.offsets)
    within: Within | None = None
    if request.sigma.match == "N:N":
        within = compare_elements(request.sigma, preds, preds), compare_elements(request.sigma, refs, refs)
    return compared, check_confidences(found), within


def _outside(paths: tuple[Selector, Selector], documents: list[Any], offsets: list[int]) -> list[Any]:
    """Confidences stored beside or inside what the metric reads, in the same order."""
    found: list[Any] = []
    for number, document in enumerate(documents):
        listed = elements_of(Overlap(paths[0], Eq()), document, "prediction")
        size = offsets[number + 1] - offsets[number]
        if len(listed) != size:
            problem = f"found {count_units(len(listed), 'confidences')} for {count_units(size, 'predicted elements')}"
            raise DataError(problem, side="prediction")
        found += select_all(listed, paths[1], "prediction")
    return found


def check_confidences(values: list[Any]) -> Floats:
    """Confidences as numbers."""
    if set(map(type, values)) <= {float}:
        made = np.array(values, dtype=float)
        if np.isfinite(made).all():
            return made
    return np.array([check_confidence(value) for value in values], dtype=float)


def check_confidence(value: Any, path: str = "") -> float:
    """A confidence as a finite number; one of single precision is the decimal that it prints as, such as 0.7."""
    if isinstance(value, np.floating):
        value = float(str(value))
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            made = float(value)
        except OverflowError:
            made = inf
        if isfinite(made):
            return made
    raise DataError(f"found {shorten(value)} as a confidence, expected a number", path=path, side="prediction")


def _order(request: Request, compared: Compared, confidences: Floats) -> Integers:
    """Sort elements by falling confidence; the order of ties does not depend on the order of the input."""
    cells = compared.cells
    is_settled = request.sigma.match in ("N:1", "N:N") or (cells is None and not request.label)
    if is_settled or len(np.unique(confidences)) == len(confidences):
        return np.argsort(-confidences, kind="stable").astype(np.int64)
    # The most similar first, then by content.
    best = np.zeros(len(confidences)) if cells is not None else np.ones(len(confidences))
    if cells is not None:
        np.maximum.at(best, cells.rows, cells.weights)
    rank = np.zeros(len(confidences))
    places = np.flatnonzero(best).tolist()
    order = content_order([compared.pred.items[place] for place in places])
    rank[[places[number] for number in order]] = np.arange(len(places))
    return np.lexsort((rank, -best, -confidences)).astype(np.int64)


def owners_of(side: SideElements, first: int) -> Integers:
    """The document of each element, where the first has this number."""
    return np.repeat(np.arange(first, first + len(side.offsets) - 1), np.diff(side.offsets))


def _labels(values: list[Any]) -> list[Hashable]:
    return [value if isinstance(value, Hashable) else str(value) for value in values]
