"""Equal expressions that are cheaper to run: one named rule per function."""

from __future__ import annotations

from dataclasses import replace

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Minus, Overlap, Product, Selector, Similarity


def drop_zero_subtraction(phi: Similarity) -> Similarity:
    """max{0, φ − 0} = φ."""
    return phi.inner if isinstance(phi, Minus) and phi.amount == 0 else phi


def gather_keys(phi: Product) -> tuple[Similarity | None, tuple[Similarity, ...]]:
    """δ_a × φ × δ_b = δ_(a,b) × φ: the discrete factors of a product are one key."""
    keys = tuple(factor for factor in phi.factors if facts(factor).discrete)
    rest = tuple(factor for factor in phi.factors if not facts(factor).discrete)
    if not keys:
        return None, rest
    return keys[0] if len(keys) == 1 else Product(keys), rest


def split_path(phi: Overlap) -> tuple[Selector, Overlap]:
    """Σ_a.b[φ] = (Σ_b[φ] of a): objects that share `a` are compared once."""
    return phi.sel[:-1], replace(phi, sel=phi.sel[-1:])


def split_selector(phi: Similarity) -> tuple[Selector | None, Similarity]:
    """φ_a = (φ of a): a term of a sum selects first, to see whether the part is there; None if φ does not select."""
    if not hasattr(phi, "sel"):
        return None, phi
    return phi.sel, replace(phi, sel=())  # type: ignore[type-var]  # nodes are dataclasses
