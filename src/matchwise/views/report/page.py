"""Results as one page of HTML that stands by itself: no script, no other file, nothing that data could break out of.

The tables of `score`; how the scores of documents are spread; and, where they are given, the alignments of documents:
which part was matched with which, and what was missed or spurious.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds
from matchwise.views.alignment.alignment import Alignment
from matchwise.views.alignment.view import view_of
from matchwise.views.html import STYLE as VIEW
from matchwise.views.html import text_of, to_html
from matchwise.views.tables.html import STYLE as TABLES
from matchwise.views.tables.html import page, table_html
from matchwise.views.tables.results import Results
from matchwise.views.tables.scores import tables
from matchwise.views.values import number

BINS = 20
"""Bars of a histogram."""

STYLE = """
:root { color-scheme: light dark; --rule: #8886; --good: #1a7f37; --part: #9a6700; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --good: #56d364; --part: #e3b341; --bad: #ff7b72; } }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { text-align: left; padding: .2rem .7rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; } .n { text-align: right; font-variant-numeric: tabular-nums; }
code, .value { font-family: ui-monospace, monospace; font-size: .87em; white-space: pre-wrap; overflow-wrap: anywhere; }
td code { white-space: nowrap; }
summary { cursor: pointer; padding: .2rem 0; }
svg { max-width: 100%; height: auto; } rect { fill: currentColor; opacity: .55; } text { fill: currentColor; }
footer { margin-top: 2rem; border-top: 1px solid var(--rule); color: GrayText; }
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A document that is looked at more closely: its score, or between what it is, and the alignment of each metric."""

    system: str
    document: Id
    value: Bounds
    alignments: tuple[tuple[str, Alignment], ...]


def render(results: Results, shown: Sequence[Shown] = ()) -> str:
    """The page."""
    title = f"{results.task or 'Scores'}: {', '.join(system.prediction for system in results.systems)}"
    parts = [f"<h1>{text_of(title)}</h1>", f"<p>{text_of(results.summary())}</p>"]
    parts += [table_html(table, results.view.numbers) for table in tables(results)]
    parts += [_spread(results)] if shown else []
    parts += ["<h2>Documents, the worst first</h2>", *map(_document, range(len(shown)), shown)] if shown else []
    notes = "".join(f"<p>{text_of(name)}: {text_of(value)}</p>" for name, value in results.said().items())
    body = "\n".join(parts)
    foot = f"<footer>{notes}<p><code>{text_of(results.signature)}</code></p></footer>"
    return page(title, f'<main class="mw">\n{body}\n</main>\n{foot}', style=STYLE + TABLES + VIEW)


def _spread(results: Results) -> str:
    """How many documents have which score, by the metric that documents are ranked by."""
    blocks = []
    for system in results.systems:
        metric = system.report.headline
        values = [value for value in system.report[metric].per_document if 0 <= value <= 1]
        bins = [0] * BINS
        for value in values:
            bins[min(int(value * BINS), BINS - 1)] += 1
        name = f" of {system.prediction}" if len(results.systems) > 1 else ""
        blocks.append(f"<h3>{text_of(metric + name)}</h3>\n{_bars(bins, metric)}")
    return "<h2>Scores of documents</h2>\n" + "\n".join(blocks)


def _bars(bins: list[int], metric: str) -> str:
    most = max(bins) or 1
    said = ", ".join(f"{count} from {place / BINS:g}" for place, count in enumerate(bins) if count)
    bars = "".join(
        f'<rect x="{place * 30 + 2}" y="{110 - 100 * count / most:.1f}" width="26" height="{100 * count / most:.1f}">'
        f"<title>{count} from {place / BINS:g} to {(place + 1) / BINS:g}</title></rect>"
        for place, count in enumerate(bins)
    )
    ends = '<text x="2" y="126" font-size="12">0</text><text x="590" y="126" font-size="12">1</text>'
    label = f"documents by {text_of(metric)}: {said or 'none'}"
    return f'<svg role="img" aria-label="{label}" viewBox="0 0 602 130" width="602" height="130">{bars}{ends}</svg>'


def _document(place: int, one: Shown) -> str:
    """One document, folded but for the first."""
    blocks = "\n".join(to_html(view_of(found, metric=metric)) for metric, found in one.alignments)
    return (
        f"<details{'' if place else ' open'}><summary>{text_of(one.document)} <code>{_value(one.value)}</code>"
        f"{text_of(f' ({one.system})' if one.system else '')}</summary>\n{blocks}\n</details>"
    )


def _value(bounds: Bounds) -> str:
    return number(bounds.lower) if bounds.proved else str(bounds)
