"""Steps before role fillers are compared: strings normalised, entities split into mentions, or what GRIT does."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from matchwise.algebra.steps import LeftOut, Step, StepKind, read_sides
from matchwise.tasks.roles.documents import (
    fillers,
    plain_relations,
    relations,
    roles,
    squad_filler,
    squad_mentions,
)
from matchwise.tasks.roles.fillers import NOTHING, Entity, NAryRelation, RoleFiller

Strings: TypeAlias = Literal["exact", "squad"]
Predicted: TypeAlias = Literal["entities", "mentions"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The fillers of both sides, with `strings="squad"` normalised, with `predicted="mentions"` one for each mention.

    >>> pred, _ = Prepared("squad", "mentions")({"Weapon": [["The bomb", "a car"]]}, {})
    >>> [one.entity.mentions for one in pred.args]
    [('bomb',), ('car',)]
    """

    strings: Strings = "exact"
    predicted: Predicted = "entities"

    def __call__(self, pred: Any, ref: Any) -> tuple[NAryRelation, NAryRelation]:
        mine, theirs = read_sides(self._side, pred, ref)
        if self.predicted == "mentions":
            mine = [
                RoleFiller(one.role, replace(one.entity, mentions=(m,))) for one in mine for m in one.entity.mentions
            ]
        return NAryRelation("", tuple(mine)), NAryRelation("", tuple(theirs))

    def _side(self, document: Any) -> list[RoleFiller]:
        found = fillers(document)
        return list(map(squad_filler, found)) if self.strings == "squad" else found


prepared_fillers = StepKind("prepared_fillers", Prepared, gives=NAryRelation)
"""`roles.prepared_fillers()`: fillers whose strings are normalised, or that are split into mentions."""


def preparation(strings: Strings, predicted: Predicted = "entities") -> Step | None:
    """The step that the two options ask for, or none."""
    made = Prepared(strings, predicted)
    return None if made == Prepared() else prepared_fillers.of(made)


@dataclass(frozen=True, slots=True)
class Grit:
    """What GRIT's eval.py compares (Du et al. 2021).

    Strings normalised, predictions in roles that the reference does not list left out, ∅ within everything.

    >>> pred, ref = {"Weapon": [["The bomb"]], "Target": [["a bank"]]}, {"Weapon": [["bomb", "car bomb"]]}
    >>> [(one.role, one.entity.mentions) for one in Grit()(pred, ref)[0].args], Grit().left_out(pred, ref)[0].kind
    ([('Weapon', ('bomb',))], "filler of the role 'Target', which the reference does not list, left out")
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[NAryRelation, NAryRelation]:
        (predicted, _), (theirs, listed) = read_sides(_read, pred, ref)
        mine = [one for one in predicted if one.role in listed]
        if not all(one.entity.mentions for one in (*mine, *theirs)):
            mine = [one if one.entity.mentions else _with_nothing(one) for one in mine]
            theirs = [_with_nothing(one) for one in theirs]
        return NAryRelation("", tuple(mine)), NAryRelation("", tuple(theirs))

    def left_out(self, pred: Any, ref: Any) -> list[LeftOut]:
        """What is named when files are scored: each filler in a role that the reference does not list."""
        (predicted, _), (_, listed) = read_sides(_read, pred, ref)
        names = [one.role for one in predicted if one.role not in listed]
        return [LeftOut(f"filler of the role {role!r}, which the reference does not list, left out") for role in names]


grit = StepKind("grit", Grit, left_out=Grit.left_out, gives=NAryRelation)
"""`roles.grit()`: what GRIT's eval.py compares."""


def _read(document: Any) -> tuple[list[RoleFiller], Set[str]]:
    """The fillers of a document, their strings normalised, and the roles that it lists."""
    plain = plain_relations(document)
    if plain is not None and len(plain) == 1:
        [(_, listed, filled)] = plain
        return [RoleFiller(role, Entity(squad_mentions(mentions))) for role, mentions in filled], set(listed)
    several = relations(document)
    made = [
        RoleFiller(one.role, Entity(squad_mentions(one.entity.mentions), one.entity.type)) for one in fillers(several)
    ]
    return made, roles(several)


def _with_nothing(one: RoleFiller) -> RoleFiller:
    return RoleFiller(one.role, replace(one.entity, mentions=(*one.entity.mentions, NOTHING)))
