"""Binary relations between mentions (paper §3.1): RelF1, strict, by boundaries or relaxed, and the official variants.

>>> from matchwise.corpus.tally import Tally
>>> london, uk, paris = {"start": 0, "end": 1}, {"start": 5, "end": 7}, {"start": 9, "end": 10}
>>> ref = {"relations": [{"type": "capital", "subj": london, "obj": uk}]}
>>> pred = {"relations": [*ref["relations"], {"type": "capital", "subj": paris, "obj": uk}]}
>>> Tally(suite()).add(pred, ref).report()["boundaries"].counts
Counts(matched=1, predicted=2, reference=1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, f1, harmonic, overlap, precision, recall, union
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.algebra.walk import shift
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.errors import DataError, ExpressionError, shorten
from matchwise.similarities.spans import touch
from matchwise.tasks import Analyse, Option, Task, label_option
from matchwise.tasks.lists import keep_first, missing_key, read_list
from matchwise.tasks.ner import Extraction, Mention, mention
from matchwise.views.words import Marked, Words, say

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
            sets = (distinct, distinct_spans) if way else (distinct_undirected, distinct_undirected_spans)
            made = {
                name: f1(sel, metrics[name], empty=0) for name, sel in zip(("strict", "boundaries"), sets, strict=True)
            }
        case "dygie":
            made = {
                "boundaries": f1(last_labels, metrics["boundaries"], empty=0),
                "pairs": f1(last_labels, both(SPAN), empty=0),
            }
        case "oneie":
            made = {"boundaries": f1(relations, metrics["boundaries"], match="N:1", empty=0)}
    title = f"relations:{preset}|{'directed' if way else 'undirected'}|types:{'equal' if types is None else types}"
    cited = {name: ("wadden-2019",) if preset == "dygie" else TASK.references[name] for name in made}
    return Suite(made, references=cited, title=title)


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
    from matchwise.tasks.errors import Graded, analyse_graded

    shown = "relations" if metric in ("ign", "evidence") else metric
    near = overlap(ends, union(None, {Mention: touch("span"), object: eq()})) >= 2

    def say(pred: Any, ref: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        names = getattr(ref, "names", ()) or getattr(pred, "names", ())
        return (partial(_name, names),) * 2

    return analyse_graded(Graded("relations", grading_of(suite, shown, near), _kind, say=say))


def _name(names: Sequence[Sequence[str]], one: Relation) -> Relation:
    """A relation between the names of its entities, where it has their numbers (DocRED)."""
    subj, obj = (
        names[end][0] if isinstance(end, int) and 0 <= end < len(names) and names[end] else end for end in ends(one)
    )
    return replace(one, subj=subj, obj=obj)


def _kind(pred: Relation, ref: Relation) -> str:
    """What is wrong with a pair of relations between about the same arguments."""
    mine, theirs = _spans(pred), _spans(ref)
    if mine == theirs[::-1] and mine != theirs:
        return "wrong direction"
    if pred.type != ref.type:
        return "wrong type" if mine == theirs else "wrong type and arguments"
    return "wrong argument type" if mine == theirs else "wrong argument"


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of two mentions (or of two entities, by number or name), with the sentences that say so."""

    type: str
    subj: Any
    obj: Any
    evidence: frozenset[Any] = frozenset()

    def in_words(self, words: Words) -> str:
        """`Rolf Ekeus PER –born in→ Stockholm LOC`."""
        return f"{say(self.subj, words)} –{self.type}→ {say(self.obj, words)}"

    def marks(self) -> Marked:
        """The spans of its arguments, to be marked."""
        return tuple(one for end in (self.subj, self.obj) if isinstance(end, Mention) for one in end.marks())


@dataclass(frozen=True, slots=True)
class RelationSet:
    """The relations of one document or sentence; `names` has the names of each entity, if arguments are numbers."""

    relations: tuple[Relation, ...]
    id: str | int | None = None
    names: tuple[tuple[str, ...], ...] = ()
    unseen: tuple[Relation, ...] = ()
    """The relations that Ign F1 asks precision of; filled in by `Unseen`."""
    labels: tuple[Relation, ...] = ()
    """The relations that evidence F1 compares, as often as a reference lists them; filled in by `Unseen`."""
    text: Any = field(default=(), compare=False, repr=False)
    """The words, for people who look at it."""


def relation(value: Any) -> Relation:
    """A relation, from a relation, `(type, subj, obj)` or a dictionary with `subj` and `obj`, or `head` and `tail`.

    >>> relation(("owns", (0, 1, "PER"), (4, 5, "ORG"))).obj
    Mention(span=(4, 5), type='ORG')
    """
    if isinstance(value, Relation):
        return value
    if isinstance(value, Mapping):
        for subj, obj in (("subj", "obj"), ("subject", "object"), ("head", "tail"), ("h", "t")):
            if subj in value and obj in value:
                one, other = (_end(value[name], value.get(f"{name}_type")) for name in (subj, obj))
                return Relation(_type(value), one, other, read_evidence(value.get("evidence")))
        raise missing_key("a relation with type, subj and obj", value)
    match value:
        case [str(kind), subj, obj] | [str(kind), [subj, obj]]:
            return Relation(kind, _end(subj), _end(obj))
    raise ValueError(f"expected a relation such as (type, subj, obj), found {value!r}")


def _type(value: Mapping[str, Any]) -> str:
    for name in ("type", "label", "relation", "relation_type", "r"):
        if name in value:
            if not isinstance(value[name], str | int):
                raise ValueError(f"expected the name of a relation under {name!r}, found {value[name]!r}")
            return str(value[name])
    raise missing_key("a relation with a type", value)


def read_evidence(value: Any) -> frozenset[int]:
    """The numbers of the sentences that say a relation."""
    if value is None:
        return frozenset()
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(sentence, int) for sentence in value):
        return frozenset(value)
    raise ValueError(f"expected evidence as a list of sentence numbers, found {shorten(value)}")


def _end(value: Any, kind: Any = None) -> Any:
    """Read an argument as a mention; a name or a number stays as it is."""
    if isinstance(value, str | int | Mention):
        return value
    match value:
        case [int(left), int(right)]:
            return mention((left, right, "" if kind is None else str(kind)))
    found = mention(value, typed=False)
    return found if kind is None or found.type else found._replace(type=str(kind))


def relations(document: Any) -> list[Relation]:
    """The relations of a document: a `RelationSet`, a list, or a dictionary that has them under `relations`."""
    if isinstance(document, RelationSet | Extraction):
        return list(document.relations)
    return list(read_list(relation, document, ("relations",), "a RelationSet"))


def distinct(document: Any) -> list[Relation]:
    """The relations as a set; the first of equal ones stays."""
    return keep_first(relations(document), lambda one: (one.type, ends(one)))


def distinct_spans(document: Any) -> list[Relation]:
    """The relations as a set of types and spans, whatever the types of the arguments are (sincere's boundaries)."""
    return keep_first(relations(document), lambda one: (one.type, _spans(one)))


def distinct_undirected(document: Any) -> list[Relation]:
    """The relations as a set in which (a, b) and (b, a) are one."""
    return keep_first(relations(document), lambda one: (one.type, frozenset(ends(one))))


def distinct_undirected_spans(document: Any) -> list[Relation]:
    """The relations as a set of types and spans in which (a, b) and (b, a) are one."""
    return keep_first(relations(document), lambda one: (one.type, frozenset(_spans(one))))


def last_labels(document: Any) -> list[Relation]:
    """One relation for two spans; the last of several counts (DyGIE++)."""
    return list({_spans(one): one for one in relations(document)}.values())


def _spans(one: Relation) -> tuple[Any, ...]:
    """The spans of the two arguments; a name or a number stays as it is."""
    return tuple(end.span if isinstance(end, Mention) else end for end in ends(one))


def ends(one: Relation) -> tuple[Any, Any]:
    """The two arguments, in either order."""
    return one.subj, one.obj


Fact: TypeAlias = tuple[str, str, str]
"""A fact of the training data, which DocRED's Ign F1 does not count: head name, tail name, relation."""

Names: TypeAlias = tuple[tuple[str, ...], ...]
"""The names of each entity of a document."""


@dataclass(frozen=True, repr=False)
class Unseen:
    """The step of `docred`: correct predictions that are known are left out, but of Ign precision only.

    Each side is a set. If a prediction is submitted twice, the first one counts. If a reference lists a relation twice,
    evidence is compared with the last one, and the evidence of the others counts as missed: the script sums the
    evidence of all labels.

    >>> ref = [("capital", "Paris", "France"), ("river", "Paris", "Seine")]
    >>> pred, _ = Unseen(frozenset({("Paris", "France", "capital")}))([*ref, ("capital", "Lyon", "France")], ref)
    >>> [one.subj for one in pred.relations], [one.subj for one in pred.unseen]
    (['Paris', 'Paris', 'Lyon'], ['Paris', 'Lyon'])
    """

    facts: frozenset[Fact] = frozenset()

    def __call__(self, pred: Any, ref: Any) -> tuple[RelationSet, RelationSet]:
        mine, theirs = read_sides(relations, pred, ref)
        kept = tuple(keep_first(mine, _key))
        last = {_key(one): place for place, one in enumerate(theirs)}
        right = tuple([theirs[place] for place in last.values()])
        unseen = kept
        if self.facts:
            names = ref.names if isinstance(ref, RelationSet) else ()
            for one in theirs:
                _names(one.obj, names), _names(one.subj, names)  # refuses an argument whose names are not known
            unseen = tuple([one for one in kept if _key(one) not in last or not self.knows(one, names)])
        # a label that is replaced keeps as much evidence, but none that a prediction finds
        labels = [
            one if last[_key(one)] == place else replace(one, evidence=frozenset(("replaced", n) for n in one.evidence))
            for place, one in enumerate(theirs)
        ]
        return RelationSet(kept, unseen=unseen, labels=kept), RelationSet(right, unseen=right, labels=tuple(labels))

    def knows(self, one: Relation, names: Names) -> bool:
        """True if any name of the subject and any name of the object are a fact."""
        heads, tails = _names(one.subj, names), _names(one.obj, names)
        return any((head, tail, one.type) in self.facts for head in heads for tail in tails)

    @cached_property
    def digest(self) -> str:
        """A hash of the facts that does not depend on their order."""
        from hashlib import sha256  # takes 3 ms, which most suites have no use for

        rows = "\n".join(sorted("\t".join(fact) for fact in self.facts))
        return sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __repr__(self) -> str:
        return f"Unseen({len(self.facts)} facts, {self.digest})" if self.facts else "Unseen()"


unseen_facts = StepKind(
    "unseen_facts",
    lambda facts=(): Unseen(frozenset(facts)),
    data=lambda made: {"facts": tuple(sorted(made.facts))},
    gives=RelationSet,
)
"""`relations.unseen_facts()`: what DocRED's Ign F1 leaves out."""


def _key(one: Relation) -> tuple[str, Any, Any]:
    """Relations that agree in type, subject and object are one relation."""
    return one.type, one.subj, one.obj


def _names(end: Any, names: Names) -> tuple[str, ...]:
    if isinstance(end, int) and 0 <= end < len(names):
        return names[end]
    if isinstance(end, str):
        return (end,)
    raise DataError(
        f"found the argument {end!r} without a name to look up in the facts; expected names, or a vertexSet as in "
        "DocRED; leave out facts to score without Ign F1",
        side="reference",
    )


def as_facts(given: Any) -> frozenset[Fact]:
    """Check the facts of an option."""
    if given is None:
        return frozenset()
    if isinstance(given, Iterable):
        found = list(given)
        of_three = set(map(type, found)) == {tuple} and set(map(len, found)) == {3}
        if of_three and set(map(type, chain.from_iterable(found))) == {str}:
            return frozenset(found)
    raise ExpressionError(
        "facts are (head name, tail name, relation); read them by formats.docred.facts_of(path), "
        "or from the command line --option facts=train_annotated.json"
    )


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
        Option("directed", "whether (a, b) and (b, a) are different relations", default="true (oneie: false)"),
        label_option("types", "relations", "type", "types of relations"),
        Option(
            "facts",
            "facts of the training data, which Ign F1 leaves out of precision",
            takes="a file of training documents",
            default="none, so that ign is F1",
            presets=("docred",),
            format="docred",
        ),
    ),
    formats=("brat", "docred", "oneie", "dygie", "doccano", "extractions"),
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
