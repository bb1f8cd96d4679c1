"""The spread of documents whose counts are not kept: sums from which the delta method reads its moments.

The forms of a score are linear in the counts c of a document, so that the exact sums Σ c_i c_j are enough for Σxxᵀ.
They add up over shards, as do the numbers of documents that have a form, and of those whose ratio is above 1.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

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


def measure(readings: Mapping[str, Reading | Derived], columns: Sequence[Any], documents: int) -> Spread:
    """What documents add: `columns` are their counts, four for each metric, as lists or as arrays."""
    found = layout(tuple(readings.items()))
    many = not isinstance(columns[0], (list, array))
    counted = [(_count_many if many else _count_few)(one, columns) for one in found.scored]
    units = tuple(documents if one.is_total else there for one, (there, _) in zip(found.scored, counted, strict=True))
    products = (_multiply_many if many else _multiply_few)(columns, found.pairs)
    return Spread(tuple(products), units, tuple(above for _, above in counted))


ROUNDING = 1e-9
"""The share by which a ratio may be above 1 by rounding."""


def _count_few(one: Statistic, columns: Sequence[Any]) -> tuple[int, int]:
    """The documents in which a score occurs, and those in which it is above 1."""
    forms = []
    for form in one.forms:
        rows = zip(*(columns[column] for column, _ in form), strict=True)
        forms.append([sum(float(w) * x for (_, w), x in zip(form, row, strict=True)) for row in rows])
    documents = list(zip(*forms, strict=True))
    above = sum(any(row[a] > row[b] * (1 + ROUNDING) for a, b in one.ratios) for row in documents)
    return sum(map(any, documents)), above


def _count_many(one: Statistic, columns: Sequence[Any]) -> tuple[int, int]:
    forms = [sum(float(w) * columns[column] for column, w in form) for form in one.forms]
    above = np.zeros(len(columns[0]), dtype=bool)
    for a, b in one.ratios:
        above |= forms[a] > forms[b] * (1 + ROUNDING)
    return int(np.any([form != 0 for form in forms], axis=0).sum()), int(above.sum())


def _multiply_few(columns: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> Iterator[Expansion]:
    """Σ c_i c_j, without rounding."""
    for i, j in pairs:
        products = (exact_product(x, y) for x, y in zip(columns[i], columns[j], strict=True))
        yield expansion([part for both in products for part in both])


def _multiply_many(columns: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> Iterator[Expansion]:
    table = np.stack(columns)
    if (table == np.floor(table)).all() and float(np.abs(table).max(initial=0)) ** 2 * table.shape[1] < EXACT:
        squares = table @ table.T
        yield from (expansion([float(squares[pair])]) for pair in pairs)
        return
    for i, j in pairs:
        yield expansion(np.concatenate(exact_product(columns[i], columns[j])))


EXACT = 2.0**53
"""Sums of whole numbers below this are exact, whichever way they are added."""
