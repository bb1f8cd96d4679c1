"""How brackets go wrong: a wrong label, a wrong extent, missing or extra brackets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.algebra.build import eq, mean
from matchwise.corpus.categories import grading_of
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.tasks.constituency.steps import Evalb, Scored, choose
from matchwise.tasks.constituency.trees import Bracket, tree
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.errors import Graded, Say, analyse_graded
from matchwise.tasks.views import view_of_levels
from matchwise.views.model import Chunk, Line, Lines, View
from matchwise.views.words import Words

MEETS = mean(2 * (eq("start") * eq("end")), eq("start") * eq("label"), eq("end") * eq("label"))
"""The same words, or the same label and one end."""


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence, bracket by bracket."""
    name = metric if metric in ("labelled", "unlabelled") else next(iter(suite.metrics))

    def say(pred: Any, ref: Any) -> tuple[Say, Say]:
        words = words_of(suite, ref)
        return (lambda one: one.in_words(words),) * 2

    grading = grading_of(suite, name, MEETS)
    return analyse_graded(Graded("brackets", grading, kind, "missing bracket", "extra bracket", say))


def kind(pred: Bracket, ref: Bracket) -> str:
    """What is wrong with a pair of brackets that are about the same."""
    return "wrong label" if (pred.start, pred.end) == (ref.start, ref.end) else "wrong extent"


def words_of(suite: Suite, document: Any) -> list[str]:
    """The words that EVALB keeps, by which brackets are counted."""
    found = tree(document)
    step = suite.steps[0].function
    return choose(found.words, step.count_kept(found.tags)) if isinstance(step, Evalb) else list(found.words)


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The brackets that are wrong, and the tree of the reference."""
    levels, value = analyse(suite, metric)(pred, ref), score(suite.metrics[metric], pred, ref)
    lines = tuple(_lines(*suite.steps[0](pred, ref), words_of(suite, ref)))
    return view_of_levels(levels, metric, value, drawn=[Lines("reference", lines)])


def _lines(pred: Scored, ref: Scored, words: Words) -> Iterator[Line]:
    """The brackets of the reference, each below the one around it."""
    found, around = set(pred.brackets), list[Bracket]()
    for one in ref.brackets:
        while around and around[-1].end <= one.start:
            around.pop()
        yield Line((Chunk(one.in_words(words)),), len(around), "right" if one in found else "missed")
        around.append(one)
