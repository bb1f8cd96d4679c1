"""From the rows of a tally to columns, from columns to sums, and from either to values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum
from typing import TYPE_CHECKING

from matchwise.corpus.reading import WIDTH, Columns, Reading, readings
from matchwise.corpus.reduce import Combined, Measured, Summed, hard, metrics
from matchwise.corpus.suite import Derived
from matchwise.corpus.sums import Expansion, Sums, expansion
from matchwise.engine.limits import Bounds

if TYPE_CHECKING:
    from matchwise.corpus.tally import Tally


def read(tally: Tally) -> dict[str, Measured | Combined]:
    """Every entry of the suite, read from the rows of the tally, or from its sums if it has any."""
    suite = tally.suite
    if tally.sums is None:
        return metrics(readings(suite), {name: columns(tally, name) for name in suite.metrics}, hard=hard(suite))
    assert not tally.ids, "folded before it is read"
    return read_sums(tally.sums, readings(suite), hard(suite))


def read_sums(
    sums: Sums, entries: Mapping[str, Reading | Derived], hard: Collection[str]
) -> dict[str, Measured | Combined]:
    """Every entry, read from sums."""
    counted = [name for name, entry in entries.items() if isinstance(entry, Reading)]
    quantities = {name: _summed(sums, place * WIDTH) for place, name in enumerate(counted)}
    means = {
        name: Bounds(fsum(values) / sums.documents, fsum(values + more) / sums.documents)
        for name, values, more in zip(entries, sums.values, sums.raised, strict=True)
        if sums.documents
    }
    return metrics(entries, quantities, means, hard)


def folded(tally: Tally) -> Sums:
    """What the documents in the rows of the tally add up to."""
    return added_up(readings(tally.suite), {name: columns(tally, name) for name in tally.suite.metrics}, len(tally.ids))


def added_up(entries: Mapping[str, Reading | Derived], found: Mapping[str, Columns], documents: int) -> Sums:
    """What columns add up to."""
    made = metrics(entries, found).values()
    return Sums(
        documents,
        tuple(total for column in found.values() for total in _totals(column)),
        tuple(gained for column in found.values() for gained in _gained(column)),
        tuple(expansion(one.per_document) for one in made),
        tuple(_raised(one) for one in made),
    )


def _totals(column: Columns) -> list[Expansion]:
    matched = expansion(column.matched)
    recalled = matched if column.recalled == column.matched else expansion(column.recalled)  # most often the same
    return [matched, expansion(column.predicted), recalled, expansion(column.reference)]


def columns(tally: Tally, metric: str) -> Columns:
    """The quantities of one metric, document by document."""
    matched, predicted, recalled, reference = (tally.column(metric, quantity) for quantity in range(WIDTH))
    rows = tally.open.get(metric)
    open: dict[int, tuple[float, ...]] = {}
    if rows is not None:
        starts = range(0, len(rows.counts), WIDTH)
        open = {place: tuple(rows.counts[at : at + WIDTH]) for place, at in zip(rows.documents, starts, strict=True)}
    return Columns(matched, predicted, recalled, reference, open)


def _summed(sums: Sums, first: int) -> Summed:
    """The quantities of the metric whose first column that is."""
    totals, gained = (side[first : first + WIDTH] for side in (sums.totals, sums.gained))
    best = (fsum(total + more) for total, more in zip(totals, gained, strict=True))
    return Summed(tuple(map(fsum, totals)), tuple(best))


def _raised(metric: Measured | Combined) -> Expansion:
    """How much more the values of the documents would be at best."""
    values, best = metric.per_document, metric.at_best
    return () if best is values else expansion([*best, *(-value for value in values)])


def _gained(column: Columns) -> list[Expansion]:
    """How much more each quantity would be if the documents that are open were what they are at best."""
    return [
        expansion(number for place, best in column.open.items() for number in (best[quantity], -numbers[place]))
        for quantity, numbers in enumerate(column.quantities)
    ]
