"""Constituency parsing: labelled and unlabelled brackets, complete matches, crossing brackets and tags.

>>> from matchwise.corpus.tally import Tally
>>> ref = "(S (NP (DT the) (NN man)) (VP (VBZ sleeps)) (. .))"
>>> pred = "(S (NP (DT the) (NN man)) (NP (VBZ sleeps)) (. .))"
>>> Tally(suite()).add(pred, ref).report()["labelled"].counts
Counts(matched=2, predicted=3, reference=3)
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.tasks.constituency.errors import analyse, view
from matchwise.tasks.constituency.parameters import COLLINS as COLLINS
from matchwise.tasks.constituency.parameters import NEW as NEW
from matchwise.tasks.constituency.parameters import Parameters as Parameters
from matchwise.tasks.constituency.steps import Evalb as Evalb
from matchwise.tasks.constituency.steps import Mismatch, Status
from matchwise.tasks.constituency.steps import evalb as evalb
from matchwise.tasks.constituency.steps import whole as whole
from matchwise.tasks.constituency.trees import Bracket as Bracket
from matchwise.tasks.constituency.trees import Tree as Tree
from matchwise.tasks.constituency.trees import parse as parse
from matchwise.tasks.constituency.trees import tree as tree
from matchwise.tasks.declaration import Option, Task, similarity_option

SPAN = eq("start") * eq("end")

LABELLED = ("labelled", "unlabelled", "tags")
"""What is counted by bracket or by tag, and so by label."""


def suite(
    preset: Literal["evalb", "paper"] = "evalb",
    *,
    parameters: str = "COLLINS",
    mismatch: Mismatch = "skip",
    cutoff: int | None = None,
    labels: Similarity | None = None,
) -> Suite:
    """The metrics of a preset, for trees, their texts, and nested lists.

    >>> suite()["labelled"]
    constituency.evalb() | f1("brackets", eq("start") * eq("end") * eq("label"), empty=0)
    """
    TASK.check(preset, parameters=parameters, mismatch=mismatch, cutoff=cutoff, labels=labels)
    same = SPAN * (eq("label") if labels is None else labels)
    if preset == "paper":
        metrics = {"labelled": f1("brackets", same), "unlabelled": f1("brackets", SPAN)}
        return TASK.make_suite(preset, metrics, whole(), cited=("black-1991",), title={"labels": labels})
    chosen = evalb(parameters=parameters, mismatch=mismatch, cutoff=cutoff)
    step: Evalb = chosen.function  # type: ignore[assignment]  # what does it
    if labels is not None and not step.parameters.labelled:
        raise ExpressionError(f"labels= compares labels, but {step.parameters} has LABELED 0; leave one of them out")
    made = _evalb(step, "", same, "")
    if step.cutoff is not None:
        made |= _evalb(step, "short.", same, f"_{step.cutoff}")
    said = {"parameters": step.parameters, "mismatch": mismatch, "cutoff": step.cutoff or "", "labels": labels}
    by = {"label": tuple(name for name in made if name.startswith(LABELLED))}
    return TASK.make_suite(preset, made, chosen, cited=("black-1991", "evalb"), by=by, title=said)


def _evalb(step: Evalb, path: str, same: Similarity, ending: str) -> dict[str, Similarity]:
    """The rows of EVALB's summary, with LABELED 1 and 0; `crossing` is brackets that cross for each sentence."""
    sentence = f"{path}whole"
    metrics = {
        "labelled": f1(f"{path}brackets", same, empty=0),
        "unlabelled": f1(f"{path}brackets", SPAN, empty=0),
        "complete": recall(sentence, f1("brackets", same) >= 1, empty=0),
        "complete_unlabelled": recall(sentence, f1("brackets", SPAN) >= 1, empty=0),
        "crossing": recall(f"{path}crossing", match="N:1", empty=0),
        "no_crossing": recall(sentence, eq("crossings"), empty=0),
        "few_crossing": recall(sentence, eq("many"), empty=0),
        "tags": f1(f"{path}tags", eq("place") * eq("label"), empty=0),
    }
    metrics |= {name: recall(f"{path}{name}", empty=0) for name in get_args(Status)}
    left_out = () if step.parameters.labelled else ("labelled", "complete")
    return {name + ending: phi for name, phi in metrics.items() if name not in left_out}


def gradings(preset: str = "evalb", **options: Any) -> dict[str, Grading]:
    """Metric -> when a bracket is correct, and when it at least covers the same words, for `Categories`.

    >>> sorted(gradings())
    ['labelled', 'tags']
    """
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    brackets = "labelled" if "labelled" in made else "unlabelled"
    return gradings_of(made, {brackets: SPAN, "tags": eq("place")}, "label")


TASK = Task(
    name="constituency",
    title="constituency parsing: labelled and unlabelled bracket F1, complete match, crossing brackets, tags",
    presets={
        "evalb": (
            "EVALB of 2006 with COLLINS.prm (or new.prm, or a file), unrounded: bags of brackets without "
            "punctuation, sentences whose words differ are left out and counted, and with cutoff=40 all again for "
            "the short ones; 0/0 is 0."
        ),
        "paper": "F1 over bags of labelled spans, with every label and every word as it is; 0/0 is 1.",
    },
    suite=suite,
    options=(
        Option(
            "parameters",
            help="what is left out, which labels are the same, and what else a file sets: LABELED, CUTOFF_LEN",
            choices=("COLLINS", "new"),
            takes="a file that ends in .prm",
            default="COLLINS",
            presets=("evalb",),
        ),
        Option(
            "mismatch",
            help="what becomes of a sentence whose words differ; `valid`, `errors` and `skipped` count them",
            choices=("skip", "error"),
            default="skip",
            presets=("evalb",),
        ),
        Option(
            "cutoff",
            help="every score is also given for the sentences of at most this many words; EVALB's is 40",
            type="count",
            takes="a number of words",
            default="none, or CUTOFF_LEN of the file",
            presets=("evalb",),
        ),
        similarity_option(
            "labels", "brackets", "when two labels agree", default='eq("label")', example='ontology({...}, "label")'
        ),
    ),
    formats=("ptb",),
    references={"labelled": ("black-1991",), "complete": ("evalb",)},
    example="matchwise score constituency system.mrg -r gold.mrg --option parameters=new",
    gradings=gradings,
    view=view,
    errors=analyse,
)
