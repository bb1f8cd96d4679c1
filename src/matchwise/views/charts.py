"""Charts drawn as SVG, without any library: for the report and for notebooks. A text beside each says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from matchwise.errors import count_units
from matchwise.views.html import text_of

BINS = 20
"""Bars of a histogram."""

ACCENT = "#2f7fd8"
"""What is drawn, where a page has no colour of its own: it stands out from white and from a dark notebook."""

STYLE = f"""\
.mw-chart {{ max-width: 100%; height: auto; }}
.mw-chart text {{ fill: currentColor; font: 12px system-ui, sans-serif; }}
.mw-chart rect, .mw-chart circle, .mw-bar rect {{ fill: var(--accent, {ACCENT}); }}
.mw-bar {{ vertical-align: middle; }} .mw-bar .mw-ground {{ fill: var(--rule, #8884); }}
@media (max-width: 34rem) {{ .mw-chart.mw-scroll {{ max-width: none; }}
  .mw-chart.mw-wide-text text {{ font-size: 20px; }} .mw-chart .mw-long {{ display: none; }} }}
"""
"""On a phone the text of a histogram is drawn larger, without numbers that are too long; a forest plot scrolls."""


def histogram(values: Iterable[float], name: str) -> str:
    """Draw how many documents have each score from 0 to 1, with the number above each bar."""
    bins = [0] * BINS
    for value in values:
        if 0 <= value <= 1:
            bins[min(int(value * BINS + 1e-9), BINS - 1)] += 1
    most = max(bins) or 1
    drawn = "".join(_bar(place, count, most) for place, count in enumerate(bins) if count)
    marks = "".join(f'<text x="{2 + 30 * BINS * tick / 4:g}" y="146">{tick / 4:g}</text>' for tick in range(5))
    said = ", ".join(f"{count} from {place / BINS:g}" for place, count in enumerate(bins) if count)
    return (
        f'<svg class="mw-chart mw-wide-text" role="img" aria-label="Documents by {text_of(name)}: {said or "none"}" '
        f'viewBox="0 0 620 152" width="620" height="152">{drawn}'
        f'<path d="M0 130.5H602" stroke="currentColor"/>{marks}</svg>'
    )


def bars(rows: Sequence[tuple[str, int, str]], name: str) -> str:
    """Draw one bar for each kind, with its number and a note."""
    most = max([count for _, count, _ in rows] or [0]) or 1
    lines = "".join(_line(place, *row, most) for place, row in enumerate(rows))
    said = "; ".join(f"{kind} {count}{note}" for kind, count, note in rows)
    height = 40 * len(rows)
    return (
        f'<svg class="mw-chart" role="img" aria-label="{text_of(name)}: {text_of(said) or "none"}" '
        f'viewBox="0 0 340 {height}" width="340" height="{height}">{lines}</svg>'
    )


def _line(place: int, kind: str, count: int, note: str, most: int) -> str:
    y = 40 * place
    words = kind if len(kind) <= 30 else f"{kind[:29]}…"
    return (
        f'<g><title>{text_of(kind)} {count}{text_of(note)}</title><text x="0" y="{y + 14}">{text_of(words)}</text>'
        f'<text x="340" y="{y + 14}" text-anchor="end">{count}{text_of(note)}</text>'
        f'<rect x="0" y="{y + 20}" width="{340 * count / most:.1f}" height="10"/></g>'
    )


def _bar(place: int, count: int, most: int) -> str:
    height = 108 * count / most
    x, y = place * 30 + 2, 130 - height
    ends = f"{place / BINS:g} to {(place + 1) / BINS:g}"
    long = ' class="mw-long"' if count > 99 and count < most else ""
    return (
        f"<g><title>{count_units(count, 'documents')} from {ends}</title>"
        f'<rect x="{x}" y="{y:.1f}" width="26" height="{height:.1f}"/>'
        f'<text x="{x + 13}" y="{y - 4:.1f}" text-anchor="middle"{long}>{count}</text></g>'
    )


def bar(share: float) -> str:
    """A bar beside a score from 0 to 1."""
    width = 80 * min(max(share, 0), 1)
    return (
        f'<svg class="mw-bar" aria-hidden="true" viewBox="0 0 80 10" width="80" height="10">'
        f'<rect class="mw-ground" width="80" height="10"/><rect width="{width:.1f}" height="10"/></svg>'
    )


def forest(rows: Sequence[tuple[str, float, float | None, float | None]]) -> str:
    """Draw differences with their intervals, one line each, around a line at 0."""
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
    chart = (
        f'<svg class="mw-chart mw-scroll" role="img" aria-label="Differences: {text_of(said)}" '
        f'viewBox="0 0 620 {height}" width="620" height="{height}">'
        f'<path d="M400 0V{height - 22}" stroke="currentColor" stroke-dasharray="3 3"/>'
        f"{lines}{ticks}</svg>"
    )
    return f'<div class="mw-wide" tabindex="0">{chart}</div>'


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
