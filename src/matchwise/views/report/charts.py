"""Charts drawn as SVG, without any library: for the report and for notebooks. A text beside each says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from matchwise.views.html import text_of

BINS = 20
"""Bars of a histogram."""


def histogram(values: Iterable[float], name: str) -> str:
    """How many documents have which score from 0 to 1; each bar has its number above it."""
    bins = [0] * BINS
    for value in values:
        if 0 <= value <= 1:
            bins[min(int(value * BINS + 1e-9), BINS - 1)] += 1
    most = max(bins) or 1
    bars = "".join(_bar(place, count, most) for place, count in enumerate(bins) if count)
    marks = "".join(f'<text x="{2 + 30 * BINS * tick / 4:g}" y="146">{tick / 4:g}</text>' for tick in range(5))
    said = ", ".join(f"{count} from {place / BINS:g}" for place, count in enumerate(bins) if count)
    return (
        f'<svg class="chart" role="img" aria-label="Documents by {text_of(name)}: {said or "none"}" '
        f'viewBox="0 0 620 150" width="620" height="150">{bars}'
        f'<path d="M0 130.5H602" stroke="currentColor"/>{marks}</svg>'
    )


def _bar(place: int, count: int, most: int) -> str:
    height = 108 * count / most
    x, y = place * 30 + 2, 130 - height
    ends = f"{place / BINS:g} to {(place + 1) / BINS:g}"
    return (
        f'<g><title>{count} documents from {ends}</title><rect x="{x}" y="{y:.1f}" width="26" height="{height:.1f}"/>'
        f'<text x="{x + 13}" y="{y - 4:.1f}" text-anchor="middle">{count}</text></g>'
    )


def bar(share: float) -> str:
    """A bar beside a score from 0 to 1."""
    width = 80 * min(max(share, 0), 1)
    return (
        f'<svg class="bar" aria-hidden="true" viewBox="0 0 80 10" width="80" height="10">'
        f'<rect class="ground" width="80" height="10"/><rect width="{width:.1f}" height="10"/></svg>'
    )


def forest(rows: Sequence[tuple[str, float, float | None, float | None]]) -> str:
    """Differences with their intervals, one line each, around a line at 0."""
    ends = [end for _, value, low, high in rows for end in (value, low, high) if end is not None]
    most = max([abs(end) for end in ends] or [0.0]) or 1.0

    def x(value: float) -> float:
        return 400 + 180 * value / most

    lines = "".join(_difference(place, *row, x=x) for place, row in enumerate(rows))
    height = 24 * len(rows) + 26
    said = "; ".join(f"{name} {value:+.4f}" for name, value, _, _ in rows)
    ticks = "".join(
        f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{tick:+.3g}</text>' for tick in (-most, 0, most)
    )
    return (
        f'<svg class="chart" role="img" aria-label="Differences: {text_of(said)}" viewBox="0 0 620 {height}" '
        f'width="620" height="{height}"><path d="M400 0V{height - 22}" stroke="currentColor" stroke-dasharray="3 3"/>'
        f"{lines}{ticks}</svg>"
    )


def _difference(
    place: int, name: str, value: float, low: float | None, high: float | None, *, x: Callable[[float], float]
) -> str:
    y = 24 * place + 12
    interval = (
        "" if low is None or high is None else f'<path d="M{x(low):.1f} {y}H{x(high):.1f}" stroke="currentColor"/>'
    )
    words = name if len(name) <= 28 else f"…{name[-27:]}"
    return (
        f'<text x="0" y="{y + 4}">{text_of(words)}</text>{interval}'
        f'<circle cx="{x(value):.1f}" cy="{y}" r="4"><title>{text_of(name)} {value:+.4f}</title></circle>'
    )
