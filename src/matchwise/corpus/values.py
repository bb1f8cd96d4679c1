"""The values of a corpus: what is read from the counts of its documents or from their sums, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import NamedTuple

from matchwise.algebra.nodes import Number
from matchwise.algebra.walk import is_searched
from matchwise.corpus.counts import Columns, Counts, Reading, plain
from matchwise.corpus.suite import Derived, Suite
from matchwise.engine.limits import Bounds
from matchwise.errors import ExpressionError
from matchwise.shown import html


class Summed(NamedTuple):
    """The summed counts of one metric: as found, and their upper bounds."""

    totals: tuple[float, ...]
    best: tuple[float, ...]


class Means(NamedTuple):
    """Means over documents; a metric without counts has no precision and recall."""

    value: Bounds
    precision: float | None = None
    recall: float | None = None


@dataclass(frozen=True, repr=False)
class Measured:
    """The values of one metric, read from the counts of its documents, or from their sums."""

    reading: Reading
    counted: Columns | Summed
    means: Means | None = None
    """Over documents, where their counts were not kept."""
    searched: bool = False
    """Whether it is an optimum that is searched for, so that it matters whether it is proved."""

    @property
    def columns(self) -> Columns:
        """The counts of each document."""
        if isinstance(self.counted, Summed):
            raise not_kept()
        return self.counted

    @property
    def matched(self) -> Sequence[float]:
        return self.columns.counts.matched

    @property
    def predicted(self) -> Sequence[float]:
        return self.columns.counts.predicted

    @property
    def reference(self) -> Sequence[float]:
        return self.columns.counts.reference

    @property
    def recalled(self) -> Sequence[float]:
        return self.columns.counts.recalled

    @cached_property
    def counts(self) -> Counts:
        """The sum over documents: matched, predicted, reference, and recalled where it is counted by itself."""
        if isinstance(self.counted, Summed):
            return self._counts(self.counted.totals)
        return self._counts(map(fsum, self.counted.counts))

    def _counts(self, totals: Iterable[float]) -> Counts:
        matched, predicted, reference, recalled = map(plain, totals)
        return Counts(matched, predicted, reference, recalled if self.reading.kind == "harmonic" else None)

    @property
    def value(self) -> float:
        """The value of φ's own kind: F_β of an `fbeta`, J of a `jaccard`, the matched total of an `overlap`, …"""
        return self.reading.value(self.counts)

    @cached_property
    def bounds(self) -> Bounds:
        """The value and its upper bound; they are equal if every document is proved."""
        if isinstance(self.counted, Summed):
            best = self.counted.best
        elif not self.counted.open:
            return Bounds(self.value, self.value)
        else:
            rows = enumerate(zip(*self.counted.counts, strict=True))
            best = tuple(map(fsum, zip(*(self.counted.open.get(place, row) for place, row in rows), strict=True)))
        return Bounds(self.value, self.reading.value(self._counts(best)))

    @property
    def precision(self) -> float:
        return self._sided("precision").precision(self.counts)

    @property
    def recall(self) -> float:
        return self._sided("recall").recall(self.counts)

    @property
    def f1(self) -> float:
        return self._sided("f1").f1(self.counts)

    @cached_property
    def precisions(self) -> list[float]:
        """The precision of each document."""
        return self._sided("precision").precisions(self.columns.counts)

    @cached_property
    def recalls(self) -> list[float]:
        """The recall of each document."""
        return self._sided("recall").recalls(self.columns.counts)

    @property
    def has_sides(self) -> bool:
        """True if the metric has precision, recall and counts of its own; a mean over documents has none."""
        return self.reading.kind != "mean"

    @property
    def macro_precision(self) -> float:
        """The mean over documents of their own precision."""
        empty = self._sided("precision").empty
        return _mean(self.precisions, empty) if self.means is None else _known(self.means.precision)

    @property
    def macro_recall(self) -> float:
        """The mean over documents of their own recall."""
        empty = self._sided("recall").empty_recall
        return _mean(self.recalls, empty) if self.means is None else _known(self.means.recall)

    @property
    def macro(self) -> float:
        """The mean over documents of their own values."""
        return float(self.macro_bounds.lower)

    @cached_property
    def macro_bounds(self) -> Bounds:
        """The mean over documents, and its upper bound."""
        return _mean_bounds(self, self.reading.empty) if self.means is None else self.means.value

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        return self.reading.values(self.columns.counts)

    @cached_property
    def at_best(self) -> list[float]:
        """The upper bound of the value of each document."""
        if not self.columns.open:
            return self.per_document
        values = self.per_document.copy()
        for place, row in self.columns.open.items():
            values[place] = self.reading.value(self._counts(row))
        return values

    def bounds_of(self, place: int) -> Bounds:
        """The value of one document, and its upper bound."""
        return Bounds(self.per_document[place], self.at_best[place])

    def __repr__(self) -> str:
        if not self.has_sides:
            return f"<{self.value:.4f}>"
        return f"<{self.reading.kind} {self.value:.4f}: {self.counts}>"

    def _repr_html_(self) -> str:
        return html(self)

    def _sided(self, name: str) -> Reading:
        if not self.has_sides:
            raise ExpressionError(f"a mean over documents has no counts, hence no {name}; read .value")
        return self.reading


@dataclass(frozen=True, repr=False)
class Combined:
    """The values derived from several metrics."""

    derived: Derived
    metrics: tuple[Measured, ...]
    means: Means | None = None
    """Over documents, where their counts were not kept."""

    @property
    def counts(self) -> Counts:
        raise ExpressionError(f"{self.derived!r} has no counts of its own; read the counts of its metrics")

    @property
    def value(self) -> float:
        return self._combine(lambda metric: metric.value)

    @property
    def searched(self) -> bool:
        return any(metric.searched for metric in self.metrics)

    @property
    def bounds(self) -> Bounds:
        """The value and its upper bound; they are equal if every document is proved."""
        if all(metric.bounds.proved for metric in self.metrics):
            return Bounds(self.value, self.value)
        return Bounds(self.value, self._combine(lambda metric: metric.bounds.upper))

    @property
    def precision(self) -> float:
        return self._combine(lambda metric: metric.precision)

    @property
    def recall(self) -> float:
        return self._combine(lambda metric: metric.recall)

    @property
    def f1(self) -> float:
        return self._combine(lambda metric: metric.f1)

    @property
    def has_sides(self) -> bool:
        """True if precision and recall are shown: an average over classes averages theirs."""
        return self.derived.where is not None and all(metric.has_sides for metric in self.metrics)

    @cached_property
    def precisions(self) -> list[float]:
        """The precision of each document."""
        return self._of_documents([metric.precisions for metric in self.metrics])

    @cached_property
    def recalls(self) -> list[float]:
        """The recall of each document."""
        return self._of_documents([metric.recalls for metric in self.metrics])

    @property
    def macro_precision(self) -> float:
        """The mean over documents of their own precision."""
        empty = self._combine(lambda metric: metric.reading.empty)
        return _mean(self.precisions, empty) if self.means is None else _known(self.means.precision)

    @property
    def macro_recall(self) -> float:
        """The mean over documents of their own recall."""
        empty = self._combine(lambda metric: metric.reading.empty_recall)
        return _mean(self.recalls, empty) if self.means is None else _known(self.means.recall)

    @property
    def macro(self) -> float:
        """The mean over documents of their own values."""
        return float(self.macro_bounds.lower)

    @cached_property
    def macro_bounds(self) -> Bounds:
        """The mean over documents, and its upper bound."""
        if self.means is not None:
            return self.means.value
        return _mean_bounds(self, self._combine(lambda metric: metric.reading.empty))

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        return self._of_documents([metric.per_document for metric in self.metrics])

    @cached_property
    def at_best(self) -> list[float]:
        """The upper bound of the value of each document."""
        if not any(metric.columns.open for metric in self.metrics):
            return self.per_document
        return self._of_documents([metric.at_best for metric in self.metrics])

    def bounds_of(self, place: int) -> Bounds:
        """The value of one document, and its upper bound."""
        return Bounds(self.per_document[place], self.at_best[place])

    def __repr__(self) -> str:
        return f"<{self.derived!r} {self.value:.4f}>"

    def _repr_html_(self) -> str:
        return html(self)

    def _of_documents(self, values: list[list[float]]) -> list[float]:
        sizes = ((metric.predicted, metric.reference) for metric in self.metrics)
        columns = (zip(column, *size, strict=True) for column, size in zip(values, sizes, strict=True))
        return [
            self.derived.of([value for value, *sizes in row if self.derived.over(*sizes)])
            for row in zip(*columns, strict=True)
        ]

    def _combine(self, read: Callable[[Measured], Number]) -> float:
        return self.derived.of([float(read(metric)) for metric in self.metrics if self._is_over(metric)])

    def _is_over(self, metric: Measured) -> bool:
        return self.derived.where is None or self.derived.over(metric.counts.predicted, metric.counts.reference)


def _mean(values: list[float], empty: Number) -> float:
    return fsum(values) / len(values) if values else float(empty)


def _mean_bounds(metric: Measured | Combined, empty: Number) -> Bounds:
    """The mean of the values of the documents, and of their upper bounds."""
    values, best = metric.per_document, metric.at_best
    lower = _mean(values, empty)
    return Bounds(lower, lower if best is values else _mean(best, empty))


def _known(mean: float | None) -> float:
    if mean is None:
        raise ExpressionError('its precision and recall over documents were not kept; count with keep="documents"')
    return mean


def not_kept() -> ExpressionError:
    """The error for asking for documents when only sums were kept."""
    return ExpressionError('only sums were kept, and no counts of each document; count with keep="documents"')


def read_values(
    readings: Mapping[str, Reading | Derived],
    counted: Mapping[str, Columns | Summed],
    means: Mapping[str, Means] | None = None,
    hard: Collection[str] = (),
) -> dict[str, Measured | Combined]:
    """Every entry of a suite, read from the counts of its metrics; the optima of `hard` metrics need a search."""
    mean = (means or {}).get
    measured = {
        name: Measured(entry, counted[name], mean(name), name in hard)
        for name, entry in readings.items()
        if isinstance(entry, Reading)
    }
    return {
        name: Combined(entry, tuple(measured[part] for part in entry.names), mean(name))
        if isinstance(entry, Derived)
        else measured[name]
        for name, entry in readings.items()
    }


def searched_metrics(suite: Suite) -> frozenset[str]:
    """The metrics whose optimum needs a search."""
    return frozenset(name for name, phi in suite.metrics.items() if is_searched(phi))
