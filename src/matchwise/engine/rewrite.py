"""Equal expressions that are cheaper to run: one named rule per function."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts, infer
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Selector, Similarity
from matchwise.algebra.steps import Stepped
from matchwise.algebra.walk import children, parts, rebuild
from matchwise.errors import ExpressionError

Scope: TypeAlias = tuple[tuple[str, Similarity], ...]
"""The recursive similarities around an expression, innermost first: their names and what they are of."""


def narrow(phi: Similarity, scope: Scope) -> Scope:
    """What is around φ, if φ comes back to it."""
    return scope if scope and any(isinstance(part, nodes.Again) for part in parts(phi)) else ()


def find_body(phi: nodes.Recursive | nodes.Again, scope: Scope) -> tuple[Similarity, Scope]:
    """What a recursive similarity is of, and what is around that."""
    if isinstance(phi, nodes.Recursive):
        return phi.inner, ((phi.name, phi.inner), *scope)
    for place, (name, inner) in enumerate(scope):
        if name == phi.name:
            return inner, scope[place:]
    raise ExpressionError(f"{phi!r} has no recursive({phi.name!r}, …) around it")


def infer_inside(phi: Similarity, scope: Scope) -> Facts:
    """The facts of φ where it stands."""
    assumed: tuple[tuple[str, Facts], ...] = ()
    for name, inner in reversed(scope):
        assumed = ((name, infer(nodes.Recursive(name, inner), assumed)), *assumed)
    return infer(phi, assumed)


Way: TypeAlias = type[Similarity] | str
"""How a node is computed: as every node of its class, or in a way of its own."""


def find_way(phi: Similarity) -> Way:
    """How a node is computed.

    key     equality of a key                       bag     Σ over equal elements
    part    of a part that objects may share        order   Σ over a matching in order, or by `align_by`
    nodes   Σ over the nodes of trees and graphs    keys    Σ over equal elements in order, also where a change costs 1
    """
    match phi:
        case _ if has_key(phi):
            return "key"
        case nodes.Overlap(order="tree" | "graph" as order, align_by=by):
            if by is not None:
                raise ExpressionError(f'align_by does not go with order="{order}": {phi!r}; leave one of them out')
            return "nodes"
        case nodes.Overlap(sel) | nodes.Contingency(sel=sel) if len(sel) > 1:
            return "part"
        case nodes.Overlap(inner=inner, order="bag", align_by=None):
            return "bag" if has_key(inner) else nodes.Overlap
        case nodes.Overlap(inner=inner, match="1:1", order="sequence", align_by=None) if _has_key_to_change(inner):
            return "keys"
        case nodes.Overlap():
            return "order"
    return type(phi)


def _has_key_to_change(phi: Similarity) -> bool:
    """True of equality, also where a change costs 1."""
    return has_key(phi.inner if isinstance(phi, nodes.Substitution) and phi.cost == 1 else phi)


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


def has_key(phi: Similarity) -> bool:
    """True if φ is equality of a key that `keyer` makes; a recursive φ has none."""
    is_equality = infer(phi, ()).discrete.holds
    return is_equality and not any(isinstance(part, nodes.Recursive | nodes.Again) for part in parts(phi))


def gather_keys(phi: nodes.Product) -> tuple[Similarity | None, tuple[Similarity, ...]]:
    """δ_a × φ × δ_b = δ_(a,b) × φ: the discrete factors of a product are one key."""
    keys = tuple(factor for factor in phi.factors if has_key(factor))
    rest = tuple(factor for factor in phi.factors if not has_key(factor))
    if not keys:
        return None, rest
    return keys[0] if len(keys) == 1 else nodes.Product(keys), rest


def split_path(phi: nodes.Overlap | nodes.Contingency) -> tuple[Selector, Similarity]:
    """Σ_a.b[φ] = (Σ_b[φ] of a): objects that share `a` are compared once."""
    return phi.sel[:-1], replace(phi, sel=phi.sel[-1:])


def split_selector(phi: Similarity) -> tuple[Selector | None, Similarity]:
    """φ_a = (φ of a): a term of a sum selects first, to see whether the part is there; None if φ does not select."""
    if not hasattr(phi, "sel"):
        return None, phi
    return phi.sel, replace(phi, sel=())  # type: ignore[type-var]  # every node is a dataclass


ANY = LeafKind("any", lambda value, _: None, lambda x, y, _: 1, discrete=True)
"""A variable before it is matched: anything may go with anything."""


def relax(phi: Similarity, inside: frozenset[str] = frozenset()) -> Similarity:
    """φ when any two variables count as matched: an upper bound, and 0 where no matching helps.

    Recursive similarities inside it get another name: they are others.
    """
    match phi:
        case nodes.Variable(sel):
            return nodes.Leaf(ANY, sel)
        case nodes.Latent():
            return phi
        case nodes.Product(factors):
            rest = tuple(relax(factor, inside) for factor in factors if not isinstance(factor, nodes.Variable))
            return nodes.Leaf(ANY) if not rest else rest[0] if len(rest) == 1 else nodes.Product(rest)
        case nodes.Recursive(name, inner, sel):
            return nodes.Recursive(f"{name} relaxed", relax(inner, inside | {name}), sel)
        case nodes.Again(name, sel) if name in inside:
            return nodes.Again(f"{name} relaxed", sel)
    return rebuild(phi, tuple(relax(part, inside) for part in children(phi)))
