"""Counts by field of a sum, read from the pairs that an optimal matching chooses.

    lines[].price   the price of all lines of all documents: how much of it there is on each side, how much of it met,
                    how much of that was right

The law: Σ_root = Σ_fields weight · right. Equal optima are broken by content, so that no count depends on the order of
the input.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Present, Vector
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.engine.many.operators.base import Operator, meet
from matchwise.engine.many.operators.bracket import Threshold
from matchwise.engine.many.operators.compound import Add, Multiply, Term
from matchwise.engine.many.operators.equality import Equality
from matchwise.engine.many.operators.matching import MatchElements
from matchwise.engine.many.operators.pairwise import MatchInOrder
from matchwise.engine.many.operators.routing import ByCase, Recur
from matchwise.engine.plan import Plan
from matchwise.engine.selection import is_keyed_mapping, join, pair_same_keys


@dataclass(frozen=True, slots=True)
class FieldCounts:
    """One leaf path of a sum: how much there is on each side, how much of it met, how much was right."""

    weight: Number = 1
    right: Number = 0
    paired: Number = 0
    predicted: Number = 0
    reference: Number = 0

    @property
    def wrong(self) -> Number:
        return self.paired - self.right

    @property
    def missing(self) -> Number:
        return self.reference - self.paired

    @property
    def invented(self) -> Number:
        return self.predicted - self.paired

    def __add__(self, other: FieldCounts) -> FieldCounts:
        return FieldCounts(
            self.weight,
            self.right + other.right,
            self.paired + other.paired,
            self.predicted + other.predicted,
            self.reference + other.reference,
        )


class FieldColumns(NamedTuple):
    """One leaf path: what each document adds to `FieldCounts`, one after the other."""

    weight: Number
    first: int
    """The first document that has such a path."""

    right: Vector
    paired: Vector
    predicted: Vector
    reference: Vector

    def plus(self, other: FieldColumns) -> FieldColumns:
        """Add the counts of the same path in other parts."""
        return FieldColumns(self.weight, min(self.first, other.first), *map(np.add, self[2:], other[2:]))


def fields(plan: Plan, preds: Frame, refs: Frame) -> dict[str, FieldColumns]:
    """The fields of a batch by path (`lines[].price`), in the order in which the sum names them.

    What a field counts on one side is its share of Σ(x, x). Where a collection is best matched to itself part by part,
    that is the self-score of the part; elsewhere it is what the field adds when the side is compared with itself.
    """
    sigma = plan.sigma().core
    preds, refs = plan.sigma().settle(preds, refs)
    found = _fields(sigma, preds, refs)
    if not sigma.facts.self_score.holds:
        nothing = np.zeros(len(preds))
        mine, theirs = (_fields(sigma, side, side, itself=True) for side in (preds, refs))
        for path, row in found.items():
            predicted, reference = (side[path].right if path in side else nothing for side in (mine, theirs))
            found[path] = row._replace(predicted=predicted, reference=reference)
    return dict(sorted(found.items(), key=lambda one: one[1].first))  # as documents by themselves would name them


def _fields(sigma: Operator, preds: Frame, refs: Frame, *, itself: bool = False) -> dict[str, FieldColumns]:
    walk, places = _Walk(len(preds)), np.arange(len(preds))
    walk.add(sigma, _Met(preds, refs, places, places, itself=itself), 1, "")
    return walk.found


class _Met(NamedTuple):
    """Objects of both sides, the pairs that were matched, and the first document that has each path.

    `itself` if both sides are one, whose objects `align_by` matches to themselves.
    """

    p: Frame
    r: Frame
    i: Vector
    j: Vector
    first: int = 0
    itself: bool = False

    def own_first(self) -> _Met:
        """The same objects, where the first document with their paths is one of their own."""
        scopes = [frame.scope() for frame in (self.p, self.r) if len(frame)]
        return self._replace(first=min(int(min(of)) for of in scopes))

    def values(self, operator: Operator) -> Vector:
        return operator.at(self.p, self.r, self.i, self.j)


class _Walk:
    """One walk over a plan, which finds the fields of a batch of documents."""

    def __init__(self, documents: int) -> None:
        self.documents = documents
        self.found: dict[str, FieldColumns] = {}

    def add(self, operator: Operator, met: _Met, weight: Number, path: str) -> None:
        """Add the fields that an operator compares, given all objects and the matched pairs."""
        match operator:
            case Recur(target=target, sel=sel):
                if len(met.p) or len(met.r):
                    below = met._replace(p=met.p.select(sel), r=met.r.select(sel)).own_first()
                    self.add(target(), below, weight, join(path, sel))
            case Add():
                for term in operator.terms:
                    self._add_term(term, met, weight, path)
            case BagOverlap(sel=sel):
                equal, sizes = met.values(operator), (np.diff(side.flat(sel).offsets) for side in (met.p, met.r))
                self._add(join(path, sel) + "[]", weight, met, equal, equal, *sizes)
            case MatchElements(sel=sel) | MatchInOrder(sel=sel):
                p, r = met.p.flat(sel).frame, met.r.flat(sel).frame
                is_aligned = isinstance(operator, MatchInOrder) and operator.by is not None
                if met.itself and is_aligned:
                    i = j = np.arange(len(p))
                else:
                    _, i, j, _ = operator.chosen(met.p, met.r, met.i, met.j)
                    if is_keyed_mapping(operator.phi):
                        i, j = _add_same_keys(met, sel, i, j)
                below = _Met(p, r, i, j, met.first, met.itself and is_aligned)
                self.add(operator.inner, below, weight, join(path, sel) + "[]")
            case Multiply() if (split := conditions_of(operator)) is not None:
                conditions, inner = split
                for condition in conditions:
                    passed = np.flatnonzero(met.values(condition))
                    met = met._replace(i=met.i[passed], j=met.j[passed])
                self.add(inner, met, weight, path)
            case ByCase():
                self._add_cases(operator, met, weight, join(path, operator.sel))
            case _:
                self._add_leaf(operator, met, weight, path)

    def _add_term(self, term: Term, met: _Met, weight: Number, path: str) -> None:
        below = join(path, shared_steps(term.phi) if term.sel is None else term.sel)
        mine, theirs = term.present(met.p), term.present(met.r)
        _, i, j = meet(mine, theirs, met.p, met.r, met.i, met.j)
        met = _Met(mine.frame, theirs.frame, i, j, met.first, met.itself)
        self.add(term.operator, met, weight * term.weight, below)

    def _add_cases(self, operator: ByCase, met: _Met, weight: Number, path: str) -> None:
        mine, theirs = (operator.members(side) if len(side) else {} for side in (met.p, met.r))
        for number, inner in enumerate(operator.inputs):
            if number in mine or number in theirs:
                nothing = (Present(kernels.places(()), side.take([])) for side in (met.p, met.r))
                p, r = (members.get(number, none) for members, none in zip((mine, theirs), nothing, strict=True))
                _, i, j = meet(p, r, met.p, met.r, met.i, met.j)
                self.add(inner, _Met(p.frame, r.frame, i, j, itself=met.itself).own_first(), weight, path)

    def _add_leaf(self, operator: Operator, met: _Met, weight: Number, path: str) -> None:
        xx, yy = operator.self_scores(met.p), operator.self_scores(met.r)
        right = xx[met.i] if met.itself else met.values(operator)
        self._add(path, weight, met, right, np.minimum(xx[met.i], yy[met.j]), xx, yy)

    def _add(self, path: str, weight: Number, met: _Met, right: Vector, paired: Vector, xx: Vector, yy: Vector) -> None:
        """Add what matched pairs and objects count; rows of one path with different weights stay apart.

        So Σ weight · right is the whole.
        """
        of_pair = met.p.scope()[met.i]
        sides = (of_pair, right), (of_pair, paired), (met.p.scope(), xx), (met.r.scope(), yy)
        columns = (kernels.sum_by(documents, amounts, self.documents) for documents, amounts in sides)
        row = FieldColumns(weight, met.first, *columns)
        if path in self.found and self.found[path].weight != weight:
            path = f"{path} (weight {weight})"
        self.found[path] = self.found[path].plus(row) if path in self.found else row


def _add_same_keys(met: _Met, sel: Selector, i: Vector, j: Vector) -> tuple[Vector, Vector]:
    """The pairs of entries of mappings, with those whose values have nothing in common but their key."""
    p, r = met.p.flat(sel), met.r.flat(sel)
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    chosen: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (a, b), owner, other in zip(found, p.owners()[i].tolist(), r.owners()[j].tolist(), strict=True):
        inside = int(p.offsets[owner]), int(r.offsets[other])
        chosen.setdefault((owner, other), []).append((a - inside[0], b - inside[1]))
    for owner, other in zip(met.i.tolist(), met.j.tolist(), strict=True):
        mine, theirs = p.span(owner), r.span(other)
        us, vs = ([side.frame.items[place] for place in span] for side, span in ((p, mine), (r, theirs)))
        more = pair_same_keys(us, vs, chosen.get((owner, other), ()))
        found += [(a + mine.start, b + theirs.start) for a, b in more]
    return kernels.places(a for a, _ in found), kernels.places(b for _, b in found)


def shared_steps(phi: Similarity) -> Selector:
    """The steps with which all selectors of a term begin: its path, if it has no selector of its own."""
    if hasattr(phi, "sel"):
        return phi.sel  # type: ignore[no-any-return]
    found = [shared_steps(part) for part in children(phi)]
    return tuple(steps[0] for steps in takewhile(lambda steps: len(set(steps)) == 1, zip(*found, strict=False)))


def conditions_of(product: Multiply) -> tuple[list[Operator], Operator] | None:
    """Split a product into conditions (0 or 1) and the sum that they guard; None if it has other factors."""
    factors = (product.first, *product.rest)
    sums = [factor for factor in factors if isinstance(factor, Add | Recur)]
    conditions: list[Operator] = [factor for factor in factors if isinstance(factor, Equality | Threshold)]
    return (conditions, sums[0]) if len(sums) == 1 and len(conditions) == len(factors) - 1 else None
