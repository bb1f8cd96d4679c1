"""Equal edges of two enhanced graphs, as udeval counts them: every pair of equal edges.

Where no edge is there twice, this is Σ↔[δ].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from matchwise.engine.table import Table, owners_of, table_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.intp]"

Edges: TypeAlias = Sequence[tuple[int, int, str]]

WIDE = 2**62
"""Edges beyond it cannot be numbered."""


def equal_pairs(pred: Edges, ref: Edges) -> int:
    """How many pairs of edges are equal.

    >>> equal_pairs([(1, 2, "obl"), (1, 2, "obl")], [(1, 2, "obl"), (1, 2, "obl"), (2, 0, "root")])
    4
    """
    p, r = set(pred), set(ref)
    if len(p) == len(pred) and len(r) == len(ref):
        return len(p & r)
    counts = Counter(ref)
    return sum([counts[edge] for edge in pred])


def all_equal_pairs(preds: list[Edges], refs: list[Edges], label: Callable[[str], str]) -> list[int] | None:
    """The same of many graphs, whose labels are compared as `label` has them; None if they are no columns."""
    import numpy as np

    p, r = table_of(preds), table_of(refs)
    if p is None or r is None or any(p.columns[name].values is not r.columns[name].values for name in p.columns):
        return None
    mine, theirs = _numbered(p, label), _numbered(r, label)
    if mine is None or theirs is None:
        return None
    different, several = np.unique(theirs, return_counts=True)
    if not len(different):
        return [0] * len(p)
    place = np.minimum(np.searchsorted(different, mine), len(different) - 1)
    found = np.where(different[place] == mine, several[place], 0)
    sums = np.concatenate(([0], np.cumsum(found)))[p.offsets]
    made: list[int] = np.diff(sums).tolist()
    return made


def _numbered(table: Table, label: Callable[[str], str]) -> Array | None:
    """A number for each edge, so that equal edges of one graph have the same, and those of two graphs never have."""
    import numpy as np

    dep, gov, name = (table.columns[field] for field in ("dep", "gov", "label"))
    if len(table) * len(dep.values) * len(gov.values) * len(name.values) > WIDE:
        return None
    first: dict[str, int] = {}
    plain = np.array([first.setdefault(label(text), place) for place, text in enumerate(name.values)], dtype=np.intp)
    graph = owners_of(table.offsets)
    edge = (graph * len(dep.values) + dep.codes) * len(gov.values) + gov.codes
    made: Array = edge * len(name.values) + plain[name.codes] if len(name.values) else edge
    return made
