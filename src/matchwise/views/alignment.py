"""Which part was matched with which: a tree of pairs with scores, values and the path of each on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Number, Product, Similarity
from matchwise.algebra.walk import check_metric
from matchwise.engine.limits import Limits, start_search
from matchwise.engine.many.batch import run_after
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.bracket import HarmonicMean, Normalize, Subtract, Threshold
from matchwise.engine.many.operators.compound import Add, Average, Multiply
from matchwise.engine.many.operators.equality import Equality
from matchwise.engine.many.operators.latent import LatentMatch, Matching, condition
from matchwise.engine.many.operators.matching import MatchElements
from matchwise.engine.many.operators.routing import BestElement, ByCase, Recur, Select
from matchwise.engine.many.operators.searched import cells_of
from matchwise.engine.many.operators.structure import MatchNodes
from matchwise.engine.plan import Plan, part, plan
from matchwise.engine.solve.cells import exact_sum
from matchwise.records import record, replace
from matchwise.views.html import STYLE, to_html
from matchwise.views.model import View, view_of
from matchwise.views.text import to_text
from matchwise.views.values import number, plain

AlignmentKind: TypeAlias = Literal["leaf", "match", "sum", "product", "mean", "normalize", "bracket", "latent"]


@record
class UnmatchedPart:
    """A part of one side that no part of the other side was matched with; `score` is what it was worth."""

    path: str
    value: Any
    score: Number


@record(repr=False)
class Alignment:
    """The score of two objects, with the pairs of parts that it is made of.

    match      score = Σ score of the pairs: the elements of two collections
    sum        score = Σ weight · score of the pairs: the fields of two records
    product    score = Π score of the pairs
    mean       score from two or more pairs of the same objects (weighted or harmonic mean)
    normalize  score from the one pair beneath it and the two self-scores
    bracket    score is a function of the one pair beneath it
    latent     score is that of the one pair beneath it, under the matching of `variables`
    leaf       two values

    >>> from matchwise import align, f1
    >>> alignment = align(f1("xs"), {"xs": ["a", "b"]}, {"xs": ["a"]})
    >>> alignment.score
    0.6666666666666666
    """

    kind: AlignmentKind
    text: str
    score: Number
    pred_path: str
    ref_path: str
    pred: Any
    ref: Any
    pairs: tuple[Alignment, ...] = ()
    missed: tuple[UnmatchedPart, ...] = ()
    spurious: tuple[UnmatchedPart, ...] = ()
    weight: Number = 1
    predicted: Number = 1
    reference: Number = 1
    variables: tuple[tuple[str, Any, Any], ...] = ()
    """The matched variables of `latent`: space, predicted name, reference name."""
    proved: bool = True
    """Whether no better alignment was left out by a limit."""

    def __iter__(self) -> Iterator[Alignment]:
        """The matched elements of the outermost collection (or the fields of the outermost record)."""
        return iter(self.inner.pairs)

    @property
    def inner(self) -> Alignment:
        """The alignment beneath normalisers and brackets."""
        below = self
        while below.kind in ("normalize", "bracket", "latent") and below.pairs:
            below = below.pairs[0]
        return below

    def walk(self) -> Iterator[Alignment]:
        """This pair and all pairs inside it."""
        yield self
        for pair in self.pairs:
            yield from pair.walk()

    def leaves(self) -> Iterator[Alignment]:
        """All pairs of values."""
        return (pair for pair in self.walk() if pair.kind == "leaf")

    def to_dict(self) -> dict[str, Any]:
        """The whole tree as plain data."""
        matched = [{"space": space, "pred": plain(x), "ref": plain(y)} for space, x, y in self.variables]
        return {
            "kind": self.kind,
            "similarity": self.text,
            "score": float(self.score),
            "weight": float(self.weight),
            "predicted": float(self.predicted),
            "reference": float(self.reference),
            "pred": {"path": self.pred_path, "value": plain(self.pred)},
            "ref": {"path": self.ref_path, "value": plain(self.ref)},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "missed": [_part(part) for part in self.missed],
            "spurious": [_part(part) for part in self.spurious],
            **({"variables": matched} if self.kind == "latent" else {}),
            **({} if self.proved else {"proved": False}),
        }

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def view(self) -> View:
        """The alignment as people see it."""
        return view_of(self)

    def __str__(self) -> str:
        return to_text(self.view())

    def __repr__(self) -> str:
        return f"<Alignment {number(self.score)}: {self.view().why}>"

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>{to_html(self.view())}"


def _part(part: UnmatchedPart) -> dict[str, Any]:
    return {"path": part.path, "value": plain(part.value), "score": float(part.score)}


def align(phi: Similarity, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0) -> Alignment:
    """Show the best matching behind a score, down to the leaves; with a limit, the best that was found in time.

    >>> from matchwise.algebra.build import eq, f1
    >>> relation = eq("type") * eq("subj")
    >>> print(align(f1("rels", relation), {"rels": [{"type": "a", "subj": 1}]}, {"rels": []}))
    f1("rels", eq("type") * eq("subj")) 0   1 spurious
    0 matched, 1 predicted, 0 reference
               predicted       reference
    + rels[0]  type a, subj 1
    """
    check_metric(phi, "align()")
    limits = Limits(time_limit, gap)
    if not limits:
        return build_alignment(plan(phi), pred, ref)
    with start_search(limits) as search:
        found = build_alignment(plan(phi), pred, ref)
        return replace(found, proved=not search.open)


def build_alignment(made: Plan, pred: Any, ref: Any) -> Alignment:
    return run_after(made.step, lambda p, r: _pair(made.operator, p, r), [pred], [ref])


def _pair(operator: Operator, p: Frame, r: Frame, weight: Number = 1, *, counted: bool = False) -> Alignment:
    """Two frames of one object each; `counted` if they are parts of a sum, which has the self-scores of its parts."""
    match operator:
        case Normalize():
            below = _pair(operator.inner, p, r, counted=True)
            score = operator.value(below.score, operator.inner.own(p), operator.inner.own(r))
            return _node("normalize", operator, p, r, score, weight, (below,), counted=True)
        case Threshold() | Subtract():
            below = _pair(operator.inner, p, r, counted=counted)
            changed = operator.passes(below.score) if isinstance(operator, Threshold) else operator.cut(below.score)
            return _node("bracket", operator, p, r, changed, weight, (below,), counted=counted)
        case LatentMatch():
            matching = operator.solve(p, r).matching
            below = _pair(operator.inner, *condition(p, r, matching), counted=counted)
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
            us, vs = operator.nodes(p).flat.frame, operator.nodes(r).flat.frame
            found = [(i, j) for i, j, _ in operator.solve(p, r).matched]
            return _match_elements(operator, us, vs, found, p, r, weight)
        case BestElement():
            return _best(operator, p, r, weight, counted)
        case ByCase():
            mine, theirs = operator.members(p), operator.members(r)
            (case,) = mine
            if case in theirs:
                below = _pair(operator.inputs[case], mine[case][1], theirs[case][1], counted=counted)
                return _node("bracket", operator, p, r, below.score, weight, (below,), counted=counted)
            return _leaf(operator, p, r, weight, counted=counted)
        case Equality(phi=Product(factors)):
            pairs = tuple(_leaf(part(factor), p, r) for factor in factors)
            return _node("product", operator, p, r, int(all(pair.score for pair in pairs)), weight, pairs)
    return _leaf(operator, p, r, weight, counted=counted)


def _factor(product: Multiply, phi: Similarity, p: Frame, r: Frame, counted: bool) -> Alignment:
    """One factor alone, though the plan joins several equalities into one key."""
    for operator in product.rest:
        if operator.phi == phi:
            return _pair(operator, p, r, counted=counted)
    return _pair(product.first if product.first.phi == phi else part(phi), p, r, counted=counted)


def _leaf(operator: Operator, p: Frame, r: Frame, weight: Number = 1, *, counted: bool = False) -> Alignment:
    """A leaf shows the values that it selects."""
    sel = getattr(operator.phi, "sel", ())
    made = _node("leaf", operator, p, r, operator.one(p, r), weight, counted=counted)
    if not sel:
        return made
    mine, theirs = p.select(sel), r.select(sel)
    return replace(made, pred_path=mine.path(0), ref_path=theirs.path(0), pred=mine.items[0], ref=theirs.items[0])


def _full(operator: Operator, frame: Frame, counted: bool) -> Number:
    """φ(x, x), or 1 where φ is a value out of 1: there a user's function is given a prediction and a reference only."""
    return operator.own(frame) if counted or not operator.facts.bounded else 1


def _node(
    kind: AlignmentKind,
    operator: Operator,
    p: Frame,
    r: Frame,
    score: Number,
    weight: Number,
    pairs: tuple[Alignment, ...] = (),
    missed: tuple[UnmatchedPart, ...] = (),
    spurious: tuple[UnmatchedPart, ...] = (),
    *,
    counted: bool = False,
) -> Alignment:
    sides = (p.path(0), r.path(0), p.items[0], r.items[0])
    full = (_full(operator, p, counted), _full(operator, r, counted))
    variables = pairs[0].variables if kind in ("normalize", "bracket") and pairs else ()
    return Alignment(kind, operator.text, score, *sides, pairs, missed, spurious, weight, *full, variables)


def _variables(matching: Matching) -> tuple[tuple[str, Any, Any], ...]:
    return tuple((space, x, y) for space in sorted(matching) for x, y in matching[space])


def _sum(operator: Add, p: Frame, r: Frame, weight: Number) -> Alignment:
    pairs: list[Alignment] = []
    missed: list[UnmatchedPart] = []
    spurious: list[UnmatchedPart] = []
    for term in operator.terms:
        (_, mine), (_, theirs) = term.present(p), term.present(r)
        has_p, has_r = len(mine), len(theirs)
        if has_p and has_r:
            pairs.append(_pair(term.operator, mine, theirs, term.weight, counted=True))
        elif has_r:
            missed += _list_unmatched(term.operator, theirs, [0], term.weight)
        elif has_p:
            spurious += _list_unmatched(term.operator, mine, [0], term.weight)
    score = operator.one(p, r) if not pairs else exact_sum([pair.weight * pair.score for pair in pairs])
    return _node("sum", operator, p, r, score, weight, tuple(pairs), tuple(missed), tuple(spurious), counted=True)


def _elements(operator: BagOverlap | MatchElements, p: Frame, r: Frame, weight: Number) -> Alignment:
    us, vs = p.flat(operator.sel).frame, r.flat(operator.sel).frame
    place = np.arange(1)
    chosen = operator.chosen(p, r, place, place)
    found = list(zip(chosen.a.tolist(), chosen.b.tolist(), strict=True))
    return _match_elements(operator, us, vs, found, p, r, weight)


def _match_elements(
    operator: BagOverlap | MatchElements | MatchNodes,
    us: Frame,
    vs: Frame,
    found: list[tuple[int, int]],
    p: Frame,
    r: Frame,
    weight: Number,
) -> Alignment:
    """The pairs of elements that were found, and the elements that have none."""
    pairs = tuple(_element_pair(operator.inner, us, i, vs, j, counted=True) for i, j in found)
    met_p, met_r = {i for i, _ in found}, {j for _, j in found}
    missed = _list_unmatched(operator.inner, vs, [j for j in range(len(vs)) if j not in met_r])
    spurious = _list_unmatched(operator.inner, us, [i for i in range(len(us)) if i not in met_p])
    score = exact_sum([pair.score for pair in pairs])
    return _node("match", operator, p, r, score, weight, pairs, missed, spurious, counted=True)


def _element_pair(operator: Operator, us: Frame, i: int, vs: Frame, j: int, *, counted: bool) -> Alignment:
    """Two elements, over lists while they are short; what is known of their parts is found again."""
    return _pair(operator, us.single(i), vs.single(j), counted=counted)


def _best(operator: BestElement, p: Frame, r: Frame, weight: Number, counted: bool) -> Alignment:
    us, vs = p.several(operator.sel).frame, r.several(operator.sel).frame
    first_p, first_r = (side.sort_by_content([list(range(len(side)))])[0] for side in (us, vs))
    rank_p, rank_r = ({place: rank for rank, place in enumerate(order)} for order in (first_p, first_r))
    cells = [(w, -rank_p[i], -rank_r[j]) for i, j, w in cells_of(operator.inner, us, vs)]
    if not cells:
        return _node("bracket", operator, p, r, 0, weight, (), counted=counted)
    score, i, j = max(cells)  # equal pairs are told apart by content
    chosen = _element_pair(operator.inner, us, first_p[-i], vs, first_r[-j], counted=counted)
    return _node("bracket", operator, p, r, score, weight, (chosen,), counted=counted)


def _list_unmatched(
    operator: Operator, frame: Frame, places: list[int], weight: Number = 1
) -> tuple[UnmatchedPart, ...]:
    own = operator.self_scores(frame).tolist() if places else []
    return tuple(UnmatchedPart(frame.path(place), frame.items[place], weight * own[place]) for place in places)
