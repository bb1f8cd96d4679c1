"""Role-filler mention extraction (paper §3.3): predicted mentions against reference entities, by one-sided matching.

>>> from matchwise.corpus.tally import Tally
>>> pred, ref = {"Target": [["bank"], ["the branch"]]}, {"Target": [["bank", "the branch"]]}
>>> paper, bounded = (Tally(suite(preset)).add(pred, ref).report()["subset"] for preset in ("paper", "coverage"))
>>> paper.recall, bounded.recall
(2.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, NamedTuple, TypeAlias

from matchwise.algebra.build import eq, f1, harmonic, overlap, precision, recall, subset
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import read_sides, step
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.tasks import Option, Task, label_option, similarity_option
from matchwise.tasks.roles import Mention, Predicted, Strings, errors, preparation, relations
from matchwise.tasks.roles.fillers import fillers, squad_mentions

ROLE = eq("role")


def suite(
    preset: Literal["paper", "coverage", "iterx"] = "paper",
    *,
    types: Similarity | None = None,
    mentions: Similarity | None = None,
    strings: Strings = "exact",
    predicted: Predicted = "entities",
) -> Suite:
    """The metrics of a preset, for relations, templates, and lists or dictionaries of role fillers.

    >>> suite("coverage")["subset"].precision
    precision(roles.fillers, eq("role") * subset("entity.mentions"), match="N:1")
    """
    TASK.check(preset, types=types, mentions=mentions, strings=strings, predicted=predicted)
    cited = ("chen-2023-iterative",)
    if preset == "iterx":
        return TASK.make_suite(preset, METRICS, iterx(), cited=cited, by={"role": "args[].role"})
    role = ROLE if types is None else types
    inner = {"subset": role * subset("entity.mentions"), "phi3": role * overlap("entity.mentions", mentions)}
    made = {
        name: f1(fillers, phi, match="N:1")
        if preset == "paper"
        else harmonic(precision(fillers, phi, match="N:1"), recall(fillers, phi, match="1:N"))
        for name, phi in inner.items()
    }
    said = {"types": types, "mentions": mentions, "strings": strings, "predicted": predicted}
    return TASK.make_suite(preset, made, preparation(strings, predicted), cited=cited, title=said)


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, and when it is at least about the same entity, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    return {} if preset == "iterx" else gradings_of(made, {"subset": overlap("entity.mentions") >= 1}, "role")


Filled: TypeAlias = list[tuple[str, tuple[Mention, ...]]]
"""Roles with the mentions of what fills them, as they are given, in order."""

Typed: TypeAlias = tuple[str, Filled]
"""The type of a template and what fills its roles."""


class MarkedRole(NamedTuple):
    """An entity in a role, by marks that two sides have in common.

    For φ⊆ they are its own number (below 0 if predicted) and the numbers of the references it takes, for φ3 its
    mentions, each with the type of its template and its role.
    """

    role: str
    marks: tuple[Any, ...]


class Incident(NamedTuple):
    """A template with its entities, for either metric."""

    type: str
    args: tuple[MarkedRole, ...]


@dataclass(frozen=True, slots=True)
class Incidents:
    """The templates of a document."""

    subset: tuple[Incident, ...]
    phi3: tuple[Incident, ...]


HIT = overlap("args", overlap("marks") >= 1, match="N:1")
"""How many predicted entities take one of the template."""

TAKEN = overlap("args", overlap("marks") >= 1, match="1:N")
"""How many reference entities are taken."""

PHI3 = overlap("args", overlap("marks", match="N:1"))
"""How many predicted mentions are found, entities being matched 1:1."""

METRICS: dict[str, Similarity] = {
    "subset": harmonic(precision("subset", HIT, empty=0), recall("subset", TAKEN, align_by=HIT, empty=0)),
    "phi3": f1("phi3", PHI3, empty=0),
}


@step(gives=Incidents)
def iterx(pred: Any, ref: Any) -> tuple[Incidents, Incidents]:
    """Prepare both sides as IterX's ceaf_rme.py does before it compares templates (Chen et al. 2023).

    Strings are normalised, equal reference templates joined. For φ⊆, a predicted entity takes in each reference
    template of its type the first entity that has the first of its mentions which any entity has in that role. For φ3,
    a mention is its string together with template type and role. A reference template of several types ("attack /
    bombing") is split into one for each, and the one that has most in common with all predictions is kept; under φ3 the
    others still count as missed. IterX counts lists: a mention that an entity has twice counts twice. Reference
    entities without mentions are left out, as its reader leaves them out.

    >>> pred, ref = {"type": "bombing", "Target": [["bank"]]}, {"type": "attack / bombing", "Target": [["the bank"]]}
    >>> mine, theirs = iterx()(pred, ref)
    >>> mine.subset[0].args, [one.type for one in theirs.subset]
    ((MarkedRole(role='Target', marks=(-1, 0)),), ['bombing'])
    """

    def read(document: Any) -> list[Typed]:
        return [(one.type, [(arg.role, arg.entity.given) for arg in one.args]) for one in relations(document)]

    return prepare(*read_sides(read, pred, ref))


def prepare(predicted: list[Typed], reference: list[Typed]) -> tuple[Incidents, Incidents]:
    """Prepare templates that are already read."""
    mine = [(kind, _normal(several)) for kind, several in predicted]
    listed = [(kind, [one for one in several if one[1]]) for kind, several in reference]
    once = [one for place, one in enumerate(listed) if one not in listed[:place]]
    theirs = [(kind, _normal(several)) for kind, several in once]
    numbers = count(1)
    marks = [[[-next(numbers)] for _ in several] for _, several in mine]
    subset, phi3 = [], []
    first = 0
    for kind, golds in theirs:
        labels = list(dict.fromkeys(label.strip() for label in kind.split("/"))) if mine and "/" in kind else [kind]
        best = labels[0]
        if len(labels) > 1:
            best = max(labels, key=lambda label: sum(len(hits) for _, hits in _take(mine, label, golds)))
        for number, hits in _take(mine, best, golds):
            for place, gold in hits.items():
                marks[number][place].append(first + gold)
        subset.append(_mark(best, golds, [[first + place] for place in range(len(golds))]))
        phi3 += _split(mine, labels, golds)
        first += len(golds)
    marked = tuple([_mark(kind, several, taken) for (kind, several), taken in zip(mine, marks, strict=True)])
    return Incidents(marked, tuple([_mention(*one) for one in mine])), Incidents(tuple(subset), tuple(phi3))


def _normal(several: Filled) -> Filled:
    return [(role, squad_mentions(mentions)) for role, mentions in several]


def _take(preds: list[Typed], label: str, golds: Filled) -> Iterator[tuple[int, dict[int, int]]]:
    """For each predicted template of the type: its entities that take one, and which."""
    some = [(number, several) for number, (kind, several) in enumerate(preds) if kind == label]
    if not some:
        return
    first: dict[tuple[str, Mention], int] = {}
    for place, (role, mentions) in enumerate(golds):
        for mention in mentions:
            first.setdefault((role, mention), place)
    for number, several in some:
        hits: dict[int, int] = {}
        for place, (role, mentions) in enumerate(several):
            for mention in mentions:
                gold = first.get((role, mention))
                if gold is not None:
                    hits[place] = gold
                    break
        yield number, hits


def _mark(kind: str, several: Filled, marks: Iterable[Iterable[Any]]) -> Incident:
    return Incident(
        kind, tuple([MarkedRole(role, tuple(some)) for (role, _), some in zip(several, marks, strict=True)])
    )


def _mention(kind: str, several: Filled) -> Incident:
    return _mark(kind, several, [[(kind, role, mention) for mention in mentions] for role, mentions in several])


def _split(preds: list[Typed], labels: list[str], golds: Filled) -> list[Incident]:
    """One template for each type; a type that is not kept gets mentions that no prediction has."""
    if len(labels) == 1:
        return [_mention(labels[0], golds)]
    from matchwise.engine.plan import plan

    total = plan(overlap(None, PHI3, match="N:N"))
    mine = [_mention(*one) for one in preds]
    best = max(labels, key=lambda label: total.score(mine, [_mention(label, golds)]))
    return [_mention(label if label == best else f"{label} /", golds) for label in labels]


TASK = Task(
    name="role_mentions",
    title="role-filler mentions against entities: CEAF-RME by φ⊆ and φ3, with one-sided matching",
    presets={
        "paper": (
            "the paper's equations, one-sided: several predictions may match one reference, so that recall and F1 "
            "of φ⊆ can exceed 1; 0/0 is 1."
        ),
        "coverage": (
            "the same with bounded sides: precision from N:1 (how many predictions are right), recall from 1:N "
            "(how many references are found); 0/0 is 1."
        ),
        "iterx": (
            "IterX's ceaf_rme.py: templates matched 1:1; under φ⊆ one mention in common is enough and recall "
            "counts the first reference with it, under φ3 entities are matched 1:1; strings normalised; 0/0 is 0. "
            "Of alignments that are equally good by φ⊆ the one with the best recall is taken, where SciPy's is "
            "any."
        ),
    },
    suite=suite,
    options=(
        label_option("types", "fillers", "role", "roles", presets=("paper", "coverage")),
        similarity_option(
            "mentions",
            "mentions",
            "when two mentions agree in phi3",
            default="eq()",
            example="iou()",
            presets=("paper", "coverage"),
        ),
        Option(
            "strings",
            "squad: lower case, without punctuation and articles (iterx always does)",
            presets=("paper", "coverage"),
        ),
        Option(
            "predicted",
            "mentions: each mention of a predicted entity is a prediction of its own",
            presets=("paper", "coverage"),
        ),
    ),
    formats=("grit", "iterx", "gtt", "wikievents", "jsonl"),
    references={"subset": ("chen-2023-iterative",)},
    example="matchwise score role_mentions system.jsonl -r gold.jsonl --preset coverage",
    gradings=gradings,
    errors=errors,
)
