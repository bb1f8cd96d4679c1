"""Triples of subject, relation and object: graphs with blank nodes, and what WebNLG, Text2KGBench and CaRB do.

>>> from matchwise import Var
>>> from matchwise.corpus.tally import Tally
>>> ref = [("Ada", "address", Var("_:a")), (Var("_:a"), "city", "Bath")]
>>> pred = [("Ada", "address", Var("_:x")), (Var("_:x"), "city", "Bern")]
>>> Tally(suite()).add(pred, ref).report()["triples"].counts
Counts(matched=1, predicted=2, reference=2)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import itemgetter
from typing import Any, Literal

from matchwise.algebra.build import custom, eq, f1, harmonic, latent, mean, precision, recall, union, var
from matchwise.algebra.names import Var
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import read_sides, step
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.tasks import Analyse, Task
from matchwise.tasks.triples.statements import CarbScores as CarbScores
from matchwise.tasks.triples.statements import Triple as Triple
from matchwise.tasks.triples.statements import TripleSet as TripleSet
from matchwise.tasks.triples.statements import carb_scores
from matchwise.tasks.triples.statements import ent_type as ent_type
from matchwise.tasks.triples.statements import exact as exact
from matchwise.tasks.triples.statements import greedy_pairs as greedy_pairs
from matchwise.tasks.triples.statements import mean_of_four as mean_of_four
from matchwise.tasks.triples.statements import partial as partial
from matchwise.tasks.triples.statements import strict as strict
from matchwise.tasks.triples.statements import triple as triple
from matchwise.tasks.triples.statements import triples as triples
from matchwise.tasks.triples.statements import webnlg_triples as webnlg_triples
from matchwise.tasks.triples.statements import word_precision as word_precision
from matchwise.tasks.triples.statements import word_recall as word_recall


def suite(preset: Literal["graph", "webnlg", "text2kgbench", "carb"] = "graph") -> Suite:
    """The metrics of a preset, for triple sets and for lists or dictionaries of triples.

    >>> suite("text2kgbench")["f1"]
    triples.known_relations() | mean(f1(empty=0))
    """
    TASK.check(preset)
    match preset:
        case "webnlg":
            kinds = {"strict": strict, "exact": exact, "partial": partial, "ent_type": ent_type}
            best = custom(mean_of_four, facts=("unit",))
            metrics = {name: f1(None, custom(scheme, facts=("unit",)), align_by=best) for name, scheme in kinds.items()}
            return TASK.make_suite(preset, metrics, webnlg_triples())
        case "text2kgbench":
            made = {"precision": precision, "recall": recall, "f1": f1}
            return TASK.make_suite(preset, {name: mean(of(empty=0)) for name, of in made.items()}, known_relations())
        case "carb":
            found = recall(None, custom(word_recall, "triple", facts=("unit",)), match="1:N", empty=0)
            right = custom(word_precision, "triple", facts=("unit",))
            return TASK.make_suite(
                preset,
                {
                    "carb": harmonic(precision(None, eq("pair") * right, empty=0), found),
                    "optimal": harmonic(precision(None, right, empty=0), found),
                },
                greedy_pairs(),
            )
    return TASK.make_suite(preset, {"triples": same_triples()})


def same_triples() -> Similarity:
    """F1 of equal triples, under the best 1:1 matching of blank nodes.

    >>> from matchwise import unicode
    >>> print(unicode(same_triples()))
    max_{M_V} F↔_triples[δ_rel × φ_subj∈{Var: φ̃_Var, str: δ} × φ_obj∈{Var: φ̃_Var, str: δ}]
    """
    end: dict[type | str, Similarity] = {Var: var(), str: eq()}
    return latent(f1(triples, eq("rel") * union("subj", end) * union("obj", end)))


@step
def known_relations(pred: Any, ref: Any) -> tuple[list[str], list[str]]:
    """Both sides as Text2KGBench compares them: a set of texts, of predictions whose relation the reference has.

    >>> known_relations()([("Ada", "born_in", "Bath"), ("Ada", "likes", "tea")], [("ada", "born in", "bath")])
    (['adaborninbath'], ['adaborninbath'])
    """
    mine, theirs = read_sides(triples, pred, ref)
    known = {one.rel.replace(" ", "_") for one in theirs}
    kept = ([one for one in mine if one.rel in known], theirs)
    keys = [[re.sub(r"_|\s+", "", "".join(one)).lower() for one in side] for side in kept]
    return list(dict.fromkeys(keys[0])), list(dict.fromkeys(keys[1]))


def report(suite: Suite, pairs: Iterable[tuple[Any, Any]]) -> CarbScores:
    """What CaRB's script prints, if predictions have confidences: the area under the curve, and its best point."""
    if "carb" not in suite.metrics:
        raise ExpressionError("the curve over confidences is that of CaRB; write --preset carb")
    return carb_scores(pairs)


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: a triple of which two parts are right is wrong in the third, or the wrong way round."""
    from matchwise.tasks.errors import Rule, analyse_alone, by_key, say_cases, sort_out
    from matchwise.views.alignment import align
    from matchwise.views.errors import Level

    rules = [
        Rule("wrong direction", by_key(tuple, lambda one: (one.obj, one.rel, one.subj))),
        Rule("wrong object", by_key(itemgetter(0, 1))),
        Rule("wrong subject", by_key(itemgetter(1, 2))),
        Rule("wrong relation", by_key(itemgetter(0, 2))),
    ]

    def levels(pred: Any, ref: Any) -> list[Level]:
        names = {x: y for _, x, y in align(same_triples(), pred, ref).variables}
        theirs = triples(ref)
        mine = [Triple(names.get(one.subj, one.subj), one.rel, names.get(one.obj, one.obj)) for one in triples(pred)]
        equal = by_key(tuple)(dict(enumerate(mine)), dict(enumerate(theirs)))
        pairs = [(i, j, 1) for i, j in equal]
        return [say_cases(sort_out("triples", mine, theirs, pairs, rules), str, str)]

    return analyse_alone(levels)


TASK = Task(
    name="triples",
    title="triples and knowledge graphs: equal triples with blank nodes; WebNLG's, Text2KGBench's and CaRB's scores",
    presets={
        "graph": "our own: equal triples, under the best 1:1 matching of blank nodes, which is proved.",
        "webnlg": (
            "WebNLG's Evaluation_script.py: triples are paired by the mean of four scores of their words; each score "
            "is the mean of F1 over the pairs. The script tries all orders. Where several are best, it takes the first "
            "one, and ours the one with the higher score, whatever order the triples come in."
        ),
        "text2kgbench": (
            "Text2KGBench's run_eval.py: sets of triples without blanks and case, means over sentences; predictions "
            "whose relation the reference does not have are left out."
        ),
        "carb": (
            "CaRB's lenient matching of words: every reference takes its best extraction, and for precision the most "
            "precise pairs are taken first (carb), or the best ones together (optimal), of all extractions; "
            "--layout official has the area under the curve over their confidences, and its best point."
        ),
    },
    suite=suite,
    formats=("webnlg", "rdf", "openie", "triplelines"),
    references={
        "webnlg": ("castro-ferreira-2020",),
        "text2kgbench": ("mihindukulasooriya-2023",),
        "carb": ("bhardwaj-2019",),
    },
    example="matchwise score triples system.xml -r gold.xml --preset webnlg",
    report=report,
    errors=errors,
)
