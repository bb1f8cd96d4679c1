"""Curves, calibration and abstaining for the ranked or confident predictions of a corpus, in one call each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.nodes import Similarity
from matchwise.arrays import Floats
from matchwise.confidence.augmentation import Assign
from matchwise.confidence.calibration import (
    Bins,
    Calibration,
    ConfidenceJudgements,
    RiskCoverage,
    calibrate,
    document_judgements,
    element_judgements,
    field_judgements,
    of_documents,
)
from matchwise.confidence.curves import Curve, coco_recalls
from matchwise.confidence.ranking import check_confidences, choose_metric, make_request, rank, rank_levels
from matchwise.corpus.elements import select_all
from matchwise.corpus.loop import Counting, count_all
from matchwise.corpus.pairing import Documents, pair_documents
from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import DataError, MatchwiseError

COCO = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
"""The similarities at which COCO counts a detection: 0.5, 0.55, …, 0.95."""


def curve(
    suite: Scorable,
    preds: Documents,
    refs: Documents,
    *,
    confidence: Selectable,
    metric: str | None = None,
    by: Selectable = None,
    ids: Iterable[Any] | None = None,
    assign: Assign = "optimal",
) -> Curve:
    """Precision and recall at every threshold of confidence, for a metric with a collection at its root.

    `confidence` selects the confidence of an element; with `[]` (`"mentions[].score"`) it is a path from the document,
    for tasks that read their elements from it. `by` also makes a curve for each label of the elements.
    `assign="greedy"` matches as COCO and VOC do: each element takes the most similar reference that is left.

    >>> import matchwise as mw
    >>> preds = [{"xs": [{"id": 1, "p": 0.9}, {"id": 7, "p": 0.6}]}, {"xs": [{"id": 2, "p": 0.3}]}]
    >>> refs = [{"xs": [{"id": 1}]}, {"xs": [{"id": 2}]}]
    >>> found = mw.curve(mw.f1("xs", mw.eq("id")), preds, refs, confidence="p")
    >>> found.best().threshold, found.average_precision
    (0.3, 0.8333333333333333)
    """
    request = make_request(suite, confidence, metric=metric, by=by, assign=assign)
    return Curve(rank(request, pair_documents(preds, refs, ids)), request.reading, request.name)


def average_precision(
    phi: Similarity,
    preds: Documents,
    refs: Documents,
    *,
    confidence: Selectable,
    similarities: Iterable[float] = COCO,
    by: Selectable = None,
    points: int = 101,
    assign: Assign = "greedy",
    ids: Iterable[Any] | None = None,
) -> dict[float, float]:
    """Compute COCO's average precision: interpolated, at each threshold of similarity, as the mean over labels.

    The metric is written with partial credit, as in f1("boxes", eq("label") * iou("box")). A label that no reference
    has is left out, as COCO does.

    >>> import matchwise as mw
    >>> preds, refs = [{"xs": [{"at": (0, 8), "score": 0.9}]}], [{"xs": [{"at": (0, 10)}]}]
    >>> phi = mw.f1("xs", mw.iou("at"))
    >>> mw.average_precision(phi, preds, refs, confidence="score", similarities=(0.5, 0.8, 0.9))
    {0.5: 1.0, 0.8: 1.0, 0.9: 0.0}
    """
    request = make_request(phi, confidence, by=by, assign=assign)
    levels = list(similarities)
    for level in levels:
        if not 0 < level <= 1:
            raise MatchwiseError(f"similarities have {level!r}; write numbers above 0 and up to 1")
    recalls = coco_recalls(points)
    found = {}
    for level, ranked in zip(levels, rank_levels(request, pair_documents(preds, refs, ids), levels), strict=True):
        whole = Curve(ranked, request.reading)
        curves = [part for part in whole.by.values() if part.reference] if request.label else [whole]
        if not curves:
            raise DataError("no reference has a label")
        found[level] = sum(part.mean_best_precision(recalls) for part in curves) / len(curves)
    return found


def calibration(
    suite: Scorable,
    preds: Documents,
    refs: Documents,
    *,
    confidence: Selectable = None,
    fields: Mapping[str, str] | None = None,
    document: Selectable = None,
    metric: str | None = None,
    ids: Iterable[Any] | None = None,
    bins: int = 10,
    by: Bins = "width",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, Calibration]:
    """Check confidences: is what has confidence 0.8 right in 80 % of cases? For elements, fields or documents.

    `confidence` selects that of an element, and `document` that of a document, whose credit is the metric. `fields`
    says where the confidence of each field stands: {"lines[].price": "lines[].confidence.price"}; fields are aligned
    as the metric aligns them. What comes back has an entry `elements` or `documents`, and one for each field.

    >>> import matchwise as mw
    >>> preds, refs = [{"total": 1, "sure": 0.9}, {"total": 2, "sure": 0.6}], [{"total": 1}, {"total": 3}]
    >>> phi = mw.normalize(mw.eq("total") + mw.eq("date"), "f1")
    >>> found = mw.calibration(phi, preds, refs, fields={"total": "sure"})
    >>> round(found["total"].error, 4)
    0.35
    """
    if fields is None and not selector(confidence) and not selector(document):
        raise MatchwiseError(
            'say where the confidences are: write confidence="score" for elements, document="score" for documents, '
            'or fields={"total": "confidence.total"}'
        )
    asked = as_suite(suite)
    name = choose_metric(asked, metric)
    pairs = list(pair_documents(preds, refs, ids))
    found: dict[str, ConfidenceJudgements] = {}
    if selector(confidence):
        found["elements"] = element_judgements(rank(make_request(asked, confidence, metric=name), pairs))
    if selector(document):
        found["documents"] = document_judgements(*_judge(asked, name, pairs, document))
    if fields is not None:
        found |= field_judgements(asked.metrics[name], pairs, fields)
    return {
        one: calibrate(judged, bins=bins, by=by, level=level, resamples=resamples, seed=seed)
        for one, judged in found.items()
    }


def risk_coverage(
    suite: Scorable,
    preds: Documents,
    refs: Documents,
    *,
    confidence: Selectable,
    metric: str | None = None,
    ids: Iterable[Any] | None = None,
) -> RiskCoverage:
    """Risk and coverage of documents: `confidence` selects the confidence of a document, whose loss is 1 − the metric.

    For elements instead of documents, write `curve(...).risk_coverage()`.

    >>> from matchwise import f1, risk_coverage
    >>> preds = [{"xs": ["a"], "sure": 0.9}, {"xs": ["b"], "sure": 0.2}]
    >>> found = risk_coverage(f1("xs"), preds, [{"xs": ["a"]}, {"xs": ["c"]}], confidence="sure")
    >>> found.area, found.coverage_at(0.05)
    (0.25, 0.5)
    """
    asked = as_suite(suite)
    name = choose_metric(asked, metric)
    return of_documents(*_judge(asked, name, list(pair_documents(preds, refs, ids)), confidence))


def _judge(suite: Suite, name: str, pairs: list[Document], confidence: Selectable) -> tuple[Floats, list[float]]:
    """The confidence and the value of each document."""
    sure = check_confidences(select_all([pred for pred, _, _ in pairs], selector(confidence), "prediction"))
    return sure, count_all(Counting(Tally(suite)), pairs).tally.report()[name].per_document
