"""Seeded role fillers, templates and N-ary relations, and what an extractor made of them: mentions lost and moved."""

from __future__ import annotations

from random import Random
from typing import Any, TypeAlias

from matchwise.tasks.nary import NAryRelationSet
from matchwise.tasks.roles import NAryRelation, RoleEntity, RoleFiller

ROLES = ("PerpInd", "PerpOrg", "Target", "Victim", "Weapon")
TYPES = ("attack", "bombing", "kidnapping")
SCIREX = ("Material", "Metric", "Task", "Method")

Roles: TypeAlias = dict[str, list[list[str]]]


def role_fillers(documents: int, seed: int = 7) -> tuple[list[Roles], list[Roles]]:
    """Documents of five roles with up to three entities of up to three mentions, as in GRIT's files."""
    random = Random(seed)
    refs = [{role: _entities(random) for role in ROLES} for _ in range(documents)]
    return [{role: _misread(several, random) for role, several in one.items()} for one in refs], refs


def templates(documents: int, seed: int = 7) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Documents of up to five templates."""
    random = Random(seed)

    def template() -> dict[str, Any]:
        return {"incident_type": random.choice(TYPES)} | {role: _entities(random) for role in ROLES}

    refs = [{"templates": [template() for _ in range(random.randint(0, 5))]} for _ in range(documents)]
    return [{"templates": [_of_template(one, random) for one in ref["templates"]]} for ref in refs], refs


def _of_template(one: dict[str, Any], random: Random) -> dict[str, Any]:
    kind = one["incident_type"] if random.random() < 0.8 else random.choice(TYPES)
    return {"incident_type": kind} | {role: _misread(one[role], random) for role in ROLES}


def _entities(random: Random) -> list[list[str]]:
    return [
        [f"mention {random.randrange(60)}" for _ in range(random.randint(1, 3))] for _ in range(random.randint(0, 3))
    ]


def _misread(entities: list[list[str]], random: Random) -> list[list[str]]:
    made = [[m for m in one if random.random() < 0.6] or one[:1] for one in entities if random.random() < 0.85]
    for one in made:
        if random.random() < 0.2:
            one.append(f"mention {random.randrange(60)}")
    return made + (_entities(random)[:1] if random.random() < 0.3 else [])


def papers(documents: int, seed: int = 7) -> tuple[list[NAryRelationSet], list[NAryRelationSet]]:
    """Documents of 20 entities with up to 15 mentions and of 10 quaternary relations, as in SciREX."""
    random = Random(seed)
    refs, preds = [], []
    for _ in range(documents):
        clusters = [[_span(random) for _ in range(random.randint(1, 15))] for _ in range(20)]
        moved = [[_moved(span, random) for span in one if random.random() < 0.8] or one[:1] for one in clusters]
        named = [[random.randrange(k, 20, 4) for k in range(4)] for _ in range(10)]
        refs.append(_paper(clusters, named))
        preds.append(_paper(moved, [one if random.random() < 0.7 else [*one[:3], 19] for one in named]))
    return preds, refs


def _span(random: Random) -> tuple[int, int]:
    left = random.randrange(5000)
    return left, left + random.randint(1, 5)


def _moved(span: tuple[int, int], random: Random) -> tuple[int, int]:
    return span if random.random() < 0.8 else (span[0], span[1] + 1)


def _paper(clusters: list[list[tuple[int, int]]], named: list[list[int]]) -> NAryRelationSet:
    entities = [RoleEntity(tuple(dict.fromkeys(one)), name=f"e{k}") for k, one in enumerate(clusters)]
    relations = [
        NAryRelation("", tuple(RoleFiller(role, entities[k]) for role, k in zip(SCIREX, one, strict=True)))
        for one in named
    ]
    return NAryRelationSet(tuple(relations), None, tuple(entities))
