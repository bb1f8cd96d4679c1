"""How arguments of predicates go wrong: their role, their boundaries, missed or spurious."""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import eq
from matchwise.corpus.categories import grading_of
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import touch
from matchwise.tasks.analysis import Analyse, Graded

FLAT = ("arguments", "unlabeled", "labeled", "las", "uas", "label_accuracy", "labeled_micro", "unlabeled_micro")
"""The metrics that count arguments or dependencies; others are shown by the first of these."""


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence: two arguments of a predicate that overlap and are not the same are one error."""
    shown = metric if metric in FLAT else next(name for name in FLAT if name in suite.metrics)
    meets = eq("predicate") * touch("span")
    graded = Graded("arguments", grading_of(suite, shown, meets), kind)
    return lambda pred, ref: [graded(pred, ref)]


def kind(pred: Any, ref: Any) -> str:
    """What is wrong with a pair of arguments of one predicate."""
    if getattr(pred, "predicate", 0) is None:
        return "wrong sense"
    if pred.span == ref.span:
        return "wrong role"
    return "boundary" if pred.role == ref.role else "boundary and role"
