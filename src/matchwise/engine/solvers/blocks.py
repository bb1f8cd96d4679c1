"""The optima of many small problems at once: most are proved by their first bounds, which a few steps compute of all.

A problem of a dozen variables takes longer to be handed to NumPy than to be bounded by it. What is still open after a
few steps is solved by itself, from the shares that it has by then.
"""

from __future__ import annotations

import numpy as np

from matchwise.engine.kernels.assignment import TIED, Assignments
from matchwise.engine.kernels.joins import Blocks
from matchwise.engine.kernels.latent import Bound, Floats, Integers
from matchwise.engine.limits import UNLIMITED
from matchwise.engine.solvers.latent import Goal, root

STEPS = 4
"""Dual steps of all problems together."""


def optima(blocks: Blocks) -> list[float]:
    """The optimum of each problem; all weights are whole numbers."""
    problem, goal = blocks.arrays, Goal(1.0, UNLIMITED.gap, UNLIMITED.deadline)
    assignments = Assignments(problem.rows, problem.columns, blocks.pairs)
    bound = Bound(problem, assignments)
    shares = bound.even_shares()
    sums = _Sums(blocks)
    halves = sums.links[bound.link_of]
    best, upper = np.zeros(sums.problems), np.full(sums.problems, np.inf)
    upper[blocks.pairs[1:] == blocks.pairs[:-1]] = 0
    direction = np.zeros(len(shares))
    for _ in range(STEPS):
        bound.assign(shares)
        value = sums.of(sums.pairs[bound.chosen], bound.profit[bound.chosen])
        upper[assignments.open] = np.minimum(upper, value)[assignments.open]
        best = np.maximum(best, sums.total(bound.chosen))
        assignments.open = (upper >= best + goal.needed).nonzero()[0]
        if len(assignments.open):
            best = np.maximum(best, sums.total(bound.again()))
            assignments.open = (upper >= best + goal.needed).nonzero()[0]
        if not len(assignments.open):
            break
        direction = bound.slope() + 0.5 * direction
        length = np.maximum(sums.of(halves, direction * direction), TIED)
        shares = shares - ((value - best) / length)[halves] * direction
    found: list[float] = best.tolist()
    for number in assignments.open.tolist():
        a, b = 2 * blocks.links[number : number + 2]
        found[number] = root(blocks.one(number), goal, shares[a:b], found[number]).lower
    return found


class _Sums:
    """Sums by problem: which one each pair and each link belongs to."""

    def __init__(self, blocks: Blocks) -> None:
        self.problem, self.problems = blocks.arrays, len(blocks.constants)
        numbers = np.arange(self.problems)
        self.pairs, self.links = (numbers.repeat(ends[1:] - ends[:-1]) for ends in (blocks.pairs, blocks.links))

    def of(self, owners: Integers, numbers: Floats) -> Floats:
        return np.bincount(owners, numbers, self.problems).astype(np.float64, copy=False)

    def total(self, chosen: Integers) -> Floats:
        """Each polynomial at a set of pairs."""
        taken = self.problem.taken(chosen)
        gained = self.of(self.pairs[chosen], self.problem.gains[chosen])
        return gained + self.of(self.links[taken], self.problem.weights[taken])
