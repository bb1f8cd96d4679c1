"""The spread of documents whose counts are not kept: sums from which the delta method reads its moments.

The forms of a score are linear in the counts c of a document, so that the exact sums Σ c_i c_j are enough for Σxxᵀ.
They add up over shards, as do the numbers of documents that have a form, and of those whose ratio is above 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from matchwise.arrays import Floats
from matchwise.corpus.counts import Reading
from matchwise.corpus.expansion import Expansion, exact_product, expansion
from matchwise.corpus.suite import Derived

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Statistic


@dataclass(frozen=True, slots=True)
class Spread:
    """What documents add to the moments of every score that their table has."""

    products: tuple[Expansion, ...]
    """Σ c_i c_j of each pair of columns."""
    units: tuple[int, ...]
    """Documents in which each score occurs."""
    beyond: tuple[int, ...]
    """Documents in which each score is above 1."""

    def __add__(self, other: Spread) -> Spread:
        return Spread(
            tuple(expansion(mine + theirs) for mine, theirs in zip(self.products, other.products, strict=True)),
            tuple(map(sum, zip(self.units, other.units, strict=True))),
            tuple(map(sum, zip(self.beyond, other.beyond, strict=True))),
        )


class Layout(NamedTuple):
    """The scores of a table, and the pairs of columns that they need."""

    scored: tuple[Statistic, ...]
    pairs: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def layout(entries: tuple[tuple[str, Reading | Derived], ...]) -> Layout:
    """What is kept of documents, by the entries of their table."""
    from matchwise.corpus.statistic import SCORES, statistics

    readings = dict(entries)
    scored = tuple(one for metric in readings for _, one in statistics(readings, metric, SCORES))
    pairs = set()
    for one in scored:
        used = sorted({column for form in one.forms for column, _ in form})
        pairs |= {(i, j) for i in used for j in used if i <= j}
    return Layout(scored, tuple(sorted(pairs)))


def measure(readings: Mapping[str, Reading | Derived], rows: Floats) -> Spread:
    """What documents add, given their counts, four for each metric."""
    found = layout(tuple(readings.items()))
    units, beyond = [], []
    for one in found.scored:
        forms = one.project(rows)
        above = np.zeros(len(rows), dtype=bool)
        for a, b in one.ratios:
            above |= forms[:, a] > forms[:, b] * (1 + ROUNDING)
        units.append(len(rows) if one.is_total else int(forms.any(axis=1).sum()))
        beyond.append(int(above.sum()))
    return Spread(tuple(_multiply(rows, found.pairs)), tuple(units), tuple(beyond))


ROUNDING = 1e-9
"""The share by which a ratio may be above 1 by rounding."""


def _multiply(rows: Floats, pairs: Sequence[tuple[int, int]]) -> Iterator[Expansion]:
    """Σ c_i c_j, without rounding."""
    if (rows == np.floor(rows)).all() and float(np.abs(rows).max(initial=0)) ** 2 * len(rows) < EXACT:
        squares = rows.T @ rows
        yield from (expansion([float(squares[pair])]) for pair in pairs)
        return
    for i, j in pairs:
        yield expansion(np.concatenate(exact_product(rows[:, i], rows[:, j])))


EXACT = 2.0**53
"""Sums of whole numbers below this are exact, whichever way they are added."""
