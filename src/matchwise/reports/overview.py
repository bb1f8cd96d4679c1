"""The first screen of a report: the headline of each system, three sentences, and where credit is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import basename, splitext
from typing import Any, NamedTuple

from matchwise.algebra.nodes import Number
from matchwise.corpus.counts import Portion, label_text
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Derived
from matchwise.engine.selection import join
from matchwise.errors import count_units
from matchwise.reports.documents import changes
from matchwise.reports.results import Results, System
from matchwise.sheets.table import ALPHA, NumberStyle, write_cell
from matchwise.views.errors import Errors
from matchwise.views.values import write_change


def short_names(systems: Sequence[System]) -> list[str]:
    """The systems as sentences call them: without folder and ending, where they still differ.

    >>> short_names([System("runs/a.jsonl", Report), System("runs/b.jsonl", Report)])
    ['a', 'b']
    """
    names = [system.prediction for system in systems]
    files = list(map(basename, names))
    shorter = ([splitext(name)[0] for name in files], files)
    return next((some for some in shorter if all(some) and len(set(some)) == len(names)), names)


class Headline(NamedTuple):
    """The main score of a system, as it is shown large."""

    system: str
    file: str
    metric: str
    value: str
    interval: str
    ends: tuple[float, float, float] | None
    """The score and the ends of its interval, from 0 to 1, as they are drawn."""
    difference: str
    p: str


def headlines(results: Results) -> Iterator[Headline]:
    """The main score of each system, with its interval and its difference from the first."""
    names, numbers = short_names(results.systems), results.view.numbers
    for name, system in zip(names, results.systems, strict=True):
        metric = system.report.headline
        value, both = float(system.report[metric].value), system.intervals.get(metric)
        level = results.notes.get("intervals", {}).get("level", 0)
        ends = " to ".join(write_cell(end, "score", numbers) for end in both or ())
        is_share = 0 <= value <= 1 and all(0 <= end <= 1 for end in both or ())
        yield Headline(
            name,
            system.prediction,
            metric,
            write_cell(value, "score", numbers),
            f"{level * 100:g} % interval {ends}" if both else "",
            (value, *(both or (value, value))) if is_share else None,
            *_say_difference(results, system, names[0]),
        )


def _say_difference(results: Results, system: System, baseline: str) -> tuple[str, str]:
    """`9.1 points better than small` and `p = 0.0001`, as far as they are known."""
    base = results.systems[0]
    metric = base.report.headline
    by = float(system.report[metric].value) - float(base.report[metric].value)
    if system is base or not by:
        return "" if system is base else f"the same as {baseline}", ""
    points = " points" if results.view.numbers.percent else ""
    size = write_cell(abs(by), "score", results.view.numbers)
    said = f"{size}{points} {'better' if by > 0 else 'worse'} than {baseline}"
    if results.comparison is None:
        return said, ""
    p = results.comparison[metric, system.prediction].p_holm
    return said, f"p = {p:.4f}" + ("" if p <= ALPHA else ", which may be chance")


class PartScore(NamedTuple):
    """A field, a label or a metric under one system."""

    value: float
    precision: float | None = None
    recall: float | None = None
    wrong: Number | None = None
    missing: Number | None = None
    invented: Number | None = None
    reference: Number | None = None
    interval: tuple[float, float] | None = None


COUNTED = ("wrong", "missing", "invented")


class Parts(NamedTuple):
    """Where credit is lost: fields, labels or metrics, each under every system, the worst of the last system first."""

    unit: str
    title: str
    rows: tuple[tuple[str, tuple[PartScore | None, ...]], ...]
    names: tuple[str, ...]

    def table(self, numbers: NumberStyle) -> dict[str, Any]:
        """What the template draws: the heads of columns, and of each row its name, its bars and its cells."""
        shown = [scores for _, scores in self.rows]
        counted = [name for name in COUNTED if _has(shown, name)]
        one = len(self.names) == 1
        sides = ["precision", "recall"] if one and _has(shown, "precision") else []
        heads = [*(["F1" if sides or counted else "score"] if one else self.names), *([] if one else ["change"])]
        rows = []
        for name, scores in self.rows:
            values = [None if score is None else score.value for score in scores]
            cells = [_write(value, numbers) for value in values]
            if not one:
                first, last = values[0], values[-1]
                cells.append("–" if first is None or last is None else _write_change(last - first, numbers))
            cells += [_write(getattr(scores[0], side), numbers) for side in sides]
            cells += [write_change(_count(score, name) for score in scores) for name in counted]
            said = [_describe(*both, numbers) for both in zip(self.names, scores, strict=True)]
            rows.append({"name": name, "bars": values, "cells": cells, "said": "; ".join(filter(None, said))})
        return {"title": self.title, "unit": self.unit, "heads": [*heads, *sides, *counted], "rows": rows}


def _has(shown: Iterable[tuple[PartScore | None, ...]], name: str) -> bool:
    return any(getattr(score, name, None) is not None for scores in shown for score in scores)


def _write(value: float | None, numbers: NumberStyle) -> str:
    return "–" if value is None else write_cell(value, "score", numbers)


def _write_change(by: float, numbers: NumberStyle) -> str:
    return write_cell(by, "signed" if by else "score", numbers)


def _count(score: PartScore | None, name: str) -> str:
    value = getattr(score, name, None)
    return "0" if value is None else f"{float(value):.1f}".removesuffix(".0")


def _describe(name: str, score: PartScore | None, numbers: NumberStyle) -> str:
    if score is None:
        return ""
    said = f"{name} {write_cell(score.value, 'score', numbers)}"
    ends = " to ".join(write_cell(end, "score", numbers) for end in score.interval or ())
    return f"{said} ({ends})" if ends else said


def parts(results: Results) -> list[Parts]:
    """The labels and fields that were counted, then the metrics if there are several, or nothing else."""
    found = []
    report = results.systems[0].report
    if report.scores.labels is not None and report.labelled:
        unit = join("", report.scores.by)
        found.append(_gather(results, unit, f"by {unit}", _labels, _focus(report, report.labelled)))
    if report.scores.fields:
        found.append(_gather(results, "field", "by field", _fields, _focus(report, report.scores.fields)))
    found = [some for some in found if some.rows]
    return (
        found if found and len(list(report)) == 1 else [*found, _gather(results, "metric", "by metric", _metrics, "")]
    )


def _focus(report: Report, known: Iterable[str]) -> str:
    """The metric whose parts are shown: the headline, or else the first that has parts."""
    names = list(known)
    return report.headline if report.headline in names else names[0]


def _gather(
    results: Results,
    unit: str,
    title: str,
    read: Callable[[System, str], Iterator[tuple[str, PartScore]]],
    metric: str,
) -> Parts:
    by_system = [dict(read(system, metric)) for system in results.systems]
    rows = [
        (name, tuple(some.get(name) for some in by_system)) for name in dict.fromkeys(n for s in by_system for n in s)
    ]
    if unit != "metric":
        rows.sort(key=lambda row: next(score.value for score in reversed(row[1]) if score is not None))
    of = f", {metric}" if metric and len(list(results.systems[0].report)) > 1 else ""
    return Parts(unit, f"Scores {title}{of}", tuple(rows), tuple(short_names(results.systems)))


def _fields(system: System, metric: str) -> Iterator[tuple[str, PartScore]]:
    for row in system.report.fields():
        if row.metric == metric:
            interval = system.part_intervals.get(Portion("field", metric, row.path))
            counts = row.wrong, row.missing, row.invented, row.reference
            yield row.path, PartScore(row.f1, row.precision, row.recall, *counts, interval)


def _labels(system: System, metric: str) -> Iterator[tuple[str, PartScore]]:
    """The labels; whatever has another label on the other side is missing here and invented there."""
    for label, slices in system.report.by.items():
        one = slices[metric]
        if one.occurs:
            counts = one.counts
            missing, invented = counts.reference - counts.found, counts.predicted - counts.matched
            interval = system.part_intervals.get(Portion("label", metric, label))
            scores = one.f1, one.precision, one.recall
            yield label_text(label), PartScore(*scores, None, missing, invented, counts.reference, interval)


def _metrics(system: System, _: str) -> Iterator[tuple[str, PartScore]]:
    for name in system.report:
        one = system.report[name]
        precision, recall = (one.precision, one.recall) if one.has_sides else (None, None)
        yield name, PartScore(float(one.value), precision, recall, interval=system.intervals.get(name))


class Sentence(NamedTuple):
    """A sentence whose subject stands out."""

    before: str
    subject: str
    after: str


def sentences(results: Results, errors: Sequence[Errors]) -> list[Sentence]:
    """What the numbers say: the weakest part, the largest kind of error, and what changed or how many are right."""
    return [*_weakest(results), *_largest(results, errors), *_changed(results)]


def _weakest(results: Results) -> Iterator[Sentence]:
    """The part with the lowest score in the last system, of those that the reference has."""
    found, report = parts(results)[0], results.systems[-1].report
    headline = report[report.headline]
    inside = headline.entry.names if isinstance(headline.entry, Derived) else tuple(report)
    known = [
        (last.value, name, last, scores[0])
        for name, scores in found.rows
        if (last := scores[-1]) is not None and last.reference != 0 and (found.unit != "metric" or name in inside)
    ]
    if len(known) < 2:
        return
    value, name, last, first = min(known, key=lambda one: one[0])
    counted = [f"{_count(last, one)} {one}" for one in COUNTED if getattr(last, one)]
    sides = [f"{one} {_write(getattr(last, one), results.view.numbers)}" for one in ("precision", "recall")]
    said = f": {_write(value, results.view.numbers)}"
    if len(results.systems) > 1:
        said += f" in {found.names[-1]}"
    said += f" ({', '.join(counted or sides)})" if counted or last.precision is not None else ""
    if len(results.systems) > 1 and first is not None:
        said += f", {_write(first.value, results.view.numbers)} in {found.names[0]}"
    unit = found.unit if found.unit in ("field", "metric") else "label"
    yield Sentence(f"The weakest {unit} is ", name, f"{said}.")


def _largest(results: Results, errors: Sequence[Errors]) -> Iterator[Sentence]:
    """The kind with the largest share of the loss of the last system, among the elements that are counted first."""
    if not errors:
        return
    for level, total in errors[-1].totals.items():
        kind, share, _ = next(total.rows(), (None, 0.0, 0.0))
        if kind is None:
            continue
        of = f" of {level}" if len(errors[-1].totals) > 1 else ""
        names = short_names(results.systems)
        before = errors[0].totals.get(level)
        was = before.kinds.get(kind.name) if before is not None and len(errors) > 1 else None
        said = f": {count_units(kind.count, 'errors')}, {share:.0%} of what is lost"
        if len(errors) > 1:
            said += f" in {names[-1]}; {0 if was is None else was.count} in {names[0]}"
        yield Sentence(f"The largest kind of error{of} is ", kind.name, f"{said}.")
        return


def _changed(results: Results) -> Iterator[Sentence]:
    """What is better and worse than in the first system; of one system, how many documents are right."""
    base, last = results.systems[0], results.systems[-1]
    if base.report.scores.keep == "sums":
        return
    if last is base:
        right = sum(base.report[base.report.headline].right)
        of = count_units(results.documents, "documents")
        lost = len(base.unreadable)
        said = f" {'is' if right == 1 else 'are'} all right" + (f"; {lost} could not be read" if lost else "")
        yield Sentence("", f"{right} of {of}", f"{said}.")
        return
    names, found = short_names(results.systems), changes(base, last)
    moved = [
        (scores[-1].value - scores[0].value, name)
        for name, scores in parts(results)[0].rows
        if scores[0] is not None and scores[-1] is not None
    ]
    said = f" and {len(found.worse)} worse in {names[-1]} than in {names[0]}, {found.same} the same"
    for (by, name), word in ((max(moved), "gained"), (min(moved), "lost")) if moved else ():
        if by > 0 if word == "gained" else by < 0:
            said += f"; {name} {word} most ({_write_change(by, results.view.numbers)})"
    yield Sentence("", f"{count_units(len(found.better), 'documents')} better", f"{said}.")


class Problem(NamedTuple):
    """Something wrong with the input: how often in each system, and which documents."""

    said: str
    total: str
    counts: tuple[int, ...]
    examples: tuple[str, ...] = ()


EXAMPLES = 20
"""Documents that a problem names."""


def problems(results: Results, errors: Sequence[Errors]) -> list[Problem]:
    """What is wrong with the input, grouped: whole documents, then what does not fit in the others."""
    found: dict[str, list[list[str]]] = {}
    counts: dict[str, list[int]] = {}

    def add(said: str, place: int, number: int, some: Iterable[object] = ()) -> None:
        counts.setdefault(said, [0] * len(results.systems))[place] += number
        found.setdefault(said, [[] for _ in results.systems])[place] += map(str, some)

    for place, system in enumerate(results.systems):
        if system.missing:
            add("without prediction", place, len(system.missing), system.missing)
        kinds = unreadable_kinds(system, errors[place] if errors else None)
        for one in system.unreadable:
            add(kinds.get(one["document"], "unreadable"), place, 1, [one["document"]])
        if system.errors:
            add("could not be scored", place, len(system.errors), (one["problem"] for one in system.errors))
        for said, times in system.faults.items():
            add(said, place, times)
    several = len(results.systems) > 1
    names = short_names(results.systems)
    made = []
    for said, numbers in counts.items():
        lists = [
            (f"{name}: " if several else "") + ", ".join(some[:EXAMPLES]) + (", …" if len(some) > EXAMPLES else "")
            for name, some in zip(names, found[said], strict=True)
            if some
        ]
        made.append(Problem(said, write_change(map(str, numbers)), tuple(numbers), tuple(lists)))
    return sorted(made, key=lambda one: not one.examples)


def unreadable_kinds(system: System, errors: Errors | None) -> dict[object, str]:
    """Document -> why its prediction could not be read, as far as the kinds of errors say it."""
    lost = {one["document"] for one in system.unreadable}
    found = [] if errors is None else [error for error in errors.found if error.document in lost]
    return {error.document: error.kind for error in reversed(found) if error.kind != "missing"}
