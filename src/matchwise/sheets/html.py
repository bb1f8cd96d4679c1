"""Tables and charts as HTML, for notebooks and for pages. All markup is in `matchwise/templates`.

Nothing of a document is markup: what a template is given is escaped, and characters that HTML cannot hold are written
out. Charts are drawn as SVG, without any library; a text beside each says the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise.sheets.table import NumberStyle, PrintedTable, Sheet, group_columns

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "templates")

_KEPT = "\n\t\u200c\u200d"
"""Not printable, but part of texts: without joiners, emoji fall apart and Persian and Hindi are misspelt."""

MONOSPACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def text_of(value: object) -> str:
    """Escape a text: nothing of it becomes markup, and characters that HTML cannot hold are written out."""
    text = str(value)
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() or sign in _KEPT else f"\\x{ord(sign):02x}" for sign in text)
    return escape(text)


def write_preformatted(text: str) -> str:
    """Text in a notebook, sign below sign; themes set other fonts for code, some of them proportional."""
    return f'<pre style="font-family: {MONOSPACE}; white-space: pre; overflow-x: auto">{escape(text)}</pre>'


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def write(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(text_of(value))

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=write,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def fill(template: str, **values: Any) -> Markup:
    """A template with its values filled in."""
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(values).strip("\n"))


@cache
def read_asset(name: str) -> Markup:
    """A style or a script, as it is put on a page."""
    from markupsafe import Markup

    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as file:
        return Markup(file.read())


def fragment(sheet: Sheet, chart: Markup | str = "") -> Markup:
    """The tables, a chart, the notes and the signature, with their style: a part of a page."""
    tables = [table_html(table, sheet.numbers) for table in sheet.tables]
    return fill("fragment.html", sheet=sheet, tables=tables, chart=chart, read_asset=read_asset)


def page(title: str, body: Markup, *, styles: Sequence[str] = (), script: str = "") -> str:
    """A whole page that asks for no other file; a script runs only if its hash is that of the policy."""
    from base64 import b64encode
    from hashlib import sha256

    code = read_asset(script) if script else ""
    digest = b64encode(sha256(code.encode()).digest()).decode()
    assets = list(map(read_asset, styles))
    return f"{fill('page.html', title=title, body=body, styles=assets, script=code, digest=digest)}\n"


def table_html(table: PrintedTable, numbers: NumberStyle, *, heat: bool = False) -> Markup:
    """One table, which scrolls by itself if it is too wide; `heat` tints counts.

    The metric and the weight are left out where all rows have the same.
    """
    columns = [one for one in table.write(numbers) if not (one.name in ("metric", "weight") and one.is_constant)]
    counts = [cell for one in columns for cell in one.cells if isinstance(cell, int)] if heat else []
    groups = [(group, len(places)) for group, places in group_columns(columns)]
    most, rows = max(counts, default=0), range(len(table.rows))
    return fill("table.html", title=table.title, groups=groups, columns=columns, rows=rows, most=most)


BINS = 20
"""Places of a histogram."""


class Spread(NamedTuple):
    """The scores of the documents of a system, and how many of its predictions could not be read."""

    name: str
    values: Sequence[float]
    unreadable: int = 0


def histogram(spreads: Sequence[Spread], name: str) -> Markup:
    """Draw how many documents of each system have each score from 0 to 1; unreadable ones stand to the left."""
    drawn = []
    for one in spreads:
        places = (min(int(value * BINS + 1e-9), BINS - 1) / BINS for value in one.values if 0 <= value <= 1)
        drawn.append({-1.0: one.unreadable} | Counter(places) if one.unreadable else Counter(places))
    most = max((count for bins in drawn for count in bins.values()), default=1)
    series = [(one.name, sorted(bins.items())) for one, bins in zip(spreads, drawn, strict=True)]
    said = [
        f"{system} " * bool(system)
        + (", ".join(f"{count} {'unreadable' if at < 0 else f'from {at:g}'}" for at, count in bins) or "none")
        for system, bins in series
    ]
    start = 120 if any(one.unreadable for one in spreads) else 0
    return fill("histogram.html", name=name, said="; ".join(said), series=series, most=most, start=start, bins=BINS)


def forest(rows: Sequence[tuple[str, float, float | None, float | None]]) -> Markup:
    """Draw differences with their intervals, one line each, around a line at 0."""
    ends = [end for _, value, low, high in rows for end in (value, low, high) if end is not None]
    most = max([abs(end) for end in ends] or [0.0]) or 1.0
    said = "; ".join(f"{name} {value:+.4f}" for name, value, _, _ in rows)
    return fill("forest.html", rows=rows, said=said, most=most)
