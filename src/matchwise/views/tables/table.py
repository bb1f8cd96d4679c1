"""The tables of results: what every way of writing them down has in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.corpus.categories import CATEGORIES
from matchwise.corpus.counts import Counts
from matchwise.corpus.report import Report
from matchwise.corpus.slices import label_text
from matchwise.corpus.values import Combined, Measured
from matchwise.engine.limits import Bounds
from matchwise.engine.selection import join
from matchwise.views.tables.results import Results, System, View

if TYPE_CHECKING:
    from matchwise.corpus.breakdown import Slice

Kind: TypeAlias = Literal["text", "score", "count"]
Cell: TypeAlias = str | int | float | None

SCORES = (
    "precision", "recall", "f1", "baseline_value", "value", "difference", "low", "high", "p", "p_holm",
)  # fmt: skip
COUNTS = (
    "matched", "predicted", "reference", "recalled", "weight", "right", "wrong", "missing", "invented", "bounds",
    *CATEGORIES, "count", "units", "differing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under named columns; a cell that a row does not have is empty."""

    title: str
    rows: tuple[dict[str, Cell], ...]
    labels: frozenset[str] = frozenset()
    """Columns that are called as the data has it, and hold counts."""

    def kind(self, column: str) -> Kind:
        return "count" if column in self.labels else kind_of(column)

    def written(self, row: dict[str, Cell], column: str, view: View) -> str:
        """A cell as people read it: scores with the digits that were asked for."""
        cell = row.get(column)
        return written(cell, "" if column in self.labels else column, view)

    @property
    def columns(self) -> list[str]:
        """The columns that any row has: texts, then scores in one order, then counts."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        ordered = {"text": 0, "score": 1, "count": 2}
        place = {name: SCORES.index(name) if self.kind(name) == "score" else 0 for name in names}
        return sorted(names, key=lambda name: (ordered[self.kind(name)], place[name]))


def kind_of(column: str) -> Kind:
    return "score" if column in SCORES else "count" if column in COUNTS else "text"


def tables(results: Results, *, long: bool = False) -> list[Table]:
    """The scores, then the breakdowns that were asked for; `long` has a row for each cell of a confusion table."""
    found = [Table("scores", tuple(_scores(results)))]
    if results.systems and results.systems[0].report.scores.labels is not None:
        found.append(Table("labels", tuple(_labels(results))))
    if results.systems and results.systems[0].report.scores.fields is not None:
        found.append(Table("fields", tuple(_fields(results))))
    if results.view.categories:
        found.append(Table("categories", tuple(_categories(results))))
    if results.view.confusion:
        found += [Table("confusion", tuple(_cells(results)))] if long else _confusion(results)
    if results.view.per_document:
        found.append(Table("documents", tuple(documents(results))))
    if results.view.worst:
        found.append(Table("worst documents", tuple(_worst(results))))
    return found


def _scores(results: Results) -> Iterator[dict[str, Cell]]:
    plain, average = _only_f1(results), results.view.average
    for system in results.systems:
        for name in system.report:
            row = _system(results, system) | {"metric": name}
            if average == "micro":
                yield row | _metric(system, name, system.report[name], plain)
            elif average == "documents":
                yield row | {"average": average} | _over_documents(system.report[name], plain)
            elif average == "fields":
                if name in (system.report.scores.fields or ()):
                    yield row | {"average": average} | dict(system.report.means_over_fields(name))
            elif name in system.report.labelled:
                yield row | {"average": average} | _over_labels(system.report, name, average)


def _over_documents(metric: Measured | Combined, plain: bool) -> dict[str, Cell]:
    row: dict[str, Cell] = {}
    if metric.has_sides:
        row |= {"precision": metric.macro_precision, "recall": metric.macro_recall}
    return row | {"f1" if plain else "value": metric.macro} | _bounds(metric, metric.macro_bounds)


def _over_labels(report: Report, metric: str, average: Literal["labels", "weighted"]) -> dict[str, Cell]:
    means = report.means_over_labels(metric, "equally" if average == "labels" else "reference")
    return dict(means)


def _metric(system: System, name: str, metric: Measured | Combined, plain: bool) -> dict[str, Cell]:
    row: dict[str, Cell] = {}
    if metric.has_sides:
        row |= {"precision": metric.precision, "recall": metric.recall, "f1": metric.f1}
        row |= _counts(metric.counts) if isinstance(metric, Measured) else {}
    row["f1" if plain else "value"] = metric.value
    row |= _bounds(metric, metric.bounds)
    if name in system.intervals:
        row["low"], row["high"] = system.intervals[name]
    return row


def _bounds(metric: Measured | Combined, bounds: Bounds) -> dict[str, Cell]:
    """Whether a score is proved, where that is to be told."""
    told = metric.searched or not metric.bounds.proved
    return {"bounds": "proved" if bounds.proved else str(bounds)} if told else {}


def _only_f1(results: Results) -> bool:
    """No column of values where every value is an F1."""
    metrics = (system.report[name] for system in results.systems for name in system.report)
    return all(isinstance(m, Combined) or m.reading.kind in ("f1", "harmonic") for m in metrics)


def _labels(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        by = join("", system.report.scores.by)
        for label, parts in system.report.by.items():
            for name, part in parts.items():
                if part.occurs:
                    yield _system(results, system) | {by: label_text(label), "metric": name} | _slice(part)


def _slice(part: Slice) -> dict[str, Cell]:
    return {"precision": part.precision, "recall": part.recall, "f1": part.f1, **_counts(part.counts)}


def _fields(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        for row in system.report.fields():
            cells: dict[str, Cell] = {
                name: _number(value) for name, value in row.to_dict().items() if name not in ("metric", "path")
            }
            yield _system(results, system) | {"metric": row.metric, "field": row.path} | cells


def _categories(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        for name, table in system.categories.items():
            rows = table.by_label()
            sums = {key: sum(row[key] for row in rows.values()) for key in (*CATEGORIES, "predicted", "reference")}
            by = join("", table.grading.label)
            for label, row in [*rows.items(), ("(all)", sums)]:
                yield _system(results, system) | {"metric": name, by: label_text(label)} | row


def _cells(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        for name, table in system.categories.items():
            for cell in table.confusion().to_dict():
                labels = {f"{side} label": _label(cell[side]) for side in ("predicted", "reference")}
                yield _system(results, system) | {"metric": name} | labels | {"count": cell["count"]}


def _confusion(results: Results) -> Iterator[Table]:
    """For each metric a table with the labels of the reference down and the predicted ones across."""
    for system in results.systems:
        for name, table in system.categories.items():
            found, corner = table.confusion(), join("", table.grading.label)
            columns = {_column(mine, corner): mine for mine in found.predicted} | {"(missed)": None}
            rows: list[dict[str, Cell]] = [
                {corner: str(theirs), **{column: found[mine, theirs] for column, mine in columns.items()}}
                for theirs in found.reference
            ]
            last = {column: found[mine, None] for column, mine in columns.items() if mine is not None}
            of = f"{name} in {system.prediction}" if len(results.systems) > 1 else name
            title = f"confusion of {of}: reference down, predicted across"
            yield Table(title, (*rows, {corner: "(spurious)", **last}), frozenset(columns))


def _label(label: Any) -> str | None:
    return None if label is None else str(label)


def _column(label: Any, corner: str) -> str:
    """A label as the name of a column, which the first has already."""
    return f"{label} " if str(label) == corner else str(label)


def documents(results: Results) -> Iterator[dict[str, Cell]]:
    """One row for each document and metric."""
    for system in results.systems:
        report = system.report
        names = report.scores.names
        columns = [(name, report[name], report[name].per_document) for name in report]
        for place, id in enumerate(names):
            for name, metric, values in columns:
                row: dict[str, Cell] = {"document": id, "metric": name, "value": values[place]}
                yield _system(results, system) | row | _document_counts(report, metric, place)


def _document_counts(report: Report, metric: Measured | Combined, place: int) -> dict[str, Cell]:
    made: dict[str, Cell] = {}
    if metric.has_sides:
        made = {"precision": metric.precisions[place], "recall": metric.recalls[place]}
    if isinstance(metric, Measured) and metric.has_sides:
        names = ("matched", "predicted", "reference") + (("recalled",) if metric.reading.kind == "harmonic" else ())
        made |= {name: _number(getattr(metric, name)[place]) for name in names}
    return made | _document_bounds(metric, place)


def _document_bounds(metric: Measured | Combined, place: int) -> dict[str, Cell]:
    """Which documents are proved, where not all are."""
    return {} if metric.bounds.proved else _bounds(metric, metric.bounds_of(place))


def _worst(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        report = system.report
        metric, names = report[report.headline], report.scores.names
        for place in report.lowest(results.view.worst):
            row: dict[str, Cell] = {"document": names[place], "value": metric.per_document[place]}
            yield _system(results, system) | row | _document_bounds(metric, place)


def _system(results: Results, system: System) -> dict[str, Cell]:
    return {"system": system.prediction} if len(results.systems) > 1 else {}


def _counts(counts: Counts) -> dict[str, Cell]:
    return {name: _number(number) for name, number in counts.to_dict().items()}


def _number(number: Any) -> int | float:
    return int(number) if number == int(number) else float(number)


def written(cell: Cell, column: str, view: View) -> str:
    """A cell as people read it: scores with the digits that were asked for."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if kind_of(column) == "score":
        value = float(cell) * 100 if view.percent else float(cell)
        return f"{value:.{view.digits}f}"
    return str(cell) if isinstance(cell, int) else f"{cell:.{view.digits}f}"
