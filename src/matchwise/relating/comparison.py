"""What is compared with what: a similarity, or the one metric of a suite, and two lists."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.steps import Step, split_step
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import plan
from matchwise.engine.relation import Relation
from matchwise.errors import DataError, ExpressionError, describe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


class Comparison:
    """φ(x, y) of every x and y; `ys` left out are the `xs` themselves.

    Where the step of a metric reads each side by itself, the objects are read once; where it sees both sides, every
    pair is scored by itself.
    """

    def __init__(self, phi: Similarity | Suite, xs: Iterable[Any], ys: Iterable[Any] | None = None) -> None:
        step, self.phi = split_step(metric_of(phi))
        self.xs = list_objects(xs, "xs")
        self.within = ys is None
        self.ys = self.xs if ys is None else list_objects(ys, "ys")
        self.step: Step | None = None
        if step is not None and step.separate:
            mine = _read(step, self.xs, None)
            self.ys = [ref for _, ref in (mine if self.within else _read(step, self.ys, "reference"))]
            self.xs = [pred for pred, _ in mine]
        else:
            self.step = step
        self._relation: Relation | None = None

    @property
    def symmetric(self) -> bool:
        """Whether φ(x, y) = φ(y, x) is proved, and both lists are one."""
        return self.within and self.step is None and bool(facts(self.phi).symmetric)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.xs), len(self.ys)

    def take(self, places: list[int]) -> Comparison:
        """Some xs with all ys."""
        made = copy(self)
        made.xs, made.within, made._relation = [self.xs[place] for place in places], False, None
        return made

    def tile(self, rows: range, columns: range) -> Matrix:
        """φ of some xs against some ys."""
        if self.step is None:
            return self.relation.tile(rows, columns)
        import numpy as np

        return np.array([[self._one(i, j) for j in columns] for i in rows], dtype=np.float64)

    def at(self, rows: list[int], columns: list[int]) -> list[Number]:
        """φ of some pairs."""
        if self.step is None:
            return self.relation.at(rows, columns)
        return [self._one(i, j) for i, j in zip(rows, columns, strict=True)]

    @property
    def relation(self) -> Relation:
        if self._relation is None:
            self._relation = Relation(self.phi, self.xs, self.ys)
        return self._relation

    def _one(self, i: int, j: int) -> Number:
        assert self.step is not None, "else the relation knows"
        return plan(self.step | self.phi).score(self.xs[i], self.ys[j])

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_relation": None}  # plans are made anew in each process


def _read(step: Step, objects: list[Any], side: str | None) -> list[tuple[Any, Any]]:
    """Each object as a prediction and as a reference."""
    made = []
    for number, x in enumerate(objects):
        try:
            made.append(step(x, x))
        except DataError as error:
            raise DataError(error.problem, error.path, number, side) from error
    return made


def metric_of(phi: Similarity | Suite) -> Similarity:
    """The similarity, or the only metric of a suite."""
    if isinstance(phi, Similarity):
        return phi
    if not isinstance(phi, Suite):
        raise ExpressionError(f'expected a metric such as f1("relations"), not {describe(phi)}')
    found = [(name, entry) for name, entry in phi.entries if isinstance(entry, Similarity)]
    if len(found) > 1:
        names = ", ".join(name for name, _ in found)
        name = found[0][0]
        raise ExpressionError(f"the suite has several metrics ({names}); choose one, as in suite[{name!r}]")
    return found[0][1]


def list_objects(objects: Iterable[Any], name: str) -> list[Any]:
    """A list of objects; a single one is a mistake."""
    if isinstance(objects, str | bytes | dict) or not isinstance(objects, Iterable):
        raise ExpressionError(f"{name} is one {type(objects).__name__}, expected a list of objects; write [{name}]")
    return list(objects)
