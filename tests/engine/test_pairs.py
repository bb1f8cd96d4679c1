"""Tables and matrices of weights are one thing in two forms."""

import numpy as np
import pytest

from matchwise import f1, iou, precision, score
from matchwise.engine import reference
from matchwise.engine.pairs import DENSE_CELLS, as_table, lighter

SIDE = int(DENSE_CELLS**0.5) + 1


def test_a_large_matrix_with_few_weights_becomes_the_table_of_them() -> None:
    matrix = np.zeros((SIDE, SIDE))
    matrix[3, 5], matrix[60, 0] = 0.5, 1.0
    assert lighter(matrix) == as_table(matrix)


@pytest.mark.parametrize("matrix", [np.ones((SIDE, SIDE)), np.eye(5)], ids=["full", "small"])
def test_a_full_or_small_matrix_stays_what_it_is(matrix: np.ndarray) -> None:  # type: ignore[type-arg]
    assert lighter(matrix) is matrix


def test_spans_in_many_groups_score_the_same_as_by_the_equations() -> None:
    pred = [{"spans": [(10 * k, 10 * k + 4), (10 * k + 5, 10 * k + 8)]} for k in range(40)]
    ref = [{"spans": [(10 * k, 10 * k + 4 + k % 3), (10 * k + 6, 10 * k + 8)]} for k in range(40)]
    phi = precision("spans", iou() > 0.5) > 0.5
    found = score(f1(None, phi), pred, ref)
    pairs = [(p, r) for p in pred for r in ref]
    matched = sum(reference.score(phi, p, r) for p, r in pairs)  # spans meet only those of their own group
    assert found == matched / 40
