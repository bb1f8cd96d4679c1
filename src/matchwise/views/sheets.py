"""The sheet of a result: which tables a report, a comparison or a confusion is shown as, and in which form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchwise.corpus.counts import label_text
from matchwise.corpus.report import ERRORS_SHOWN, Report
from matchwise.corpus.values import Combined, Measured
from matchwise.errors import count_units
from matchwise.views.tables import text as as_text
from matchwise.views.tables.results import Display, Results, System
from matchwise.views.tables.scores import confusion_table, score_row, tables
from matchwise.views.tables.table import Cell, PrintedTable, Sheet

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.corpus.compare import Comparison
    from matchwise.shown import Shown


def sheet_of(shown: Shown | Measured | Combined) -> Sheet:
    """The tables of a result, with what belongs below them. What only one kind of result needs is imported for it."""
    if isinstance(shown, Report):
        return _report_sheet(shown)
    from matchwise.corpus.categories import Categories, Confusion
    from matchwise.corpus.compare import Comparison
    from matchwise.corpus.intervals import Intervals
    from matchwise.views.tables.results import comparison_sheet, intervals_sheet

    match shown:
        case Measured() | Combined():
            return Sheet((PrintedTable("scores", (score_row(shown),)),))
        case Comparison():
            return comparison_sheet(shown)
        case Intervals():
            return intervals_sheet(shown)
        case Categories():
            return _categories_sheet(shown)
        case Confusion():
            return Sheet((confusion_table("scores", shown, "reference"),))
        case _:
            raise TypeError(f"there is no sheet of {type(shown).__name__}")


def text(shown: Shown) -> str:
    return as_text.render(sheet_of(shown), whole="to_pandas()").removesuffix("\n")


def markdown(shown: Shown) -> str:
    from matchwise.views.tables.markup import to_markdown

    return to_markdown(sheet_of(shown))


def latex(shown: Shown) -> str:
    from matchwise.views.tables.markup import to_latex

    return to_latex(sheet_of(shown))


def html(shown: Shown | Measured | Combined) -> str:
    """For a notebook: a part of a page, with a style of its own."""
    from matchwise.views.tables.markup import fragment

    return fragment(sheet_of(shown), _chart(shown))


def _chart(shown: Shown | Measured | Combined) -> str:
    """Draw the document scores of a report, or the differences of a comparison."""
    from matchwise.corpus.compare import Comparison
    from matchwise.views.html import forest, histogram, text_of

    if isinstance(shown, Report) and shown.scores.keep != "sums" and shown.documents > 1:
        name = shown.headline
        return f"<p>documents by {text_of(name)}</p>{histogram(shown[name].per_document, name)}"
    return forest(forest_rows(shown)) if isinstance(shown, Comparison) else ""


def forest_rows(found: Comparison) -> list[tuple[str, float, float | None, float | None]]:
    """The differences of the main scores, each with its name and its interval."""
    rows = [row for row in found.rows if row.part is None and row.headline]
    several = len({row.system for row in rows}) > 1
    return [
        (f"{row.system} {row.metric}" if several else row.metric, row.difference, row.low, row.high) for row in rows
    ]


def page(shown: Shown) -> str:
    """A page of its own."""
    if isinstance(shown, Report):
        from matchwise.views.report import to_page

        return to_page(results_of(shown))
    from matchwise.views.tables.markup import page

    return page(type(shown).__name__, f"<main>{html(shown)}</main>")


def results_of(report: Report) -> Results:
    """A report as the results of one system."""
    system = System("", report, categories=report.categories)
    graded = bool(report.categories)
    view = Display(categories=graded, confusion=graded)
    return Results(None, report.documents, report.signature, (system,), view=view)


def _report_sheet(report: Report) -> Sheet:
    documents = count_units(report.documents, "documents")
    notes = [documents]
    if report.errors:
        notes = [f"{documents}; {len(report.errors)} more could not be scored:"]
        notes += [f"  {id}: {reason}" for id, reason in report.errors[:ERRORS_SHOWN]]
        if len(report.errors) > ERRORS_SHOWN:
            notes.append(f"  and {len(report.errors) - ERRORS_SHOWN} more")
    return Sheet(tuple(tables(results_of(report))), tuple(notes), report.signature)


def _categories_sheet(found: Categories) -> Sheet:
    from matchwise.corpus.categories import CATEGORIES

    names, rows = (*CATEGORIES, "predicted", "reference"), found.by_label()
    cells: list[dict[str, Cell]] = [{"label": label_text(label), **row} for label, row in rows.items()]
    cells.append({"label": "all", **{name: sum(row[name] for row in rows.values()) for name in names}})
    return Sheet((PrintedTable("scores", tuple(cells)),))
