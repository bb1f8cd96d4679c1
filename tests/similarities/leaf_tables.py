"""The table of all pairs that a leaf's form for many pairs gives."""

from typing import Any

from matchwise.algebra.leaves import LeafKind
from matchwise.engine.many.kernels import cross


def table_of(kind: LeafKind, fs: list[Any], gs: list[Any], options: dict[str, Any]) -> Any:
    assert kind.paired is not None
    return kind.paired(fs, gs, *cross(len(fs), len(gs)), options)
