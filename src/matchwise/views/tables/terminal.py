"""Tables on a terminal: the same as in `text`, drawn by rich as wide as the terminal is."""

from __future__ import annotations

from typing import TextIO

from matchwise.views.tables.table import Sheet, Table, fit
from matchwise.views.tables.text import foot, least_width, left_out


def show(sheet: Sheet, file: TextIO, *, whole_signature: bool = False) -> None:
    """Columns that do not fit are left out, and named below the table; no number is ever cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Drawn
    from rich.text import Text

    def width(table: Table) -> int:
        return least_width(table, sheet.numbers) + 2

    console = Console(file=file, highlight=False)
    for table in sheet.tables:
        small, dropped = fit(table, console.width, width)
        title = None if table.title == "scores" else Text(table.title, style="italic")
        drawn = Drawn(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, padding=(0, 1))
        columns = small.columns
        grouped = any(small.head(name).group for name in columns)
        group = ""
        for name in columns:
            head = small.head(name)
            above = "" if head.group == group else head.group
            group = head.group
            to_left = small.kind(name) == "text"
            main = name in ("f1", "value") or name.endswith((" f1", " value"))
            style = None if main and small.heads else "bold" if main else "dim" if small.kind(name) == "count" else None
            drawn.add_column(
                Text(f"{above}\n{head.title}" if grouped else head.title),
                justify="left" if to_left else "right",
                style=style,
                no_wrap=True,
                overflow="ellipsis" if to_left else "ignore",
                min_width=None if to_left else max(len(small.written(row, name, sheet.numbers)) for row in small.rows),
            )
        for row in small.rows:
            drawn.add_row(
                *(
                    Text(small.written(row, name, sheet.numbers), style="bold" if small.is_best(row, name) else "")
                    for name in columns
                )
            )
        console.print(drawn)
        if dropped:
            console.print(Text(f"({left_out(table, dropped, '--format csv')})"), style="dim")
    console.print(Text(foot(sheet, width=console.width, whole_signature=whole_signature)), style="dim", soft_wrap=True)
