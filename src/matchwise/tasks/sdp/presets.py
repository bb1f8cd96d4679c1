"""The suites of semantic dependency parsing: edges with or without their labels, and graphs that are all right."""

from __future__ import annotations

from typing import Any, Literal, get_args

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset, suggestion
from matchwise.tasks.sdp.sides import Arguments, Sets, whole

DESCRIPTION = "semantic dependency graphs: labelled and unlabelled edges with tops, and graphs that are all right"

PRESETS: dict[str, str] = {
    "mtool": (
        "mtool --score sdp: sets of edges and one virtual edge to each top, summed over graphs; nodes are the same if "
        "their anchors are; 0/0 is 0. Nodes without anchors, which are all one in mtool, are the same by their ids."
    ),
    "semeval15": (
        "the scorer of SemEval-2015 Task 18: as mtool, but nodes are the same by their ids, and with the complete "
        "predications, frames and senses of verbs; 0/0 is 0, not NaN."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "tops": {
        "values": (True, False),
        "default": "true",
        "help": "whether each top counts as a virtual edge",
    },
    "labels": {
        "values": ("a similarity of dependencies",),
        "default": 'eq("label")',
        "help": 'when two labels agree, as in labels=levels("label", separator="-")',
    },
    "arguments": {
        "values": ("dm", "pas", "psd"),
        "default": "dm",
        "help": "which edges are arguments of a predication (semeval15): all, those of PAS, or those of PSD",
    },
}

EXAMPLE = "matchwise score sdp system.sdp -r gold.sdp --by label"

_OEPEN_2015 = """@inproceedings{oepen-2015,
  title = {{SemEval} 2015 Task 18: Broad-Coverage Semantic Dependency Parsing},
  author = {Oepen, Stephan and Kuhlmann, Marco and Miyao, Yusuke and Zeman, Daniel and Cinkov{\\'a}, Silvie
            and Flickinger, Dan and Haji{\\v{c}}, Jan and Ure{\\v{s}}ov{\\'a}, Zde{\\v{n}}ka},
  booktitle = {Proceedings of the 9th International Workshop on Semantic Evaluation},
  pages = {915--926},
  year = {2015}
}"""

_OEPEN_2019 = """@inproceedings{oepen-2019,
  title = {{MRP} 2019: Cross-Framework Meaning Representation Parsing},
  author = {Oepen, Stephan and Abend, Omri and Haji{\\v{c}}, Jan and Hershcovich, Daniel and Kuhlmann, Marco
            and O'Gorman, Tim and Xue, Nianwen and Chun, Jayeol and Straka, Milan
            and Ure{\\v{s}}ov{\\'a}, Zde{\\v{n}}ka},
  booktitle = {Proceedings of the Shared Task on Cross-Framework Meaning Representation Parsing at {CoNLL} 2019},
  pages = {1--27},
  year = {2019}
}"""

REFERENCES: dict[str, str] = {"labeled": _OEPEN_2015, "mtool": _OEPEN_2019}


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
    recall(whole, f1("labeled", eq("source") * eq("target") * eq("label")) >= 1, empty=0)
    """
    check_preset(preset, PRESETS, "sdp")
    if not isinstance(tops, bool):
        raise ExpressionError(f"tops={tops!r} is unknown; write true or false")
    if arguments not in (None, *get_args(Arguments)):
        raise ExpressionError(f"arguments={arguments!r} is unknown{suggestion(str(arguments), get_args(Arguments))}")
    if arguments is not None and preset == "mtool":
        raise ExpressionError('arguments= belongs to semeval15; write preset="semeval15"')
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
    return Suite(metrics, references=dict.fromkeys(metrics, cited), prepare=step, title=title)


def _labels(labels: Similarity | None) -> Similarity:
    return eq("label") if labels is None else labels


def gradings(preset: str = "mtool", **options: Any) -> dict[str, Grading]:
    """Metric -> when an edge is correct, and when it is at least between the same nodes, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    credit = ENDS * _labels(options.get("labels"))
    return {"labeled": Grading("labeled", credit=credit, meets=ENDS, label="label", prepare=made.prepare)}
