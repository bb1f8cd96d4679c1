"""Comparisons and intervals as sheets: a table for the metrics, one for the labels and one for the fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from matchwise.corpus.compare import Comparison, Difference
from matchwise.corpus.intervals import Interval, Intervals
from matchwise.corpus.slices import Part, label_text
from matchwise.views.tables import csv
from matchwise.views.tables.table import Cell, Head, Sheet, Table

DIFFERENCE = {
    "difference": Head("", "difference", "signed"), "low": Head("", "low", "signed"),
    "high": Head("", "high", "signed"), "p": Head("", "p", "p"), "p_holm": Head("", "p_holm", "p"),
    "units": Head("", "units", "count"), "differing": Head("", "differing", "count"),
}  # fmt: skip


def comparison_sheet(found: Comparison) -> Sheet:
    """The differences; two systems give their names to the columns of their scores."""
    pairs = {(row.baseline, row.system) for row in found.rows}
    names = next(iter(pairs)) if len(pairs) == 1 else ("value", "value")
    values = {"baseline_value": Head("", names[0]), "value": Head("", names[1])}
    own = frozenset(values if len(pairs) == 1 else ())
    words = ("label", "field", "metric", "score") + (() if len(pairs) == 1 else ("baseline", "system"))
    heads = {name: Head("", name, "text") for name in words} | values | DIFFERENCE
    order = ("label", "field", "metric", "score", "baseline", "baseline_value", "system", "value", *DIFFERENCE)
    wanted = [name for name in order if name in heads]
    spared = (("differing",), ("units",), ("p",), ("score",), ("low", "high"))
    tables = _by_part(found.rows, lambda row: {name: row[name] for name in wanted if name in row})
    return Sheet(
        tuple(Table(title, rows, own, heads, spared) for title, rows in tables.items()),
        tuple(found.notes()),
        found.signature,
    )


def intervals_sheet(found: Intervals) -> Sheet:
    """The scores with the ends of their intervals."""
    tables = _by_part(found.rows, dict)
    return Sheet(tuple(Table(title, rows) for title, rows in tables.items()), tuple(found.notes()), found.signature)


def _by_part(
    rows: Iterable[Difference | Interval], cells: Callable[[Mapping[str, Any]], dict[str, Cell]]
) -> dict[str, tuple[dict[str, Cell], ...]]:
    kinds: dict[str, list[dict[str, Cell]]] = {}
    for row in rows:
        title = "scores" if row.part is None else f"{row.part.kind}s"
        kinds.setdefault(title, []).append(cells(_named(row.part, row.to_dict())))
    return {title: tuple(some) for title, some in kinds.items()}


def _named(part: Part | None, row: dict[str, Any]) -> dict[str, Any]:
    return row if part is None else {**row, part.kind: label_text(part.name)}


def render(found: Comparison, format: Literal["csv", "jsonl"]) -> str:
    """For programs: every row of the comparison, unrounded."""
    if format == "csv":
        cells = (_named(row.part, row.to_dict()) for row in found.rows)
        return csv.sheet(Table("scores", tuple(cells)), found.signature)
    rows = (row.to_dict() | {"signature": found.signature} for row in found.rows)
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
