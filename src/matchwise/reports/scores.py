"""The tables of results: scores (long, or wide as in a paper), labels, fields, categories, confusion and documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

from matchwise.corpus.breakdown import LabelSlice
from matchwise.corpus.categories import Categories
from matchwise.corpus.counts import Portion, label_text
from matchwise.corpus.counts import plain as plain_number
from matchwise.corpus.report import ERRORS_SHOWN, Report
from matchwise.corpus.suite import Derived
from matchwise.corpus.values import Value
from matchwise.engine.limits import Bounds
from matchwise.engine.selection import join
from matchwise.errors import count_units
from matchwise.reports.results import Results, System, results_of
from matchwise.sheets.shown import FrameTables
from matchwise.sheets.table import ALPHA, MARK, Cell, ColumnHead, PrintedTable, ScoreCell, Sheet
from matchwise.statistics.compare import Comparison
from matchwise.statistics.intervals import intervals


def sheet(results: Results) -> Sheet:
    """Everything that people read: the tables, and below them what was scored and how."""
    marks = marks_note(results) if _is_wide(results) else []
    notes = (results.summary(), *marks, *results.describe_intervals())
    return Sheet(tuple(tables(results)), notes, results.signature, results.view.numbers)


def report_sheet(report: Report) -> Sheet:
    """What people read of one report."""
    documents = count_units(report.documents, "documents")
    notes = [documents]
    if report.errors:
        notes = [f"{documents}; {len(report.errors)} more could not be scored:"]
        notes += [f"  {id}: {reason}" for id, reason in report.errors[:ERRORS_SHOWN]]
        if len(report.errors) > ERRORS_SHOWN:
            notes.append(f"  and {len(report.errors) - ERRORS_SHOWN} more")
    return Sheet(tuple(tables(results_of(report))), tuple(notes), report.signature)


def report_frames(report: Report) -> FrameTables:
    """The tables of one report for programs."""
    results = results_of(report)
    found: FrameTables = {table.title: partial(list, table.rows) for table in tables(results, long=True)}
    return {
        "metrics": found.pop("scores"),
        **found,
        "documents": lambda: list(documents(results)),
        "intervals": lambda: [row.to_dict() for row in intervals(report).rows],
    }


def tables(results: Results, *, long: bool = False) -> list[PrintedTable]:
    """The scores, then the breakdowns that were asked for.

    `long` is for programs: a row for each cell of a confusion table, and no rows of averages.
    """
    found = [wide(results) if _is_wide(results) else PrintedTable("scores", tuple(_scores(results, long)))]
    if results.systems and results.systems[0].report.scores.labels is not None:
        across = results.view.labels_across and not long
        rows = () if across else tuple(_labels(results, averages=not long))
        found += _labels_across(results) if across else [PrintedTable("labels", rows)]
    if results.systems and results.systems[0].report.scores.fields is not None:
        found.append(PrintedTable("fields", tuple(_fields(results))))
    found += elements(results, long=long)
    if results.view.per_document:
        found.append(PrintedTable("documents", tuple(documents(results))))
    if results.view.worst:
        both = {"worst documents": tuple(_worst(results)), "unreadable documents": tuple(_unreadable(results))}
        found += [PrintedTable(title, rows) for title, rows in both.items() if rows]
    return [_keep_columns(table, results.view.columns) for table in found] if results.view.columns else found


def _keep_columns(table: PrintedTable, wanted: tuple[str, ...]) -> PrintedTable:
    """The columns that say what a row is of, and the scores and counts that were asked for; an average is an F1."""
    names = {*wanted, *(["value"] if "f1" in wanted else [])}
    kept = [name for name in table.columns if table.kind(name) == "text" or name.rpartition(" ")[2] in names]
    heads = {name: head for name, head in table.heads.items() if name in kept}
    groups = Counter(head.group for head in heads.values())
    for name, head in heads.items():
        if head.group and groups[head.group] == 1:  # its only column is called by the group
            heads[name] = ColumnHead("", head.group, head.kind)
    rows = tuple({name: row[name] for name in kept if name in row} for row in table.rows)
    return table._replace(rows=rows, heads=heads)


def elements(results: Results, *, long: bool = False) -> list[PrintedTable]:
    """The categories and confusion of each system's elements."""
    found = [PrintedTable("categories", tuple(_categories(results)))] if results.view.categories else []
    if results.view.confusion:
        found += [PrintedTable("confusion", tuple(_cells(results)))] if long else _confusion(results)
    return found


def _is_wide(results: Results) -> bool:
    return results.view.layout == "wide" and results.view.average == "micro"


def _scores(results: Results, long: bool) -> Iterator[dict[str, Cell]]:
    average = results.view.average
    plain = _only_f1(results, by_number=not long and average == "micro")
    for system in results.systems:
        for name in system.report:
            row = _system(results, system) | {"metric": name}
            if average == "micro":
                low_high: dict[str, Cell] = dict(zip(("low", "high"), system.intervals.get(name, ()), strict=False))
                yield row | score_row(system.report[name], plain) | low_high
            elif average == "documents":
                yield row | {"average": average} | _over_documents(system.report[name], plain)
            elif average == "fields":
                if name in (system.report.scores.fields or ()):
                    yield row | {"average": average} | dict(system.report.means_over_fields(name))
            elif name in system.report.labelled:
                yield row | {"average": average} | _over_labels(system.report, name, average)


def _over_documents(metric: Value, plain: bool) -> dict[str, Cell]:
    row: dict[str, Cell] = {}
    if metric.has_sides:
        row |= {"precision": metric.macro_precision, "recall": metric.macro_recall}
    return row | {"f1" if plain else "value": metric.macro} | _bounds(metric, metric.macro_bounds)


def _over_labels(report: Report, metric: str, average: Literal["macro", "weighted"]) -> dict[str, Cell]:
    return dict(report.means_over_labels(metric, "equally" if average == "macro" else "reference"))


def score_row(metric: Value, plain: bool | None = None) -> dict[str, Cell]:
    """The scores and the counts of a metric; one whose value is an F1 has no column of values (`plain`)."""
    row: dict[str, Cell] = {}
    if metric.has_sides and not metric.is_derived:
        row = _sides(metric)
    elif metric.has_sides:
        row = {"precision": metric.precision, "recall": metric.recall, "f1": metric.f1}
    row["f1" if (_is_f1(metric) if plain is None else plain) else "value"] = metric.value
    return row | _bounds(metric, metric.bounds)


def _bounds(metric: Value, bounds: Bounds) -> dict[str, Cell]:
    """Say whether a score is proved, for metrics that need a search."""
    told = metric.searched or not metric.bounds.proved
    return {"bounds": "proved" if bounds.proved else str(bounds)} if told else {}


def _only_f1(results: Results, *, by_number: bool) -> bool:
    """True if every value is an F1, so that a column of values would say nothing new.

    `by_number` also takes a recall or precision that is equal to its F1, as the share of sentences that are all right.
    """
    metrics = (system.report[name] for system in results.systems for name in system.report)
    return all(
        _is_f1(metric) or (by_number and metric.reading.kind in ("precision", "recall") and metric.value == metric.f1)
        for metric in metrics
    )


def _is_f1(metric: Value) -> bool:
    return metric.is_derived or metric.reading.kind in ("f1", "harmonic")


AVERAGES: tuple[Literal["micro", "macro", "weighted"], ...] = ("micro", "macro", "weighted")


def _labels(results: Results, *, averages: bool) -> Iterator[dict[str, Cell]]:
    """The scores of each label, and below them the averages that seqeval prints."""
    for system in results.systems:
        by = join("", system.report.scores.by)
        for label, parts in system.report.by.items():
            for name, part in parts.items():
                if part.occurs:
                    row = _system(results, system) | {by: label_text(label), "metric": name}
                    yield row | _sides(part) | _interval(system, Portion("label", name, label))
        for name in system.report.labelled if averages else ():
            for average in AVERAGES:
                row = _system(results, system) | {by: f"({average})", "metric": name}
                yield row | _average(system.report, name, average)


def _labels_across(results: Results) -> Iterator[PrintedTable]:
    """For each metric, a row for each system with its labels across, and then the averages."""
    reports = [system.report for system in results.systems]
    for name in reports[0].labelled:
        found = [{label: parts[name] for label, parts in report.by.items() if name in parts} for report in reports]
        labels = list(dict.fromkeys(label for parts in found for label, part in parts.items() if part.occurs))
        rows: list[dict[str, float]] = []
        for report, parts in zip(reports, found, strict=True):
            scores: dict[str, dict[str, Any]] = {
                label_text(label): _sides(parts[label]) for label in labels if label in parts
            }
            scores |= {f"({average})": _average(report, name, average) for average in AVERAGES[:2]}
            rows.append({f"{label} {score}": float(one[score]) for label, one in scores.items() for score in SIDES})
        columns = list(dict.fromkeys(column for row in rows for column in row))
        best = {column: _highest([row[column] for row in rows if column in row]) for column in columns}
        heads = {"system": ColumnHead("", "system", "text")}
        heads |= {column: ColumnHead(column.rpartition(" ")[0], SIDES[column.rpartition(" ")[2]]) for column in columns}
        cells: Iterator[dict[str, Cell]] = (
            {"system": system.prediction}
            | {column: ScoreCell(value, None, value == best[column]) for column, value in row.items()}
            for system, row in zip(results.systems, rows, strict=True)
        )
        sides = tuple(column for column in columns if not column.endswith(" f1"))
        spared = (sides, *((column,) for column in reversed(columns) if column.endswith(" f1")))
        title = "labels" if len(reports[0].labelled) == 1 else f"labels: {name}"
        yield PrintedTable(title, tuple(cells), frozenset(columns), heads, spared)


def _average(report: Report, name: str, average: Literal["micro", "macro", "weighted"]) -> dict[str, Cell]:
    if average != "micro":
        return _over_labels(report, name, average)
    metric = report[name]
    assert not metric.is_derived, "only metrics with counts are broken down"
    return _sides(metric)


def _interval(system: System, part: Portion) -> dict[str, Cell]:
    if part not in system.part_intervals:
        return {}
    low, high = system.part_intervals[part]
    return {"low": low, "high": high}


def _sides(one: LabelSlice | Value) -> dict[str, Cell]:
    counts = {name: plain_number(number) for name, number in one.counts.to_dict().items()}
    return {"precision": one.precision, "recall": one.recall, "f1": one.f1, **counts}


def _fields(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        for row in system.report.fields():
            cells: dict[str, Cell] = {
                name: plain_number(value) for name, value in row.to_dict().items() if name not in ("metric", "path")
            }
            cells |= _interval(system, Portion("field", row.metric, row.path))
            yield _system(results, system) | {"metric": row.metric, "field": row.path} | cells


def _categories(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        for name, table in system.categories.items():
            by = join("", table.grading.label)
            for label, row in table.rows("(all)"):
                yield _system(results, system) | {"metric": name, by: label_text(label)} | row


def _cells(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        for name, table in system.categories.items():
            for cell in table.confusion().to_dict():
                sides = {f"{side} label": cell[side] for side in ("predicted", "reference")}
                labels = {side: None if label is None else str(label) for side, label in sides.items()}
                yield _system(results, system) | {"metric": name} | labels | {"count": cell["count"]}


def _confusion(results: Results) -> Iterator[PrintedTable]:
    """Tables with the labels of the reference down and the predicted ones across; metrics with equal ones share it."""
    for system in results.systems:
        shared: list[tuple[list[str], Categories]] = []
        for name, table in system.categories.items():
            same = [names for names, known in shared if known.confusion() == table.confusion()]
            if same:
                same[0].append(name)
            else:
                shared.append(([name], table))
        for names, table in shared:
            of = ", ".join(names) + (f" in {system.prediction}" if len(results.systems) > 1 else "")
            title = f"confusion of {of}: reference down, predicted across"
            yield table.confusion().print_table(title, join("", table.grading.label))


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


def _document_counts(report: Report, metric: Value, place: int) -> dict[str, Cell]:
    made: dict[str, Cell] = {}
    if metric.has_sides:
        made = {"precision": metric.precisions[place], "recall": metric.recalls[place]}
    if metric.has_sides and not metric.is_derived:
        names = ("matched", "predicted", "reference") + (("recalled",) if metric.reading.kind == "harmonic" else ())
        made |= {name: plain_number(getattr(metric.columns, name)[place]) for name in names}
    return made | _document_bounds(metric, place)


def _document_bounds(metric: Value, place: int) -> dict[str, Cell]:
    """Which documents are proved, where not all are."""
    return {} if metric.bounds.proved else _bounds(metric, metric.bounds_of(place))


def _worst(results: Results) -> Iterator[dict[str, Cell]]:
    for system in results.systems:
        report = system.report
        metric, names = report[report.headline], report.scores.names
        for place in report.lowest(results.view.worst):
            row: dict[str, Cell] = {"document": names[place], "value": metric.per_document[place]}
            yield _system(results, system) | row | _document_bounds(metric, place)


def _unreadable(results: Results) -> Iterator[dict[str, Cell]]:
    """What stands in predictions that could not be read, as many as there are worst documents."""
    for system in results.systems:
        for one in system.unreadable[: results.view.worst]:
            yield _system(results, system) | {"document": one["document"], "written": _written(one["problem"])}


def _written(problem: str) -> str:
    """What stands in a prediction, shortened, as far as the problem quotes it."""
    quoted = problem.partition("not JSON: found ")[2]
    try:
        return str(json.JSONDecoder().raw_decode(quoted)[0])
    except ValueError:
        return problem


def _system(results: Results, system: System) -> dict[str, Cell]:
    return {"system": system.prediction} if len(results.systems) > 1 else {}


SIDES = {"precision": "P", "recall": "R", "f1": "F1"}


def wide(results: Results) -> PrintedTable:
    """Precision, recall and F1 of each metric that has them, else its value."""
    names = list(results.systems[0].report)
    heads = {"system": ColumnHead("", "system", "text")}
    for name in names:
        metric = results.systems[0].report[name]
        if metric.has_sides if metric.is_derived else _is_f1(metric):
            heads |= {f"{name} {score}": ColumnHead(name, title) for score, title in SIDES.items()}
        else:
            heads[f"{name} value"] = ColumnHead("", name)
    best = {column: _best(results, *column.rsplit(" ", 1)) for column in heads if column != "system"}
    rows = tuple(dict(_wide_cells(results, system, best)) for system in results.systems)
    return PrintedTable("scores", rows, heads=heads, spared=_spared(results.systems[0].report, list(heads)))


def _spared(report: Report, columns: list[str]) -> tuple[tuple[str, ...], ...]:
    """Columns that a narrow table can do without: first the metrics beside a headline and what it is derived from.

    Coreference keeps MUC, B³, CEAF_e and CoNLL with precision and recall, as papers print them.
    """
    metric = report[report.headline]
    parts = metric.entry.names if isinstance(metric.entry, Derived) else ()
    others = [name for name in reversed(list(report)) if name != report.headline]
    beside = [name for name in others if parts and name not in parts]
    sides = tuple(column for column in columns if column.endswith((" precision", " recall")))
    scores = (*SIDES, "value")
    return (
        *(tuple(f"{name} {score}" for score in scores) for name in beside),
        sides,
        *((f"{name} f1", f"{name} value") for name in others if name not in beside),
    )


def _best(results: Results, metric: str, score: str) -> float | None:
    return _highest([float(getattr(system.report[metric], score)) for system in results.systems])


def _highest(values: list[float]) -> float | None:
    """The highest of several values, if they are not all the same."""
    return max(values) if len(set(values)) > 1 else None


def _wide_cells(results: Results, system: System, best: dict[str, float | None]) -> Iterator[tuple[str, Cell]]:
    """The scores of one system; the main score of a metric also with its interval and p."""
    yield "system", system.prediction
    p = {(row.system, row.metric): row.p_holm for row in results.comparison.headlines()} if results.comparison else {}
    for column, most in best.items():
        name, score = column.rsplit(" ", 1)
        value = float(getattr(system.report[name], score))
        if score in ("f1", "value"):
            key = system.prediction, name
            yield column, ScoreCell(value, system.intervals.get(name), value == most, p.get(key))
        else:
            yield column, ScoreCell(value, None, value == most)


def marks_note(results: Results) -> list[str]:
    """Explain ± and the significance mark."""
    said = []
    if any(system.intervals for system in results.systems):
        level = results.notes["intervals"]["level"]
        said.append(f"± is half the width of a {level * 100:g} % confidence interval.")
    if results.comparison is not None:
        said.append(significance(results.comparison))
    return said


def significance(found: Comparison) -> str:
    """Say which differences are significant, by which test, on how many documents."""
    rows = found.headlines()
    number, marked = len(rows), any(row.p_holm <= ALPHA for row in rows)
    said = f"{MARK} differs" if marked else "No system differs"
    holm = f", p corrected for {number} comparisons by Holm's method" if number > 1 else ""
    return (
        f"{said} from {found.systems[0]} with p ≤ {ALPHA:g}: paired {found.name_test(rows)}, "
        f"{count_units(found.n, found.units)}{holm}."
    )
