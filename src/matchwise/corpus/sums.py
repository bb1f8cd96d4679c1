"""Sums over documents that are never rounded, so that how documents are grouped and in which order changes nothing.

A sum is kept as an *expansion*: a few floats, the largest first, that add up to it exactly (Shewchuk 1997). It is
determined by the sum alone: shards give the floats that one run gives.

>>> expansion([0.1] * 10), expansion([0.1] * 3 + [0.1] * 7) == expansion([0.1] * 10)
((1.0, 5.551115123125783e-17), True)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum, isfinite
from typing import TypeAlias

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
    """Of each quantity of each metric, as the rows of a tally have them."""
    gained: tuple[Expansion, ...]
    """How much more each would be at best, where optima were not proved within the limits."""
    values: tuple[Expansion, ...]
    """Of the value that each document has by itself, under each entry of the suite (macro averages)."""
    raised: tuple[Expansion, ...]
    """How much more each of these would be at best."""

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.documents + other.documents,
            _added(self.totals, other.totals),
            _added(self.gained, other.gained),
            _added(self.values, other.values),
            _added(self.raised, other.raised),
        )


def _added(mine: tuple[Expansion, ...], theirs: tuple[Expansion, ...]) -> tuple[Expansion, ...]:
    return tuple(expansion(one + other) for one, other in zip(mine, theirs, strict=True))
