"""Similarities that are equality of a key: joined by hash, never compared pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.leaves import LeafKind, Misfit
from matchwise.algebra.nodes import Similarity
from matchwise.engine.keys import keys
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Vector
from matchwise.engine.many.operators.base import Operator, Pairs, once
from matchwise.engine.many.table import Numbers
from matchwise.engine.one.values import keyer
from matchwise.engine.selection import case_of

Made = TypeVar("Made")

Codes = tuple[int, Vector, Vector]
"""The number of codes, and the codes of both sides."""

WIDE = 2**40
"""Products of columns beyond it are numbered anew: four million times as many codes still fit into 64 bits."""


class Equality(Operator):
    """φ(x, y) = ⟦key(x) = key(y)⟧."""

    verb: ClassVar[str] = "hash join"
    is_elementwise = True

    @cached_property
    def factors(self) -> tuple[Similarity, ...]:
        """The fields that are compared; each is numbered once, for all metrics that compare it."""
        return self.phi.factors if isinstance(self.phi, nodes.Product) else (self.phi,)

    def keys(self, frame: Frame) -> list[Hashable]:
        """The key of each element."""
        return _keys(self.phi, frame)

    def codes(self, preds: Frame, refs: Frame) -> tuple[Vector, Vector]:
        """Number the keys: elements of one document have equal codes if their keys are equal."""
        return once(preds, refs, (self, "codes"), partial(self._codes, preds, refs))

    def _codes(self, preds: Frame, refs: Frame) -> tuple[Vector, Vector]:
        size, mine, theirs = self.numbers(preds, refs)
        if preds.documents is None or refs.documents is None:
            return mine, theirs
        return preds.documents * size + mine, refs.documents * size + theirs

    def numbers(self, preds: Frame, refs: Frame) -> Codes:
        """Number the keys, whatever the document."""
        size, mine, theirs = _field_codes(self.factors[0], preds, refs)
        for factor in self.factors[1:]:  # a mixed-radix number
            base, first, second = _field_codes(factor, preds, refs)
            size, mine, theirs = size * base, mine * base + first, theirs * base + second
            if size > WIDE:
                distinct, both = np.unique(np.concatenate((mine, theirs)), return_inverse=True)
                size, mine, theirs = len(distinct), both[: len(mine)], both[len(mine) :]
        return size, mine, theirs

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        i, j = kernels.join(*self.codes(preds, refs))
        return Pairs(i, j, np.ones(len(i)))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        mine, theirs = self.codes(preds, refs)
        return (mine[i] == theirs[j]).astype(np.float64)

    def tells_apart(self, frame: Frame) -> bool:
        """True if no two elements of a document have the same key."""
        return frame.once((self, "apart"), lambda: len(np.unique(self.codes(frame, frame)[0])) == len(frame))

    def volume(self, preds: Frame, refs: Frame) -> int:
        return kernels.count_pairs(*self.codes(preds, refs))

    def _self_scores(self, frame: Frame) -> Vector:
        """What is found out of the keys is kept for `codes`."""
        for factor in self.factors:
            match factor:
                case nodes.Eq(sel) if frame.column(sel) is not None:
                    pass
                case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))):
                    Equality(inner).self_scores(frame.flat(sel).frame)
                case _:
                    _keys(factor, frame)
        return np.ones(len(frame))

    def detail(self) -> str:
        return f"on {self.phi!r}"

    def cost(self) -> str:
        return "O(n + m)"


def _field_codes(phi: Similarity, preds: Frame, refs: Frame) -> Codes:
    """The keys of both sides as numbers, whatever the document."""
    return once(preds, refs, ("codes", phi), partial(_find_codes, phi, preds, refs))


def _find_codes(phi: Similarity, preds: Frame, refs: Frame) -> Codes:
    if isinstance(phi, nodes.Above) and isinstance(phi.inner, nodes.Normalized):
        return _bag_codes(phi.inner.inner, preds, refs)
    p, r = (side.column(phi.sel) if isinstance(phi, nodes.Eq) else None for side in (preds, refs))
    if p is None or r is None:
        return number_keys(_keys(phi, preds), _keys(phi, refs))
    if p.values is r.values:
        return len(p.values), p.codes, r.codes
    size, a, b = number_keys(keys(list(p.values)), keys(list(r.values)))
    return size, a[p.codes], b[r.codes]


def _bag_codes(phi: Similarity, preds: Frame, refs: Frame) -> Codes:
    """F ≥ 1 between bags of keys: the bags have the same codes of elements, in order."""
    assert isinstance(phi, nodes.Overlap), "else it has no key"
    p, r = preds.flat(phi.sel), refs.flat(phi.sel)
    _, *found = Equality(phi.inner).numbers(p.frame, r.frame)
    made: list[list[Hashable]] = []
    for flat, numbers in zip((p, r), found, strict=True):
        first = flat.owners() * (1 + numbers.max(initial=0))
        ordered = np.sort(first + numbers, kind="stable") - first
        size, data = ordered.itemsize, ordered.tobytes()
        made.append([data[a * size : b * size] for a, b in pairwise(flat.offsets.tolist())])
    return number_keys(*made)


def number_keys(mine: list[Hashable], theirs: list[Hashable]) -> Codes:
    """Number the keys of two lists; equal keys have equal numbers."""
    numbers = Numbers()
    p, r = numbers.of(mine, len(mine)), numbers.of(theirs, len(theirs))
    return len(numbers), p, r


def _keys(phi: Similarity, frame: Frame) -> list[Hashable]:
    """The keys of a similarity that `has_key` accepts, by columns where they are equal values or features."""
    return frame.once(("keys", phi), partial(_find_keys, phi, frame))


def _find_keys(phi: Similarity, frame: Frame) -> list[Hashable]:
    match phi:
        case nodes.Eq(sel):
            return apply(keys, frame.select(sel))
        case nodes.Leaf(kind, sel, options):
            return features(kind, dict(options), frame.select(sel))
        case nodes.Product(factors):
            return list(zip(*(_keys(factor, frame) for factor in factors), strict=True))
        case nodes.Union(sel, cases):
            values = frame.select(sel)
            made: list[Hashable] = [None] * len(values)
            for number, members in case_members(values, cases).items():
                for index, k in zip(members, _keys(cases[number][1], values.take(members)), strict=True):
                    made[index] = (number, k)
            return made
    return list(map(keyer(phi), frame.parts()))


def features(kind: LeafKind, options: dict[str, Any], frame: Frame) -> list[Hashable]:
    """What a leaf compares of each value, computed once per value; a value that does not fit is compared as it is."""
    feature = kind.feature
    return apply(
        lambda values: [value if type(value) is Misfit else feature(value, options) for value in values], frame
    )


def apply(function: Callable[[list[Any]], Made], frame: Frame) -> Made:
    """Apply a function to a list; where it refuses a value, say which."""
    try:
        return function(frame.items)
    except ValueError as error:
        for index, item in enumerate(frame.items):
            try:
                function([item])
            except ValueError as reason:
                raise frame.fail(index, str(reason)) from error
        raise


def case_members(values: Frame, cases: Any) -> dict[int, list[int]]:
    """The values of each case of a union."""
    return values.once(("cases", tuple(case for case, _ in cases)), partial(_find_members, values, cases))


def _find_members(values: Frame, cases: Any) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    of_class: dict[type, list[int]] = {}  # a case is chosen by the class of a value
    for index, value in enumerate(values.items):
        into = of_class.get(type(value))
        if into is None:
            try:
                into = of_class[type(value)] = members.setdefault(case_of(cases, value), [])
            except ValueError as error:
                raise values.fail(index, str(error)) from error
        into.append(index)
    return members
