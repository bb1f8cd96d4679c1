"""Plots by matplotlib, of plain numbers: spread scores, differences, curves, calibrations and errors by kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from matchwise.errors import MatchwiseError, count_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACCENT, QUIET = "#0b5fbf", "#8a929b"

IntervalRow: TypeAlias = tuple[str, float, float | None, float | None]
"""A name, a value, and the ends of its interval where they are known."""


def plot_spread(values: Sequence[float], whole: float, name: str, unreadable: int = 0, ax: Axes | None = None) -> Axes:
    """How the scores of documents are spread, with the score of the corpus; unreadable ones are only counted."""
    ax = _axes(ax, 3.2)
    ax.hist(values, bins=[n / 20 for n in range(21)], color=ACCENT, rwidth=0.9)
    ax.axvline(whole, color="black", linestyle="--", linewidth=1)
    side, away = ("left", 4) if whole < 0.7 else ("right", -4)
    words, units = f"corpus {whole:.3f}", ("data", "axes fraction")
    ax.annotate(words, (whole, 1), xycoords=units, xytext=(away, -12), textcoords="offset points", ha=side)
    title = f"Scores of {count_units(len(values), 'documents')}" + (f", {unreadable} unreadable" if unreadable else "")
    ax.set(xlim=(0, 1), xlabel=name, ylabel="documents", title=title)
    return ax


def plot_intervals(
    rows: Sequence[IntervalRow], middle: float, title: str, label: str, filled: Sequence[bool], ax: Axes | None = None
) -> Axes:
    """Draw a value on each line, with its interval, around a line in the middle; the first row is at the top."""
    ax = _axes(ax, 1.2 + 0.35 * len(rows))
    for place, ((_, value, low, high), fill) in enumerate(zip(rows[::-1], filled[::-1], strict=True)):
        if low is not None and high is not None:
            ax.plot([low, high], [place, place], color=ACCENT, linewidth=1.5)
        ax.plot(value, place, "o", color=ACCENT, markerfacecolor=ACCENT if fill else "white")
    ax.axvline(middle, color="black", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows[::-1]])
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.set(title=title, xlabel=label)
    return ax


def plot_curve(recall: list[float], precision: list[float], average: float, ax: Axes | None = None) -> Axes:
    """Precision over recall, as steps: the area below them is the average precision."""
    ax = _axes(ax, 4.0)
    ax.step([0.0, *recall], [*precision[:1], *precision], color=ACCENT)
    title = f"Average precision {average:.3f}"
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="recall", ylabel="precision", title=title)
    return ax


def plot_calibration(bins: Sequence[tuple[float, float, int]], title: str, ax: Axes | None = None) -> Axes:
    """The credit of each bin over its confidence, with the number of its predictions; the diagonal is the goal."""
    ax = _axes(ax, 4.0)
    ax.plot([0, 1], [0, 1], color="black", linestyle="--", linewidth=1)
    ax.plot([confidence for confidence, _, _ in bins], [credit for _, credit, _ in bins], "o-", color=ACCENT)
    for confidence, credit, number in bins:
        ax.annotate(f"{number}", (confidence, credit), xytext=(5, -11), textcoords="offset points")
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="confidence", ylabel="credit", title=title)
    return ax


def plot_kinds(rows: Sequence[tuple[str, int, float]], documents: int, ax: Axes | None = None) -> Axes:
    """How many errors of each kind there are, the costliest first, with its share of the lost F1."""
    rows = rows[::-1]
    ax = _axes(ax, 1.2 + 0.35 * len(rows))
    bars = ax.barh([name for name, _, _ in rows], [count for _, count, _ in rows], color=ACCENT)
    ax.bar_label(bars, [f"{count} ({share:.0%} of the loss)" for _, count, share in rows], padding=4)
    ax.margins(x=0.35)
    ax.set(xlabel="errors", title=f"Errors in {count_units(documents, 'documents')}")
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
