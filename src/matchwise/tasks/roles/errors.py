"""How role fillers go wrong: a wrong role, an entity of which only a part is right, missed or spurious."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matchwise.algebra.build import custom, eq, subset
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.similarities.spans import compare_iou, pieces
from matchwise.tasks.analysis import Analyse, Graded
from matchwise.tasks.roles.documents import fillers
from matchwise.tasks.roles.fillers import NOTHING, Entity, Mention, RoleFiller


def analyse(suite: Suite, metric: str) -> Analyse:
    """The errors of a document: each filler by its role and its entity, whatever the metric counts."""
    credit = eq("role") * subset("entity.mentions")
    grading = Grading(fillers, credit=credit, meets=custom(meets, "entity"), label="role")
    graded = Graded("fillers", grading, kind)
    return lambda pred, ref: [graded(pred, ref)]


def meets(pred: Entity, ref: Entity) -> float:
    """How much two entities share: the best share of words, or of places, of two mentions."""
    return max((_shared(x, y) for x in _mentions(pred) for y in _mentions(ref)), default=0.0)


def _mentions(entity: Entity) -> Iterable[Mention]:
    return (one for one in entity.mentions if one != NOTHING)


def _shared(x: Any, y: Any) -> float:
    match x, y:
        case str(), str():
            one, other = (set(text.casefold().split()) for text in (x, y))
            return len(one & other) / len(one | other) if one and other else float(x == y)
        case tuple(), tuple():
            return float(compare_iou(pieces(x), pieces(y), {}))
    return float(x == y)


def kind(pred: RoleFiller, ref: RoleFiller) -> str:
    """What is wrong with a pair of fillers that share words."""
    is_subset = bool(pred.entity.mentions) and set(pred.entity.mentions) <= set(ref.entity.mentions)
    if pred.role != ref.role:
        return "wrong role" if is_subset else "wrong role and mention"
    return "wrong mention"
