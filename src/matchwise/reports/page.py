"""The report: one page of HTML that stands by itself, about one system or several on the same documents.

It asks for no other file, and its one script, which filters documents and sorts tables, is allowed by its hash. Nothing
of a document is markup. What the page looks like is in `report.html`, `report.css` and `report.js`.

Its first screen has the headline of each system, three sentences, and where credit is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from os.path import basename, splitext
from typing import TYPE_CHECKING, Any, NamedTuple

from matchwise._version import __version__
from matchwise.corpus.suite import Derived
from matchwise.corpus.table import Id
from matchwise.engine.selection import join
from matchwise.errors import count_units
from matchwise.reports.documents import (
    CHANGED,
    SeenSystem,
    changes,
    show_documents,
    unreadable_documents,
    unreadable_kinds,
)
from matchwise.reports.results import Display, Results, System
from matchwise.reports.scores import describe_intervals, describe_marks, elements, tables
from matchwise.sheets.html import fill, histogram, page, table_html, text_of
from matchwise.sheets.table import ALPHA, MARK, NumberStyle, PrintedTable, write_cell
from matchwise.views.errors import Errors, errors_html
from matchwise.views.values import write_change

if TYPE_CHECKING:
    from markupsafe import Markup


def to_page(
    results: Results,
    seen: Sequence[SeenSystem] = (),
    shown: Sequence[Id] = (),
    *,
    title: str = "",
    note: str = "",
    made: str = "",
    most: int = 50,
) -> str:
    """Render the page.

    `seen` has the errors and views of each system, `shown` the documents that are looked at more closely; `note` is
    Markdown, `made` the date, and `most` the number of unreadable predictions that are shown.
    """
    systems, numbers = results.systems, results.view.numbers
    names, errors = short_names(systems), [one.errors for one in seen]

    def write(value: float) -> str:
        return write_cell(value, "score", numbers)

    title = title or f"{results.task or 'Scores'}: {', '.join(filter(None, names))}".removesuffix(": ")
    kinds = [unreadable_kinds(*both) for both in zip(systems, errors, strict=False)]
    first, *more = (one.draw(results.view) for one in parts(results))
    has_documents = all(system.report.scores.keep != "sums" for system in systems)
    looked = list(show_documents(results, shown, seen, kinds)) if has_documents else []
    asked = {table.title for table in elements(results)}
    printed = {table.title: _table(results, table) for table in tables(results)}
    tags = names if len(names) > 1 else [""]
    signs = [said for said in describe_marks(results) if said.startswith(("±", MARK))]  # as far as they occur
    spreads = [system.report.spread(tag) for tag, system in zip(tags, systems, strict=True)] if has_documents else []
    body = fill(
        "report.html",
        title=title,
        names=names,
        note=write_note(note) if note else "",
        about=count_units(results.documents, "documents"),
        facts=[fact for fact in (results.task, results.preset and f"preset {results.preset}", made) if fact],
        version=__version__,
        results=results,
        reference=basename(results.reference or "") or results.reference,
        headlines=list(headlines(results)),
        sentences=sentences(results, errors),
        problems=problems(results, errors),
        first=first,
        more=more,
        errors=errors_html(list(zip(tags, errors, strict=True)), write=write)
        if any(one.documents for one in errors)
        else "",
        histogram=histogram(spreads, systems[0].report.headline) if spreads else "",
        changes=[changes(systems[0], system) for system in systems[1:] if has_documents],
        changed=CHANGED,
        score=write,
        signed=lambda value: write_cell(value, "signed", numbers),
        shown=looked,
        anchors={one.id: one.anchor for one in looked},
        unreadable=unreadable_documents(results, seen, kinds, most) if seen else {},
        tables=[table for name, table in printed.items() if name not in asked],
        asked=[table for name, table in printed.items() if name in asked],
        differences=None if results.comparison is None else results.comparison.sheet(),
        footnotes=[*signs, *describe_intervals(results)],
        table_html=table_html,
    )
    return page(title, body, styles=("tables.css", "charts.css", "view.css", "report.css"), script="report.js")


def _table(results: Results, table: PrintedTable) -> dict[str, Any]:
    title = table.title.partition(":")[0].capitalize()
    return {
        "title": title,
        "table": table_html(table, results.view.numbers, heat=table.title.startswith("confusion of")),
    }


def write_note(text: str) -> Markup:
    """A note in a little Markdown: paragraphs, lists, `code`, **bold**, *italic* and links to pages.

    >>> str(write_note("**New** prompt\\n\\n- see [the run](https://example.org/7)\\n- <b>"))
    '<p><b>New</b> prompt</p><ul><li>see <a href="https://example.org/7">the run</a></li><li>&lt;b&gt;</li></ul>'
    """
    from markupsafe import Markup

    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        words, items = [], list[str]()
        for line in map(str.strip, block.splitlines()):
            if line.startswith(("- ", "* ")):
                items.append(line[2:])
            elif items:  # an item goes on
                items[-1] += f" {line}"
            else:
                words.append(line.lstrip("# "))
        blocks += [f"<p>{_write_marks(' '.join(words))}</p>"] if words else []
        blocks += [f"<ul>{''.join(f'<li>{_write_marks(item)}</li>' for item in items)}</ul>"] if items else []
    return Markup("".join(blocks))


def _write_marks(text: str) -> str:
    """A text with its marks as HTML; what stands in code and in addresses has none."""

    def keep(part: str) -> str:
        return part.replace("*", "&#42;").replace("[", "&#91;")

    made = re.sub(r"`([^`]+)`", lambda found: f"<code>{keep(found[1])}</code>", text_of(text))
    link = r"\[([^\]]+)\]\((https?://[^\s)]+)\)"
    made = re.sub(link, lambda found: f'<a href="{keep(found[2])}">{found[1]}</a>', made)
    made = re.sub(r"\*\*(\S|\S.*?\S)\*\*", r"<b>\1</b>", made)
    return re.sub(r"\*(\S|\S.*?\S)\*", r"<i>\1</i>", made)


def short_names(systems: Sequence[System]) -> list[str]:
    """The systems as sentences call them: without folder and ending, where they still differ."""
    names = [system.prediction for system in systems]
    files = list(map(basename, names))
    shorter = ([splitext(name)[0] for name in files], files)
    return next((some for some in shorter if all(some) and len(set(some)) == len(names)), names)


def headlines(results: Results) -> Iterator[dict[str, Any]]:
    """The main score of each system, with its interval and its difference from the first."""
    names, numbers = short_names(results.systems), results.view.numbers
    for name, system in zip(names, results.systems, strict=True):
        metric = system.report.headline
        value, both = float(system.report[metric].value), system.intervals.get(metric)
        level = results.notes.get("intervals", {}).get("level", 0)
        difference, p = _say_difference(results, system, names[0])
        low, high = both or (value, value)
        said = f"{level * 100:g} % interval {_write(low, numbers)} to {_write(high, numbers)}"
        yield {
            "system": name,
            "file": system.prediction,
            "metric": metric,
            "value": _write(value, numbers),
            "interval": said if both else "",
            "ends": (value, low, high) if 0 <= low <= high <= 1 else None,
            "difference": difference,
            "p": p,
        }


def _say_difference(results: Results, system: System, baseline: str) -> tuple[str, str]:
    """`9.1 points better than small` and `p = 0.0001`, as far as they are known."""
    base = results.systems[0]
    metric = base.report.headline
    by = float(system.report[metric].value) - float(base.report[metric].value)
    if system is base or not by:
        return "" if system is base else f"the same as {baseline}", ""
    points = " points" if results.view.numbers.percent else ""
    how = "better" if (by > 0) != base.report[metric].is_error else "worse"
    said = f"{_write(abs(by), results.view.numbers)}{points} {how} than {baseline}"
    if results.comparison is None:
        return said, ""
    p = results.comparison[metric, system.prediction].p_holm
    return said, f"p = {p:.4f}" + ("" if p <= ALPHA else ", which may be chance")


COUNTED = ("wrong", "missed", "spurious")


class Parts(NamedTuple):
    """Where credit is lost: labels, fields or metrics with a row of scores for each system, which may be empty."""

    unit: str
    title: str
    names: list[str]
    """The systems."""
    rows: dict[str, list[dict[str, Any]]]

    def has(self, column: str) -> bool:
        return any(column in row for rows in self.rows.values() for row in rows)

    def draw(self, view: Display) -> dict[str, Any]:
        """What the template draws: the heads of columns, and of each row its name, its bars and its cells."""
        is_one, numbers = len(self.names) == 1, view.numbers
        counted, sides = (
            [name for name in some if self.has(name) and (not view.columns or name in view.columns)]
            for some in (COUNTED, ("precision", "recall") if is_one else ())
        )
        heads = ["F1" if sides or counted else "score"] if is_one else [*self.names, "change"]
        drawn = []
        for name, rows in self.rows.items():
            values = [row.get("score") for row in rows]
            cells = [_write(value, numbers) for value in values]
            cells += [] if is_one else [_write_change(values[0], values[-1], numbers)]
            cells += [_write(rows[0].get(side), numbers) for side in sides]
            ends = rows[:: len(rows) - 1] if len(rows) > 2 else rows  # of many systems the first and the last
            cells += [write_change(_count(row, column) for row in ends) for column in counted]
            intervals = [
                f"{system} {_write(row['low'], numbers)} to {_write(row['high'], numbers)}"
                for system, row in zip(self.names, rows, strict=True)
                if row.get("low") is not None
            ]
            drawn.append({"name": name, "bars": values, "cells": cells, "intervals": "; ".join(intervals)})
        return {"title": self.title, "unit": self.unit, "heads": [*heads, *sides, *counted], "rows": drawn}


def parts(results: Results) -> list[Parts]:
    """The labels and fields that were counted, and several metrics, or nothing else.

    Labels and fields begin with the worst of the last system; what the reference never has comes last.
    """
    report, names, found = results.systems[0].report, short_names(results.systems), list[Parts]()
    plain = [results._replace(systems=(system,), view=Display()) for system in results.systems]
    by_system = [{table.title: table.rows for table in tables(one, long=True)} for one in plain]
    is_one = len(list(report)) == 1
    for title, unit in (("labels", join("", report.scores.by)), ("fields", "field"), ("scores", "metric")):
        several = [some.get(title, ()) for some in by_system]
        metrics = [str(row["metric"]) for row in several[0]]
        if not metrics or (unit == "metric" and found and is_one):
            continue
        metric = report.headline if report.headline in metrics else metrics[0]
        kept = [[row for row in some if unit == "metric" or row["metric"] == metric] for some in several]
        read = [{str(row[unit]): _read(row, title) for row in some} for some in kept]
        keys = list(dict.fromkeys(key for some in reversed(read) for key in some))
        if unit != "metric":
            known = {key: next(some[key] for some in reversed(read) if key in some) for key in keys}
            keys.sort(key=lambda key: (not known[key]["reference"], known[key]["score"]))
        rows = {key: [some.get(key, {}) for some in read] for key in keys}
        of = "" if is_one or unit == "metric" else f", {metric}"
        found.append(Parts(unit, f"Scores by {unit}{of}", names, rows))
    return found


def _read(row: dict[str, Any], title: str) -> dict[str, Any]:
    """A row of a table with its score; what has another label on the other side is missed here and spurious there."""
    made = {**row, "score": row.get("value", row.get("f1"))}
    if title == "labels":
        made["missed"] = row["reference"] - row.get("recalled", row["matched"])
        made["spurious"] = row["predicted"] - row["matched"]
    return made


def _write(value: float | None, numbers: NumberStyle) -> str:
    return "–" if value is None else write_cell(value, "score", numbers)


def _write_change(first: float | None, last: float | None, numbers: NumberStyle) -> str:
    if first is None or last is None:
        return "–"
    return write_cell(last - first, "signed" if last != first else "score", numbers)


def _count(row: dict[str, Any], column: str) -> str:
    return f"{float(row.get(column, 0)):.1f}".removesuffix(".0")


class Remark(NamedTuple):
    """A sentence whose subject stands out."""

    before: str
    subject: str
    after: str


def sentences(results: Results, errors: Sequence[Errors]) -> list[Remark]:
    """What the numbers say: the weakest part, the largest kind of error, and what changed or how many are right."""
    first = parts(results)[0]
    changed = _changes(results, first) if results.systems[0].report.scores.keep != "sums" else ()
    return [*_weakest(results, first), *_largest(first.names, errors), *changed]


def _weakest(results: Results, found: Parts) -> Iterator[Remark]:
    """The part with the lowest score in the last system, of those that the reference has."""
    report, numbers = results.systems[-1].report, results.view.numbers
    headline = report[report.headline]
    inside = headline.entry.names if isinstance(headline.entry, Derived) else tuple(report)
    known = {
        name: rows
        for name, rows in found.rows.items()
        if rows[-1]
        and (name in inside and not report[name].is_error if found.unit == "metric" else rows[-1]["reference"])
    }
    if len(known) < 2:
        return
    name = min(known, key=lambda name: known[name][-1]["score"])
    first, last = known[name][0], known[name][-1]
    if last["score"] == 1:
        return
    said = [f"{_count(last, one)} {one}" for one in COUNTED if last.get(one)]
    said = said or [f"{side} {_write(last[side], numbers)}" for side in ("precision", "recall") if side in last]
    more = f" ({', '.join(said)})" if said else ""
    value = f"{_write(last['score'], numbers)}{more}"
    if len(found.names) > 1:
        value = f"{_write(last['score'], numbers)} in {found.names[-1]}{more}"
        value += f", {_write(first['score'], numbers)} in {found.names[0]}" if first else ""
    unit = found.unit if found.unit in ("field", "metric") else "label"
    of = f" in {report.headline}" if found.unit == "metric" and isinstance(headline.entry, Derived) else ""
    yield Remark(f"The weakest {unit}{of} is ", name, f": {value}.")


def _largest(names: Sequence[str], errors: Sequence[Errors]) -> Iterator[Remark]:
    """The kind with the largest share of the loss of the last system, among the elements that are counted first."""
    totals = errors[-1].totals if errors else {}
    for level, total in totals.items():
        for kind, share, _ in total.rows():
            lost = f", {share:.0%} of what is lost" if share <= 1 else ""  # a mean of metrics loses less than its parts
            said = f": {count_units(kind.count, 'errors')}{lost}"
            if len(errors) > 1:
                said += f" in {names[-1]}; {errors[0].counts().get(level, {}).get(kind.name, 0)} in {names[0]}"
            of = f" of {level}" if len(totals) > 1 else ""
            yield Remark(f"The largest kind of error{of} is ", kind.name, f"{said}.")
            return


def _changes(results: Results, first: Parts) -> Iterator[Remark]:
    """What is better and worse than in the first system; of one system, how many documents are right."""
    base, last, names = results.systems[0], results.systems[-1], first.names
    if last is base:
        right, lost = sum(base.report[base.report.headline].right), len(base.unreadable)
        said = f" {'is' if right == 1 else 'are'} all right" + (f"; {lost} could not be read" if lost else "")
        yield Remark("", f"{right} of {count_units(results.documents, 'documents')}", f"{said}.")
        return
    found = changes(base, last)
    said = f" and {len(found.worse)} worse in {names[-1]} than in {names[0]}, {found.same} the same"
    by = {name: rows[-1]["score"] - rows[0]["score"] for name, rows in first.rows.items() if rows[0] and rows[-1]}
    by = {name: gain for name, gain in by.items() if first.unit != "metric" or not base.report[name].is_error}
    for name, word in ((max(by, key=by.__getitem__), "gained"), (min(by, key=by.__getitem__), "lost")) if by else ():
        if by[name] > 0 if word == "gained" else by[name] < 0:
            said += f"; {name} {word} most ({write_cell(by[name], 'signed', results.view.numbers)})"
    yield Remark("", f"{count_units(len(found.better), 'documents')} better", f"{said}.")


class Problem(NamedTuple):
    """Something wrong with the input: how often in each system, and in which documents."""

    said: str
    counts: list[int]
    where: list[list[str]]

    @property
    def total(self) -> str:
        return write_change(map(str, self.counts)) + (" ×" if not any(self.where) else "")


def problems(results: Results, errors: Sequence[Errors]) -> list[Problem]:
    """What is wrong with the input, grouped: whole documents, then what does not fit in the others, by count."""
    found: dict[str, Problem] = {}

    def add(said: str, place: int, number: int, where: Iterable[object] = ()) -> None:
        nothing = Problem(said, [0] * len(results.systems), [[] for _ in results.systems])
        problem = found.setdefault(said, nothing)
        problem.counts[place] += number
        problem.where[place].extend(map(str, where))

    for place, system in enumerate(results.systems):
        if system.missing:
            add("without prediction", place, len(system.missing), system.missing)
        kinds = unreadable_kinds(system, errors[place] if errors else None)
        for one in system.unreadable:
            add(kinds.get(one["document"], "unreadable"), place, 1, [one["document"]])
        for one in system.errors:
            add("could not be scored", place, 1, [one["problem"]])
        for said, times in system.faults.items():
            add(said, place, times)
    return sorted(found.values(), key=lambda one: (not any(one.where), -sum(one.counts)))
