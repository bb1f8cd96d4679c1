"""Show a document of a task, and count the errors of many: as the task declares, else by the alignment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.suite import Suite, as_suite
from matchwise.engine.plan import score
from matchwise.tasks import task as declared
from matchwise.tasks.analysis import analyse_fields, view_of_levels
from matchwise.tasks.declaration import Analyse
from matchwise.views.alignment import align
from matchwise.views.errors import Errors
from matchwise.views.model import View
from matchwise.views.model import view_of as view_of_alignment
from matchwise.views.words import words_of_both


def metric_of(task: str | None, suite: Suite) -> str:
    """The metric of a suite that documents are shown by unless another is named."""
    known = () if task is None else declared(task).shown
    return next((name for name in known if name in suite.metrics), next(iter(suite.metrics)))


def view_of(
    task: str | None,
    suite: Suite,
    metric: str,
    pred: Any,
    ref: Any,
    *,
    title: str = "",
    time_limit: float | None = None,
    gap: float = 0.0,
) -> View:
    """The view of a document under one metric of a suite: `view_of("ner", ner.suite(), "strict", pred, ref)`."""
    known = None if task is None else declared(task)
    if known is not None and known.view is not None:
        made: View = known.view(suite, metric, pred, ref)
        return replace(made, title=title)
    mine, theirs = words_of_both(pred, ref)
    if known is not None and known.errors is not None:
        levels = known.errors(suite, metric)(pred, ref)
        value = score(suite.metrics[metric], pred, ref)
        return replace(view_of_levels(levels, metric, value, mine, theirs), title=title)
    found = align(suite.metrics[metric], pred, ref, time_limit=time_limit, gap=gap)
    return view_of_alignment(found, title=title, metric=metric, words=theirs)


def analysis_of(task: str | None, suite: Suite, metric: str) -> Analyse:
    """The function that finds the errors of a document: the task's own, or one that goes value by value."""
    known = None if task is None else declared(task).errors
    found: Analyse = (known or analyse_fields)(suite, metric)
    return found


def explain(
    task: str | Suite | Similarity,
    preds: Iterable[Any],
    refs: Iterable[Any],
    *,
    metric: str | None = None,
    **options: Any,
) -> Errors:
    """Count what a system got wrong, by kind: `print(explain("ner", preds, refs))`. It takes the options of the suite.

    >>> print(explain("ner", [["B-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "B-ORG"]]))
    mentions   F1 0.0000   0 matched, 2 predicted, 2 reference
    kind      count  share of loss  F1 without
    boundary      1          50.0%      0.5000
    type          1          50.0%      0.5000
    <BLANKLINE>
    boundary
      0: 0–1 PER, should be 0–2 PER
    <BLANKLINE>
    type
      0: 2–3 LOC, should be 2–3 ORG
    """
    name = task if isinstance(task, str) else None
    suite = declared(task).suite(**options) if isinstance(task, str) else as_suite(task)
    find = analysis_of(name, suite, metric or metric_of(name, suite))
    made = Errors(())
    for number, (pred, ref) in enumerate(zip(preds, refs, strict=True)):
        add_document(made, find, pred, ref, getattr(ref, "id", None) or number)
    return made


def add_document(to: Errors, find: Analyse, pred: Any, ref: Any, id: str | int | None) -> None:
    """Count the errors of one document."""
    to.add(find(pred, ref), id, *words_of_both(pred, ref))
