"""Sums over documents that are never rounded, so that how documents are grouped and in which order changes nothing.

A sum is kept as an *expansion*: a few floats, the largest first, that add up to it exactly (Shewchuk 1997). It is
determined by the sum alone: shards give the floats that one run gives.

>>> expansion([0.1] * 10), expansion([0.1] * 3 + [0.1] * 7) == expansion([0.1] * 10)
((1.0, 5.551115123125783e-17), True)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from math import fsum, isfinite
from typing import TypeAlias

from matchwise.corpus.counts import WIDTH, Columns, Reading
from matchwise.corpus.suite import Derived
from matchwise.corpus.values import Combined, Means, Measured, Summed, read_values
from matchwise.engine.limits import Bounds

Expansion: TypeAlias = tuple[float, ...]


def expansion(numbers: Iterable[float]) -> Expansion:
    """Σ numbers, exactly: each float is what the ones before it leave, rounded."""
    left = list(numbers)
    found: list[float] = []
    while rest := fsum(left):
        found.append(rest)
        if not isfinite(rest):
            break
        left.append(-rest)
    return tuple(found)


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

    def __add__(self, other: Sums) -> Sums:
        columns = (field.name for field in fields(self)[1:])
        return Sums(
            self.documents + other.documents, *(_add(getattr(self, name), getattr(other, name)) for name in columns)
        )


def _add(mine: tuple[Expansion, ...], theirs: tuple[Expansion, ...]) -> tuple[Expansion, ...]:
    return tuple(expansion(one + other) for one, other in zip(mine, theirs, strict=True))


def add_up(readings: Mapping[str, Reading | Derived], columns: Mapping[str, Columns], documents: int) -> Sums:
    """What the counts of documents add up to."""
    made = read_values(readings, columns).values()
    return Sums(
        documents,
        tuple(total for column in columns.values() for total in _totals(column)),
        tuple(gain for column in columns.values() for gain in _gains(column)),
        tuple(expansion(one.per_document) for one in made),
        tuple(_rise(one) for one in made),
        tuple(expansion(one.precisions) if one.has_sides else () for one in made),
        tuple(expansion(one.recalls) if one.has_sides else () for one in made),
    )


def _totals(column: Columns) -> list[Expansion]:
    matched, predicted, reference, recalled = column.counts
    total = expansion(matched)
    found = total if recalled == matched else expansion(recalled)  # most often the same
    return [total, expansion(predicted), expansion(reference), found]


def _gains(column: Columns) -> list[Expansion]:
    """How much higher each count would be if unproved documents reached their upper bounds."""
    return [
        expansion(number for place, best in column.open.items() for number in (best[which], -numbers[place]))
        for which, numbers in enumerate(column.counts)
    ]


def _rise(metric: Measured | Combined) -> Expansion:
    """How much higher the values of the documents could be."""
    values, best = metric.per_document, metric.at_best
    return () if best is values else expansion([*best, *(-value for value in values)])


def read_sums(
    sums: Sums, readings: Mapping[str, Reading | Derived], hard: Collection[str]
) -> dict[str, Measured | Combined]:
    """Every entry of a suite, read from sums."""
    counted = [name for name, entry in readings.items() if isinstance(entry, Reading)]
    columns = {name: _take_sums(sums, place * WIDTH) for place, name in enumerate(counted)}
    means = {
        name: _means(sums, place, _has_sides(readings, entry))
        for place, (name, entry) in enumerate(readings.items())
        if sums.documents
    }
    return read_values(readings, columns, means, hard)


def _has_sides(readings: Mapping[str, Reading | Derived], entry: Reading | Derived) -> bool:
    if isinstance(entry, Derived):
        return entry.where is not None and all(_has_sides(readings, readings[name]) for name in entry.names)
    return entry.kind != "mean"


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
