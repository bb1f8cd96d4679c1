"""A view as a fragment of HTML with classes; `STYLE` says what they look like, in light and in dark.

Nothing of a document is markup: every text is escaped, and characters that HTML cannot hold are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from matchwise.views.difference import Stretch, differences, shortened_stretches
from matchwise.views.model import SIGNS, Line, Lines, Mark, Part, Passage, Row, Rows, View
from matchwise.views.passage import colour_key, colours, focus_of, places
from matchwise.views.style import DEEPEST
from matchwise.views.style import STYLE as STYLE
from matchwise.views.text import counted
from matchwise.views.values import number

LONG = 300
"""Longer values are shortened, unless the view is shown whole."""

ROWS = 200
"""Rows and lines of one part that are shown."""


def to_html(view: View, *, whole: bool = False) -> str:
    """The fragment; it needs `STYLE` once on the page."""
    body = "\n".join(_part(part, view, whole) for part in view.parts)
    notes = "".join(f'<p class="mw-note">{text_of(note)}</p>' for note in (*counted(view), *view.notes))
    return f'<section class="mw-view">\n{_head(view)}{notes}\n{body}\n</section>'


def text_of(value: object) -> str:
    """Any text as text: nothing of it is markup, and what HTML cannot hold is written out."""
    plain = "".join(sign if sign.isprintable() or sign in "\n\t" else f"\\x{ord(sign):02x}" for sign in str(value))
    return escape(plain)


def _head(view: View) -> str:
    title = f"<b>{text_of(view.title)}</b>" if view.title else ""
    score = "" if view.score is None else number(view.score)
    said = [text_of(text) for text in (f"{view.metric} {score}".strip(), view.why) if text]
    return f'<p class="mw-head">{title}{" · ".join(said)}</p>'


def _part(part: Part, view: View, whole: bool) -> str:
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
    if row.pred is not None and row.ref is not None and row.status != "right":
        mine, theirs = differences(row.pred, row.ref)
    else:
        mine, theirs = (Stretch(row.pred or ""),), (Stretch(row.ref or ""),)
    values = "".join(f'<td class="mw-value">{_stretches(side, whole)}</td>' for side in (mine, theirs))
    return f"<tr>{name}{credit}{values}</tr>"


def _stretches(stretches: tuple[Stretch, ...], whole: bool) -> str:
    shown = stretches if whole else shortened_stretches(stretches, LONG)
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
        made = "".join(_opening(mark, palette) for mark in place.opening)
        inside += place.opening
        made += text_of(place.word)
        for mark in place.closing:
            crossed = inside[inside.index(mark) + 1 :]
            made += "</span>" * len(crossed)
            made += f"<small>{text_of(mark.label)}</small></span>" if mark.label else "</span>"
            inside.remove(mark)
            made += "".join(_opening(one, palette) for one in crossed)
        yield made


def _opening(mark: Mark, palette: dict[object, int]) -> str:
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
