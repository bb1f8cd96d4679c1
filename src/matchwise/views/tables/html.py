"""Tables as HTML: a part of a page, for notebooks and for the report. Nothing that is in the data is markup."""

from __future__ import annotations

from collections.abc import Sequence

from matchwise.views.charts import STYLE as CHARTS
from matchwise.views.html import text_of
from matchwise.views.tables.table import Cell, Numbers, PrintedTable, Sheet

STYLE = """
.mw { font: 14px/1.45 system-ui, sans-serif; }
.mw .mw-wide { overflow-x: auto; }
.mw table { border-collapse: collapse; margin: .4rem 0 1rem; font-variant-numeric: tabular-nums; }
.mw caption { text-align: left; font-weight: 600; padding: .3rem 0; caption-side: top; }
.mw th, .mw td { text-align: left; padding: .2rem .7rem; border-bottom: 1px solid #8886; vertical-align: top; }
.mw th { font-weight: 600; } .mw .n { text-align: right; white-space: nowrap; } .mw .g { text-align: center; }
.mw p { margin: .2rem 0; } .mw code { font-family: ui-monospace, monospace; font-size: .87em; overflow-wrap: anywhere; }
"""


def fragment(sheet: Sheet, chart: str = "") -> str:
    """The tables, a chart, the notes and the signature, with their style."""
    tables = "\n".join(table_html(table, sheet.numbers) for table in sheet.tables)
    notes = "".join(f"<p>{text_of(note)}</p>" for note in sheet.notes)
    signature = f"<p><code>{text_of(sheet.signature)}</code></p>" if sheet.signature else ""
    style = STYLE + (CHARTS if chart else "")
    return f'<div class="mw"><style>{style}</style>\n{tables}\n{chart}{notes}{signature}</div>'


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """A whole page that asks for no other file; a script runs only if its hash is that of the policy."""
    allowed = f"; script-src '{_hash(script)}'" if script else ""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'{allowed}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text_of(title)}</title>
<style>:root {{ color-scheme: light dark; }}{style}</style>
</head>
<body>
{body}
{f"<script>{script}</script>" if script else ""}
</body>
</html>
"""


def _hash(script: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def table_html(table: PrintedTable, numbers: Numbers, *, bars: Sequence[str] = (), heat: bool = False) -> str:
    """One table, which scrolls by itself if it is too wide; `bars` stand before the numbers, `heat` tints counts."""
    columns = table.columns
    heads = [f'<th scope="col"{_numeric(table, name)}>{text_of(table.head(name).title)}</th>' for name in columns]
    names = sum(table.kind(name) == "text" for name in columns)
    head = _join(heads, names, "<td></td>" if bars else "")
    most = max((cell for row in table.rows for cell in row.values() if isinstance(cell, int)), default=0) if heat else 0
    rows = "\n".join(
        f"<tr>{_join(cells, names, f'<td>{bars[place]}</td>' if bars else '')}</tr>"
        for place, row in enumerate(table.rows)
        for cells in [[_cell(table, row, name, numbers, most) for name in columns]]
    )
    caption = "" if table.title == "scores" else f"<caption>{text_of(table.title)}</caption>"
    return (
        f'<div class="mw-wide" tabindex="0"><table class="mw-sortable">{caption}\n'
        f"<thead>{_groups(table, columns)}<tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _join(cells: Sequence[str], names: int, bar: str) -> str:
    """The cells of a row, with a bar between its names and its numbers."""
    return "".join([*cells[:names], bar, *cells[names:]])


def _groups(table: PrintedTable, columns: list[str]) -> str:
    cells = "".join(
        f'<th scope="colgroup" class="g" colspan="{len(places)}">{text_of(group)}</th>'
        if group
        else f'<td colspan="{len(places)}"></td>'
        for group, places in table.groups(columns)
    )
    return f"<tr>{cells}</tr>" if cells else ""


def _cell(table: PrintedTable, row: dict[str, Cell], name: str, numbers: Numbers, most: int) -> str:
    content = text_of(table.written(row, name, numbers))
    cell = row.get(name)
    tint = f' style="--share:{cell / most:.3f}"' if most and isinstance(cell, int) and cell else ""
    kind = "" if table.kind(name) == "text" else f' class="n{" heat" if tint else ""}"'
    return f"<td{kind}{tint}>{f'<b>{content}</b>' if table.is_best(row, name) else content}</td>"


def _numeric(table: PrintedTable, column: str) -> str:
    return "" if table.kind(column) == "text" else ' class="n"'
