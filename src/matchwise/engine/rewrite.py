"""Equal expressions that are cheaper to run: one named rule per function."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from matchwise.algebra import nodes
from matchwise.algebra.facts import Scope, infer
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.algebra.steps import Stepped
from matchwise.algebra.walk import parts


def drop_zero_subtraction(phi: Similarity) -> Similarity:
    """max{0, φ − 0} = φ."""
    return phi.inner if isinstance(phi, nodes.Minus) and phi.amount == 0 else phi


def outermost(phi: Similarity) -> Similarity:
    """max_M N[φ̃] = N[max_M φ̃] for what grows with φ̃: normalisers, thresholds and differences come first.

    The step at the root of a metric is left out: it runs before anything here is computed.
    """
    match phi:
        case Stepped(_, inner):
            return outermost(inner)
        case nodes.Latent(nodes.Normalized(kind, inner, beta, empty)):
            return nodes.Normalized(kind, outermost(nodes.Latent(inner)), beta, empty)
        case nodes.Latent(nodes.Above(inner, threshold, strict)):
            return nodes.Above(outermost(nodes.Latent(inner)), threshold, strict)
        case nodes.Latent(nodes.Minus(inner, amount)):
            return nodes.Minus(outermost(nodes.Latent(inner)), amount)
        case nodes.Latent(nodes.Latent() as inner):
            return outermost(inner)
    return phi


def has_key(phi: Similarity, scope: Scope = ()) -> bool:
    """True if φ is equality of a key that `keyer` makes; a recursive φ has none."""
    is_equality = infer(phi, scope).discrete.holds
    return is_equality and not any(isinstance(part, nodes.Recursive | nodes.Again) for part in parts(phi))


def gather_keys(phi: nodes.Product) -> tuple[Similarity | None, tuple[Similarity, ...]]:
    """δ_a × φ × δ_b = δ_(a,b) × φ: the discrete factors of a product are one key."""
    keys = tuple(factor for factor in phi.factors if has_key(factor))
    rest = tuple(factor for factor in phi.factors if not has_key(factor))
    if not keys:
        return None, rest
    return keys[0] if len(keys) == 1 else nodes.Product(keys), rest


Gathering = TypeVar("Gathering", nodes.Overlap, nodes.Contingency)
"""What looks at two collections."""


def split_path(phi: Gathering) -> tuple[Selector, Gathering]:
    """Σ_a.b[φ] = (Σ_b[φ] of a): objects that share `a` are compared once."""
    return phi.sel[:-1], replace(phi, sel=phi.sel[-1:])


def split_selector(phi: Similarity) -> tuple[Selector | None, Similarity]:
    """φ_a = (φ of a): a term of a sum selects first, to see whether the part is there; None if φ does not select."""
    if not hasattr(phi, "sel"):
        return None, phi
    return phi.sel, replace(phi, sel=())  # type: ignore[type-var]  # every node is a dataclass
