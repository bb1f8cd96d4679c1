"""Seeded documents of templates as GTT writes them: incidents whose roles are filled by entities with mentions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

TYPES = ("arson", "attack", "bombing", "forced work stoppage", "kidnapping", "robbery")
ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")

Incident = dict[str, Any]


def incidents(documents: int, *, most: int = 5, seed: int = 7) -> tuple[list[list[Incident]], list[list[Incident]]]:
    """Predictions and references, each a list of up to `most` templates a document."""
    random = Random(seed)
    refs = [[_incident(random) for _ in range(random.randint(0, most))] for _ in range(documents)]
    preds = [_predicted(ref, random, most) for ref in refs]
    return preds, refs


def wide(templates: int, fillers: int, roles: Sequence[str], *, seed: int = 7) -> tuple[list[Incident], list[Incident]]:
    """One document with many templates of many fillers each, a third of which a system gets wrong."""
    random = Random(seed)
    ref = [_wide(random, fillers, roles) for _ in range(templates)]
    pred = [_changed(one, random) for one in ref]
    random.shuffle(pred)
    return pred, ref


def _wide(random: Random, fillers: int, roles: Sequence[str]) -> Incident:
    held: Incident = {role: [] for role in roles}
    for number in range(fillers):
        held[roles[number % len(roles)]].append(_entity(random))
    return {"incident_type": random.choice(TYPES), **held}


def _changed(one: Incident, random: Random) -> Incident:
    held = {
        role: [entity if random.random() < 0.67 else [_name(random)] for entity in entities]
        for role, entities in one.items()
        if role != "incident_type"
    }
    return {"incident_type": one["incident_type"], **held}


def _incident(random: Random) -> Incident:
    held = {role: [_entity(random) for _ in range(random.choice((0, 0, 1, 1, 2)))] for role in ROLES}
    return {"incident_type": random.choice(TYPES), **held}


def _entity(random: Random) -> list[str]:
    return [_name(random) for _ in range(random.randint(1, 3))]


def _name(random: Random) -> str:
    return f"name{random.randrange(400)}"


def _predicted(ref: list[Incident], random: Random, most: int) -> list[Incident]:
    made = []
    for one in ref:
        if random.random() < 0.2:
            continue
        kind = random.choice(TYPES) if random.random() < 0.2 else one["incident_type"]
        held = {
            role: [[random.choice(entity)] if random.random() < 0.7 else [_name(random)] for entity in one[role]]
            for role in ROLES
        }
        made.append({"incident_type": kind, **held})
    if len(made) < most and random.random() < 0.2:
        made.append(_incident(random))
    random.shuffle(made)
    return made
