"""Turn a similarity with variables into its scheme, which builds its polynomial from the polynomials of its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import (
    Again,
    Best,
    Latent,
    Leaf,
    Mean,
    Normalized,
    Overlap,
    Product,
    Recursive,
    Similarity,
    Sum,
    Union,
    Var,
)
from matchwise.algebra.walk import children, rebuild, variables
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import Normalize
from matchwise.engine.operators.compound import Term
from matchwise.engine.operators.terms import (
    Cases,
    Monomial,
    Named,
    PairTerms,
    Scaled,
    Scheme,
    Selected,
    Times,
    Top,
    Total,
    Weighted,
)
from matchwise.engine.rewrite import split_selector
from matchwise.errors import ExpressionError

Plan: TypeAlias = Callable[[Similarity], Operator]
"""The operator that runs a similarity without variables."""

ANY = LeafKind("any", lambda value, _: None, lambda x, y, _: 1, discrete=True)
"""A variable before it is matched: anything may go with anything."""


def relax(phi: Similarity, inside: frozenset[str] = frozenset()) -> Similarity:
    """φ when any two variables count as matched: an upper bound, and 0 where no matching helps.

    Recursive similarities inside it get another name: they are others.
    """
    match phi:
        case Var(sel):
            return Leaf(ANY, sel)
        case Latent():
            return phi
        case Product(factors):
            rest = tuple(relax(factor, inside) for factor in factors if not isinstance(factor, Var))
            return Leaf(ANY) if not rest else rest[0] if len(rest) == 1 else Product(rest)
        case Recursive(name, inner, sel):
            return Recursive(f"{name} relaxed", relax(inner, inside | {name}), sel)
        case Again(name, sel) if name in inside:
            return Again(f"{name} relaxed", sel)
    return rebuild(phi, tuple(relax(part, inside) for part in children(phi)))


def scheme(phi: Similarity, plan: Plan, inside: dict[str, Named] | None = None) -> Scheme:
    """How to write φ̃ as a polynomial; ExpressionError if it cannot be written so."""
    inside = inside or {}

    def below(part: Similarity) -> Scheme:
        return scheme(part, plan, inside)

    def relaxed(part: Similarity) -> Operator:
        return plan(relax(_closed(part, inside)))

    match phi:
        case Again(name, sel) if name in inside:
            return Selected(sel, inside[name])
        case Recursive(name, inner, sel) if variables(phi):
            named = Named(inner)
            named.target = scheme(inner, plan, {**inside, name: named})
            return Selected(sel, named)
        case _ if _is_monomial(phi, inside):
            return Monomial(phi, relaxed(phi))
        case Product(factors):
            fixed = tuple(factor for factor in factors if _is_monomial(factor, inside))
            rest = [below(factor) for factor in factors if factor not in fixed]
            return Times([*([below(Product(fixed))] if fixed else []), *rest])
        case Sum(terms):
            made = []
            for weight, part in terms:
                place, bare = split_selector(part)
                made.append((Term(weight, part, place, relaxed(bare)), below(bare)))
            return Total(made)
        case Mean(terms):
            whole = sum(weight for weight, _ in terms)
            return Weighted([(weight / whole, below(part)) for weight, part in terms])
        case Overlap(order="bag" | "index", align_by=None):
            return PairTerms(phi, relaxed(phi.inner), below(phi.inner))
        case Normalized(kind, inner) if kind != "jaccard":
            return Scaled(Normalize(phi, plan(Latent(_closed(inner, inside)))), below(inner))
        case Union():
            return Cases(phi, [below(inner) for _, inner in phi.cases])
        case Best(sel, inner):
            return Top(sel, relaxed(inner), below(inner))
    raise ExpressionError(
        f"latent(…) cannot match the variables of {phi!r} there: under it may stand sums, products, unions, best, and "
        "overlaps (order bag or index) with P, R or F of them; thresholds, differences and J may stand only outermost"
    )


def _is_monomial(phi: Similarity, inside: dict[str, Named]) -> bool:
    """True if φ̃ is a number times a product of variables."""
    if isinstance(phi, Again) and phi.name in inside:
        return False
    match phi:
        case Var():
            return True
        case Product() | Union():
            return all(_is_monomial(part, inside) for part in children(phi))
    return not variables(phi) and not _comes_back(phi, inside)


def _comes_back(phi: Similarity, inside: dict[str, Named]) -> bool:
    return (isinstance(phi, Again) and phi.name in inside) or any(_comes_back(part, inside) for part in children(phi))


def _closed(phi: Similarity, inside: dict[str, Named]) -> Similarity:
    """Write out the recursive similarities that φ refers to, so that it can stand alone."""
    match phi:
        case Again(name, sel) if name in inside:
            return Recursive(name, inside[name].body, sel)
        case Recursive(name):
            inside = {other: named for other, named in inside.items() if other != name}
    return rebuild(phi, tuple(_closed(part, inside) for part in children(phi)))
