"""From a plan and two objects to their alignment: the same operators, asked which pairs they took."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from matchwise.algebra.nodes import Number, Product, Similarity
from matchwise.alignment.alignment import Alignment, Kind, Part
from matchwise.engine.limits import Limits, searching
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import HarmonicMean, Normalize, Subtract, Threshold
from matchwise.engine.operators.compound import Add, Average, Multiply
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.operators.latent import LatentMatch, Matching, conditioned
from matchwise.engine.operators.matching import BestElement, MatchElements
from matchwise.engine.operators.routing import ByCase, Recur, Select
from matchwise.engine.operators.structure import MatchNodes
from matchwise.engine.order import content_order
from matchwise.engine.parts import Parts
from matchwise.engine.plan import Plan, part, plan, sides
from matchwise.engine.solvers.matching import Matched


def align(phi: Similarity, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0) -> Alignment:
    """The optimal matching behind φ(pred, ref), down to the leaves; with a limit, the best that was found within it.

    >>> from matchwise.algebra.build import eq, f1
    >>> relation = eq("type") * eq("subj")
    >>> print(align(f1("rels", relation), {"rels": [{"type": "a", "subj": 1}]}, {"rels": []}))
    f1("rels", eq("type") * eq("subj")) = 0   (0 matched, 1 predicted, 0 reference)
    + rels[0]  0/1  spurious  {'type': 'a', 'subj': 1}
    """
    limits = Limits(time_limit, gap)
    if not limits:
        return aligned(plan(phi), pred, ref)
    with searching(limits) as search:
        found = aligned(plan(phi), pred, ref)
        return replace(found, proved=not search.open)


def aligned(made: Plan, pred: Any, ref: Any) -> Alignment:
    with sides(pred, ref) as (p, r):
        return _pair(made.operator, p, r)


def _pair(operator: Operator, p: Parts, r: Parts, weight: Number = 1, *, counted: bool = False) -> Alignment:
    """Two lists of one object each; `counted` if they are parts of a sum, which has the self-scores of its parts."""
    match operator:
        case Normalize():
            below = _pair(operator.inner, p, r, counted=True)
            score = operator.value(below.score, operator.inner.selfs(p)[0], operator.inner.selfs(r)[0])
            return _node("normalize", operator, p, r, score, weight, (below,), counted=True)
        case Threshold() | Subtract():
            below = _pair(operator.inner, p, r, counted=counted)
            changed = operator.passes(below.score) if isinstance(operator, Threshold) else operator.cut(below.score)
            return _node("bracket", operator, p, r, changed, weight, (below,), counted=counted)
        case LatentMatch():
            matching = operator.solve(p, r).matching
            below = _pair(operator.inner, *conditioned(p, r, matching), counted=counted)
            made = _node("latent", operator, p, r, below.score, weight, (below,), counted=counted)
            return replace(made, variables=_variables(matching))
        case Recur():
            assert operator.target is not None
            return _pair(operator.target, p.select(operator.sel), r.select(operator.sel), weight, counted=counted)
        case Select():
            return _pair(operator.inner, p.select(operator.sel), r.select(operator.sel), weight, counted=counted)
        case Add():
            return _sum(operator, p, r, weight)
        case Multiply():
            pairs = tuple(_factor(operator, factor, p, r, counted) for factor in operator.phi.factors)
            return _node("product", operator, p, r, prod(pair.score for pair in pairs), weight, pairs, counted=counted)
        case Average() | HarmonicMean():
            pairs = tuple(_pair(part, p, r, counted=counted) for part in operator.inputs)
            return _node("mean", operator, p, r, operator.one(p, r), weight, pairs, counted=counted)
        case BagOverlap() | MatchElements():
            return _elements(operator, p, r, weight)
        case MatchNodes():
            us, vs = operator.nodes(p).flat.parts, operator.nodes(r).flat.parts
            return _matched(operator, us, vs, operator.solve(p, r).matched, p, r, weight)
        case BestElement():
            return _best(operator, p, r, weight, counted)
        case ByCase():
            mine, theirs = operator.members(p), operator.members(r)
            (case,) = mine
            if case in theirs:
                below = _pair(operator.inputs[case], mine[case][1], theirs[case][1], counted=counted)
                return _node("bracket", operator, p, r, below.score, weight, (below,), counted=counted)
            return _leaf(operator, p, r, weight, counted=counted)
        case Discrete(phi=Product(factors)):
            pairs = tuple(_leaf(part(factor), p, r) for factor in factors)
            return _node("product", operator, p, r, int(all(pair.score for pair in pairs)), weight, pairs)
    return _leaf(operator, p, r, weight, counted=counted)


def _factor(product: Multiply, phi: Similarity, p: Parts, r: Parts, counted: bool) -> Alignment:
    """A factor by itself, though the plan joins several equalities into one key."""
    for operator in product.rest:
        if operator.phi == phi:
            return _pair(operator, p, r, counted=counted)
    return _pair(product.first if product.first.phi == phi else part(phi), p, r, counted=counted)


def _leaf(operator: Operator, p: Parts, r: Parts, weight: Number = 1, *, counted: bool = False) -> Alignment:
    """A leaf shows the values that it selects."""
    sel = getattr(operator.phi, "sel", ())
    mine, theirs = p.select(sel), r.select(sel)
    return Alignment(
        "leaf",
        repr(operator.phi),
        operator.one(p, r),
        mine.path(0),
        theirs.path(0),
        mine.items[0],
        theirs.items[0],
        weight=weight,
        predicted=_full(operator, p, counted),
        reference=_full(operator, r, counted),
    )


def _full(operator: Operator, parts: Parts, counted: bool) -> Number:
    """φ(x, x), or 1 where φ is a value out of 1: there a user's function is given a prediction and a reference only."""
    return operator.selfs(parts)[0] if counted or not operator.facts.bounded else 1


def _node(
    kind: Kind,
    operator: Operator,
    p: Parts,
    r: Parts,
    score: Number,
    weight: Number,
    pairs: tuple[Alignment, ...],
    missed: tuple[Part, ...] = (),
    spurious: tuple[Part, ...] = (),
    *,
    counted: bool = False,
) -> Alignment:
    predicted, reference = _full(operator, p, counted), _full(operator, r, counted)
    return Alignment(
        kind,
        repr(operator.phi),
        score,
        p.path(0),
        r.path(0),
        p.items[0],
        r.items[0],
        pairs,
        missed,
        spurious,
        weight,
        predicted,
        reference,
        pairs[0].variables if kind in ("normalize", "bracket") and pairs else (),
    )


def _variables(matching: Matching) -> tuple[tuple[str, Any, Any], ...]:
    return tuple((space, x, y) for space in sorted(matching) for x, y in matching[space])


def _sum(operator: Add, p: Parts, r: Parts, weight: Number) -> Alignment:
    pairs, missed, spurious = [], [], []
    for term in operator.terms:
        (has_p, mine), (has_r, theirs) = term.present(p), term.present(r)
        if has_p and has_r:
            pairs.append(_pair(term.operator, mine, theirs, term.weight, counted=True))
        elif has_r:
            missed.append(_unmatched(term.operator, theirs, 0, term.weight))
        elif has_p:
            spurious.append(_unmatched(term.operator, mine, 0, term.weight))
    score = operator.one(p, r) if not pairs else _total([pair.weight * pair.score for pair in pairs])
    return _node("sum", operator, p, r, score, weight, tuple(pairs), tuple(missed), tuple(spurious), counted=True)


def _elements(operator: BagOverlap | MatchElements, p: Parts, r: Parts, weight: Number) -> Alignment:
    us, vs = p.flat(operator.sel).parts, r.flat(operator.sel).parts
    return _matched(operator, us, vs, operator.aligned(us, vs), p, r, weight)


def _matched(
    operator: BagOverlap | MatchElements | MatchNodes,
    us: Parts,
    vs: Parts,
    found: Matched,
    p: Parts,
    r: Parts,
    weight: Number,
) -> Alignment:
    """The pairs of elements that were found, and the elements that have none."""
    pairs = tuple(_pair(operator.inner, us.take([i]), vs.take([j]), counted=True) for i, j, _ in found)
    met_p, met_r = {i for i, _, _ in found}, {j for _, j, _ in found}
    missed = tuple(_unmatched(operator.inner, vs, j) for j in range(len(vs)) if j not in met_r)
    spurious = tuple(_unmatched(operator.inner, us, i) for i in range(len(us)) if i not in met_p)
    score = _total([pair.score for pair in pairs])
    return _node("match", operator, p, r, score, weight, pairs, missed, spurious, counted=True)


def _best(operator: BestElement, p: Parts, r: Parts, weight: Number, counted: bool) -> Alignment:
    us, vs = p.several(operator.sel).parts, r.several(operator.sel).parts
    from matchwise.engine.pairs import as_table

    first_p, first_r = content_order(us.items), content_order(vs.items)  # equal pairs are told apart by content
    table = as_table(operator.inner.pairs(us.take(first_p), vs.take(first_r)))
    cells = [(w, -i, -j) for i, row in enumerate(table) for j, w in row.items()]
    if not cells:
        return _node("bracket", operator, p, r, 0, weight, (), counted=counted)
    score, i, j = max(cells)
    chosen = _pair(operator.inner, us.take([first_p[-i]]), vs.take([first_r[-j]]), counted=counted)
    return _node("bracket", operator, p, r, score, weight, (chosen,), counted=counted)


def _unmatched(operator: Operator, parts: Parts, index: int, weight: Number = 1) -> Part:
    return Part(parts.path(index), parts.items[index], weight * operator.selfs(parts)[index])


def _total(values: list[Number]) -> Number:
    from matchwise.engine.solvers.matching import exact_sum

    return exact_sum(values)
