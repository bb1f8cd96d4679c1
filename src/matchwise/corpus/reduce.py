"""From counts to values: the outermost normaliser, which was peeled to count documents, is applied to their sum."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import NamedTuple

from matchwise.algebra.nodes import Number
from matchwise.algebra.walk import searched
from matchwise.corpus.counts import Counts, plain
from matchwise.corpus.reading import Columns, Reading
from matchwise.corpus.suite import Derived, Suite
from matchwise.engine.limits import Bounds
from matchwise.errors import ExpressionError


class Summed(NamedTuple):
    """The quantities of one metric, summed over documents, as they are and at best."""

    totals: tuple[float, ...]
    best: tuple[float, ...]


@dataclass(frozen=True)
class Measured:
    """The values of one metric, read from the quantities of its documents, or from their sums."""

    reading: Reading
    quantities: Columns | Summed
    mean: Bounds | None = None
    """Of the values of the documents, where these were not kept."""
    searched: bool = False
    """Whether it is an optimum that is searched for, so that it matters whether it is proved."""

    @property
    def columns(self) -> Columns:
        if isinstance(self.quantities, Summed):
            raise not_kept()
        return self.quantities

    @property
    def matched(self) -> array[float]:
        return self.columns.matched

    @property
    def predicted(self) -> array[float]:
        return self.columns.predicted

    @property
    def recalled(self) -> array[float]:
        return self.columns.recalled

    @property
    def reference(self) -> array[float]:
        return self.columns.reference

    @cached_property
    def counts(self) -> Counts:
        """The sum over documents: matched, predicted, reference, and recalled where it is counted by itself."""
        if isinstance(self.quantities, Summed):
            return self._counts(self.quantities.totals)
        return self._counts(map(fsum, self.quantities.quantities))

    def _counts(self, totals: Iterable[float]) -> Counts:
        matched, predicted, recalled, reference = map(plain, totals)
        return Counts(matched, predicted, reference, recalled if self.reading.kind == "harmonic" else None)

    @property
    def value(self) -> float:
        """The value of φ's own kind: F_β of an `fbeta`, J of a `jaccard`, the matched total of an `overlap`, …"""
        return self.reading.value(self.counts)

    @cached_property
    def bounds(self) -> Bounds:
        """The value, and what it is at most: equal if every document is proved."""
        if isinstance(self.quantities, Summed):
            best = self.quantities.best
        elif not self.quantities.open:
            return Bounds(self.value, self.value)
        else:
            rows = enumerate(zip(*self.quantities.quantities, strict=True))
            best = tuple(map(fsum, zip(*(self.quantities.open.get(place, row) for place, row in rows), strict=True)))
        return Bounds(self.value, self.reading.value(self._counts(best)))

    @property
    def precision(self) -> float:
        return self._counted("precision").precision(self.counts)

    @property
    def recall(self) -> float:
        return self._counted("recall").recall(self.counts)

    @property
    def f1(self) -> float:
        return self._counted("f1").f1(self.counts)

    @cached_property
    def precisions(self) -> list[float]:
        """The precision of each document."""
        read = self._counted("precision")
        return [read.precision(self._counts(row)) for row in zip(*self.columns.quantities, strict=True)]

    @cached_property
    def recalls(self) -> list[float]:
        """The recall of each document."""
        read = self._counted("recall")
        return [read.recall(self._counts(row)) for row in zip(*self.columns.quantities, strict=True)]

    @property
    def macro_precision(self) -> float:
        """The mean over documents of their own precision."""
        return fsum(self.precisions) / len(self.precisions) if self.precisions else float(self.reading.empty)

    @property
    def macro_recall(self) -> float:
        """The mean over documents of their own recall."""
        return fsum(self.recalls) / len(self.recalls) if self.recalls else float(self.reading.empty_recall)

    @property
    def macro(self) -> float:
        """The mean over documents of their own values."""
        return float(self.macro_bounds.lower)

    @cached_property
    def macro_bounds(self) -> Bounds:
        """The mean over documents, and what it is at most."""
        return _means(self, self.reading.empty) if self.mean is None else self.mean

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        return self.reading.values(self.columns)

    @cached_property
    def at_best(self) -> list[float]:
        """What the value of each document is at most."""
        if not self.columns.open:
            return self.per_document
        values = self.per_document.copy()
        for place, row in self.columns.open.items():
            values[place] = self.reading.value(self._counts(row))
        return values

    def bounds_of(self, place: int) -> Bounds:
        """The value of one document, and what it is at most."""
        return Bounds(self.per_document[place], self.at_best[place])

    def _counted(self, name: str) -> Reading:
        if self.reading.kind == "mean":
            raise ExpressionError(f"a mean over documents has no counts and so no {name}; read .value")
        return self.reading


@dataclass(frozen=True)
class Combined:
    """The values derived from those of several metrics."""

    derived: Derived
    metrics: tuple[Measured, ...]
    mean: Bounds | None = None
    """Of the values of the documents, where these were not kept."""

    @property
    def counts(self) -> Counts:
        raise ExpressionError(f"{self.derived!r} has no counts of its own; read those of its metrics")

    @property
    def value(self) -> float:
        return self._combine(lambda metric: metric.value)

    @property
    def searched(self) -> bool:
        return any(metric.searched for metric in self.metrics)

    @property
    def bounds(self) -> Bounds:
        """The value, and what it is at most: equal if every document is proved."""
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
    def macro(self) -> float:
        """The mean over documents of their own values."""
        return float(self.macro_bounds.lower)

    @cached_property
    def macro_bounds(self) -> Bounds:
        """The mean over documents, and what it is at most."""
        return _means(self, self._combine(lambda metric: metric.reading.empty)) if self.mean is None else self.mean

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        return self._of_documents([metric.per_document for metric in self.metrics])

    @cached_property
    def at_best(self) -> list[float]:
        """What the value of each document is at most."""
        if not any(metric.columns.open for metric in self.metrics):
            return self.per_document
        return self._of_documents([metric.at_best for metric in self.metrics])

    def bounds_of(self, place: int) -> Bounds:
        """The value of one document, and what it is at most."""
        return Bounds(self.per_document[place], self.at_best[place])

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


def _means(metric: Measured | Combined, empty: Number) -> Bounds:
    """The mean of the values of the documents, and of what they are at most."""
    values, best = metric.per_document, metric.at_best
    if not values:
        return Bounds(float(empty), float(empty))
    lower = fsum(values) / len(values)
    return Bounds(lower, lower if best is values else fsum(best) / len(best))


def not_kept() -> ExpressionError:
    """What is said to someone who asks for documents where only their sums were kept."""
    return ExpressionError('only sums were kept, and no counts of each document; count with keep="documents"')


def metrics(
    entries: Mapping[str, Reading | Derived],
    quantities: Mapping[str, Columns | Summed],
    means: Mapping[str, Bounds] | None = None,
    hard: Collection[str] = (),
) -> dict[str, Measured | Combined]:
    """Every entry, read from the quantities of the metrics; `hard` are those whose optimum is searched for."""
    mean = (means or {}).get
    measured = {
        name: Measured(entry, quantities[name], mean(name), name in hard)
        for name, entry in entries.items()
        if isinstance(entry, Reading)
    }
    return {
        name: Combined(entry, tuple(measured[part] for part in entry.names), mean(name))
        if isinstance(entry, Derived)
        else measured[name]
        for name, entry in entries.items()
    }


def hard(suite: Suite) -> frozenset[str]:
    """The metrics that are optima which are searched for."""
    return frozenset(name for name, phi in suite.metrics.items() if searched(phi))
