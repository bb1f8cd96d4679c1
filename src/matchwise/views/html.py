"""A view as a fragment of HTML with classes; `STYLE` says what they look like, in light and in dark.

Nothing of a document is markup: every text is escaped, and characters that HTML cannot hold are written out. Charts are
drawn as SVG, without any library, and look as `CHARTS` says; a text beside each says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from matchwise.errors import count_units
from matchwise.shown import MONOSPACE
from matchwise.views.model import (
    SIGNS,
    Line,
    Lines,
    Mark,
    Passage,
    Row,
    Rows,
    View,
    ViewPart,
    colour_key,
    colours,
    focus_of,
    places,
)
from matchwise.views.text import TextStretch, count_rows, shorten_stretches, sides_of

LONG = 300
"""Longer values are shortened, unless the view is shown whole."""

ROWS = 200
"""Rows and lines of one part that are shown."""


def to_html(view: View, *, whole: bool = False) -> str:
    """The fragment; it needs `STYLE` once on the page."""
    body = "\n".join(_part(part, view, whole) for part in view.parts)
    notes = "".join(f'<p class="mw-note">{text_of(note)}</p>' for note in (*count_rows(view), *view.notes))
    return f'<section class="mw-view">\n{_head(view)}{notes}\n{body}\n</section>'


def text_of(value: object) -> str:
    """Escape a text: nothing of it becomes markup, and characters that HTML cannot hold are written out."""
    plain = "".join(sign if sign.isprintable() or sign in "\n\t" else f"\\x{ord(sign):02x}" for sign in str(value))
    return escape(plain)


def _head(view: View) -> str:
    title = f"<b>{text_of(view.title)}</b>" if view.title else ""
    said = [text_of(text) for text in (view.scored, view.why) if text]
    return f'<p class="mw-head">{title}{" · ".join(said)}</p>'


def _part(part: ViewPart, view: View, whole: bool) -> str:
    match part:
        case Rows():
            return _rows(part, whole)
        case Passage():
            return _passage(part, view, whole)
        case Lines():
            return _lines(part, whole)


def _rows(part: Rows, whole: bool) -> str:
    shown = part.rows if whole else part.rows[:ROWS]
    credits = any(row.credit for row in shown)
    title = f'<p class="mw-note">{text_of(part.title)}</p>' if part.title else ""
    table = ""
    if shown:
        names = ("", *(("credit",) if credits else ()), "predicted", "reference")
        head = "".join(f'<th scope="col">{name}</th>' for name in names)
        body = "\n".join(_row(row, credits, whole) for row in shown)
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
        table = f'<div class="mw-wide" tabindex="0">{table}</div>'
    return title + table + _more(len(part.rows) - len(shown), "rows") + _right(part)


def _right(part: Rows) -> str:
    if not part.right:
        return ""
    names = f": {text_of(part.names)}" if part.names else ""
    return f'<p class="mw-more mw-right"><span class="mw-sign">=</span> {part.right} right{names}</p>'


def _more(left: int, what: str) -> str:
    return f'<p class="mw-more">and {left} more {what}</p>' if left > 0 else ""


def _row(row: Row, credits: bool, whole: bool) -> str:
    indent = f' class="mw-d{min(row.depth, DEEPEST)}"' if row.depth else ""
    sign = f'<span class="mw-sign" title="{row.status}">{SIGNS[row.status]}</span>'
    name = f'<td{indent}><span class="mw-{row.status}">{sign}{text_of(row.name)}</span></td>'
    credit = f'<td class="mw-n">{text_of(row.credit)}</td>' if credits else ""
    values = "".join(f'<td class="mw-value">{_stretches(side, whole)}</td>' for side in sides_of(row))
    return f"<tr>{name}{credit}{values}</tr>"


def _stretches(stretches: tuple[TextStretch, ...], whole: bool) -> str:
    shown = stretches if whole else shorten_stretches(stretches, LONG)
    return "".join(
        f'<span class="mw-changed">{text_of(one.text)}</span>' if one.changed else text_of(one.text) for one in shown
    )


def _passage(part: Passage, view: View, whole: bool) -> str:
    palette = colours(view)
    words = " ".join(_words(part, view, palette, whole))
    return f'<p class="mw-passage"><span class="mw-side">{part.side}</span> {words}</p>'


def _words(part: Passage, view: View, palette: dict[object, int], whole: bool) -> Iterator[str]:
    """Each word inside of the marks that cover it; a mark that crosses another is closed and opened again."""
    inside: list[Mark] = []
    for place in places(part, focus_of(view), whole):
        if place.word is None:
            yield "…"
            continue
        made = "".join(_write_opening(mark, palette) for mark in place.opening)
        inside += place.opening
        made += text_of(place.word)
        for mark in place.closing:
            crossed = inside[inside.index(mark) + 1 :]
            made += "</span>" * len(crossed)
            made += f"<small>{text_of(mark.label)}</small></span>" if mark.label else "</span>"
            inside.remove(mark)
            made += "".join(_write_opening(one, palette) for one in crossed)
        yield made


def _write_opening(mark: Mark, palette: dict[object, int]) -> str:
    wrong = "" if mark.status == "right" else f' mw-not" title="{mark.status}'
    number = "" if mark.number is None else f"<small>{mark.number}</small> "
    sign = "" if mark.status == "right" else f'<span class="mw-{mark.status}">{SIGNS[mark.status]}</span>'
    return f'<span class="mw-span mw-c{palette[colour_key(mark)]}{wrong}">{sign}{number}'


def _lines(part: Lines, whole: bool) -> str:
    shown = part.lines if whole else part.lines[:ROWS]
    lines = "\n".join(map(_line, shown))
    more = _more(len(part.lines) - len(shown), "lines")
    return f'<p class="mw-side">{text_of(part.title)}</p><div class="mw-lines" tabindex="0">{lines}</div>{more}'


def _line(line: Line) -> str:
    sign = " " if line.status == "right" else SIGNS[line.status]
    chunks = "".join(
        f'<span class="mw-{chunk.status}">{text_of(chunk.text)}</span>' if chunk.status else text_of(chunk.text)
        for chunk in line.chunks
    )
    note = f'  <span class="mw-note">{text_of(line.note)}</span>' if line.note else ""
    status = f'class="mw-{line.status}"' if line.status != "right" else ""
    return f"<span {status}>{sign} {'  ' * line.depth}{chunks}</span>{note}".replace("<span >", "<span>")


DEEPEST = 6
"""Rows that are deeper are indented as far as this."""

SPANS = ("#4c8bf5", "#f59e0b", "#22a06b", "#d6409f", "#8b5cf6", "#06b6d4", "#ef4444", "#84cc16")
"""The colours of labels and entities: a line below the words, and a tint behind them."""

_INDENTS = "\n".join(f".mw-view td.mw-d{depth} {{ padding-left: {1.2 * depth:g}rem; }}" for depth in range(1, 7))

_COLOURS = "\n".join(
    f".mw-view .mw-c{place} {{ background: {colour}33; border-color: {colour}; }}" for place, colour in enumerate(SPANS)
)

STYLE = f"""\
.mw-view {{ --mw-rule: #8886; margin: 0 0 1.2rem; line-height: 1.45;
  --mw-bad: oklch(from currentColor clamp(.44, l, .82) calc(.17 - .075 * l) 22 / 1);
  --mw-part: oklch(from currentColor clamp(.44, l, .86) calc(.085 + .03 * l) 75 / 1);
  --mw-good: oklch(from currentColor clamp(.46, l, .82) calc(.11 + .005 * l) 146 / 1); }}
.mw-view .mw-head, .mw-view .mw-note, .mw-view .mw-more {{ overflow-wrap: anywhere; }}
.mw-view .mw-head {{ margin: 0 0 .4rem; }} .mw-view .mw-head b {{ margin-right: .8rem; }}
.mw-view .mw-note, .mw-view .mw-more {{ margin: .2rem 0; }}
.mw-view .mw-note {{ font-size: .9em; }}
.mw-view .mw-wide {{ overflow-x: auto; }}
.mw-view table {{ border-collapse: collapse; max-width: 100%; margin: 0; }}
.mw-view th {{ font-weight: 600; font-size: .85em; }}
.mw-view td, .mw-view th {{ text-align: left !important; }} .mw-view td.mw-n {{ text-align: right !important; }}
.mw-view td, .mw-view th {{ padding: .15rem .7rem .15rem 0; vertical-align: top;
  border-bottom: 1px solid var(--mw-rule); }}
.mw-view td.mw-n {{ font-variant-numeric: tabular-nums; white-space: nowrap; }}
.mw-view td.mw-value {{ white-space: pre-wrap; overflow-wrap: anywhere; min-width: 6rem; }}
{_INDENTS}
.mw-view .mw-sign {{ font-weight: 700; margin-right: .4em; }}
.mw-view .mw-wrong, .mw-view .mw-missed, .mw-view .mw-spurious {{ color: var(--mw-bad); }}
.mw-view .mw-partial {{ color: var(--mw-part); }}
.mw-view .mw-right {{ color: var(--mw-good); }}
.mw-view .mw-changed {{ font-weight: 700; text-decoration: underline; text-underline-offset: .2em; }}
.mw-view .mw-passage {{ margin: .4rem 0; line-height: 2; overflow-wrap: anywhere; }}
.mw-view .mw-side {{ font-size: .85em; font-weight: 600; margin: 0 .6rem 0 0; }}
.mw-view .mw-span {{ border-bottom: 2px solid; padding: .1em .15em; border-radius: .2em; color: inherit; }}
.mw-view .mw-span small {{ font-weight: 700; margin-left: .3em; font-size: .75em; }}
.mw-view .mw-span.mw-not {{ outline: 2px solid var(--mw-bad); outline-offset: 1px; }}
{_COLOURS}
.mw-view .mw-lines {{ font-family: {MONOSPACE}; font-size: .9em; white-space: pre; overflow-x: auto;
  margin: .4rem 0; }}
"""
"""Colours are dark where the text around them is dark, and light where it is light: a notebook may be in another mode
than the system. Cells keep their alignment, though JupyterLab aligns all of them to the right by a weightier rule."""


BINS = 20
"""Bars of a histogram."""

ACCENT = "#2f7fd8"
"""What is drawn, where a page has no colour of its own: it stands out from white and from a dark notebook."""

CHARTS = f"""\
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
    lines = "".join(_bar_line(place, *row, most) for place, row in enumerate(rows))
    said = "; ".join(f"{kind} {count}{note}" for kind, count, note in rows)
    height = 40 * len(rows)
    return (
        f'<svg class="mw-chart" role="img" aria-label="{text_of(name)}: {text_of(said) or "none"}" '
        f'viewBox="0 0 340 {height}" width="340" height="{height}">{lines}</svg>'
    )


def _bar_line(place: int, kind: str, count: int, note: str, most: int) -> str:
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
