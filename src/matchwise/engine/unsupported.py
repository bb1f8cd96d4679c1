"""Nodes that have their place in the algebra before their solver is there."""

from __future__ import annotations

from matchwise.algebra.nodes import Overlap, Similarity
from matchwise.errors import ExpressionError


def unsupported(phi: Similarity) -> ExpressionError:
    what = f'order="{phi.order}"' if isinstance(phi, Overlap) else type(phi).__name__.lower()
    return ExpressionError(f"{what} can be written but not yet scored by this version of matchwise: {phi!r}")
