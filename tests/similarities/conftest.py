from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from matchwise.algebra.nodes import Leaf


@pytest.fixture
def score() -> Callable[[Leaf, Any, Any], Any]:
    """A leaf of two values, by its definition."""

    def compared(phi: Leaf, pred: Any, ref: Any) -> Any:
        options = dict(phi.options)
        return phi.kind.compare(phi.kind.feature(pred, options), phi.kind.feature(ref, options), options)

    return compared
