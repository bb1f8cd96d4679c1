"""Where data goes: stdout, or a file that is written whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from io import RawIOBase, StringIO
from typing import Any

from matchwise.cli import note as note
from matchwise.files import whole as whole
from matchwise.reports.records import to_csv, to_json, to_lines
from matchwise.reports.results import Results
from matchwise.reports.scores import sheet
from matchwise.sheets.markup import to_latex, to_markdown
from matchwise.sheets.table import Sheet
from matchwise.sheets.text import draw, render


def remark(text: str, args: Namespace) -> None:
    """Print a line on stderr that is neither an error nor the reason of the exit code, unless --quiet."""
    if not args.quiet:
        note(text)


def emit(text: str, args: Namespace) -> None:
    """Print data, or write it to --output."""
    if args.output:
        with whole(args.output) as path, open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    data = text.encode(encoding, "backslashreplace")
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, RawIOBase):
        sys.stdout.write(data.decode(encoding))
        return
    while data:  # with PYTHONUNBUFFERED a write may end early, and Python would drop the rest
        data = data[raw.write(data) or 0 :]


def emit_each(texts: Iterable[str], args: Namespace) -> None:
    """Print each text as it comes; a file is written whole."""
    for text in ["".join(texts)] if args.output else texts:
        emit(text, args)


def json_text(value: Any) -> str:
    """A value as JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"


def json_lines(rows: Iterable[Any]) -> Iterator[str]:
    """Each row as a line of JSON."""
    return (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as CSV; the first has the names of the columns.

    >>> csv_text([["a", "b"], [1, "x, y"]])
    'a,b\\n1,"x, y"\\n'
    """
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def show(results: Results, args: Namespace) -> None:
    """The results in the format that was asked for."""
    if args.format == "text":
        show_text(sheet(results), args)
    else:
        emit(write_results(results, args.format), args)


def show_text(made: Sheet, args: Namespace) -> None:
    """Tables for people: drawn by rich on a terminal, else as plain text."""
    whole = args.signature == "long"
    if not args.output and is_screen():
        draw(made, sys.stdout, whole_signature=whole)
    else:
        emit(render(made, whole_signature=whole), args)


def is_screen() -> bool:
    """True if a person looks at stdout and wants more than plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_results(results: Results, format: str) -> str:
    """The results as text of that format."""
    if format in ("markdown", "latex"):
        return markup(sheet(results), format)
    if format == "html":
        from matchwise.reports.page import to_page

        return to_page(results)
    return {"csv": to_csv, "json": to_json, "jsonl": to_lines}[format](results)


def markup(made: Sheet, format: str) -> str:
    """Tables for a paper or a page, as Markdown or LaTeX."""
    return to_latex(made) if format == "latex" else to_markdown(made)
