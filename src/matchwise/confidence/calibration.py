"""Calibration: whether predictions with a confidence of 0.8 are right in 80 % of the cases.

ECE = Σ_b n_b / n · |mean credit of bin b − its mean confidence| (Naeini et al. 2015). Bin b of n holds the confidences
from b/n on and below (b + 1)/n, and the last one also 1. The credit of an element is what it is matched for, as a share
of its own worth; that of a field is its similarity to the field it is aligned with.

>>> import numpy as np
>>> sure, right = np.array([0.9, 0.7, 0.2]), np.array([1.0, 0.0, 0.0])
>>> print(calibrate(ConfidenceJudgements(sure, right, np.array([0, 0, 1]), 2), bins=2))
    bin      n  confidence  credit      gap
0.0-0.5      1      0.2000  0.0000  -0.2000
0.5-1.0      2      0.8000  0.5000  -0.3000
<BLANKLINE>
ECE 0.2667, Brier score 0.1800, 3 predictions of 2 documents

A system that may abstain answers where it is most confident first. Coverage is the share that it answers, risk the mean
loss (1 − credit) of the answers. Predictions of equal confidence share their loss equally.

>>> found = trace_risk(np.array([0.9, 0.8, 0.1]), np.array([0.0, 1.0, 0.0]))
>>> found.coverage.tolist(), found.risk.tolist(), round(found.area, 4), round(found.excess, 4)
([0.3333333333333333, 0.6666666666666666, 1.0], [0.0, 0.5, 0.3333333333333333], 0.2778, 0.1667)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from matchwise.algebra.build import Selectable, selector
from matchwise.algebra.names import given
from matchwise.algebra.nodes import Similarity
from matchwise.arrays import Floats, Integers
from matchwise.confidence.ranking import Ranked, check_confidence, check_confidences, choose_metric, make_request, rank
from matchwise.corpus.elements import select_all
from matchwise.corpus.loop import Counting, count_all
from matchwise.corpus.pairing import Documents, pair_documents
from matchwise.corpus.suite import Scorable, Suite, as_suite
from matchwise.corpus.tally import Document, Tally
from matchwise.errors import (
    DataError,
    ExpressionError,
    MatchwiseError,
    check_choice,
    check_whole,
    count_units,
    naming_document,
    suggestion,
)
from matchwise.sheets.plots import plot_calibration
from matchwise.sheets.shown import Tabled
from matchwise.statistics.variation import ENOUGH, percentile_interval, resample
from matchwise.views.alignment import align

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Bins: TypeAlias = Literal["width", "mass"]
"""Bins of equal width, or with equally many predictions."""


class Bin(NamedTuple):
    """Predictions whose confidence is `low` or more and below `high`; the last bin has `high`, too."""

    low: float
    high: float
    n: int
    confidence: float
    credit: float

    @property
    def gap(self) -> float:
        """Credit minus confidence; below 0 the system is overconfident."""
        return self.credit - self.confidence


@dataclass(frozen=True, slots=True)
class Calibration(Tabled):
    """The reliability table and what is read from it; intervals are None for fewer than 10 documents."""

    bins: tuple[Bin, ...]
    error: float
    """ECE: the mean gap, without its sign."""
    error_low: float | None
    error_high: float | None
    largest: float
    """The largest gap of a bin (MCE)."""
    brier: float
    """The mean squared difference of confidence and credit."""
    n: int
    documents: int

    def to_dict(self) -> dict[str, Any]:
        return given(self) | {"bins": [one._asdict() | {"gap": one.gap} for one in self.bins]}

    def __str__(self) -> str:
        spans = [f"{_bound(one.low)}-{_bound(one.high)}" for one in self.bins]
        width = max(map(len, spans))
        lines = [f"{'bin':>{width}}      n  confidence  credit      gap"]
        for span, one in zip(spans, self.bins, strict=True):
            lines.append(f"{span:>{width}}  {one.n:5}  {one.confidence:10.4f}  {one.credit:6.4f}  {one.gap:7.4f}")
        return "\n".join([*lines, "", *self.notes()])

    def __repr__(self) -> str:
        return f"<Calibration of {count_units(self.n, 'predictions')}: ECE {self.error:.4f}>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the credit of each bin over its confidence, by matplotlib."""
        bins = [(one.confidence, one.credit, one.n) for one in self.bins]
        return plot_calibration(bins, f"ECE {self.error:.3f} of {count_units(self.n, 'predictions')}", ax)

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        return {"bins": [one._asdict() | {"gap": one.gap} for one in self.bins]}

    def notes(self) -> list[str]:
        between = "" if self.error_low is None else f" ({self.error_low:.4f} to {self.error_high:.4f})"
        said = f"ECE {self.error:.4f}{between}, Brier score {self.brier:.4f}"
        return [f"{said}, {count_units(self.n, 'predictions')} of {count_units(self.documents, 'documents')}"]


def _bound(number: float) -> str:
    return f"{number:.1f}" if round(number, 1) == round(number, 6) else f"{number:.3f}"


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
        found["documents"] = document_judgements(asked, name, pairs, document)
    if fields is not None:
        found |= field_judgements(asked.metrics[name], pairs, fields)
    return {
        one: calibrate(judged, bins=bins, by=by, level=level, resamples=resamples, seed=seed)
        for one, judged in found.items()
    }


def calibrate(
    found: ConfidenceJudgements,
    *,
    bins: int = 10,
    by: Bins = "width",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Calibration:
    """The reliability table, with an interval of its error by resampling documents."""
    check_whole("bins", bins, 1, "a whole number from 1, as in bins=10")
    check_choice("by", by, get_args(Bins))
    confidence, credit, document, documents = found
    if not len(confidence):
        raise DataError("there are no predictions to calibrate")
    if confidence.min() < 0 or confidence.max() > 1:
        wrong = float(confidence[(confidence < 0) | (confidence > 1)][0])
        raise DataError(f"found the confidence {wrong:g}, expected a probability from 0 to 1", side="prediction")
    edges = np.arange(bins + 1) / bins
    if by == "mass":  # equally many in each, linear between neighbours and exact where one is hit
        ranked = np.sort(confidence)
        at, rest = np.divmod(np.arange(bins + 1) * (len(ranked) - 1), bins)
        next_at = np.minimum(at + 1, len(ranked) - 1)
        edges = np.unique(ranked[at] + (ranked[next_at] - ranked[at]) * (rest / bins))
    size = max(len(edges) - 1, 1)
    place = np.clip(np.searchsorted(edges, confidence, side="right") - 1, 0, size - 1)
    forms = np.zeros((documents, 3 * size))
    for offset, column in enumerate((np.ones(len(confidence)), confidence, credit)):
        np.add.at(forms, (document, offset * size + place), column)
    n, sure, right = forms.sum(axis=0).reshape(3, size)
    ends = edges.tolist() if len(edges) > 1 else edges.tolist() * 2
    table = tuple(
        Bin(ends[b], ends[b + 1], int(n[b]), float(sure[b] / n[b]), float(right[b] / n[b])) for b in range(size) if n[b]
    )
    low = high = None
    if documents >= ENOUGH and resamples > 0:
        low, high = percentile_interval(_errors(resample(forms, resamples, seed), size), level)
    return Calibration(
        table,
        float(_errors(forms.sum(axis=0)[None], size)[0]),
        low,
        high,
        max(abs(one.gap) for one in table),
        float(((confidence - credit) ** 2).mean()),
        len(confidence),
        documents,
    )


def _errors(sums: Floats, size: int) -> Floats:
    """The ECE of each row of summed forms."""
    n, sure, right = sums[:, :size], sums[:, size : 2 * size], sums[:, 2 * size :]
    errors: Floats = abs(right - sure).sum(axis=1) / n.sum(axis=1).clip(min=1)
    return errors


class ConfidenceJudgements(NamedTuple):
    """Confidences, the credit of each prediction (from 0 to 1), and its document."""

    confidence: Floats
    credit: Floats
    document: Integers
    documents: int


def element_judgements(ranked: Ranked) -> ConfidenceJudgements:
    """Elements of a collection, when all of them are matched."""
    ranked.check_elements("calibration()")
    return ConfidenceJudgements(ranked.confidence, ranked.credit, ranked.document, len(ranked.ids))


def document_judgements(suite: Suite, name: str, pairs: list[Document], confidence: Selectable) -> ConfidenceJudgements:
    """Whole documents: the credit of one is the value of the metric."""
    sure = check_confidences(select_all([pred for pred, _, _ in pairs], selector(confidence), "prediction"))
    values = np.array(count_all(Counting(Tally(suite)), pairs).tally.report()[name].per_document)
    if ((values < 0) | (values > 1)).any():
        raise MatchwiseError('confidences of documents need a metric from 0 to 1; write f1("relations")')
    return ConfidenceJudgements(sure, values, np.arange(len(values)), len(values))


def field_judgements(
    phi: Similarity, pairs: Iterable[tuple[Any, Any, Any]], fields: Mapping[str, str]
) -> dict[str, ConfidenceJudgements]:
    """Fields of records, by the optimal alignment of each document: a field that is aligned with none has no credit.

    `fields` says where the confidence of a field stands: {"lines[].price": "lines[].confidence.price"}. Both are read
    from the prediction as it is, before the step of the metric, if it has one.
    """
    if not fields:
        raise ExpressionError('calibration() needs to know which fields; write fields={"total": "confidence.total"}')
    for name, where in fields.items():
        if name.count("[]") != where.count("[]") and where.count("[]") != 0:
            raise ExpressionError(
                f"{name!r} and {where!r} go through different lists; write the same number of [] in both"
            )
    columns: dict[str, tuple[list[float], list[float], list[int]]] = {name: ([], [], []) for name in fields}
    compared: set[str] = set()
    documents = 0
    for number, (pred, ref, id) in enumerate(pairs):
        documents += 1
        with naming_document(number if id is None else id):
            credits = {
                leaf.pred_path: float(leaf.score) / float(leaf.predicted) if leaf.predicted else 0.0
                for leaf in align(phi, pred, ref).leaves()
            }
            compared |= {re.sub(r"\[\d+\]", "[]", path) for path in credits}
            for name, where in fields.items():
                sure, right, of = columns[name]
                steps, others = (re.findall(r"[^.\[\]]+|\[\]", path) for path in (name, where))
                for path, value, confidence in _follow(pred, pred, "", steps, others):
                    if value is not None:
                        sure.append(check_confidence(confidence, where))
                        right.append(credits.get(path, 0.0))
                        of.append(number)
    for name in fields:
        if not columns[name][0]:
            raise DataError(f"no prediction has the field {name!r}")
        if name not in compared:
            raise DataError(f"the metric compares no field {name!r} with a reference{suggestion(name, compared)}")
    return {
        name: ConfidenceJudgements(np.array(sure), np.array(right), np.array(of, dtype=np.int64), documents)
        for name, (sure, right, of) in columns.items()
    }


def _follow(
    value: Any, confident: Any, path: str, steps: list[str], others: list[str]
) -> Iterable[tuple[str, Any, Any]]:
    """(path, value, confidence) of a field, once for each element of the lists it goes through."""
    while steps and steps[0] != "[]":
        step, *steps = steps
        value = _get(value, step)
        path = f"{path}.{step}" if path else step
    while others and others[0] != "[]":
        step, *others = others
        confident = _get(confident, step)
    if not steps:
        yield path, value, confident
        return
    inside = value if isinstance(value, list | tuple) else ()
    beside = confident if others and isinstance(confident, list | tuple) else (confident,) * len(inside)
    if len(beside) != len(inside):
        found = f"found {count_units(len(beside), 'confidences')} for {count_units(len(inside), 'elements')}"
        raise DataError(found, path=path, side="prediction")
    for place, (one, other) in enumerate(zip(inside, beside, strict=True)):
        yield from _follow(one, other, f"{path}[{place}]", steps[1:], others[1:])


def _get(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(step)
    return getattr(value, step, None)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class RiskCoverage(Tabled):
    """One point for each distinct confidence; `area` is the mean risk over all coverages (AURC)."""

    thresholds: Floats
    coverage: Floats
    risk: Floats
    area: float
    excess: float
    """How much more that is than with the best possible order (E-AURC): 0 if confidence sorts right from wrong."""

    def coverage_at(self, risk: float) -> float:
        """The largest share that can be answered with at most this risk."""
        if not 0 <= risk <= 1:
            raise MatchwiseError(f"risk={risk!r}; write a share from 0 to 1")
        low = self.risk <= risk + 1e-12
        return float(self.coverage[low].max()) if low.any() else 0.0

    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        size = len(self.thresholds)
        places = np.unique(np.linspace(0, size - 1, min(size, 11) if brief else size).astype(int))
        rows = zip(*(column[places].tolist() for column in (self.thresholds, self.coverage, self.risk)), strict=True)
        return {"points": [{"threshold": t, "coverage": c, "risk": r} for t, c, r in rows]}

    def to_dict(self) -> dict[str, Any]:
        return {"area": self.area, "excess": self.excess, **self.tables()}

    def __str__(self) -> str:
        return "\n".join(self.notes())

    def __repr__(self) -> str:
        return f"<RiskCoverage: area {self.area:.4f}, excess {self.excess:.4f}>"

    def notes(self) -> list[str]:
        shares = ", ".join(f"{self.coverage_at(risk):.4f} at {risk:g}" for risk in (0.01, 0.05, 0.1, 0.2))
        area = f"risk and coverage: area {self.area:.4f}, excess {self.excess:.4f}"
        return [area, f"coverage by risk: {shares}"]


def trace_risk(confidence: Floats, loss: Floats, weight: Floats | None = None) -> RiskCoverage:
    """The curve of predictions with a confidence and a loss, weighted by what each is worth."""
    if not len(confidence):
        raise DataError("there are no predictions to abstain from")
    size = np.ones(len(confidence)) if weight is None else weight
    order = np.argsort(-confidence, kind="stable")
    confidence, loss, size = confidence[order], loss[order] * size[order], size[order]
    ends = np.flatnonzero(np.append(confidence[1:] != confidence[:-1], True))
    losses, sizes = loss.cumsum()[ends], size.cumsum()[ends]
    area = _area(confidence, loss, size)
    ideal = _area(-np.divide(loss, size, out=np.zeros(len(loss)), where=size != 0), loss, size)
    return RiskCoverage(confidence[ends], sizes / sizes[-1], losses / sizes, area, area - ideal)


def _area(confidence: Floats, loss: Floats, size: Floats) -> float:
    """The mean, over predictions, of the risk when they and all before them are kept; the mean over orders of ties."""
    order = np.argsort(-confidence, kind="stable")
    _, group = np.unique(-confidence[order], return_inverse=True)
    shares = [np.bincount(group, column[order]) / np.bincount(group) for column in (loss, size)]
    lost, kept = (share[group].cumsum() for share in shares)
    return float((lost / kept).mean())


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

    >>> import matchwise as mw
    >>> preds = [{"xs": ["a"], "sure": 0.9}, {"xs": ["b"], "sure": 0.2}]
    >>> found = mw.risk_coverage(mw.f1("xs"), preds, [{"xs": ["a"]}, {"xs": ["c"]}], confidence="sure")
    >>> found.area, found.coverage_at(0.05)
    (0.25, 0.5)
    """
    asked = as_suite(suite)
    found = document_judgements(asked, choose_metric(asked, metric), list(pair_documents(preds, refs, ids)), confidence)
    return trace_risk(found.confidence, 1 - found.credit)
