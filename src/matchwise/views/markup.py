"""Tables as Markdown, as LaTeX (booktabs) and as HTML: a part of a page, for notebooks and for the report."""

from __future__ import annotations

from collections.abc import Sequence

from matchwise.shown import MONOSPACE
from matchwise.views.html import CHARTS, text_of
from matchwise.views.table import Cell, NumberStyle, PrintedTable, ScoreCell, Sheet


def to_markdown(sheet: Sheet) -> str:
    """The tables, what is to be known of them, and the signature."""
    blocks = [_markdown_table(table, sheet.numbers) for table in sheet.tables]
    code = [_fence(sheet.signature)] if sheet.signature else []
    return "\n\n".join([*blocks, *map(_escape_markdown, sheet.notes), *code]) + "\n"


def _markdown_table(table: PrintedTable, numbers: NumberStyle) -> str:
    columns = table.columns
    rule = [":---" if table.kind(name) == "text" else "---:" for name in columns]
    rows = [[_markdown_cell(table, row, name, numbers) for name in columns] for row in table.rows]
    heads = [_escape_markdown(" ".join(filter(None, table.head(name)[:2]))) for name in columns]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
    title = [] if table.title == "scores" else [f"**{_escape_markdown(table.title)}**", ""]
    return "\n".join([*title, *lines])


def _markdown_cell(table: PrintedTable, row: dict[str, Cell], name: str, numbers: NumberStyle) -> str:
    text = _escape_markdown(table.written(row, name, numbers))
    return f"**{text}**" if table.is_best(row, name) else text


def _escape_markdown(text: str) -> str:
    for sign in "\\|*_`<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _fence(text: str) -> str:
    """Fenced, because a signature may hold any sign but the fence."""
    fence = "```" if "```" not in text else "````"
    return f"{fence}\n{text}\n{fence}"


_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "–": "--", "…": r"\ldots{}", "−": "$-$", "×": r"$\times$",
}  # fmt: skip

_TITLES = {
    "precision": "P", "recall": "R", "f1": "F$_1$", "F1": "F$_1$", "p": "$p$", "p_holm": "$p$ (Holm)",
    "muc": "MUC", "b3": "B$^3$", "ceaf_e": r"CEAF$_{\phi_4}$", "ceaf_m": r"CEAF$_{\phi_3}$", "conll": "CoNLL",
    "blanc": "BLANC", "lea": "LEA", "las": "LAS", "uas": "UAS", "P": "P", "R": "R",
}  # fmt: skip
"""What papers call scores and metrics."""


def to_latex(sheet: Sheet) -> str:
    """The tables, and as comments what is to be known of them and the signature.

    The counts are left out of scores, and bounds that are proved: such a table fits a column.
    """
    blocks = [_latex_table(table, sheet.numbers) for table in sheet.tables]
    comments = [f"% {line}" for text in (*sheet.notes, sheet.signature) for line in text.splitlines()]
    return "\n\n".join([*blocks, *(["\n".join(comments)] if comments else [])]) + "\n"


def _latex_table(table: PrintedTable, numbers: NumberStyle) -> str:
    columns = [name for name in table.columns if table.title != "scores" or _is_shown(table, name)]
    head = " & ".join(
        (_escape_latex if name in table.labels else _latex_title)(table.head(name).title) for name in columns
    )
    rows = [" & ".join(_latex_cell(table, row, name, numbers) for name in columns) for row in table.rows]
    lines = [
        *([] if table.title == "scores" else [f"% {table.title}"]),
        rf"\begin{{tabular}}{{{''.join('l' if table.kind(name) == 'text' else 'r' for name in columns)}}}",
        r"\toprule",
        *_latex_groups(table, columns),
        rf"{head} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _latex_groups(table: PrintedTable, columns: list[str]) -> list[str]:
    """The names that span several columns, each with a rule below it."""
    spans = table.groups(columns)
    if not spans:
        return []
    cells = [
        rf"\multicolumn{{{len(places)}}}{{c}}{{{_latex_title(group)}}}" if group else " & ".join("" for _ in places)
        for group, places in spans
    ]
    rules = [rf"\cmidrule(lr){{{places[0] + 1}-{places[-1] + 1}}}" for group, places in spans if group]
    return [rf"{' & '.join(cells)} \\", " ".join(rules)]


def _latex_cell(table: PrintedTable, row: dict[str, Cell], name: str, numbers: NumberStyle) -> str:
    cell = row.get(name)
    mark = cell.mark if isinstance(cell, ScoreCell) else ""
    text = _escape_latex(
        table.written(row, name, numbers).removesuffix(mark) if mark else table.written(row, name, numbers)
    )
    bold = rf"\textbf{{{text}}}" if table.is_best(row, name) else text
    return bold + (f"$^{{{mark}}}$" if mark else "")


def _is_shown(table: PrintedTable, column: str) -> bool:
    if column == "bounds":
        return any(row.get(column, "proved") != "proved" for row in table.rows)
    return table.kind(column) != "count"


def _latex_title(name: str) -> str:
    return _TITLES.get(name, _escape_latex(name[:1].upper() + name[1:]))


def _escape_latex(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in " ".join(text.split()))


STYLE = f"""
.mw {{ font: 14px/1.45 system-ui, sans-serif; }}
.mw .mw-wide {{ overflow-x: auto; }}
.mw table {{ border-collapse: collapse; margin: .4rem 0 1rem; font-variant-numeric: tabular-nums; }}
.mw caption {{ text-align: left; font-weight: 600; padding: .3rem 0; caption-side: top; }}
.mw th, .mw td {{ text-align: left !important; padding: .2rem .7rem; border-bottom: 1px solid #8886;
  vertical-align: top; }}
.mw th {{ font-weight: 600; }} .mw .n {{ text-align: right !important; white-space: nowrap; }}
.mw .g {{ text-align: center !important; }} .mw p {{ margin: .2rem 0; }}
.mw code {{ font-family: {MONOSPACE} !important; font-size: .87em; overflow-wrap: anywhere; }}
"""
"""What is important has a weightier rule against it in JupyterLab: all cells to the right, another font for code."""


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


def table_html(table: PrintedTable, numbers: NumberStyle, *, bars: Sequence[str] = (), heat: bool = False) -> str:
    """One table, which scrolls by itself if it is too wide; `bars` stand before the numbers, `heat` tints counts."""
    columns = table.columns
    kinds = ["" if table.kind(name) == "text" else ' class="n"' for name in columns]
    titles = [text_of(table.head(name).title) for name in columns]
    heads = [f'<th scope="col"{kind}>{title}</th>' for kind, title in zip(kinds, titles, strict=True)]
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


def _cell(table: PrintedTable, row: dict[str, Cell], name: str, numbers: NumberStyle, most: int) -> str:
    content = text_of(table.written(row, name, numbers))
    cell = row.get(name)
    tint = f' style="--share:{cell / most:.3f}"' if most and isinstance(cell, int) and cell else ""
    kind = "" if table.kind(name) == "text" else f' class="n{" heat" if tint else ""}"'
    return f"<td{kind}{tint}>{f'<b>{content}</b>' if table.is_best(row, name) else content}</td>"
