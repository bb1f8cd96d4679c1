"""An upper bound of a polynomial over 1:1 matchings: Lagrangian shares, one assignment per step.

max over 1:1 matchings M of  Σ_p u_p ⟦p ∈ M⟧ + Σ_q w_q Π_{p ∈ q} ⟦p ∈ M⟧,   u, w ≥ 0, where p = (row, column).

Each link q hands its weight out to its pairs in shares that add up to w_q; the share of q at p is a *half*. Halves at p
that exclude each other (the other pairs of their links lie in the same rows, or in the same columns) form a group, of
which at most one counts. So the best assignment by c_p = u_p + Σ_groups max(0, max share) is an upper bound (Gilmore
1962, Lawler 1963), whatever the shares are; dual steps move them towards the least bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.solve.assignment import linear_sum_assignment
from matchwise.engine.tuning import AT_ONCE, CODE_SPREAD, CODE_TABLE


class Polynomial(NamedTuple):
    """Pairs with their places and gains, and links: link q is the run of `sizes[q]` of the `members` at `starts[q]`.

    Pairs are sorted by row, then column; no row and no column is left out.
    """

    rows: Integers
    columns: Integers
    gains: Floats
    weights: Floats
    sizes: Integers
    starts: Integers
    members: Integers

    @classmethod
    def of_two(cls, rows: Integers, columns: Integers, gains: Floats, weights: Floats, members: Integers) -> Polynomial:
        """A problem whose links have two pairs each."""
        starts = np.arange(0, 2 * len(weights), 2)
        return cls(rows, columns, gains, weights, np.full(len(weights), 2), starts, members)

    def value(self, chosen: Integers) -> float:
        """The polynomial at a set of pairs."""
        return float(self.gains[chosen].sum() + self.weights[self.taken(chosen)].sum())

    def taken(self, chosen: Integers) -> Flags:
        """The links whose pairs are all chosen."""
        active = self.flags(chosen)
        return np.logical_and.reduceat(active[self.members], self.starts) if len(self.starts) else active[:0]

    def flags(self, chosen: Integers) -> Flags:
        """Which pairs are chosen."""
        flags = np.zeros(len(self.gains), dtype=bool)
        flags[chosen] = True
        return flags

    def needed(self, chosen: tuple[int, ...]) -> list[int]:
        """The chosen pairs that add something: by themselves, or in a link whose pairs are all chosen."""
        pairs = np.array(chosen, dtype=np.int64)
        used = self.gains > 0
        used[self.members[np.repeat(self.taken(pairs) & (self.weights > 0), self.sizes)]] = True
        kept: list[int] = pairs[used[pairs]].tolist()
        return kept

    def take(self, pairs: Flags, links: Flags) -> tuple[Polynomial, Flags]:
        """Keep the given pairs and the given links between them; also return which halves are left."""
        if len(self.weights):
            links = links & np.logical_and.reduceat(pairs[self.members], self.starts)
        sizes = self.sizes
        halves = np.repeat(links, sizes)
        renumbered = np.cumsum(pairs) - 1
        left = sizes[links]
        made = Polynomial(
            dense(self.rows[pairs]),
            dense(self.columns[pairs]),
            self.gains[pairs],
            self.weights[links],
            left,
            np.cumsum(left) - left,
            renumbered[self.members[halves]],
        )
        return made, halves


class Bound:
    """The bound of one polynomial, as a function of the shares."""

    def __init__(self, problem: Polynomial) -> None:
        self.problem = problem
        self.assignment = Assignment(problem.rows, problem.columns)
        self.link_of = np.arange(len(problem.weights)).repeat(problem.sizes)
        group = _groups(problem, self.link_of)
        self.order = group.argsort(kind="stable")
        grouped = group[self.order]
        first = np.ones(len(grouped), dtype=bool)
        first[1:] = grouped[1:] != grouped[:-1]
        self.starts = first.nonzero()[0]
        self.group_of = first.cumsum() - 1
        self.pair_of = problem.members[self.order][self.starts]

    def even_shares(self) -> Floats:
        shares: Floats = (self.problem.weights / self.problem.sizes)[self.link_of]
        return shares

    def step(self, shares: Floats) -> tuple[float, Integers]:
        """The bound at these shares, and the pairs of the assignment that gives it."""
        self.assign(shares)
        return float(self.profit[self.chosen].sum()), self.chosen

    def assign(self, shares: Floats) -> None:
        """The profit of each pair at these shares, and the best assignment by profit."""
        self._weigh(shares)
        self.chosen = self.assignment.best(self.profit)

    def _weigh(self, shares: Floats) -> None:
        gains = self.problem.gains
        self.sorted = shares[self.order]
        if len(self.starts):
            self.best = np.maximum(np.maximum.reduceat(self.sorted, self.starts), 0)
            self.profit = gains + np.bincount(self.pair_of, self.best, len(gains))
        else:
            self.best, self.profit = np.zeros(0), gains

    def again(self) -> Integers:
        """The best assignment by profit plus what each pair adds to the last assignment: another incumbent."""
        problem = self.problem
        if not len(problem.starts):
            return self.chosen
        taken = problem.flags(self.chosen)[problem.members]
        others = np.add.reduceat(taken, problem.starts, dtype=np.int64)[self.link_of] - taken
        whole = others == problem.sizes[self.link_of] - 1
        added = np.bincount(problem.members, problem.weights[self.link_of] * whole, len(problem.gains))
        return self.assignment.best(self.profit + problem.gains + added)

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

    def slack(self) -> tuple[float, Floats, Floats]:
        """The bound by prices, and by how much it must fall if a given pair, or a given link, has to be taken."""
        assert isinstance(self.assignment, Assignment), "of one problem"
        alpha, beta = self.assignment.prices(self.profit, self.chosen)
        problem = self.problem
        pairs: Floats = alpha[problem.rows] + beta[problem.columns] - self.profit
        halves = np.empty(len(self.sorted))
        halves[self.order] = self.best[self.group_of] - self.sorted
        links = np.bincount(self.link_of, halves + pairs[problem.members], len(problem.weights)).astype(np.float64)
        return float(alpha.sum() + beta.sum()), pairs, links


def components(problem: Polynomial) -> tuple[int, Integers]:
    """The number of parts that share neither row, column nor link, and the part of each pair, by their first pairs.

    Every pair takes the least number among those that it meets in its row, column or links, until nothing changes.
    """
    pairs = len(problem.gains)
    first_column = int(problem.rows.max()) + 1
    first_link = first_column + int(problem.columns.max()) + 1
    link_of = np.repeat(np.arange(len(problem.weights)), problem.sizes)
    ours = np.concatenate([np.arange(pairs), np.arange(pairs), problem.members])
    meeting = np.concatenate([problem.rows, first_column + problem.columns, first_link + link_of])
    numbers, before = np.arange(pairs), None
    while before is None or (numbers != before).any():
        before = numbers.copy()
        least = np.full(first_link + len(problem.weights), pairs)
        np.minimum.at(least, meeting, numbers[ours])
        np.minimum.at(numbers, ours, least[meeting])
        np.minimum.at(numbers, before, numbers.copy())  # all that had the old number learn the new one
        numbers = numbers[numbers]
    numbers = dense(numbers)
    return int(numbers.max()) + 1, numbers


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


def exclusive_groups(problem: Polynomial) -> list[tuple[Integers, Integers]]:
    """For each half its group by rows, and its group by columns: at most one half of a group is taken."""
    link_of = np.repeat(np.arange(len(problem.weights)), problem.sizes)
    made = []
    for places in (problem.rows, problem.columns):
        others = _others(problem, places, link_of)
        codes = problem.members * (int(others.max(initial=0)) + 1) + others
        made.append((np.unique(codes, return_inverse=True)[1], link_of))
    return made


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


def dense(numbers: Integers, most: int | None = None) -> Integers:
    """Renumber without gaps; the numbers are below `most`."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1 if most is None else most, dtype=bool)
    present[numbers] = True
    dense: Integers = (present.cumsum() - 1)[numbers]
    return dense


TIED = 1e-12


class Assignment:
    """Pairs (row, column), of which each row and each column is in at most one that is chosen."""

    def __init__(self, rows: Integers, columns: Integers) -> None:
        self.rows, self.columns = rows, columns
        self.n, self.m = int(rows.max()) + 1, int(columns.max()) + 1
        self.codes = rows * self.m + columns
        self.cells = _Cells(self.codes, self.n * self.m) if self.n * self.m <= AT_ONCE else None

    def best(self, profit: Floats) -> Integers:
        """The pairs with the greatest total profit; pairs without profit are left out."""
        if self.cells is not None:
            self.cells.profit[self.codes] = profit
            rows, columns = linear_sum_assignment(self.cells.profit.reshape(self.n, self.m), maximize=True)
            return self.cells.pairs(rows * self.m + columns)
        rows, columns = self._match(profit)
        chosen = self.codes.searchsorted(rows * self.m + columns)
        positive: Integers = chosen[profit[chosen] > 0]
        return positive

    def _match(self, profit: Floats) -> tuple[Integers, Integers]:
        """Places of pairs with the greatest total profit, in a table that is too large to be written down."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching

        # A column more for each row to stay alone in; all are 1 more, as SciPy reads 0 as no cell.
        own = np.arange(self.n)
        weights = np.concatenate([profit + 1, np.ones(self.n)])
        places = np.concatenate([self.rows, own]), np.concatenate([self.columns, self.m + own])
        table = coo_array((weights, places), shape=(self.n, self.m + self.n)).tocsr()
        rows, columns = min_weight_full_bipartite_matching(table, maximize=True)
        real = columns < self.m
        return rows[real].astype(np.int64), columns[real].astype(np.int64)

    def prices(self, profit: Floats, chosen: Integers) -> tuple[Floats, Floats]:
        """α_i + β_j ≥ profit, where Σα + Σβ is the value of the chosen, best pairs: the least such β, by relaxation."""
        own, partner = np.zeros(self.n), np.full(self.n, self.m)
        own[self.rows[chosen]] = profit[chosen]
        partner[self.rows[chosen]] = self.columns[chosen]
        beta = np.zeros(self.m + 1)  # the last one is that of rows without a partner
        by_column = np.argsort(self.columns, kind="stable")
        starts = np.searchsorted(self.columns[by_column], np.arange(self.m))
        over = (profit - own[self.rows])[by_column]
        mine = partner[self.rows][by_column]
        for _ in range(self.n):
            better = np.maximum(np.maximum.reduceat(over + beta[mine], starts), beta[:-1])
            if (better <= beta[:-1] + TIED).all():
                break
            beta[:-1] = better
        left = np.maximum.reduceat(profit - beta[self.columns], np.searchsorted(self.rows, np.arange(self.n)))
        return np.maximum(left, 0), beta[:-1]  # feasible even where rounding stopped the relaxation early


class _Cells:
    """A table of all places, of which some are pairs: their profits, in rows one after the other."""

    def __init__(self, codes: Integers, size: int) -> None:
        self.profit = np.zeros(size)
        self._pair = np.empty(size, dtype=np.int64)
        self._pair[codes] = np.arange(len(codes))

    def pairs(self, places: Integers) -> Integers:
        """The pairs at these places that have a profit."""
        pairs: Integers = self._pair[places[self.profit[places] > 0]]
        return pairs
