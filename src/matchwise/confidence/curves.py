"""Curves: precision and recall at every threshold of confidence, from one sort and one matching that grows.

At a threshold t the predictions are the elements with a confidence of at least t, matched optimally. Elements of equal
confidence enter together, so that a curve has one point for each distinct confidence and no order of the input matters.

>>> from matchwise.algebra.build import eq, f1
>>> from matchwise.confidence.ranking import make_request, rank
>>> pred = {"xs": [{"id": 1, "score": 0.9}, {"id": 7, "score": 0.6}, {"id": 2, "score": 0.3}]}
>>> request = make_request(f1("xs", eq("id")), "score")
>>> found = Curve(rank(request, [(pred, {"xs": [{"id": 1}, {"id": 2}]}, None)]), request.reading)
>>> found.thresholds.tolist(), found.precision.tolist(), found.recall.tolist()
([0.9, 0.6, 0.3], [1.0, 0.5, 0.6666666666666666], [0.5, 0.5, 1.0])
>>> found.average_precision
0.8333333333333333

P@k, R@k, nDCG and mean average precision take each document as a ranking (`Ranks`) and average over documents. Elements
of equal confidence share what they add equally, which is the mean over all orders of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.algebra.build import Selectable
from matchwise.algebra.names import given
from matchwise.algebra.nodes import Kind, Similarity
from matchwise.arrays import Flags, Floats, Integers
from matchwise.confidence.augmentation import Assign
from matchwise.confidence.ranking import Ranked, make_request, rank, rank_levels
from matchwise.corpus.counts import Counts, Reading, label_text, plain
from matchwise.corpus.pairing import Documents, pair_documents
from matchwise.corpus.statistic import Statistic, statistic
from matchwise.corpus.suite import Scorable
from matchwise.errors import DataError, ExpressionError, MatchwiseError, check_whole, count_units
from matchwise.sheets.plots import plot_curve
from matchwise.sheets.shown import Tabled
from matchwise.sheets.table import align_cells
from matchwise.statistics.variation import ENOUGH, logit_interval, moments, percentile_interval, plain_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from matchwise.confidence.calibration import RiskCoverage


COCO = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
"""The similarities at which COCO counts a detection: 0.5, 0.55, …, 0.95."""


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Tabled):
    """Precision and recall at each distinct confidence, highest first, and what is read from them."""

    ranked: Ranked
    reading: Reading
    metric: str = "score"

    @cached_property
    def ends(self) -> Integers:
        """The last place of each group of equal confidences."""
        confidence = self.ranked.confidence
        last = np.ones(len(confidence), dtype=bool)
        last[:-1] = confidence[1:] != confidence[:-1]
        return np.flatnonzero(last).astype(np.int64)

    @cached_property
    def thresholds(self) -> Floats:
        found: Floats = self.ranked.confidence[self.ends]
        return found

    @cached_property
    def matched(self) -> Floats:
        return _round(self.ranked.gain.cumsum()[self.ends])

    @cached_property
    def predicted(self) -> Floats:
        return _round(self.ranked.worth.cumsum()[self.ends])

    @property
    def reference(self) -> float:
        return float(self.ranked.reference.sum())

    @cached_property
    def precision(self) -> Floats:
        return self._read(self._score("precision"), self.matched, self.predicted, self.reference)

    @cached_property
    def recall(self) -> Floats:
        return self._read(self._score("recall"), self.matched, self.predicted, self.reference)

    @cached_property
    def f1(self) -> Floats:
        return self.fbeta(1)

    def fbeta(self, beta: float) -> Floats:
        """F_β at each threshold."""
        return self._read(self._score("fbeta", beta), self.matched, self.predicted, self.reference)

    def _score(self, kind: Kind, beta: float = 1) -> Statistic:
        empty = self.reading.empty
        return statistic({"score": Reading(kind, beta, empty, empty)}, "score")

    def _read(self, score: Statistic, matched: Floats, predicted: Floats, reference: Any) -> Floats:
        """A score of counts, which are those at each threshold or of each document."""
        columns = np.broadcast_arrays(matched, predicted, reference, matched)
        return score.of(score.project(np.stack(columns, axis=-1)))

    def at(self, threshold: float) -> Counts:
        """The counts of the elements with at least this confidence."""
        place = int((self.thresholds >= threshold).sum()) - 1
        if place < 0:
            return Counts(0, 0, plain(self.reference))
        return Counts(plain(self.matched[place]), plain(self.predicted[place]), plain(self.reference))

    @property
    def average_precision(self) -> float:
        """The area under the steps: Σ (R_n − R_{n−1}) P_n, as scikit-learn has it; 0 if there is nothing to find."""
        if not self.reference:
            return 0.0
        return float((np.diff(self.recall, prepend=0.0) * self.precision).sum())

    def interpolated(self, points: int = 11) -> float:
        """The mean, over equally spaced recalls, of the best precision at that recall or more.

        11 points are PASCAL VOC's average precision until 2009, 101 are COCO's. The recalls are exactly k/10 and k/100.
        In the scripts of both some are a bit more (0.35000000000000003), so that a system that finds 7 of 20 does not
        reach them; `average_precision` follows pycocotools in this.
        """
        check_whole("points", points, 2, "11 (PASCAL VOC), 101 (COCO) or another number from 2")
        return self.mean_best_precision(np.arange(points) / (points - 1))

    def mean_best_precision(self, recalls: Floats) -> float:
        """The mean, over these recalls, of the best precision at that recall or more."""
        if not len(self.thresholds) or not self.reference:
            return 0.0
        envelope = np.append(np.maximum.accumulate(self.precision[::-1])[::-1], 0.0)
        return float(envelope[np.searchsorted(self.recall, recalls, side="left")].mean())

    def best(self, beta: float = 1, *, level: float = 0.95, resamples: int = 1000, seed: int = 0) -> BestThreshold:
        """The threshold with the highest F_β (the highest of several), with intervals by resampling documents."""
        if not 0 < beta < float("inf"):
            raise MatchwiseError(f"beta={beta!r}; write a number above 0")
        if not 0 < level < 1:
            raise MatchwiseError(f"level={level!r}; write a share between 0 and 1, as in level=0.95")
        if not len(self.thresholds):
            raise DataError("there are no predictions, and so no threshold")
        score, values = self._score("fbeta", beta), self.fbeta(beta)
        ranked, size = self.ranked, len(self.ranked.ids)
        place = int(values.argmax())
        threshold, value = float(self.thresholds[place]), float(values[place])
        best = BestThreshold(threshold, value, self.at(threshold), beta)
        if size < ENOUGH or resamples <= 0:
            return best
        rng = np.random.Generator(np.random.PCG64(seed))
        places, optimism = [], []
        for _ in range(resamples):
            often = np.bincount(rng.integers(0, size, size), minlength=size).astype(float)
            weights = often[ranked.document]
            matched = (weights * ranked.gain).cumsum()[self.ends]
            predicted = (weights * ranked.worth).cumsum()[self.ends]
            drawn = self._read(score, matched, predicted, often @ ranked.reference)
            chosen = int(drawn.argmax())
            places.append(chosen)
            optimism.append(float(drawn[chosen] - values[chosen]))
        low, high = self._interval(threshold, beta, level)
        first, last = percentile_interval(self.thresholds[places], level)
        corrected = value - float(np.mean(optimism))
        return replace(best, low=low, high=high, threshold_low=first, threshold_high=last, corrected=corrected)

    def _interval(self, threshold: float, beta: float, level: float) -> tuple[float | None, float | None]:
        """The interval of F_β at a threshold, as of any score."""
        ranked = self.ranked
        kept = ranked.confidence >= threshold
        matched, predicted = (
            np.bincount(ranked.document[kept], column[kept], minlength=len(ranked.ids))
            for column in (ranked.gain, ranked.worth)
        )
        score = self._score("fbeta", beta)
        forms = score.project(np.stack([matched, predicted, ranked.reference, matched], axis=1))
        seen = moments(forms)
        if score.is_bounded(forms):
            return logit_interval(score, seen, level)
        return plain_interval(float(score.of(seen.rounded)), score.gradient(seen.rounded), seen, level)

    def precision_at(self, k: int) -> float:
        """P@k: the credit of the k most confident elements of a document, out of k; the mean over documents."""
        check_whole("k", k, 1, "a whole number from 1")
        self.ranked.check_elements("precision_at(k)")
        ranks = self._ranks
        return float((ranks.by_document(ranks.shared * (ranks.rank < k)) / k).mean())

    def recall_at(self, k: int) -> float:
        """R@k: the credit of the k most confident elements, out of the reference; over documents that have one."""
        check_whole("k", k, 1, "a whole number from 1")
        ranks, found = self._ranks, self._found()
        gained = ranks.by_document(ranks.shared * (ranks.rank < k))
        return float((gained[found] / self.ranked.reference[found]).mean())

    def ndcg(self, k: int | None = None) -> float:
        """nDCG of the gains of a document, discounted by log2(rank + 1); over documents that have a reference.

        The ideal ranking has all references, the worthiest first.
        """
        if k is not None:
            check_whole("k", k, 1, "a whole number from 1")
        self.ranked.check_elements("ndcg()")
        ranks, found = self._ranks, self._found()
        discounts = 1 / np.log2(ranks.rank + 2.0)
        if k is not None:
            discounts = discounts * (ranks.rank < k)
        gained = ranks.by_document(ranks.shared * discounts)
        ideal = np.zeros(len(gained))
        for document, worths in enumerate(self.ranked.reference_worths):
            best = np.sort(worths)[::-1][:k]
            ideal[document] = (best / np.log2(np.arange(len(best)) + 2.0)).sum()
        return float((gained[found] / ideal[found]).mean())

    @property
    def mean_average_precision(self) -> float:
        """The average precision of each document's own curve; the mean over documents that have a reference."""
        found, ranks = self._found(), self._ranks
        if not len(ranks.group):
            return 0.0
        last = np.append(ranks.group[1:] != ranks.group[:-1], True)
        before = np.concatenate([[0.0], ranks.gain.cumsum()])
        size = np.concatenate([[0.0], ranks.worth.cumsum()])
        starts = np.searchsorted(ranks.document, ranks.document)
        matched, predicted = before[1:] - before[starts], size[1:] - size[starts]
        precision = np.divide(matched, predicted, out=np.zeros(len(matched)), where=predicted != 0)
        gained = np.bincount(ranks.group, ranks.gain)
        area = np.bincount(ranks.document[last], gained * precision[last], minlength=len(self.ranked.ids))
        return float((area[found] / self.ranked.reference[found]).mean())

    def _found(self) -> Flags:
        """The documents that have a reference."""
        found = self.ranked.reference > 0
        if not found.any():
            raise DataError("no document has anything in its reference, and so no recall or nDCG")
        return found

    @cached_property
    def _ranks(self) -> Ranks:
        return Ranks(self.ranked)

    def risk_coverage(self) -> RiskCoverage:
        """What is wrong of the elements that are kept, as more and more of them are."""
        from matchwise.confidence.calibration import trace_risk

        self.ranked.check_elements("risk_coverage()")
        kept = self.ranked.worth > 0
        return trace_risk(self.ranked.confidence[kept], 1 - self.ranked.credit[kept], self.ranked.worth[kept])

    @cached_property
    def by(self) -> dict[Hashable, Curve]:
        """The curve of each label, if `by` was asked for: of the elements with it, and of such references."""
        ranked = self.ranked
        if not ranked.by_label and not ranked.labels:
            raise ExpressionError('this curve has no labels; write curve(..., by="type")')
        found = {}
        for label in sorted({*ranked.labels, *ranked.by_label}, key=lambda label: (str(label), repr(label))):
            places = np.array([place for place, one in enumerate(ranked.labels) if one == label], dtype=int)
            columns = {
                name: getattr(ranked, name)[places] for name in ("confidence", "document", "gain", "credit", "worth")
            }
            reference = ranked.by_label.get(label, np.zeros(len(ranked.reference)))
            part = replace(ranked, **columns, labels=[label] * len(places), reference=reference, by_label={})
            found[label] = Curve(part, self.reading, self.metric)
        return found

    def rows(self, points: int | None = None) -> list[dict[str, float]]:
        """The points of the curve; with `points`, at most as many, evenly spread over the predictions."""
        places = np.arange(len(self.thresholds))
        if points is not None and points < len(places):
            goals = np.linspace(self.predicted[0], self.predicted[-1], points)
            places = np.unique(np.searchsorted(self.predicted, goals - 1e-9))
        columns = (self.thresholds, self.precision, self.recall, self.f1, self.matched, self.predicted)
        return [dict(zip(COLUMNS, (float(column[place]) for column in columns), strict=True)) for place in places]

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "documents": len(self.ranked.ids),
            "reference": self.reference,
            "average_precision": self.average_precision,
            "interpolated_11": self.interpolated(11),
            "interpolated_101": self.interpolated(101),
            "mean_average_precision": self.mean_average_precision if self.reference else None,
            "ndcg": self.ndcg() if self.reference and not self.ranked.counts_pairs else None,
            "points": self.rows(),
        }

    def __str__(self) -> str:
        return "\n\n".join([write_rows(COLUMNS, self.rows(11)), *self.notes()])

    def __repr__(self) -> str:
        documents = count_units(len(self.ranked.ids), "documents")
        return f"<Curve of {documents}: average precision {self.average_precision:.4f}>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw precision over recall, by matplotlib."""
        return plot_curve(self.recall.tolist(), self.precision.tolist(), self.average_precision, ax)

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        points = [row | {name: plain(row[name]) for name in COLUMNS[4:]} for row in self.rows(11 if brief else None)]
        if not self.ranked.by_label and not self.ranked.labels:
            return {"points": points}
        labels = [
            {"label": label_text(label), "average_precision": one.average_precision, "reference": plain(one.reference)}
            for label, one in self.by.items()
        ]
        return {"points": points, "labels": labels}

    def notes(self) -> list[str]:
        return [f"average precision {self.average_precision:.4f}, of {plain(self.reference):g} in the reference"]


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


def coco_recalls(points: int = 101) -> Floats:
    """The recalls at which pycocotools looks: its own floats, some of which are a bit more than k/100."""
    check_whole("points", points, 2, "101 (COCO), 11 (PASCAL VOC) or another number from 2")
    return np.linspace(0, 1, points)


COLUMNS = ("threshold", "precision", "recall", "f1", "matched", "predicted")
"""What the rows of a curve have."""


def write_rows(names: Sequence[str], rows: list[dict[str, Any]]) -> str:
    """A table of rows: counts with as few digits as they have, scores with four."""
    return align_cells([names, *([_cell(name, row[name]) for name in names] for row in rows)], names=0)


def _cell(name: str, value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    return f"{plain(value):.10g}" if name in ("matched", "predicted", "reference") else f"{value:.4f}"


def _round(sums: Floats) -> Floats:
    """Round sums of floats that are whole up to rounding error."""
    near = np.rint(sums)
    return np.where(np.abs(sums - near) < 1e-9, near, sums)


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """Keep what has at least this confidence.

    `low` and `high` are those of F_β at the threshold, `threshold_low` and `threshold_high` those of the threshold
    itself; all are None for fewer than 10 documents. The threshold was chosen on the documents it is measured on:
    `corrected` is the value without what that gains, by Efron's optimism.
    """

    threshold: float
    value: float
    counts: Counts
    beta: float = 1
    low: float | None = None
    high: float | None = None
    threshold_low: float | None = None
    threshold_high: float | None = None
    corrected: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return given(self) | {"counts": self.counts.to_dict()}


class Ranks:
    """The elements of each document by falling confidence, document after document."""

    def __init__(self, ranked: Ranked) -> None:
        order = np.argsort(ranked.document, kind="stable")
        self.documents = len(ranked.ids)
        self.document = ranked.document[order]
        confidence = ranked.confidence[order]
        starts = np.searchsorted(self.document, np.arange(len(ranked.ids)))
        self.rank = np.arange(len(order)) - starts[self.document]
        """From 0, in the document."""
        new = np.ones(len(order), dtype=bool)
        new[1:] = (self.document[1:] != self.document[:-1]) | (confidence[1:] != confidence[:-1])
        self.group = new.cumsum() - 1
        """Elements of one document with equal confidence."""
        self.gain = ranked.gain[order]
        self.worth = ranked.worth[order]

    @cached_property
    def shared(self) -> Floats:
        """What each element adds; elements of equal confidence share it equally."""
        if not len(self.gain):
            return self.gain
        shared: Floats = (np.bincount(self.group, self.gain) / np.bincount(self.group))[self.group]
        return shared

    def by_document(self, column: Floats) -> Floats:
        """The sum over the elements of each document."""
        return np.bincount(self.document, column, minlength=self.documents).astype(np.float64)
