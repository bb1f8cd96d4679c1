"""Similarities that are equality of a key: joined by hash, never compared pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from itertools import pairwise
from operator import countOf
from typing import Any, ClassVar, TypeVar

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import facts
from matchwise.algebra.leaves import LeafKind, Misfit
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.engine.keys import keys, record_keys
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Flat, Frame, Vector
from matchwise.engine.many.operators.base import Operator, Pairs, once
from matchwise.engine.many.table import Numbers
from matchwise.engine.selection import case_of
from matchwise.engine.tuning import AT_ONCE

Made = TypeVar("Made")
Keyer = Callable[[Frame], list[Hashable]]

WIDE = 2**40
"""Products of columns beyond it are numbered anew: `AT_ONCE` times as many codes still fit into 64 bits."""


class Equality(Operator):
    """φ(x, y) = ⟦key(x) = key(y)⟧."""

    verb: ClassVar[str] = "hash join"
    is_elementwise = True

    def __init__(self, phi: Similarity, before: Selector = (), bare: Equality | None = None) -> None:
        super().__init__(phi)
        self._tag = ("keys", phi.sel) if isinstance(phi, nodes.Eq) else self
        """The tag under which keys are remembered; all products that compare a field share its keys."""
        if bare is not None:
            self._keys: Keyer = lambda frame: bare.keys(frame.select(before))
        else:
            self._keys = partial(apply, keys) if phi == nodes.Eq() else keyer(phi)

    def keys(self, frame: Frame) -> list[Hashable]:
        """The key of each element."""
        return frame.once(self._tag, partial(self._keys, frame))

    def codes(self, preds: Frame, refs: Frame) -> tuple[Vector, Vector]:
        """Number the keys: elements of one document have equal codes if their keys are equal."""
        tag = (self, "codes", refs)
        made: tuple[Vector, Vector] | None = preds.memo.get(tag)
        if made is None:
            documents = None if preds.documents is None or refs.documents is None else (preds.documents, refs.documents)
            _, mine, theirs = array_codes(self, preds, refs)
            made = kernels.number(mine, theirs, documents)
            if preds is not refs:
                preds.memo[tag] = made
            preds.memo[self, "own"], refs.memo[self, "own"] = made
        return made

    def _own_codes(self, frame: Frame) -> Vector:
        """Codes of one side, whichever other side they were made with."""
        made = frame.memo.get((self, "own"))
        return self.codes(frame, frame)[0] if made is None else made

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        i, j = kernels.join(*self.codes(preds, refs))
        return Pairs(i, j, kernels.full(len(i), 1))

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        mine, theirs = self.codes(preds, refs)
        return kernels.equal(mine[i], theirs[j])

    def tells_apart(self, frame: Frame) -> bool:
        """True if no two elements of a document have the same key."""
        return frame.once((self, "apart"), lambda: not kernels.has_twice(self._own_codes(frame)))

    def volume(self, preds: Frame, refs: Frame) -> int:
        found: int = kernels.count_pairs(*self.codes(preds, refs))
        return found

    def check(self, frame: Frame) -> None:
        """Refuse what cannot be compared; what is found out is kept for `codes`."""
        factors = self.phi.factors if isinstance(self.phi, nodes.Product) else (self.phi,)
        if not all(isinstance(factor, nodes.Eq) for factor in factors):
            match self.phi:
                case nodes.Above(nodes.Normalized(_, nodes.Overlap(inside, inner))) if _is_columns(inner):
                    Equality(inner).check(frame.flat(inside).frame)  # `codes` compares the columns, not keys of bags
                case _ if frame.table is None:
                    self.keys(frame)
            return
        for factor in factors:
            sel: Selector = factor.sel  # type: ignore[attr-defined]  # of an equality
            if frame.column(sel) is None and _fields(frame, sel) is None:
                _column(sel, frame)

    def _self_scores(self, frame: Frame) -> Vector:
        self.check(frame)
        return kernels.full(len(frame), 1)

    def detail(self) -> str:
        return f"on {self.phi!r}"

    def cost(self) -> str:
        return "O(n + m)"


Codes = tuple[int, Vector, Vector]
"""The number of codes, and the codes of both sides."""


def array_codes(operator: Equality, preds: Frame, refs: Frame) -> Codes:
    """The keys of both sides as numbers, whatever the document; a product is a mixed-radix number.

    The columns of a product are numbered one by one, so that metrics which compare the same fields share the work.
    """
    match operator.phi:
        case nodes.Product(factors) if _is_columns(operator.phi):
            made = _column_codes(factors[0], preds, refs)
            for factor in factors[1:]:
                made = _combine(made, _column_codes(factor, preds, refs))
            return made
        case nodes.Eq():
            return _column_codes(operator.phi, preds, refs)
        case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))) if _is_columns(inner):
            return _bag_codes(inner, preds.flat(sel), refs.flat(sel))
    return number_keys(operator.keys(preds), operator.keys(refs))


def _column_codes(phi: Similarity, preds: Frame, refs: Frame) -> Codes:
    assert isinstance(phi, nodes.Eq)
    return once(preds, refs, ("codes", phi), partial(_find_codes, preds, refs, phi.sel))


def _find_codes(preds: Frame, refs: Frame, sel: Selector) -> Codes:
    p, r = preds.column(sel), refs.column(sel)
    if p is None or r is None:
        return _object_codes(preds, refs, sel)
    if p.values is r.values:
        return len(p.values), p.codes, r.codes
    size, a, b = number_keys(keys(list(p.values)), keys(list(r.values)))
    return size, a[p.codes], b[r.codes]


def _object_codes(preds: Frame, refs: Frame, sel: Selector) -> Codes:
    """Codes of selected objects; records are coded field by field, without a key for each record."""
    mine, theirs = _fields(preds, sel), _fields(refs, sel)
    if mine is None or theirs is None or mine[0] is not theirs[0]:
        return number_keys(_column(sel, preds), _column(sel, refs))
    made, *others = map(number_keys, mine[1], theirs[1])
    for other in others:
        made = _combine(made, other)
    return made


def number_keys(mine: list[Hashable], theirs: list[Hashable]) -> Codes:
    """Number the keys of two lists; equal keys have equal numbers."""
    found = _whole_codes(mine, theirs) if mine and type(mine[0]) is int else None
    if found is not None:
        return found
    numbers = Numbers()
    p, r = numbers.of(mine, len(mine)), numbers.of(theirs, len(theirs))
    return len(numbers), p, r


def _whole_codes(mine: list[Any], theirs: list[Any]) -> Codes | None:
    """Whole numbers are their own codes, counted from the smallest, or ranks where they lie too far apart.

    85,000 numbers take 5 ms, by a dictionary 17 to 49. None if one of them is not a whole number or
    does not fit into 64 bits.
    """
    values = [*mine, *theirs]
    if countOf(map(type, values), int) < len(values):
        return None
    try:
        both: Vector = np.fromiter(values, dtype=np.intp, count=len(values))
    except OverflowError:
        return None
    least, most = int(both.min()), int(both.max())
    size = most - least + 1
    if size > AT_ONCE:
        distinct, both = np.unique(both, return_inverse=True)
        size = len(distinct)
    else:
        both -= least
    return size, both[: len(mine)], both[len(mine) :]


def _combine(one: Codes, other: Codes) -> Codes:
    size, mine, theirs = one[0] * other[0], one[1] * other[0] + other[1], one[2] * other[0] + other[2]
    if size > WIDE:
        distinct, both = np.unique(np.concatenate((mine, theirs)), return_inverse=True)
        size, mine, theirs = len(distinct), both[: len(mine)], both[len(mine) :]
    return size, mine, theirs


def _is_columns(phi: Similarity) -> bool:
    """True for an equality and for a product of equalities."""
    return all(isinstance(factor, nodes.Eq) for factor in (phi.factors if isinstance(phi, nodes.Product) else (phi,)))


def _bag_codes(inner: Similarity, p: Flat, r: Flat) -> Codes:
    """Equal bags have the same codes of elements, in order."""
    _, *found = array_codes(Equality(inner), p.frame, r.frame)
    made = []
    for flat, numbers in zip((p, r), found, strict=True):
        first = flat.owners() * (1 + numbers.max(initial=0))
        ordered = np.sort(first + numbers, kind="stable") - first
        size, data = ordered.itemsize, ordered.tobytes()
        made.append([data[a * size : b * size] for a, b in pairwise(flat.offsets.tolist())])
    return number_keys(*made)


def keyer(phi: Similarity) -> Keyer:
    """The function from a frame to the keys of a similarity that `has_key` accepts."""
    match phi:
        case nodes.Eq(sel):
            return partial(_column, sel)
        case nodes.Leaf(kind, sel, options):
            chosen = dict(options)
            return lambda frame: features(kind, chosen, frame.select(sel))
        case nodes.Product(factors):
            keyers = [keyer(factor) for factor in factors]
            return lambda frame: list(zip(*(of(frame) for of in keyers), strict=True))
        case nodes.Minus(inner, 0) | nodes.Mean(((_, inner),)):
            return keyer(inner)
        case nodes.Above(inner) if facts(inner).discrete.holds:
            return keyer(inner)
        case nodes.Above(nodes.Normalized(_, nodes.Overlap(sel, inner))):
            of_element = keyer(inner)
            return lambda frame: _bags(frame, sel, of_element)
        case nodes.Union(sel, cases):
            by_case = [keyer(inner) for _, inner in cases]
            return lambda frame: _by_case(frame.select(sel), cases, by_case)
        case nodes.Var(sel, space):
            return lambda frame: _match_names(frame.select(sel), space)
    raise AssertionError(f"{phi!r} has no key")


def _match_names(values: Frame, space: str) -> list[Hashable]:
    """Replace a variable by the number of its matched pair; an unmatched variable equals only itself."""
    numbers, side = values.side.variables, values.side.name
    assert numbers is not None, "variables are compared under a matching only"
    names = apply(keys, values)
    return [numbers.get((space, name), (side, name)) for name in names]


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


def _column(sel: Selector, frame: Frame) -> list[Hashable]:
    """The keys of one field, which the products of several metrics may share."""
    return frame.once(("keys", sel), lambda: apply(keys, frame.select(sel)))


def _fields(frame: Frame, sel: Selector) -> tuple[type, list[list[Hashable]]] | None:
    """The class of the selected records and the keys of each field; None if they are not records of one class."""
    return frame.once(("fields", sel), lambda: apply(record_keys, frame.select(sel)))


def _bags(frame: Frame, sel: Selector, of_element: Keyer) -> list[Hashable]:
    """F ≥ 1 between bags of keys: the bags are equal."""
    flat = frame.flat(sel)
    found, offsets = of_element(flat.frame), flat.offsets.tolist()
    return [frozenset(Counter(found[a:b]).items()) for a, b in pairwise(offsets)]


def _by_case(values: Frame, cases: Any, by_case: list[Keyer]) -> list[Hashable]:
    made: list[Hashable] = [None] * len(values)
    for number, members in case_members(values, cases).items():
        for index, k in zip(members, by_case[number](values.take(members)), strict=True):
            made[index] = (number, k)
    return made


def case_members(values: Frame, cases: Any) -> dict[int, list[int]]:
    """The values of each case of a union."""
    tag = ("cases", tuple(case for case, _ in cases))
    members: dict[int, list[int]] | None = values.memo.get(tag)
    if members is None:
        members = {}
        of_class: dict[type, list[int]] = {}  # a case is chosen by the class of a value
        for index, value in enumerate(values.items):
            into = of_class.get(type(value))
            if into is None:
                try:
                    into = members.setdefault(case_of(cases, value), [])
                except ValueError as error:
                    raise values.fail(index, str(error)) from error
                of_class[type(value)] = into
            into.append(index)
        values.memo[tag] = members
    return members
