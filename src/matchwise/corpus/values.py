"""The values of a corpus: what is read from the counts of its documents or from their sums, metric by metric.

Sums over documents are never rounded (`expansion`): how documents are grouped and in which order changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from operator import attrgetter
from typing import Literal, NamedTuple

from matchwise.algebra.nodes import Number
from matchwise.arrays import Floats
from matchwise.corpus.counts import WIDTH, Columns, Counts, Reading, plain
from matchwise.corpus.expansion import Expansion, expansion
from matchwise.corpus.spread import Spread, measure
from matchwise.corpus.suite import Derived
from matchwise.engine.limits import Bounds
from matchwise.errors import ExpressionError


class Summed(NamedTuple):
    """The summed counts of one metric: as found, and their upper bounds."""

    totals: tuple[float, ...]
    best: tuple[float, ...]


class Means(NamedTuple):
    """Means over documents; a metric without counts has no precision and recall."""

    value: Bounds
    precision: float | None = None
    recall: float | None = None


class Entry(ABC):
    """The values of one entry of a suite."""

    means: Means | None
    """Over documents, where their counts were not kept."""

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """True if the optimum of a document was not proved within the limits."""

    @abstractmethod
    def each(self, name: str) -> list[float] | Floats:
        """One of the lists below, or the same as an array."""

    @abstractmethod
    def _empty(self, score: Literal["precision", "recall", "value"]) -> Number:
        """What 0/0 is."""

    @cached_property
    def per_document(self) -> list[float]:
        """The value of each document."""
        return _as_list(self.each("per_document"))

    @cached_property
    def at_best(self) -> list[float]:
        """The upper bound of the value of each document."""
        return _as_list(self.each("at_best"))

    @cached_property
    def precisions(self) -> list[float]:
        """The precision of each document."""
        return _as_list(self.each("precisions"))

    @cached_property
    def recalls(self) -> list[float]:
        """The recall of each document."""
        return _as_list(self.each("recalls"))

    @property
    def macro_precision(self) -> float:
        """The mean over documents of their own precision."""
        empty = self._empty("precision")
        return _mean(self.precisions, empty) if self.means is None else _known(self.means.precision)

    @property
    def macro_recall(self) -> float:
        """The mean over documents of their own recall."""
        empty = self._empty("recall")
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
        empty, values, best = self._empty("value"), self.per_document, self.at_best
        lower = _mean(values, empty)
        return Bounds(lower, lower if best is values else _mean(best, empty))

    def bounds_of(self, place: int) -> Bounds:
        """The value of one document, and its upper bound."""
        return Bounds(self.per_document[place], self.at_best[place])

    def _repr_html_(self) -> str:
        from matchwise.reports.scores import score_row
        from matchwise.sheets.html import fragment
        from matchwise.sheets.table import PrintedTable, Sheet

        assert isinstance(self, Measured | Combined)
        return str(fragment(Sheet((PrintedTable("scores", (score_row(self),)),))))


@dataclass(frozen=True, repr=False)
class Measured(Entry):
    """The values of one metric, read from the counts of its documents, or from their sums."""

    reading: Reading
    counted: Columns | Summed
    means: Means | None = None
    searched: bool = False
    """Whether it is an optimum that is searched for, so that it matters whether it is proved."""

    @property
    def columns(self) -> Columns:
        """The counts of each document."""
        if isinstance(self.counted, Summed):
            raise not_kept()
        return self.counted

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
        return self._read_side("precision").precision(self.counts)

    @property
    def recall(self) -> float:
        return self._read_side("recall").recall(self.counts)

    @property
    def f1(self) -> float:
        return self._read_side("f1").f1(self.counts)

    @property
    def has_sides(self) -> bool:
        """True if the metric has precision, recall and counts of its own; a mean over documents has none."""
        return self.reading.kind != "mean"

    @property
    def is_open(self) -> bool:
        return bool(self.columns.open)

    def each(self, name: str) -> list[float] | Floats:
        match name:
            case "precisions":
                return self._read_side("precision").precisions(self.columns.counts)
            case "recalls":
                return self._read_side("recall").recalls(self.columns.counts)
            case "per_document":
                return self.reading.values(self.columns.counts)
        if not self.is_open:
            return self.per_document
        values = self.per_document.copy()
        for place, row in self.columns.open.items():
            values[place] = self.reading.value(self._counts(row))
        return values

    def __repr__(self) -> str:
        if not self.has_sides:
            return f"<{self.value:.4f}>"
        return f"<{self.reading.kind} {self.value:.4f}: {self.counts}>"

    def _empty(self, score: Literal["precision", "recall", "value"]) -> Number:
        read = self.reading if score == "value" else self._read_side(score)
        return read.empty_recall if score == "recall" else read.empty

    def _read_side(self, name: str) -> Reading:
        if not self.has_sides:
            raise ExpressionError(f"a mean over documents has no counts, hence no {name}; read .value")
        return self.reading


@dataclass(frozen=True, repr=False)
class Combined(Entry):
    """The values derived from several metrics."""

    derived: Derived
    metrics: tuple[Measured, ...]
    means: Means | None = None

    @property
    def counts(self) -> Counts:
        raise ExpressionError(f"{self.derived!r} has no counts of its own; read the counts of its metrics")

    @property
    def value(self) -> float:
        return self._combine(attrgetter("value"))

    @property
    def searched(self) -> bool:
        return any(metric.searched for metric in self.metrics)

    @property
    def bounds(self) -> Bounds:
        """The value and its upper bound; they are equal if every document is proved."""
        return Bounds(self.value, self._combine(attrgetter("bounds.upper")))

    @property
    def precision(self) -> float:
        return self._combine(attrgetter("precision"))

    @property
    def recall(self) -> float:
        return self._combine(attrgetter("recall"))

    @property
    def f1(self) -> float:
        return self._combine(attrgetter("f1"))

    @property
    def has_sides(self) -> bool:
        """True if precision and recall are shown: an average over classes averages theirs."""
        return self.derived.where is not None and all(metric.has_sides for metric in self.metrics)

    def __repr__(self) -> str:
        return f"<{self.derived!r} {self.value:.4f}>"

    def _empty(self, score: Literal["precision", "recall", "value"]) -> Number:
        return self._combine(attrgetter("reading.empty_recall" if score == "recall" else "reading.empty"))

    @property
    def is_open(self) -> bool:
        return any(metric.is_open for metric in self.metrics)

    def each(self, name: str) -> list[float]:
        if name == "at_best" and not self.is_open:
            return self.per_document
        columns = (zip(getattr(one, name), *map(list, one.columns.counts[1:3]), strict=True) for one in self.metrics)
        return [
            self.derived.of([value for value, *sizes in row if self.derived.over(*sizes)])
            for row in zip(*columns, strict=True)
        ]

    def _combine(self, read: Callable[[Measured], Number]) -> float:
        where, over = self.derived.where, self.derived.over
        counted = (one for one in self.metrics if where is None or over(one.counts.predicted, one.counts.reference))
        return self.derived.of([float(read(metric)) for metric in counted])


def _as_list(values: list[float] | Floats) -> list[float]:
    return values if isinstance(values, list) else values.tolist()


def _mean(values: list[float], empty: Number) -> float:
    return fsum(values) / len(values) if values else float(empty)


def _known(mean: float | None) -> float:
    if mean is None:
        raise ExpressionError('its precision and recall over documents were not kept; count with keep="documents"')
    return mean


def not_kept() -> ExpressionError:
    """The error for asking for documents when only sums were kept."""
    return ExpressionError('only sums were kept, and no counts of each document; count with keep="documents"')


def read_values(
    readings: Mapping[str, Reading | Derived], counted: Mapping[str, Columns | Summed], hard: Collection[str] = ()
) -> dict[str, Measured | Combined]:
    """Every entry of a suite, read from the counts of its metrics; the optima of `hard` metrics need a search."""
    measured = {
        name: Measured(entry, counted[name], searched=name in hard)
        for name, entry in readings.items()
        if isinstance(entry, Reading)
    }
    return {
        name: Combined(entry, tuple(measured[part] for part in entry.names))
        if isinstance(entry, Derived)
        else measured[name]
        for name, entry in readings.items()
    }


@dataclass(frozen=True, slots=True)
class Sums:
    """What documents add up to: a constant number of numbers, whatever the number of documents."""

    documents: int
    totals: tuple[Expansion, ...]
    """The counts of each metric, in the order of `Counts`."""
    gained: tuple[Expansion, ...]
    """How much more each would be at best, where optima were not proved within the limits."""
    values: tuple[Expansion, ...]
    """The value that each document has by itself, under each entry of the suite (macro averages)."""
    raised: tuple[Expansion, ...]
    """How much more each of these would be at best."""
    precisions: tuple[Expansion, ...]
    """The precision that each document has by itself; nothing for an entry that has none."""
    recalls: tuple[Expansion, ...]
    spread: Spread | None = None
    """What intervals need; None of a file that was written without it."""

    def __add__(self, other: Sums) -> Sums:
        columns = (zip(getattr(self, name), getattr(other, name), strict=True) for name in self.__match_args__[1:-1])
        added = (tuple(expansion(mine + theirs) for mine, theirs in pairs) for pairs in columns)
        spread = None if self.spread is None or other.spread is None else self.spread + other.spread
        return Sums(self.documents + other.documents, *added, spread=spread)  # type: ignore[misc, arg-type]  # the fields between are all sums


def add_up(readings: Mapping[str, Reading | Derived], columns: Mapping[str, Columns], documents: int) -> Sums:
    """What the counts of documents add up to."""
    made = read_values(readings, columns).values()
    return Sums(
        documents,
        tuple(total for column in columns.values() for total in map(expansion, column.counts)),
        tuple(gain for column in columns.values() for gain in _gains(column)),
        tuple(expansion(one.each("per_document")) for one in made),
        tuple(expansion([*one.at_best, *(-x for x in one.per_document)]) if one.is_open else () for one in made),
        tuple(expansion(one.each("precisions")) if one.has_sides else () for one in made),
        tuple(expansion(one.each("recalls")) if one.has_sides else () for one in made),
        measure(readings, [numbers for column in columns.values() for numbers in column.counts], documents),
    )


def _gains(column: Columns) -> list[Expansion]:
    """How much higher each count would be if unproved documents reached their upper bounds."""
    return [
        expansion(number for place, best in column.open.items() for number in (best[which], -numbers[place]))
        for which, numbers in enumerate(column.counts)
    ]


def read_sums(
    sums: Sums, readings: Mapping[str, Reading | Derived], hard: Collection[str]
) -> dict[str, Measured | Combined]:
    """Every entry of a suite, read from sums."""
    counted = [name for name, entry in readings.items() if isinstance(entry, Reading)]
    columns = {name: _take_sums(sums, place * WIDTH) for place, name in enumerate(counted)}
    made = read_values(readings, columns, hard)
    return {
        name: replace(entry, means=_means(sums, place, entry.has_sides)) if sums.documents else entry
        for place, (name, entry) in enumerate(made.items())
    }


def _take_sums(sums: Sums, first: int) -> Summed:
    """The counts of the metric that begins at this column."""
    totals, gained = (side[first : first + WIDTH] for side in (sums.totals, sums.gained))
    best = (fsum(total + more) for total, more in zip(totals, gained, strict=True))
    return Summed(tuple(map(fsum, totals)), tuple(best))


def _means(sums: Sums, place: int, has_sides: bool) -> Means:
    n, values = sums.documents, sums.values[place]
    value = Bounds(fsum(values) / n, fsum(values + sums.raised[place]) / n)
    if not has_sides:
        return Means(value)
    return Means(value, fsum(sums.precisions[place]) / n, fsum(sums.recalls[place]) / n)
