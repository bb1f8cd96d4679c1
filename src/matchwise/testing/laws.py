"""The laws of a similarity, each written once: when it is claimed, and where the given objects break it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Number, Similarity
from matchwise.arrays import Floats
from matchwise.errors import MatchwiseError

SLACK = 1e-9
"""How far rounding may lead away from a law, relative to numbers above 1."""


@dataclass
class LawError(MatchwiseError, AssertionError):
    """A law does not hold: which, of which similarity, for which objects, with which numbers."""

    phi: Similarity
    law: str
    equation: str
    found: str
    objects: tuple[Any, ...] = ()
    claim: str = ""

    def __str__(self) -> str:
        named = zip("xyz", self.objects, strict=False) if len(self.objects) <= 3 else enumerate(self.objects)
        rows = [("found", self.found), *((str(name), repr(value)) for name, value in named)]
        rows += [("claimed", self.claim)] if self.claim else []
        head = f'{self.phi!r} breaks the law "{self.law}": {self.equation}'
        return "\n".join([head, *(f"  {name:<7}  {text}" for name, text in rows)])

    def __reduce__(self) -> tuple[object, ...]:
        return LawError, (self.phi, self.law, self.equation, self.found, self.objects, self.claim)


@dataclass(frozen=True, slots=True)
class Evidence:
    """φ, what is claimed of it, some objects, and φ(x, y) for every two of them."""

    phi: Similarity
    facts: Facts
    objects: tuple[Any, ...]
    table: tuple[tuple[Number, ...], ...]

    def cells(self) -> Iterator[tuple[int, int, Number]]:
        return ((i, j, value) for i, row in enumerate(self.table) for j, value in enumerate(row))

    def matrix(self) -> Floats:
        return np.array(self.table, dtype=np.float64).reshape(len(self.objects), len(self.objects))


Breach: TypeAlias = tuple[str, tuple[Any, ...]]
"""The numbers that break a law, and the objects they belong to."""


@dataclass(frozen=True, slots=True)
class Law:
    """One law: its name (that of the fact which claims it, if one does), its equation, and what breaks it."""

    name: str
    equation: str
    breaches: Callable[[Evidence], Iterator[Breach]]

    def is_claimed(self, evidence: Evidence) -> bool:
        """True if the law should hold: it is a fact of this similarity, or a law of all of them."""
        return bool(getattr(evidence.facts, self.name, True))

    def check(self, evidence: Evidence) -> None:
        for found, objects in self.breaches(evidence):
            fact = getattr(evidence.facts, self.name, None)
            raise LawError(evidence.phi, self.name, self.equation, found, objects, fact.reason if fact else "")


def exceeds(a: Number, b: Number) -> bool:
    """True if a > b by more than rounding explains."""
    return bool(a - b > SLACK * max(1.0, abs(float(a)), abs(float(b))))


def differs(a: Number, b: Number) -> bool:
    return exceeds(a, b) or exceeds(b, a)


def _pairs(e: Evidence, broken: Callable[..., bool], beside: str = "") -> Iterator[Breach]:
    """Pairs whose value breaks a law, by itself or beside another one: `"yx"` is φ(y, x)."""
    for i, j, value in e.cells():
        at = {"x": i, "y": j}
        others = [e.table[at[beside[0]]][at[beside[1]]]] if beside else []
        if broken(value, *others):
            more = [f"φ({', '.join(beside)}) = {other}" for other in others]
            yield ", ".join([f"φ(x, y) = {value}", *more]), (e.objects[i], e.objects[j])


def _no_unit(e: Evidence) -> Iterator[Breach]:
    for i, x in enumerate(e.objects):
        if differs(e.table[i][i], 1):
            yield f"φ(x, x) = {e.table[i][i]}", (x,)


def _triples(e: Evidence, least: Callable[[Any, Any], Any]) -> Iterator[Breach]:
    """φ(x, y) ≥ least(φ(x, z), φ(z, y)) for all x, y, z."""
    values = e.matrix()
    for k, z in enumerate(e.objects):
        below = values + SLACK * np.maximum(1, values) < least(values[:, [k]], values[[k], :])
        for i, j in zip(*(places.tolist() for places in np.nonzero(below)), strict=True):
            found = f"φ(x, y) = {e.table[i][j]}, φ(x, z) = {e.table[i][k]}, φ(z, y) = {e.table[k][j]}"
            yield found, (e.objects[i], e.objects[j], z)


def _indefinite(e: Evidence) -> Iterator[Breach]:
    """A negative eigenvalue of the Gram matrix, of as few of the objects as still show it."""
    values = e.matrix()

    def least(places: list[int]) -> float:
        gram = values[np.ix_(places, places)]
        return float(np.linalg.eigvalsh((gram + gram.T) / 2)[0]) if places else 0.0

    bound = -SLACK * max(1.0, float(values.max(initial=0))) * max(1, len(e.objects))
    kept = list(range(len(e.objects)))
    if least(kept) >= bound:
        return
    for place in list(kept):
        fewer = [other for other in kept if other != place]
        if least(fewer) < bound:
            kept = fewer
    yield f"the Gram matrix has the eigenvalue {least(kept):.6g}", tuple(e.objects[i] for i in kept)


FACTS = (
    Law("range", "0 ≤ φ(x, y) < ∞", partial(_pairs, broken=lambda value: not 0 <= value < float("inf"))),
    Law("bounded", "φ(x, y) ≤ 1", partial(_pairs, broken=lambda value: exceeds(value, 1))),
    Law("symmetric", "φ(x, y) = φ(y, x)", partial(_pairs, broken=differs, beside="yx")),
    Law("discrete", "φ(x, y) is 0 or 1", partial(_pairs, broken=lambda value: value not in (0, 1))),
    Law("unit", "φ(x, x) = 1", _no_unit),
    Law("left", "φ(x, y) ≤ φ(x, x)", partial(_pairs, broken=exceeds, beside="xx")),
    Law("right", "φ(x, y) ≤ φ(y, y)", partial(_pairs, broken=exceeds, beside="yy")),
    Law("strong", "φ(x, y) ≥ min(φ(x, z), φ(z, y))", partial(_triples, least=np.minimum)),
    Law("kernel", "Σ c_i c_j φ(x_i, x_j) ≥ 0 for all c", _indefinite),
    Law("triangle", "1 − φ(x, y) ≤ 1 − φ(x, z) + 1 − φ(z, y)", partial(_triples, least=lambda xz, zy: xz + zy - 1)),
)
"""The laws that can be read from the numbers alone; `facts` says which of them are claimed."""
