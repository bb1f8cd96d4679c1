"""φ between two lists of objects: all pairs of a tile at once, the pairs that are asked for, and columns of one list.

This is all that the readers of whole collections (matrices, duplicates, consensus) know of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.arrays import Floats
from matchwise.engine.keys import content_of as content_of
from matchwise.engine.many.frame import Frame, frame_of
from matchwise.engine.many.operators.bracket import FunctionOf
from matchwise.engine.many.operators.compound import Add
from matchwise.engine.many.operators.equality import Equality
from matchwise.engine.many.operators.latent import LatentMatch
from matchwise.engine.plan import operator, plan
from matchwise.engine.selection import elements, fail_at, follow
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

    def tile(self, rows: range, columns: range, *, half: bool = False) -> Floats:
        """φ of some objects against some others, as a matrix; `half` may leave out what is below the diagonal."""
        try:
            return self.blame(lambda: self._tile(rows, columns, half))
        finally:
            if not self._solves:
                self.forget()

    def _tile(self, rows: range, columns: range, half: bool) -> Floats:
        operator, made = self._plan.operator, np.zeros((len(rows), len(columns)))
        if self._solves:  # pair by pair: what is known of an object is made once for all tiles
            i, j = _places(rows, columns, half)
            made[i, j] = operator.at(self._p, self._r, i + rows.start, j + columns.start)
            return made
        p, r = (
            frame if len(places) == len(frame) else frame.take(list(places))
            for frame, places in ((self._p, rows), (self._r, columns))
        )
        if half and operator.near(p, r) is None:
            i, j = _places(rows, columns, half)
            made[i, j] = operator.at(p, r, i, j)
        else:
            i, j, w = operator.join(p, r)
            made[i, j] = w
        return made

    @cached_property
    def _solves(self) -> bool:
        """True if φ is an optimum over matchings of variables, or a function of one, that many pairs find together."""
        operator = self._plan.operator
        while isinstance(operator, FunctionOf):
            operator = operator.inner
        return isinstance(operator, LatentMatch) and operator.elements is not None

    def at(self, rows: list[int], columns: list[int]) -> list[Number]:
        """φ of some pairs."""
        p, r = self._p, self._r
        if len(self.xs) * len(self.ys) > AT_ONCE:  # each pair is a document, so that nothing else is joined
            p = frame_of([self.xs[i] for i in rows], "prediction")
            r = frame_of([self.ys[j] for j in columns], "reference")
            rows = columns = list(range(len(rows)))
        places = np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
        found: list[Number] = self.blame(lambda: self._plan.operator.at(p, r, *places).tolist())
        if p is not self._p:
            _forget(p)
            _forget(r)
        return found

    def elements(self, most: int) -> tuple[float, bool]:
        """How many elements the first few objects have in their largest collections, and whether all are compared."""
        p, r = frame_of(self.xs[:most], "prediction", apart=False), frame_of(self.ys[:most], "reference", apart=False)

        def run() -> tuple[float, bool]:
            operator = self._plan.operator
            operator.join(p, r)
            sizes = [len(known) / len(frame) for frame in (p, r) for known in frame.side.known if len(frame)]
            return max(sizes, default=1.0), operator.near(p, r) is None

        try:
            return self.blame(run)
        finally:
            _forget(p)
            _forget(r)

    def forget(self) -> None:
        for frame in (self._p, self._r):
            _forget(frame)

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


class ObjectColumn:
    """One list of objects, or of parts of objects: what φ compares of each."""

    __slots__ = ("_frame",)

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    @staticmethod
    def of(xs: Sequence[Any]) -> ObjectColumn:
        return ObjectColumn(frame_of(list(xs), "", apart=False))

    def __len__(self) -> int:
        return len(self._frame)

    def keys(self, phi: Similarity) -> list[Hashable]:
        """The key of each object, where φ is equality of keys."""
        made = operator(phi)
        assert isinstance(made, Equality), "facts say that it has a key"
        return made.keys(self._frame)

    def elements(self, sel: Selector) -> tuple[ObjectColumn, list[int]]:
        """The elements of the selected collections, laid end to end, and the owner of each."""
        flat = self._frame.select(sel[:-1]).flat(sel[-1:])
        return ObjectColumn(flat.frame), flat.owners().tolist()

    def terms(self, phi: Similarity) -> list[tuple[Number, Similarity, list[int], ObjectColumn]]:
        """For each term of a sum its weight, what it compares, the objects that have that part, and the part."""
        made = operator(phi)
        assert isinstance(made, Add), "of a sum"
        present = [term.present(self._frame) for term in made.terms]
        every = list(range(len(self)))
        return [
            (term.weight, term.operator.phi, every if kept is None else kept.tolist(), ObjectColumn(own))
            for term, (kept, own) in zip(made.terms, present, strict=True)
        ]

    def self_scores(self, phi: Similarity) -> list[Number]:
        """φ(x, x) of each object."""
        return operator(phi).self_scores(self._frame).tolist()  # type: ignore[no-any-return]

    def forget(self) -> None:
        _forget(self._frame)


def _places(rows: range, columns: range, half: bool) -> Any:
    """The places of a tile; with `half` those on and above the diagonal."""
    if half:
        return np.triu_indices(len(rows), 0, len(columns))
    return np.indices((len(rows), len(columns))).reshape(2, -1)


def _forget(frame: Frame) -> None:
    frame.side.forget()
    frame.memo.clear()


def read_part(value: Any, sel: Selector) -> Any:
    """The selected part of one object; None if it is absent."""
    own = frame_of([value]).present(sel).frame
    return own.items[0] if len(own) else None


def read_raw(value: Any, sel: Selector) -> Any:
    """The value in the selected place, which may be None; `MISSING` if there is no such place."""
    return follow(value, sel, fail_at, optional=True)


def read_elements(value: Any) -> list[Any]:
    """The elements of a collection; None has none."""
    found = None if value is None else elements(value)
    return [] if found is None else found
