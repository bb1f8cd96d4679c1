"""Small full tables: thousands of them together are matched as each is by itself, to the last bit."""

from random import Random

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from matchwise.engine.solvers import contests
from matchwise.engine.solvers.contests import match_table, match_tables, solve_blocks

WEIGHTS = [[0, 1, 2], [0, 0.1, 0.2, 0.3], [1 / 3, 2 / 3, 1], None]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 2), (3, 5), (6, 6), (8, 11)])
def test_tables_together_are_matched_as_each_by_itself(weights: list[float] | None, height: int, width: int) -> None:
    random = Random(height * 100 + width)
    tables = [
        [[random.random() if weights is None else random.choice(weights) for _ in range(width)] for _ in range(height)]
        for _ in range(60)
    ]
    found = match_tables(np.array(tables, dtype=np.float64), np.full(60, height)).tolist()
    assert found == [match_table(table) for table in tables]  # type: ignore[arg-type]
    for table, columns in zip(tables, found, strict=True):
        assert len(set(columns)) == height
        best = np.array(table)[linear_sum_assignment(table, maximize=True)].sum()
        assert sum(row[column] for row, column in zip(table, columns, strict=True)) == pytest.approx(best, rel=1e-14)


def test_tables_of_several_sizes_are_solved_as_each_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    sizes = [(random.randint(2, 5), random.randint(2, 5)) for _ in range(50)]
    cells = [
        (number, i, j, random.choice([0.1, 0.2, 0.30000000000000004, 1.0]))
        for number, (height, width) in enumerate(sizes)
        for i in range(height)
        for j in range(width)
    ]
    block, row, column = (np.array([cell[k] for cell in cells]) for k in range(3))
    weights, (heights, widths) = np.array([cell[3] for cell in cells]), np.array(sizes).T
    together = sorted(solve_blocks(block, row, column, weights, heights, widths).tolist())
    monkeypatch.setattr(contests, "FEW", 7)
    assert sorted(solve_blocks(block, row, column, weights, heights, widths).tolist()) == together
    assert len(together) == sum(map(min, sizes))
