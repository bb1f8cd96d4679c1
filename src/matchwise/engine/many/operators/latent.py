"""Variables matched 1:1 over a whole structure: the polynomial of two objects, and its exact maximum."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from matchwise.algebra import walk
from matchwise.algebra.nodes import Latent, Normalized, Number, Overlap
from matchwise.engine.limits import UNLIMITED, Late, Limits, answer, current
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame, Side, Vector
from matchwise.engine.many.joins import Joined, Problems
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.engine.many.operators.base import Operator, Pairs, once
from matchwise.engine.many.operators.searched import PairBudget, Searched, alone, extend
from matchwise.engine.many.operators.terms import PairTerms, Scheme
from matchwise.engine.solve.polynomials import MADE, Board, Name, Terms, arrange, value
from matchwise.engine.tuning import PROBLEMS
from matchwise.errors import DataError

Matching = dict[str, list[tuple[Hashable, Hashable]]]
"""Space -> the matched names, predicted first."""


class Solved:
    """A matching of variables, the value of φ̃ under it, and an upper bound under any matching."""

    def __init__(self, lower: Number, upper: Number, matched: Callable[[], list[tuple[Name, Name]]]) -> None:
        self.lower, self.upper = lower, upper
        self._matched = matched

    @cached_property
    def matching(self) -> Matching:
        """The pairs that add something, made on demand: counting does not need them."""
        return _by_space(self._matched())


def _by_space(names: list[tuple[Name, Name]]) -> Matching:
    """Drop the rows and columns that stand for elements."""
    made: Matching = {}
    for (space, x), (_, y) in names:
        if space != MADE:
            made.setdefault(space, []).append((x, y))
    return made


class LatentMatch(Searched):
    """max over M_V of φ̃."""

    verb: ClassVar[str] = "match variables"

    def __init__(self, phi: Latent, inner: Operator, relaxed: Operator, scheme: Scheme) -> None:
        super().__init__(phi, relaxed)
        self.inner = inner
        """φ̃ under a given matching, which `bound` parts carry."""
        self.relaxed = relaxed
        self.scheme = scheme
        self.dense = relaxed.dense

    @property
    def core(self) -> Operator:
        return self.inner

    def settle(self, pred: Frame, ref: Frame) -> tuple[Frame, Frame]:
        return condition(pred, ref, self.solve(pred, ref).matching)

    def solve(self, pred: Frame, ref: Frame) -> Solved:
        """The best matching of the variables of two objects; within the limits of the search, if there are any."""
        name = (self, pred.side.name, pred.path(0), ref.side.name, ref.path(0))
        return answer(name, lambda limits: self._cap(self._solve(pred, ref, limits), pred, ref))

    def _cap(self, found: Solved, pred: Frame, ref: Frame) -> Solved:
        """No bound exceeds the self-scores, where φ(x, y) does not; and x under the identity is a bound of φ(x, x)."""
        if found.lower != found.upper:
            if self.facts.self_score.holds:
                found.upper = min(found.upper, self.own(pred), self.own(ref))
            elif pred is ref:
                same = bound(pred, {})
                found.lower = max(found.lower, self.inner.one(same, same))
                found.upper = max(found.lower, found.upper)
        return found

    def _solve(self, pred: Frame, ref: Frame, limits: Limits) -> Solved:
        filled: dict[Hashable, Any] = {}
        if not self.facts.self_score.holds:  # φ(x, x) and φ(y, y) are to be solved, too
            limits = limits.half()
        try:
            if not self.joins:
                return self._by_terms(pred, ref, limits, filled)
            joined = self.scheme.joined(pred, ref, limits)  # type: ignore[attr-defined]  # a PairTerms
            if joined is None or joined.left_out[0]:
                return self._by_terms(pred, ref, limits)
            return _by_join(joined, limits)
        except Late:
            return self._by_outline(pred, ref, limits, filled)

    @cached_property
    def joins(self) -> bool:
        return isinstance(self.scheme, PairTerms) and self.scheme.joins

    def _at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        """φ of the given objects; without limits, the problems of many pairs are made by one join."""
        if not self.joins or len(i) < 2 or current() is not None:
            return super()._at(preds, refs, i, j)
        problems = self._problems(preds, refs)
        if problems is None:
            return super()._at(preds, refs, i, j)
        rows, columns = np.asarray(i, dtype=np.int64), np.asarray(j, dtype=np.int64)
        made: list[Number] = []
        for start in range(0, len(rows), PROBLEMS):
            some = slice(start, start + PROBLEMS)
            made += self._together(problems.at(rows[some], columns[some]), preds, refs, rows[some], columns[some])
        return np.array(made, dtype=np.float64)

    def _problems(self, preds: Frame, refs: Frame) -> Problems | None:
        """The elements of both sides, numbered once."""
        assert isinstance(self.scheme, PairTerms), "joins says so"
        return once(preds, refs, (self, "problems"), partial(self.scheme.problems, preds, refs))

    def _together(self, joined: Joined, preds: Frame, refs: Frame, i: Any, j: Any) -> list[Number]:
        """φ of several pairs of objects, whose problems one join has made."""
        from matchwise.engine.solve.latent import solve

        values: list[Number] = [
            constant + round(solve(joined.blocks.one(number), UNLIMITED, unit=1.0).lower)
            for number, constant in enumerate(joined.blocks.constants.tolist())
        ]
        for place, out in enumerate(joined.left_out):
            if out:
                values[place] = self.one(alone(preds, int(i[place])), alone(refs, int(j[place])))
        return values

    def _by_terms(self, pred: Frame, ref: Frame, limits: Limits, filled: dict[Hashable, Any] | None = None) -> Solved:
        board = Board(limits, filled=filled)
        terms = self.scheme(board, pred, ref)
        if not any(terms):
            constant = terms.get((), 0)
            return Solved(constant, constant, list)
        from matchwise.engine.solve.latent import solve

        problem = arrange(board, terms)
        found = solve(problem.arrays, limits)
        chosen = [problem.pairs[pair] for pair in found.chosen]
        lower = value(terms, chosen)
        upper = lower if found.lower == found.upper else problem.constant + found.upper
        return Solved(lower, upper, lambda: _name_pairs(board, _drop_idle(terms, chosen)))

    def _by_outline(self, pred: Frame, ref: Frame, limits: Limits, filled: dict[Hashable, Any]) -> Solved:
        """The bounds to report when there is no time for the whole problem."""
        outline = PairBudget(limits.room)
        board = Board(limits, outline, filled)
        try:
            terms = self.scheme(board, pred, ref)
        except Late:
            return Solved(0, self._most(pred, ref), list)
        upper, matched = terms.get((), 0), {}
        if any(terms):
            from matchwise.engine.solve.latent import solve

            problem = arrange(board, terms)
            found = solve(problem.arrays, limits)
            upper += found.upper
            matched = dict(board.places[problem.pairs[pair]] for pair in found.chosen)
        rows, columns = list(board.rows), list(board.columns)
        names = [(rows[i], columns[a]) for i, a in extend(matched, outline.rest).items()]
        lower = self.inner.one(*condition(pred, ref, _by_space(names)))
        return Solved(lower, max(lower, upper), lambda: names)

    def _most(self, pred: Frame, ref: Frame) -> Number:
        """No more than φ(x, x) and φ(y, y), where that is a law, nor than φ when any two variables count as matched.

        Under a normaliser the latter is not a bound: it changes the divisor, too.
        """
        assert isinstance(self.phi, Latent), "of latent(…)"
        known = [self.own(pred), self.own(ref)] if self.facts.self_score.holds else []
        divides = any(isinstance(part, Normalized) for part in walk.parts(self.phi.inner))
        if not divides and not (known and self.relaxed.dense):
            known.append(self.relaxed.one(pred, ref))
        if not known:
            raise DataError(
                "the time limit was over before the problem was written down, and P, R or F inside latent(…) of a "
                'function whose facts are not known has no bounds then; give more time, or facts=("symmetric", "unit")'
            )
        return min(known)

    def _join(self, preds: Frame, refs: Frame) -> Pairs:
        i, j, _ = self.relaxed.join(preds, refs)
        return Pairs(*kernels.filter_pairs(i, j, self.at(preds, refs, i, j)))

    def _self_scores(self, frame: Frame) -> Vector:
        """φ(x, x) under the identity of variables; searched for only where another matching may be better."""
        inner = self.inner
        if isinstance(inner, BagOverlap) and inner.match != "N:N":
            return np.array(np.diff(frame.flat(inner.sel).offsets).tolist(), dtype=np.float64)
        if inner.facts.self_score.holds:
            return self.relaxed.self_scores(frame) if self.by_element else inner.self_scores(bound(frame, {}))
        return self.solved_self_scores(frame)

    @cached_property
    def by_element(self) -> bool:
        """True if φ(x, x) compares each element with itself only, so that all its variables are matched."""
        overlaps = [part for part in walk.parts(self.inner.phi) if isinstance(part, Overlap)]
        return self.relaxed.facts.self_score.holds and all(part.match == "1:1" for part in overlaps)

    def volume(self, preds: Frame, refs: Frame) -> int:
        return self.relaxed.volume(preds, refs)

    def detail(self) -> str:
        return "Lagrangian bound, local search, then HiGHS"

    def cost(self) -> str:
        return "exact; NP-hard at worst"


def bound(frame: Frame, numbers: dict[Name, int]) -> Frame:
    """The same objects with their variables matched: a matched name has the same number on both sides."""
    side = Side(frame.side.name, frame.side.documents)
    side.variables = numbers
    frame.side.under.append(side)
    return Frame(frame.items, frame.path, side, frame.documents)


def condition(pred: Frame, ref: Frame, matching: Matching) -> tuple[Frame, Frame]:
    """Both sides under a matching of their variables."""
    pairs = [((space, x), (space, y)) for space, names in matching.items() for x, y in names]
    mine = {x: number for number, (x, _) in enumerate(pairs)}
    theirs = {y: number for number, (_, y) in enumerate(pairs)}
    return bound(pred, mine), bound(ref, theirs)


def _by_join(problem: Joined, limits: Limits) -> Solved:
    """Join equal elements; each pair counts 1, so sums are whole numbers."""
    from matchwise.engine.solve.latent import solve

    arrays, [constant] = problem.blocks.arrays, problem.blocks.constants.tolist()
    found = solve(arrays, limits, unit=1.0)
    lower = constant + round(found.lower)
    upper = lower if found.lower == found.upper else constant + found.upper
    return Solved(lower, upper, lambda: [problem.names(pair) for pair in arrays.needed(found.chosen)])


def _drop_idle(terms: Terms, chosen: list[int]) -> list[int]:
    """Drop the pairs that add nothing."""
    taken = set(chosen)
    used = {pair for term, number in terms.items() if number and taken.issuperset(term) for pair in term}
    return [pair for pair in chosen if pair in used]


def _name_pairs(board: Board, chosen: list[int]) -> list[tuple[Name, Name]]:
    rows, columns = list(board.rows), list(board.columns)
    return [(rows[i], columns[a]) for i, a in (board.places[pair] for pair in chosen)]
