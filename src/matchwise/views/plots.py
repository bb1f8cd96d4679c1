"""Plots by matplotlib (the extra `plot`): scores of documents, differences of systems, errors by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchwise.errors import MatchwiseError, count_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from matchwise.corpus.compare import Comparison
    from matchwise.corpus.report import Report
    from matchwise.views.errors import Errors

ACCENT, QUIET = "#0b5fbf", "#8a929b"


def plot(shown: Any, ax: Axes | None = None) -> Axes:
    """Draw a result on `ax`, or on a new figure."""
    from matchwise.corpus.compare import Comparison
    from matchwise.corpus.report import Report
    from matchwise.views.errors import Errors

    match shown:
        case Report():
            return plot_report(shown, ax)
        case Comparison():
            return plot_comparison(shown, ax)
        case Errors():
            return plot_errors(shown, ax)
        case _:
            raise MatchwiseError(f"there is no plot of {type(shown).__name__}; plot a report, a comparison or errors")


def plot_report(report: Report, ax: Axes | None = None) -> Axes:
    """How the main scores of documents are spread, with the score of the corpus."""
    name = report.headline
    value = float(report[name].value)
    ax = _axes(ax, 3.2)
    ax.hist(report[name].per_document, bins=20, range=(0, 1), color=ACCENT, rwidth=0.9)
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
    several = len({row.system for row in rows}) > 1
    ax = _axes(ax, 1.2 + 0.35 * len(rows))
    for place, row in enumerate(rows):
        if row.low is not None and row.high is not None:
            ax.plot([row.low, row.high], [place, place], color=ACCENT, linewidth=1.5)
        significant = row.p_holm <= 0.05
        ax.plot(row.difference, place, "o", color=ACCENT, markerfacecolor=ACCENT if significant else "white")
    ax.axvline(0, color="black", linestyle="--", linewidth=1)
    names = [f"{row.system} {row.metric}" if several else row.metric for row in rows]
    ax.set_yticks(range(len(rows)), names)
    title = f"{' and '.join(found.systems[1:])} against {found.systems[0]}"
    ax.set(
        ylim=(-0.6, len(rows) - 0.4), title=title, xlabel=f"difference, {found.level * 100:g} % intervals; ● p ≤ 0.05"
    )
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
