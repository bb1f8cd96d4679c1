"""A statistic: a value that is read from sums over documents, for one corpus or for thousands of resamples at once.

Every score of a corpus is a smooth function of a few *forms*, each a linear combination of summed quantities:
F1 = 2 matched / (predicted + reference) has two. Resampling, moments and tests add up forms and know nothing else.

>>> import numpy as np
>>> f1 = statistic({"ents": Reading("f1")}, "ents", "value")
>>> f1.of(f1.project(np.array([[3.0, 4.0, 8.0, 3.0], [1.0, 1.0, 1.0, 1.0]]))).tolist()
[0.5, 1.0]

Where the counts of documents are not kept, sums are enough for moments (`MomentSums`): forms are linear in the counts c
of a document, so that Σxxᵀ follows from the exact sums Σ c_i c_j, which add up over shards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import fsum, inf, prod, sqrt
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from matchwise.algebra.nodes import Number
from matchwise.arrays import Floats
from matchwise.corpus.counts import SCORES, WIDTH, Expansion, Portion, Reading, Score, exact_product, expansion
from matchwise.corpus.suite import Combined, Derived
from matchwise.errors import ExpressionError, suggestion

Form: TypeAlias = tuple[tuple[int, Number], ...]
"""A linear combination of columns: pairs of column and weight."""

MATCHED, PREDICTED, REFERENCE, RECALLED = range(WIDTH)


class Ratio(Struct, frozen=True):
    """One form over another, where 0/0 is `empty`, or over 1 if that is None; without another, the form itself."""

    above: int
    below: int | None = None
    empty: Number | None = 1

    def of(self, sums: Floats) -> Floats:
        above = sums[..., self.above]
        if self.below is None:
            return above
        below = sums[..., self.below]
        there = below != 0
        return np.where(there, above / np.where(there, below, 1), above if self.empty is None else float(self.empty))

    def gradient(self, sums: Floats) -> Floats:
        slopes = np.zeros(len(sums))
        if self.below is None:
            slopes[self.above] = 1
        elif (below := sums[self.below]) != 0:
            slopes[self.above] += 1 / below
            slopes[self.below] -= sums[self.above] / below / below
        return slopes


class Balance(Struct, frozen=True):
    """F_β of precision and recall, or its Jaccard index F / (2 − F), where the two sides have their own numerators."""

    precision: Ratio
    recall: Ratio
    beta: Number = 1
    jaccard: bool = False

    def of(self, sums: Floats) -> Floats:
        p, r, square = self.precision.of(sums), self.recall.of(sums), float(self.beta) ** 2
        below = square * p + r
        there = below != 0
        f: Floats = np.where(there, (1 + square) * p * r / np.where(there, below, 1), 0)
        return f / (2 - f) if self.jaccard else f

    def gradient(self, sums: Floats) -> Floats:
        """∂F/∂P = (1 + β²) R² / (β² P + R)², ∂F/∂R = (1 + β²) β² P² / (β² P + R)², ∂J/∂F = 2 / (2 − F)²."""
        p, r, square = float(self.precision.of(sums)), float(self.recall.of(sums)), float(self.beta) ** 2
        below = square * p + r
        if below == 0:
            return np.zeros(len(sums))
        outer = (1 + square) / below / below
        if self.jaccard:
            f = (1 + square) * p * r / below
            outer *= 2 / (2 - f) / (2 - f)
        slopes: Floats = outer * r * r * self.precision.gradient(sums)
        return slopes + outer * square * p * p * self.recall.gradient(sums)


class Combination(Struct, frozen=True):
    """The average of several values or of their square roots, or their product, or 1 without the product.

    An average may be over those parts only whose sizes, each the forms of one part, are not all 0; of none it is 0.
    """

    how: Combined
    parts: tuple[Function, ...]
    sizes: tuple[tuple[int, ...], ...] = ()

    def of(self, sums: Floats) -> Floats:
        values = np.stack([part.of(sums) for part in self.parts])
        made: Floats
        if self.how == "roots":
            values = np.sqrt(values)
        if self.sizes:
            over = np.stack([(sums[..., list(forms)] != 0).any(axis=-1) for forms in self.sizes])
            made = (values * over).sum(axis=0) / np.maximum(over.sum(axis=0), 1)
        else:
            made = values.prod(axis=0) if self.how in ("product", "loss") else values.mean(axis=0)
            made = 1 - made if self.how == "loss" else made
        return made

    def gradient(self, sums: Floats) -> Floats:
        slopes = np.stack([part.gradient(sums) for part in self.parts])
        if self.how == "roots":
            values = [float(part.of(sums)) for part in self.parts]
            others = [0.5 / sqrt(value) / len(values) if value > 0 else 0.0 for value in values]
        elif self.how != "average":
            values = [float(part.of(sums)) for part in self.parts]
            others = [prod(values[:place] + values[place + 1 :]) for place in range(len(values))]
            others = [-other for other in others] if self.how == "loss" else others
        elif self.sizes:
            over = [bool(sums[list(forms)].any()) for forms in self.sizes]
            others = [counts / max(sum(over), 1) for counts in over]
        else:
            others = [1 / len(self.parts)] * len(self.parts)
        made: Floats = (slopes * np.array(others)[:, None]).sum(axis=0)
        return made


Function: TypeAlias = Ratio | Balance | Combination


class Statistic(Struct, frozen=True):
    """A function of summed forms, and how the forms are made of the columns of a table (four to a metric)."""

    metric: str
    score: str
    forms: tuple[Form, ...]
    function: Function

    def project(self, columns: Floats) -> Floats:
        """The forms, of rows or sums of columns."""
        return np.stack(
            [sum(float(weight) * columns[..., column] for column, weight in form) for form in self.forms],
            axis=-1,
        )

    def total(self, columns: Floats) -> Floats:
        """The forms summed over all rows, each column rounded once, so that the value is that of the report."""
        sums = np.zeros(columns.shape[1])
        for column in {column for form in self.forms for column, _ in form}:
            sums[column] = fsum(columns[:, column].tolist())
        return self.project(sums)

    def of(self, sums: Floats) -> Floats:
        """The value, of summed forms along the last axis."""
        return self.function.of(sums)

    def gradient(self, sums: Floats) -> Floats:
        """∂value / ∂form, of one row of summed forms; 0 where 0/0 has a fixed value."""
        return self.function.gradient(sums)

    def is_bounded(self, forms: Floats) -> bool:
        """True if no document has a ratio above 1, so that the value lies between 0 and 1."""
        return bool(self.ratios) and all(
            bool((forms[:, above] <= forms[:, below] * (1 + ROUNDING)).all()) for above, below in self.ratios
        )

    @property
    def ratios(self) -> list[tuple[int, int]]:
        """The forms above and below each ratio that the value is made of; none if it is made of anything else."""
        found = [(part.above, part.below) for part in _ends(self.function) if part.below is not None]
        return [] if self.is_total else found

    @property
    def is_total(self) -> bool:
        """True if a document of zeros counts: it says that there was nothing to add."""
        return any(part.below is None for part in _ends(self.function))


def _ends(function: Function) -> list[Ratio]:
    match function:
        case Balance(precision, recall):
            return [precision, recall]
        case Combination(_, parts):
            return [end for part in parts for end in _ends(part)]
        case _:
            return [function]


Readings: TypeAlias = Mapping[str, Reading | Derived]


def statistic(readings: Readings, metric: str, score: Score = "value", *, sided: bool = False) -> Statistic:
    """A score of a metric as a function of sums; `sided` if the two sides always have their own numerators (labels)."""
    if score not in SCORES:
        raise ExpressionError(f"no score {score!r}{suggestion(str(score), SCORES)}")
    if metric not in readings:
        raise ExpressionError(f"no metric {metric!r} in the table{suggestion(str(metric), readings)}")
    entry = readings[metric]
    metrics = [name for name, reading in readings.items() if isinstance(reading, Reading)]
    firsts = {name: metrics.index(name) * WIDTH for name, _ in _parts(readings, metric)}
    forms: list[Form] = []
    parts = [_function(part, score, firsts[name], sided, forms) for name, part in _parts(readings, metric)]
    if isinstance(entry, Reading):
        own = "f1" if entry.kind == "harmonic" else entry.kind
        return Statistic(metric, own if score == "value" else score, tuple(forms), parts[0])
    counted = (REFERENCE,) if entry.where == "reference" else (PREDICTED, REFERENCE)
    sizes = [
        tuple(_place(((firsts[name] + column, 1),), forms) for column in counted) for name in entry.names if entry.where
    ]
    function = Combination(entry.how, tuple(parts), tuple(sizes))
    is_rate = any(part.is_error for _, part in _parts(readings, metric))
    how = "product" if entry.how == "loss" and is_rate else entry.how  # what error rates leave is no error (MOTA)
    return Statistic(metric, how if score == "value" else score, tuple(forms), function)


def statistics(readings: Readings, metric: str, scores: Sequence[Score]) -> list[tuple[Score, Statistic]]:
    """The scores that a metric has, as statistics of the columns of a table."""
    return [(score, statistic(readings, metric, score)) for score in _scores_of(readings, metric, scores)]


def part_statistics(readings: Readings, part: Portion, scores: Sequence[Score]) -> list[tuple[Score, Statistic]]:
    """The scores that a label or a field has, as statistics of its own four columns.

    A matched pair counts under the label of either side, so that the sides have their own numerators; the value of a
    field is its F1.
    """
    is_label, metric = part.kind == "label", part.metric
    own = {metric: readings[metric] if is_label else Reading("f1")}
    return [(score, statistic(own, metric, score, sided=is_label)) for score in _scores_of(own, metric, scores)]


def _parts(readings: Readings, metric: str) -> list[tuple[str, Reading]]:
    """The metric itself, or the metrics that it is derived from."""
    entry = readings[metric]
    names = entry.names if isinstance(entry, Derived) else (metric,)
    return [(name, reading) for name in names if isinstance(reading := readings[name], Reading)]


def _scores_of(readings: Readings, metric: str, scores: Sequence[Score]) -> list[Score]:
    """The scores that the metric has, without repetition: a mean has no precision, and the value of an F1 is its F1."""
    kinds = {part.kind for _, part in _parts(readings, metric)}
    counted = "mean" not in kinds
    same = {"precision": {"precision"}, "recall": {"recall"}, "f1": {"f1", "harmonic"}}
    return [
        score
        for score in dict.fromkeys(scores)
        if score == "value" or (counted and not ("value" in scores and kinds <= same[score]))
    ]


def _function(reading: Reading, score: Score, first: int, sided: bool, forms: list[Form]) -> Ratio | Balance:
    """How a score is made of forms, which are added to those that there are."""

    def form(**weights: Number) -> int:
        return _place(tuple((first + _PLACES[name], weight) for name, weight in weights.items() if weight), forms)

    def precision() -> Ratio:
        return Ratio(form(matched=1), form(predicted=1), reading.empty)

    def recall() -> Ratio:
        recalled = form(recalled=1) if sided or reading.kind == "harmonic" else form(matched=1)
        return Ratio(recalled, form(reference=1), reading.empty_recall)

    kind: str = reading.kind if score == "value" else score
    beta = reading.beta if score == "value" else 1
    if reading.kind == "mean" and score != "value":
        raise ExpressionError(f"a mean over documents has no counts, hence no {score}; ask for its value")
    match kind:
        case "precision" | "mean":
            return precision()
        case "recall":
            return recall()
        case "total":
            return Ratio(form(matched=1))
        case "fbeta" if beta == inf:
            return Ratio(form(matched=1), form(reference=1), reading.empty)
        case "error_rate":
            edits = (
                form(predicted=1, reference=1, matched=-1, recalled=-1)
                if sided
                else form(predicted=1, reference=1, matched=-2)
            )
            return Ratio(edits, form(reference=1), None)
        case "jaccard" if not sided:
            return Ratio(form(matched=1), form(predicted=1, reference=1, matched=-1), reading.empty)
        case _ if sided or reading.kind == "harmonic":
            return Balance(precision(), recall(), beta, jaccard=kind == "jaccard")
    square = beta**2
    return Ratio(form(matched=1 + square), form(predicted=1, reference=square), reading.empty)


def _place(form: Form, forms: list[Form]) -> int:
    """The place of a form, which is kept once."""
    if form not in forms:
        forms.append(form)
    return forms.index(form)


_PLACES = {"matched": MATCHED, "predicted": PREDICTED, "recalled": RECALLED, "reference": REFERENCE}


class MomentSums(Struct, frozen=True):
    """What documents add to the moments of every score that their table has."""

    products: tuple[Expansion, ...]
    """Σ c_i c_j of each pair of columns."""
    units: tuple[int, ...]
    """Documents in which each score occurs."""
    beyond: tuple[int, ...]
    """Documents in which each score is above 1."""

    def __add__(self, other: MomentSums) -> MomentSums:
        return MomentSums(
            tuple(expansion(mine + theirs) for mine, theirs in zip(self.products, other.products, strict=True)),
            tuple(map(sum, zip(self.units, other.units, strict=True))),
            tuple(map(sum, zip(self.beyond, other.beyond, strict=True))),
        )


@lru_cache(maxsize=64)
def layout(
    entries: tuple[tuple[str, Reading | Derived], ...],
) -> tuple[tuple[Statistic, ...], tuple[tuple[int, int], ...]]:
    """The scores of a table, given its entries, and the pairs of columns that they need."""
    readings = dict(entries)
    scored = tuple(one for metric in readings for _, one in statistics(readings, metric, SCORES))
    pairs = set()
    for one in scored:
        used = sorted({column for form in one.forms for column, _ in form})
        pairs |= {(i, j) for i in used for j in used if i <= j}
    return scored, tuple(sorted(pairs))


def measure(readings: Readings, rows: Floats) -> MomentSums:
    """What documents add, given their counts, four for each metric."""
    scored, pairs = layout(tuple(readings.items()))
    units, beyond = [], []
    for one in scored:
        forms = one.project(rows)
        above = np.zeros(len(rows), dtype=bool)
        for a, b in one.ratios:
            above |= forms[:, a] > forms[:, b] * (1 + ROUNDING)
        units.append(len(rows) if one.is_total else int(forms.any(axis=1).sum()))
        beyond.append(int(above.sum()))
    return MomentSums(tuple(multiply(rows, pairs)), tuple(units), tuple(beyond))


ROUNDING = 1e-9
"""The share by which a ratio may be above 1 by rounding."""


def multiply(rows: Floats, pairs: Sequence[tuple[int, int]]) -> Iterator[Expansion]:
    """Σ c_i c_j, without rounding."""
    if (rows == np.floor(rows)).all() and float(np.abs(rows).max(initial=0)) ** 2 * len(rows) < EXACT:
        squares = rows.T @ rows
        yield from (expansion([float(squares[pair])]) for pair in pairs)
        return
    for i, j in pairs:
        yield expansion(np.concatenate(exact_product(rows[:, i], rows[:, j])))


EXACT = 2.0**53
"""Sums of whole numbers below this are exact, whichever way they are added."""
