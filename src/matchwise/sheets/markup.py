"""Tables as Markdown and as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Callable

from matchwise.sheets.table import (
    NumberStyle,
    PrintedTable,
    ScoreCell,
    Sheet,
    WrittenColumn,
    group_columns,
    write_one_line,
)


def to_markdown(sheet: Sheet) -> str:
    """The tables, what is to be known of them, and the signature."""
    blocks = [_markdown_table(table, sheet.numbers) for table in sheet.tables]
    code = [_fence(sheet.signature)] if sheet.signature else []
    return "\n\n".join([*blocks, *map(escape_markdown, sheet.notes), *code]) + "\n"


def _markdown_table(table: PrintedTable, numbers: NumberStyle) -> str:
    columns = table.write(numbers)
    rows = [
        [f"**{text}**" if one.is_best(row) else text for one in columns for text in [escape_markdown(one.texts[row])]]
        for row in range(len(table.rows))
    ]
    heads = [escape_markdown(f"{one.group} {one.title}") for one in columns]
    rule = [":---" if one.kind == "text" else "---:" for one in columns]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
    title = [] if table.title == "scores" else [f"**{escape_markdown(table.title)}**", ""]
    return "\n".join([*title, *lines])


def escape_markdown(text: str) -> str:
    """Text as it is, on one line: no sign of it is markup, an entity or a formula."""
    text = write_one_line(" ".join(text.split()))
    for sign in "\\|*_`<>[]&~$":
        text = text.replace(sign, f"\\{sign}")
    return text


def _fence(text: str) -> str:
    """Fenced, because a signature may hold any sign but the fence."""
    fence = "```" if "```" not in text else "````"
    return f"{fence}\n{text}\n{fence}"


_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "–": "--", "…": r"\ldots{}", "−": "$-$",
    "×": r"$\times$",
}  # fmt: skip

_TITLES = {
    "precision": "P", "recall": "R", "f1": "F$_1$", "F1": "F$_1$", "p": "$p$", "p_holm": "$p$ (Holm)",
    "muc": "MUC", "b3": "B$^3$", "ceaf_e": r"CEAF$_{\phi_4}$", "ceaf_m": r"CEAF$_{\phi_3}$", "conll": "CoNLL",
    "blanc": "BLANC", "lea": "LEA", "las": "LAS", "uas": "UAS", "P": "P", "R": "R",
}  # fmt: skip
"""What papers call scores and metrics."""


SMALLEST_P = 0.001
"""A p below this is printed as `<0.001`, as papers do."""


def to_latex(sheet: Sheet) -> str:
    """The tables, and as comments what is to be known of them and the signature.

    The counts are left out of scores, and bounds that are proved: such a table fits a column.
    """
    blocks = [_latex_table(table, sheet.numbers) for table in sheet.tables]
    said = (r"the rules need \usepackage{booktabs}", *sheet.notes, sheet.signature)
    comments = [f"% {line}" for text in said for line in text.splitlines()]
    return "\n\n".join([*blocks, "\n".join(comments)]) + "\n"


def _latex_table(table: PrintedTable, numbers: NumberStyle) -> str:
    columns = [one for one in table.write(numbers) if table.title != "scores" or _is_shown(one)]
    heads = [
        (_latex_title if one.group or one.name not in table.labels else _escape_latex)(one.title) for one in columns
    ]
    rows = [" & ".join(_latex_cell(one, row) for one in columns) for row in range(len(table.rows))]
    lines = [
        *([] if table.title == "scores" else [f"% {' '.join(table.title.split())}"]),
        rf"\begin{{tabular}}{{{''.join('l' if one.kind == 'text' else 'r' for one in columns)}}}",
        r"\toprule",
        *_latex_groups(columns, _escape_latex if table.labels else _latex_title),
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _latex_groups(columns: list[WrittenColumn], title: Callable[[str], str]) -> list[str]:
    """The names that span several columns, each with a rule below it."""
    spans = group_columns(columns)
    if not spans:
        return []
    cells = [
        rf"\multicolumn{{{len(places)}}}{{c}}{{{title(group)}}}" if group else " & ".join("" for _ in places)
        for group, places in spans
    ]
    rules = [rf"\cmidrule(lr){{{places[0] + 1}-{places[-1] + 1}}}" for group, places in spans if group]
    return [rf"{' & '.join(cells)} \\", " ".join(rules)]


def _latex_cell(column: WrittenColumn, row: int) -> str:
    cell = column.cells[row]
    mark = cell.mark if isinstance(cell, ScoreCell) else ""
    text = _escape_latex(column.texts[row].removesuffix(mark))
    if column.kind == "p" and isinstance(cell, float) and cell < SMALLEST_P:
        text = f"$<${SMALLEST_P:g}"
    elif isinstance(cell, int | float) and cell < 0:
        text = text.replace("-", "$-$", 1)  # a minus, not a hyphen
    bold = rf"\textbf{{{text}}}" if column.is_best(row) else text
    return bold + (f"$^{{{mark}}}$" if mark else "")


def _is_shown(column: WrittenColumn) -> bool:
    if column.name == "bounds":
        return any(text not in ("proved", "") for text in column.texts)
    return column.kind != "count"


def _latex_title(name: str) -> str:
    return _TITLES.get(name, _escape_latex(name[:1].upper() + name[1:]))


def _escape_latex(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in write_one_line(" ".join(text.split())))
