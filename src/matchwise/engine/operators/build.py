"""From an expression to its operator, the same one for equal expressions."""

from __future__ import annotations

from functools import lru_cache, partial

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import variables
from matchwise.engine.operators import collections, compound, equality, functions, leaves, sequences, tables
from matchwise.engine.operators.operator import Operator
from matchwise.engine.rewrite import Scope, Way, drop_zero_subtraction, find_way, infer_inside, narrow, outermost

OPERATORS: dict[Way, type[Operator]] = {
    "key": equality.Equality,
    "part": compound.Select,
    "bag": collections.BagOverlap,
    "order": sequences.MatchInOrder,
    "keys": sequences.KeySequence,
    nodes.Leaf: leaves.Compare,
    nodes.Custom: leaves.CallFunction,
    nodes.Product: functions.Multiply,
    nodes.Sum: compound.Add,
    nodes.Mean: functions.Average,
    nodes.Normalized: functions.Normalize,
    nodes.Harmonic: functions.HarmonicMean,
    nodes.Above: functions.Threshold,
    nodes.Minus: functions.Subtract,
    nodes.Substitution: functions.Substitute,
    nodes.Union: compound.ByCase,
    nodes.Recursive: compound.Recur,
    nodes.Again: compound.Recur,
    nodes.Best: tables.BestElement,
    nodes.Contingency: tables.Tabulate,
    nodes.Subset: tables.Inclusion,
    nodes.Overlap: collections.MatchElements,
}
"""What computes a node, or what comes down to it."""


def operator(phi: Similarity, scope: Scope = ()) -> Operator:
    """How φ is computed, of two objects or of a batch."""
    return _build(drop_zero_subtraction(phi), narrow(phi, scope))


@lru_cache(maxsize=4096)
def _build(phi: Similarity, scope: Scope) -> Operator:
    rooted, make = outermost(phi), partial(operator, scope=scope)
    if isinstance(rooted, nodes.Latent) and not variables(rooted.inner):
        return make(rooted.inner)
    way = find_way(rooted)
    made = _find_class(way)(rooted, infer_inside(phi, scope), make)
    made.phi, made.scope = phi, scope
    return made


def _find_class(way: Way) -> type[Operator]:
    """What computes it; what needs a solver is imported when it is met."""
    if way is nodes.Latent:
        from matchwise.engine.operators.latent import LatentMatch

        return LatentMatch
    if way == "nodes":
        from matchwise.engine.operators.structure import MatchNodes

        return MatchNodes
    return OPERATORS[way]
