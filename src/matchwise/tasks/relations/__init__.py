"""Binary relations between mentions (paper §3.1): RelF1, strict, by boundaries or relaxed, and the official variants.

>>> from matchwise.corpus.tally import Tally
>>> london, uk, paris = {"start": 0, "end": 1}, {"start": 5, "end": 7}, {"start": 9, "end": 10}
>>> ref = {"relations": [{"type": "capital", "subj": london, "obj": uk}]}
>>> pred = {"relations": [*ref["relations"], {"type": "capital", "subj": paris, "obj": uk}]}
>>> Tally(suite()).add(pred, ref).report()["boundaries"].counts
Counts(matched=1, predicted=2, reference=1)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from matchwise.algebra.build import eq, f1, harmonic, overlap, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import shift
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError
from matchwise.similarities.spans import touch
from matchwise.tasks.declaration import Analyse, Option, Task, label_option
from matchwise.tasks.errors import Graded
from matchwise.tasks.relations.documents import Relation as Relation
from matchwise.tasks.relations.documents import RelationSet as RelationSet
from matchwise.tasks.relations.documents import distinct as distinct
from matchwise.tasks.relations.documents import distinct_spans as distinct_spans
from matchwise.tasks.relations.documents import distinct_undirected as distinct_undirected
from matchwise.tasks.relations.documents import distinct_undirected_spans as distinct_undirected_spans
from matchwise.tasks.relations.documents import ends as ends
from matchwise.tasks.relations.documents import last_labels as last_labels
from matchwise.tasks.relations.documents import relation as relation
from matchwise.tasks.relations.documents import relations as relations
from matchwise.tasks.relations.steps import Fact as Fact
from matchwise.tasks.relations.steps import Unseen as Unseen
from matchwise.tasks.relations.steps import as_facts
from matchwise.tasks.relations.steps import unseen_facts as unseen_facts

TYPE = eq("type")
SPAN = eq("span")
ENTITY = eq("subj") * eq("obj")


def suite(
    preset: Literal["paper", "sincere", "dygie", "docred", "oneie"] = "paper",
    *,
    directed: bool | None = None,
    types: Similarity | None = None,
    facts: Iterable[Fact] | None = None,
) -> Suite:
    """The metrics of a preset, for relation sets and for lists or dictionaries of relations.

    >>> suite("sincere")["boundaries"]
    f1(relations.distinct_spans, eq("type") * eq("subj.span") * eq("obj.span"), empty=0)
    """
    TASK.check(preset, directed=directed, types=types, facts=facts)
    kind = TYPE if types is None else types
    if directed is False and preset in ("docred", "dygie"):
        raise ExpressionError(f"{preset} compares directed relations; leave directed out")
    if preset == "docred":
        return _docred(kind, Unseen(as_facts(facts)))
    way = _is_directed(preset, directed)
    metrics = {name: kind * both(end, directed=way) for name, end in _ENDS.items()}
    match preset:
        case "paper":
            made = {name: f1(relations, phi) for name, phi in metrics.items()}
        case "sincere":
            made = {name: f1(sel, metrics[name], empty=0) for name, sel in _SETS[way].items()}
        case "dygie":
            made = {
                "boundaries": f1(last_labels, metrics["boundaries"], empty=0),
                "pairs": f1(last_labels, both(SPAN), empty=0),
            }
        case "oneie":
            made = {name: f1(relations, metrics[name], match="N:1", empty=0) for name in ("boundaries",)}
    title = f"relations:{preset}|{'directed' if way else 'undirected'}|types:{'equal' if types is None else types}"
    cited = {name: ("wadden-2019",) if preset == "dygie" else TASK.references[name] for name in made}
    return Suite(made, references=cited, title=title)


_SETS = {
    True: {"strict": distinct, "boundaries": distinct_spans},
    False: {"strict": distinct_undirected, "boundaries": distinct_undirected_spans},
}
"""Whether relations are directed -> metric -> the sets that sincere compares."""


def _is_directed(preset: str, directed: bool | None) -> bool:
    return preset != "oneie" if directed is None else directed


_ENDS: dict[str, Similarity] = {"strict": SPAN * TYPE, "boundaries": SPAN, "relaxed": touch("span") * TYPE}
"""Metric -> when two arguments are the same: relaxed is one token in common (Bekoulis et al. 2018)."""


def both(end: Similarity, *, directed: bool = True) -> Similarity:
    """φ_subj × φ_obj, or, undirected, ⟦Σ↔_ends[φ] ≥ 2⟧.

    >>> both(eq("span"), directed=False)
    overlap(relations.ends, eq("span")) >= 2
    """
    if directed:
        return shift(end, ("subj",)) * shift(end, ("obj",))
    return overlap(ends, end) >= 2


def _docred(kind: Similarity, step: Unseen) -> Suite:
    same = kind * ENTITY
    metrics = {
        "relations": f1("relations", same, empty=0),
        "ign": harmonic(precision("unseen", same, empty=0), recall("relations", same, empty=0)),
        "evidence": f1("labels", same * overlap("evidence"), empty=0),
    }
    known = f"{step.digest}, {len(step.facts)} known" if step.facts else "none"
    title = {"types": None if kind == TYPE else kind, "facts": known}
    return TASK.make_suite("docred", metrics, unseen_facts.of(step), title=title)


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a relation is correct, and when it is at least about the same arguments, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    near = both(touch("span"), directed=_is_directed(preset, options.get("directed")))
    return gradings_of(made, {"relations": ENTITY} if preset == "docred" else dict.fromkeys(_ENDS, near))


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a document; relations whose arguments overlap, either way round, are about the same."""
    metric = {"ign": "relations", "evidence": "relations"}.get(metric, metric)

    def levels(pred: Any, ref: Any) -> list[Any]:
        arguments = [end for side in (pred, ref) for one in _relations(side) for end in ends(one)]
        level = Graded("relations", grading_of(suite, metric, _meets(arguments)), _kind)(pred, ref)
        names = getattr(ref, "names", ()) or getattr(pred, "names", ())
        if not names:
            return [level]
        return [level.revise(lambda case: replace(case, pred=_name(case.pred, names), ref=_name(case.ref, names)))]

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


def _kind(pred: Relation, ref: Relation) -> str:
    """What is wrong with a pair of relations between about the same arguments."""
    mine, theirs = (tuple(getattr(end, "span", end) for end in ends(one)) for one in (pred, ref))
    if mine == theirs[::-1] and mine != theirs:
        return "wrong direction"
    if pred.type != ref.type:
        return "wrong type" if mine == theirs else "wrong type and arguments"
    return "wrong argument type" if mine == theirs else "wrong argument"


TASK = Task(
    name="relations",
    title="binary relation extraction: RelF1 strict, by boundaries and relaxed; DocRED's F1, Ign F1 and evidence F1",
    presets={
        "paper": "the equation of the paper over bags of relations: repeated predictions count, and 0/0 is 1.",
        "sincere": (
            "Taillé et al. (2020): strict is over sets of relations, boundaries over sets of relations between "
            "spans, whatever the types of these are; 0/0 is 0; scores are from 0 to 1."
        ),
        "dygie": (
            "DyGIE++'s RelationMetrics: two spans have one label, the last; the recall of pairs is its "
            "rel_span_recall; 0/0 is 0."
        ),
        "docred": (
            "DocRED's evaluation.py: sets of (head, tail, relation), Ign F1 (known facts leave precision only) "
            "and evidence F1; an empty submission scores 0, where the script divides by zero."
        ),
        "oneie": (
            "the relation scores of OneIE: undirected, and any number of predictions may match one reference, so "
            "that recall and F1 can exceed 1."
        ),
    },
    suite=suite,
    options=(
        Option(
            "directed",
            help="whether (a, b) and (b, a) are different relations",
            type="boolean",
            default="true (oneie: false)",
        ),
        label_option("types", "relations", "type", "types of relations"),
        Option(
            "facts",
            help="facts of the training data, which Ign F1 leaves out of precision",
            takes="a file of training documents",
            default="none, so that ign is F1",
            presets=("docred",),
            format="docred",
        ),
    ),
    formats=("brat", "docred", "oneie", "dygie", "extractions"),
    references={
        "strict": ("taille-2020",),
        "boundaries": ("taille-2020",),
        "relaxed": ("bekoulis-2018",),
        "relations": ("yao-2019",),
        "ign": ("yao-2019",),
        "evidence": ("yao-2019",),
        "pairs": ("wadden-2019",),
    },
    example="matchwise score relations system.jsonl -r gold.jsonl --preset sincere --by type",
    gradings=gradings,
    errors=errors,
)
