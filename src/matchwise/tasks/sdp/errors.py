"""How edges of a graph go wrong: a wrong label, a wrong head, missing or extra edges."""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import eq
from matchwise.corpus.categories import grading_of
from matchwise.corpus.suite import Suite
from matchwise.tasks.analysis import Analyse, Graded, say_cases
from matchwise.tasks.sdp.graphs import Graph, graph
from matchwise.tasks.sdp.steps import Dependency
from matchwise.views.errors import Level


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a graph, edge by edge; two edges to one node that are not the same are one error."""
    name = metric if metric in ("labeled", "unlabeled") else "labeled"
    graded = Graded("edges", grading_of(suite, name, eq("target")), kind, "missing edge", "extra edge")

    def levels(pred: Any, ref: Any) -> list[Level]:
        mine, theirs = _names(pred), _names(ref)
        both = mine | theirs
        return [say_cases(graded(pred, ref), lambda one: _say(one, both), lambda one: _say(one, theirs))]

    return levels


def kind(pred: Dependency, ref: Dependency) -> str:
    """What is wrong with a pair of edges to one node."""
    if pred.source == ref.source:
        return "wrong label"
    return "wrong head" if pred.label == ref.label else "wrong head and label"


def _names(document: Any) -> dict[Any, str]:
    """What nodes are called, by their ids and by their anchors: the text they stand for, or their label."""
    try:
        found: Graph = graph(document)
    except (TypeError, ValueError):  # a prediction that is missing
        return {}
    made: dict[Any, str] = {}
    for node in found.nodes:
        text = " ".join(found.text[start:end] for start, end in node.anchors)
        made[node.id] = made[node.anchors or node.id] = text or node.label or str(node.id)
    return made


def _say(edge: Dependency, names: dict[Any, str]) -> str:
    source, target = (names.get(end, str(end)) for end in (edge.source, edge.target))
    return f"{target} is a top" if edge.source is None else f"{source} –{edge.label or ''}→ {target}"
