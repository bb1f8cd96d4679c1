"""IterX's CEAF-RME of templates: the procedure of the task `role_mentions`, for templates in any of their forms."""

from __future__ import annotations

from typing import Any

from matchwise.algebra.build import eq
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import read_sides, step
from matchwise.tasks.role_mentions import steps
from matchwise.tasks.role_mentions.steps import Incidents, Typed, prepare
from matchwise.tasks.roles.documents import plain_templates
from matchwise.tasks.roles.fillers import Entity
from matchwise.tasks.templates import muc4
from matchwise.tasks.templates.equations import ENTITIES, fillers, types, values
from matchwise.tasks.templates.pairing import TemplatePairing
from matchwise.tasks.templates.reading import Reading
from matchwise.tasks.templates.values import TYPES, document

METRICS: dict[str, Similarity] = {f"rme_{name}": phi for name, phi in steps.METRICS.items()}


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
    if type(given) is list and all(map(_is_plain, given)):
        plain = plain_templates(given)
        if plain is not None:
            return [(kind, filled) for kind, _, filled in plain]
    return [
        (one.type, [(filler.slot, filler.value.given) for filler in one.fillers if isinstance(filler.value, Entity)])
        for one in document(given).templates
    ]


def _is_plain(given: Any) -> bool:
    """True for a dictionary whose keys both tasks read alike."""
    if type(given) is not dict or not _OTHERS.isdisjoint(given):
        return False
    named = _TYPES.intersection(given)
    return len(named) == 1 and type(given[next(iter(named))]) is str


_OTHERS = frozenset({"event_type", "optional", "slots", "template-type"})
_TYPES = frozenset(TYPES)


def _pairing() -> TemplatePairing:
    value = values(ENTITIES["any"])
    by = (fillers(value, types) > 0) * fillers(value, match="N:1")
    return TemplatePairing(Reading(normalize="muc", alternatives=True, type_slot=muc4.TYPE), by, by, eq("slot") * value)


PAIRING = _pairing()
"""What errors are read from: templates of one type that have most entities with a mention in common."""
