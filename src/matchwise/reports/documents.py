"""The documents of a report: which are shown, how they changed between systems, and what is wrong with each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds
from matchwise.reports.results import Results, System
from matchwise.sheets.table import NumberStyle, write_cell
from matchwise.views.errors import Error, Errors
from matchwise.views.html import to_html
from matchwise.views.model import View, ViewPassage, colours

CHANGED = 10
"""Documents that got better, and as many that got worse, which are listed."""

NAMED = 4
"""Fields or kinds that the line of a document names."""

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
    return Changes(better, worse, len(found) - len(better) - len(worse))


def _values(system: System) -> dict[Id, float]:
    """Document -> its main score."""
    return dict(zip(system.report.scores.names, system.report[system.report.headline].per_document, strict=True))


def choose_documents(results: Results, worst: int) -> list[Id]:
    """The wrong documents with the lowest scores of any system, and after them those that changed most."""
    lowest: dict[Id, float] = {}
    for system in results.systems:
        for id, value in system.report.worst(system.report.documents):
            lowest[id] = min(lowest.get(id, float("inf")), value)
    chosen = sorted(lowest, key=lambda id: lowest[id])[:worst]
    for other in results.systems[1:] if worst else ():
        found = changes(results.systems[0], other)
        chosen += [one.id for one in (*found.worse[:CHANGED], *found.better[:CHANGED]) if one.id in lowest]
    return list(dict.fromkeys(chosen))


class ShownDocument(NamedTuple):
    """A document that is looked at more closely: a line that says what is wrong, and its views under each system."""

    id: Id
    anchor: str
    scores: tuple[str, ...]
    change: str
    fields: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    seen: tuple[dict[str, Any], ...]

    @property
    def named(self) -> str:
        """What is wrong, in a few names: the fields, or else the kinds of errors."""
        names = self.fields or self.kinds
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return ", ".join(names[:NAMED]) + more


def show_documents(
    results: Results, ids: Sequence[Id], seen: Sequence[SeenSystem], lost: Sequence[Mapping[Any, str]]
) -> Iterator[ShownDocument]:
    """Each document under all systems, with one colour for each label; `lost` says what is unreadable."""
    missing = [set(system.missing) for system in results.systems]
    values = [_bounds(system) for system in results.systems]
    views = [view for system in seen for several in system.views.values() for view in several]
    palette = colours(views)
    errors = [_by_document(system.errors) for system in seen]
    anchors: dict[str, int] = {}
    for id in ids:
        found = [error for some in errors for error in some.get(id, ())]
        scores = [by_id.get(id) for by_id in values]
        shown = [
            {
                "place": place,
                "score": "" if score is None else _write(score, results.view.numbers),
                "problem": "no prediction" if id in missing[place] else lost[place].get(id, ""),
                "views": [to_html(replace(view, title=""), palette=palette) for view in one.views.get(id, ())],
            }
            for place, (system, one, score) in enumerate(zip(results.systems, seen, scores, strict=True))
        ]
        yield ShownDocument(
            id,
            anchor_of(id, anchors),
            tuple(str(one["score"]) for one in shown),
            _name_change(scores),
            tuple(dict.fromkeys(_fields(results, found))),
            tuple(dict.fromkeys(error.kind for error in found)),
            tuple(dict.fromkeys(label for one in seen for view in one.views.get(id, ()) for label in _labels(view))),
            tuple(shown),
        )


def anchor_of(id: Id, known: dict[str, int]) -> str:
    """What a link to a document says: `doc-r03`; equal ones are numbered."""
    name = "doc-" + (re.sub(r"[^\w.-]+", "-", str(id)).strip("-") or "0")
    known[name] = known.get(name, 0) + 1
    return name if known[name] == 1 else f"{name}-{known[name]}"


def _bounds(system: System) -> dict[Id, Bounds]:
    metric = system.report[system.report.headline]
    return {id: metric.bounds_of(place) for place, id in enumerate(system.report.scores.names)}


def _write(value: Bounds, numbers: NumberStyle) -> str:
    return write_cell(float(value.lower), "score", numbers) if value.proved else str(value)


def _name_change(scores: Sequence[Bounds | None]) -> str:
    if len(scores) < 2 or scores[0] is None or scores[-1] is None:
        return ""
    first, last = scores[0].lower, scores[-1].lower
    return "better" if last > first else "worse" if last < first else "same"


def _by_document(errors: Errors) -> dict[Any, list[Error]]:
    found: dict[Any, list[Error]] = {}
    for error in errors.found:
        found.setdefault(error.document, []).append(error)
    return found


def _fields(results: Results, errors: Sequence[Error]) -> Iterator[str]:
    """The fields that errors are in, as the table of fields calls them; a whole line is `lines[]`."""
    tables = [system.report.scores.fields or {} for system in results.systems]
    known = {path for table in tables for rows in table.values() for path in rows}
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
    return {error.document: error.kind for error in reversed(found) if error.kind != "missing"}


def unreadable_documents(
    results: Results, seen: Sequence[SeenSystem], kinds: Sequence[Mapping[Any, str]], most: int
) -> list[dict[str, Any]]:
    """The predictions that could not be read, document by document: why, and what stands in them."""
    found: dict[Id, list[dict[str, Any]]] = {}
    for place, (system, one, why) in enumerate(zip(results.systems, seen, kinds, strict=True)):
        for problem in system.unreadable:
            id = problem["document"]
            text = one.written.get(id, str(problem["problem"]))
            kind = why.get(id, "unreadable")
            found.setdefault(id, []).append(
                {"place": place, "kind": kind, "text": text[:WRITTEN], "cut": len(text) > WRITTEN}
            )
    return [{"id": id, "several": several} for id, several in list(found.items())[:most]]
