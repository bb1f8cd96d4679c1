"""What is reported of scored files, and where it goes: to stdout, or to a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from io import RawIOBase
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.cli import note as note
from matchwise.corpus.counts import Portion
from matchwise.corpus.report import Report
from matchwise.corpus.table import Table
from matchwise.errors import FormatError
from matchwise.files import whole as whole
from matchwise.formats.io.source import Lines
from matchwise.reports.records import as_dict, to_csv, to_lines
from matchwise.reports.records import csv_text as csv_text
from matchwise.reports.records import json_lines as json_lines
from matchwise.reports.records import json_text as json_text
from matchwise.reports.results import Display, Layout, Results, System
from matchwise.reports.scores import sheet
from matchwise.sheets.markup import to_latex, to_markdown
from matchwise.sheets.table import NumberStyle, Sheet, draw, render

if TYPE_CHECKING:
    from matchwise.cli.metric import ChosenMetrics
    from matchwise.cli.scoring import ScoredFile
    from matchwise.statistics.compare import Comparison
    from matchwise.tasks.declaration import Task


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


def note_right(*, is_all_read: bool) -> None:
    """Say why there are no worst documents."""
    note("no document is wrong" if is_all_read else "no document that could be read is wrong")


def make_results(asked: ChosenMetrics, outcomes: list[ScoredFile], args: Namespace) -> Results:
    """What is reported of the systems."""
    systems = []
    notes: dict[str, Any] = {}
    doubts: dict[str, None] = {}  # several systems may have the same
    for outcome in outcomes:
        unreadable, errors = (
            tuple({"document": one.document, "problem": one.problem} for one in several)
            for several in (outcome.unreadable, outcome.errors)
        )
        report = Report(replace(outcome.table, errors=[]), asked.suite)
        ends, parts, notes, warnings = intervals_of(report, args)
        doubts |= dict.fromkeys(warnings)
        systems.append(
            System(
                outcome.name,
                report,
                tuple(outcome.table.missing),
                errors,
                ends,
                parts,
                outcome.categories,
                unreadable,
                outcome.faults,
            )
        )
    for warning in doubts:
        remark(f"warning: {warning}", args)
    if args.worst and args.command == "score" and not any(system.report.lowest(1) for system in systems):
        note_right(is_all_read=not any(system.unreadable for system in systems))
    return Results(
        ", ".join(args.refs),
        outcomes[0].table.documents,
        asked.suite.signature,
        tuple(systems),
        asked.task,
        asked.preset,
        choose_display(args, len(outcomes), asked.declared),
        notes,
        _comparison(outcomes, args) if args.ci and len(outcomes) > 1 else None,
    )


def choose_display(args: Namespace, systems: int, task: Task | None = None) -> Display:
    """Choose the display: several systems are shown as a table for a paper, in percent."""
    for_programs = args.format in ("csv", "jsonl")
    usual: Layout = "wide" if systems > 1 and not for_programs and args.average == "micro" else "long"
    layout: Layout = usual if args.layout in (None, "official") else args.layout
    paper = layout == "wide" and args.digits is None
    is_fitted = layout == "wide" and args.format != "latex"  # a table on a screen drops what has no room
    printed = task.printed if task and not (args.layout or args.only or args.metric or is_fitted) else ()
    digits = args.digits if args.digits is not None else 1 if paper else 4
    return Display(
        args.per_document,
        args.average,
        args.worst,
        NumberStyle(digits, args.percent or paper),
        args.categories,
        args.confusion,
        layout if args.average == "micro" else "long",
        labels_across=args.layout == "wide",
        metrics=printed,
        columns=args.columns,
    )


def _comparison(outcomes: list[ScoredFile], args: Namespace) -> Comparison | None:
    """The systems against the first; None where two files have one name, or systems cut a text into other documents."""
    tables = {outcome.name: outcome.table for outcome in outcomes}
    if len(tables) < len(outcomes) or any(outcome.stretches for outcome in outcomes):
        return None
    from matchwise.statistics.compare import compare

    return compare(tables, **statistics_options(args))


class FoundIntervals(NamedTuple):
    """The intervals of metrics, labels and fields, how they were made, and what to doubt."""

    metrics: dict[str, tuple[float, float]]
    parts: dict[Portion, tuple[float, float]]
    how: dict[str, Any]
    warnings: tuple[str, ...]


def intervals_of(scored: Report | Table, args: Namespace) -> FoundIntervals:
    """The intervals that --ci asks for, if it is there."""
    if not args.ci:
        return FoundIntervals({}, {}, {}, ())
    from matchwise.statistics.intervals import intervals

    found = intervals(scored, scores=("value",), **statistics_options(args))
    ends = [
        (row, (row.low, row.high)) for row in found if row.headline and row.low is not None and row.high is not None
    ]
    kept = ("method", "level", "units", "n", "resamples", "seed")
    how = {name: getattr(found, name) for name in kept if getattr(found, name) is not None}
    return FoundIntervals(
        {row.metric: both for row, both in ends if row.part is None},
        {row.part: both for row, both in ends if row.part is not None},
        {"intervals": how},
        found.warnings,
    )


def statistics_options(args: Namespace) -> dict[str, Any]:
    """The options of intervals and comparisons."""
    same = {name: getattr(args, name) for name in ("level", "resamples", "seed")}
    return {"method": args.ci, "cluster": _clusters(args.clusters), **same}


def _clusters(path: str | None) -> dict[Any, str] | None:
    """Document -> cluster, from lines of id, tab, cluster; a whole number is an id of either kind."""
    if path is None:
        return None
    found: dict[Any, str] = {}
    with closing(Lines(path)) as lines:
        for line in lines:
            text = line.data.decode("utf-8", "replace").rstrip("\r\n")
            if not text.strip():
                continue
            id, tab, cluster = text.partition("\t")
            if not tab:
                raise FormatError(f"found {text[:60]!r}, expected an id, a tab and a cluster", path, line.number)
            found[id] = cluster
            if id.isdecimal():
                found[int(id)] = cluster
    return found
