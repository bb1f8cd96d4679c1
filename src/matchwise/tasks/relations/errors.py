"""How relations go wrong: their type, an argument, the direction, missed or spurious."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matchwise.algebra.build import eq, overlap
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import grading_of
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import touch
from matchwise.tasks.analysis import Analyse, Graded
from matchwise.tasks.relations.documents import Relation, ends, relations


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a document; relations whose arguments overlap, either way round, are about the same."""
    metric = {"ign": "relations", "evidence": "relations"}.get(metric, metric)

    def levels(pred: Any, ref: Any) -> list[Any]:
        arguments = [end for side in (pred, ref) for one in _relations(side) for end in ends(one)]
        level = Graded("relations", grading_of(suite, metric, _meets(arguments)), kind)(pred, ref)
        names = getattr(ref, "names", ()) or getattr(pred, "names", ())
        if not names:
            return [level]
        named = (replace(case, pred=_name(case.pred, names), ref=_name(case.ref, names)) for case in level.cases)
        return [replace(level, cases=tuple(named))]

    return levels


def _name(one: Relation | None, names: Sequence[Sequence[str]]) -> Relation | None:
    """A relation between the names of its entities, where it has their numbers (DocRED)."""
    if one is None:
        return None
    subj, obj = (
        names[end][0] if isinstance(end, int) and 0 <= end < len(names) and names[end] else end for end in ends(one)
    )
    return replace(one, subj=subj, obj=obj)


def _meets(arguments: list[Any]) -> Similarity:
    """Similar if both arguments overlap or, for names and numbers, are equal."""
    spans = bool(arguments) and all(hasattr(one, "span") for one in arguments)
    return overlap(ends, touch("span") if spans else eq()) >= 2


def _relations(document: Any) -> list[Relation]:
    try:
        return relations(document)
    except ValueError:  # scoring says what is wrong with it
        return []


def kind(pred: Relation, ref: Relation) -> str:
    """What is wrong with a pair of relations between about the same arguments."""
    mine, theirs = (tuple(getattr(end, "span", end) for end in ends(one)) for one in (pred, ref))
    if mine == theirs[::-1] and mine != theirs:
        return "wrong direction"
    if pred.type != ref.type:
        return "wrong type" if mine == theirs else "wrong type and arguments"
    return "wrong argument type" if mine == theirs else "wrong argument"
