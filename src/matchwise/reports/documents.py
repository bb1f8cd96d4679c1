"""The documents of a report: which are shown, how they changed between systems, and what is wrong with each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds
from matchwise.reports.results import Results, System
from matchwise.sheets.table import write_cell
from matchwise.views.errors import Error, Errors
from matchwise.views.html import to_html
from matchwise.views.model import View, ViewPassage, colours
from matchwise.views.values import shorten

CHANGED = 10
"""Documents that got better, and as many that got worse, which are listed."""

NAMED = 6
"""Fields, kinds or labels that the line of a document names."""

WRITTEN = 2000
"""Characters of an unreadable prediction that are shown."""


class SeenSystem(NamedTuple):
    """What was seen of a system when its documents were read again."""

    errors: Errors
    views: Mapping[Id, Sequence[View]] = {}
    written: Mapping[Id, str] = {}
    """Document -> what stands in a prediction that could not be read."""


class Change(NamedTuple):
    """The main score of a document under two systems."""

    id: Id
    before: float
    after: float
    by: float


class Changes(NamedTuple):
    """The documents that are better and worse under another system, the largest change first, and how many are not."""

    better: list[Change]
    worse: list[Change]
    same: int


def changes(base: System, other: System) -> Changes:
    before, after = _values(base), _values(other)
    found = [Change(id, value, after[id], after[id] - value) for id, value in before.items() if id in after]
    found.sort(key=lambda one: (-abs(one.by), str(one.id)))
    better, worse = [one for one in found if one.by > 0], [one for one in found if one.by < 0]
    if base.report[base.report.headline].is_error:
        better, worse = worse, better
    return Changes(better, worse, len(found) - len(better) - len(worse))


def _values(system: System) -> dict[Id, float]:
    """Document -> its main score."""
    return dict(zip(system.report.scores.names, system.report[system.report.headline].per_document, strict=True))


def choose_documents(results: Results, worst: int) -> list[Id]:
    """The wrong documents of the last system, the lowest score first, then of others, and those that changed most."""
    reports = [system.report for system in reversed(results.systems)]
    wrong = dict.fromkeys(id for report in reports for id, _ in report.worst(report.documents))
    chosen = list(wrong)[:worst]
    for other in results.systems[1:] if worst else ():
        found = changes(results.systems[0], other)
        chosen += [one.id for one in (*found.worse[:CHANGED], *found.better[:CHANGED]) if one.id in wrong]
    return list(dict.fromkeys(chosen))


class ShownDocument(NamedTuple):
    """A document that is looked at more closely: a line that says what is wrong, and its views under each system."""

    id: Id
    anchor: str
    scores: list[str]
    change: str
    """Whether the last system is better or worse than the first, or the same."""
    fields: list[str]
    kinds: list[str]
    labels: list[str]
    seen: list[tuple[str, list[str]]]
    """For each system, what was wrong with the prediction as a whole, and its views."""

    @property
    def named(self) -> str:
        """What is wrong, in a few names: the fields, or else the kinds of errors and the labels."""
        names = self.fields or [*self.kinds, *self.labels]
        return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def show_documents(
    results: Results, ids: Sequence[Id], seen: Sequence[SeenSystem], lost: Sequence[Mapping[Any, str]]
) -> Iterator[ShownDocument]:
    """Each document under all systems, with one colour for each label; `lost` says what is unreadable."""
    palette = colours(view for system in seen for several in system.views.values() for view in several)
    values, numbers = [_bounds(system) for system in results.systems], results.view.numbers
    missing = [dict.fromkeys(system.missing, "no prediction") for system in results.systems]
    tables = [system.report.scores.fields or {} for system in results.systems]
    known = {path for table in tables for rows in table.values() for path in rows}
    errors: dict[Any, list[Error]] = {}
    for error in (error for system in seen for error in system.errors.found):
        errors.setdefault(error.document, []).append(error)
    anchors: dict[str, int] = {}
    for id in ids:
        bounds = [by_id.get(id) for by_id in values]
        views = [system.views.get(id, ()) for system in seen]
        drawn = [[to_html(_bare(view, results), palette=palette) for view in several] for several in views]
        whole = [why.get(id) or unread.get(id, "") for why, unread in zip(missing, lost, strict=True)]
        found = errors.get(id, [])
        yield ShownDocument(
            id,
            anchor_of(id, anchors),
            [
                "" if one is None else write_cell(float(one.lower), "score", numbers) if one.proved else str(one)
                for one in bounds
            ],
            _name_change(bounds[0], bounds[-1]) if len(bounds) > 1 else "",
            list(dict.fromkeys(_fields(found, known))),
            list(dict.fromkeys(error.kind for error in found)),
            list(dict.fromkeys(label for several in views for view in several for label in _labels(view))),
            list(zip(whole, drawn, strict=True)),
        )


def _bare(view: View, results: Results) -> View:
    """A view without what stands above it: the document, and its main score."""
    said = "" if view.metric == results.systems[0].report.headline else view.metric
    if said and view.score is not None:
        said = f"{said} {write_cell(float(view.score), 'score', results.view.numbers)}"
    return replace(view, title="", metric=said, score=None)


def anchor_of(id: Id, known: dict[str, int]) -> str:
    """What a link to a document says: `doc-r03`; equal ones are numbered."""
    name = "doc-" + (re.sub(r"[^\w.-]+", "-", str(id)).strip("-") or "0")
    known[name] = known.get(name, 0) + 1
    return name if known[name] == 1 else f"{name}-{known[name]}"


def _bounds(system: System) -> dict[Id, Bounds]:
    metric = system.report[system.report.headline]
    return {id: metric.bounds_of(place) for place, id in enumerate(system.report.scores.names)}


def _name_change(first: Bounds | None, last: Bounds | None) -> str:
    if first is None or last is None:
        return ""
    return "better" if last.lower > first.lower else "worse" if last.lower < first.lower else "same"


def _fields(errors: Sequence[Error], known: set[str]) -> Iterator[str]:
    """The fields that errors are in, as the table of fields calls them; a whole line is `lines[]`."""
    for error in errors:
        path = re.sub(r"\[\d+\]", "[]", error.where)
        if path and any(one == path or one.startswith((f"{path}.", f"{path}[")) for one in known):
            yield path


def _labels(view: View) -> Iterator[str]:
    for part in view.parts:
        if isinstance(part, ViewPassage):
            yield from (mark.label for mark in part.marks if mark.status != "right" and mark.label)


def unreadable_kinds(system: System, errors: Errors | None) -> dict[Any, str]:
    """Document -> why its prediction could not be read, as far as the kinds of errors say it."""
    lost = {one["document"] for one in system.unreadable}
    found = [] if errors is None else [error for error in errors.found if error.document in lost]
    return {error.document: error.kind for error in reversed(found) if error.kind != "missed"}


def unreadable_documents(
    results: Results, seen: Sequence[SeenSystem], kinds: Sequence[Mapping[Any, str]], most: int
) -> dict[Id, list[tuple[int, str, str]]]:
    """Document -> the systems whose prediction could not be read, each with the reason and with what was written."""
    found: dict[Id, list[tuple[int, str, str]]] = {}
    for place, (system, one, why) in enumerate(zip(results.systems, seen, kinds, strict=True)):
        for problem in system.unreadable:
            id = problem["document"]
            text = one.written.get(id, str(problem["problem"]))
            found.setdefault(id, []).append((place, why.get(id, "unreadable"), shorten(text, WRITTEN)))
    return dict(list(found.items())[:most])
