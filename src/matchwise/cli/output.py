"""Where data goes: stdout, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from io import RawIOBase

from matchwise.cli import note as note
from matchwise.files import whole as whole
from matchwise.reports.records import as_dict, to_csv, to_lines
from matchwise.reports.records import csv_text as csv_text
from matchwise.reports.records import json_lines as json_lines
from matchwise.reports.records import json_text as json_text
from matchwise.reports.results import Results
from matchwise.reports.scores import sheet
from matchwise.sheets.markup import to_latex, to_markdown
from matchwise.sheets.table import Sheet, draw, render


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
    if format == "json":
        return json_text(as_dict(results))
    return to_csv(results) if format == "csv" else to_lines(results)


def markup(made: Sheet, format: str) -> str:
    """Tables for a paper or a page, as Markdown or LaTeX."""
    return to_latex(made) if format == "latex" else to_markdown(made)
