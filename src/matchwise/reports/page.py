"""The report: one page of HTML that stands by itself, about one system or several on the same documents.

It asks for no other file, and its one script, which filters documents and sorts tables, is allowed by its hash. Nothing
of a document is markup. What the page looks like is in `report.html`, `report.css` and `report.js`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import basename
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
from matchwise.reports.scores import describe_intervals, describe_marks, elements, tables
from matchwise.sheets.html import fill, histogram, page, table_html, text_of
from matchwise.sheets.table import MARK, PrintedTable, write_cell
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
    systems, numbers = results.systems, results.view.numbers
    names, errors = short_names(systems), [one.errors for one in seen]

    def write(value: float) -> str:
        return write_cell(value, "score", numbers)

    title = title or f"{results.task or 'Scores'}: {', '.join(filter(None, names))}".removesuffix(": ")
    kinds = [unreadable_kinds(*both) for both in zip(systems, errors, strict=False)]
    first, *more = (one.draw(results.view) for one in parts(results))
    has_documents = all(system.report.scores.keep != "sums" for system in systems)
    looked = list(show_documents(results, shown, seen, kinds)) if has_documents else []
    asked = {table.title for table in elements(results)}
    printed = {table.title: _table(results, table) for table in tables(results)}
    tags = names if len(names) > 1 else [""]
    signs = [said for said in describe_marks(results) if said.startswith(("±", MARK))]  # as far as they occur
    spreads = [system.report.spread(tag) for tag, system in zip(tags, systems, strict=True)] if has_documents else []
    body = fill(
        "report.html",
        title=title,
        names=names,
        note=write_note(note) if note else "",
        about=count_units(results.documents, "documents"),
        facts=[fact for fact in (results.task, results.preset and f"preset {results.preset}", made) if fact],
        version=__version__,
        results=results,
        reference=basename(results.reference or "") or results.reference,
        headlines=list(headlines(results)),
        sentences=sentences(results, errors),
        problems=problems(results, errors),
        first=first,
        more=more,
        errors=errors_html(list(zip(tags, errors, strict=True)), write=write)
        if any(one.documents for one in errors)
        else "",
        histogram=histogram(spreads, systems[0].report.headline) if spreads else "",
        changes=[changes(systems[0], system) for system in systems[1:] if has_documents],
        changed=CHANGED,
        score=write,
        signed=lambda value: write_cell(value, "signed", numbers),
        shown=looked,
        anchors={one.id: one.anchor for one in looked},
        unreadable=unreadable_documents(results, seen, kinds, most) if seen else {},
        tables=[table for name, table in printed.items() if name not in asked],
        asked=[table for name, table in printed.items() if name in asked],
        differences=None if results.comparison is None else results.comparison.sheet(),
        footnotes=[*signs, *describe_intervals(results)],
        table_html=table_html,
    )
    return page(title, body, styles=("tables.css", "charts.css", "view.css", "report.css"), script="report.js")


def _table(results: Results, table: PrintedTable) -> dict[str, Any]:
    title = table.title.partition(":")[0].capitalize()
    return {
        "title": title,
        "table": table_html(table, results.view.numbers, heat=table.title.startswith("confusion of")),
    }


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
