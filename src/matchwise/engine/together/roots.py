"""What is counted of a document at the root of a plan, and whether many documents can be counted together by it."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias, TypeGuard

from matchwise.algebra.nodes import Custom, Selector
from matchwise.engine.operators.bag import BagOverlap, Inclusion
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import HarmonicMean, Normalize, Subtract, Threshold
from matchwise.engine.operators.compound import Add, Average, Multiply
from matchwise.engine.operators.contingency import Tabulate
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.operators.routing import Select
from matchwise.engine.operators.searched import Searched
from matchwise.engine.plan import Plan

Collection: TypeAlias = BagOverlap | MatchElements


def root_of(operator: Operator) -> tuple[Selector, Operator]:
    """The path from a document to what is compared of it, and the operator that compares."""
    return (operator.sel, operator.inner) if isinstance(operator, Select) else ((), operator)


def matched_at_root(plan: Plan) -> tuple[Selector, Collection] | None:
    """The collection at the root of a plan and the path to it, if its matched pairs can be found together."""
    before, root = root_of(plan.sigma())
    if plan.root == "counts" and (isinstance(root, BagOverlap) or (_is_bag(root) and _by_itself(root.inner))):
        return before, root
    return None


def counts_together(operator: Operator) -> bool:
    """Whether φ of many documents can be computed together."""
    _, root = root_of(operator)
    match root:
        case BagOverlap() | Discrete():
            return True
        case Compare():
            return not root.batched and (isinstance(root.phi, Custom) or root.goes_along)
        case Searched():
            return root.joins
    return joined(root) or (_is_bag(root) and _by_itself(root.inner))


def _is_bag(operator: Operator) -> TypeGuard[MatchElements]:
    return isinstance(operator, MatchElements) and operator.order == "bag" and operator.by is None


@lru_cache(maxsize=1024)
def joined(operator: Operator) -> bool:
    """Whether the elements of a collection are found by a join, and matched as those of one document would be."""
    _, root = root_of(operator)
    if isinstance(root, Tabulate):
        return _joins(root.inner)
    return _is_bag(root) and _joins(root.inner) and (not root.peels or isinstance(root.inner, BagOverlap))


def _joins(operator: Operator) -> bool:
    """Whether all non-zero pairs come from equal keys, so that a scope keeps documents apart."""
    match operator:
        case Discrete() | BagOverlap() | Inclusion():
            return True
        case Multiply():
            # Leaves compare the few pairs of a small document faster than a join finds fewer.
            return _joins(operator.first) and all(
                _by_itself(factor) and not _has_leaf(factor) for factor in operator.rest
            )
        case Threshold() if operator.all:
            return False
        case Normalize() if operator.empty:
            return False
        case Threshold() | Normalize() | Subtract() | Add() | HarmonicMean() | Select():
            return all(map(_joins, operator.inputs))
    return False


def _has_leaf(operator: Operator) -> bool:
    return isinstance(operator, Compare) or any(map(_has_leaf, operator.inputs))


def _by_itself(operator: Operator) -> bool:
    """Whether the similarity of two elements is the same number whatever else is compared."""
    match operator:
        case Discrete() | BagOverlap() | Inclusion():
            return True
        case Compare():
            return operator.goes_along
        case Multiply() | Average() | Threshold() | Subtract() | Normalize() | Select():
            return all(map(_by_itself, operator.inputs))
    return False
