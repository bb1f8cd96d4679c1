"""From an expression to the operator of a batch, the same one for equal expressions."""

from __future__ import annotations

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Similarity
from matchwise.engine.many.operators import collections, compound, pairwise, values
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.one.build import evaluator
from matchwise.engine.one.evaluator import PairEvaluator
from matchwise.engine.rewrite import Way

OPERATORS: dict[Way, type[Operator]] = {
    "key": values.Equality,
    "part": collections.Select,
    "bag": collections.BagOverlap,
    "order": pairwise.MatchInOrder,
    "keys": pairwise.MatchInOrder,
    "nodes": pairwise.MatchNodes,
    nodes.Leaf: values.Compare,
    nodes.Custom: pairwise.CallFunction,
    nodes.Product: compound.Multiply,
    nodes.Sum: compound.Add,
    nodes.Mean: compound.Average,
    nodes.Normalized: compound.Normalize,
    nodes.Harmonic: pairwise.HarmonicMean,
    nodes.Above: compound.Threshold,
    nodes.Minus: compound.Subtract,
    nodes.Substitution: compound.Substitute,
    nodes.Union: compound.ByCase,
    nodes.Recursive: compound.Recur,
    nodes.Again: compound.Recur,
    nodes.Best: collections.BestElement,
    nodes.Contingency: collections.Tabulate,
    nodes.Subset: collections.Inclusion,
    nodes.Overlap: collections.MatchElements,
}
"""What runs a node, or what comes down to it, over frames."""


def operator(phi: Similarity) -> Operator:
    """What runs φ over frames."""
    return evaluator(phi).operator


def build(pair: PairEvaluator) -> Operator:
    """What runs over frames what an evaluator computes of two parts."""
    if pair.way is nodes.Latent:
        from matchwise.engine.many.operators.latent import LatentMatch

        return LatentMatch(pair)
    return OPERATORS[pair.way](pair)
