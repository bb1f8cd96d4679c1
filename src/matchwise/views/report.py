"""The report: one page of HTML that stands by itself, about one system or several on the same documents.

It asks for no other file, and its one script, which sorts tables and filters documents, is allowed by its hash. Nothing
of a document is markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchwise._version import __version__
from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds
from matchwise.errors import count_units
from matchwise.views.errors import Errors
from matchwise.views.html import CHARTS, bar, forest, histogram, text_of, to_html
from matchwise.views.html import STYLE as VIEW
from matchwise.views.markup import STYLE as TABLES
from matchwise.views.markup import page, table_html
from matchwise.views.model import View
from matchwise.views.results import Results, System
from matchwise.views.scores import marks_note, tables
from matchwise.views.table import Cell, ColumnHead, NumberStyle, PrintedTable, write_cell
from matchwise.views.values import number

if TYPE_CHECKING:
    from matchwise.statistics.compare import Comparison

PROBLEMS = 20
"""Documents with errors that are listed."""

CHANGED = 10
"""Documents that got better, and as many that got worse, which are listed."""


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """A document under one system: its score or bounds, and its views."""

    system: str
    value: Bounds
    views: tuple[View, ...]
    problem: str = ""
    """What was wrong with the prediction itself: there is none, or it cannot be read."""


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document that is looked at more closely, under each system."""

    document: Id
    seen: tuple[SeenDocument, ...]


def to_page(
    results: Results, shown: Sequence[ShownDocument] = (), *, errors: Sequence[Errors] = (), made: str = ""
) -> str:
    """Render the page; `errors` has the errors of each system, `made` is the date."""
    systems = " against ".join(filter(None, (system.prediction for system in results.systems)))
    title = " · ".join(filter(None, [results.task or "Scores", systems]))
    scores, *more = tables(results)
    parts = [
        f"<header><h1>{text_of(title)}</h1>{_facts(results, made)}</header>",
        _headlines(results),
        _problems(results),
        _table(scores, results.view.numbers),
        *(f"<p>{text_of(note)}</p>" for note in marks_note(results)),
        *_errors(results, errors),
        *(_table(table, results.view.numbers) for table in more),
        _differences(results.comparison) if results.comparison is not None else "",
        *_documents(results, shown),
    ]
    notes = "".join(f"<p>{text_of(note)}</p>" for note in results.said())
    foot = f"<footer>{notes}<p><code>{text_of(results.signature)}</code></p></footer>"
    body = "\n".join(filter(None, parts))
    return page(
        title, f'<main class="mw">\n{body}\n</main>\n{foot}', style=TABLES + CHARTS + VIEW + STYLE, script=SCRIPT
    )


def _facts(results: Results, made: str) -> str:
    facts = {
        "Reference": results.reference or "",
        "Preset": results.preset or "",
        "Documents": str(results.documents),
        "Date": made,
        "Version": f"matchwise {__version__}",
    }
    rows = "".join(f"<div><dt>{name}</dt><dd>{text_of(value)}</dd></div>" for name, value in facts.items() if value)
    return f'<dl class="facts">{rows}</dl>'


def _headlines(results: Results) -> str:
    """The main score of each system, large."""
    cards = []
    for system in results.systems:
        name = system.report.headline
        value = write_cell(float(system.report[name].value), "score", results.view.numbers)
        ends = system.intervals.get(name)
        interval = "" if ends is None else " to ".join(write_cell(end, "score", results.view.numbers) for end in ends)
        note = f"<small>{text_of(_level(results))} {text_of(interval)}</small>" if interval else ""
        of = f" of {system.prediction}" if system.prediction and len(results.systems) > 1 else ""
        cards.append(f"<p><span>{text_of(name + of)}</span><strong>{text_of(value)}</strong>{note}</p>")
    return f'<section class="headline" aria-label="Main score">{"".join(cards)}</section>'


def _level(results: Results) -> str:
    level = results.notes.get("intervals", {}).get("level")
    return "interval" if level is None else f"{level * 100:g} % interval"


def _problems(results: Results) -> str:
    """What is wrong with the input."""
    rows = list(_problem_rows(results))
    if not rows:
        return ""
    return f'<section class="problems"><h2>Problems with the input</h2>{"".join(rows)}</section>'


def _problem_rows(results: Results) -> Iterator[str]:
    for system in results.systems:
        of = f"{text_of(system.prediction)}: " if len(results.systems) > 1 else ""
        if system.missing:
            ids = ", ".join(map(str, system.missing[:PROBLEMS])) + (", …" if len(system.missing) > PROBLEMS else "")
            number = count_units(len(system.missing), "documents")
            yield f"<p>{of}{number} without prediction, counted as empty: {text_of(ids)}</p>"
        if system.errors:
            listed = "".join(f"<li>{text_of(error['problem'])}</li>" for error in system.errors[:PROBLEMS])
            yield f"<p>{of}{count_units(len(system.errors), 'documents')} with errors</p><ul>{listed}</ul>"


def _table(table: PrintedTable, numbers: NumberStyle) -> str:
    """A table; labels and fields come worst first, with bars, and a confusion is tinted."""
    title = table.title.partition(":")[0].capitalize()
    if table.title in ("labels", "fields"):
        rows = sorted(table.rows, key=lambda row: (_is_average(row), _f1(row)))
        table = PrintedTable(table.title, tuple(rows), table.labels, table.heads)
        drawn = [bar(_f1(row)) for row in rows]
        return f"<h2>{title}, the worst first</h2>\n{table_html(table, numbers, bars=drawn)}"
    heat = table.title.startswith("confusion of")
    return f"<h2>{text_of(title)}</h2>\n{table_html(table, numbers, heat=heat)}"


def _errors(results: Results, errors: Sequence[Errors]) -> Iterator[str]:
    """How many errors of each kind each system makes, their share, and examples."""
    of = [(system.prediction, found) for system, found in zip(results.systems, errors, strict=False) if found.documents]
    if not of:
        return
    yield "<h2>Errors by kind</h2>"
    if len(of) > 1:
        kinds = dict.fromkeys(kind for _, found in of for kind in found.kinds)
        rows: list[dict[str, Cell]] = [
            {"kind": kind, **{str(place): len(found.of(kind)) for place, (_, found) in enumerate(of)}} for kind in kinds
        ]
        heads = {"kind": ColumnHead("", "kind", "text")}
        heads |= {str(place): ColumnHead("", name, "count") for place, (name, _) in enumerate(of)}
        yield table_html(PrintedTable("scores", tuple(rows), heads=heads), results.view.numbers)
    for name, found in of:
        heading = f"<h3>{text_of(name)}</h3>\n" if len(of) > 1 else ""
        yield heading + found.to_html()


def _f1(row: dict[str, Cell]) -> float:
    value = row.get("f1")
    return float(value) if isinstance(value, int | float) else 0.0


def _is_average(row: dict[str, Cell]) -> bool:
    return any(cell in ("(micro)", "(macro)", "(weighted)") for cell in row.values())


def _differences(found: Comparison) -> str:
    """Differences of the other systems from the first: a chart, and the numbers."""
    from matchwise.views.results import comparison_sheet, forest_rows

    chart = forest(forest_rows(found))
    sheet = comparison_sheet(found)
    numbers = "\n".join(table_html(table, sheet.numbers) for table in sheet.tables)
    notes = "".join(f"<p>{text_of(note)}</p>" for note in sheet.notes)
    return f"<h2>Differences from {text_of(found.systems[0])}</h2>\n{chart}\n{numbers}{notes}"


def _documents(results: Results, shown: Sequence[ShownDocument]) -> Iterator[str]:
    """The distribution of document scores, the largest changes, and the worst documents in full."""
    if any(system.report.scores.keep == "sums" for system in results.systems):
        return
    yield "<h2>Scores of documents</h2>"
    for system in results.systems:
        name = system.report.headline
        of = f"{name} of {system.prediction}" if len(results.systems) > 1 else name
        yield f"<h3>{text_of(of)}</h3>\n{histogram(system.report[name].per_document, of)}"
    base, *others = results.systems
    for other in others:
        yield _changes(base, other)
    if shown:
        yield "<h2>Documents, the worst first</h2>"
        yield '<p class="filter" hidden><label>Show documents that contain <input type="search"></label></p>'
        yield from map(_document, range(len(shown)), shown)


def _changes(base: System, other: System) -> str:
    """Which documents got better or worse, and by how much."""
    name = base.report.headline
    before = dict(zip(base.report.scores.names, base.report[name].per_document, strict=True))
    after = dict(zip(other.report.scores.names, other.report[name].per_document, strict=True))
    changed = {id: after[id] - value for id, value in before.items() if id in after and after[id] != value}
    better, worse = ([id for id, by in changed.items() if by * sign > 0] for sign in (1, -1))
    same = len(before.keys() & after.keys()) - len(changed)
    head = f"{other.prediction} against {base.prediction}: {len(better)} better, {len(worse)} worse, {same} the same"
    most = sorted(changed, key=lambda id: (changed[id], str(id)))
    rows: list[dict[str, Cell]] = [
        {
            "document": str(id),
            "before": f"{before[id]:.4f}",
            "after": f"{after[id]:.4f}",
            "change": f"{changed[id]:+.4f}",
        }
        for id in (
            *[id for id in most if changed[id] < 0][:CHANGED],
            *[id for id in most if changed[id] > 0][-CHANGED:],
        )
    ]
    table = table_html(PrintedTable("scores", tuple(rows)), NumberStyle()) if rows else ""
    return f"<h3>{text_of(head)}</h3>\n{table}"


def _document(place: int, one: ShownDocument) -> str:
    """One document, folded but for the first."""
    several = len(one.seen) > 1
    scores = " · ".join(
        f"{text_of(seen.system)} <code>{_value(seen.value)}</code>" if several else f"<code>{_value(seen.value)}</code>"
        for seen in one.seen
    )
    found = (seen.problem or (seen.views[0].why if seen.views else "") for seen in one.seen)
    whys = " | ".join(dict.fromkeys(filter(None, found)))
    blocks = "\n".join(
        (f"<h3>{text_of(seen.system)}</h3>\n" if several else "") + "\n".join(map(to_html, seen.views))
        for seen in one.seen
    )
    summary = f"<b>{text_of(one.document)}</b> {scores} <span>{text_of(whys)}</span>"
    return f"<details{'' if place else ' open'}><summary>{summary}</summary>\n{blocks}\n</details>"


def _value(bounds: Bounds) -> str:
    return number(bounds.lower) if bounds.proved else str(bounds)


STYLE = """
:root { --ink: #1b1f24; --paper: #ffffff; --quiet: #57606a; --rule: #d0d7de; --accent: #0b5fbf; --warn: #7a4b00;
  --tint: 11, 95, 191; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #a3acb6;
  --rule: #3d444d; --accent: #78b6ff; --warn: #ffc966; --tint: 88, 166, 255; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;
  margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; overflow-wrap: anywhere; }
.mw { font-size: 15px; }
.mw caption { display: none; }
.mw th, .mw td { border-color: var(--rule); }
.mw tbody tr:hover { background: rgba(var(--tint), .07); }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: 0; }
.facts div { min-width: 0; } .facts dt { color: var(--quiet); font-size: .85em; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.headline { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0; }
.headline p { margin: 0; padding: .8rem 1.2rem; border: 1px solid var(--rule); border-radius: .5rem; min-width: 0; }
.headline span, .headline small { display: block; color: var(--quiet); overflow-wrap: anywhere; }
.headline strong { font-size: 2.4rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.problems { border-left: 4px solid var(--warn); padding: .1rem 0 .1rem 1rem; overflow-wrap: anywhere; }
.problems h2 { border: 0; margin: 0; padding: 0; color: var(--warn); }
code { font-family: ui-monospace, monospace; font-size: .87em; overflow-wrap: anywhere; }
.heat { background: rgba(var(--tint), calc(var(--share) * .45)); }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; text-align: inherit; white-space: nowrap; }
th button::after { content: " ↕"; color: var(--quiet); }
details { border-bottom: 1px solid var(--rule); padding: .3rem 0; }
summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere; } summary span { color: var(--quiet); }
.filter input { font: inherit; padding: .2rem .4rem; max-width: 100%; }
footer { margin-top: 2rem; border-top: 1px solid var(--rule); color: var(--quiet); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 11pt; } .filter, th button::after { display: none; }
  .mw .mw-wide, .mw-view .mw-wide, .mw-view .mw-lines { overflow: visible; }
  .mw th, .mw td { font-size: 8.5pt; padding: .1rem .35rem; }
  h2, h3, summary, .mw-head { break-after: avoid; } tr, svg, .headline p, .mw-passage { break-inside: avoid; }
  .heat, .mw-span, .mw-chart, .mw-bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

SCRIPT = """
for (const table of document.querySelectorAll("main .mw-sortable")) {
  table.querySelectorAll("thead tr:last-child th").forEach((head) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[head.cellIndex].textContent;
      const order = (a, b) => {
        const x = parseFloat(key(a)), y = parseFloat(key(b));
        const found = isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
        return down ? -found : found;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
    });
  });
}
for (const filter of document.querySelectorAll(".filter")) {
  filter.hidden = false;
  const input = filter.querySelector("input");
  input.addEventListener("input", () => {
    const word = input.value.toLowerCase();
    for (const one of document.querySelectorAll("main > details"))
      one.hidden = !one.textContent.toLowerCase().includes(word);
  });
}
"""
