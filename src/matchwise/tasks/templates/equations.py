"""What the metrics of templates are made of: when two values, two fillers and two templates are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matchwise.algebra.build import best, eq, f1, jaccard, overlap, subset, union
from matchwise.algebra.nodes import Match, Similarity
from matchwise.algebra.steps import read_sides, step
from matchwise.tasks.role_mentions import Incidents, Typed, prepare
from matchwise.tasks.roles.fillers import Entity, SlotFiller, Template
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.pairing import TemplatePairing
from matchwise.tasks.templates.values import Category, Event, Reading, Strings, document

SHARED = jaccard(empty=0) > 0
"""φ_str of two mentions, each the words that are no premodifiers: ⟦J_words[δ] > 0⟧ (appendix C)."""

ENTITIES: dict[str, Similarity] = {
    "words": best("words", SHARED),
    "subset": subset("mentions"),
    "any": best("mentions"),
    "phi3": overlap("mentions"),
    "phi4": f1("mentions", empty=0),
}
"""When two entities are the same: share a word (MUC-4), φ_⊆ (CEAF-REE), share a mention, |P ∩ R|, F1 of mentions."""

EVENT = eq("type") * best("mentions")


def values(
    entities: Similarity,
    category: Similarity | None = None,
    more: Mapping[type | str, Similarity] | None = None,
    *,
    words: bool = False,
) -> Similarity:
    """φ_T by the type T of a filler's value; numbers, truth values and other text are compared by equality.

    >>> values(ENTITIES["subset"])
    union("value", {templates.Category: best("names"), roles.Entity: subset("mentions"), \
templates.Event: eq("type") * best("mentions"), bool: eq(), float: eq(), str: eq()})
    """
    cases: dict[type | str, Similarity] = {
        Strings if words else Entity: entities,
        Category: best("names") if category is None else category,
        Event: EVENT,
        bool: eq(),
        float: eq(),
        str: eq(),
    }
    return union("value", {**cases, **(more or {})})


def fillers(value: Similarity, sel: Any = "fillers", *, match: Match = "1:1") -> Similarity:
    """Σ_fillers[δ_slot × φ_T]."""
    return overlap(sel, eq("slot") * value, match=match)


def types(template: Template) -> list[SlotFiller]:
    """The type of a template as a filler."""
    return [filler for filler in template.fillers if filler.slot == muc4.TYPE]


@step(gives=Incidents)
def iterx_incidents(pred: Any, ref: Any) -> tuple[Incidents, Incidents]:
    """Both sides as IterX's ceaf_rme.py has them; slots that hold no entities are left out.

    >>> pred, ref = [("bombing", {"target": ["bank"]})], [("attack / bombing", {"target": ["the bank"]})]
    >>> mine, theirs = iterx_incidents()(pred, ref)
    >>> mine.subset[0].type == theirs.subset[0].type
    True
    """
    return prepare(*read_sides(_read, pred, ref))


def _read(given: Any) -> list[Typed]:
    return [
        (one.type, [(filler.slot, filler.value.given) for filler in one.fillers if isinstance(filler.value, Entity)])
        for one in document(given).templates
    ]


def _pairing() -> TemplatePairing:
    value = values(ENTITIES["any"])
    by = (fillers(value, types) > 0) * fillers(value, match="N:1")
    return TemplatePairing(Reading(normalize="muc", alternatives=True, type_slot=muc4.TYPE), by, by, eq("slot") * value)


PAIRING = _pairing()
"""What errors are read from: templates of one type that have most entities with a mention in common."""
