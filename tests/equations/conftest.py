"""The numbered equations of Chen et al. (2023), in the order of the paper, each with a value worked out by hand."""

from collections.abc import Callable
from fractions import Fraction
from math import isclose
from typing import Any

import pytest

from matchwise import Similarity, score
from matchwise.engine import reference

Value = Callable[[Similarity, Any, Any], Any]


@pytest.fixture
def value() -> Value:
    """φ(pred, ref) exactly, by the equations; the planned score is the same but for rounding."""

    def exact(phi: Similarity, pred: Any, ref: Any) -> Any:
        found = reference.score(phi, pred, ref)
        assert isclose(score(phi, pred, ref), found, rel_tol=1e-15)
        return Fraction(found)

    return exact
