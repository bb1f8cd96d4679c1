"""A plan: how a metric is scored and counted, one pair or a batch, printable like SQL's EXPLAIN."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Number, Scorer, Similarity
from matchwise.algebra.steps import Step, split_step
from matchwise.algebra.walk import check_metric, variables
from matchwise.engine.limits import Bounds, Limits, check_bounded, start_search
from matchwise.engine.many.frame import Frame, both_sides
from matchwise.engine.many.kernels import Vector
from matchwise.engine.one.parts import Part, compare
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.operator import Operator
from matchwise.engine.rewrite import outermost
from matchwise.errors import ExpressionError

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


Root = Literal["counts", "sides", "value"]


class Plan:
    """How a similarity is computed. Equal sub-expressions of several plans are computed once per document."""

    def __init__(self, phi: Similarity) -> None:
        if variables(phi):
            raise ExpressionError(f"{phi!r} has variables that nothing matches; write latent({phi!r})")
        self.phi = phi
        self.step, bare = split_step(phi)
        """What is done to documents first; `count` and the operators take its result."""
        self.operator = operator(bare)
        """How one pair of objects is compared, and how many are."""
        self.root: Root = "value"
        sigmas: tuple[Similarity, ...] = (bare,)
        match outermost(phi):
            case nodes.Normalized(inner=inner) as root if root.is_counted:
                self.root, sigmas = "counts", (inner,)
            case nodes.Overlap() | nodes.Sum() | nodes.Latent(nodes.Overlap() | nodes.Sum()):
                self.root = "counts"
            case nodes.Harmonic(nodes.Normalized("precision", p), nodes.Normalized("recall", r)):
                self.root, sigmas = "sides", (p, r)
        self.sides = tuple(map(operator, sigmas))
        """What is counted of a document: the Σ below the outermost normaliser, one for P and one for R of `sides`."""

    def score(self, pred: Any, ref: Any) -> float:
        """φ(pred, ref)."""
        return compare(self.step, self.operator.score, pred, ref)

    def score_all(self, preds: Sequence[Any], refs: Sequence[Any]) -> list[float]:
        """φ of the prediction and the reference of each document."""
        with both_sides(list(preds), list(refs), self.step) as (mine, theirs):
            places = np.arange(len(mine))
            found: list[float] = self.operator.at(mine, theirs, places, places).tolist()
        return found

    def count_one(self, pred: Part, ref: Part) -> tuple[float, float, float, float]:
        """Count what two objects add, after the step: one number for each of the `CountColumns`."""
        if self.root == "value":
            value = self.operator.score(pred, ref)
            return value, 1.0, 1.0, value
        p, r = self.sides[0], self.sides[-1]
        matched = p.score(pred, ref)
        return matched, p.own(pred), r.own(ref), matched if p is r else r.score(pred, ref)

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
        return self.sides[0] if self.root == "counts" else self.operator

    def count(self, preds: Frame, refs: Frame) -> CountColumns[Number]:
        """Count what each document adds; the outermost normaliser is peeled, so that only its Σ is computed."""
        p, r = self.sides[0], self.sides[-1]
        places = np.arange(len(preds))
        matched = p.at(preds, refs, places, places)
        if self.root == "value":
            ones: Vector = np.ones(len(preds))
            return CountColumns(matched, ones, ones, matched)
        recalled = matched if p is r else r.at(preds, refs, places, places)
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

    >>> import matchwise as mw
    >>> print(mw.plan(mw.f1("relations", mw.eq("type") * mw.eq("subj"))))
    normalise f1                                                      O(n + m + non-zero)
    └─ bag overlap 1:1, inverted index on eq("type") * eq("subj")     O(elements + non-zero)
       └─ hash join on eq("type") * eq("subj")                        O(n + m)
    """
    return Plan(check_metric(phi, "plan()"))


def score(phi: Similarity | Scorer, pred: Any, ref: Any, *, time_limit: float | None = None, gap: float = 0.0) -> float:
    """Score one pair of objects: the optimum, or with a limit the best score found in time (see `Plan.bounds`).

    >>> import matchwise as mw
    >>> mw.score(mw.f1("mentions"), {"mentions": ["ab", "cd"]}, {"mentions": ["ab"]})
    0.6666666666666666
    """
    made = plan(phi if isinstance(phi, Similarity) else check_metric(phi, "score()"))
    if time_limit is None and not gap:
        return float(compare(made.step, made.operator.score, pred, ref))
    return float(made.bounds(pred, ref, time_limit=time_limit, gap=gap).lower)


class Program:
    """Several similarities of the same documents, sharing what they have in common."""

    def __init__(self, expressions: Mapping[str, Similarity]) -> None:
        self.plans = {name: Plan(phi) for name, phi in expressions.items()}
        self.after: dict[Step | None, list[str]] = {}
        """Which similarities come after which step: it is run once for all of them."""
        for name, one in self.plans.items():
            self.after.setdefault(one.step, []).append(name)

    def count_one(self, pred: Any, ref: Any) -> list[float]:
        """The counts of one document under each similarity, one after the other."""

        found: dict[str, tuple[float, ...]] = {}

        def count(names: list[str], p: Part, r: Part) -> None:
            for name in names:
                found[name] = self.plans[name].count_one(p, r)

        for step, names in self.after.items():
            compare(step, partial(count, names), pred, ref)
        return [number for name in self.plans for number in found[name]]

    def count(self, preds: Frame, refs: Frame, names: Iterable[str] | None = None) -> list[CountColumns[Number]]:
        """Count all similarities, or some, given both sides after the step that they share."""
        return [self.plans[name].count(preds, refs) for name in (self.plans if names is None else names)]


@lru_cache(maxsize=256)
def program(expressions: tuple[tuple[str, Similarity], ...]) -> Program:
    """The plans of several similarities, given with their names; made once for equal ones."""
    return Program(dict(expressions))


def _lines(lead: str, stem: str, place: str, operator: Operator, seen: set[Operator]) -> Iterator[tuple[str, str]]:
    detail = operator.detail()
    inputs = list(operator.children())
    shared = operator in seen and bool(inputs)
    text = f"{lead}{place + ': ' if place else ''}{operator.verb}{' ' + detail if detail else ''}"
    yield text + (" (shared, see above)" if shared else ""), operator.cost()
    seen.add(operator)
    for number, (name, child) in enumerate(() if shared else inputs, start=1):
        branch, below = ("└─ ", "   ") if number == len(inputs) else ("├─ ", "│  ")
        yield from _lines(stem + branch, stem + below, name, child, seen)
