"""Σ^◇: the best total over the matchings that `match` and `order` allow, and a matching that reaches it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import compress, pairwise
from math import fsum
from typing import TypeAlias

from matchwise.algebra.nodes import Match, Number, Order
from matchwise.engine.kernels.sequence import sequence_matched, sequence_total
from matchwise.engine.pairs import Cells, Pairs, as_table, table
from matchwise.engine.solvers.assignment import assign, assign_matrix

Matched: TypeAlias = list[tuple[int, int, Number]]

FEW_CELLS = 2500


def total(match: Match, order: Order, pairs: Pairs, n: int, m: int) -> Number:
    """max over M^◇ of Σ_{(u,v) ∈ M} φ(u, v)."""
    if not n or not m:
        return 0
    if order == "sequence":
        return sequence_total(match, pairs, n, m)
    if order == "index":
        return exact_sum([w for i, j, w in _cells(pairs) if i == j])
    if isinstance(pairs, list):
        match match:
            case "1:1":
                return exact_sum([pairs[i][j] for i, j in assign(pairs)])
            case "N:1":
                return exact_sum([max(row.values()) for row in pairs if row])
            case "1:N":
                return exact_sum(list(_column_maxima(pairs).values()))
            case "N:N":
                return exact_sum([w for row in pairs for w in row.values()])
    match match:
        case "1:1":
            chosen = assign_matrix(pairs)
            return exact_sum(pairs[[i for i, _ in chosen], [j for _, j in chosen]].tolist()) if chosen else 0
        case "N:1":
            return fsum(pairs.max(axis=1).tolist())
        case "1:N":
            return fsum(pairs.max(axis=0).tolist())
        case "N:N":
            return fsum(pairs.ravel().tolist())


def block_totals(cells: Cells, offsets: list[int]) -> list[Number]:
    """The best 1:1 total of each block of rows, offsets[i]:offsets[i + 1], where no two blocks have a column in common.

    A row takes its best column; of rows that have but one column, the best takes it. What that leaves open is solved.
    """
    rows, columns, weights = cells
    best: dict[int, int] = {}
    most: dict[int, Number] = {}
    for i, j, w in zip(rows, columns, weights, strict=True):
        if w > most.get(i, 0):
            best[i], most[i] = j, w
    number = Counter(rows if all(weights) else compress(rows, weights))
    row_of: dict[int, int] = {}
    unclear = set()
    for i, j in best.items():
        other = row_of.setdefault(j, i)
        if other != i:
            if number[i] > 1 or number[other] > 1:
                unclear.add(bisect_right(offsets, i) - 1)
            elif most[i] > most[other]:
                row_of[j], most[other] = i, 0
            else:
                most[i] = 0
    made = exact_sums([most.get(i, 0) for i in range(offsets[-1])], offsets)
    for block in unclear:
        top, end = offsets[block : block + 2]
        a, b = bisect_left(rows, top), bisect_left(rows, end)
        left = min(columns[a:b])
        own = [i - top for i in rows[a:b]], [j - left for j in columns[a:b]], weights[a:b]
        made[block] = total("1:1", "bag", table(end - top, own), end - top, b - a)
    return made


def matched(match: Match, order: Order, pairs: Pairs, n: int, m: int) -> Matched:
    """The pairs (i, j, weight) of a matching that reaches the total, weights above 0 only."""
    if not n or not m:
        return []
    if order == "sequence":
        return sequence_matched(match, pairs, n, m)
    if order == "index":
        return [(i, j, w) for i, j, w in _cells(pairs) if i == j]
    if match == "1:1":
        chosen = assign(pairs) if isinstance(pairs, list) else assign_matrix(pairs)
        weights = pairs
        return [(i, j, weights[i][j]) for i, j in chosen]
    if match == "N:N":
        return _cells(pairs)
    if match == "N:1":
        return [
            (i, j, row[j]) for i, row in enumerate(as_table(pairs)) if row for j in (max(row, key=row.__getitem__),)
        ]
    best: dict[int, tuple[int, Number]] = {}
    for i, j, w in _cells(pairs):
        if j not in best or w > best[j][1]:
            best[j] = i, w
    return [(i, j, w) for j, (i, w) in sorted(best.items())]


def only_optimum(pairs: Pairs) -> Matched | None:
    """The 1:1 matching, if plainly only one is best: no two rows (or columns) have the same best partner.

    Each row that has a partner at all then has its best one, which no other row equals in. There are no ties to break.
    """
    if isinstance(pairs, list):
        return _only_of_table(pairs)
    if not 0 < pairs.size <= FEW_CELLS:
        return None
    for cells, turned in ((pairs, False), (pairs.T, True)):
        most = cells.max(axis=1)
        best = (cells == most[:, None]) & (most[:, None] > 0)
        if best.sum(axis=1).max() <= 1 and best.sum(axis=0).max() <= 1:
            rows, columns = (best.T if turned else best).nonzero()
            weights = pairs[rows, columns].tolist()
            return list(zip(rows.tolist(), columns.tolist(), weights, strict=True))
    return None


def _only_of_table(table: list[dict[int, Number]]) -> Matched | None:
    columns: dict[int, dict[int, Number]] = {}
    for i, row in enumerate(table):
        for j, w in row.items():
            columns.setdefault(j, {})[i] = w
    rows = {i: row for i, row in enumerate(table) if row}
    for lines, turned in ((rows, False), (columns, True)):
        best = {i: max(row, key=row.__getitem__) for i, row in lines.items()}
        if len(set(best.values())) == len(best) and all(
            list(lines[i].values()).count(lines[i][j]) == 1 for i, j in best.items()
        ):
            return sorted((j, i, lines[i][j]) if turned else (i, j, lines[i][j]) for i, j in best.items())
    return None


def exact_sum(values: list[Number]) -> Number:
    """The sum, rounded once: an integer if all values are, else the float nearest to the exact sum."""
    added = sum(values)
    return added if type(added) is int else fsum(values)


def exact_sums(values: list[Number], offsets: list[int]) -> list[Number]:
    """`exact_sum` of each values[offsets[i]:offsets[i + 1]]."""
    parts = [values[a:b] for a, b in pairwise(offsets)]
    added = list(map(sum, parts))
    if set(map(type, added)) <= {int}:
        return added
    return [one if type(one) is int else fsum(part) for one, part in zip(added, parts, strict=True)]


def _cells(pairs: Pairs) -> Matched:
    return [(i, j, w) for i, row in enumerate(as_table(pairs)) for j, w in row.items()]


def _column_maxima(table: list[dict[int, Number]]) -> dict[int, Number]:
    best: dict[int, Number] = {}
    for row in table:
        for j, w in row.items():
            if w > best.get(j, 0):
                best[j] = w
    return best
