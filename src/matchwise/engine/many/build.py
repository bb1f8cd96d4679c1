"""From an expression to the operator of a batch, the same one for equal expressions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import cast

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import children, variables
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.collections import (
    BagOverlap,
    BestElement,
    Inclusion,
    MatchElements,
    Select,
    Tabulate,
)
from matchwise.engine.many.operators.compound import (
    Add,
    Average,
    ByCase,
    Multiply,
    Normalize,
    Recur,
    Substitute,
    Subtract,
    Term,
    Threshold,
)
from matchwise.engine.many.operators.pairwise import CallFunction, HarmonicMean, MatchInOrder, MatchNodes
from matchwise.engine.many.operators.values import Compare, Equality
from matchwise.engine.one.build import evaluator
from matchwise.engine.rewrite import (
    Scope,
    drop_zero_subtraction,
    find_body,
    find_way,
    gather_keys,
    infer_inside,
    narrow,
    outermost,
    relax,
    split_path,
    split_selector,
)

OPERATORS: dict[type[Similarity] | str, Callable[..., Operator]] = {
    "bag": BagOverlap,
    nodes.Leaf: Compare,
    nodes.Mean: Average,
    nodes.Overlap: MatchElements,
    nodes.Normalized: Normalize,
    nodes.Above: Threshold,
    nodes.Minus: Subtract,
    nodes.Substitution: Substitute,
    nodes.Union: ByCase,
    nodes.Best: BestElement,
    nodes.Contingency: Tabulate,
}
"""What runs a node, or what comes down to it, given the operators of what is inside it."""


def operator(phi: Similarity, scope: Scope = ()) -> Operator:
    """What runs φ over frames, the same operator for equal expressions."""
    return _build(drop_zero_subtraction(phi), narrow(phi, scope))


@lru_cache(maxsize=4096)
def _build(phi: Similarity, scope: Scope) -> Operator:
    rooted = outermost(phi)
    if isinstance(rooted, nodes.Latent) and not variables(rooted.inner):
        return operator(rooted.inner, scope)
    made = _choose(rooted, scope)
    made.phi, made.facts = phi, infer_inside(phi, scope)
    return made


def _choose(phi: Similarity, scope: Scope) -> Operator:
    make, way = partial(operator, scope=scope), find_way(phi)
    match phi:
        case _ if way == "key":
            return Equality(phi)
        case nodes.Overlap() | nodes.Contingency() if way == "part":
            before, last = split_path(phi)
            return Select(phi, before, make(last))
        case nodes.Custom():
            return CallFunction(phi, evaluator(phi, scope))
        case nodes.Harmonic(precision, recall):
            return HarmonicMean(phi, evaluator(phi, scope), make(precision), make(recall))
        case nodes.Product():
            key, rest = gather_keys(phi)
            factors = sorted(map(make, rest), key=lambda factor: factor.dense)  # join where a join is possible
            return Multiply(phi, *(() if key is None else (make(key),)), *factors)
        case nodes.Sum(terms):
            split = [(weight, part, *split_selector(part)) for weight, part in terms]
            return Add(phi, [Term(weight, part, sel, make(bare)) for weight, part, sel, bare in split])
        case nodes.Overlap(inner=inner) if way == "nodes":
            return MatchNodes(phi, evaluator(phi, scope), make(inner))
        case nodes.Overlap(inner=inner, align_by=by) if way == "order":
            return MatchInOrder(phi, evaluator(phi, scope), make(inner), None if by is None else make(by))
        case nodes.Subset():
            return Inclusion(phi, cast(Equality, make(nodes.Eq())))
        case nodes.Recursive() | nodes.Again():
            body, inside = find_body(phi, scope)
            target = partial(operator, body, inside)
            return Recur(phi, target, *([target()] if isinstance(phi, nodes.Recursive) else []))
        case nodes.Latent(inner):
            from matchwise.engine.many.operators.latent import LatentMatch

            return LatentMatch(phi, make(inner), make(relax(inner)), evaluator(phi, scope))
    return OPERATORS[way](phi, *map(make, children(phi)))
