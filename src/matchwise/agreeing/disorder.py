"""The partition of the units of several annotators into unitary alignments with the least disorder.

Two annotators are an assignment problem. More are an integer programme: each unit is in exactly one of the unitary
alignments that can be part of an optimum, those that have no more disorder than their units would have alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING

from matchwise.lapjv import linear_sum_assignment

if TYPE_CHECKING:
    from matchwise.corpus.statistic import Array

Tables = Mapping[tuple[int, int], "Array"]
"""The dissimilarities of the units of two annotators, the first before the second."""


def least_disorder(sizes: list[int], tables: Tables, empty: float) -> float:
    """The sum of the disorders of the unitary alignments of the best partition.

    >>> import numpy as np

    >>> least_disorder([2, 1], {(0, 1): np.array([[0.5], [3.0]])}, 1.0)
    1.5
    """
    if len(sizes) == 2:
        return _two(sizes, tables[0, 1], empty)
    return _several(sizes, tables, empty)


def _two(sizes: list[int], table: Array, empty: float) -> float:
    import numpy as np

    saved = np.maximum(2 * empty - table, 0)
    rows, columns = linear_sum_assignment(saved, maximize=True)
    return float(sum(sizes) * empty - saved[rows, columns].sum())


def _several(sizes: list[int], tables: Tables, empty: float) -> float:
    import numpy as np
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    found = list(_candidates(sizes, tables, empty))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    total = float(sum(sizes) * empty)
    if not found:
        return total
    rows = [int(starts[annotator] + unit) for members, _ in found for annotator, unit in members]
    columns = [number for number, (members, _) in enumerate(found) for _ in members]
    saved = np.array([len(members) * empty - disorder for members, disorder in found])
    within = csr_array((np.ones(len(rows)), (rows, columns)), shape=(int(starts[-1]), len(found)))
    solved = milp(-saved, integrality=np.ones(len(found)), bounds=(0, 1), constraints=LinearConstraint(within, -inf, 1))
    assert solved.x is not None, solved.message
    return total - float(saved[solved.x > 0.5].sum())


def _candidates(sizes: list[int], tables: Tables, empty: float) -> Iterator[tuple[list[tuple[int, int]], float]]:
    """The unitary alignments of two units or more that are better than their units alone, and the disorder of each."""
    n = len(sizes)
    pairs = n * (n - 1) / 2

    def extend(
        members: list[tuple[int, int]], inside: float, annotator: int
    ) -> Iterator[tuple[list[tuple[int, int]], float]]:
        if annotator == n:
            if len(members) > 1:
                missing = pairs - len(members) * (len(members) - 1) / 2
                disorder = (inside + missing * empty) / pairs
                if disorder < len(members) * empty:
                    yield members, disorder
            return
        yield from extend(members, inside, annotator + 1)
        for unit in range(sizes[annotator]):
            more = inside + sum(float(tables[other, annotator][place, unit]) for other, place in members)
            if more < pairs * n * empty:  # no alignment may have more
                yield from extend([*members, (annotator, unit)], more, annotator + 1)

    yield from extend([], 0.0, 0)
