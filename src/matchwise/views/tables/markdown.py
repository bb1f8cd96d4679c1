"""Results as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

from matchwise.views.tables.results import Results, View
from matchwise.views.tables.table import Table, tables


def render(results: Results) -> str:
    notes = [f"{name}: {value}" for name, value in results.said().items()]
    return page(tables(results), results.view, [results.summary(), *notes], results.signature)


def page(tables: Sequence[Table], view: View, notes: Sequence[str], signature: str) -> str:
    """The tables, what is to be known of them, and the signature."""
    blocks = [_block(table, view) for table in tables]
    return "\n\n".join([*blocks, *map(_escaped, notes), _code(signature)]) + "\n"


def _block(table: Table, view: View) -> str:
    columns = table.columns
    rule = [":---" if table.kind(name) == "text" else "---:" for name in columns]
    rows = [[_escaped(table.written(row, name, view)) for name in columns] for row in table.rows]
    lines = [f"| {' | '.join(cells)} |" for cells in ([_escaped(name) for name in columns], rule, *rows)]
    title = [] if table.title == "scores" else [f"**{table.title}**", ""]
    return "\n".join([*title, *lines])


def _escaped(text: str) -> str:
    for sign in "\\|*_`<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _code(text: str) -> str:
    """Fenced, because a signature may hold any sign but the fence."""
    fence = "```" if "```" not in text else "````"
    return f"{fence}\n{text}\n{fence}"
