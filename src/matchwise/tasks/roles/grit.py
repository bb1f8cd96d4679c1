"""What GRIT's eval.py does to the two sides before it compares them (Du et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from matchwise.tasks.roles.documents import fillers, relations, roles, sides
from matchwise.tasks.roles.fillers import NOTHING, Entity, NAryRelation, RoleFiller
from matchwise.tasks.roles.texts import squad_mentions


class LeftOut(NamedTuple):
    """A role of a predicted filler that the reference does not list."""

    role: str

    @property
    def kind(self) -> str:
        return f"filler of the role {self.role!r}, which the reference does not list, left out"


@dataclass(frozen=True, slots=True)
class Grit:
    """Strings normalised, predictions in roles that the reference does not list left out, ∅ within everything.

    >>> pred, ref = {"Weapon": [["The bomb"]], "Target": [["a bank"]]}, {"Weapon": [["bomb", "car bomb"]]}
    >>> [(one.role, one.entity.mentions) for one in Grit()(pred, ref)[0].args], Grit().left_out(pred, ref)
    ([('Weapon', ('bomb',))], [LeftOut(role='Target')])
    """

    def __call__(self, pred: Any, ref: Any) -> tuple[NAryRelation, NAryRelation]:
        predicted, reference = sides(relations, pred, ref)
        listed = roles(reference)
        mine = [_normal(one) for one in fillers(predicted) if one.role in listed]
        theirs = [_normal(one) for one in fillers(reference)]
        if not all(one.entity.mentions for one in (*mine, *theirs)):
            mine = [one if one.entity.mentions else _with_nothing(one) for one in mine]
            theirs = [_with_nothing(one) for one in theirs]
        return NAryRelation("", tuple(mine)), NAryRelation("", tuple(theirs))

    def left_out(self, pred: Any, ref: Any) -> list[LeftOut]:
        """What is named when files are scored: each filler in a role that the reference does not list."""
        predicted, reference = sides(relations, pred, ref)
        listed = roles(reference)
        return [LeftOut(one.role) for one in fillers(predicted) if one.role not in listed]


def _normal(one: RoleFiller) -> RoleFiller:
    return RoleFiller(one.role, Entity(squad_mentions(one.entity.mentions), one.entity.type))


def _with_nothing(one: RoleFiller) -> RoleFiller:
    return RoleFiller(one.role, replace(one.entity, mentions=(*one.entity.mentions, NOTHING)))
