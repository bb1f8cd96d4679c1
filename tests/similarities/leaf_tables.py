"""The table of all pairs that a leaf's form for many pairs gives."""

from typing import Any

import numpy as np

from matchwise.algebra.leaves import LeafKind


def table_of(kind: LeafKind, fs: list[Any], gs: list[Any], options: dict[str, Any]) -> Any:
    assert kind.paired is not None
    return kind.paired(fs, gs, *np.ogrid[: len(fs), : len(gs)], options)
