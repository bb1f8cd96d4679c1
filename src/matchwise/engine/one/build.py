"""From an expression to the evaluator of one pair, the same one for equal expressions."""

from __future__ import annotations

from functools import lru_cache, partial

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import variables
from matchwise.engine.one import compound, matching, values
from matchwise.engine.one.evaluator import PairEvaluator
from matchwise.engine.rewrite import Scope, Way, drop_zero_subtraction, find_way, infer_inside, narrow, outermost

EVALUATORS: dict[Way, type[PairEvaluator]] = {
    "key": values.Key,
    "part": compound.OfPart,
    "bag": matching.Bag,
    "order": matching.OrderedPair,
    "keys": matching.KeySequence,
    nodes.Leaf: values.LeafPair,
    nodes.Custom: values.CustomPair,
    nodes.Product: compound.ProductPair,
    nodes.Sum: compound.SumPair,
    nodes.Mean: compound.MeanPair,
    nodes.Normalized: compound.NormalizedPair,
    nodes.Harmonic: compound.HarmonicPair,
    nodes.Above: compound.AbovePair,
    nodes.Minus: compound.MinusPair,
    nodes.Substitution: compound.SubstitutionPair,
    nodes.Union: compound.UnionPair,
    nodes.Recursive: compound.RecurPair,
    nodes.Again: compound.RecurPair,
    nodes.Best: matching.BestPair,
    nodes.Contingency: matching.ContingencyPair,
    nodes.Subset: matching.SubsetPair,
    nodes.Overlap: matching.OverlapPair,
}
"""What evaluates a node, or what comes down to it."""


def evaluator(phi: Similarity, scope: Scope = ()) -> PairEvaluator:
    """How φ of two objects is computed."""
    return _build(drop_zero_subtraction(phi), narrow(phi, scope))


@lru_cache(maxsize=4096)
def _build(phi: Similarity, scope: Scope) -> PairEvaluator:
    rooted, make = outermost(phi), partial(evaluator, scope=scope)
    if isinstance(rooted, nodes.Latent) and not variables(rooted.inner):
        return make(rooted.inner)
    way = find_way(rooted)
    made = _find_class(way)(rooted, infer_inside(phi, scope), make)
    made.phi, made.scope, made.way = phi, scope, way
    return made


def _find_class(way: Way) -> type[PairEvaluator]:
    """What evaluates it; what needs a solver is imported when it is met."""
    if way is nodes.Latent:
        from matchwise.engine.one.latent import LatentPair

        return LatentPair
    if way == "nodes":
        from matchwise.engine.one.structure import Nodes

        return Nodes
    return EVALUATORS[way]
