"""Similarities that are equality of a key: joined by hash, never compared pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from itertools import pairwise
from typing import Any, ClassVar

from matchwise.algebra.facts import facts
from matchwise.algebra.misfits import Misfit
from matchwise.algebra.nodes import (
    Above,
    Eq,
    Leaf,
    LeafKind,
    Mean,
    Minus,
    Normalized,
    Number,
    Overlap,
    Product,
    Selector,
    Similarity,
    Union,
    Var,
)
from matchwise.engine.cases import case_of
from matchwise.engine.keys import keys, row_keys
from matchwise.engine.operators.base import Operator
from matchwise.engine.pairs import DENSE_CELLS, Cells, Matrix, Pairs
from matchwise.engine.parts import Parts

Keyer = Callable[[Parts], list[Hashable]]


class Discrete(Operator):
    """φ(x, y) = ⟦key(x) = key(y)⟧."""

    verb: ClassVar[str] = "hash join"

    def __init__(self, phi: Similarity, before: Selector = (), bare: Discrete | None = None) -> None:
        super().__init__(phi)
        self._bare = keyer(phi) if bare is None else lambda parts: bare.within(parts.select(before))

    def keys(self, parts: Parts) -> list[Hashable]:
        """Parts of several documents are equal within a document only."""
        if parts.scope is None:
            return self.within(parts)
        tag = (self, "keys")
        made: list[Hashable] | None = parts.memo.get(tag)
        if made is None:
            made = parts.memo[tag] = list(zip(parts.scope.documents, self.within(parts), strict=True))
        return made

    def within(self, parts: Parts) -> list[Hashable]:
        """Keys that are compared within a document."""
        made: list[Hashable] | None = parts.memo.get(self)
        if made is None:
            made = parts.memo[self] = self._bare(parts)
        return made

    def _pairs(self, preds: Parts, refs: Parts) -> Pairs:
        volume = self.volume(preds, refs)
        if volume > DENSE_CELLS and volume * 4 > len(preds) * len(refs):
            return self.matrix(preds, refs)
        index: dict[Hashable, list[int]] = {}
        for j, k in enumerate(self.keys(refs)):
            index.setdefault(k, []).append(j)
        rows: dict[Hashable, dict[int, Number]] = {k: dict.fromkeys(places, 1) for k, places in index.items()}
        nothing: dict[int, Number] = {}
        return [rows.get(k, nothing) for k in self.keys(preds)]

    def one(self, pred: Parts, ref: Parts) -> Number:
        return int(self.keys(pred)[0] == self.keys(ref)[0])

    def probe(self, preds: Parts, refs: Parts, rows: list[int], columns: list[int]) -> list[Number]:
        p, r = self.keys(preds), self.keys(refs)
        return [int(p[i] == r[j]) for i, j in zip(rows, columns, strict=True)]

    def matrix(self, preds: Parts, refs: Parts) -> Matrix:
        import numpy as np

        codes: dict[Hashable, int] = {}
        p = np.array([codes.setdefault(k, len(codes)) for k in self.keys(preds)])
        r = np.array([codes.setdefault(k, len(codes)) for k in self.keys(refs)])
        equal: Matrix = (p[:, None] == r[None, :]).astype(np.float64)
        return equal

    def forced(self, preds: Parts, refs: Parts) -> Cells | None:
        """No key occurs twice on a side: each part has one partner at most."""
        tag = (self, "forced", refs)
        made: Cells | None = preds.memo.get(tag)
        if made is None and self.apart(preds) and (found := self._partners(preds, refs)) is not None:
            rows = [i for i, j in enumerate(found) if j is not None]
            made = rows, [j for j in found if j is not None], [1] * len(rows)
            if preds is not refs:
                preds.memo[tag] = made
        return made

    def _partners(self, preds: Parts, refs: Parts) -> list[int | None] | None:
        """The reference that has the key of each prediction, if there is but one of each key."""
        if refs.memo.get((self, "apart")) is False:
            return None
        found: list[int | None] = []
        documents = zip(self._by_document(preds, refs), self._by_document(refs, preds), strict=True)
        for (own, _), (other, start) in documents:
            places = dict(zip(other, range(start, start + len(other)), strict=True))
            if len(places) < len(other):
                refs.memo[self, "apart"] = False
                return None
            found += map(places.get, own)
        refs.memo[self, "apart"] = True
        return found

    def apart(self, parts: Parts) -> bool:
        """No two have the same key."""
        tag = (self, "apart")
        made: bool | None = parts.memo.get(tag)
        if made is None:
            found = self._by_document(parts, parts)
            made = parts.memo[tag] = sum(len(set(some)) for some, _ in found) == len(parts)
        return made

    def _by_document(self, parts: Parts, others: Parts) -> Iterator[tuple[list[Hashable], int]]:
        """The keys of each document and the place of the first; of all at once where a side does not know its own."""
        offsets, other = (None if side.scope is None else side.scope.offsets for side in (parts, others))
        if offsets is None or other is None:
            yield self.keys(parts), 0
            return
        found = self.within(parts)
        for a, b in pairwise(offsets):
            yield found[a:b], a

    def volume(self, preds: Parts, refs: Parts) -> int:
        counts = Counter(self.keys(refs))
        return sum(map(counts.__getitem__, self.keys(preds)))

    def _selfs(self, parts: Parts) -> list[Number]:
        self.within(parts)
        return [1] * len(parts)

    def detail(self) -> str:
        return f"on {self.phi!r}"

    def cost(self) -> str:
        return "O(n + m)"


def keyer(phi: Similarity) -> Keyer:
    """The function from parts to keys of a similarity that `has_key` accepts."""
    match phi:
        case Eq(sel):
            return lambda parts: _column(parts, sel)
        case Leaf(kind, sel, options):
            chosen = dict(options)
            return lambda parts: features(kind, chosen, parts.select(sel))
        case Product(factors):
            names = _plain_fields(factors)
            keyers = [keyer(factor) for factor in factors]
            return lambda parts: _composite(parts, names, keyers)
        case Minus(inner, 0) | Mean(((_, inner),)):
            return keyer(inner)
        case Above(inner) if facts(inner).discrete.holds:
            return keyer(inner)
        case Above(Normalized(_, Overlap(sel, inner))):
            of_element = keyer(inner)
            return lambda parts: _bags(parts, sel, of_element)
        case Union(sel, cases):
            by_case = [keyer(inner) for _, inner in cases]
            return lambda parts: _by_case(parts.select(sel), cases, by_case)
        case Var(sel, space):
            return lambda parts: _matched_names(parts.select(sel), space)
    raise AssertionError(f"{phi!r} has no key")


def _matched_names(values: Parts, space: str) -> list[Hashable]:
    """Under a matching of variables: the number of the pair a variable is in; alone, it equals itself only."""
    numbers, side = values.side.variables, values.side.name
    assert numbers is not None, "variables are compared under a matching only"
    names = checked(keys, values)
    return [numbers.get((space, name), (side, name)) for name in names]


def features(kind: LeafKind, options: dict[str, Any], parts: Parts) -> list[Hashable]:
    """What a leaf compares of each value, made once per value; a misfit is compared as it is."""
    feature = kind.feature
    return checked(
        lambda values: [value if type(value) is Misfit else feature(value, options) for value in values], parts
    )


def checked(function: Callable[[list[Any]], list[Hashable]], parts: Parts) -> list[Hashable]:
    """Apply a function to a list; where it refuses a value, say which."""
    try:
        return function(parts.items)
    except ValueError as error:
        for index, item in enumerate(parts.items):
            try:
                function([item])
            except ValueError as reason:
                raise parts.fail(index, str(reason)) from error
        raise


def _plain_fields(factors: tuple[Similarity, ...]) -> tuple[str, ...] | None:
    """The fields of a product of equalities of fields, which one look at each object can fetch."""
    names = [factor.sel[0] for factor in factors if isinstance(factor, Eq) and len(factor.sel) == 1]
    return tuple(names) if len(names) == len(factors) and all(isinstance(name, str) for name in names) else None  # type: ignore[arg-type]


def _column(parts: Parts, sel: Selector) -> list[Hashable]:
    """The keys of one field, which the products of several metrics may share."""
    tag = ("keys", sel)
    made: list[Hashable] | None = parts.memo.get(tag)
    if made is None:
        made = parts.memo[tag] = checked(keys, parts.select(sel))
    return made


def _composite(parts: Parts, names: tuple[str, ...] | None, keyers: list[Keyer]) -> list[Hashable]:
    """The key of a product is the tuple of its factors' keys.

    The first product of one document's parts looks at each object once; where others follow, or documents are many, the
    columns are worth keeping.
    """
    rows = parts.rows(names) if names and parts.scope is None and "composite" not in parts.memo else None
    parts.memo["composite"] = True
    if rows is not None:
        try:
            return row_keys(rows)
        except ValueError:
            pass  # column by column below, which says what was refused where
    return list(zip(*(of(parts) for of in keyers), strict=True))


def _bags(parts: Parts, sel: Selector, of_element: Keyer) -> list[Hashable]:
    """F ≥ 1 between bags of keys: the bags are equal."""
    flat = parts.flat(sel)
    found, offsets = of_element(flat.parts), flat.offsets
    return [frozenset(Counter(found[a:b]).items()) for a, b in pairwise(offsets)]


def _by_case(values: Parts, cases: Any, by_case: list[Keyer]) -> list[Hashable]:
    made: list[Hashable] = [None] * len(values)
    for number, members in case_members(values, cases).items():
        for index, k in zip(members, by_case[number](values.take(members)), strict=True):
            made[index] = (number, k)
    return made


def case_members(values: Parts, cases: Any) -> dict[int, list[int]]:
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
