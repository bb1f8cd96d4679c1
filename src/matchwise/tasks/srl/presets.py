"""The suites of semantic role labelling: arguments, propositions that are all right, and semantic dependencies."""

from __future__ import annotations

from typing import Any, Literal, get_args

from matchwise.algebra.build import eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset, suggestion
from matchwise.tasks.srl.sides import Continuations, Given, Predicates, both, parsed, whole, with_root

DESCRIPTION = "semantic role labelling: arguments per role, propositions that are all right, semantic dependencies"

PRESETS: dict[str, str] = {
    "conll05": (
        "srl-eval.pl of CoNLL-2005: C-X continues X, V does not count, predicates are given (propositions of others "
        "are left out, missing ones have no arguments); 0/0 is 0. Arguments inside arguments, which its data does not "
        "have, are compared by themselves."
    ),
    "conll09": (
        "eval09.pl of CoNLL-2009: senses as edges from a virtual root and arguments as edges from their predicates, "
        "labelled and not, propositions that are all right, the attachment scores of the parse, both together (micro), "
        "and sentences that are all right; 0/0 is 0. Its macro scores are means of these; punctuation is scored."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "predicates": {
        "values": get_args(Predicates),
        "default": "given",
        "help": "whether predicted propositions of other predicates are left out, or count as excess (conll05)",
    },
    "continuations": {
        "values": get_args(Continuations),
        "default": "join",
        "help": "whether C-X is a piece of X, or an argument of its own (conll05)",
    },
    "without": {
        "values": ("roles",),
        "default": '("V",)',
        "help": "roles that do not count (conll05)",
    },
    "roles": {
        "values": ("a similarity of arguments",),
        "default": 'eq("role")',
        "help": 'when two roles agree, as in roles=levels("role", separator="-")',
    },
}

EXAMPLE = "matchwise score srl system.props -r gold.props --by role --confusion"

_CARRERAS = """@inproceedings{carreras-marquez-2005,
  title = {Introduction to the {CoNLL}-2005 Shared Task: Semantic Role Labeling},
  author = {Carreras, Xavier and M{\\`a}rquez, Llu{\\'i}s},
  booktitle = {Proceedings of the Ninth Conference on Computational Natural Language Learning},
  pages = {152--164},
  year = {2005}
}"""

_HAJIC = """@inproceedings{hajic-2009,
  title = {The {CoNLL}-2009 Shared Task: Syntactic and Semantic Dependencies in Multiple Languages},
  author = {Haji{\\v{c}}, Jan and Ciaramita, Massimiliano and Johansson, Richard and Kawahara, Daisuke
            and Mart{\\'i}, Maria Ant{\\`o}nia and M{\\`a}rquez, Llu{\\'i}s and Meyers, Adam and Nivre, Joakim
            and Pad{\\'o}, Sebastian and {\\v{S}}t{\\v{e}}p{\\'a}nek, Jan and Stra{\\v{n}}{\\'a}k, Pavel
            and Surdeanu, Mihai and Xue, Nianwen and Zhang, Yi},
  booktitle = {Proceedings of the Thirteenth Conference on Computational Natural Language Learning},
  pages = {1--18},
  year = {2009}
}"""

REFERENCES: dict[str, str] = {"arguments": _CARRERAS, "labeled": _HAJIC}


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
    recall("propositions", eq("predicate") * (f1("args", eq("span") * eq("role")) >= 1), empty=0)
    """
    check_preset(preset, PRESETS, "srl")
    if preset == "conll09":
        if (predicates, continuations, without, roles) != (None, None, None, None):
            raise ExpressionError("conll09 has no options; leave them out, or write replace(suite, {...})")
        return Suite(
            _conll09(), references=dict.fromkeys(_conll09(), ("hajic-2009",)), prepare=with_root, title="srl:conll09"
        )
    step = _given(predicates, continuations, without)
    metrics = _conll05(eq("role") if roles is None else roles)
    left_out = ",".join(step.without) or "none"
    title = f"srl:conll05|predicates:{step.predicates}|continuations:{step.continuations}|without:{left_out}"
    title += f"|roles:{'equal' if roles is None else roles}"
    return Suite(metrics, references=dict.fromkeys(metrics, ("carreras-marquez-2005",)), prepare=step, title=title)


def _given(predicates: Any, continuations: Any, without: Any) -> Given:
    for name, value, known in (
        ("predicates", predicates, get_args(Predicates)),
        ("continuations", continuations, get_args(Continuations)),
    ):
        if value not in (None, *known):
            raise ExpressionError(f"{name}={value!r} is unknown{suggestion(str(value), known)}")
    left_out = ("V",) if without is None else (without,) if isinstance(without, str) else tuple(without)
    return Given(predicates or "given", continuations or "join", left_out)


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
    if preset == "conll09":
        edges = Grading("dependencies", credit=PLACE * eq("label"), meets=PLACE, label="role", prepare=made.prepare)
        return {"labeled": edges}
    roles = options.get("roles")
    credit = PLACE * (eq("role") if roles is None else roles)
    return {"arguments": Grading("arguments", credit=credit, meets=PLACE, label="role", prepare=made.prepare)}
