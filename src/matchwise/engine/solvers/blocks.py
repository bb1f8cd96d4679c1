"""The optima of many small problems at once, by steps that all of them take together.

A problem of a dozen variables takes longer to be handed to NumPy than to be bounded by it. Most problems are proved by
their first bounds. Those that stay open have a gap that no shares close: they are split, once with a pair and once
without it, and their halves go on together. What is large, or open after that, is solved by itself.
"""

from __future__ import annotations

import numpy as np

from matchwise.arrays import Floats, Integers
from matchwise.engine.kernels.blocks import lay_out
from matchwise.engine.kernels.joins import Blocks
from matchwise.engine.kernels.latent import TIED, Assignments, Bound
from matchwise.engine.limits import UNLIMITED
from matchwise.engine.solvers.latent import Goal, root
from matchwise.engine.tuning import EVERY

GOAL = Goal(1.0, UNLIMITED.gap, UNLIMITED.deadline)


def optima(blocks: Blocks) -> list[float]:
    """The optimum of each problem; all weights are whole numbers."""
    best = np.zeros(len(blocks.constants))
    filled = (np.diff(blocks.pairs) > 0).nonzero()[0]
    some = blocks if len(filled) == len(best) else blocks.take(filled)
    steps = _closer(_Steps(some, filled, np.zeros(len(filled))), best)
    for _ in range(EVERY if len(steps.left) > EVERY else 0):
        steps = _closer(steps.split(steps.left), best)
    for number in sorted(set(steps.owners[steps.left].tolist())):
        best[number] = root(blocks.one(number), GOAL, None, best[number]).lower
    found: list[float] = best.tolist()
    return found


def _closer(steps: _Steps, best: Floats) -> _Steps:
    """Take some steps: the problems afterwards, and which of them are `left`."""
    steps.bound(best)
    for _ in range(EVERY - 1):
        if not len(steps.left):
            break
        steps.move(best)
        if 2 * len(steps.left) < len(steps.owners):
            steps = steps.take(steps.left)
        steps.bound(best)
    return steps


class _Steps:
    """Dual steps of several problems at once: how far each has come.

    Each is a part of the problem of its owner, whose matching has `gained` something outside of it. Shares are given
    for the parts of a problem that was bounded before.
    """

    def __init__(self, blocks: Blocks, owners: Integers, gained: Floats, shares: Floats | None = None) -> None:
        self.blocks, problem = blocks, blocks.arrays
        self.owners, self.gained = owners, gained
        number = self.left = np.arange(len(owners))
        self.of_pair, self.of_link = (number.repeat(ends[1:] - ends[:-1]) for ends in (blocks.pairs, blocks.links))
        self.of_half = self.of_link.repeat(2)
        self.upper = self.value = np.full(len(number), np.inf)
        self.waited = np.zeros(len(number), dtype=np.int64)
        self.assignments = Assignments(problem.rows, problem.columns, blocks.pairs)
        self._bound = Bound(problem, self.assignments)
        if shares is None:
            n, m = self.assignments.n, self.assignments.m
            shares = self._bound.leaning_shares(self.of_pair * n + problem.rows, self.of_pair * m + problem.columns)
        self.shares, self.direction = shares, np.zeros(len(shares))

    def bound(self, best: Floats) -> None:
        """The current lower and upper bound of each problem; `left` are those that are not proved."""
        bound = self._bound
        self.assignments.open = self.left
        bound.assign(self.shares)
        self.value = self.gained + self._sum(self.of_pair[bound.chosen], bound.profit[bound.chosen])
        self.waited = self.waited + (self.value >= self.upper)
        self.upper = np.minimum(self.upper, self.value)
        self._offer(bound.chosen, best)
        if len(self.left):
            self.assignments.open = self.left
            self._offer(bound.again(), best)

    def _offer(self, chosen: Integers, best: Floats) -> None:
        """Offer matchings; each replaces the best so far if it is better."""
        problem = self.blocks.arrays
        taken = problem.taken(chosen)
        total = self._sum(self.of_pair[chosen], problem.gains[chosen])
        total += self._sum(self.of_link[taken], problem.weights[taken])
        np.maximum.at(best, self.owners, self.gained + total)
        self.left = (self.upper >= best[self.owners] + GOAL.needed).nonzero()[0]

    def move(self, best: Floats) -> None:
        """Move the shares of each problem towards its least bound."""
        self.direction = self._bound.slope() + 0.5 * self.direction
        length = np.maximum(self._sum(self.of_half, self.direction * self.direction), TIED)
        steps = 1 / (1 + self.waited) * (self.value - best[self.owners]) / length
        self.shares = self.shares - steps[self.of_half] * self.direction

    def take(self, left: Integers) -> _Steps:
        """The steps of some of the problems."""
        if len(left) == len(self.owners):
            return self
        halves = _runs(2 * self.blocks.links, left)
        made = _Steps(self.blocks.take(left), self.owners[left], self.gained[left], self.shares[halves])
        made.direction = self.direction[halves]
        made.upper, made.waited = self.upper[left], self.waited[left]
        return made

    def split(self, which: Integers) -> _Steps:
        """Split each given problem in two: without a pair, and with it.

        The pair is the one in the assignment whose profit is furthest from what it adds.
        """
        bound, problem = self._bound, self.blocks.arrays
        taken = problem.flags(bound.chosen)
        added = np.bincount(problem.members, (problem.weights * problem.taken(bound.chosen)).repeat(2), len(taken)) / 2
        over = np.where(taken, bound.profit - problem.gains - added, -1)
        first = np.lexsort((-over, self.of_pair))[self.blocks.pairs[which]]
        number = which.repeat(2)
        parts = self.blocks.take(number)
        pair = parts.pairs[:-1] + (first - self.blocks.pairs[which]).repeat(2)
        with_it = np.arange(len(number)) % 2 == 1
        made, links = parts.given(pair, with_it)
        gained = self.gained[number] + np.where(with_it, parts.arrays.gains[pair], 0)
        shares = self.shares[_runs(2 * self.blocks.links, number)[links.repeat(2)]]
        return _Steps(made, self.owners[number], gained, shares)

    def _sum(self, owners: Integers, numbers: Floats) -> Floats:
        return np.bincount(owners, numbers, len(self.owners)).astype(np.float64, copy=False)


def _runs(ends: Integers, numbers: Integers) -> Integers:
    """The places of some runs, one after the other."""
    return lay_out(ends[numbers], ends[numbers + 1] - ends[numbers])[1]
