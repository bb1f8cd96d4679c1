"""A view as a fragment of HTML with classes; `view.css` says what they look like, in light and in dark.

Colours are dark where the text around them is dark, and light where it is light: a notebook may be in another mode than
the system. Cells keep their alignment, though JupyterLab aligns all of them to the right by a weightier rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from matchwise.sheets.html import fill, read_asset
from matchwise.views.model import (
    SIGNS,
    Mark,
    View,
    ViewPassage,
    ViewPicture,
    ViewRows,
    colour_key,
    colours,
    focus_of,
    places,
)
from matchwise.views.text import count_rows, shorten_stretches, sides_of

LONG = 300
"""Longer values are shortened, unless the view is shown whole."""

ROWS = 200
"""Rows and lines of one part that are shown."""

DEEPEST = 6
"""Rows that are deeper are indented as far as this."""


def to_html(view: View, *, whole: bool = False, palette: Mapping[str | int, int] | None = None) -> str:
    """The fragment; it needs the style once on the page. A `palette` is that of all views of a page."""
    colour_of = colours([view]) if palette is None else palette
    made = fill(
        "view.html",
        view=view,
        said=[text for text in (view.scored, view.why) if text],
        notes=(*count_rows(view), *view.notes),
        parts=[_part(part, view, whole, colour_of) for part in view.parts],
        signs=SIGNS,
        deepest=DEEPEST,
    )
    return str(made)


def with_style(*fragments: str, charts: bool = False) -> str:
    """Fragments for a notebook, after their style."""
    styles = read_asset("view.css") + (read_asset("charts.css") if charts else "")
    return f"<style>{styles}</style>{''.join(fragments)}"


def _part(part: Any, view: View, whole: bool, palette: Mapping[str | int, int]) -> dict[str, Any]:
    """What the template needs to know of a part, besides the part itself."""
    if isinstance(part, ViewPassage):
        return {"kind": "passage", "side": part.side, "words": list(_words(part, view, whole, palette))}
    if isinstance(part, ViewPicture):
        width, height = part.size
        return {"kind": "picture", "boxes": part.boxes, "width": width, "height": height, "unit": max(width, height)}
    listed = part.rows if isinstance(part, ViewRows) else part.lines
    shown = listed if whole else listed[:ROWS]
    kind = "rows" if isinstance(part, ViewRows) else "lines"
    made = {"kind": kind, "part": part, "shown": shown, "left": len(listed) - len(shown)}
    if isinstance(part, ViewRows):
        made["credits"] = any(row.credit for row in shown)
        made["values"] = [[side if whole else shorten_stretches(side, LONG) for side in sides_of(row)] for row in shown]
    return made


def _words(part: ViewPassage, view: View, whole: bool, palette: Mapping[str | int, int]) -> Iterator[dict[str, Any]]:
    """Each word with the marks that begin before it and end after it; a mark that crosses another is closed, too, and
    opened again."""
    inside: list[Mark] = []

    def colour(marks: list[Mark]) -> list[tuple[Mark, int]]:
        return [(mark, palette[colour_key(mark)]) for mark in marks]

    for place in places(part, focus_of(view), whole):
        inside += place.opening
        closing = []
        for mark in place.closing:
            crossed = inside[inside.index(mark) + 1 :]
            closing.append((mark, colour(crossed)))
            inside.remove(mark)
        yield {"text": place.word, "opening": colour(list(place.opening)), "closing": closing}
