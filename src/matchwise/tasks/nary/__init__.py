"""N-ary relation extraction (paper §3.3): relations between any number of entities, as SciREX asks for them.

>>> from matchwise.corpus.tally import Tally
>>> ref = [("result", {"Task": [[0, 2]], "Method": [[5, 6], [9, 10]], "Material": [[20, 23]]})]
>>> pred = [("result", {"Task": [[0, 3]], "Method": [[9, 10]], "Material": [[30, 31]]})]
>>> report = Tally(suite()).add(pred, ref).report()
>>> report["relations"].f1, report["binary"].counts, report["entities"].counts
(0.0, Counts(matched=1, predicted=3, reference=3), Counts(matched=2, predicted=3, reference=3))
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, f1, harmonic, mean, overlap, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, gradings_of
from matchwise.corpus.suite import Suite, after
from matchwise.errors import ExpressionError
from matchwise.similarities.spans import iou
from matchwise.tasks.catalogue.templates import NARY as TASK
from matchwise.tasks.nary.relations import NAryRelationSet as NAryRelationSet
from matchwise.tasks.nary.relations import entities as entities
from matchwise.tasks.nary.relations import entities as entities_of
from matchwise.tasks.nary.relations import pairs as pairs
from matchwise.tasks.nary.relations import relation as relation
from matchwise.tasks.nary.relations import relation_set as relation_set
from matchwise.tasks.nary.relations import relations as relations
from matchwise.tasks.nary.relations import same as same
from matchwise.tasks.nary.steps import scirex as scirex

Entities: TypeAlias = Literal["predicted", "given"]


TYPE = eq("type")
ROLE = eq("role")
MENTION = iou() > 0.5


def suite(
    preset: Literal["paper", "scirex"] = "paper",
    *,
    entities: Entities = "predicted",
    mentions: Similarity | None = None,
    types: Similarity | None = None,
) -> Suite:
    """The metrics of a preset, for relation sets and for lists or dictionaries of relations.

    >>> suite(entities="given")["relations"]
    f1(nary.relations, eq("type") * (f1("args", eq("role") * eq(("entity", nary.same))) >= 1))
    """
    TASK.check(preset, entities=entities, mentions=mentions, types=types)
    if preset == "scirex":
        made = _scirex()
        return Suite(after(scirex(), made), references=_references(made), title="nary:scirex")
    if entities == "given" and mentions is not None:
        raise ExpressionError("mentions= is not asked where entities are given; leave one of the two out")
    made = _paper(_filler(entities, mentions), TYPE if types is None else types)
    if entities == "predicted":
        made["entities"] = f1(entities_of, _entity(mentions))
    known = "iou > 0.5" if mentions is None else mentions
    title = TASK.name_suite(preset, entities=entities, mentions=known, types=types)
    return Suite(made, references=_references(made), title=title)


def _references(made: dict[str, Similarity]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(made, ("jain-2020",))


def _entity(mentions: Similarity | None) -> Similarity:
    """⟦P↔_mentions[φ_Mention] > ½⟧."""
    return precision("mentions", MENTION if mentions is None else mentions) > 0.5


def _filler(entities: Entities, mentions: Similarity | None) -> Similarity:
    """φ_RFE."""
    if entities == "given":
        return ROLE * eq(("entity", same))
    return ROLE * (precision("entity.mentions", MENTION if mentions is None else mentions) > 0.5)


def _paper(filler: Similarity, kind: Similarity) -> dict[str, Similarity]:
    whole = kind * (f1("args", filler) >= 1)
    return {"relations": f1(relations, whole), "binary": f1(pairs, whole)}


def _scirex() -> dict[str, Similarity]:
    right, found = precision("clusters", match="N:1", empty=0), recall("clusters", match="1:N", empty=0)
    made = {"salient": mean(harmonic(right, found)), "salient_p": mean(right), "salient_r": mean(found)}
    for n in ("n1", "n2", "n4"):
        for suffix, score in (("", f1), ("_p", precision), ("_r", recall)):
            # Projections are matched with themselves, each worth its score: what is read is their mean.
            made[n + suffix] = f1(n, eq("roles") * score("relations"), empty=0)
    return made


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a relation is correct, and when it is at least about one of the entities, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    meets = overlap("args", _filler(options.get("entities", "predicted"), options.get("mentions"))) >= 1
    return gradings_of(made, {"relations": meets, "binary": meets})
