"""Steps before role fillers are compared: strings normalised, predicted entities split into their mentions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from matchwise.tasks.roles.documents import fillers, sides
from matchwise.tasks.roles.fillers import NAryRelation, RoleFiller
from matchwise.tasks.roles.texts import squad_filler

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
        mine, theirs = sides(self._side, pred, ref)
        if self.predicted == "mentions":
            mine = [
                RoleFiller(one.role, replace(one.entity, mentions=(m,))) for one in mine for m in one.entity.mentions
            ]
        return NAryRelation("", tuple(mine)), NAryRelation("", tuple(theirs))

    def _side(self, document: Any) -> list[RoleFiller]:
        found = fillers(document)
        return list(map(squad_filler, found)) if self.strings == "squad" else found


def prepared(strings: Strings, predicted: Predicted = "entities") -> Prepared | None:
    """The step that the two options ask for, or none."""
    made = Prepared(strings, predicted)
    return None if made == Prepared() else made
