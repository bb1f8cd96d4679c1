"""The best 1:1 matching of variables: exact, or between two bounds when it was told to stop early.

A Lagrangian bound (kernels/latent.py) and an incumbent from local search close in on each other; pairs and links that
no better matching can have are dropped, pairs without rivals are taken, and what falls apart is solved part by part.
What is still open after that goes to HiGHS, in a formulation whose linear relaxation is as tight as the bound (one row
per group of links that exclude each other). Nothing here is random: equal problems have equal answers.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.limits import Limits
from matchwise.engine.solve.climbing import Climber
from matchwise.engine.solve.polynomial import TIED, Bound, Polynomial, components, exclusive_groups
from matchwise.engine.tuning import EVERY, STEPS
from matchwise.errors import MatchwiseError

TOLERANCE = 1e-6
"""Sums of real weights are proved best up to this; whole numbers exactly."""

UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 60, 100)
"""Weights that are multiples of one of these parts of 1 have sums that are, too."""


class Answer(NamedTuple):
    """The pairs taken, what they add up to, and what no matching exceeds."""

    chosen: tuple[int, ...]
    lower: float
    upper: float


class Goal(NamedTuple):
    """When to stop: different totals differ by at least `unit`; the caller sets `gap` and `deadline`."""

    unit: float
    gap: float
    deadline: float | None

    def is_closed(self, lower: float, upper: float) -> bool:
        return upper < lower + self.unit - TOLERANCE if self.unit else upper <= lower + TOLERANCE

    def near(self, lower: float, upper: float) -> bool:
        return upper - lower <= self.gap * upper

    def late(self) -> bool:
        return self.deadline is not None and monotonic() > self.deadline

    @property
    def needed(self) -> float:
        """The total that a better matching must reach."""
        return self.unit - TOLERANCE if self.unit else TOLERANCE


def solve(problem: Polynomial, limits: Limits, unit: float | None = None) -> Answer:
    """The best matching, or the best one found within the limits; `unit` divides all weights, if that is known."""
    if not len(problem.gains):
        return Answer((), 0.0, 0.0)
    unit = find_unit(np.concatenate([problem.gains, problem.weights])) if unit is None else unit
    goal = Goal(unit, limits.gap, limits.deadline)
    answer = root(problem, goal, None, -1.0)
    if goal.is_closed(answer.lower, answer.upper):
        return answer._replace(upper=answer.lower)
    if goal.unit:
        return answer._replace(upper=np.floor(answer.upper / goal.unit + TOLERANCE) * goal.unit)
    return answer


def find_unit(weights: Floats) -> float:
    """The largest 1/n of `UNITS` that divides all weights; 0 if none does."""
    for n in UNITS:
        scaled = weights * n
        if np.abs(scaled - np.rint(scaled)).max(initial=0) < TIED:
            return 1 / n
    return 0.0


def root(problem: Polynomial, goal: Goal, shares: Floats | None, floor: float) -> Answer:
    """Bound and incumbent of one problem; the caller needs no matching whose total is at most `floor`.

    Every few steps an assignment is improved by local search, and pairs and links are dropped: not at once, as most
    problems close within a few steps. `shares` come from earlier steps, if there were any; then local search need not
    wait. When half of the time is over without it, any matching is worth it.
    """
    bound, best = Bound(problem), _Incumbent(problem, floor)
    climb_at = EVERY - 1 if shares is None else 0
    shares = bound.even_shares() if shares is None else shares
    climber: Climber | None = None
    previous: Integers | None = None
    direction = np.zeros(len(shares))
    waited, upper = 0, np.inf
    half = np.inf if goal.deadline is None else (monotonic() + goal.deadline) / 2
    for step in range(STEPS):
        value, taken = bound.step(shares)
        waited += value >= upper
        upper = min(upper, value)
        if previous is None or not np.array_equal(taken, previous):
            previous = taken
            best.offer(taken)
            if not goal.is_closed(best.value, upper):
                best.offer(bound.again())
            is_due = step >= climb_at or (climber is None and monotonic() > half)
            if is_due and not goal.is_closed(best.value, upper):
                climb_at = step + EVERY
                climber = climber or Climber(problem)
                best.take(*climber.climb(taken.tolist(), goal.late))
        if goal.is_closed(best.value, upper) or goal.near(best.value, upper) or goal.late():
            return best.below(upper)
        if step % EVERY == EVERY - 1:
            pairs, links = _open(bound, best.value + goal.needed)
            if not pairs.any():
                return best.below(best.value)
            kept, before = pairs.sum() + links.sum(), len(pairs) + len(links)
            if 2 * kept < before:  # so that all set-ups together take no longer than two of the first
                return _smaller(problem, goal, shares, best.below(upper), pairs, links)
        direction = bound.slope() + 0.5 * direction
        length = float((direction * direction).sum())  # not by BLAS, whose rounding depends on the processor
        if length < TIED:
            break
        shares = shares - EVERY / (EVERY + waited) * (value - best.value) / length * direction
    return _programme(problem, goal, best.below(upper))


class _Incumbent:
    """The best matching that was found."""

    def __init__(self, problem: Polynomial, value: float) -> None:
        self.problem, self.value = problem, value
        self.chosen: tuple[int, ...] = ()

    def offer(self, chosen: Integers) -> None:
        """Keep a matching if it is better."""
        self.take(self.problem.value(chosen), chosen.tolist())

    def take(self, value: float, chosen: list[int]) -> None:
        if value > self.value + TIED:
            self.value, self.chosen = value, tuple(chosen)

    def below(self, upper: float) -> Answer:
        return Answer(self.chosen, self.value, max(upper, self.value))


def _open(bound: Bound, needed: float) -> tuple[Flags, Flags]:
    """The pairs and links that a matching of at least `needed` can have."""
    value, pairs, links = bound.slack()
    return value - pairs >= needed - TIED, value - links >= needed - TIED


def _smaller(problem: Polynomial, goal: Goal, shares: Floats, known: Answer, pairs: Flags, links: Flags) -> Answer:
    """Solve, part by part, what a better matching can be made of."""
    reduced, halves = problem.take(pairs, links)
    names = np.flatnonzero(pairs)
    shares = shares[halves]
    sure, reduced, names, shares = _without_rivals(reduced, names, shares)
    lower = upper = problem.value(np.array(sure, dtype=np.int64)) if sure else 0.0
    chosen = list(sure)
    if len(names):
        number, parts = components(reduced)
        for part in range(number):
            if number == 1:
                piece, mine, kept = reduced, names, shares
            else:
                members = parts == part
                piece, inside = reduced.take(members, np.ones(len(reduced.weights), dtype=bool))
                mine, kept = names[members], shares[inside]
            floor = known.lower - lower if number == 1 else -1.0
            found = root(piece, goal, kept, floor) if len(piece.weights) else _assign(piece)
            chosen += mine[list(found.chosen)].tolist()
            lower, upper = lower + found.lower, upper + found.upper
            if number == 1 and found.lower <= floor:
                return Answer(known.chosen, known.lower, max(known.lower, upper))
    if lower <= known.lower:
        return Answer(known.chosen, known.lower, max(known.lower, min(upper, known.upper)))
    return Answer(tuple(chosen), lower, max(lower, min(upper, known.upper)))


def _without_rivals(
    problem: Polynomial, names: Integers, shares: Floats
) -> tuple[list[int], Polynomial, Integers, Floats]:
    """Take the pairs that are alone in their row and column; their links lose these pairs."""
    sure: list[int] = []
    while len(names):
        alone = (np.bincount(problem.rows)[problem.rows] == 1) & (np.bincount(problem.columns)[problem.columns] == 1)
        if not alone.any():
            break
        sure += names[alone].tolist()
        problem, shares = _condition(problem, alone, shares)
        names = names[~alone]
    return sure, problem, names, shares


def _condition(problem: Polynomial, taken: Flags, shares: Floats) -> tuple[Polynomial, Floats]:
    """The problem of the other pairs after some are taken; links that lose a pair share their weight again."""
    gains = problem.gains.copy()
    terms: dict[tuple[int, ...], tuple[float, list[float]]] = {}
    stays, members, shared = (~taken[problem.members]).tolist(), problem.members.tolist(), shares.tolist()
    runs = zip(problem.weights.tolist(), problem.starts.tolist(), problem.sizes.tolist(), strict=True)
    for weight, start, size in runs:
        run = range(start, start + size)
        left = tuple(members[half] for half in run if stays[half])
        if len(left) == 1:
            gains[left[0]] += weight
        elif left:
            mine = [shared[half] for half in run] if len(left) == size else [weight / len(left)] * len(left)
            before, theirs = terms.get(left, (0.0, [0.0] * len(left)))
            terms[left] = before + weight, [a + b for a, b in zip(mine, theirs, strict=True)]
    sizes = np.array([len(term) for term in terms], dtype=np.int64)
    flat = np.array([pair for term in terms for pair in term], dtype=np.int64)
    made = Polynomial(
        problem.rows[~taken],
        problem.columns[~taken],
        gains[~taken],
        np.array([weight for weight, _ in terms.values()]),
        sizes,
        np.cumsum(sizes) - sizes,
        (np.cumsum(~taken) - 1)[flat],
    )
    return made, np.array([share for _, halves in terms.values() for share in halves])


def _assign(problem: Polynomial) -> Answer:
    """Without links, the best assignment."""
    value, chosen = Bound(problem).step(np.zeros(0))
    return Answer(tuple(chosen.tolist()), value, value)


def _programme(problem: Polynomial, goal: Goal, known: Answer) -> Answer:
    """The mixed integer programme: x_p whether a pair is taken, y_q ≤ x_p whether a link is, summed over groups."""
    from scipy.sparse import coo_array

    pairs, links = len(problem.gains), len(problem.weights)
    entries: list[tuple[Integers, Integers, Floats]] = []
    caps: list[Floats] = []
    rows = 0
    for places in (problem.rows, problem.columns):
        entries.append((rows + places, np.arange(pairs), np.ones(pairs)))
        rows += int(places.max()) + 1
        caps.append(np.ones(int(places.max()) + 1))
    for groups, link_of in exclusive_groups(problem):
        number = int(groups.max()) + 1
        owner = np.zeros(number, dtype=np.int64)
        owner[groups] = problem.members
        entries.append((rows + groups, pairs + link_of, np.ones(len(groups))))
        entries.append((rows + np.arange(number), owner, -np.ones(number)))
        rows += number
        caps.append(np.zeros(number))
    i, j, v = (np.concatenate(column) for column in zip(*entries, strict=True))
    matrix = coo_array((v, (i, j)), shape=(rows, pairs + links)).tocsr()
    options = {} if goal.deadline is None else {"time_limit": max(0.01, goal.deadline - monotonic())}
    weights, upper = np.concatenate([problem.gains, problem.weights]), np.concatenate(caps)
    return ask_highs(weights, pairs, matrix, upper, goal, known, problem.value, options)


def ask_highs(
    weights: Floats,
    whole: int,
    matrix: Any,
    caps: Floats | float,
    goal: Goal,
    known: Answer,
    value: Callable[[Integers], float],
    options: dict[str, float],
) -> Answer:
    """Maximise weights · x for x in [0, 1], the first `whole` of them 0 or 1, such that matrix · x ≤ caps.

    What was `known` stays the answer unless HiGHS finds more, by the `value` of what it takes.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = milp(
        -weights,
        integrality=np.arange(len(weights)) < whole,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=caps),
        options={"mip_rel_gap": goal.gap, **options},
    )
    if found.status not in (0, 1):
        raise MatchwiseError(
            f"HiGHS could not find the best matching ({found.message}); give time_limit= to get bounds"
        )
    upper = known.upper if found.mip_dual_bound is None else min(known.upper, -found.mip_dual_bound)
    if found.status == 0 and not goal.gap:
        upper = min(upper, -found.fun)
    if found.x is not None:
        chosen = np.flatnonzero(found.x[:whole] > 0.5)
        total = value(chosen)
        if total > known.lower:
            return Answer(tuple(chosen.tolist()), total, max(total, upper))
    return Answer(known.chosen, known.lower, max(known.lower, upper))
