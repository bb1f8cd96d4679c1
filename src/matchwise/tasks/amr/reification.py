"""Roles as nodes and back: `x :location y` is `(l / be-located-at-91 :ARG1 x :ARG2 y)` (AMR guidelines).

>>> x, y = Var("x"), Var("y")
>>> reified([Prop("location", x, y)])
[Prop(rel='instance', subj='_0', obj='be-located-at-91'), Prop(rel='ARG1', subj='_0', obj='x'), \
Prop(rel='ARG2', subj='_0', obj='y')]
>>> dereified(_)
[Prop(rel='location', subj='x', obj='y')]
"""

from __future__ import annotations

from collections.abc import Sequence

from matchwise.deriving.hints import Var
from matchwise.tasks.amr.graphs import INSTANCE, Prop

REIFICATIONS: dict[str, tuple[str, str, str]] = {
    "accompanier": ("accompany-01", "ARG1", "ARG0"),
    "age": ("age-01", "ARG1", "ARG2"),
    "beneficiary": ("benefit-01", "ARG0", "ARG1"),
    "concession": ("have-concession-91", "ARG1", "ARG2"),
    "condition": ("have-condition-91", "ARG1", "ARG2"),
    "degree": ("have-degree-91", "ARG1", "ARG2"),
    "destination": ("be-destined-for-91", "ARG1", "ARG2"),
    "duration": ("last-01", "ARG1", "ARG2"),
    "example": ("exemplify-01", "ARG1", "ARG0"),
    "extent": ("have-extent-91", "ARG1", "ARG2"),
    "frequency": ("have-frequency-91", "ARG1", "ARG2"),
    "instrument": ("have-instrument-91", "ARG1", "ARG2"),
    "li": ("have-li-91", "ARG1", "ARG2"),
    "location": ("be-located-at-91", "ARG1", "ARG2"),
    "manner": ("have-manner-91", "ARG1", "ARG2"),
    "mod": ("have-mod-91", "ARG1", "ARG2"),
    "name": ("have-name-91", "ARG1", "ARG2"),
    "ord": ("have-ord-91", "ARG1", "ARG2"),
    "part": ("have-part-91", "ARG1", "ARG2"),
    "polarity": ("have-polarity-91", "ARG1", "ARG2"),
    "poss": ("own-01", "ARG1", "ARG0"),
    "purpose": ("have-purpose-91", "ARG1", "ARG2"),
    "quant": ("have-quant-91", "ARG1", "ARG2"),
    "source": ("be-from-91", "ARG1", "ARG2"),
    "subevent": ("have-subevent-91", "ARG1", "ARG2"),
    "time": ("be-temporally-at-91", "ARG1", "ARG2"),
    "topic": ("concern-02", "ARG0", "ARG1"),
    "value": ("have-value-91", "ARG1", "ARG2"),
}
"""Role -> concept, and the roles of its first and second end: the table of the AMR guidelines that smatchpp ships."""

_ROLES = {concept: (role, first, second) for role, (concept, first, second) in REIFICATIONS.items()}

_CONCEPTS = frozenset(_ROLES)


def reified(props: Sequence[Prop], *, lower: bool = False) -> list[Prop]:
    """Each role of the table as a node of its own; new variables are called _0, _1, …."""
    taken = {prop.subj for prop in props}
    made: list[Prop] = []
    number = 0
    for prop in props:
        rule = REIFICATIONS.get(prop.rel)
        if rule is None:
            made.append(prop)
            continue
        while (node := Var(f"_{number}")) in taken:
            number += 1
        number += 1
        concept, first, second = (rule[0], rule[1].lower(), rule[2].lower()) if lower else rule
        made += [Prop(INSTANCE, node, concept), Prop(first, node, prop.subj), Prop(second, node, prop.obj)]
    return made


def dereified(props: Sequence[Prop]) -> list[Prop]:
    """Each node that says no more than a role, as that role: one first end, one second, nothing else, nothing to it."""
    if _CONCEPTS.isdisjoint([prop.obj for prop in props]):
        return list(props)
    ends: dict[str, dict[str, list[Var | str]]] = {}
    pointed = {prop.obj for prop in props if isinstance(prop.obj, Var)}
    for rel, subj, obj in props:
        ends.setdefault(subj, {}).setdefault(rel if rel == INSTANCE else rel.upper(), []).append(obj)
    gone: dict[str, Prop] = {}
    for node, found in ends.items():
        rule = _ROLES.get(found.get(INSTANCE, [""])[0]) if node not in pointed else None
        if rule is None or found.keys() != {INSTANCE, *rule[1:]} or any(len(some) > 1 for some in found.values()):
            continue
        prop = _edge(rule[0], found[rule[1]][0], found[rule[2]][0])
        if prop is not None:
            gone[node] = prop
    return [*(prop for prop in props if prop.subj not in gone), *gone.values()]


def _edge(role: str, first: Var | str, second: Var | str) -> Prop | None:
    """The role between two ends; a constant comes second. Two constants stay a node: without it they have no place."""
    if isinstance(first, Var):
        return Prop(role, first, second)
    return Prop(f"{role}-of", second, first) if isinstance(second, Var) else None
