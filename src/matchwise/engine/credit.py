"""Where the credit comes from: the same Σ, split by field or by the label of an element.

Both readings follow one optimal matching, equal optima broken by content, so that no count depends on input order. The
law they keep: Σ_root = Σ_fields weight · right.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import takewhile
from math import fsum
from typing import Any

from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children
from matchwise.engine.keys import key
from matchwise.engine.levels import inside, split
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import Threshold
from matchwise.engine.operators.compound import Add, Multiply
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.operators.latent import LatentMatch, settled
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.operators.routing import ByCase, Recur, Select
from matchwise.engine.parts import Parts
from matchwise.engine.plan import Plan, Quantities, sides
from matchwise.engine.selection import join
from matchwise.errors import ExpressionError


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf path of a sum: how much there is on each side, how much of it met, how much was right."""

    weight: Number = 1
    right: Number = 0
    paired: Number = 0
    predicted: Number = 0
    reference: Number = 0

    @property
    def wrong(self) -> Number:
        return self.paired - self.right

    @property
    def missing(self) -> Number:
        return self.reference - self.paired

    @property
    def invented(self) -> Number:
        return self.predicted - self.paired

    def __add__(self, other: Field) -> Field:
        return Field(
            self.weight,
            self.right + other.right,
            self.paired + other.paired,
            self.predicted + other.predicted,
            self.reference + other.reference,
        )


def fields(plan: Plan, pred: Any, ref: Any) -> dict[str, Field]:
    """The fields of one document, by path (`lines[].price`), in the order in which the sum names them.

    What a field counts on one side is its share of Σ(x, x). Where a collection is best matched to itself part by part,
    that is the self-score of the part; elsewhere it is what the field adds when the side is compared with itself.
    """
    with sides(pred, ref) as (p, r):
        sigma, p, r = settled(plan.sigma(), p, r)
        found = _fields(sigma, p, r)
        if sigma.facts.self_score.holds:
            return found
        mine, theirs = (_fields(sigma, side, side, itself=True) for side in (p, r))
        return {
            path: replace(row, predicted=mine.get(path, Field()).right, reference=theirs.get(path, Field()).right)
            for path, row in found.items()
        }


def _fields(sigma: Operator, p: Parts, r: Parts, *, itself: bool = False) -> dict[str, Field]:
    found: dict[str, Field] = {}
    _walk(sigma, p, r, [0], [0], 1, "", found, itself)
    return found


def by_label(plan: Plan, sel: Selector, pred: Any, ref: Any) -> dict[Hashable, Quantities]:
    """The quantities of one document by the label of the elements of its outermost collection, or of one inside it.

    A matched pair adds to `matched` of the predicted element's label and to `recalled` of the reference's.
    """
    with sides(pred, ref) as (p, r):
        sigmas = plan.sums if plan.root == "sides" else (plan.sigma(),)
        precise, *recalled = (_sigma_by_label(plan, sigma, sel, p, r) for sigma in sigmas)
    if not recalled:
        return precise
    none = Quantities(0, 0, 0, 0)
    both = ((label, precise.get(label, none), recalled[0].get(label, none)) for label in {**precise, **recalled[0]})
    return {label: Quantities(one.matched, one.predicted, two.recalled, two.reference) for label, one, two in both}


def _sigma_by_label(plan: Plan, sigma: Operator, sel: Selector, p: Parts, r: Parts) -> dict[Hashable, Quantities]:
    before, collection = _collection(plan, sigma)
    _, p, r = settled(sigma, p, r)
    preds, refs = (side.select(before).flat(collection.sel).parts for side in (p, r))
    return _by_label(collection, preds, refs, sel)


def counts_part_by_part(collection: BagOverlap | MatchElements) -> bool:
    """Whether Σ(x, x) of a collection is the sum of the self-scores of its elements."""
    if isinstance(collection, MatchElements) and collection.by is not None:
        return True
    return collection.match != "N:N" and collection.inner.best_with_itself


def outermost_collection(plan: Plan) -> tuple[Selector, BagOverlap | MatchElements]:
    """The collection that the outermost Σ of a plan matches, and the path to the object that has it."""
    return _collection(plan, plan.sigma())


def _collection(plan: Plan, sigma: Operator) -> tuple[Selector, BagOverlap | MatchElements]:
    match sigma.inner if isinstance(sigma, LatentMatch) else sigma:
        case BagOverlap() | MatchElements() as collection:
            return (), collection
        case Select(sel=before, inner=BagOverlap() | MatchElements() as collection):
            return before, collection
    raise ExpressionError(f"{plan.phi!r} has no elements to break down: it is no overlap of a collection at its root")


def _by_label(
    collection: BagOverlap | MatchElements, preds: Parts, refs: Parts, sel: Selector
) -> dict[Hashable, Quantities]:
    levels, sel = split(sel)
    level = inside(collection, preds, refs, levels)
    mine, theirs = labels_of(level.preds, sel), labels_of(level.refs, sel)
    found: dict[Hashable, tuple[list[Number], ...]] = {label: ([], [], [], []) for label in (*mine, *theirs)}

    def add(label: Hashable, place: int, amount: Number) -> None:
        found[label][place].append(amount)

    if counts_part_by_part(collection):
        own = list(zip(mine, level.predicted, strict=True))
        others = list(zip(theirs, level.reference, strict=True))
    else:
        own = [(mine[i], amount) for i, _, amount in inside(collection, preds, preds, levels).matched]
        others = [(theirs[j], amount) for _, j, amount in inside(collection, refs, refs, levels).matched]
    for label, amount in own:
        add(label, 1, amount)
    for label, amount in others:
        add(label, 3, amount)
    for i, j, amount in level.matched:
        add(mine[i], 0, amount)
        add(theirs[j], 2, amount)
    return {label: Quantities(*map(_sum, amounts)) for label, amounts in found.items()}


def labels_of(parts: Parts, sel: Selector) -> list[Any]:
    """Labels as they are where they can be told apart, else their content."""
    return list(map(label, parts.select(sel).items))


def label(value: Any) -> Hashable:
    """A value as it is where it can be told apart, else its content."""
    return value if type(value) in (str, int, type(None)) else key(value)


def _walk(
    operator: Operator,
    preds: Parts,
    refs: Parts,
    rows: list[int],
    columns: list[int],
    weight: Number,
    path: str,
    found: dict[str, Field],
    itself: bool,
) -> None:
    """Add what `operator` sees of all `preds` and `refs`, of which the given pairs were matched.

    `itself` if both are one object, which `align_by` matches to itself part by part.
    """
    match operator:
        case Recur():
            assert operator.target is not None
            if preds.items or refs.items:
                p, r = preds.select(operator.sel), refs.select(operator.sel)
                _walk(operator.target, p, r, rows, columns, weight, join(path, operator.sel), found, itself)
        case Add():
            ones = preds.memo.get((operator, refs, "ones")) if len(preds) == len(refs) == len(rows) == 1 else None
            for number, term in enumerate(operator.terms):
                below = join(path, shared_steps(term.phi) if term.sel is None else term.sel)
                if (
                    ones is not None
                    and isinstance(term.operator, Discrete | Compare)
                    and term.operator.facts.unit.holds
                ):
                    n, m = len(term.present(preds)[0]), len(term.present(refs)[0])
                    _add(found, below, Field(weight * term.weight, ones[number], min(n, m), n, m))
                    continue
                _, p, a, r, b = operator.meeting(term, preds, refs, rows, columns)
                _walk(term.operator, p, r, a, b, weight * term.weight, below, found, itself)
        case BagOverlap():
            equal = _sum(operator.probe(preds, refs, rows, columns)) if rows else 0
            sizes = [len(parts.flat(operator.sel).parts) if parts.items else 0 for parts in (preds, refs)]
            _add(found, join(path, operator.sel) + "[]", Field(weight, equal, equal, *sizes))
        case MatchElements():
            _walk_elements(operator, preds, refs, rows, columns, weight, path, found, itself)
        case Multiply() if (split := conditions_of(operator)) is not None:
            conditions, inner = split
            for condition in conditions:
                met = [k for k, w in enumerate(condition.probe(preds, refs, rows, columns)) if w]
                rows, columns = [rows[k] for k in met], [columns[k] for k in met]
            _walk(inner, preds, refs, rows, columns, weight, path, found, itself)
        case ByCase():
            _walk_cases(operator, preds, refs, rows, columns, weight, path, found, itself)
        case _:
            if itself:
                right = [operator.selfs(preds)[i] for i in rows]
            else:
                right = operator.probe(preds, refs, rows, columns) if rows else []
            if operator.facts.unit.holds:
                _add(found, path, Field(weight, _sum(right), len(rows), len(preds), len(refs)))
                return
            xx, yy = operator.selfs(preds), operator.selfs(refs)
            paired = [min(xx[i], yy[j]) for i, j in zip(rows, columns, strict=True)]
            _add(found, path, Field(weight, _sum(right), _sum(paired), _sum(xx), _sum(yy)))


def shared_steps(phi: Similarity) -> Selector:
    """What a term without a selector of its own is about: the steps with which all its selectors begin."""
    if hasattr(phi, "sel"):
        return phi.sel  # type: ignore[no-any-return]
    found = [shared_steps(part) for part in children(phi)]
    return tuple(steps[0] for steps in takewhile(lambda steps: len(set(steps)) == 1, zip(*found, strict=False)))


def conditions_of(product: Multiply) -> tuple[list[Operator], Operator] | None:
    """The factors that are 0 or 1 (a key, a floor) and the sum whose parts they let pass, if that is all there is."""
    factors = (product.first, *product.rest)
    sums = [factor for factor in factors if isinstance(factor, Add | Recur)]
    conditions: list[Operator] = [factor for factor in factors if isinstance(factor, Discrete | Threshold)]
    return (conditions, sums[0]) if len(sums) == 1 and len(conditions) == len(factors) - 1 else None


def _walk_elements(
    operator: BagOverlap | MatchElements,
    preds: Parts,
    refs: Parts,
    rows: list[int],
    columns: list[int],
    weight: Number,
    path: str,
    found: dict[str, Field],
    itself: bool,
) -> None:
    sel = operator.sel
    p, r = preds.flat(sel), refs.flat(sel)
    a: list[int] = []
    b: list[int] = []
    itself = itself and isinstance(operator, MatchElements) and operator.by is not None
    if itself:
        a = b = list(range(len(p.parts)))
    else:
        for i, j in zip(rows, columns, strict=True):
            for x, y, _ in operator.aligned(p.of(i), r.of(j)):
                a.append(p.offsets[i] + x)
                b.append(r.offsets[j] + y)
    _walk(operator.inner, p.parts, r.parts, a, b, weight, join(path, sel) + "[]", found, itself)


def _walk_cases(
    operator: ByCase,
    preds: Parts,
    refs: Parts,
    rows: list[int],
    columns: list[int],
    weight: Number,
    path: str,
    found: dict[str, Field],
    itself: bool,
) -> None:
    mine, theirs = operator.members(preds), operator.members(refs)
    for number, inner in enumerate(operator.inputs):
        kept_p, p = mine.get(number, ([], preds.take([])))
        kept_r, r = theirs.get(number, ([], refs.take([])))
        at_p, at_r = {i: a for a, i in enumerate(kept_p)}, {j: b for b, j in enumerate(kept_r)}
        met = [(at_p[i], at_r[j]) for i, j in zip(rows, columns, strict=True) if i in at_p and j in at_r]
        if kept_p or kept_r:
            below = join(path, operator.sel)
            _walk(inner, p, r, [i for i, _ in met], [j for _, j in met], weight, below, found, itself)


def _add(found: dict[str, Field], path: str, field: Field) -> None:
    """Rows of one path and different weights stay apart, for Σ weight · right to be the whole."""
    if path in found and found[path].weight != field.weight:
        path = f"{path} (weight {field.weight})"
    found[path] = found[path] + field if path in found else field


def _sum(values: list[Number]) -> Number:
    return sum(values) if set(map(type, values)) <= {int} else fsum(values)
