"""φ between two lists of objects: all pairs of a tile at once, the pairs that are asked for, and columns of one list.

This is all that the readers of whole collections (matrices, duplicates, consensus) know of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.arrays import Floats
from matchwise.engine.keys import content_of as content_of
from matchwise.engine.many.frame import Flat, Frame, frame_of
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.compound import Add
from matchwise.engine.operators.equality import keys_of as keys_of
from matchwise.engine.operators.functions import FunctionOf
from matchwise.engine.operators.latent import LatentMatch
from matchwise.engine.plan import plan
from matchwise.engine.selection import absent, elements, fail_at, follow
from matchwise.engine.tuning import AT_ONCE
from matchwise.errors import DataError

Made = TypeVar("Made")


class ObjectPairs:
    """φ(x, y) of the objects of two lists; what is computed of an object is kept until `forget`."""

    def __init__(self, phi: Similarity, xs: Sequence[Any], ys: Sequence[Any]) -> None:
        self.phi = phi
        self.xs, self.ys = list(xs), list(ys)
        self._plan = plan(phi)
        self._p, self._r = frame_of(self.xs, "prediction", apart=False), frame_of(self.ys, "reference", apart=False)
        inner = self._plan.operator
        while isinstance(inner, FunctionOf):
            inner = inner.inner
        self._solves = isinstance(inner, LatentMatch) and inner.elements is not None
        """True if φ is an optimum over matchings of variables, or a function of one, that many pairs find together."""

    def tile(self, rows: range, columns: range, *, half: bool = False) -> Floats:
        """φ of some objects against some others, as a matrix; `half` may leave out what is below the diagonal."""
        operator, made = self._plan.operator, np.zeros((len(rows), len(columns)))

        def fill() -> Floats:
            p, r, top, left = self._p, self._r, rows.start, columns.start
            if not self._solves:  # else pair by pair: what is known of an object is made once for all tiles
                p, r = (
                    frame if len(some) == len(frame) else frame.take(list(some))
                    for frame, some in ((p, rows), (r, columns))
                )
                top = left = 0
            if self._solves or (half and operator.fills):
                i, j = (
                    np.triu_indices(*made.shape[:1], 0, made.shape[1])
                    if half
                    else np.indices(made.shape).reshape(2, -1)
                )
                made[i, j] = operator.at(p, r, i + top, j + left)
            else:
                i, j, w = operator.join(p, r)
                made[i, j] = w
            return made

        try:
            return self.blame(fill)
        finally:
            if not self._solves:
                self.forget()

    def at(self, rows: list[int], columns: list[int]) -> list[Number]:
        """φ of some pairs."""
        p, r = self._p, self._r
        if len(self.xs) * len(self.ys) > AT_ONCE:  # each pair is a document, so that nothing else is joined
            p = frame_of([self.xs[i] for i in rows], "prediction")
            r = frame_of([self.ys[j] for j in columns], "reference")
            rows = columns = list(range(len(rows)))
        i, j = np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
        found: list[Number] = self.blame(lambda: self._plan.operator.at(p, r, i, j).tolist())
        if p is not self._p:
            p.side.forget()
            r.side.forget()
        return found

    def elements(self, most: int) -> tuple[float, bool]:
        """How many elements the first few objects have in their largest collections, and whether all are compared."""
        sides = [
            frame_of(xs[:most], side, apart=False) for xs, side in ((self.xs, "prediction"), (self.ys, "reference"))
        ]
        try:
            self.blame(lambda: self._plan.operator.join(*sides))
            sizes = [
                len(known.frame) / len(frame)
                for frame in sides
                for known in frame.side.known.values()
                if isinstance(known, Flat) and len(frame)
            ]
            return max(1.0, *sizes) if sizes else 1.0, self._plan.operator.fills
        finally:
            for frame in sides:
                frame.side.forget()

    def forget(self) -> None:
        self._p.side.forget()
        self._r.side.forget()

    def blame(self, run: Callable[[], Made]) -> Made:
        """Run a function; if a single object causes an error, say which."""
        try:
            return run()
        except DataError as error:
            for side, objects in ((None, self.xs), ("reference", self.ys)):
                for number, x in enumerate(objects):
                    try:
                        self._plan.score(x, x)
                    except DataError as found:
                        raise DataError(found.problem, found.path, number, side) from error
            raise


def column_of(xs: Sequence[Any]) -> Frame:
    """One list of objects, to read what φ compares of each; its side is to be told to `forget`."""
    return frame_of(list(xs), apart=False)


def own_scores(phi: Similarity, xs: Sequence[Any]) -> Floats:
    """φ(x, x) of each object."""
    column = column_of(xs)
    found: Floats = operator(phi).self_scores(column)
    column.side.forget()
    return found


def terms_of(phi: Similarity, column: Frame) -> list[tuple[Number, Similarity, list[int], Frame]]:
    """For each term of a sum its weight, what it compares, the objects that have that part, and the part."""
    made = operator(phi)
    assert isinstance(made, Add), "of a sum"
    return [
        (weight, part.phi, own.owners(np.arange(len(own.frame))).tolist(), own.frame)
        for (weight, _), part, own in zip(made.phi.terms, made.inputs, made.present(column), strict=True)
    ]


def read_part(value: Any, sel: Selector) -> Any:
    """The selected part of one object; None if it is absent."""
    found = read_raw(value, sel)
    return None if absent(found) else found


def read_raw(value: Any, sel: Selector) -> Any:
    """The value in the selected place, which may be None; `MISSING` if there is no such place."""
    return follow(value, sel, fail_at, optional=True)


def read_elements(value: Any) -> list[Any]:
    """The elements of a collection; None has none."""
    return [] if value is None else elements(value) or []
