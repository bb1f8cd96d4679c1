"""How mentions go wrong: their boundaries, their type, both, missed or spurious."""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import eq
from matchwise.corpus.categories import grading_of
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import touch
from matchwise.tasks.analysis import Analyse, Graded

LEVELS = ("mentions",)


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence under a metric; two mentions that overlap and are not the same are one error."""
    if metric == "accuracy":
        graded = Graded("tokens", grading_of(suite, metric, eq("place")), lambda pred, ref: "wrong tag")
    else:
        graded = Graded("mentions", grading_of(suite, metric, touch("span")), kind)
    return lambda pred, ref: [graded(pred, ref)]


def kind(pred: Any, ref: Any) -> str:
    """What is wrong with a pair of mentions that overlap."""
    if pred.span == ref.span:
        return "type"
    return "boundary" if pred.type == ref.type else "boundary and type"
