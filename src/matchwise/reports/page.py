"""The report: one page of HTML that stands by itself, about one system or several on the same documents.

It asks for no other file, and its one script, which sorts tables and filters documents, is allowed by its hash. Nothing
of a document is markup. What the page looks like is in `report.html`, `report.css` and `report.js`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matchwise._version import __version__
from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds
from matchwise.errors import count_units
from matchwise.reports.results import Results, System
from matchwise.reports.scores import marks_note, tables
from matchwise.sheets.html import fill, histogram, page, table_html
from matchwise.sheets.table import Cell, ColumnHead, NumberStyle, PrintedTable, write_cell
from matchwise.views.errors import Errors
from matchwise.views.html import to_html
from matchwise.views.model import View
from matchwise.views.values import number

if TYPE_CHECKING:
    from markupsafe import Markup

PROBLEMS = 20
"""Documents with errors that are listed."""

CHANGED = 10
"""Documents that got better, and as many that got worse, which are listed."""


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """A document under one system: its score or bounds, and its views."""

    system: str
    value: Bounds
    views: tuple[View, ...]
    problem: str = ""
    """What was wrong with the prediction itself: there is none, or it cannot be read."""

    @property
    def score(self) -> str:
        return number(self.value.lower) if self.value.proved else str(self.value)

    @property
    def why(self) -> str:
        return self.problem or (self.views[0].why if self.views else "")


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document that is looked at more closely, under each system."""

    document: Id
    seen: tuple[SeenDocument, ...]

    @property
    def why(self) -> str:
        return " | ".join(dict.fromkeys(filter(None, (seen.why for seen in self.seen))))


def to_page(
    results: Results, shown: Sequence[ShownDocument] = (), *, errors: Sequence[Errors] = (), made: str = ""
) -> str:
    """Render the page; `errors` has the errors of each system, `made` is the date."""
    systems = " against ".join(filter(None, (system.prediction for system in results.systems)))
    title = " · ".join(filter(None, [results.task or "Scores", systems]))
    numbers = results.view.numbers
    scores, *more = (_table(table, numbers) for table in tables(results))
    has_documents = all(system.report.scores.keep != "sums" for system in results.systems)
    body = fill(
        "report.html",
        title=title,
        results=results,
        facts=_facts(results, made),
        headlines=[_headline(results, system) for system in results.systems],
        problems=list(_problems(results)),
        scores=scores,
        marks=marks_note(results),
        errors=_errors(results, errors),
        more=more,
        differences=None if results.comparison is None else results.comparison.sheet(),
        spreads=[_spread(results, system) for system in results.systems] if has_documents else [],
        changes=[_changes(results.systems[0], other) for other in results.systems[1:]] if has_documents else [],
        shown=shown if has_documents else (),
        table_html=table_html,
        to_html=to_html,
    )
    return page(title, body, styles=("tables.css", "charts.css", "view.css", "report.css"), script="report.js")


def _facts(results: Results, made: str) -> dict[str, str]:
    facts = {
        "Reference": results.reference or "",
        "Preset": results.preset or "",
        "Documents": str(results.documents),
        "Date": made,
        "Version": f"matchwise {__version__}",
    }
    return {name: value for name, value in facts.items() if value}


def _headline(results: Results, system: System) -> dict[str, str]:
    """The main score of a system, which is shown large."""
    name, numbers = system.report.headline, results.view.numbers
    of = f" of {system.prediction}" if system.prediction and len(results.systems) > 1 else ""
    made = {
        "name": name + of,
        "value": write_cell(float(system.report[name].value), "score", numbers),
        "interval": "",
    }
    if name in system.intervals:
        level = results.notes.get("intervals", {}).get("level")
        ends = " to ".join(write_cell(end, "score", numbers) for end in system.intervals[name])
        made["interval"] = f"{'interval' if level is None else f'{level * 100:g} % interval'} {ends}"
    return made


def _problems(results: Results) -> Iterator[dict[str, Any]]:
    """What is wrong with the input: a sentence, and what is listed below it."""
    for system in results.systems:
        of = f"{system.prediction}: " if len(results.systems) > 1 else ""
        if system.missing:
            ids = ", ".join(map(str, system.missing[:PROBLEMS])) + (", …" if len(system.missing) > PROBLEMS else "")
            missing = count_units(len(system.missing), "documents")
            yield {"said": f"{of}{missing} without prediction, counted as empty: {ids}", "listed": []}
        unreadable = f"{count_units(len(system.unreadable), 'predictions')} unreadable, counted as empty"
        errors = f"{count_units(len(system.errors), 'documents')} with errors"
        for said, problems in ((unreadable, system.unreadable), (errors, system.errors)):
            if problems:
                yield {"said": f"{of}{said}", "listed": [one["problem"] for one in problems[:PROBLEMS]]}


def _table(table: PrintedTable, numbers: NumberStyle) -> dict[str, Any]:
    """A table; labels and fields come worst first, with bars, and a confusion is tinted."""
    title = table.title.partition(":")[0].capitalize()
    if table.title in ("labels", "fields"):
        rows = sorted(table.rows, key=lambda row: (_is_average(row), _f1(row)))
        table = PrintedTable(table.title, tuple(rows), table.labels, table.heads)
        made = table_html(table, numbers, bars=[_f1(row) for row in rows])
        return {"title": f"{title}, the worst first", "table": made}
    return {"title": title, "table": table_html(table, numbers, heat=table.title.startswith("confusion of"))}


def _f1(row: dict[str, Cell]) -> float:
    value = row.get("f1")
    return float(value) if isinstance(value, int | float) else 0.0


def _is_average(row: dict[str, Cell]) -> bool:
    return any(cell in ("(micro)", "(macro)", "(weighted)") for cell in row.values())


def _errors(results: Results, errors: Sequence[Errors]) -> dict[str, Any]:
    """How many errors of each kind each system makes, their share, and examples."""
    of = [(system.prediction, found) for system, found in zip(results.systems, errors, strict=False) if found.documents]
    made: dict[str, Any] = {"table": "", "of": of}
    if len(of) > 1:
        kinds = dict.fromkeys(kind for _, found in of for kind in found.kinds)
        rows: list[dict[str, Cell]] = [
            {"kind": kind, **{str(place): len(found.of(kind)) for place, (_, found) in enumerate(of)}} for kind in kinds
        ]
        heads = {"kind": ColumnHead("", "kind", "text")}
        heads |= {str(place): ColumnHead("", name, "count") for place, (name, _) in enumerate(of)}
        made["table"] = table_html(PrintedTable("scores", tuple(rows), heads=heads), results.view.numbers)
    return made


def _spread(results: Results, system: System) -> tuple[str, Markup]:
    """How the scores of a system's documents are spread: a title and a chart."""
    name = system.report.headline
    of = f"{name} of {system.prediction}" if len(results.systems) > 1 else name
    return of, histogram(system.report[name].spread, of)


def _changes(base: System, other: System) -> tuple[str, Markup | str]:
    """Which documents got better or worse, and by how much: a title and a table."""
    name = base.report.headline
    before = dict(zip(base.report.scores.names, base.report[name].per_document, strict=True))
    after = dict(zip(other.report.scores.names, other.report[name].per_document, strict=True))
    changed = {id: after[id] - value for id, value in before.items() if id in after and after[id] != value}
    better, worse = ([id for id, by in changed.items() if by * sign > 0] for sign in (1, -1))
    same = len(before.keys() & after.keys()) - len(changed)
    head = f"{other.prediction} against {base.prediction}: {len(better)} better, {len(worse)} worse, {same} the same"
    most = sorted(changed, key=lambda id: (changed[id], str(id)))
    kept = [id for id in most if changed[id] < 0][:CHANGED] + [id for id in most if changed[id] > 0][-CHANGED:]
    rows: list[dict[str, Cell]] = [
        {
            "document": str(id),
            "before": f"{before[id]:.4f}",
            "after": f"{after[id]:.4f}",
            "change": f"{changed[id]:+.4f}",
        }
        for id in kept
    ]
    return head, table_html(PrintedTable("scores", tuple(rows)), NumberStyle()) if rows else ""
