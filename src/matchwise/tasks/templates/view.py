"""A document with its templates: what is wrong with each of them, and the text where its fillers are places in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.tasks.templates.errors import Fillers, Said, reader
from matchwise.views.analysis import Case, Level, sides_of
from matchwise.views.model import Row, Rows, Status, View
from matchwise.views.words import Words, passages, words_of


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """Template by template, and in each of them filler by filler."""
    value = score(suite.metrics[metric], pred, ref)
    paired = reader(suite)(pred, ref)
    templates, fillers = paired.levels()
    mine, theirs = words_of(pred), words_of(ref)
    mine, theirs = mine or theirs, theirs or mine
    rows = Rows(tuple(_rows(paired, templates, fillers, mine, theirs)), right=len(fillers.right))
    return View("", (rows, *passages(*_standing(fillers), mine, theirs)), metric, value)


def _rows(paired: Fillers, templates: Level, fillers: Level, pred: Words, ref: Words) -> Iterator[Row]:
    """The templates of the reference in their order, then the spurious ones; those without errors are left out."""
    mine, theirs = (dict(zip(side.numbers, side.templates, strict=True)) for side in (paired.pred, paired.ref))
    inside: dict[int, list[Case]] = {}
    for case in fillers.cases:
        inside.setdefault((case.ref or case.pred).placed.pair, []).append(case)
    wrong = {(case.pred, case.ref) for case in templates.cases if case.kind == "wrong type"}
    for number in dict.fromkeys((*theirs, *mine)):
        pair = tuple(side[number].type if number in side else None for side in (mine, theirs))
        cases = inside.get(number, [])
        if pair[0] is None:
            if theirs[number].optional:
                continue
            yield Row("missed", "missed template", ref=pair[1])
        elif pair[1] is None:
            yield Row("spurious", "spurious template", pair[0])
        elif pair in wrong:
            yield Row("wrong", "wrong type", *pair)
        elif cases:
            yield Row("wrong", pair[1])
        for case in cases:
            yield Row(case.status, case.kind, *sides_of(case, pred, ref), depth=1)


def _standing(level: Level) -> tuple[list[tuple[Said, Status]], list[tuple[Said, Status]]]:
    """The fillers of both sides that stand on words of the text."""
    mine = [(case.pred, case.status) for case in level.cases if case.pred is not None]
    theirs = [(case.ref, case.status) for case in level.cases if case.ref is not None]
    mine += [(one, "right") for one, _ in level.right]
    theirs += [(one, "right") for _, one in level.right]
    return [one for one in mine if one[0].marks()], [one for one in theirs if one[0].marks()]
