"""Objects as weighted tokens, so that two objects are never more similar than the tokens they share.

    ψ(x, y) ≤ Σ { weight(token) : token in x and in y } + min(slack(x), slack(y))

An equality is a token, an element of a bag is one, and so is a field of an element: each field is matched by itself,
which can only add to the score. What has partial credit is slack: as much as it scores with itself.

A threshold φ(x, y) ≥ t demands equal keys of a pair, and that an inner similarity ψ is large enough.

    φ(x, y) ≥ t  ⟹  key(x) = key(y)  and  ψ(x, y) ≥ p · ψ(x, x) + q · ψ(y, y) + c

For F₁ p = q = t / 2, for Jaccard p = q = t / (1 + t), for precision p = t and q = 0. A pair that does not meet the
demand need not be compared; a pair that meets it may still be below t.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Above, Harmonic, Latent, Mean, Minus, Normalized, Overlap, Product, Similarity, Sum
from matchwise.arrays import Floats
from matchwise.engine.many.relation import ObjectColumn
from matchwise.engine.one.latent import relax
from matchwise.engine.rewrite import has_key, outermost


class Unbounded(Exception):  # no error: all pairs are compared
    """A part of ψ is not known to have an upper bound."""


class WeightedTokens:
    """The tokens of the objects of one list: how often owner i has token k, and the slack of each owner."""

    def __init__(self, owners: list[int], codes: list[int], slack: Floats) -> None:
        self.owners, self.codes, self.slack = owners, codes, slack


class Vocabulary:
    """Numbers for tokens, the same for all lists, and the weight of each."""

    def __init__(self, psi: Similarity | None, keys: tuple[Similarity, ...]) -> None:
        self.psi, self.keys = psi, keys
        self.weights: list[float] = []
        self.codes: dict[Any, int] = {}
        """The number of each token: the part of ψ that it is compared by, and its keys."""
        self._blocks: dict[Hashable, int] = {}

    def blocks(self, xs: Sequence[Any]) -> list[int]:
        """The number of the block of each object: objects of two blocks have different keys."""
        if not self.keys:
            return [0] * len(xs)
        column = ObjectColumn.of(xs)
        found = zip(*(column.keys(key) for key in self.keys), strict=True)
        made = [self._blocks.setdefault(key, len(self._blocks)) for key in found]
        column.forget()
        return made

    def tokens(self, xs: Sequence[Any], blocks: list[int]) -> WeightedTokens:
        """What ψ compares of each object; objects of different blocks share nothing."""
        made = WeightedTokens([], [], np.zeros(len(xs)))
        if self.psi is not None:
            column = ObjectColumn.of(xs)
            self._add(made, self.psi, _Parts(column, list(range(len(xs))), list(blocks)))
            column.forget()
        return made

    def _add(self, made: WeightedTokens, phi: Similarity, of: _Parts) -> None:
        if not of.weight or not len(of.column):
            return
        if has_key(phi):
            self._add_keys(made, of.column.keys(phi), of)
            return
        match phi:
            case Sum():
                for number, (factor, bare, kept, own) in enumerate(of.column.terms(phi)):
                    self._add(made, bare, of.take(own, kept).inside(number, of.weight * float(factor)))
            case Mean(terms):
                total = float(sum(factor for factor, _ in terms))
                for number, (factor, part) in enumerate(terms):
                    self._add(made, part, of.inside(number, of.weight * float(factor) / total))
            case Minus(inner):
                self._add(made, inner, of)
            case Latent(inner):
                self._add(made, relax(inner), of)
            case Overlap(sel, inner, match, order) if order == "index" or (
                match == "1:1" and order in ("bag", "sequence")
            ):
                self._add(made, inner, of.take(*of.column.elements(sel)).inside(0, of.weight))
            case Product(factors):
                self._add_product(made, factors, phi, of)
            case _:
                self._add_slack(made, phi, of)

    def _add_product(self, made: WeightedTokens, factors: tuple[Similarity, ...], phi: Similarity, of: _Parts) -> None:
        """Keys that go with one factor of any size make tokens of theirs; factors of at most 1 only take away."""
        keys = [of.column.keys(factor) for factor in factors if has_key(factor)]
        unbounded = [factor for factor in factors if not facts(factor).bounded]
        if len(unbounded) == 1:
            joint = list(zip(of.prefix, *keys, strict=True)) if keys else of.prefix
            self._add(made, unbounded[0], of._replace(prefix=joint))
        elif keys and not unbounded:
            self._add_keys(made, list(zip(*keys, strict=True)), of)
        else:
            self._add_slack(made, phi, of)

    def _add_keys(self, made: WeightedTokens, keys: list[Any], of: _Parts) -> None:
        codes, weights = self.codes, self.weights
        for name in zip(of.prefix, keys, strict=True):
            code = codes.setdefault((of.place, name), len(weights))
            if code == len(weights):
                weights.append(of.weight)
            made.codes.append(code)
        made.owners += of.owners

    def _add_slack(self, made: WeightedTokens, phi: Similarity, of: _Parts) -> None:
        known = facts(phi)
        if known.left and known.right:
            most = np.array([float(value) for value in of.column.self_scores(phi)])
        elif known.bounded:
            most = np.ones(len(of.column))
        else:
            raise Unbounded
        made.slack += of.weight * np.bincount(of.owners, most, len(made.slack))


class _Parts(NamedTuple):
    """Parts of objects: the object and the keys of each, what they weigh, and which part of ψ compares them."""

    column: ObjectColumn
    owners: list[int]
    prefix: list[Any]
    weight: float = 1.0
    place: tuple[int, ...] = ()

    def take(self, column: ObjectColumn, kept: Sequence[int]) -> _Parts:
        """What a column has of the parts at these positions."""
        owners, prefix = ([side[i] for i in kept] for side in (self.owners, self.prefix))
        return self._replace(column=column, owners=owners, prefix=prefix)

    def inside(self, number: int, weight: float) -> _Parts:
        return self._replace(weight=weight, place=(*self.place, number))


LEAST = 1e-300
"""Stands for all that is above 0."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Equal `keys`, and ψ(x, y) ≥ p · ψ(x, x) + q · ψ(y, y) + c, if there is a ψ."""

    keys: tuple[Similarity, ...] = ()
    psi: Similarity | None = None
    p: float = 0.0
    q: float = 0.0
    c: float = 0.0

    @property
    def of_pred(self) -> float:
        """ψ(x, y) is at least this times ψ(x, x), whatever y is: y is large enough itself, as ψ(x, y) ≤ ψ(y, y)."""
        return self.p / (1 - self.q) if self._capped and self.q < 1 else self.p

    @property
    def of_ref(self) -> float:
        """As `of_pred`, of ψ(y, y)."""
        return self.q / (1 - self.p) if self._capped and self.p < 1 else self.q

    @property
    def _capped(self) -> bool:
        return self.psi is not None and bool(facts(self.psi).left) and bool(facts(self.psi).right)


def demand(phi: Similarity, threshold: float) -> Demand | None:
    """What φ(x, y) ≥ threshold requires of a pair; None if nothing is known."""
    if threshold <= 0:
        return None
    if has_key(phi):
        return Demand((phi,))
    match phi:
        case Latent():
            peeled = outermost(phi)
            return Demand((), phi, c=threshold) if peeled == phi else demand(peeled, threshold)
        case Normalized(kind, inner, beta):
            t, square = threshold, float(beta) ** 2
            match kind:
                case "precision":
                    p, q = t, 0.0
                case "recall":
                    p, q = 0.0, t
                case "jaccard":
                    p = q = t / (1 + t)
                case _:
                    p, q = t / (1 + square), t * square / (1 + square)
            return Demand((), inner, p, q)
        case Above(inner, least):
            return demand(inner, max(float(least), LEAST)) if threshold <= 1 and (least > 0 or phi.strict) else None
        case Minus(inner, amount):
            return demand(inner, threshold + float(amount))
        case Harmonic(precision, recall):
            bounded = facts(precision).bounded and facts(recall).bounded
            least = threshold / (2 - threshold) if bounded and threshold < 2 else threshold / 2
            return demand(precision, least) or demand(recall, least)
        case Product(factors):
            return _of_product(factors, threshold)
        case Sum() | Overlap() | Mean():
            return Demand((), phi, c=threshold)
    return None


def _of_product(factors: tuple[Similarity, ...], threshold: float) -> Demand | None:
    """All keys are equal; where no factor is above 1, each of them is at least t."""
    keys = tuple(factor for factor in factors if has_key(factor))
    rest = [factor for factor in factors if not has_key(factor)]
    unbounded = [factor for factor in rest if not facts(factor).bounded]
    if len(unbounded) > 1:
        return Demand(keys) if keys else None
    for factor in unbounded or rest:
        found = demand(factor, threshold)
        if found is not None and (found.psi is not None or found.keys):
            return replace(found, keys=(*keys, *found.keys))
    return Demand(keys) if keys else None
