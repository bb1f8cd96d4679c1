"""The best 1:1 matching of variables: exact, or between two bounds when it was told to stop early.

*Bound.* Each link q of the polynomial hands its weight out to its pairs in shares that add up to w_q; the share of q at
p is a *half*. Halves at p that exclude each other (the other pairs of their links lie in the same rows, or in the same
columns) form a group, of which at most one counts. So the best assignment by c_p = u_p + Σ_groups max(0, max share) is
an upper bound (Gilmore 1962, Lawler 1963), whatever the shares are; dual steps move them towards the least bound.

*Search.* The bound and a matching from local search close in on each other, and pairs and links that no better matching
can have are dropped. What is still open after that goes to HiGHS, in a formulation whose linear relaxation is as tight
as the bound (one row per group). Nothing here is random: equal problems have equal answers.
"""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.limits import Limits
from matchwise.engine.solve.assignment import assign_cells
from matchwise.engine.solve.climbing import Climber
from matchwise.engine.solve.polynomial import Polynomial
from matchwise.engine.tuning import AT_ONCE, CODE_SPREAD, CODE_TABLE, EVERY, STEPS
from matchwise.errors import MatchwiseError

TIED = 1e-12

TOLERANCE = 1e-6
"""Sums of real weights are proved best up to this; whole numbers exactly."""

UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 60, 100)
"""Weights that are multiples of one of these parts of 1 have sums that are, too."""


class Answer(NamedTuple):
    """The pairs taken, what they add up to, and what no matching exceeds."""

    chosen: tuple[int, ...]
    lower: float
    upper: float

    def offer(self, total: float, chosen: Integers) -> Answer:
        """Take other pairs if they are better."""
        return Answer(tuple(chosen.tolist()), total, self.upper) if total > self.lower + TIED else self

    def below(self, upper: float) -> Answer:
        """No matching exceeds this either."""
        return self._replace(upper=max(self.lower, min(self.upper, upper)))


class Goal(NamedTuple):
    """When to stop: different totals differ by at least `unit`; the caller sets `gap` and `deadline`."""

    unit: float
    gap: float = 0.0
    deadline: float | None = None

    def is_closed(self, lower: float, upper: float) -> bool:
        return upper < lower + self.unit - TOLERANCE if self.unit else upper <= lower + TOLERANCE

    def is_reached(self, found: Answer) -> bool:
        """True if the optimum is found, is near enough, or there is no time for it."""
        _, lower, upper = found
        return self.is_closed(lower, upper) or upper - lower <= self.gap * upper or self.late()

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
    answer = _search(problem, goal, np.arange(len(problem.gains)), None, Answer((), -1.0, inf))
    if goal.is_closed(answer.lower, answer.upper):
        return answer._replace(upper=answer.lower)
    return answer.below(np.floor(answer.upper / unit + TOLERANCE) * unit) if unit else answer


def find_unit(weights: Floats) -> float:
    """The largest 1/n of `UNITS` that divides all weights; 0 if none does."""
    for n in UNITS:
        scaled = weights * n
        if np.abs(scaled - np.rint(scaled)).max(initial=0) < TIED:
            return 1 / n
    return 0.0


def _search(problem: Polynomial, goal: Goal, names: Integers, shares: Floats | None, known: Answer) -> Answer:
    """A better matching than the one that is known, of pairs that go by other `names` there.

    Every few steps an assignment is improved by local search, and pairs and links are dropped: not at once, as most
    problems close within a few steps. `shares` come from earlier steps, if there were any; then local search need not
    wait. When half of the time is over without it, any matching is worth it.
    """
    bound, climber = Bound(problem), None
    climb_at = EVERY - 1 if shares is None else 0
    shares = (problem.weights / problem.sizes)[bound.link_of] if shares is None else shares
    previous: Integers | None = None
    direction, waited = np.zeros(len(shares)), 0
    half = inf if goal.deadline is None else (monotonic() + goal.deadline) / 2
    for step in range(STEPS):
        value, taken = bound.step(shares)
        waited += value >= known.upper
        known = known.below(value)
        if previous is None or not np.array_equal(taken, previous):
            previous = taken
            known = known.offer(problem.value(taken), names[taken])
            is_due = step >= climb_at or (climber is None and monotonic() > half)
            if is_due and not goal.is_closed(known.lower, known.upper):
                climb_at = step + EVERY
                climber = climber or Climber(problem)
                total, chosen = climber.climb(taken.tolist(), goal.late)
                known = known.offer(total, names[chosen])
        if goal.is_reached(known):
            return known.below(known.upper)
        if step % EVERY == EVERY - 1:
            pairs, links = bound.open(known.lower + goal.needed)  # never none: the pairs of the bound itself are open
            kept, before = pairs.sum() + links.sum(), len(pairs) + len(links)
            if 2 * kept < before:  # so that all set-ups together take no longer than two of the first
                reduced, halves = problem.take(pairs, links)
                return _search(reduced, goal, names[pairs], shares[halves], known)
        direction = bound.slope() + 0.5 * direction
        length = float((direction * direction).sum())  # not by BLAS, whose rounding depends on the processor
        if length < TIED:
            break
        shares = shares - EVERY / (EVERY + waited) * (value - known.lower) / length * direction
    return _programme(problem, goal, names, known)


class Bound:
    """The bound of one polynomial, as a function of the shares."""

    def __init__(self, problem: Polynomial) -> None:
        self.problem = problem
        rows, columns = problem.rows, problem.columns
        self.shape = int(rows.max()) + 1, int(columns.max()) + 1
        self.codes = rows * self.shape[1] + columns
        """The place of each pair in a table of all rows and columns."""
        self.is_sparse = self.shape[0] * self.shape[1] > AT_ONCE
        """True if the table is too large to be written down."""
        self.link_of = np.arange(len(problem.weights)).repeat(problem.sizes)
        group = _groups(problem, self.link_of)
        self.order = group.argsort(kind="stable")
        grouped = group[self.order]
        first = np.ones(len(grouped), dtype=bool)
        first[1:] = grouped[1:] != grouped[:-1]
        self.starts = first.nonzero()[0]
        self.group_of = first.cumsum() - 1
        self.pair_of = problem.members[self.order][self.starts]

    def step(self, shares: Floats) -> tuple[float, Integers]:
        """The bound at these shares, and the pairs of the assignment that gives it."""
        gains = self.problem.gains
        self.sorted = shares[self.order]
        self.best, self.profit = np.zeros(0), gains
        if len(self.starts):
            self.best = np.maximum(np.maximum.reduceat(self.sorted, self.starts), 0)
            self.profit = gains + np.bincount(self.pair_of, self.best, len(gains))
        self.chosen = np.array(assign_cells(self.codes, self.profit, self.shape, sparse=self.is_sparse), dtype=np.int64)
        return float(self.profit[self.chosen].sum()), self.chosen

    def slope(self) -> Floats:
        """A subgradient in the shares: which halves of a link are taken, less the mean of the link."""
        taken = self.problem.flags(self.chosen)
        largest = (self.sorted >= self.best[self.group_of] - TIED) & (self.sorted > 0)
        largest &= taken[self.pair_of][self.group_of]
        ties = np.maximum(np.add.reduceat(largest, self.starts, dtype=np.float64), 1)
        z = np.empty(len(largest))
        z[self.order] = largest / ties[self.group_of]
        mean = np.bincount(self.link_of, z, len(self.problem.weights)) / self.problem.sizes
        slope: Floats = z - mean[self.link_of]
        return slope

    def open(self, needed: float) -> tuple[Flags, Flags]:
        """The pairs and links that a matching of at least `needed` can have.

        By the prices of rows and columns we know by how much the bound falls if a pair, or a link, has to be taken.
        """
        problem = self.problem
        alpha, beta = self._prices()
        pairs: Floats = alpha[problem.rows] + beta[problem.columns] - self.profit
        halves = np.empty(len(self.sorted))
        halves[self.order] = self.best[self.group_of] - self.sorted
        links = np.bincount(self.link_of, halves + pairs[problem.members], len(problem.weights))
        most = float(alpha.sum() + beta.sum())
        return most - pairs >= needed - TIED, most - links >= needed - TIED

    def _prices(self) -> tuple[Floats, Floats]:
        """α_i + β_j ≥ profit, where Σα + Σβ is the value of the chosen, best pairs: the least such β, by relaxation."""
        (n, m), rows, columns = self.shape, self.problem.rows, self.problem.columns
        own, partner = np.zeros(n), np.full(n, m)
        own[rows[self.chosen]] = self.profit[self.chosen]
        partner[rows[self.chosen]] = columns[self.chosen]
        beta = np.zeros(m + 1)  # the last one is that of rows without a partner
        by_column = np.argsort(columns, kind="stable")
        starts = np.searchsorted(columns[by_column], np.arange(m))
        over = (self.profit - own[rows])[by_column]
        mine = partner[rows][by_column]
        for _ in range(n):
            better = np.maximum(np.maximum.reduceat(over + beta[mine], starts), beta[:-1])
            if (better <= beta[:-1] + TIED).all():
                break
            beta[:-1] = better
        left = np.maximum.reduceat(self.profit - beta[columns], np.searchsorted(rows, np.arange(n)))
        return np.maximum(left, 0), beta[:-1]  # feasible even where rounding stopped the relaxation early


def _groups(problem: Polynomial, link_of: Integers) -> Integers:
    """The group of each half: by the rows of the other pairs, or by their columns, whichever more halves share."""
    by_row, by_column = (_others(problem, places, link_of) for places in (problem.rows, problem.columns))
    scale = 1 + max(int(by_row.max(initial=0)), int(by_column.max(initial=0)))
    base, most = problem.members * scale, len(problem.gains) * scale
    in_row, in_column = base + by_row, base + by_column
    groups: Integers = np.where(_often(in_row, most) >= _often(in_column, most), in_row, most + in_column)
    return groups


def _often(codes: Integers, most: int) -> Integers:
    """For each place: how often its code occurs; codes are below `most`."""
    if most <= max(CODE_TABLE, CODE_SPREAD * len(codes)):
        return np.bincount(codes)[codes]
    _, numbers, counts = np.unique(codes, return_inverse=True, return_counts=True)
    often: Integers = counts[numbers]
    return often


def _others(problem: Polynomial, places: Integers, link_of: Integers) -> Integers:
    """For each half a number for the places (rows or columns) of the other pairs of its link."""
    members, starts, sizes = problem.members, problem.starts, problem.sizes
    if not len(sizes) or sizes.max() == 2:
        other = members.reshape(-1, 2)[:, ::-1].ravel()
        return places[other]
    lists = [sorted(places[members[a : a + n]].tolist()) for a, n in zip(starts.tolist(), sizes.tolist(), strict=True)]
    names: dict[tuple[int, ...], int] = {}
    numbers = []
    for place, link in zip(places[members].tolist(), link_of.tolist(), strict=True):
        rest = lists[link].copy()
        rest.remove(place)
        numbers.append(names.setdefault(tuple(rest), len(names)))
    return np.array(numbers)


def _programme(problem: Polynomial, goal: Goal, names: Integers, known: Answer) -> Answer:
    """The mixed integer programme: x_p whether a pair is taken, y_q ≤ x_p whether a link is, summed over groups."""
    from scipy.sparse import coo_array

    pairs, links = len(problem.gains), len(problem.weights)
    link_of = np.repeat(np.arange(links), problem.sizes)
    entries: list[tuple[Integers, Integers, Floats]] = []
    caps: list[Floats] = []
    rows = 0
    for places in (problem.rows, problem.columns):
        entries.append((rows + places, np.arange(pairs), np.ones(pairs)))
        rows += int(places.max()) + 1
        caps.append(np.ones(int(places.max()) + 1))
    for places in (problem.rows, problem.columns):  # at most one half of a group is taken
        others = _others(problem, places, link_of)
        codes = problem.members * (int(others.max(initial=0)) + 1) + others
        groups = np.unique(codes, return_inverse=True)[1]
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
    weights = np.concatenate([problem.gains, problem.weights])
    chosen, upper = ask_highs(weights, pairs, matrix, np.concatenate(caps), goal, options)
    return known.offer(problem.value(chosen), names[chosen]).below(upper)


def ask_highs(
    weights: Floats, whole: int, matrix: Any, caps: Floats | float, goal: Goal, options: dict[str, float]
) -> tuple[Integers, float]:
    """Maximise weights · x for x in [0, 1], the first `whole` of them 0 or 1, such that matrix · x ≤ caps.

    Returns which of the first are 1 in the best x that was found, and what no x exceeds.
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
    upper = inf if found.mip_dual_bound is None else -found.mip_dual_bound
    if found.status == 0 and not goal.gap:
        upper = min(upper, -found.fun)
    chosen = np.flatnonzero(found.x[:whole] > 0.5) if found.x is not None else np.zeros(0, dtype=np.int64)
    return chosen, upper
