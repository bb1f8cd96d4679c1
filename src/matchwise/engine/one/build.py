"""From an expression to the evaluator of one pair, the same one for equal expressions."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TypeAlias

from matchwise.algebra import facts, nodes
from matchwise.algebra.facts import Facts, infer
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import close, parts, variables
from matchwise.engine.one.compound import (
    AbovePair,
    HarmonicPair,
    MeanPair,
    MinusPair,
    NormalizedPair,
    OfPart,
    ProductPair,
    RecurPair,
    SumPair,
    TermPair,
    UnionPair,
)
from matchwise.engine.one.evaluator import Evaluator
from matchwise.engine.one.matching import Bag, BestPair, ContingencyPair, OverlapPair, SubsetPair
from matchwise.engine.one.values import CustomPair, Key, LeafPair
from matchwise.engine.rewrite import drop_zero_subtraction, gather_keys, has_key, outermost, split_path, split_selector
from matchwise.errors import ExpressionError

Scope: TypeAlias = tuple[tuple[str, Similarity], ...]
"""The recursive similarities around an expression, innermost first: their names and what they are of."""


def evaluator(phi: Similarity, scope: Scope = ()) -> Evaluator:
    """How φ of two objects is computed."""
    if scope and not any(isinstance(part, nodes.Again) for part in parts(phi)):
        scope = ()
    return _build(drop_zero_subtraction(phi), scope)


@lru_cache(maxsize=4096)
def _build(phi: Similarity, scope: Scope) -> Evaluator:
    made = _choose(phi, scope)
    made.closed = close(phi, dict(reversed(scope)))
    return made


def _choose(phi: Similarity, scope: Scope) -> Evaluator:
    known = infer(phi, _facts(scope))
    if has_key(phi, _facts(scope)):
        factors = phi.factors if isinstance(phi, nodes.Product) else ()
        return Key(phi, known, tuple(evaluator(factor, scope) for factor in factors))
    match phi:
        case nodes.Leaf():
            return LeafPair(phi, known)
        case nodes.Custom():
            return CustomPair(phi, known)
        case nodes.Product(factors):
            key, _ = gather_keys(phi)
            written = [evaluator(factor, scope) for factor in factors]
            graded = [place for place, factor in enumerate(factors) if not has_key(factor)]
            graded.sort(key=lambda place: written[place].dense)  # join where a join is possible
            joined = None if key is None else evaluator(key, scope)
            assert joined is None or isinstance(joined, Key)
            return ProductPair(phi, known, joined, written, graded)
        case nodes.Sum(terms):
            made = [(weight, part, *split_selector(part)) for weight, part in terms]
            return SumPair(phi, known, [TermPair(w, part, sel, evaluator(bare, scope)) for w, part, sel, bare in made])
        case nodes.Mean(terms):
            return MeanPair(phi, known, *(evaluator(part, scope) for _, part in terms))
        case nodes.Overlap():
            return _overlap(phi, known, scope)
        case nodes.Normalized(inner=inner):
            return NormalizedPair(phi, known, evaluator(inner, scope), phi)
        case nodes.Harmonic(precision, recall):
            return HarmonicPair(phi, known, evaluator(precision, scope), evaluator(recall, scope))
        case nodes.Above(inner=inner):
            return AbovePair(phi, known, evaluator(inner, scope), phi)
        case nodes.Minus(inner=inner):
            return MinusPair(phi, known, evaluator(inner, scope), phi)
        case nodes.Union(cases=cases):
            return UnionPair(phi, known, *(evaluator(inner, scope) for _, inner in cases))
        case nodes.Best(inner=inner):
            return BestPair(phi, known, evaluator(inner, scope))
        case nodes.Contingency(sel=sel, inner=inner):
            if len(sel) > 1:
                before, last = split_path(phi)
                return OfPart(phi, known, before, evaluator(last, scope))
            return ContingencyPair(phi, known, evaluator(inner, scope))
        case nodes.Subset(sel):
            found, element = nodes.Overlap(sel, nodes.Eq(), "N:1"), evaluator(nodes.Eq())
            assert isinstance(element, Key)
            return SubsetPair(phi, known, Bag(found, infer(found, ()), element))
        case nodes.Recursive(name, inner):
            return RecurPair(phi, known, partial(evaluator, inner, ((name, inner), *scope)))
        case nodes.Again(name):
            for place, (other, inner) in enumerate(scope):
                if other == name:
                    return RecurPair(phi, known, partial(evaluator, inner, scope[place:]))
            raise ExpressionError(f"{phi!r} has no recursive({name!r}, …) around it")
        case nodes.Latent():
            return _latent(phi, known, scope)
    raise AssertionError(f"no evaluator for {type(phi).__name__}")


def _facts(scope: Scope) -> facts.Scope:
    """What is assumed of the recursive similarities around an expression."""
    if not scope:
        return ()
    (name, inner), *outer = scope
    above = _facts(tuple(outer))
    return (name, infer(nodes.Recursive(name, inner), above)), *above


def _overlap(phi: nodes.Overlap, known: Facts, scope: Scope) -> Evaluator:
    inner = evaluator(phi.inner, scope)
    if phi.order in ("tree", "graph"):
        if phi.align_by is not None:
            raise ExpressionError(f'align_by does not go with order="{phi.order}": {phi!r}; leave one of them out')
        from matchwise.engine.one.structure import Nodes

        return Nodes(phi, known, inner)
    if len(phi.sel) > 1:
        before, last = split_path(phi)
        return OfPart(phi, known, before, evaluator(last, scope))
    if isinstance(inner, Key) and phi.order == "bag" and phi.align_by is None:
        return Bag(phi, known, inner)
    return OverlapPair(phi, known, inner, None if phi.align_by is None else evaluator(phi.align_by, scope))


def _latent(phi: nodes.Latent, known: Facts, scope: Scope) -> Evaluator:
    """Normalisers, thresholds and differences come before the search for a matching of variables."""
    rooted = outermost(phi)
    match rooted:
        case nodes.Normalized(inner=inner):
            return NormalizedPair(phi, known, evaluator(inner, scope), rooted)
        case nodes.Above(inner=inner):
            return AbovePair(phi, known, evaluator(inner, scope), rooted)
        case nodes.Minus(inner=inner):
            return MinusPair(phi, known, evaluator(inner, scope), rooted)
        case nodes.Latent(inner) if not variables(inner):
            return evaluator(inner, scope)
        case nodes.Latent(inner):
            from matchwise.engine.one.latent import LatentPair

            return LatentPair(phi, known, evaluator(inner, scope), close(inner, dict(reversed(scope))))
    raise AssertionError(f"no evaluator for {rooted!r}")
