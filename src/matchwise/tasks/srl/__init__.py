"""Semantic role labelling: the arguments of predicates by span (CoNLL-2005) or by head word (CoNLL-2009).

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1"), (6, 8, "C-A1")]}]
>>> pred = [{"predicate": 1, "verb": "say", "args": [(0, 1, "A0"), (2, 4, "A1")]}]
>>> Tally(suite()).add(pred, ref).report()["arguments"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

from typing import Any, Literal

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import touch
from matchwise.tasks.declaration import Analyse, Option, Task, label_option
from matchwise.tasks.errors import Graded, analyse_graded, name_kind
from matchwise.tasks.srl.propositions import Argument as Argument
from matchwise.tasks.srl.propositions import Proposition as Proposition
from matchwise.tasks.srl.propositions import PropositionSet as PropositionSet
from matchwise.tasks.srl.propositions import join_continuations as join_continuations
from matchwise.tasks.srl.propositions import proposition as proposition
from matchwise.tasks.srl.propositions import propositions as propositions
from matchwise.tasks.srl.steps import Continuations, GivenPredicates, Predicates
from matchwise.tasks.srl.steps import both as both
from matchwise.tasks.srl.steps import conll05 as conll05
from matchwise.tasks.srl.steps import conll09 as conll09
from matchwise.tasks.srl.steps import parsed as parsed
from matchwise.tasks.srl.steps import whole as whole

PLACE = eq("predicate") * eq("span")


def suite(
    preset: Literal["conll05", "conll09"] = "conll05",
    *,
    predicates: Predicates | None = None,
    continuations: Continuations | None = None,
    without: tuple[str, ...] | list[str] | str | None = None,
    roles: Similarity | None = None,
) -> Suite:
    """The metrics of a preset, for proposition sets and for lists or dictionaries of propositions.

    >>> suite()["propositions"]
    srl.conll05() | recall("propositions", eq("predicate") * (f1("args", eq("span") * eq("role")) >= 1), empty=0)
    """
    TASK.check(preset, predicates=predicates, continuations=continuations, without=without, roles=roles)
    if preset == "conll09":
        return TASK.make_suite(preset, _conll09(), conll09(), cited=("hajic-2009",))
    left_out = ("V",) if without is None else (without,) if isinstance(without, str) else tuple(without)
    step = GivenPredicates(predicates or "given", continuations or "join", left_out)
    metrics = _conll05(eq("role") if roles is None else roles)
    said = {
        "predicates": step.predicates,
        "continuations": step.continuations,
        "without": ",".join(step.without) or "none",
        "roles": roles,
    }
    return TASK.make_suite(preset, metrics, conll05.of(step), cited=("carreras-marquez-2005",), title=said)


def _conll05(role: Similarity) -> dict[str, Similarity]:
    return {
        "arguments": f1("arguments", PLACE * role, empty=0),
        "unlabeled": f1("arguments", PLACE, empty=0),
        "propositions": recall("propositions", eq("predicate") * (f1("args", eq("span") * role) >= 1), empty=0),
    }


def _conll09() -> dict[str, Similarity]:
    edge = PLACE * eq("label")
    return {
        "labeled": f1("dependencies", edge, empty=0),
        "unlabeled": f1("dependencies", PLACE, empty=0),
        "propositions": f1("propositions", eq("predicate") * eq("sense") * (f1("args") >= 1), empty=0),
        "exact": recall(whole, f1("dependencies", edge) >= 1, empty=0),
        "las": f1("arcs", edge, empty=0),
        "uas": f1("arcs", PLACE, empty=0),
        "label_accuracy": f1("arcs", eq("span") * eq("label"), empty=0),
        "exact_parse": recall(parsed, f1("arcs", edge) >= 1, empty=0),
        "labeled_micro": f1(both, edge, empty=0),
        "unlabeled_micro": f1(both, PLACE, empty=0),
        "exact_both": recall(parsed, f1(both, edge) >= 1, empty=0),
    }


def gradings(preset: str = "conll05", **options: Any) -> dict[str, Grading]:
    """Metric -> when an argument is correct, and when it has at least the right span, for `Categories`.

    The confusion of `arguments` is that of srl-eval.pl -C, without V.
    """
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return gradings_of(made, {"labeled" if preset == "conll09" else "arguments": PLACE}, "role")


FLAT = ("arguments", "unlabeled", "labeled", "las", "uas", "label_accuracy", "labeled_micro", "unlabeled_micro")
"""The metrics that count arguments or dependencies; others are shown by the first of these."""


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a sentence: two arguments of a predicate that overlap and are not the same are one error."""
    other = name_kind("span", "role", ("wrong role", "boundary", "boundary and role"))

    def kind(pred: Any, ref: Any) -> str:
        return "wrong sense" if getattr(pred, "predicate", 0) is None else other(pred, ref)

    shown = metric if metric in FLAT else next(name for name in FLAT if name in suite.metrics)
    return analyse_graded(Graded("arguments", grading_of(suite, shown, eq("predicate") * touch("span")), kind))


TASK = Task(
    name="srl",
    title="semantic role labelling: arguments per role, propositions that are all right, semantic dependencies",
    presets={
        "conll05": (
            "srl-eval.pl of CoNLL-2005: C-X continues X, V does not count, predicates are given (propositions of "
            "others are left out, missing ones have no arguments); 0/0 is 0. Arguments inside arguments, which "
            "its data does not have, are compared by themselves."
        ),
        "conll09": (
            "eval09.pl of CoNLL-2009: senses as edges from a virtual root and arguments as edges from their "
            "predicates, labelled and not, propositions that are all right, the attachment scores of the parse, "
            "both together (micro), and sentences that are all right; 0/0 is 0. Its macro scores are means of "
            "these; punctuation is scored."
        ),
    },
    suite=suite,
    options=(
        Option(
            "predicates",
            help="whether predicted propositions of other predicates are left out, or count as excess",
            choices=("given", "predicted"),
            default="given",
            presets=("conll05",),
        ),
        Option(
            "continuations",
            help="whether C-X is a piece of X, or an argument of its own",
            choices=("join", "separate"),
            default="join",
            presets=("conll05",),
        ),
        Option(
            "without",
            help="roles that do not count",
            type="words",
            takes="roles",
            default='("V",)',
            presets=("conll05",),
        ),
        label_option("roles", "arguments", "role", "roles", separator="-", presets=("conll05",)),
    ),
    formats=("conll09", "conll05", "propositions"),
    references={"arguments": ("carreras-marquez-2005",), "labeled": ("hajic-2009",)},
    example="matchwise score srl system.props -r gold.props --by role --confusion",
    gradings=gradings,
    errors=errors,
)
