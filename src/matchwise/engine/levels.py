"""Elements inside elements: the Σ of a collection, spread over what its elements hold.

Σ_events[δ_trig × Σ_args[φ]] is the sum over matched events of the sum over their matched arguments, so that it can be
told apart by what an argument has: by `args[].role`.
"""

from __future__ import annotations

from operator import mul
from typing import NamedTuple

from matchwise.algebra.nodes import Number, Selector
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.compound import Multiply
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.parts import Parts
from matchwise.engine.solvers.matching import Matched
from matchwise.errors import ExpressionError


class Level(NamedTuple):
    """Elements of both sides, what each of them counts by itself, and those that are matched, each with its share."""

    preds: Parts
    refs: Parts
    predicted: list[Number]
    reference: list[Number]
    matched: Matched


def split(sel: Selector) -> tuple[list[Selector], Selector]:
    """The collections on the way to a label, and the label: `args[].role` -> `[("args",)], ("role",)`."""
    levels: list[Selector] = []
    steps: list[object] = []
    for step in sel:
        if isinstance(step, str) and step.endswith("[]"):
            levels.append((*steps, step.removesuffix("[]")))  # type: ignore[arg-type]  # steps of a selector
            steps = []
        else:
            steps.append(step)
    return levels, tuple(steps)  # type: ignore[arg-type]


def inside(collection: BagOverlap | MatchElements, preds: Parts, refs: Parts, levels: list[Selector]) -> Level:
    """The elements of a collection, or of the collections inside it."""
    operator, matched = collection.inner, collection.aligned(preds, refs)
    if not levels:
        return Level(preds, refs, operator.selfs(preds), operator.selfs(refs), matched)
    predicted: list[Number] = [1] * len(preds)
    reference: list[Number] = [1] * len(refs)
    weights: list[Number] = [1] * len(matched)
    for sel in levels:
        inner, others = _factors(operator, sel)
        rows, columns = [i for i, _, _ in matched], [j for _, j, _ in matched]
        for factor in others:
            predicted, reference = _times(predicted, factor.selfs(preds)), _times(reference, factor.selfs(refs))
            weights = _times(weights, factor.probe(preds, refs, rows, columns))
        p, r = preds.flat(sel), refs.flat(sel)
        found = [
            (p.offsets[i] + a, r.offsets[j] + b, weight)
            for (i, j, _), weight in zip(matched, weights, strict=True)
            for a, b, _ in inner.aligned(p.of(i), r.of(j))
        ]
        matched, weights = found, [weight for _, _, weight in found]
        predicted, reference = [predicted[i] for i in p.owners()], [reference[j] for j in r.owners()]
        preds, refs, operator = p.parts, r.parts, inner.inner
    amounts = operator.probe(preds, refs, [i for i, _, _ in matched], [j for _, j, _ in matched]) if matched else []
    return Level(
        preds,
        refs,
        _times(predicted, operator.selfs(preds)),
        _times(reference, operator.selfs(refs)),
        [(i, j, weight * amount) for (i, j, _), weight, amount in zip(matched, weights, amounts, strict=True)],
    )


def _factors(operator: Operator, sel: Selector) -> tuple[BagOverlap | MatchElements, list[Operator]]:
    """The sum over the collection in question, and what it is multiplied by."""
    factors = [operator.first, *operator.rest] if isinstance(operator, Multiply) else [operator]
    sums = [factor for factor in factors if isinstance(factor, BagOverlap | MatchElements) and factor.sel == sel]
    if len(sums) != 1:
        raise ExpressionError(f"{operator.phi!r} is no product with one sum over {sel}")
    return sums[0], [factor for factor in factors if factor is not sums[0]]


def _times(some: list[Number], others: list[Number]) -> list[Number]:
    return list(map(mul, some, others))
