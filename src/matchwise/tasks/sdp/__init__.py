"""Semantic dependency graphs: labelled and unlabelled edges with tops, and how many graphs are all right.

>>> from matchwise.corpus.tally import Tally
>>> ref = {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG2")]}
>>> pred = {"tops": [1], "edges": [(1, 0, "ARG1"), (1, 2, "ARG3")]}
>>> report = Tally(suite()).add(pred, ref).report()
>>> round(report["labeled"].f1, 4), report["unlabeled"].f1, report["unlabeled_exact"].value
(0.6667, 1.0, 1.0)
"""

from __future__ import annotations

from typing import Any, Literal

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite, after
from matchwise.tasks.catalogue.meanings import SDP as TASK
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.sdp.graphs import Edge as Edge
from matchwise.tasks.sdp.graphs import Graph as Graph
from matchwise.tasks.sdp.graphs import Node as Node
from matchwise.tasks.sdp.graphs import graph as graph
from matchwise.tasks.sdp.steps import Arguments, Dependency, Sets
from matchwise.tasks.sdp.steps import edge_sets as edge_sets
from matchwise.tasks.sdp.steps import whole as whole

ENDS = eq("source") * eq("target")


def suite(
    preset: Literal["mtool", "semeval15"] = "mtool",
    *,
    tops: bool = True,
    labels: Similarity | None = None,
    arguments: Arguments | None = None,
) -> Suite:
    """The metrics of a preset, for graphs and for lists or dictionaries of edges.

    >>> suite()["labeled_exact"]
    sdp.edge_sets() | recall(sdp.whole, f1("labeled", eq("source") * eq("target") * eq("label")) >= 1, empty=0)
    """
    TASK.check(preset, tops=tops, labels=labels, arguments=arguments)
    same = ENDS * (eq("label") if labels is None else labels)
    metrics = {
        "labeled": f1("labeled", same, empty=0),
        "unlabeled": f1("unlabeled", ENDS, empty=0),
        "labeled_exact": recall(whole, f1("labeled", same) >= 1, empty=0),
        "unlabeled_exact": recall(whole, f1("unlabeled", ENDS) >= 1, empty=0),
    }
    step = Sets(tops)
    if preset == "semeval15":
        step = Sets(tops, anchors=False, predications=arguments or "dm")
        metrics |= {
            "predications": f1("predications", eq("node") * eq("args"), empty=0),
            "frames": f1("predications", eq("node") * eq("sense") * eq("args"), empty=0),
            "senses": f1("predications", eq("node") * eq("sense"), empty=0),
        }
    title = TASK.name_suite(preset, tops=tops, labels=labels, arguments=step.predications or "")
    cited = ("oepen-2019",) if preset == "mtool" else ("oepen-2015",)
    return Suite(after(edge_sets.of(step), metrics), references=dict.fromkeys(metrics, cited), title=title)


def gradings(preset: str = "mtool", **options: Any) -> dict[str, Grading]:
    """Metric -> when an edge is correct, and when it is at least between the same nodes, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return gradings_of(made, {"labeled": ENDS}, "label")


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a graph, edge by edge; two edges to one node that are not the same are one error."""
    from matchwise.tasks.analysis import Graded, name_kind, say_cases

    name = metric if metric in ("labeled", "unlabeled") else "labeled"
    kind = name_kind("source", "label", ("wrong label", "wrong head", "wrong head and label"))
    graded = Graded("edges", grading_of(suite, name, eq("target")), kind, "missing edge", "extra edge")

    def levels(pred: Any, ref: Any) -> list[Any]:
        mine, theirs = _names(pred), _names(ref)
        both = mine | theirs
        return [say_cases(graded(pred, ref), lambda one: _say(one, both), lambda one: _say(one, theirs))]

    return levels


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
