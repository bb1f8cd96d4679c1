"""The report: one page of HTML that stands by itself, about one system or several on the same documents.

It asks for no other file, and its one script, which filters documents and sorts tables, is allowed by its hash. Nothing
of a document is markup. What the page looks like is in `report.html`, `report.css` and `report.js`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from matchwise._version import __version__
from matchwise.corpus.table import Id
from matchwise.errors import count_units
from matchwise.reports.documents import (
    CHANGED,
    SeenSystem,
    changes,
    show_documents,
    unreadable_documents,
    unreadable_kinds,
)
from matchwise.reports.overview import headlines, parts, problems, sentences, short_names
from matchwise.reports.results import Results
from matchwise.reports.scores import elements, marks_note, tables
from matchwise.sheets.html import fill, histogram, page, table_html, text_of
from matchwise.sheets.table import PrintedTable, write_cell
from matchwise.views.errors import errors_html

if TYPE_CHECKING:
    from markupsafe import Markup


def to_page(
    results: Results,
    seen: Sequence[SeenSystem] = (),
    shown: Sequence[Id] = (),
    *,
    title: str = "",
    note: str = "",
    made: str = "",
    most: int = 50,
) -> str:
    """Render the page.

    `seen` has the errors and views of each system, `shown` the documents that are looked at more closely; `note` is
    Markdown, `made` the date, and `most` the number of unreadable predictions that are shown.
    """
    names, numbers = short_names(results.systems), results.view.numbers
    title = title or f"{results.task or 'Scores'}: {', '.join(filter(None, names))}".removesuffix(": ")
    errors = [one.errors for one in seen]
    kinds = [unreadable_kinds(*both) for both in zip(results.systems, errors, strict=False)]
    first, *more = (one.draw(numbers) for one in parts(results))
    has_documents = all(system.report.scores.keep != "sums" for system in results.systems)
    counted = [(name, one) for name, one in zip(names, errors, strict=False) if one.documents]
    asked = {table.title for table in elements(results)}
    looked = list(show_documents(results, shown, seen, kinds)) if has_documents else []
    body = fill(
        "report.html",
        title=title,
        names=names,
        note=write_note(note) if note else _describe(results, names),
        facts=[fact for fact in _facts(results, made) if fact],
        headlines=list(headlines(results)),
        sentences=sentences(results, errors),
        problems=problems(results, errors),
        first=first,
        more=more,
        errors=errors_html([(name if len(names) > 1 else "", one) for name, one in counted]) if counted else "",
        histogram=_histogram(results, names) if has_documents else "",
        changes=list(_changes(results, names)) if has_documents else [],
        shown=looked,
        anchors={one.id: one.anchor for one in looked},
        unreadable=unreadable_documents(results, seen, kinds, most) if seen else [],
        tables=[_table(results, table) for table in tables(results) if table.title not in asked],
        asked=[_table(results, table) for table in tables(results) if table.title in asked],
        comparison=results.comparison,
        differences=None if results.comparison is None else results.comparison.sheet(),
        footnotes=[*_footnotes(results), *results.describe_intervals()],
        signature=results.signature,
        table_html=table_html,
    )
    return page(title, body, styles=("tables.css", "charts.css", "view.css", "report.css"), script="report.js")


def _describe(results: Results, names: Sequence[str]) -> str:
    systems = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    agrees = f"{systems} {'agree' if len(names) > 1 else 'agrees'}" if systems else "predictions agree"
    documents = count_units(results.documents, "documents")
    return f"How well {agrees} with {results.reference or 'the reference'} on {documents}."


def _facts(results: Results, made: str) -> Iterator[str]:
    yield results.task or ""
    yield f"preset {results.preset}" if results.preset else ""
    yield made
    yield f"matchwise {__version__}"


def _footnotes(results: Results) -> Iterator[str]:
    """What signs of the tables mean, as far as they occur."""
    for said in marks_note(results):
        if results.view.layout == "wide" or not said.startswith("±"):
            yield said


def _table(results: Results, table: PrintedTable) -> dict[str, Any]:
    title = table.title.partition(":")[0].capitalize()
    return {
        "title": title,
        "table": table_html(table, results.view.numbers, heat=table.title.startswith("confusion of")),
    }


def _histogram(results: Results, names: Sequence[str]) -> Markup:
    several = len(names) > 1
    spreads = [system.report.spread(name * several) for name, system in zip(names, results.systems, strict=True)]
    return histogram(spreads, results.systems[0].report.headline)


def _changes(results: Results, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """How many documents got better or worse than in the first system, and those that changed most."""
    numbers = results.view.numbers
    for name, system in zip(names[1:], results.systems[1:], strict=True):
        found = changes(results.systems[0], system)
        most = {
            word: [
                (id, *(write_cell(value, "score", numbers) for value in values), write_cell(by, "signed", numbers))
                for id, *values, by in several[:CHANGED]
            ]
            for word, several in (("worse", found.worse), ("better", found.better))
        }
        yield {"name": name, "found": found, "most": most}


def write_note(text: str) -> Markup:
    """A note in a little Markdown: paragraphs, lists, `code`, **bold**, *italic* and links to pages.

    >>> str(write_note("**New** prompt\\n\\n- see [the run](https://example.org/7)\\n- <b>"))
    '<p><b>New</b> prompt</p><ul><li>see <a href="https://example.org/7">the run</a></li><li>&lt;b&gt;</li></ul>'
    """
    from markupsafe import Markup

    marks = [(r"`([^`]+)`", r"<code>\1</code>"), (r"\*\*(.+?)\*\*", r"<b>\1</b>"), (r"\*(.+?)\*", r"<i>\1</i>")]
    marks.append((r"\[([^\]]+)\]\((https?://[^\s)]+)\)", r'<a href="\2">\1</a>'))
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [text_of(line.strip()) for line in block.splitlines()]
        for pattern, made in marks:
            lines = [re.sub(pattern, made, line) for line in lines]
        if all(line.startswith(("- ", "* ")) for line in lines):
            blocks.append("<ul>" + "".join(f"<li>{line[2:]}</li>" for line in lines) + "</ul>")
        else:
            blocks.append(f"<p>{' '.join(line.lstrip('# ') for line in lines)}</p>")
    return Markup("".join(blocks))
