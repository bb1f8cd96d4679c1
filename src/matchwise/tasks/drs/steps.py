"""Structures as they are compared: redundant referents left out, roles read forwards, each clause said once.

>>> words = [["b1", "REF", "x1"], ["b1", "PartOf", "x1", "x2"], ["b1", "EQU", '"now"', "x2"], ["b2", "REF", "x3"]]
>>> [" ".join((clause.rel, clause.first, clause.second)).strip() for clause in Standard().structure(drs(words)).clauses]
['Part x2 x1', 'EQU x2 "now"', 'REF x3']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from matchwise.algebra.steps import StepKind, read_sides
from matchwise.deriving.hints import Var
from matchwise.tasks.drs.structures import DRS, Clause, Referent, drs

Refs: TypeAlias = Literal["needed", "all"]
Ignored: TypeAlias = Literal["nothing", "senses", "roles", "concepts"]

SYMMETRIC = frozenset({"APX", "EQU", "NEQ", "TAB"})
"""Operators whose arguments may change places: approximates, equals, differs from, abuts."""


class Symmetric(str):
    """The operator of a clause that is there in both directions, each worth half."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Standard:
    """The step before matching.

    `refs="needed"` leaves `b REF x` out where another clause of b is about x. `directions` reads `PartOf x y` as
    `Part y x`, puts the constant of a symmetric operator last, and says one of two names in both directions.
    """

    refs: Refs = "needed"
    directions: bool = True
    ignore: Ignored = "nothing"
    synsets: tuple[tuple[str, str], ...] = ()
    """Concept -> the concept it is the same as."""
    _synset: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "synsets", tuple(dict(self.synsets).items()))
        object.__setattr__(self, "_synset", dict(self.synsets))

    def __call__(self, pred: Any, ref: Any) -> tuple[DRS, DRS]:
        return read_sides(self.structure, pred, ref)

    def structure(self, value: Any) -> DRS:
        """The structure in the form in which it is compared."""
        found = drs(value)
        clauses = dict.fromkeys(found.clauses)
        if self.refs == "needed":
            clauses = dict.fromkeys(_without_redundant(list(clauses)))
        if self.directions:
            clauses = dict.fromkeys(one for clause in clauses for one in _direct(clause))
        if self.ignore != "nothing" or self._synset:
            clauses = dict.fromkeys(map(self._rename, clauses))
        return DRS(tuple(clauses), found.id)

    def _rename(self, clause: Clause) -> Clause:
        match clause.kind, self.ignore:
            case "concept", "concepts":
                return clause._replace(rel="concept")
            case "role", "roles":
                return clause._replace(rel="Role")
            case "concept", ignored:
                rel = self._synset.get(clause.rel, clause.rel)
                return clause._replace(rel=rel.rsplit(".", 2)[0] if ignored == "senses" else rel)
        return clause


standard = StepKind("standard", Standard, separate=True, symmetric=True, gives=DRS)
"""`drs.standard()`: structures in the form in which they are compared."""


def _without_redundant(clauses: list[Clause]) -> Iterator[Clause]:
    said = {(one.box, name) for one in clauses if one.rel != "REF" for name in (one.first, one.second)}
    return (one for one in clauses if one.rel != "REF" or (one.box, one.first) not in said)


def _direct(clause: Clause) -> Iterator[Clause]:
    """The clause in the direction, or the two directions, in which it is compared."""
    box, rel, first, second, kind = clause
    if kind == "role" and rel.endswith("Of") and len(rel) > 2:
        yield Clause(box, rel[:-2], second, first, kind)
    elif rel not in SYMMETRIC or first == second:
        yield clause
    elif isinstance(first, Referent) and isinstance(second, Referent):
        yield Clause(box, Symmetric(rel), first, second, kind)
        yield Clause(box, Symmetric(rel), second, first, kind)
    elif isinstance(second, Var):
        yield Clause(box, rel, second, first, kind)
    else:
        yield clause
