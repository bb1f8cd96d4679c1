"""Results as plain text: aligned columns, then the documents and the signature."""

from __future__ import annotations

from matchwise.views.tables.results import Results, View
from matchwise.views.tables.table import Table, tables


def render(results: Results) -> str:
    blocks = [_block(table, results.view) for table in tables(results)]
    return "\n\n".join([*blocks, foot(results)]) + "\n"


def foot(results: Results) -> str:
    """The lines that belong to every printed score: what was scored, and by what."""
    notes = [f"{name}: {value}" for name, value in results.said().items()]
    return "\n".join([results.summary(), *notes, results.signature])


def _block(table: Table, view: View) -> str:
    title = "" if table.title == "scores" else f"{table.title}\n"
    return title + aligned(table, view)


def aligned(table: Table, view: View) -> str:
    """Texts to the left, numbers to the right."""
    columns = table.columns
    lines = [columns, *([table.written(row, name, view) for name in columns] for row in table.rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    left = [table.kind(name) == "text" for name in columns]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(line, widths, left, strict=True)
        ).rstrip()
        for line in lines
    )
