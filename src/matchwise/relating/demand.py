"""What φ(x, y) ≥ t demands of a pair: equal keys, and that an inner similarity ψ is large enough.

    φ(x, y) ≥ t  ⟹  key(x) = key(y)  and  ψ(x, y) ≥ p · ψ(x, x) + q · ψ(y, y) + c

For F₁ p = q = t / 2, for Jaccard p = q = t / (1 + t), for precision p = t and q = 0. A pair that does not meet the
demand need not be compared; a pair that meets it may still be below t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Above, Harmonic, Latent, Mean, Minus, Normalized, Overlap, Product, Similarity, Sum
from matchwise.engine.relation import has_key, peel

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
    """What φ(x, y) ≥ threshold demands of a pair; None if nothing is known."""
    if threshold <= 0:
        return None
    if has_key(phi):
        return Demand((phi,))
    match phi:
        case Latent():
            peeled = peel(phi)
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
