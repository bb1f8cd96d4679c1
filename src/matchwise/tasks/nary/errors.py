"""How N-ary relations go wrong: their type, their arguments, missed or spurious; and the view, argument by argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from matchwise.algebra.build import overlap
from matchwise.algebra.nodes import Overlap, Similarity
from matchwise.algebra.walk import parts
from matchwise.corpus.categories import grading_of, sigma_of
from matchwise.corpus.suite import Suite
from matchwise.engine.one.pairs import chosen_pairs
from matchwise.engine.plan import score
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.errors import Graded, analyse_fields, analyse_graded
from matchwise.tasks.roles import NAryRelation
from matchwise.views.alignment import align
from matchwise.views.errors import Case, Level, sides_of
from matchwise.views.model import Row, Rows, Status, View, passages
from matchwise.views.model import view_of as view_of_alignment
from matchwise.views.words import Words, say, words_of_both

METRICS = ("relations", "binary")
"""The metrics that count relations."""


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: relations that share an argument and are not the same are one error."""
    if metric not in METRICS:
        return analyse_fields(suite, metric)
    filler = _filler(suite, metric)
    grading = grading_of(suite, metric, overlap("args", filler) >= 1)
    return analyse_graded(Graded("relations", grading, _kind(filler)))


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The relations that are wrong, each with its wrong arguments, and the text with what is marked in it."""
    mine, theirs = words_of_both(pred, ref)
    if metric not in METRICS:
        return view_of_alignment(align(suite.metrics[metric], pred, ref), metric=metric, words=theirs)
    [level] = analyse(suite, metric)(pred, ref)
    filler = _filler(suite, metric)
    rows = tuple(row for case in level.cases for row in _rows(case, filler, mine, theirs))
    marked = _mark(level, filler)
    counts = level.matched, level.predicted, level.reference
    value = score(suite.metrics[metric], pred, ref)
    return View("", (Rows(rows, right=len(level.right)), *passages(*marked, mine, theirs)), metric, value, counts)


def _mark(level: Level, filler: Similarity) -> tuple[list[tuple[Any, Status]], list[tuple[Any, Status]]]:
    """The arguments of both sides; in a pair that is wrong, those that are matched are right."""
    mine: list[tuple[Any, Status]] = []
    theirs: list[tuple[Any, Status]] = []
    pairs = [(case.pred, case.ref, case.status) for case in level.cases]
    for pred, ref, status in (*pairs, *((*pair, "right") for pair in level.right)):
        wrong: Any = ([], []) if pred is None or ref is None else _find_unmatched(pred, ref, filler)
        for side, one, others in ((mine, pred, wrong[0]), (theirs, ref, wrong[1])):
            whole = pred is None or ref is None
            side += [(arg, status if whole or arg in others else "right") for arg in (one.args if one else ())]
    return [one for one in mine if one[0].marks()], [one for one in theirs if one[0].marks()]


def _rows(case: Case, filler: Similarity, pred: Words, ref: Words) -> Iterator[Row]:
    if case.pred is None or case.ref is None:
        yield Row(case.status, case.kind, *sides_of(case, pred, ref))
        return
    yield Row(case.status, case.kind, *((case.pred.type, case.ref.type) if "type" in case.kind else ()))
    mine, theirs = _find_unmatched(case.pred, case.ref, filler)
    for one in theirs:
        other = next((other for other in mine if other.role == one.role), None)
        if other is not None:
            mine.remove(other)
        said = None if other is None else say(other.entity, pred)
        yield Row("missed" if other is None else "wrong", one.role, said, say(one.entity, ref), depth=1)
    for other in mine:
        yield Row("spurious", other.role, say(other.entity, pred), depth=1)


def _kind(filler: Similarity) -> Callable[[NAryRelation, NAryRelation], str]:
    """What is wrong with a pair of relations that share an argument."""

    def kind(pred: NAryRelation, ref: NAryRelation) -> str:
        mine, theirs = _find_unmatched(pred, ref, filler)
        wrong = "wrong argument" if len(mine) <= 1 and len(theirs) <= 1 else "wrong arguments"
        if pred.type == ref.type:
            return wrong
        return "wrong type and arguments" if mine or theirs else "wrong type"

    return kind


def _find_unmatched(pred: NAryRelation, ref: NAryRelation, filler: Similarity) -> tuple[list[Any], list[Any]]:
    """The arguments of either side that are not matched."""
    pairs = chosen_pairs(overlap("args", filler), pred, ref)
    mine, theirs = {i for i, _ in pairs}, {j for _, j in pairs}
    return (
        [one for place, one in enumerate(pred.args) if place not in mine],
        [one for place, one in enumerate(ref.args) if place not in theirs],
    )


def _filler(suite: Suite, metric: str) -> Similarity:
    """When two arguments are the same."""
    return next(one.inner for one in parts(sigma_of(suite, metric).inner) if isinstance(one, Overlap))
