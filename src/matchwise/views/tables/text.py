"""Tables as text: aligned columns that fit a width, then notes and signature; on a terminal, `rich` draws them."""

from __future__ import annotations

from typing import TextIO

from matchwise.views.tables.table import Numbers, PrintedTable, Sheet, fit

WIDTH = 80
NAME, SHORTEST = 24, 8
"""Signs to which a name is cut before a column is dropped, and at last."""


def render(
    sheet: Sheet, *, width: int | None = WIDTH, whole_signature: bool = False, whole: str = "--format csv"
) -> str:
    """The tables, of which none is wider than `width` unless its scores and short names are.

    `whole` is what to write for all columns.
    """
    blocks = [_block(table, sheet.numbers, width, whole) for table in sheet.tables]
    return "\n\n".join([*blocks, *filter(None, [foot(sheet, width=width, whole_signature=whole_signature)])]) + "\n"


def foot(sheet: Sheet, *, width: int | None = WIDTH, whole_signature: bool = False) -> str:
    """The lines that belong to every printed score: what was scored, and by what."""
    signature = sheet.signature if whole_signature or width is None else short_signature(sheet.signature, width)
    return "\n".join(filter(None, [*sheet.notes, signature]))


def short_signature(signature: str, width: int = WIDTH) -> str:
    """The signature on one line: its expressions are cut, its version and its hash, which tells them apart, are not.

    >>> short_signature('a=f1("entities", eq("type") * eq("name"))|matchwise:0.1.0|43e667f9', 50)
    'a=f1("entities", eq("typ…|matchwise:0.1.0|43e667f9'
    """
    if len(signature) <= width:
        return signature
    start, version, end = signature.rpartition("|matchwise:")
    return f"{start[: max(0, width - len(version) - len(end) - 1)]}…{version}{end}"


def _block(table: PrintedTable, numbers: Numbers, width: int | None, whole: str) -> str:
    title = "" if table.title == "scores" else f"{table.title}\n"
    if width is None:
        return title + align_columns(table, numbers)
    small, dropped = fit(table, width, lambda found: least_width(found, numbers))
    lines = align_columns(small, numbers, most=width)
    return title + lines + (f"\n({left_out(table, dropped, whole)})" if dropped else "")


def left_out(table: PrintedTable, columns: list[str], whole: str) -> str:
    """Which columns a narrow table does not have, and where they are."""
    names = list(dict.fromkeys(column.rsplit(" ", 1)[-1] if column in table.heads else column for column in columns))
    return f"no room for {', '.join(names)}; {whole} has all columns"


def align_columns(table: PrintedTable, numbers: Numbers, *, most: int | None = None) -> str:
    """Texts to the left, numbers to the right; names are cut where the lines would be longer than `most`."""
    columns = table.columns
    heads, rows, widths, left = _measure(table, numbers)
    if most is not None:
        _narrow(widths, _least(table, numbers, NAME), most)
        _narrow(widths, _least(table, numbers, SHORTEST), most)
    above = _groups(table, columns, widths)
    lines = [
        "  ".join(
            _cut(cell, width).ljust(width) if to_left else _cut(cell, width).rjust(width)
            for cell, width, to_left in zip(line, widths, left, strict=True)
        )
        for line in (heads, *rows)
    ]
    return "\n".join(line.rstrip() for line in (*above, *lines))


def least_width(table: PrintedTable, numbers: Numbers) -> int:
    """How narrow the table can be while names keep enough signs to be told apart."""
    least = _least(table, numbers, NAME)
    return sum(least) + 2 * (len(least) - 1)


def _measure(table: PrintedTable, numbers: Numbers) -> tuple[list[str], list[list[str]], list[int], list[bool]]:
    columns = table.columns
    rows = [[table.written(row, name, numbers) for name in columns] for row in table.rows]
    heads = [table.head(name).title for name in columns]
    widths = [max(map(len, cells)) for cells in zip(heads, *rows, strict=True)]
    return heads, rows, widths, [table.kind(name) == "text" for name in columns]


def _least(table: PrintedTable, numbers: Numbers, name: int) -> list[int]:
    """How narrow each column can be: a number is never cut, a name or a long title of a column may be."""
    heads, rows, widths, texts = _measure(table, numbers)
    cells = [max(map(len, some)) for some in zip(*rows, strict=True)] if rows else [0] * len(widths)
    return [
        min(width, name) if text else max(cell, min(len(head), name))
        for head, width, cell, text in zip(heads, widths, cells, texts, strict=True)
    ]


def _narrow(widths: list[int], least: list[int], most: int) -> None:
    """Take room from the columns that have most to give."""
    while sum(widths) + 2 * (len(widths) - 1) > most:
        place = max(range(len(widths)), key=lambda place: widths[place] - least[place])
        if widths[place] <= least[place]:
            return
        widths[place] -= 1


def _cut(text: str, width: int) -> str:
    """The end of a text, which tells paths apart better than their beginning."""
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"


def _groups(table: PrintedTable, columns: list[str], widths: list[int]) -> list[str]:
    """The line above the head that names groups of columns, if there are any; a column grows where a name is long."""
    spans = table.groups(columns)
    if not spans:
        return []
    made = []
    for group, places in spans:
        lacking = len(group) - (sum(widths[n] for n in places) + 2 * (len(places) - 1))
        widths[places[-1]] += max(0, lacking)
        made.append(group.center(sum(widths[n] for n in places) + 2 * (len(places) - 1)))
    return ["  ".join(made)]


def draw(sheet: Sheet, file: TextIO, *, whole_signature: bool = False) -> None:
    """Columns that do not fit are left out, and named below the table; no number is ever cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Drawn
    from rich.text import Text

    def width(table: PrintedTable) -> int:
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
