"""Results in other libraries: tables as data frames of pandas, Polars and Arrow, unrounded; plots by matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.corpus.categories import Categories, Confusion
from matchwise.corpus.report import Report
from matchwise.errors import MatchwiseError, count_units, suggestion
from matchwise.shown import Tabled
from matchwise.statistics.compare import Comparison
from matchwise.statistics.intervals import Intervals, intervals
from matchwise.views.results import forest_rows, results_of
from matchwise.views.scores import documents, tables

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes

    from matchwise.confidence.calibration import Calibration
    from matchwise.confidence.curves import Curve
    from matchwise.views.errors import Errors

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
        case Tabled():
            before = {} if shown.above is None else tables_of(shown.above)
            return before | {name: partial(list, rows) for name, rows in shown.tables().items()}
        case _:
            raise TypeError(f"to_frame() cannot show {type(shown).__name__}")


def _tables_of_report(report: Report) -> FrameTables:
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
        raise MatchwiseError(f"no table {table!r}{_advice(shown, table) or suggestion(table, known)}")
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


ACCENT, QUIET = "#0b5fbf", "#8a929b"


def plot(shown: Any, ax: Axes | None = None) -> Axes:
    """Draw a result on `ax`, or on a new figure."""
    from matchwise.confidence.calibration import Calibration
    from matchwise.confidence.curves import Curve
    from matchwise.views.errors import Errors

    match shown:
        case Report():
            return plot_report(shown, ax)
        case Comparison():
            return plot_comparison(shown, ax)
        case Errors():
            return plot_errors(shown, ax)
        case Curve():
            return plot_curve(shown, ax)
        case Calibration():
            return plot_calibration(shown, ax)
        case Tabled(above=Report() as report):
            return plot_report(report, ax)
        case _:
            known = "a report, a comparison, errors, a curve, a calibration or an agreement"
            raise MatchwiseError(f"there is no plot of {type(shown).__name__}; plot {known}")


def plot_report(report: Report, ax: Axes | None = None) -> Axes:
    """How the main scores of documents are spread, with the score of the corpus."""
    name = report.headline
    value = float(report[name].value)
    ax = _axes(ax, 3.2)
    ax.hist(report[name].per_document, bins=[n / 20 for n in range(21)], color=ACCENT, rwidth=0.9)
    ax.axvline(value, color="black", linestyle="--", linewidth=1)
    side, away = ("left", 4) if value < 0.7 else ("right", -4)
    words, units = f"corpus {value:.3f}", ("data", "axes fraction")
    ax.annotate(words, (value, 1), xycoords=units, xytext=(away, -12), textcoords="offset points", ha=side)
    ax.set(
        xlim=(0, 1), xlabel=name, ylabel="documents", title=f"Scores of {count_units(report.documents, 'documents')}"
    )
    return ax


def plot_comparison(found: Comparison, ax: Axes | None = None) -> Axes:
    """The differences of the main scores with their intervals; those that are significant are filled."""
    rows = [row for row in found.rows if row.part is None and row.headline][::-1]
    ax = _axes(ax, 1.2 + 0.35 * len(rows))
    _draw_intervals(ax, forest_rows(found)[::-1], 0, [row.p_holm <= 0.05 for row in rows])
    title = f"{' and '.join(found.systems[1:])} against {found.systems[0]}"
    ax.set(title=title, xlabel=f"difference, {found.level * 100:g} % intervals; ● p ≤ 0.05")
    return ax


def _draw_intervals(
    ax: Axes, rows: list[tuple[str, float, float | None, float | None]], middle: float, filled: list[bool]
) -> None:
    """Draw a value on each line, with its interval, around a line in the middle."""
    for place, ((_, value, low, high), fill) in enumerate(zip(rows, filled, strict=True)):
        if low is not None and high is not None:
            ax.plot([low, high], [place, place], color=ACCENT, linewidth=1.5)
        ax.plot(value, place, "o", color=ACCENT, markerfacecolor=ACCENT if fill else "white")
    ax.axvline(middle, color="black", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
    ax.set_ylim(-0.6, len(rows) - 0.4)


def plot_pairs(
    rows: list[tuple[str, float, float | None, float | None]], mean: float, name: str, ax: Axes | None = None
) -> Axes:
    """The agreement of each pair of annotators with its interval, around the mean."""
    ax = _axes(ax, 1.2 + 0.35 * len(rows))
    _draw_intervals(ax, rows[::-1], mean, [True] * len(rows))
    ax.set(title=f"Agreement of {count_units(len(rows), 'pairs')} of annotators: mean {mean:.3f}", xlabel=name)
    return ax


def plot_curve(found: Curve, ax: Axes | None = None) -> Axes:
    """Precision over recall, as steps: the area below them is the average precision."""
    ax = _axes(ax, 4.0)
    ax.step([0.0, *found.recall.tolist()], [*found.precision.tolist()[:1], *found.precision.tolist()], color=ACCENT)
    title = f"Average precision {found.average_precision:.3f}"
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="recall", ylabel="precision", title=title)
    return ax


def plot_calibration(found: Calibration, ax: Axes | None = None) -> Axes:
    """The credit of each bin over its confidence, with the number of its predictions; the diagonal is the goal."""
    ax = _axes(ax, 4.0)
    ax.plot([0, 1], [0, 1], color="black", linestyle="--", linewidth=1)
    ax.plot([one.confidence for one in found.bins], [one.credit for one in found.bins], "o-", color=ACCENT)
    for one in found.bins:
        ax.annotate(f"{one.n}", (one.confidence, one.credit), xytext=(5, -11), textcoords="offset points")
    title = f"ECE {found.error:.3f} of {count_units(found.n, 'predictions')}"
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="confidence", ylabel="credit", title=title)
    return ax


def plot_errors(errors: Errors, ax: Axes | None = None) -> Axes:
    """How many errors of each kind there are, the costliest first, with its share of the lost F1."""
    several = len(errors.totals) > 1
    rows = [
        (f"{level}: {kind.name}" if several else kind.name, kind.count, share)
        for level, total in errors.totals.items()
        for kind, share, _ in total.rows()
    ][::-1]
    ax = _axes(ax, 1.2 + 0.35 * len(rows))
    bars = ax.barh([name for name, _, _ in rows], [count for _, count, _ in rows], color=ACCENT)
    ax.bar_label(bars, [f"{count} ({share:.0%} of the loss)" for _, count, share in rows], padding=4)
    ax.margins(x=0.35)
    ax.set(xlabel="errors", title=f"Errors in {count_units(errors.documents, 'documents')}")
    return ax


def _axes(ax: Axes | None, height: float) -> Axes:
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise MatchwiseError('plots need matplotlib; write pip install "matchwise[plot]"') from None
        ax = pyplot.subplots(figsize=(6.4, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(color=QUIET)
    return ax
