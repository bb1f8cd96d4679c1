"""The table of a paper: a row for each system, the metrics across, the best in bold and what is significant marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from matchwise.corpus.values import Combined, Measured
from matchwise.views.tables.results import Results, System
from matchwise.views.tables.table import ALPHA, MARK, Cell, Head, Score, Table

if TYPE_CHECKING:
    from matchwise.corpus.compare import Comparison, Difference

SIDES = {"precision": "P", "recall": "R", "f1": "F1"}


def wide(results: Results) -> Table:
    """Precision, recall and F1 of each metric that has them, else its value."""
    names = list(results.systems[0].report)
    heads = {"system": Head("", "system", "text")}
    for name in names:
        for score in _scores(results.systems[0].report[name]):
            alone = score == "value"
            heads[f"{name} {score}"] = Head("" if alone else name, name if alone else SIDES[score])
    best = {column: _best(results, *column.rsplit(" ", 1)) for column in heads if column != "system"}
    rows = tuple({"system": system.prediction, **dict(_cells(results, system, best))} for system in results.systems)
    headline = results.systems[0].report.headline
    sides = tuple(column for column in heads if column.endswith((" precision", " recall")))
    others = [(f"{name} f1", f"{name} value") for name in reversed(names) if name != headline]
    return Table("scores", rows, heads=heads, spared=(sides, *others))


def _scores(metric: Measured | Combined) -> tuple[str, ...]:
    """The scores that are columns: three where the value is an F1 of precision and recall."""
    if isinstance(metric, Combined):
        return ("precision", "recall", "f1") if metric.derived.where else ("value",)
    return ("precision", "recall", "f1") if metric.reading.kind in ("f1", "harmonic") else ("value",)


def _best(results: Results, metric: str, score: str) -> float | None:
    values = [float(getattr(system.report[metric], score)) for system in results.systems]
    return max(values) if len(set(values)) > 1 else None


def _cells(results: Results, system: System, best: dict[str, float | None]) -> Iterator[tuple[str, Cell]]:
    for column, most in best.items():
        name, score = column.rsplit(" ", 1)
        value = float(getattr(system.report[name], score))
        main = score in ("f1", "value")
        interval = system.intervals.get(name) if main else None
        p = _p(results.comparison, name, system.prediction) if main and results.comparison is not None else None
        yield column, Score(value, interval, value == most, p)


def _p(found: Comparison, metric: str, system: str) -> float | None:
    return next((row.p_holm for row in _headlines(found) if (row.system, row.metric) == (system, metric)), None)


def _headlines(found: Comparison) -> Iterator[Difference]:
    return (row for row in found.rows if row.part is None and row.headline)


def marks_note(results: Results) -> list[str]:
    """What ± and the mark mean, in words."""
    said = []
    if any(system.intervals for system in results.systems):
        level = results.notes["intervals"]["level"]
        said.append(f"± is half the width of a {level * 100:g} % confidence interval.")
    if results.comparison is not None:
        said.append(significance(results.comparison))
    return said


def significance(found: Comparison) -> str:
    """Which differences are marked, or that none is; by which test, on how many documents."""
    from matchwise.errors import count_units

    found_p = [row.p_holm for row in _headlines(found)]
    number, marked = len(found_p), any(p <= ALPHA for p in found_p)
    said = f"{MARK} differs" if marked else "No system differs"
    holm = f", p corrected for {number} comparisons by Holm's method" if number > 1 else ""
    return (
        f"{said} from {found.systems[0]} with p ≤ {ALPHA:g}: paired approximate randomisation, "
        f"{found.resamples} exchanges, {count_units(found.n, found.units)}{holm}."
    )
