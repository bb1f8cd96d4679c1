"""Tables of results as data frames: unrounded, one column for each number, for pandas, Polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.corpus.categories import Categories, Confusion
from matchwise.corpus.compare import Comparison
from matchwise.corpus.intervals import Intervals, intervals
from matchwise.corpus.report import Report
from matchwise.errors import MatchwiseError, suggestion
from matchwise.views.tables.scores import documents, tables

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

FrameRows: TypeAlias = list[dict[str, Any]]
FrameTables: TypeAlias = dict[str, Callable[[], FrameRows]]


def tables_of(shown: object) -> FrameTables:
    """The tables of a result by name, each made when it is asked for; the first is meant where none is named."""
    match shown:
        case Report():
            return _tables_of_report(shown)
        case Comparison():
            return {"differences": lambda: _rows(shown)}
        case Intervals():
            return {"intervals": lambda: _rows(shown)}
        case Categories():
            return {
                "categories": lambda: [{"label": label, **row} for label, row in shown.by_label().items()],
                "confusion": lambda: shown.confusion().to_dict(),
            }
        case Confusion():
            return {"confusion": shown.to_dict}
        case _:
            raise TypeError(f"to_frame() cannot show {type(shown).__name__}")


def _tables_of_report(report: Report) -> FrameTables:
    from matchwise.views.sheets import results_of

    results = results_of(report)
    found: FrameTables = {table.title: partial(list, table.rows) for table in tables(results, long=True)}
    return {
        "metrics": found.pop("scores"),
        **found,
        "documents": lambda: list(documents(results)),
        "intervals": lambda: _rows(intervals(report)),
    }


def _rows(found: Comparison | Intervals) -> FrameRows:
    return [row.to_dict() for row in found.rows]


def columns(shown: object, table: str | None = None) -> dict[str, list[Any]]:
    """The cells of a table, column by column; what a row does not have is None."""
    known = tables_of(shown)
    if table is not None and table not in known:
        raise MatchwiseError(f"no table {table!r}{suggestion(table, known)}{_advice(shown, table)}")
    rows = known[next(iter(known)) if table is None else table]()
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def _advice(shown: object, table: str) -> str:
    """What to write for a table that a report has only if it was asked for."""
    if not isinstance(shown, Report):
        return ""
    graded = "categories=ner.gradings()), for any task that has them"
    asked = {"labels": 'by="type")', "fields": "fields=True)", "categories": graded, "confusion": graded}
    return f"; write evaluate(suite, preds, refs, {asked[table]}" if table in asked else ""


def to_pandas(shown: object, table: str | None = None) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(columns(shown, table))


def to_polars(shown: object, table: str | None = None) -> polars.DataFrame:
    import polars

    return polars.DataFrame(_one_type(columns(shown, table)), strict=False)


def to_arrow(shown: object, table: str | None = None) -> pyarrow.Table:
    import pyarrow

    return pyarrow.table(_one_type(columns(shown, table)))


def _one_type(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Columns that hold one type each: whole numbers among others are floats, words among numbers make texts."""
    return {name: _same(cells) for name, cells in columns.items()}


def _same(cells: list[Any]) -> list[Any]:
    types = {type(cell) for cell in cells if cell is not None}
    if len(types) < 2 and types <= {str, int, float, bool}:
        return cells
    if types <= {int, float}:
        return [None if cell is None else float(cell) for cell in cells]
    return [None if cell is None else str(cell) for cell in cells]
