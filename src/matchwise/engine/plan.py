"""From an expression to a plan: which operator runs each node, printable like SQL's EXPLAIN.

>>> from matchwise.algebra.build import eq, f1
>>> print(plan(f1("relations", eq("type") * eq("subj"))))
normalise f1                                                      O(n + m + non-zero)
└─ bag overlap 1:1, inverted index on eq("type") * eq("subj")     O(elements + non-zero)
   └─ hash join on eq("type") * eq("subj")                        O(n + m)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.facts import Scope, infer
from matchwise.algebra.nodes import Number, Scorer, Similarity
from matchwise.algebra.steps import Step, split_step
from matchwise.algebra.walk import check_metric, variables
from matchwise.engine.limits import Bounds, Limits, check_bounded, start_search
from matchwise.engine.many.frame import Frame, Vector, run_after
from matchwise.engine.many.operators.bag import BagOverlap, Inclusion
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.bracket import Average, HarmonicMean, Normalize, Subtract, Threshold
from matchwise.engine.many.operators.compound import Add, Multiply, Term
from matchwise.engine.many.operators.equality import Equality
from matchwise.engine.many.operators.leaf import Compare
from matchwise.engine.many.operators.matching import MatchElements, Tabulate
from matchwise.engine.many.operators.pairwise import CallFunction, MatchInOrder, MatchNodes
from matchwise.engine.many.operators.routing import BestElement, ByCase, Recur, Select
from matchwise.engine.one.build import evaluator
from matchwise.engine.one.evaluator import Evaluator
from matchwise.engine.one.parts import Part, compare
from matchwise.engine.rewrite import (
    drop_zero_subtraction,
    gather_keys,
    has_key,
    outermost,
    split_path,
    split_selector,
)
from matchwise.errors import ExpressionError

Result = TypeVar("Result")

Count = TypeVar("Count", bound=Number)


class CountColumns(NamedTuple, Generic[Count]):
    """The counts of several documents, one column for each number: P = matched / predicted, R = recalled / reference.

    `matched` and `recalled` are equal except where a metric counts its two sides by different equations (B³). A
    similarity without counts of its own adds its value, out of 1.
    """

    matched: Sequence[Count]
    predicted: Sequence[Count]
    reference: Sequence[Count]
    recalled: Sequence[Count]


class Quantities(NamedTuple):
    """The counts of one document (see `CountColumns`)."""

    matched: float
    predicted: float
    reference: float
    recalled: float


Root = Literal["counts", "sides", "value"]


class Plan:
    """How a similarity is computed. Equal sub-expressions of plans made together are computed once per document."""

    def __init__(self, phi: Similarity, planner: Planner) -> None:
        if variables(phi):
            raise ExpressionError(f"{phi!r} has variables that nothing matches; write latent({phi!r})")
        self.phi = phi
        self.step, bare = split_step(phi)
        """What is done to documents first; `count` and the operators take its result."""
        self.operator = planner.operator(bare, ())
        self.root: Root = "value"
        sigmas: tuple[Similarity, ...] = (bare,)
        match outermost(phi):
            case nodes.Normalized(inner=inner):
                self.root, sigmas = "counts", (inner,)
            case nodes.Overlap() | nodes.Sum() | nodes.Latent(nodes.Overlap() | nodes.Sum()):
                self.root = "counts"
            case nodes.Harmonic(nodes.Normalized("precision", p), nodes.Normalized("recall", r)):
                self.root, sigmas = "sides", (p, r)
        self.sums = tuple(planner.operator(sigma, ()) for sigma in sigmas)
        """What is counted of a document: the Σ below the outermost normaliser, one for each of the two `sides`."""
        self.one = evaluator(bare)
        """How one pair of objects is compared."""
        self.sides = tuple(evaluator(sigma) for sigma in sigmas)
        """What is counted of one pair of objects."""

    def score(self, pred: Any, ref: Any) -> float:
        """φ(pred, ref)."""
        return compare(self.step, self.one.score, pred, ref)

    def count_one(self, pred: Part, ref: Part) -> Quantities:
        """Count what two objects add, after the step."""
        if self.root == "value":
            value = self.one.score(pred, ref)
            return Quantities(value, 1.0, 1.0, value)
        p, r = self.sides[0], self.sides[-1]
        matched = p.score(pred, ref)
        return Quantities(matched, p.own(pred), r.own(ref), matched if p is r else r.score(pred, ref))

    def bounds(self, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0) -> Bounds:
        """φ(pred, ref) between two bounds, which are equal unless a limit stopped the search for the optimum.

        `time_limit` is in seconds; `gap` stops when upper − lower ≤ gap · upper.
        """
        with start_search(Limits(time_limit, gap)) as search:
            lower = self.score(pred, ref)
            if not search.open:
                return Bounds(lower, lower)
            check_bounded(self.phi)
            search.end = "upper"
            return Bounds(lower, self.score(pred, ref))

    def sigma(self) -> Operator:
        """The operator below the outermost normaliser."""
        return self.sums[0] if self.root == "counts" else self.operator

    def count(self, preds: Frame, refs: Frame) -> CountColumns[Number]:
        """Count what each document adds; the outermost normaliser is peeled, so that only its Σ is computed."""
        if self.root == "value":
            values = self.operator.of_documents(preds, refs)
            ones: Vector = np.ones(len(preds))
            return CountColumns(values, ones, ones, values)
        p, r = self.sums[0], self.sums[-1]
        matched = p.of_documents(preds, refs)
        recalled = matched if p is r else r.of_documents(preds, refs)
        return CountColumns(matched, p.self_scores(preds), r.self_scores(refs), recalled)

    def __str__(self) -> str:
        lines = [(_cut(line), cost) for line, cost in _lines("", "", "", self.operator, set())]
        if self.step is not None:
            lines = [(_cut(f"step {self.step!r}"), ""), *lines]
        width = max(len(line) for line, _ in lines) + 4
        return "\n".join(f"{line:<{width}} {cost}".rstrip() for line, cost in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from matchwise.sheets.html import write_preformatted

        return write_preformatted(str(self))


WIDTH = 120
"""The longest line of a plan; an ontology would have no end."""


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


@lru_cache(maxsize=1024)
def plan(phi: Similarity | Scorer) -> Plan:
    """Show how a metric will be computed, and what each step costs.

    >>> from matchwise import eq, f1, plan
    >>> print(plan(f1("relations", eq("type") * eq("subj"))))
    normalise f1                                                      O(n + m + non-zero)
    └─ bag overlap 1:1, inverted index on eq("type") * eq("subj")     O(elements + non-zero)
       └─ hash join on eq("type") * eq("subj")                        O(n + m)
    """
    return Plan(check_metric(phi, "plan()"), Planner())


@lru_cache(maxsize=1024)
def part(phi: Similarity) -> Operator:
    """The operator of a part of a similarity whose variables are matched further up."""
    return Planner().operator(phi, ())


def score(phi: Similarity | Scorer, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0) -> float:
    """Score one pair of objects: the optimum, or with a limit the best score found in time (see `Plan.bounds`).

    >>> import matchwise as mw
    >>> mw.score(mw.f1("mentions"), {"mentions": ["ab", "cd"]}, {"mentions": ["ab"]})
    0.6666666666666666
    """
    phi = check_metric(phi, "score()")
    if time_limit is None and not gap:
        return float(plan(phi).score(pred, ref))
    return float(plan(phi).bounds(pred, ref, time_limit=time_limit, gap=gap).lower)


class Program:
    """Several similarities of the same documents, sharing what they have in common."""

    def __init__(self, expressions: Mapping[str, Similarity]) -> None:
        planner = Planner()
        self.plans = {name: Plan(phi, planner) for name, phi in expressions.items()}
        self.after: dict[Step | None, list[str]] = {}
        """Which similarities come after which step: it is run once for all of them."""
        for name, one in self.plans.items():
            self.after.setdefault(one.step, []).append(name)

    def run(
        self, function: Callable[[list[str], Frame, Frame], Result], preds: list[Any], refs: list[Any]
    ) -> list[Result]:
        """Run a function after each step: it gets the names of the similarities after that step, and both sides."""
        return [run_after(step, partial(function, names), preds, refs) for step, names in self.after.items()]

    def count_one(self, pred: Any, ref: Any) -> list[float]:
        """The counts of one document under each similarity, one after the other."""
        found: dict[str, Quantities] = {}
        for step, names in self.after.items():
            found |= compare(step, partial(self._count_parts, names), pred, ref)
        return [number for name in self.plans for number in found[name]]

    def _count_parts(self, names: list[str], pred: Part, ref: Part) -> dict[str, Quantities]:
        return {name: self.plans[name].count_one(pred, ref) for name in names}

    def count_all(self, preds: list[Any], refs: list[Any]) -> dict[str, CountColumns[Number]]:
        """The counts of each similarity, document by document."""
        found: dict[str, CountColumns[Number]] = {}
        for counted in self.run(self.count_some, preds, refs):
            found |= counted
        return found

    def count(self, preds: Frame, refs: Frame) -> list[CountColumns[Number]]:
        """Count all similarities, given both sides after the step that they share."""
        return [one.count(preds, refs) for one in self.plans.values()]

    def count_some(self, names: list[str], preds: Frame, refs: Frame) -> dict[str, CountColumns[Number]]:
        """Count the similarities that share a step."""
        return {name: self.plans[name].count(preds, refs) for name in names}


@lru_cache(maxsize=256)
def program(expressions: tuple[tuple[str, Similarity], ...]) -> Program:
    """The plans of several similarities, given with their names; made once for equal ones."""
    return Program(dict(expressions))


class Planner:
    """Chooses an operator for each node, the same one for equal nodes."""

    def __init__(self) -> None:
        self._made: dict[tuple[Similarity, Scope], Operator] = {}
        self._open: list[tuple[str, list[Recur]]] = []
        self._bodies: dict[str, Similarity] = {}

    def operator(self, phi: Similarity, scope: Scope) -> Operator:
        phi = drop_zero_subtraction(phi)
        if isinstance(phi, nodes.Again):
            return self._again(phi, scope)
        made = self._made.get((phi, scope))
        if made is None:
            made = self._choose(phi, scope)
            made.facts = infer(phi, scope)
            self._made[phi, scope] = made
        return made

    def _choose(self, phi: Similarity, scope: Scope) -> Operator:
        if has_key(phi, scope):
            return Equality(phi)
        match phi:
            case nodes.Leaf():
                return Compare(phi)
            case nodes.Custom():
                return CallFunction(phi, self._pair(phi))
            case nodes.Product():
                key, rest = gather_keys(phi)
                factors = [self.operator(factor, scope) for factor in rest]
                factors.sort(key=lambda factor: factor.dense)  # join where a join is possible
                first = () if key is None else (self.operator(key, scope),)
                return Multiply(phi, *first, *factors)
            case nodes.Sum(terms):
                return Add(phi, [self._term(weight, part, scope) for weight, part in terms])
            case nodes.Mean(terms):
                return Average(phi, *(self.operator(part, scope) for _, part in terms))
            case nodes.Overlap():
                return self._overlap(phi, scope)
            case nodes.Normalized(inner=inner):
                return Normalize(phi, self.operator(inner, scope))
            case nodes.Harmonic(precision, recall):
                return HarmonicMean(phi, self.operator(precision, scope), self.operator(recall, scope))
            case nodes.Above(inner=inner):
                return Threshold(phi, self.operator(inner, scope))
            case nodes.Minus(inner=inner):
                return Subtract(phi, self.operator(inner, scope))
            case nodes.Union(cases=cases):
                return ByCase(phi, *(self.operator(inner, scope) for _, inner in cases))
            case nodes.Best(inner=inner):
                return BestElement(phi, self.operator(inner, scope))
            case nodes.Contingency(sel=sel, inner=inner):
                if len(sel) > 1:
                    before, last = split_path(phi)
                    return Select(phi, before, self.operator(last, scope))
                return Tabulate(phi, self.operator(inner, scope))
            case nodes.Subset():
                element = self.operator(nodes.Eq(), scope)
                assert isinstance(element, Equality)
                return Inclusion(phi, element)
            case nodes.Recursive():
                return self._recursive(phi, scope)
            case nodes.Latent():
                return self._latent(phi, scope)
        raise AssertionError(f"no operator for {type(phi).__name__}")

    def _overlap(self, phi: nodes.Overlap, scope: Scope) -> Operator:
        if phi.order in ("tree", "graph"):
            if phi.align_by is not None:
                raise ExpressionError(f'align_by does not go with order="{phi.order}": {phi!r}; leave one of them out')
            return MatchNodes(phi, self._pair(phi), self.operator(phi.inner, scope))
        if len(phi.sel) > 1:
            before, last = split_path(phi)
            return Select(phi, before, self.operator(last, scope))
        inner = self.operator(phi.inner, scope)
        if isinstance(inner, Equality) and phi.order == "bag" and phi.align_by is None:
            return BagOverlap(phi, inner)
        if phi.order == "bag" and phi.align_by is None:
            return MatchElements(phi, inner)
        by = None if phi.align_by is None else self.operator(phi.align_by, scope)
        return MatchInOrder(phi, self._pair(phi), inner, by)

    def _pair(self, phi: Similarity) -> Evaluator:
        """How one pair of objects is compared, inside of the recursive similarities around φ."""
        return evaluator(phi, tuple(reversed(self._bodies.items())))

    def _latent(self, phi: nodes.Latent, scope: Scope) -> Operator:
        rooted = outermost(phi)
        match rooted:
            case nodes.Normalized(inner=inner):
                made: Operator = Normalize(rooted, self.operator(inner, scope))
            case nodes.Above(inner=inner):
                made = Threshold(rooted, self.operator(inner, scope))
            case nodes.Minus(inner=inner):
                made = Subtract(rooted, self.operator(inner, scope))
            case nodes.Latent(inner):
                if not variables(inner):
                    return self.operator(inner, scope)
                from matchwise.engine.many.operators.latent import LatentMatch
                from matchwise.engine.one.latent import relax

                relaxed = self.operator(relax(inner), scope)
                made = LatentMatch(rooted, self.operator(inner, scope), relaxed, self._pair(rooted))
            case _:
                raise AssertionError(f"no operator for {rooted!r}")
        made.phi = phi
        return made

    def _term(self, weight: Number, part: Similarity, scope: Scope) -> Term:
        sel, bare = split_selector(part)
        return Term(weight, part, sel, self.operator(bare, scope))

    def _recursive(self, phi: nodes.Recursive, scope: Scope) -> Operator:
        bare = nodes.Recursive(phi.name, phi.inner)
        returns: list[Recur] = []
        self._open.append((phi.name, returns))
        outer, self._bodies = self._bodies, {**self._bodies, phi.name: phi.inner}
        target = self.operator(phi.inner, ((phi.name, infer(bare, scope)), *scope))
        self._open.pop()
        self._bodies = outer
        for back in returns:
            back.target = target
        return Recur(phi, target)

    def _again(self, phi: nodes.Again, scope: Scope) -> Operator:
        for name, returns in reversed(self._open):
            if name == phi.name:
                made = Recur(phi)
                made.facts = infer(phi, scope)
                returns.append(made)
                return made
        raise ExpressionError(f"{phi!r} has no recursive({phi.name!r}, …) around it")


def _lines(lead: str, stem: str, place: str, operator: Operator, seen: set[Operator]) -> Iterator[tuple[str, str]]:
    detail = operator.detail()
    shared = operator in seen and bool(operator.inputs)
    text = f"{lead}{place + ': ' if place else ''}{operator.verb}{' ' + detail if detail else ''}"
    yield text + (" (shared, see above)" if shared else ""), operator.cost()
    seen.add(operator)
    inputs: Iterable[tuple[str, Operator]] = () if shared else operator.children()
    listed = list(inputs)
    for number, (name, child) in enumerate(listed, start=1):
        branch, below = ("└─ ", "   ") if number == len(listed) else ("├─ ", "│  ")
        yield from _lines(stem + branch, stem + below, name, child, seen)
