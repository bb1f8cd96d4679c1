"""Where a similarity is applied: to a selected part, by the type of a value, to the best elements, or again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from matchwise.algebra.nodes import Again, Best, Recursive, Selector, Similarity, Union
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present, Vector
from matchwise.engine.many.operators.base import Operator, Pairs, Places, at_parts, near_any
from matchwise.engine.many.operators.equality import case_members
from matchwise.engine.selection import join


class Select(Operator):
    """φ of a part that many objects share (the entity of each mention): computed once per distinct part."""

    verb: ClassVar[str] = "select"

    def __init__(self, phi: Similarity, sel: Selector, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = sel
        self.dense = inner.dense

    def distinct(self, frame: Frame) -> tuple[Vector | None, Frame]:
        return frame.select(self.sel).distinct()

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        (p, xs), (r, ys) = self.distinct(preds), self.distinct(refs)
        found = self.inner.near(xs, ys)
        if found is None or p is r is None:
            return found
        i, at = kernels.join(np.arange(len(preds)) if p is None else p, found[0])
        place, j = kernels.join(found[1][at], np.arange(len(refs)) if r is None else r)
        i = i[place]
        order = np.lexsort((j, i))
        return i[order], j[order]

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        (p, xs), (r, ys) = self.distinct(preds), self.distinct(refs)
        a = i if p is None else p[i]
        b = j if r is None else r[j]
        if p is None and r is None:
            return self.inner.at(xs, ys, a, b)
        x, y, block, order = kernels.group(a, b, len(ys))
        found = self.inner.at(xs, ys, x, y)[block]
        return found[kernels.inverse(order, len(i))]

    def _self_scores(self, frame: Frame) -> Vector:
        codes, distinct = self.distinct(frame)
        values = self.inner.self_scores(distinct)
        return values if codes is None else values[codes]

    def detail(self) -> str:
        return f"{join('', self.sel)}, once per distinct object"


class ByCase(Operator):
    """φ_T by the type of the value: the cases never meet each other."""

    verb: ClassVar[str] = "union"

    def __init__(self, phi: Union, *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.sel, self.cases = phi.sel, phi.cases
        self.dense = any(operator.dense for operator in inputs)
        self.windows = self.dense and all(operator.windows or not operator.dense for operator in inputs)

    def members(self, frame: Frame) -> dict[int, Present]:
        """The values of each case: which elements have them (None: all), and the values."""
        made: dict[int, Present] | None = frame.memo.get(self)
        if made is None:
            values = frame.select(self.sel)
            groups = case_members(values, self.cases)
            made = {
                number: Present(None, values)
                if len(members) == len(values)
                else Present(kernels.places(members), values.take(members))
                for number, members in groups.items()
            }
            if values is not frame:
                frame.memo[self] = made
        return made

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        mine, theirs = self.members(preds), self.members(refs)
        met = mine.keys() & theirs.keys()
        return near_any([(self.inputs[number], mine[number], theirs[number]) for number in met], preds, refs)

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        mine, theirs = self.members(preds), self.members(refs)
        total = np.zeros(len(i))
        for number in sorted(mine.keys() & theirs.keys()):
            found = at_parts(self.inputs[number], mine[number], theirs[number], preds, refs, i, j)
            total = total + found
        return total

    def _self_scores(self, frame: Frame) -> Vector:
        total = np.zeros(len(frame))
        for number, (kept, own) in self.members(frame).items():
            found = self.inputs[number].self_scores(own)
            if kept is None:
                return found
            total = total + kernels.spread(len(frame), kept, found)
        return total

    def children(self) -> tuple[tuple[str, Any], ...]:
        names = [case if isinstance(case, str) else case.__name__ for case, _ in self.cases]
        return tuple(zip(names, self.inputs, strict=True))


class Recur(Operator):
    """A recursive similarity, applied to a part, first or again; recursion ends where the data does."""

    verb: ClassVar[str] = "recur"

    def __init__(self, phi: Again | Recursive, target: Callable[[], Operator], *inputs: Operator) -> None:
        super().__init__(phi, *inputs)
        self.sel, self.target = phi.sel, target

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        return self.target().join(preds.select(self.sel), refs.select(self.sel))

    def near(self, preds: Frame, refs: Frame) -> Places | None:
        return self.target().near(preds.select(self.sel), refs.select(self.sel))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        return self.target().at(preds.select(self.sel), refs.select(self.sel), i, j)

    def self_scores(self, frame: Frame) -> Vector:
        return self.target().self_scores(frame.select(self.sel))

    def detail(self) -> str:
        return self.phi.name  # type: ignore[attr-defined, no-any-return]  # Recursive and Again have names


class BestElement(Operator):
    """max φ(u, v) over the elements of two collections; a value that is not a collection is its own only element."""

    verb: ClassVar[str] = "best pair"

    def __init__(self, phi: Best, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel = phi.sel
        self.dense, self.windows = inner.dense, inner.windows

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        p, r = preds.several(self.sel), refs.several(self.sel)
        return None if self.inner.near(p.frame, r.frame) is None else self.join(preds, refs)[:2]

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        p, r = preds.several(self.sel), refs.several(self.sel)
        if self.inner.near(p.frame, r.frame) is None:
            return super()._join(preds, refs)
        a, b, w = self.inner.join(p.frame, r.frame)
        i, j, block, order = kernels.group(p.owners()[a], r.owners()[b], len(refs))
        return Pairs(i, j, kernels.max_by(block, w[order], len(i)))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        p, r = preds.several(self.sel), refs.several(self.sel)
        if self.inner.near(p.frame, r.frame) is not None:
            return super()._at(preds, refs, i, j)
        block, a, b = kernels.expand(i, j, p.offsets, r.offsets)
        return kernels.max_by(block, self.inner.at(p.frame, r.frame, a, b), len(i))

    def _self_scores(self, frame: Frame) -> Vector:
        flat = frame.several(self.sel)
        if self.inner.best_with_itself:
            return kernels.max_by(flat.owners(), self.inner.self_scores(flat.frame), len(frame))
        return super()._self_scores(frame)
