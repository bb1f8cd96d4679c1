"""What every operator of a plan can do with two frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np

from matchwise.algebra.facts import Facts
from matchwise.algebra.nodes import Similarity
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present, Vector
from matchwise.engine.tuning import FILLED

Made = TypeVar("Made")

Places: TypeAlias = tuple[Vector, Vector]
"""Pairs of elements by their numbers on both sides."""


class Pairs(NamedTuple):
    """The non-zero φ(x, y) of two frames: x, y and the weight of each pair, sorted by x, then y."""

    i: Vector
    j: Vector
    w: Vector

    def at(self, width: int, i: Vector, j: Vector) -> Vector:
        """The weights at the given places; 0 where there is no pair."""
        if not len(self.w):
            return np.zeros(len(i))
        at, found = kernels.find(self.i * width + self.j, i * width + j)
        return np.where(found, self.w[at], 0.0)


class Operator:
    """φ over two frames. `join` finds the non-zero pairs, `at` looks given places up, `self_scores` are the φ(x, x).

    A product joins on one factor and looks the others up. Elements of two documents never meet.
    """

    verb: ClassVar[str]
    dense: bool = False
    """True if no join finds the non-zero pairs, so that all pairs of a document are compared."""

    windows: bool = False
    """True if a dense φ looks first which values are in reach of each other."""

    is_elementwise: bool = False
    """True if `_at` takes all pairs as they come from `kernels.cross`, and need not have them spelled out."""

    has_arrays: ClassVar[bool] = True
    """False if each pair is compared by itself."""

    facts: Facts
    """What is known of φ where it stands; set by the planner."""

    def __init__(self, phi: Similarity, *inputs: Operator) -> None:
        self.phi = phi
        self.inputs = inputs

    @cached_property
    def text(self) -> str:
        """φ as it is written."""
        return repr(self.phi)

    @cached_property
    def best_with_itself(self) -> bool:
        """True if a collection is best matched to itself element by element."""
        return self.facts.self_score.holds

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """All non-zero φ(x, y), found once for each pair of frames."""
        if not len(preds) or not len(refs):
            nothing = kernels.places(())
            return Pairs(nothing, nothing, np.zeros(0))
        tag = (self, refs)
        made: Pairs | None = preds.memo.get(tag)
        if made is None:
            made = self._join(preds, refs)
            if preds is not refs:  # a frame that remembered itself would outlive the batch
                preds.memo[tag] = made
        return made

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """φ at the given places."""
        if not len(i):
            return np.zeros(0)
        if self.is_elementwise or i.ndim == 1:
            return self._at(preds, refs, i, j)
        return kernels.over_pairs(self._at, preds, refs, i, j)

    def of_documents(self, preds: Frame, refs: Frame) -> Vector:
        """φ of each document and its counterpart, found once for each batch."""
        places = np.arange(len(preds))
        return once(preds, refs, (self, "documents"), lambda: self.at(preds, refs, places, places))

    def self_scores(self, frame: Frame) -> Vector:
        """φ(x, x) of each element, found once for each frame; refuses an element that cannot be compared."""
        tag = (self, "self")
        made: Vector | None = frame.memo.get(tag)
        if made is None:
            made = frame.memo[tag] = self._self_scores(frame) if len(frame) else np.zeros(0)
        return made

    @property
    def core(self) -> Operator:
        """φ without variables, for the objects that `settle` returns."""
        return self

    def settle(self, pred: Frame, ref: Frame) -> tuple[Frame, Frame]:
        """The two objects with their variables matched as is best for φ; the same two if φ has none."""
        return pred, ref

    def tells_apart(self, frame: Frame) -> bool:
        """True if it is known that two different elements of a document score 0."""
        return False

    def near(self, preds: Frame, refs: Frame) -> Places | None:
        """Where φ may be above 0, sorted; None if nobody knows, or that is so much that all pairs are compared."""
        if not len(preds) or not len(refs):
            return kernels.places(()), kernels.places(())
        return once(preds, refs, (self, "near"), lambda: self._near(preds, refs))

    def volume(self, preds: Frame, refs: Frame) -> int:
        """About how many pairs `near` finds, without finding them where they can be counted."""
        found = self.near(preds, refs)
        return all_pairs(preds, refs) if found is None else len(found[0])

    def _near(self, preds: Frame, refs: Frame) -> Places | None:
        """By default what `join` finds."""
        return None if self.dense else self.join(preds, refs)[:2]

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        """By default the pairs that may score are looked up."""
        found = self.near(preds, refs)
        i, j = all_places(preds, refs) if found is None else found
        w = self.at(preds, refs, i, j)  # not *places: Python 3.12 limits how deep such calls are nested
        return Pairs(*kernels.filter_pairs(i, j, w))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """By default a look-up in the join."""
        return self.join(preds, refs).at(len(refs), i, j)

    def _self_scores(self, frame: Frame) -> Vector:
        places = np.arange(len(frame))
        return self.at(frame, frame, places, places)

    def cost(self) -> str:
        """The cost class, in n and m elements a side."""
        if self.windows:
            return "O(n·log n + m·log m + pairs in reach)"
        return "O(n·m)" if self.dense else "O(n + m + non-zero)"

    def detail(self) -> str:
        return ""

    def children(self) -> tuple[tuple[str, Any], ...]:
        """The inputs, each with the place it has."""
        return tuple(("", operator) for operator in self.inputs)


def all_places(preds: Frame, refs: Frame) -> tuple[Vector, Vector]:
    """All pairs of elements of one document."""
    if preds.documents is None or refs.documents is None:
        return kernels.cross(len(preds), len(refs))
    return kernels.join(preds.documents, refs.documents)


def once(preds: Frame, refs: Frame, tag: tuple[Any, ...], make: Callable[[], Made]) -> Made:
    """Return what was made of two frames under this tag; a frame that remembered itself would outlive the batch."""
    return make() if preds is refs else preds.once((*tag, refs), make)


def all_pairs(preds: Frame, refs: Frame) -> int:
    """How many pairs of elements of one document there are."""
    if preds.documents is None or refs.documents is None:
        return len(preds) * len(refs)
    return kernels.count_pairs(preds.documents, refs.documents)


def near_any(
    several: Sequence[tuple[Operator, Present, Present]], preds: Frame, refs: Frame
) -> tuple[Vector, Vector] | None:
    """Where one of several parts may score; None if that is so much that all pairs are compared."""
    room = all_pairs(preds, refs)
    for operator, mine, theirs in several:
        room -= FILLED * operator.volume(mine.frame, theirs.frame)
        if room < 0:
            return None  # whatever the others find
    rows, columns = [kernels.places(())], [kernels.places(())]
    for operator, mine, theirs in several:
        found = operator.near(mine.frame, theirs.frame)
        if found is None:
            return None
        rows.append(mine.owners(found[0]))
        columns.append(theirs.owners(found[1]))
    i, j, _, _ = kernels.group(np.concatenate(rows), np.concatenate(columns), len(refs))
    return i, j


def meet(
    mine: Present, theirs: Present, preds: Frame, refs: Frame, i: Vector, j: Vector
) -> tuple[Vector | None, Vector, Vector]:
    """The given pairs of which both sides have the part (None: all), and where each side keeps it."""
    if mine.kept is None and theirs.kept is None:
        return None, i, j
    a, b = mine.find(i, len(preds)), theirs.find(j, len(refs))
    places = np.flatnonzero((a >= 0) & (b >= 0))
    return places, a[places], b[places]


def at_parts(
    operator: Operator, mine: Present, theirs: Present, preds: Frame, refs: Frame, i: Vector, j: Vector
) -> Vector:
    """φ of a part at the given places; 0 where one side lacks it."""
    places, a, b = meet(mine, theirs, preds, refs, i, j)
    found = operator.at(mine.frame, theirs.frame, a, b)
    return found if places is None else kernels.spread(len(i), places, found)
