"""Constituency parsing: labelled and unlabelled brackets, complete matches, crossing brackets and tags.

>>> from matchwise.corpus.tally import Tally
>>> ref = "(S (NP (DT the) (NN man)) (VP (VBZ sleeps)) (. .))"
>>> pred = "(S (NP (DT the) (NN man)) (NP (VBZ sleeps)) (. .))"
>>> Tally(suite()).add(pred, ref).report()["labelled"].counts
Counts(matched=2, predicted=3, reference=3)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args

from matchwise.algebra.build import eq, f1, mean, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.errors import ExpressionError
from matchwise.tasks import Analyse, Option, Say, Task, similarity_option
from matchwise.tasks.constituency.steps import COLLINS as COLLINS
from matchwise.tasks.constituency.steps import NEW as NEW
from matchwise.tasks.constituency.steps import Evalb as Evalb
from matchwise.tasks.constituency.steps import Mismatch, Scored, Status, choose
from matchwise.tasks.constituency.steps import Parameters as Parameters
from matchwise.tasks.constituency.steps import evalb as evalb
from matchwise.tasks.constituency.steps import whole as whole
from matchwise.tasks.constituency.trees import Bracket as Bracket
from matchwise.tasks.constituency.trees import Tree as Tree
from matchwise.tasks.constituency.trees import parse as parse
from matchwise.tasks.constituency.trees import tree as tree
from matchwise.views.words import Words

if TYPE_CHECKING:
    from matchwise.views.model import View, ViewLine

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


MEETS = mean(2 * (eq("start") * eq("end")), eq("start") * eq("label"), eq("end") * eq("label"))
"""The same words, or the same label and one end."""


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence, bracket by bracket."""
    from matchwise.tasks.errors import Graded, analyse_graded

    name = metric if metric in ("labelled", "unlabelled") else next(iter(suite.metrics))

    def say(pred: Any, ref: Any) -> tuple[Say, Say]:
        words = words_of(suite, ref)
        return (lambda one: one.in_words(words),) * 2

    grading = grading_of(suite, name, MEETS)
    return analyse_graded(Graded("brackets", grading, kind, "missed bracket", "spurious bracket", say))


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
    from matchwise.tasks.views import view_of_levels
    from matchwise.views.model import ViewLines

    [levels], value = errors(suite, metric)([pred], [ref]), score(suite.metrics[metric], pred, ref)
    lines = tuple(_lines(*suite.steps[0](pred, ref), words_of(suite, ref)))
    return view_of_levels(levels, metric, value, drawn=[ViewLines("reference", lines)])


def _lines(pred: Scored, ref: Scored, words: Words) -> Iterator[ViewLine]:
    """The brackets of the reference, each below the one around it."""
    from matchwise.views.model import Chunk, ViewLine

    found, around = set(pred.brackets), list[Bracket]()
    for one in ref.brackets:
        while around and around[-1].end <= one.start:
            around.pop()
        yield ViewLine((Chunk(one.in_words(words)),), len(around), "right" if one in found else "missed")
        around.append(one)


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
            presets=("evalb",),
        ),
        Option(
            "mismatch",
            help="what becomes of a sentence whose words differ; `valid`, `errors` and `skipped` count them",
            choices=("skip", "error"),
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
    errors=errors,
)
