"""The best set of pairs without a conflict: matchings that keep the order of trees, DAGs and directed graphs.

Trees in order are matched in polynomial time (`solve_trees`). Everything else is NP-hard: candidates are the
pairs that score, conflicts say which of them exclude each other, and each part of the conflict graph is searched: by
branch and bound over a partition into cliques as long as that is quick, then by HiGHS with one row per clique of a
cover.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import numpy as np

from matchwise.algebra.nodes import Match
from matchwise.arrays import Floats, Integers
from matchwise.engine.limits import Limits
from matchwise.engine.solve.cells import Bounded, Cell, exact_sum
from matchwise.engine.solve.forests import (
    Relations,
    bits,
    clashes,
    clique_cover,
    components,
    conflicts,
    outline,
    tree_matched,
    tree_table,
)
from matchwise.engine.solve.latent import TOLERANCE, Answer, Goal, ask_highs, find_unit
from matchwise.engine.structures import Structure
from matchwise.engine.tuning import BUDGET, PER_SECOND


def solve_order(
    match: Match, mine: Relations, theirs: Relations, rows: Integers, columns: Integers, weights: Floats, limits: Limits
) -> Answer:
    """The best candidates (rows[k], columns[k]) that keep the order, with what they add up to and what none exceeds."""
    if not len(weights):
        return Answer((), 0.0, 0.0)
    goal = Goal(find_unit(weights), limits.gap, limits.deadline)
    by_weight = np.lexsort((columns, rows, -weights))
    conflict = conflicts(match, mine, theirs, rows[by_weight], columns[by_weight], limits.half().late)
    if conflict is None:
        return _bound_outline(match, mine, theirs, rows, columns, weights, by_weight.tolist(), goal)
    sorted_weights: list[float] = weights[by_weight].tolist()
    chosen: list[int] = []
    lower = upper = 0.0
    for group in components(conflict):
        found = _solve(*_within(conflict, sorted_weights, group), goal)
        chosen += [group[k] for k in found.chosen]
        lower, upper = lower + found.lower, upper + found.upper
    if goal.is_closed(lower, upper):
        upper = lower
    return Answer(tuple(sorted(int(by_weight[k]) for k in chosen)), lower, upper)


def _bound_outline(
    match: Match,
    mine: Relations,
    theirs: Relations,
    rows: Integers,
    columns: Integers,
    weights: Floats,
    order: list[int],
    goal: Goal,
) -> Answer:
    """Take the heaviest candidates that fit, and a bound by nodes, if time is too short to list all conflicts."""
    chosen: list[int] = []
    for k in order:
        if chosen and goal.late():
            break
        if not clashes(match, mine, theirs, rows[k], columns[k], rows[chosen], columns[chosen]).any():
            chosen.append(k)
    lower, upper = float(weights[chosen].sum()), float(weights.sum())
    for places, once in ((rows, match in ("1:1", "N:1")), (columns, match in ("1:1", "1:N"))):
        if once:
            best = np.zeros(int(places.max()) + 1)
            np.maximum.at(best, places, weights)
            upper = min(upper, float(best.sum()))
    return Answer(tuple(sorted(chosen)), lower, lower if goal.is_closed(lower, upper) else upper)


def _within(conflict: list[int], weights: list[float], group: list[int]) -> tuple[list[int], list[float]]:
    """One part of the conflict graph, renumbered; heavier pairs first."""
    if len(group) == len(conflict):
        return conflict, weights
    number = {node: place for place, node in enumerate(group)}
    inside = [sum(1 << number[other] for other in bits(conflict[node])) for node in group]
    return inside, [weights[node] for node in group]


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


def candidates(cells: list[Cell]) -> tuple[Integers, Integers, Floats]:
    """The nodes that score together: rows, columns and weights."""
    rows, columns = (np.array([cell[side] for cell in cells], dtype=np.int64) for side in (0, 1))
    return rows, columns, np.array([float(w) for _, _, w in cells])


def relation_of(found: Structure, order: str) -> Relations:
    """`Structure.relations` as an array."""
    size = len(found.nodes)
    reach = np.zeros((size, size), dtype=np.int8)
    for node, reached in enumerate(found.reach()):
        reach[node, list(reached)] = 1
    made: Relations = reach + 2 * reach.T
    if order == "tree":
        place = np.empty(size)
        place[found.postorder()] = np.arange(size)
        made = np.where(made > 0, made, np.where(place[:, None] < place, 4, 5)).astype(np.int8)
    return made


def solve_trees(cells: Sequence[Cell], mine: Structure, theirs: Structure) -> Bounded:
    """Zhang and Shasha over both trees with a root above all, from the left or from the right, whichever is cheaper."""
    best = None
    for mirrored in (False, True):
        (p, below_p), (r, below_r) = _postorder(mine, mirrored), _postorder(theirs, mirrored)
        outlines = outline(below_p), outline(below_r)
        for swapped in (False, True):
            one, two = reversed(outlines) if swapped else outlines
            rows = one.rows * len(two.keyroots)
            if best is None or rows < best[0]:
                best = rows, swapped, (p, below_p, outlines[0]), (r, below_r, outlines[1])
    assert best is not None
    _, swapped, (p, below_p, outline_p), (r, below_r, outline_r) = best
    weights = np.zeros((len(below_p), len(below_r)))
    at_p, at_r = ({node: place for place, node in enumerate(order)} for order in (p, r))
    for i, j, w in cells:
        weights[at_p[i], at_r[j]] = w
    if swapped:
        table = tree_table(weights.T.copy(), outline_r, outline_p, below_r, below_p)
        found = [(i, j) for j, i in tree_matched(weights.T.copy(), outline_r, outline_p, table)]
    else:
        table = tree_table(weights, outline_p, outline_r, below_p, below_r)
        found = tree_matched(weights, outline_p, outline_r, table)
    table_of = {(i, j): w for i, j, w in cells}
    matched = sorted((p[i], r[j], table_of[p[i], r[j]]) for i, j in found)
    total = exact_sum([w for _, _, w in matched])
    return Bounded(matched, total, total)


def _postorder(found: Structure, mirrored: bool) -> tuple[list[int], list[list[int]]]:
    """The nodes children first, and the children of each in these numbers, with a root above all at the end."""
    order = found.postorder(mirrored)
    number = {node: place for place, node in enumerate(order)}
    below = [*(found.following[node] for node in order), found.roots()]
    return order, [[number[child] for child in (children[::-1] if mirrored else children)] for children in below]
