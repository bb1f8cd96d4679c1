"""The best set of pairs without a conflict: matchings that keep the order of trees, DAGs and directed graphs.

Trees in order are matched in polynomial time (`solve.trees`). Everything else is NP-hard: candidates are the pairs of
nodes that score, conflicts say which of them exclude each other, and each part of the conflict graph is searched: by
branch and bound over a partition into cliques as long as that is quick, then by HiGHS with one row per clique of a
cover. Sets of pairs are Python integers, bit k for pair k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchwise.algebra.nodes import Match
from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.limits import Limits
from matchwise.engine.solve.cells import Cell
from matchwise.engine.solve.latent import TOLERANCE, Answer, Goal, ask_highs, find_unit
from matchwise.engine.structures import Structure
from matchwise.engine.tuning import AT_ONCE, BUDGET, PER_SECOND


class Candidates(NamedTuple):
    """Pairs of nodes (rows[k], columns[k]) that score, heaviest first, and how any two nodes of a side are related."""

    match: Match
    mine: NDArray[np.int8]
    theirs: NDArray[np.int8]
    rows: Integers
    columns: Integers
    weights: Floats

    def clashes(self, some: Integers | slice, others: Integers | slice) -> Flags:
        """Which of some candidates (down) and others (across) exclude each other.

        They share a node that `match` gives to one pair only, or they share none and u, u' stand to each other
        otherwise than v, v'.
        """
        i, j, rows, columns = self.rows[some, None], self.columns[some, None], self.rows[others], self.columns[others]
        same_row, same_column = i == rows, j == columns
        clash: Flags = (self.mine[i, rows] != self.theirs[j, columns]) & ~same_row & ~same_column
        if self.match in ("1:1", "N:1"):
            clash |= same_row & ~same_column
        if self.match in ("1:1", "1:N"):
            clash |= same_column & ~same_row
        return clash

    def conflicts(self, late: Callable[[], bool]) -> list[int] | None:
        """For each candidate those that cannot be matched together with it; None if it gets late."""
        made: list[int] = []
        step = max(1, AT_ONCE // len(self.rows))
        for start in range(0, len(self.rows), step):
            if start and late():  # the first portion takes no time to speak of
                return None
            clashes = self.clashes(slice(start, start + step), slice(None))
            packed = np.packbits(clashes, axis=1, bitorder="little")
            made += [int.from_bytes(row.tobytes(), "little") for row in packed]
        return made


def solve_order(
    match: Match, order: str, cells: Sequence[Cell], mine: Structure, theirs: Structure, limits: Limits
) -> Answer:
    """The cells of the best matching of nodes that keeps the order, what they add up to, and what none exceeds."""
    if not cells:
        return Answer((), 0.0, 0.0)
    weights = np.array([float(w) for _, _, w in cells])
    rows, columns = (np.array([cell[side] for cell in cells], dtype=np.int64) for side in (0, 1))
    by_weight = np.lexsort((columns, rows, -weights))
    p, r = (np.array(side.relations(order), dtype=np.int8) for side in (mine, theirs))
    some = Candidates(match, p, r, rows[by_weight], columns[by_weight], weights[by_weight])
    goal = Goal(find_unit(weights), limits.gap, limits.deadline)
    conflict = some.conflicts(limits.half().late)
    found = _bound(some, goal) if conflict is None else _solve_parts(conflict, some.weights.tolist(), goal)
    if goal.is_closed(found.lower, found.upper):
        found = found._replace(upper=found.lower)
    return found._replace(chosen=tuple(sorted(by_weight[list(found.chosen)].tolist())))


def _bound(some: Candidates, goal: Goal) -> Answer:
    """Take the heaviest candidates that fit, and a bound by nodes, if time is too short to list all conflicts."""
    chosen: list[int] = []
    for k in range(len(some.weights)):
        if chosen and goal.late():
            break
        if not some.clashes(np.array([k]), np.array(chosen, dtype=np.int64)).any():
            chosen.append(k)
    lower, upper = float(some.weights[chosen].sum()), float(some.weights.sum())
    for places, once in ((some.rows, ("1:1", "N:1")), (some.columns, ("1:1", "1:N"))):
        if some.match in once:
            best = np.zeros(int(places.max()) + 1)
            np.maximum.at(best, places, some.weights)
            upper = min(upper, float(best.sum()))
    return Answer(tuple(chosen), lower, max(lower, upper))


def _solve_parts(conflict: list[int], weights: list[float], goal: Goal) -> Answer:
    """Solve each part of the conflict graph by itself."""
    chosen: list[int] = []
    lower = upper = 0.0
    for group in components(conflict):
        inside = conflict
        if len(group) < len(conflict):
            number = {node: place for place, node in enumerate(group)}
            inside = [sum(1 << number[other] for other in bits(conflict[node])) for node in group]
        found = _solve(inside, [weights[node] for node in group], goal)
        chosen += [group[k] for k in found.chosen]
        lower, upper = lower + found.lower, upper + found.upper
    return Answer(tuple(chosen), lower, upper)


def _solve(conflict: list[int], weights: list[float], goal: Goal) -> Answer:
    if len(weights) == 1:
        return Answer((0,), weights[0], weights[0])
    search = _Search(conflict, weights, goal)
    upper = search.run()
    known = Answer(tuple(bits(search.best_set)), search.best, max(search.best, upper))
    if goal.is_reached(known):
        return known
    return _programme(conflict, weights, goal, known)


class _Search:
    """Depth first. A partition into cliques covers what cannot beat the best; only pairs outside of it are tried.

    At most one pair of a clique can be chosen, so that cliques whose heaviest pairs add up to no more than what is
    needed cannot contain a better choice by themselves (Balas and Yu 1986, with weights Babel 1994).
    """

    def __init__(self, conflict: list[int], weights: list[float], goal: Goal) -> None:
        self.conflict, self.weights, self.goal = conflict, weights, goal
        self.best, self.best_set = -1.0, 0

    def run(self) -> float:
        """Search; returns an upper bound, which is the best choice if the search finished in time."""
        budget = BUDGET // (len(self.weights) + 10)
        waiting = [((1 << len(self.weights)) - 1, 0, 0.0)]
        while waiting:
            free, chosen, value = waiting.pop()
            if value > self.best + TOLERANCE:
                self.best, self.best_set = value, chosen
            budget -= 1
            if not budget or self.goal.late():
                return self._bound_of([*waiting, (free, chosen, value)])
            children = []
            for pair in bits(self._prune(free, self.best + self.goal.needed - value)):
                low = 1 << pair
                free ^= low
                children.append((free & ~self.conflict[pair], chosen | low, value + self.weights[pair]))
            waiting += reversed(children)
        return self.best

    def _bound_of(self, waiting: list[tuple[int, int, float]]) -> float:
        """An upper bound of the branches; when time is short, of all choices."""
        most = self.best
        for free, _, value in waiting:
            if self.goal.late():
                return self._bound((1 << len(self.weights)) - 1)
            most = max(most, value + self._bound(free))
        return most

    def _bound(self, free: int) -> float:
        """The heaviest pairs of a partition into cliques."""
        total = 0.0
        while free:
            low = free & -free
            total += self.weights[low.bit_length() - 1]
            free = self._without_clique(free, low)
        return total

    def _prune(self, free: int, needed: float) -> int:
        """The pairs that are left after removing cliques that add up to less than needed."""
        while free:
            low = free & -free
            pair = low.bit_length() - 1
            needed -= self.weights[pair]
            if needed <= 0:
                break
            free = self._without_clique(free, low)
        return free

    def _without_clique(self, free: int, low: int) -> int:
        """Take away a clique, grown from one pair by the heaviest that fits."""
        free ^= low
        common = self.conflict[low.bit_length() - 1] & free
        while common:
            low = common & -common
            free ^= low
            common &= self.conflict[low.bit_length() - 1]
        return free


def _programme(conflict: list[int], weights: list[float], goal: Goal, known: Answer) -> Answer:
    from scipy.sparse import csr_array

    cliques = clique_cover(conflict, goal.late)
    if cliques is None:
        return known
    columns = np.array([pair for clique in cliques for pair in clique])
    starts = np.cumsum([0, *map(len, cliques)])
    matrix = csr_array((np.ones(len(columns)), columns, starts), shape=(len(cliques), len(weights)))
    options: dict[str, float] = {}
    if goal.deadline is not None:
        left = goal.deadline - monotonic()
        if len(columns) > PER_SECOND * left:  # HiGHS reads and rounds them once before it looks at the clock
            return known
        options = {"time_limit": left, "presolve": False}  # presolving takes its time, ten seconds for 200,000 pairs
    every = np.array(weights)
    chosen, upper = ask_highs(every, len(every), matrix, 1, goal, options)
    return known.offer(float(every[chosen].sum()), chosen).below(upper)


def bits(number: int) -> list[int]:
    """The members of a set."""
    found = []
    while number:
        low = number & -number
        found.append(low.bit_length() - 1)
        number ^= low
    return found


def components(conflict: list[int]) -> list[list[int]]:
    """Split the pairs into groups that have no conflict with each other."""
    left = (1 << len(conflict)) - 1
    made = []
    while left:
        reached = front = left & -left
        while front:
            low = front & -front
            front ^= low
            new = conflict[low.bit_length() - 1] & ~reached
            reached |= new
            front |= new
        left &= ~reached
        made.append(bits(reached))
    return made


def clique_cover(conflict: list[int], late: Callable[[], bool]) -> list[list[int]] | None:
    """Maximal cliques that contain every conflict, grown greedily from the first pair on; None if it gets late."""
    uncovered = list(conflict)
    cliques = []
    for start in range(len(conflict)):
        while uncovered[start]:
            if late():
                return None
            clique, members = 1 << start, [start]
            common, wanted = conflict[start], uncovered[start]
            while common:
                new = wanted & common or common
                low = new & -new
                node = low.bit_length() - 1
                clique |= low
                members.append(node)
                common &= conflict[node]
                wanted |= uncovered[node]
            for node in members:
                uncovered[node] &= ~clique
            cliques.append(members)
    return cliques
