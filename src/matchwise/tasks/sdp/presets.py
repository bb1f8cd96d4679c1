"""The suites of semantic dependency parsing: edges with or without their labels, and graphs that are all right."""

from __future__ import annotations

from typing import Any, Literal

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite, after
from matchwise.tasks.catalogue.sdp import TASK
from matchwise.tasks.sdp.steps import Arguments, Sets, edge_sets, whole

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
    same = ENDS * _labels(labels)
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
    title = f"sdp:{preset}|tops:{str(tops).lower()}|labels:{'equal' if labels is None else labels}"
    title += "" if step.predications is None else f"|arguments:{step.predications}"
    cited = ("oepen-2019",) if preset == "mtool" else ("oepen-2015",)
    return Suite(after(edge_sets.of(step), metrics), references=dict.fromkeys(metrics, cited), title=title)


def _labels(labels: Similarity | None) -> Similarity:
    return eq("label") if labels is None else labels


def gradings(preset: str = "mtool", **options: Any) -> dict[str, Grading]:
    """Metric -> when an edge is correct, and when it is at least between the same nodes, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    credit = ENDS * _labels(options.get("labels"))
    return {"labeled": Grading("labeled", credit=credit, meets=ENDS, label="label", step=made.steps[0])}
