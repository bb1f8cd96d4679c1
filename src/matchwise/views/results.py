"""What is rendered: the results of systems that were scored against one reference, or a comparison, or intervals.

`sheet_of` says which tables each is shown as, and `text`, `markdown`, `latex`, `html` and `page` in which form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.proofs import Facts
from matchwise.corpus.counts import Part, label_text
from matchwise.corpus.report import ERRORS_SHOWN, Report
from matchwise.corpus.table import Id
from matchwise.corpus.values import Value
from matchwise.errors import count_units
from matchwise.shown import Shown, Tabled
from matchwise.views.table import PLAIN, Cell, CellKind, ColumnHead, NumberStyle, PrintedTable, Sheet, kind_of, render

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.statistics.compare import Comparison, Difference
    from matchwise.statistics.intervals import Interval, Intervals

Averaging: TypeAlias = Literal["micro", "macro", "weighted", "documents", "fields"]
"""Scores of summed counts (micro); means over labels, which count equally (macro) or as often as they are in the
reference (weighted); means over documents or over fields."""

Layout: TypeAlias = Literal["long", "wide"]
"""A row for each system and metric, or a row for each system with the metrics across."""


class System(NamedTuple):
    """One file of predictions: its scores, the documents it lacks, and those that could not be scored."""

    prediction: str
    report: Report
    missing: tuple[Id, ...] = ()
    errors: tuple[Mapping[str, Any], ...] = ()
    intervals: Mapping[str, tuple[float, float]] = {}
    """Metric -> confidence interval of its value."""
    part_intervals: Mapping[Part, tuple[float, float]] = {}
    """Label or field -> confidence interval of its value."""
    categories: Mapping[str, Categories] = {}
    """Metric -> what became of each element."""


class Display(NamedTuple):
    """What is shown besides the scores of the corpus, and how numbers are written."""

    per_document: bool = False
    average: Averaging = "micro"
    worst: int = 0
    numbers: NumberStyle = PLAIN
    categories: bool = False
    confusion: bool = False
    layout: Layout = "long"


class Results(NamedTuple):
    """The systems, and what they were scored by."""

    reference: str | None
    documents: int
    signature: str
    systems: tuple[System, ...]
    task: str | None = None
    preset: str | None = None
    view: Display = Display()
    notes: Mapping[str, Any] = {}
    """Further facts about the run that belong to its numbers, such as how intervals were made."""
    comparison: Comparison | None = None
    """The systems compared with the first, where that was asked for."""

    def said(self) -> list[str]:
        """How the intervals were made, in words."""
        if not any(system.intervals or system.part_intervals for system in self.systems):
            return []
        from matchwise.statistics.intervals import name_method

        how = dict(self.notes["intervals"])
        level, n, units = how.pop("level"), how.pop("n"), how.pop("units")
        over = f" over {count_units(n, units)}" if units != "documents" else ""
        return [f"{level * 100:g} % intervals{over} by the {name_method(**how)}"]

    def summary(self) -> str:
        """`10 documents (1 without prediction, 2 not scored)`."""
        documents = count_units(self.documents, "documents")
        said = []
        for system in self.systems:
            parts = [
                f"{len(system.missing)} without prediction, counted as empty" if system.missing else "",
                f"{len(system.errors)} with errors" if system.errors else "",
            ]
            if any(parts):
                name = f"{system.prediction}: " if len(self.systems) > 1 else ""
                said.append(name + "; ".join(part for part in parts if part))
        return documents + (f" ({' | '.join(said)})" if said else "")


def sheet_of(shown: Shown | Value | Facts) -> Sheet:
    """The tables of a result, with what belongs below them. What only one kind of result needs is imported for it."""
    if isinstance(shown, Report):
        return _report_sheet(shown)
    from matchwise.corpus.categories import Categories, Confusion
    from matchwise.statistics.compare import Comparison
    from matchwise.statistics.intervals import Intervals
    from matchwise.views.scores import confusion_table, score_row

    match shown:
        case Tabled():
            return _tabled_sheet(shown)
        case Facts():
            return Sheet((_printed("scores", shown.rows()),))
        case Value():
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
            raise TypeError(f"{type(shown).__name__} cannot be shown as a table")


ROWS = 20
"""Rows of a table that people see of a result."""


def _tabled_sheet(shown: Tabled) -> Sheet:
    before = Sheet(()) if shown.above is None else sheet_of(shown.above)
    found = {name: rows for name, rows in shown.tables(brief=True).items() if rows}
    left = [
        f'{name}: {len(rows) - ROWS} more; to_pandas("{name}") has all'
        for name, rows in found.items()
        if len(rows) > ROWS
    ]
    tables = (_printed(name, rows[:ROWS]) for name, rows in found.items())
    return Sheet((*before.tables, *tables), (*before.notes, *left, *shown.notes()), before.signature or shown.signature)


def _printed(title: str, rows: list[dict[str, Any]]) -> PrintedTable:
    """Rows of plain cells; columns that no other table has are told apart by what they hold."""
    names = dict.fromkeys(name for row in rows for name in row)
    heads = {
        name: ColumnHead("", name.replace("_", " "), _kind(name, [row.get(name) for row in rows])) for name in names
    }
    return PrintedTable(title, tuple(rows), heads=heads)


def _kind(column: str, cells: list[Any]) -> CellKind:
    if kind_of(column) != "text" or not all(isinstance(cell, int | float | None) for cell in cells):
        return kind_of(column)
    return "score" if any(isinstance(cell, float) for cell in cells) else "count"


def text(shown: Shown) -> str:
    return render(sheet_of(shown), whole="to_pandas()").removesuffix("\n")


def markdown(shown: Shown) -> str:
    from matchwise.views.markup import to_markdown

    return to_markdown(sheet_of(shown))


def latex(shown: Shown) -> str:
    from matchwise.views.markup import to_latex

    return to_latex(sheet_of(shown))


def html(shown: Shown | Value | Facts) -> str:
    """For a notebook: a part of a page, with a style of its own."""
    from matchwise.views.markup import fragment

    return fragment(sheet_of(shown), _chart(shown))


def _chart(shown: Shown | Value | Facts) -> str:
    """Draw the document scores of a report, or the differences of a comparison."""
    from matchwise.statistics.compare import Comparison
    from matchwise.views.html import forest, histogram, text_of

    if isinstance(shown, Tabled) and shown.above is not None:
        return _chart(shown.above)
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
    from matchwise.views.markup import page

    return page(type(shown).__name__, f"<main>{html(shown)}</main>")


def results_of(report: Report) -> Results:
    """A report as the results of one system."""
    system = System("", report, categories=report.categories)
    graded = bool(report.categories)
    view = Display(categories=graded, confusion=graded)
    return Results(None, report.documents, report.signature, (system,), view=view)


def _report_sheet(report: Report) -> Sheet:
    from matchwise.views.scores import tables  # which knows the results

    documents = count_units(report.documents, "documents")
    notes = [documents]
    if report.errors:
        notes = [f"{documents}; {len(report.errors)} more could not be scored:"]
        notes += [f"  {id}: {reason}" for id, reason in report.errors[:ERRORS_SHOWN]]
        if len(report.errors) > ERRORS_SHOWN:
            notes.append(f"  and {len(report.errors) - ERRORS_SHOWN} more")
    return Sheet(tuple(tables(results_of(report))), tuple(notes), report.signature)


def _categories_sheet(found: Categories) -> Sheet:
    cells: list[dict[str, Cell]] = [{"label": label_text(label), **row} for label, row in found.rows("all")]
    return Sheet((PrintedTable("scores", tuple(cells)),))


DIFFERENCE = {
    "difference": ColumnHead("", "difference", "signed"), "low": ColumnHead("", "low", "signed"),
    "high": ColumnHead("", "high", "signed"), "p": ColumnHead("", "p", "p"), "p_holm": ColumnHead("", "p_holm", "p"),
    "units": ColumnHead("", "units", "count"), "differing": ColumnHead("", "differing", "count"),
}  # fmt: skip


def comparison_sheet(found: Comparison) -> Sheet:
    """The differences; two systems, and a baseline that all rows share, give their names to columns of scores."""
    bases, others = ({getattr(row, side) for row in found.rows} for side in ("baseline", "system"))
    columns = {"label": "label", "field": "field", "metric": "metric", "score": "score"}
    columns |= (
        {"baseline_value": min(bases)} if len(bases) == 1 else {"baseline": "baseline", "baseline_value": "its value"}
    )
    columns |= {"value": min(others)} if len(others) == 1 else {"system": "system", "value": "value"}
    scores = ("baseline_value", "value")
    heads = {name: ColumnHead("", title, "score" if name in scores else "text") for name, title in columns.items()}
    heads |= DIFFERENCE
    own = frozenset(name for name, some in (("baseline_value", bases), ("value", others)) if len(some) == 1)
    spared = (("differing",), ("units",), ("p",), ("score",), ("low", "high"))
    tables = _by_part(found.rows, lambda row: {name: row[name] for name in heads if name in row})
    return Sheet(
        tuple(PrintedTable(title, rows, own, heads, spared) for title, rows in tables.items()),
        tuple(found.notes()),
        found.signature,
    )


def intervals_sheet(found: Intervals) -> Sheet:
    """The scores with the ends of their intervals."""
    tables = _by_part(found.rows, dict)
    return Sheet(
        tuple(PrintedTable(title, rows) for title, rows in tables.items()), tuple(found.notes()), found.signature
    )


def _by_part(
    rows: Iterable[Difference | Interval], cells: Callable[[Mapping[str, Any]], dict[str, Cell]]
) -> dict[str, tuple[dict[str, Cell], ...]]:
    kinds: dict[str, list[dict[str, Cell]]] = {}
    for row in rows:
        title = "scores" if row.part is None else f"{row.part.kind}s"
        kinds.setdefault(title, []).append(cells(name_part(row.part, row.to_dict())))
    return {title: tuple(some) for title, some in kinds.items()}


def name_part(part: Part | None, row: dict[str, Any]) -> dict[str, Any]:
    """A row with the name of its label or field."""
    return row if part is None else {**row, part.kind: label_text(part.name)}
