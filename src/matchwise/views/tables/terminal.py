"""Results on a terminal: the same tables as in `text`, drawn by rich."""

from __future__ import annotations

from typing import TextIO

from matchwise.views.tables.results import Results
from matchwise.views.tables.table import tables
from matchwise.views.tables.text import aligned, foot


def show(results: Results, file: TextIO) -> None:
    """A table that is wider than the terminal is wrapped by it, and loses no digit."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    found = tables(results)
    widths = [
        len(line) + 2 * len(table.columns) for table in found for line in aligned(table, results.view).splitlines()
    ]
    console = Console(file=file, highlight=False)
    console = Console(file=file, highlight=False, width=max([console.width, *widths]))
    for table in found:
        drawn = Table(box=box.SIMPLE_HEAD, title=None if table.title == "scores" else table.title, title_justify="left")
        columns = table.columns
        for name in columns:
            to_left = table.kind(name) == "text"
            style = "bold" if name in ("f1", "value") else "dim" if table.kind(name) == "count" else None
            drawn.add_column(name, justify="left" if to_left else "right", style=style, no_wrap=not to_left)
        for row in table.rows:
            drawn.add_row(*(Text(table.written(row, name, results.view)) for name in columns))
        console.print(drawn)
    console.print(Text(foot(results)), style="dim", soft_wrap=True)
