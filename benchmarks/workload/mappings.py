"""GTT's score as its script finds it: all mappings of a document's templates are tried."""

from __future__ import annotations

import re
import string
from itertools import product

from workload.incidents import ROLES, Incident


def all_matchings(preds: list[list[Incident]], refs: list[list[Incident]]) -> float:
    """GTT's F1 as its scorer finds it: of all mappings of a document the first with the best F1."""
    total = [0, 0, 0, 0]
    for pred, ref in zip(preds, refs, strict=True):
        mine, theirs = ([_normalized(one) for one in side] for side in (pred, _without_repetitions(ref)))
        best, found = -1.0, [0, 0, 0, 0]
        for mapping in product([*range(len(theirs)), -1], repeat=len(mine)):
            used = [j for j in mapping if j >= 0]
            if len(used) == len(set(used)):
                numbers = _numbers(mine, theirs, mapping)
                value = _f1(*numbers)
                if value > best:
                    best, found = value, numbers
        total = [x + y for x, y in zip(total, found, strict=True)]
    return _f1(*total)


def _numbers(mine: list[Incident], theirs: list[Incident], mapping: tuple[int, ...]) -> list[int]:
    """Right, predicted, found, reference."""
    found = [0, 0, 0, 0]
    for pred, j in zip(mine, mapping, strict=True):
        if j >= 0 and pred["incident_type"] in theirs[j]["incident_type"]:
            a, b = _counts(pred, theirs[j])
            found[0] += a
            found[2] += b
        found[1] += _size(pred)
    found[3] = sum(map(_size, theirs))
    return found


def _counts(pred: Incident, ref: Incident) -> tuple[int, int]:
    """What is right of the prediction, and what is found of the reference."""
    a = b = 1
    for role in ROLES:
        a += sum(any(set(one) <= set(other) for other in ref[role]) for one in pred[role])
        b += sum(any(set(one) <= set(other) for one in pred[role]) for other in ref[role])
    return a, b


def _normalized(one: Incident) -> Incident:
    held = {role: [[_text(mention) for mention in entity] for entity in one[role]] for role in ROLES}
    return {"incident_type": one["incident_type"], **held}


def _text(mention: str) -> str:
    bare = "".join(letter for letter in mention.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def _without_repetitions(templates: list[Incident]) -> list[Incident]:
    kept: list[Incident] = []
    for one in templates:
        some = {role: [e for e in one[role] if e] if role in ROLES else one[role] for role in one}
        if some not in kept:
            kept.append(some)
    return kept


def _size(one: Incident) -> int:
    return 1 + sum(len(one[role]) for role in ROLES)


def _f1(a: int, predicted: int, b: int, reference: int) -> float:
    p, r = a / predicted if predicted else 0.0, b / reference if reference else 0.0
    return 2 * p * r / (p + r) if p + r else 0.0
