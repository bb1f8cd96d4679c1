"""The standard form of graphs: roles read forwards, the top as a proposition, roles reified or not, no duplicates.

>>> graph = amr([("w", ":instance", "Want-01"), ("w", ":ARG0", "b"), ("b", ":instance", "boy"), ("b", ":ARG1-of", "w")])
>>> [str(tuple(prop)) for prop in Standard().graph(graph).props[2:]]
["('instance', 'b', 'boy')", "('arg1', 'w', 'b')", "('top', 'w', 'top')"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias

from matchwise.algebra.names import Var
from matchwise.algebra.steps import StepKind, read_sides
from matchwise.tasks.amr.graphs import AMR, INSTANCE, NO_INVERSES, Prop, amr, place

_HAVE = (
    "concession", "condition", "degree", "extent", "frequency", "instrument", "li", "manner", "mod", "name", "ord",
    "part", "polarity", "purpose", "quant", "subevent", "value",
)  # fmt: skip

REIFICATIONS: dict[str, tuple[str, str, str]] = {
    **{role: (f"have-{role}-91", "ARG1", "ARG2") for role in _HAVE},
    "accompanier": ("accompany-01", "ARG1", "ARG0"),
    "age": ("age-01", "ARG1", "ARG2"),
    "beneficiary": ("benefit-01", "ARG0", "ARG1"),
    "destination": ("be-destined-for-91", "ARG1", "ARG2"),
    "duration": ("last-01", "ARG1", "ARG2"),
    "example": ("exemplify-01", "ARG1", "ARG0"),
    "location": ("be-located-at-91", "ARG1", "ARG2"),
    "poss": ("own-01", "ARG1", "ARG0"),
    "source": ("be-from-91", "ARG1", "ARG2"),
    "time": ("be-temporally-at-91", "ARG1", "ARG2"),
    "topic": ("concern-02", "ARG0", "ARG1"),
}
"""Role -> concept, and the roles of its first and second end: the table of the AMR guidelines that smatchpp ships."""

_ROLES = {concept: (role, first, second) for role, (concept, first, second) in REIFICATIONS.items()}

_CONCEPTS = frozenset(_ROLES)


def reify(props: Sequence[Prop], *, lower: bool = False) -> list[Prop]:
    """Each role of the table as a node of its own; new variables are called _0, _1, ….

    >>> reify([Prop("location", Var("x"), Var("y"))])[1:]
    [Prop(rel='ARG1', subj='_0', obj='x'), Prop(rel='ARG2', subj='_0', obj='y')]
    """
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


def dereify(props: Sequence[Prop]) -> list[Prop]:
    """Turn nodes that stand for a role back into that role; such a node has two ends and nothing else.

    >>> dereify(reify([Prop("location", Var("x"), Var("y"))]))
    [Prop(rel='location', subj='x', obj='y')]
    """
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
        first, second = found[rule[1]][0], found[rule[2]][0]
        if isinstance(first, Var):
            gone[node] = Prop(rule[0], first, second)
        elif isinstance(second, Var):  # two constants need the node
            gone[node] = Prop(f"{rule[0]}-of", second, first)
    return [*(prop for prop in props if prop.subj not in gone), *gone.values()]


@lru_cache(100_000)
def turn(role: str, *, fold: bool = False, mod: bool = False, every: bool = False) -> tuple[str, bool]:
    """The role read forwards, and whether its ends change places.

    `fold` ignores case, `mod` reads `domain` as the inverse of `mod`, `every` takes each -of for an inverse.

    >>> turn("ARG1-of", fold=True), turn("consist-of", fold=True), turn("domain", mod=True)
    (('arg1', True), ('consist-of', False), ('mod', True))
    """
    name, back = role.lower() if fold else role, False
    while name.endswith("-of") and (every or name not in NO_INVERSES):
        name, back = name[:-3], not back
    return ("mod", not back) if mod and name == "domain" else (name, back)


Roles: TypeAlias = Literal["smatch", "smatchpp", "paper"]
Top: TypeAlias = Literal["constant", "concept", "none"]
Reification: TypeAlias = Literal["keep", "reify", "dereify"]
Duplicates: TypeAlias = Literal["set", "bag"]


class Concept(str):
    """The object of an instance proposition, where concepts have a similarity of their own."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Standard:
    """The step before matching.

    `roles` says how labels are read: `smatch` ignores case and quotes, `smatchpp` also takes every role that ends in
    -of for an inverse, and `paper` compares them as they are written. `top` is a proposition of the top variable and
    a constant, or its concept, or none.
    """

    roles: Roles = "smatch"
    top: Top = "constant"
    reification: Reification = "keep"
    duplicates: Duplicates = "set"
    concepts: bool = False
    """Whether concepts are marked as such."""
    document: bool = False
    """Whether propositions say in which sentences their variables occur."""

    def __call__(self, pred: Any, ref: Any) -> tuple[AMR, AMR]:
        return read_sides(self.graph, pred, ref)

    def graph(self, value: Any) -> AMR:
        """The graph in the form in which it is compared."""
        graph = amr(value)
        props = self._read(graph.props)
        if self.top != "none" and graph.top is not None:
            concept = next((prop.obj for prop in props if prop.rel == INSTANCE and prop.subj == graph.top), "")
            is_constant = self.top == "constant"
            props.append(Prop("top", graph.top, "top") if is_constant else Prop("root", graph.top, concept))
        if self.reification == "reify":
            props = reify(props, lower=self.roles != "paper")
        elif self.reification == "dereify":
            props = dereify(props)
        if self.concepts:
            props = [Prop(rel, x, Concept(y)) if rel == INSTANCE else Prop(rel, x, y) for rel, x, y in props]
        made = tuple(dict.fromkeys(props) if self.duplicates == "set" else props)
        if self.document:
            made = place(made, graph)  # type: ignore[assignment]  # propositions that say more
        return AMR(made, graph.top, graph.id)

    def _read(self, props: tuple[Prop, ...]) -> list[Prop]:
        """Read roles forwards, and labels as `roles` says."""
        turn, label = _TURNS[self.roles], _LABELS[self.roles]
        made = []
        for rel, subj, obj in props:
            if rel == INSTANCE:
                made.append(Prop(rel, subj, label(obj)))
                continue
            role, back = turn(rel)
            if isinstance(obj, Var):
                made.append(Prop(role, obj, subj) if back else Prop(role, subj, obj))
            else:  # a constant has no propositions of its own: an inverse role stays with the variable
                made.append(Prop(f"{role}-of" if back else role, subj, label(obj)))
        return made


standard = StepKind("standard", Standard, separate=True, symmetric=True, gives=AMR)
"""`amr.standard()`: graphs in the form in which they are compared."""


@lru_cache(100_000)
def _smatch(text: str) -> str:
    """Ignore case and quotes; smatch turns a closing quote into an underscore."""
    if text[:1] == '"' == text[-1:] and len(text) > 1:
        text = text[1:-1]
    return text.lower().rstrip("_")


def _smatchpp(text: str) -> str:
    return text.lower().replace('"', "").replace("'", "")


_LABELS: dict[Roles, Callable[[str], str]] = {"smatch": _smatch, "smatchpp": _smatchpp, "paper": str}

_TURNS: dict[Roles, Callable[[str], tuple[str, bool]]] = {
    "smatch": partial(turn, fold=True, mod=True),
    "smatchpp": partial(turn, fold=True, mod=True, every=True),
    "paper": turn,
}
