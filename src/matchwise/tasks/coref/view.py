"""A document with its entities: each has a number and a colour, the same on both sides."""

from __future__ import annotations

from typing import Any

from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.tasks.coref.entities import EntitySet
from matchwise.tasks.coref.explanation import explain, partners
from matchwise.views.model import Mark, Part, Passage, Row, Rows, Side, Status, View

WRONG: dict[str, Status] = {
    "missing entity": "missed",
    "missing": "missed",
    "invented entity": "spurious",
    "spurious": "spurious",
}


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """What is wrong with entities and mentions, and the text of both sides with the entities numbered."""
    found = explain(suite)(pred, ref)
    rows = tuple(Row(WRONG.get(one.kind, "wrong"), one.kind, one.pred or None, one.ref or None) for one in found.found)
    parts: list[Part] = [Rows(rows, right=found.mentions["correct"])]
    if isinstance(pred, EntitySet) and isinstance(ref, EntitySet):
        parts += _passages(pred, ref, partners(suite, pred, ref))
    return View("", tuple(parts), metric, score(suite.metrics[metric], pred, ref))


def _passages(pred: EntitySet, ref: EntitySet, partner: dict[int, int]) -> list[Passage]:
    """Both texts; the mentions that the partner of their entity has too are right."""
    number = {j: place for place, j in enumerate(range(len(ref.entities)), start=1)}
    back = {i: j for j, i in partner.items()}
    free = len(ref.entities)
    sides: list[tuple[Side, EntitySet, list[tuple[int, set[Any]]]]] = [("predicted", pred, []), ("reference", ref, [])]
    for i in range(len(pred.entities)):
        if i in back:
            sides[0][2].append((number[back[i]], _spans(ref, back[i])))
        else:
            free += 1
            sides[0][2].append((free, set()))
    for j in range(len(ref.entities)):
        sides[1][2].append((number[j], _spans(pred, partner[j]) if j in partner else set()))
    made = []
    for side, document, entities in sides:
        words = tuple(document.words or pred.words or ref.words)
        wrong: Status = "spurious" if side == "predicted" else "missed"
        marks = [
            Mark(one.left, one.right, "", "right" if (one.left, one.right) in same else wrong, place)
            for entity, (place, same) in zip(document.entities, entities, strict=True)
            for one in entity.mentions
            if one.right <= len(words)
        ]
        if words:
            made.append(Passage(side, words, tuple(marks)))
    return made


def _spans(document: EntitySet, number: int) -> set[Any]:
    return {(one.left, one.right) for one in document.entities[number].mentions}
