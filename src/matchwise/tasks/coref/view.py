"""A document with its entities: each has a number and a colour, the same on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.tasks.analysis import rows_of
from matchwise.tasks.coref.errors import Paired
from matchwise.views.model import Mark, Passage, Side, Status, View


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """What is wrong with entities and mentions, and the text of both sides with the entities numbered."""
    paired = Paired.read(suite, pred, ref)
    mine, theirs = paired.pred.words, paired.ref.words
    rows = rows_of(paired.levels(), mine or theirs, theirs or mine)
    value = score(suite.metrics[metric], pred, ref)
    return View("", (*rows, *_passages(paired, mine or theirs, theirs or mine)), metric, value)


def _passages(paired: Paired, pred: list[str], ref: list[str]) -> Iterator[Passage]:
    """Both texts; the mentions that the partner of their entity has too are right."""
    partner = {i: j + 1 for j, i in paired.partner.items()}
    free = iter(range(len(paired.ref.entities) + 1, len(paired.ref.entities) + len(paired.pred.entities) + 1))
    places = [partner[i] if i in partner else next(free) for i in range(len(paired.pred.entities))]
    if pred:
        yield Passage("predicted", tuple(pred), tuple(_marks(paired, "predicted", places, len(pred))))
    if ref:
        places = list(range(1, len(paired.ref.entities) + 1))
        yield Passage("reference", tuple(ref), tuple(_marks(paired, "reference", places, len(ref))))


def _marks(paired: Paired, side: Side, places: list[int], end: int) -> Iterator[Mark]:
    wrong: Status
    if side == "predicted":
        wrong, document, numbers = "spurious", paired.pred, paired.numbers_pred
    else:
        wrong, document, numbers = "missed", paired.ref, paired.numbers_ref
    for place, entity, several in zip(places, document.entities, numbers, strict=True):
        for mention, number in zip(entity.mentions, several, strict=True):
            if mention.right <= end:
                status = "right" if paired.is_right(number) else wrong
                yield Mark(mention.left, mention.right, "", status, place)
