"""The equations of template extraction (paper §3.4, appendices C and D): values, fillers, and what pairs templates.

>>> f1("templates", eq("type") * fillers(values(ENTITIES["subset"])))
f1("templates", eq("type") * overlap("fillers", eq("slot") * union("value", {templates.Category: best("names"), \
roles.Entity: subset("mentions"), templates.Event: eq("type") * best("mentions"), bool: eq(), float: eq(), str: eq()})))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matchwise.algebra.build import best, eq, f1, jaccard, mean, overlap, subset, union
from matchwise.algebra.nodes import Match, Similarity
from matchwise.tasks.roles.fillers import Entity, SlotFiller, Template
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.reading import Strings
from matchwise.tasks.templates.values import Category, Event

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

JUDGED = mean(ENTITIES["words"], best("sure", SHARED))
"""The same with a person's judgements, in which half right is half of it."""

EVENT = eq("type") * best("mentions")


def tag_rule(of: Similarity) -> Similarity:
    """MUC-4's rule for a category with a cross-reference: ½⟦φ > 0⟧ + ½⟦φ ≥ 1⟧·⟦tags agree⟧.

    Right value and right tag are right, right value with a wrong tag and a partly right value are partly right.
    """
    return mean(of > 0, (of >= 1) * (f1("tag", SHARED) > 0))


def values(
    entities: Similarity,
    category: Similarity | None = None,
    more: Mapping[type | str, Similarity] | None = None,
    *,
    words: bool = False,
) -> Similarity:
    """φ_T by the type T of a filler's value; numbers, truth values and other text are compared by equality."""
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


def pair_rule(value: Similarity) -> Similarity:
    """MUC-4's rule for pairing templates: their fillers, if the type and one of seven slots agree at least partly.

    ⟦Σ_type > 0⟧ × ⟦Σ_anchors > 0⟧ × Σ_fillers[δ_slot × φ_T]
    """
    return (fillers(value, types) > 0) * (fillers(value, anchors) > 0) * fillers(value)


def types(template: Template) -> list[SlotFiller]:
    """The type of a template as a filler."""
    return [filler for filler in template.fillers if filler.slot == muc4.TYPE]


def anchors(template: Template) -> list[SlotFiller]:
    """The fillers of the seven slots, one of which must agree."""
    return [filler for filler in template.fillers if filler.slot in muc4.ANCHORS]


def contained(pred: str, ref: str) -> bool:
    """GTT's test of types, Python's `in`: "bomb" is right for "bombing"."""
    return pred in ref
