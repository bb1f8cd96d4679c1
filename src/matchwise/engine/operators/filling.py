"""Tables of similarities that are filled row by row until time is up; other rows are known by what they add at most.

A row that was not reached has no cell above 1 where φ is bounded by 1, and none above φ(x, x) where that is a law;
where neither is known, the table is filled to its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import NamedTuple

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.limits import Limits
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.pairs import Pairs, Table, as_table
from matchwise.engine.parts import Parts

CELLS = 64
"""Smaller tables are filled without a look at the clock."""

SECONDS = 0.03
"""About the time between two looks at the clock."""

SHARE = 0.5
"""Of the time that is left, to fill a table; then it is to be matched."""


class Filled(NamedTuple):
    """The rows that were reached, which are the first ones, and for each other row what no cell of it is above."""

    pairs: Pairs
    most: list[Number]

    def rows(self) -> int:
        return len(self.pairs) + len(self.most)

    def cells(self) -> int:
        """How many cells are not 0."""
        if isinstance(self.pairs, list):
            return sum(map(len, self.pairs))
        import numpy as np

        return int(np.count_nonzero(self.pairs))


def filled(phi: Operator, us: Parts, vs: Parts, limits: Limits) -> Filled:
    """The pairs of two lists, as far as there is time."""
    if limits.deadline is None or len(us) * len(vs) <= CELLS or not _pair_by_pair(phi):
        return Filled(phi.pairs(us, vs), [])
    most = _largest(phi, us)
    start = monotonic()
    end = start + SHARE * (limits.deadline - start)
    blocks: list[Pairs] = []
    place, size = 0, 1
    while place < len(us) and (most is None or start < end):
        blocks.append(phi.pairs(us.take(list(range(place, min(place + size, len(us))))), vs))
        place += size
        start, before = monotonic(), start
        size = 2 * size if start - before < SECONDS else max(1, size // 2)
    return Filled(_stacked(blocks), [] if most is None else most[place:])


def _pair_by_pair(phi: Operator) -> bool:
    """Whether values are compared, none by a function that is called once for all pairs; joins are quick."""
    leaves = list(_leaves(phi))
    return bool(leaves) and not any(leaf.batched for leaf in leaves)


def _leaves(phi: Operator) -> Iterator[Compare]:
    if isinstance(phi, Compare):
        yield phi
    for part in phi.inputs:
        yield from _leaves(part)


def _largest(phi: Operator, parts: Parts) -> list[Number] | None:
    """What no φ(x, y) is above, for each x."""
    if phi.facts.bounded.holds:
        return [1] * len(parts)
    return phi.selfs(parts) if phi.facts.self_score.holds else None


def _stacked(blocks: list[Pairs]) -> Pairs:
    matrices = [block for block in blocks if not isinstance(block, list)]
    if not blocks or len(matrices) < len(blocks):
        return [row for block in blocks for row in as_table(block)]
    import numpy as np

    return np.vstack(matrices)


def most_of(match: Match, pairs: Pairs) -> Number:
    """Σ^◇ is at most this: each row, or each column, its best."""
    if isinstance(pairs, list):
        return _most_of_table(match, pairs)
    rows, columns = (float(pairs.max(axis=axis, initial=0).sum()) for axis in (1, 0))
    return {"1:1": min(rows, columns), "N:1": rows, "1:N": columns, "N:N": float(pairs.sum())}[match]


def _most_of_table(match: Match, table: Table) -> Number:
    if match == "N:N":
        return sum(sum(row.values()) for row in table)
    rows = sum(max(row.values()) for row in table if row)
    if match == "N:1":
        return rows
    best: dict[int, Number] = {}
    for row in table:
        for j, w in row.items():
            best[j] = max(w, best.get(j, 0))
    columns = sum(best.values())
    return columns if match == "1:N" else min(rows, columns)


def most_of_rows(match: Match, most: Iterable[Number], columns: int) -> Number:
    """What rows add at most that were not reached."""
    rows = list(most)
    return {"1:1": sum(rows), "N:1": sum(rows), "1:N": columns * max(rows, default=0), "N:N": columns * sum(rows)}[
        match
    ]
