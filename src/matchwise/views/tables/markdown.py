"""Tables as Markdown."""

from __future__ import annotations

from matchwise.views.tables.table import Cell, Numbers, Sheet, Table


def render(sheet: Sheet) -> str:
    """The tables, what is to be known of them, and the signature."""
    blocks = [_block(table, sheet.numbers) for table in sheet.tables]
    code = [_code(sheet.signature)] if sheet.signature else []
    return "\n\n".join([*blocks, *map(_escaped, sheet.notes), *code]) + "\n"


def _block(table: Table, numbers: Numbers) -> str:
    columns = table.columns
    rule = [":---" if table.kind(name) == "text" else "---:" for name in columns]
    rows = [[_cell(table, row, name, numbers) for name in columns] for row in table.rows]
    heads = [_escaped(" ".join(filter(None, table.head(name)[:2]))) for name in columns]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
    title = [] if table.title == "scores" else [f"**{_escaped(table.title)}**", ""]
    return "\n".join([*title, *lines])


def _cell(table: Table, row: dict[str, Cell], name: str, numbers: Numbers) -> str:
    text = _escaped(table.written(row, name, numbers))
    return f"**{text}**" if table.is_best(row, name) else text


def _escaped(text: str) -> str:
    for sign in "\\|*_`<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _code(text: str) -> str:
    """Fenced, because a signature may hold any sign but the fence."""
    fence = "```" if "```" not in text else "````"
    return f"{fence}\n{text}\n{fence}"
