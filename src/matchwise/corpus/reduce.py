"""From counts to values: the outermost normaliser, which was peeled to count documents, is applied to their sum."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import Literal

from matchwise.algebra.nodes import Harmonic, Kind, Latent, Normalized, Number, Overlap, Similarity, Sum
from matchwise.algebra.walk import searched
from matchwise.corpus.counts import Counts, total
from matchwise.corpus.suite import Derived
from matchwise.engine.limits import Bounds
from matchwise.engine.rewrite import outermost
from matchwise.errors import ExpressionError


@dataclass(frozen=True, slots=True)
class Reading:
    """How the value of φ is read from its counts.

    `"total"` is that of an unnormalised φ; `"mean"` that of a φ without counts, averaged over documents.
    """

    kind: Kind | Literal["harmonic", "total", "mean"]
    beta: Number = 1
    empty: Number = 1
    empty_recall: Number = 1

    def value(self, counts: Counts) -> float:
        match self.kind:
            case "precision" | "mean":
                return self.precision(counts)
            case "recall":
                return self.recall(counts)
            case "f1" | "fbeta":
                return counts.fbeta(self.beta, empty=self.empty)
            case "jaccard":
                return counts.jaccard(empty=self.empty)
            case "harmonic":
                return self.f1(counts)
            case "total":
                return float(counts.matched)

    def precision(self, counts: Counts) -> float:
        return counts.precision(empty=self.empty)

    def recall(self, counts: Counts) -> float:
        return counts.recall(empty=self.empty_recall)

    def f1(self, counts: Counts) -> float:
        if self.kind != "harmonic":
            return counts.f1(empty=self.empty)
        p, r = self.precision(counts), self.recall(counts)
        return 2 * p * r / (p + r) if p + r else 0.0


def reading(phi: Similarity) -> Reading:
    """What stands at the root of φ.

    >>> from matchwise.algebra.build import f1, mean
    >>> reading(f1("mentions", empty=0)).kind, reading(mean(f1("mentions"))).kind
    ('f1', 'mean')
    """
    match outermost(phi):
        case Normalized(kind, _, beta, empty):
            return Reading(kind, beta, empty, empty)
        case Overlap() | Sum() | Latent(Overlap() | Sum()):
            return Reading("total")
        case Harmonic(Normalized("precision", empty=empty), Normalized("recall", empty=empty_recall)):
            return Reading("harmonic", 1, empty, empty_recall)
        case _:
            return Reading("mean")


@dataclass(frozen=True)
class Measured:
    """The values of one metric, read from the quantities of its documents, column by column."""

    phi: Similarity
    matched: array[float]
    predicted: array[float]
    recalled: array[float]
    reference: array[float]
    open: dict[int, tuple[float, ...]] = field(default_factory=dict)
    """The documents whose optimum was not proved within the limits, and their quantities at best."""

    @cached_property
    def reading(self) -> Reading:
        return reading(self.phi)

    @cached_property
    def counts(self) -> Counts:
        """The sum over documents: matched, predicted, reference, and recalled where it is counted by itself."""
        recalled = total(self.recalled) if self.reading.kind == "harmonic" else None
        return Counts(total(self.matched), total(self.predicted), total(self.reference), recalled)

    @property
    def value(self) -> float:
        """The value of φ's own kind: F_β of an `fbeta`, J of a `jaccard`, the matched total of an `overlap`, …"""
        return self.reading.value(self.counts)

    @property
    def searched(self) -> bool:
        """Whether φ is an optimum that is searched for, so that it matters whether it is proved."""
        return searched(self.phi)

    @cached_property
    def bounds(self) -> Bounds:
        """The value, and what it is at most: equal if every document is proved."""
        if not self.open:
            return Bounds(self.value, self.value)
        rows = enumerate(zip(self.matched, self.predicted, self.recalled, self.reference, strict=True))
        best = [self.open.get(document, row) for document, row in rows]
        matched, predicted, recalled, reference = (array("d", column) for column in zip(*best, strict=True))
        return Bounds(self.value, Measured(self.phi, matched, predicted, recalled, reference).value)

    @property
    def precision(self) -> float:
        return self._counted("precision").precision(self.counts)

    @property
    def recall(self) -> float:
        return self._counted("recall").recall(self.counts)

    @property
    def f1(self) -> float:
        return self._counted("f1").f1(self.counts)

    @property
    def macro(self) -> float:
        """The mean over documents of their own values."""
        return _mean(self.per_document, self.reading.empty)

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        value = self.reading.value
        if self.reading.kind != "harmonic":
            rows = zip(self.matched, self.predicted, self.reference, strict=True)
            return [value(Counts(*row)) for row in rows]
        sides = zip(self.matched, self.predicted, self.reference, self.recalled, strict=True)
        return [value(Counts(*row)) for row in sides]

    def _counted(self, name: str) -> Reading:
        if self.reading.kind == "mean":
            raise ExpressionError(f"{self.phi!r} has no counts and so no {name}; read .value")
        return self.reading


@dataclass(frozen=True)
class Combined:
    """The values derived from those of several metrics."""

    derived: Derived
    metrics: tuple[Measured, ...]

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
        return _mean(self.per_document, self._combine(lambda metric: metric.reading.empty))

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        columns = (zip(metric.per_document, metric.predicted, metric.reference, strict=True) for metric in self.metrics)
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
