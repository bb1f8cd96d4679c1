"""Results for programs, unrounded: one table as CSV, or everything that was measured as JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

from matchwise.corpus.report import Report
from matchwise.reports.results import Results, System
from matchwise.reports.scores import document_table, tables
from matchwise.sheets.table import PrintedTable

if TYPE_CHECKING:
    from matchwise.statistics.compare import Comparison

BREAKDOWNS = ("confusion", "categories", "labels", "fields")


def to_csv(results: Results) -> str:
    """The rows of documents if they were asked for, else of the first breakdown that was, else of the scores."""
    if results.view.per_document:
        table = document_table(results)
    else:
        found = {table.title: table for table in tables(results, long=True)}
        table = next(found[title] for title in (*BREAKDOWNS, "scores") if title in found)
    if len(results.systems) == 1 and "system" not in table.columns:
        table = PrintedTable(table.title, tuple({"system": results.systems[0].prediction, **row} for row in table.rows))
    return table_csv(table, results.signature)


def table_csv(table: PrintedTable, signature: str) -> str:
    """A table, each row with the signature."""
    table = table.plain()
    names = table.columns
    return csv_text([[*names, "signature"], *([*map(row.get, names), signature] for row in table.rows)])


def as_dict(results: Results) -> dict[str, Any]:
    """`task`, `preset`, `reference`, `documents`, `signature`, `systems`; further keys only where asked for."""
    made = {
        "task": results.task,
        "preset": results.preset,
        "reference": results.reference,
        "documents": results.documents,
        "signature": results.signature,
        "systems": [_system(results, system) for system in results.systems],
    }
    return {**made, **results.notes}


def _system(results: Results, system: System) -> dict[str, Any]:
    whole = system.report.to_dict()
    made: dict[str, Any] = {
        "prediction": system.prediction,
        "metrics": {
            name: metric | ({"interval": list(system.intervals[name])} if name in system.intervals else {})
            for name, metric in whole["metrics"].items()
        },
        "missing": list(system.missing),
        "errors": [dict(error) for error in system.errors],
    }
    if system.unreadable:
        made["unreadable"] = [dict(one) for one in system.unreadable]
    made |= {name: whole[name] for name in ("by", "over_labels", "fields") if name in whole}
    if system.part_intervals:
        made["intervals"] = [
            {part.kind: part.name, "metric": part.metric, "low": low, "high": high}
            for part, (low, high) in system.part_intervals.items()
        ]
    made |= elements(results, system)
    if system.official is not None:
        made["official"] = system.official.to_dict()
    if results.view.per_document:
        columns = system.report.columns()
        made["per_document"] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if results.view.worst:
        made["worst"] = list(_worst(system.report, results.view.worst))
    return made


def elements(results: Results, system: System) -> dict[str, Any]:
    """The categories and confusion of a system's elements, if requested."""
    made: dict[str, Any] = {}
    if results.view.categories:
        made["categories"] = {
            name: {"total": table.total(), "by": [{"label": label, **row} for label, row in table.by_label().items()]}
            for name, table in system.categories.items()
        }
    if results.view.confusion:
        made["confusion"] = {name: table.confusion().to_dict() for name, table in system.categories.items()}
    return made


def _worst(report: Report, number: int) -> Iterator[dict[str, Any]]:
    metric, names = report[report.headline], report.scores.names
    for place in report.lowest(number):
        bounds = {} if metric.bounds.proved else {"bounds": metric.bounds_of(place).to_dict()}
        yield {"document": names[place], "value": metric.per_document[place], **bounds}


def to_lines(results: Results) -> str:
    """JSON lines: one row for each metric of each system, then the rows of what else was asked for."""
    rows = (
        {"table": table.title, "system": results.systems[0].prediction} | row | {"signature": results.signature}
        for table in tables(results, long=True)
        for row in table.plain().rows
    )
    return "".join(json_lines(rows))


def comparison_rows(found: Comparison, format: Literal["csv", "jsonl"]) -> str:
    """For programs: every row of the comparison, unrounded."""
    if format == "csv":
        return table_csv(PrintedTable("scores", tuple(row for _, row in found.named_rows())), found.signature)
    return "".join(json_lines(row.to_dict() | {"signature": found.signature} for row in found.rows))


def json_text(value: Any) -> str:
    """A value as JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"


def json_lines(rows: Iterable[Any]) -> Iterator[str]:
    """Each row as a line of JSON."""
    return (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as CSV; the first has the names of the columns.

    >>> csv_text([["a", "b"], [1, "x, y"]])
    'a,b\\n1,"x, y"\\n'
    """
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
