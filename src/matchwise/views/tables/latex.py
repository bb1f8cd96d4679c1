"""Results as LaTeX tables (booktabs), with the signature as a comment."""

from __future__ import annotations

from collections.abc import Sequence

from matchwise.views.tables.results import Results, View
from matchwise.views.tables.table import Table, tables

_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def render(results: Results) -> str:
    notes = [f"{name}: {value}" for name, value in results.said().items()]
    return page(tables(results), results.view, [results.summary(), *notes], results.signature)


def page(tables: Sequence[Table], view: View, notes: Sequence[str], signature: str) -> str:
    """The tables, and as comments what is to be known of them and the signature.

    The counts are left out of scores, and bounds that are proved: such a table fits a column.
    """
    blocks = [_block(table, view) for table in tables]
    comments = [f"% {line}" for line in (*notes, *signature.splitlines())]
    return "\n\n".join([*blocks, "\n".join(comments)]) + "\n"


def _block(table: Table, view: View) -> str:
    columns = [name for name in table.columns if table.title != "scores" or _told(table, name)]
    head = " & ".join(_escaped(name) if name in table.labels else _title(name) for name in columns)
    rows = [" & ".join(_escaped(table.written(row, name, view)) for name in columns) for row in table.rows]
    lines = [
        *([] if table.title == "scores" else [f"% {table.title}"]),
        rf"\begin{{tabular}}{{{''.join('l' if table.kind(name) == 'text' else 'r' for name in columns)}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _told(table: Table, column: str) -> bool:
    if column == "bounds":
        return any(row.get(column, "proved") != "proved" for row in table.rows)
    return table.kind(column) != "count"


def _title(name: str) -> str:
    known = {"precision": "P", "recall": "R", "f1": "F$_1$", "p": "$p$", "p_holm": "$p$ (Holm)"}
    return known.get(name, _escaped(name[:1].upper() + name[1:]))


def _escaped(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in " ".join(text.split()))
