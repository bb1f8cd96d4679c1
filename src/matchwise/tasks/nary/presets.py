"""The suites of N-ary relation extraction: whole relations, their binary projections, and the entities in them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, f1, harmonic, mean, overlap, precision, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset
from matchwise.similarities.spans import iou
from matchwise.tasks.nary.relations import entities as entities_of
from matchwise.tasks.nary.relations import pairs, relations, same
from matchwise.tasks.nary.scirex import as_scirex

DESCRIPTION = "N-ary relations between entities: whole (SciREX: n = 4), binary projections, salient entities"

PRESETS: dict[str, str] = {
    "paper": (
        "the paper's equations: mentions by ⟦J > ½⟧, entities by ⟦P > ½⟧, relations by ⟦F = 1⟧, micro-averaged; "
        "0/0 is 1."
    ),
    "scirex": (
        "SciREX's scirex_relation_evaluate.py: each predicted mention is the first reference mention with IoU > ½, "
        "each entity the best reference entity with more than ½ of its mentions, relations are sets of names; means "
        "over documents and combinations of roles that the reference has; 0/0 is 0. Without its 1e-7 in the "
        "denominators."
    ),
}

Entities: TypeAlias = Literal["predicted", "given"]

OPTIONS: dict[str, dict[str, Any]] = {
    "entities": {
        "values": ("predicted", "given"),
        "default": "predicted",
        "help": "given: entities are part of the input, and the same if they have one name (paper)",
    },
    "mentions": {
        "values": ("a similarity of mentions",),
        "default": "iou() > 0.5",
        "help": "when two mentions are the same (paper), as in mentions=eq() for strings",
    },
    "types": {
        "values": ("a similarity of relations",),
        "default": 'eq("type")',
        "help": 'when two relation types agree (paper), as in types=levels("type") or types=supertypes({...}, "type")',
    },
}

EXAMPLE = "matchwise score nary predictions -r test.jsonl --preset scirex"

REFERENCES: dict[str, str] = {
    "relations": """@inproceedings{jain-2020,
  title = {{SciREX}: A Challenge Dataset for Document-Level Information Extraction},
  author = {Jain, Sarthak and van Zuylen, Madeleine and Hajishirzi, Hannaneh and Beltagy, Iz},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  pages = {7506--7516},
  year = {2020}
}""",
}

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
    f1(relations, eq("type") * (f1("args", eq("role") * eq(("entity", same))) >= 1))
    """
    check_preset(preset, PRESETS, "nary")
    if entities not in ("predicted", "given"):
        raise ExpressionError(f'entities={entities!r} is unknown; write "predicted" or "given"')
    if preset == "scirex":
        if (entities, mentions, types) != ("predicted", None, None):
            raise ExpressionError("scirex has no options; for others take the preset paper")
        made = _scirex()
        return Suite(made, references=_cited(made), prepare=as_scirex, title="nary:scirex")
    if entities == "given" and mentions is not None:
        raise ExpressionError("mentions= is not asked where entities are given; leave one of the two out")
    made = _paper(_filler(entities, mentions), TYPE if types is None else types)
    if entities == "predicted":
        made["entities"] = f1(entities_of, _entity(mentions))
    title = f"nary:paper|entities:{entities}|mentions:{'iou > 0.5' if mentions is None else mentions}"
    title += f"|types:{'equal' if types is None else types}"
    return Suite(made, references=_cited(made), title=title)


def _cited(made: dict[str, Similarity]) -> dict[str, tuple[str, ...]]:
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
    suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    if preset == "scirex":
        return {}
    filler = _filler(options.get("entities", "predicted"), options.get("mentions"))
    types = options.get("types")
    kind = TYPE if types is None else types
    credit, meets = kind * (f1("args", filler) >= 1), overlap("args", filler) >= 1
    return {
        name: Grading(sel, credit=credit, meets=meets) for name, sel in (("relations", relations), ("binary", pairs))
    }
