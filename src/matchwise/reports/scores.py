"""The tables of results: scores (long, or wide as in a paper), labels, fields, categories, confusion and documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.corpus.counts import Portion, label_text, name_labels
from matchwise.corpus.counts import plain as plain_number
from matchwise.corpus.report import ERRORS_SHOWN, Report
from matchwise.corpus.suite import Derived
from matchwise.corpus.values import Value
from matchwise.engine.limits import Bounds
from matchwise.engine.selection import join
from matchwise.errors import count_units
from matchwise.reports.results import Averaging, Results, System, results_of
from matchwise.sheets.shown import FrameTables
from matchwise.sheets.table import ALPHA, MARK, Cell, ColumnHead, PrintedTable, ScoreCell, Sheet

if TYPE_CHECKING:
    from matchwise.corpus.breakdown import LabelSlice
    from matchwise.corpus.categories import Categories
    from matchwise.statistics.compare import Comparison


def sheet(results: Results) -> Sheet:
    """Everything that people read: the tables, and below them what was scored and how.

    The first note is as in `10 documents (1 without prediction, counted as empty; 2 with errors)`.
    """
    said = []
    for system in results.systems:
        faults = {
            "without prediction, counted as empty": len(system.missing),
            "unreadable, counted as empty": len(system.unreadable),
            "with errors": len(system.errors),
        }
        if any(faults.values()):
            name = f"{system.prediction}: " if len(results.systems) > 1 else ""
            said.append(name + "; ".join(f"{number} {fault}" for fault, number in faults.items() if number))
    scored = count_units(results.documents, "documents") + (f" ({' | '.join(said)})" if said else "")
    shown = () if results.view.layout == "wide" else results.view.metrics
    others = [name for name in results.systems[0].report if name not in shown] if shown else []
    named = [*others[:LISTED], f"… ({len(others)} metrics)"] if len(others) > LISTED + 1 else others
    marks = [f"(also {', '.join(named)}: --layout long)"] if others else describe_marks(results)
    notes = (scored, *marks, *describe_intervals(results))
    return Sheet(tuple(tables(results)), notes, results.signature, results.view.numbers)


LISTED = 12
"""Metrics that are named if they are not printed."""


def describe_intervals(results: Results) -> list[str]:
    """How the intervals were made, in words."""
    if not any(system.intervals or system.part_intervals for system in results.systems):
        return []
    from matchwise.statistics.intervals import name_method

    how = dict(results.notes["intervals"])
    level, n, units = how.pop("level"), how.pop("n"), how.pop("units")
    over = f" over {count_units(n, units)}" if units != "documents" else ""
    return [f"{level * 100:g} % intervals{over} by the {name_method(**how)}"]


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
        "documents": lambda: list(document_table(results).rows),
        "intervals": partial(_interval_rows, report),
    }


def _interval_rows(report: Report) -> list[dict[str, Any]]:
    from matchwise.statistics.intervals import intervals

    return [row.to_dict() for row in intervals(report).rows]


Row: TypeAlias = dict[str, Cell]


def tables(results: Results, *, long: bool = False) -> list[PrintedTable]:
    """The scores, then the breakdowns that were asked for.

    `long` is for programs: a row for each cell of a confusion table, and no rows of averages.
    """
    view, counted = results.view, results.systems[0].report.scores if results.systems else None
    if view.layout == "wide":
        found = [_wide(results)]
    else:
        plain = _only_f1(results, by_number=not long and view.average == "micro")
        shown = () if long else view.metrics
        rows = partial(_scores, average=view.average, shown=shown, plain=plain)
        found = [_table("scores", results, rows)]
    if counted is not None and counted.labels is not None:
        across = view.labels_across and not long
        by_label = partial(_labels, averages=not long)
        found += _labels_across(results) if across else [_table("labels", results, by_label)]
    if counted is not None and counted.fields is not None:
        found.append(_table("fields", results, _fields))
    found += elements(results, long=long)
    if view.per_document:
        found.append(document_table(results))
    if view.worst:
        both = {"worst documents": _worst, "unreadable documents": _unreadable}
        several = (_table(title, results, partial(read, number=view.worst)) for title, read in both.items())
        found += [table for table in several if table.rows]
    return [_keep_columns(table, view.columns) for table in found] if view.columns else found


def _table(title: str, results: Results, read: Callable[[System], Iterable[Row]]) -> PrintedTable:
    """The rows of each system, which is named where there are several."""
    several = len(results.systems) > 1
    rows = (
        {**({"system": system.prediction} if several else {}), **row}
        for system in results.systems
        for row in read(system)
    )
    return PrintedTable(title, tuple(rows))


def document_table(results: Results) -> PrintedTable:
    """A row for each document and metric."""
    return _table("documents", results, _documents)


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
    found = [_table("categories", results, _categories)] if results.view.categories else []
    if results.view.confusion:
        found += [_table("confusion", results, _cells)] if long else _confusion(results)
    return found


def _scores(system: System, *, average: Averaging, shown: tuple[str, ...], plain: bool) -> Iterator[Row]:
    """The scores of the metrics that are shown, which are all if none is named."""
    report = system.report
    for name in report:
        of: Row = {"metric": name, "average": average}
        if shown and name not in shown:
            continue
        if average == "micro":
            yield {"metric": name, **score_row(report[name], plain), **_ends(system.intervals.get(name))}
        elif average == "documents":
            yield of | _over_documents(report[name], plain)
        elif average == "fields" and name in (report.scores.fields or ()):
            yield of | dict(report.means_over_fields(name))
        elif average in ("macro", "weighted") and name in report.labelled:
            yield of | _average(report, name, average)


def _ends(interval: tuple[float, float] | None) -> Row:
    """The ends of an interval, if there is one."""
    return {} if interval is None else {"low": interval[0], "high": interval[1]}


def _over_documents(metric: Value, plain: bool) -> Row:
    row: Row = {}
    if metric.has_sides:
        row |= {"precision": metric.macro_precision, "recall": metric.macro_recall}
    row["f1" if plain else "value"] = metric.macro
    return row | _proof(metric.macro_bounds) if metric.searched else row


def score_row(metric: Value, plain: bool | None = None) -> Row:
    """The scores and the counts of a metric; one whose value is an F1 has no column of values (`plain`)."""
    row: Row = _sides(metric) if metric.has_sides else {}
    row["f1" if (_is_f1(metric) if plain is None else plain) else "value"] = metric.value
    return row | _proof(metric.bounds) if metric.searched else row


def _proof(bounds: Bounds) -> Row:
    """Say whether the score of a metric that needs a search is proved."""
    return {"bounds": "proved" if bounds.proved else str(bounds)}


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
    return isinstance(metric.entry, Derived) or metric.entry.kind in ("f1", "harmonic")


AVERAGES: tuple[Literal["micro", "macro", "weighted"], ...] = ("micro", "macro", "weighted")


def _labels(system: System, *, averages: bool) -> Iterator[Row]:
    """The scores of each label, and below them the averages that seqeval prints."""
    by = join("", system.report.scores.by)
    for label, parts in system.report.by.items():
        for name, part in parts.items():
            if part.occurs:
                ends = system.part_intervals.get(Portion("label", name, label))
                yield {by: label_text(label), "metric": name, **_sides(part), **_ends(ends)}
    for name in system.report.labelled if averages else ():
        for average in AVERAGES:
            yield {by: f"({average})", "metric": name, **_average(system.report, name, average)}


def _labels_across(results: Results) -> Iterator[PrintedTable]:
    """For each metric, a row for each system with its labels across, and then the averages."""
    reports = [system.report for system in results.systems]
    for name in reports[0].labelled:
        found = [{label: parts[name] for label, parts in report.by.items() if name in parts} for report in reports]
        averages = {f"({average})": average for average in AVERAGES[:2]}
        occurring = dict.fromkeys(label for parts in found for label, part in parts.items() if part.occurs)
        labels = name_labels(occurring, averages)
        rows = []
        for report, parts in zip(reports, found, strict=True):
            scores: dict[str, Any] = {text: _sides(parts[label]) for text, label in labels.items() if label in parts}
            scores |= {text: _average(report, name, average) for text, average in averages.items()}
            cells = ((label, score, one[score]) for label, one in scores.items() for score in SIDES)
            rows.append({f"{label} {score}": ScoreCell(float(value)) for label, score, value in cells})
        columns = list(dict.fromkeys(column for row in rows for column in row))
        named = {column: column.rpartition(" ")[::2] for column in columns}
        heads = {column: ColumnHead(label, SIDES[score]) for column, (label, score) in named.items()}
        sides = tuple(column for column in columns if not column.endswith(" f1"))
        spared = (sides, *((column,) for column in reversed(columns) if column.endswith(" f1")))
        title = "labels" if len(reports[0].labelled) == 1 else f"labels: {name}"
        yield _across(title, results, rows, heads, spared)._replace(labels=frozenset(columns))


def _across(
    title: str,
    results: Results,
    rows: list[dict[str, ScoreCell]],
    heads: dict[str, ColumnHead],
    spared: tuple[tuple[str, ...], ...],
) -> PrintedTable:
    """A row for each system, in which the best of several different scores is marked."""
    values = {column: [row[column].value for row in rows if column in row] for column in heads}
    best = {column: max(some) for column, some in values.items() if len(set(some)) > 1}
    marked: list[Row] = [
        {"system": system.prediction}
        | {column: cell._replace(best=cell.value == best.get(column)) for column, cell in row.items()}
        for system, row in zip(results.systems, rows, strict=True)
    ]
    return PrintedTable(
        title, tuple(marked), heads={"system": ColumnHead("", "system", "text"), **heads}, spared=spared
    )


def _average(report: Report, name: str, average: Averaging) -> Row:
    if average != "micro":
        return dict(report.means_over_labels(name, "equally" if average == "macro" else "reference"))
    metric = report[name]
    assert not metric.is_derived, "only metrics with counts are broken down"
    return _sides(metric)


def _sides(one: LabelSlice | Value) -> Row:
    """Precision, recall and F1, and the counts of what has its own."""
    counts = {} if isinstance(one, Value) and one.is_derived else one.counts.to_dict()
    numbers = {name: plain_number(number) for name, number in counts.items()}
    return {"precision": one.precision, "recall": one.recall, "f1": one.f1, **numbers}


def _fields(system: System) -> Iterator[Row]:
    for row in system.report.fields():
        cells = {name: plain_number(value) for name, value in row.to_dict().items() if name not in ("metric", "path")}
        ends = system.part_intervals.get(Portion("field", row.metric, row.path))
        yield {"metric": row.metric, "field": row.path, **cells, **_ends(ends)}


def _categories(system: System) -> Iterator[Row]:
    for name, table in system.categories.items():
        by = join("", table.grading.label)
        for label, row in table.rows("(all)"):
            yield {"metric": name, by: label_text(label), **row}


def _cells(system: System) -> Iterator[Row]:
    for name, table in system.categories.items():
        for cell in table.confusion().to_dict():
            sides = {f"{side} label": cell[side] for side in ("predicted", "reference")}
            labels = {side: None if label is None else str(label) for side, label in sides.items()}
            yield {"metric": name, **labels, "count": cell["count"]}


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


def _documents(system: System) -> Iterator[Row]:
    report = system.report
    columns = [(name, report[name], report[name].per_document) for name in report]
    for place, id in enumerate(report.scores.names):
        for name, metric, values in columns:
            row: Row = {"document": id, "metric": name, "value": values[place]}
            if metric.has_sides:
                row |= {"precision": metric.precisions[place], "recall": metric.recalls[place]}
            if metric.has_sides and not metric.is_derived:
                row |= {count: plain_number(getattr(metric.columns, count)[place]) for count in metric.counts.to_dict()}
            yield row if metric.bounds.proved else row | _proof(metric.bounds_of(place))


def _worst(system: System, number: int) -> Iterator[Row]:
    report = system.report
    metric, names = report[report.headline], report.scores.names
    for place in report.lowest(number):
        row: Row = {"document": names[place], "value": metric.per_document[place]}
        yield row if metric.bounds.proved else row | _proof(metric.bounds_of(place))


def _unreadable(system: System, number: int) -> Iterator[Row]:
    """What stands in predictions that could not be read, as many as there are worst documents."""
    for one in system.unreadable[:number]:
        yield {"document": one["document"], "written": _quote(one["problem"])}


def _quote(problem: str) -> str:
    """What stands in a prediction, shortened, as far as the problem quotes it."""
    quoted = problem.partition("not JSON: found ")[2]
    try:
        return str(json.JSONDecoder().raw_decode(quoted)[0])
    except ValueError:
        return problem


SIDES = {"precision": "P", "recall": "R", "f1": "F1"}


def _wide(results: Results) -> PrintedTable:
    """Precision, recall and F1 of each metric that has them, else its value; main scores with interval and p."""
    first = results.systems[0].report
    heads: dict[str, ColumnHead] = {}
    for name in results.view.metrics or first:
        metric = first[name]
        if metric.has_sides if metric.is_derived else _is_f1(metric):
            heads |= {f"{name} {score}": ColumnHead(name, title) for score, title in SIDES.items()}
        else:
            heads[f"{name} value"] = ColumnHead("", name)
    compared = results.comparison.headlines() if results.comparison else ()
    p = {(row.system, row.metric): row.p_holm for row in compared}
    rows = []
    for system in results.systems:
        row = {}
        for column in heads:
            name, score = column.rsplit(" ", 1)
            row[column] = ScoreCell(float(getattr(system.report[name], score)))
            if score in ("f1", "value"):
                key = system.prediction, name
                row[column] = row[column]._replace(interval=system.intervals.get(name), p=p.get(key))
        rows.append(row)
    return _across("scores", results, rows, heads, _spare_columns(first, list(heads)))


def _spare_columns(report: Report, columns: list[str]) -> tuple[tuple[str, ...], ...]:
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
        *((f"{name} f1", f"{name} value") for name in others),
    )


def describe_marks(results: Results) -> list[str]:
    """Explain ± and the significance mark, where the layout is wide."""
    said: list[str] = []
    if results.view.layout != "wide":
        return said
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
