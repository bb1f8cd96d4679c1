"""Comparisons written down: JSON, JSON lines, CSV, Markdown and LaTeX, by the renderers of results."""

from __future__ import annotations

import json
from collections.abc import Callable

from matchwise.corpus.compare import Comparison, Difference
from matchwise.corpus.slices import label_text
from matchwise.views.tables import csv, latex, markdown
from matchwise.views.tables.results import View
from matchwise.views.tables.table import Cell, Table


def render(found: Comparison, format: str) -> str:
    """The comparison as text of that format; CSV and JSON lines have every row, unrounded."""
    return _FORMATS[format](found)


def _json(found: Comparison) -> str:
    return json.dumps(found.to_dict(), ensure_ascii=False, indent=2, default=str) + "\n"


def _lines(found: Comparison) -> str:
    rows = (row.to_dict() | {"signature": found.signature} for row in found.rows)
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def _csv(found: Comparison) -> str:
    return csv.sheet(Table("scores", tuple(map(_cells, found.rows))), found.signature)


def _tables(found: Comparison) -> list[Table]:
    """One for the metrics, one for the labels and one for the fields."""
    kinds: dict[str, list[dict[str, Cell]]] = {}
    for row in found.rows:
        kinds.setdefault("scores" if row.part is None else f"{row.part.kind}s", []).append(_cells(row))
    return [Table(title, tuple(rows)) for title, rows in kinds.items()]


def _cells(row: Difference) -> dict[str, Cell]:
    part = {} if row.part is None else {row.part.kind: label_text(row.part.name)}
    return part | {name: cell for name, cell in row.to_dict().items() if name not in part}


_FORMATS: dict[str, Callable[[Comparison], str]] = {
    "text": lambda found: f"{found}\n",
    "json": _json,
    "jsonl": _lines,
    "csv": _csv,
    "markdown": lambda found: markdown.page(_tables(found), View(), found.notes(), found.signature),
    "latex": lambda found: latex.page(_tables(found), View(), found.notes(), found.signature),
}
