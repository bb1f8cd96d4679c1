"""The edges of many graphs as columns: what `Sets` makes of one graph, by arrays."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.engine.table import Column, Numbers, Slice, Table
from matchwise.tasks.sdp.steps import Dependency, Ends

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.intp]"

Sides: TypeAlias = tuple[list[Slice], list[Slice]]
"""The edges of each graph, with labels and without."""

WIDE = 2**62
"""Edges beyond it cannot be numbered."""


def edge_sets(preds: list[Ends], refs: list[Ends]) -> tuple[Sides, Sides] | None:
    """The edges of the graphs of both sides, each once; None where values are equal that have different keys."""
    flat = [list(chain.from_iterable(side)) for side in (preds, refs)]
    if not all(map(_is_plain, flat)):
        return None
    nodes, labels = Numbers(), Numbers()
    numbered = []
    for edges in flat:
        columns = zip(*edges, strict=True) if edges else ((), (), ())
        kinds = nodes, nodes, labels
        numbered.append([kind.of(column, len(edges)) for kind, column in zip(kinds, columns, strict=True)])
    if len(preds) * len(nodes) ** 2 * len(labels) > WIDE:
        return None
    values = list(nodes), list(labels)
    mine, theirs = (_sets(*both, values) for both in zip((preds, refs), numbered, strict=True))
    return mine, theirs


def _is_plain(edges: Ends) -> bool:
    """Whether values are equal exactly where their keys are: numbers and names, and anchors made of numbers."""
    found = list(chain.from_iterable(edges))
    types = set(map(type, found))
    if tuple in types:
        anchors = chain.from_iterable(value for value in found if type(value) is tuple)
        types |= set(map(type, chain.from_iterable(anchors)))
    return types <= {str, int, tuple, type(None)}


def _sets(graphs: list[Ends], columns: list[Array], values: tuple[list[Any], list[Any]]) -> Sides:
    import numpy as np

    sizes, (source, target, label), (nodes, labels) = list(map(len, graphs)), columns, values
    offsets = list(accumulate(sizes, initial=0))
    between = (np.repeat(np.arange(len(graphs)), sizes) * len(nodes) + source) * len(nodes) + target
    every = np.arange(len(between))

    def table(kept: Array) -> list[Slice]:
        chosen = {"source": Column(source[kept], nodes), "target": Column(target[kept], nodes)}
        chosen["label"] = Column(label[kept], labels)
        return Table(np.searchsorted(kept, offsets).tolist(), chosen, Dependency).slices()

    labeled = _firsts(between * len(labels) + label, every)
    return table(labeled), table(_firsts(between, labeled))


def _firsts(numbers: Array, places: Array) -> Array:
    """Of places with equal numbers the first."""
    import numpy as np

    _, first = np.unique(numbers[places], return_index=True)
    return np.sort(places[first])
