"""Quantities by label: a cell for each label of each document of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from matchwise.algebra.nodes import Number
from matchwise.engine.parts import Flat

Column: TypeAlias = list[Number]


class ByLabel(NamedTuple):
    """One label: the documents that have it, and the quantities of each."""

    label: Hashable
    documents: list[int]
    matched: Sequence[Number]
    predicted: Sequence[Number]
    recalled: Sequence[Number]
    reference: Sequence[Number]


class Cells:
    """A cell for each label of each document: the cell that each element belongs to, and the cells of each label."""

    def __init__(self, p: Flat, mine: list[Hashable], r: Flat, theirs: list[Hashable]) -> None:
        found: dict[tuple[int, Hashable], int] = {}
        self.mine: list[int] = []
        self.theirs: list[int] = []
        for owner, ((a, b), (c, d)) in enumerate(zip(pairwise(p.offsets), pairwise(r.offsets), strict=True)):
            self.mine += [found.setdefault((owner, label), len(found)) for label in mine[a:b]]
            self.theirs += [found.setdefault((owner, label), len(found)) for label in theirs[c:d]]
        self.size = len(found)
        by_label: dict[Hashable, tuple[list[int], list[int]]] = {}
        for (owner, label), cell in found.items():
            places, cells = by_label.setdefault(label, ([], []))
            places.append(owner)
            cells.append(cell)
        self.labels = [(label, places, _picker(cells)) for label, (places, cells) in by_label.items()]
        self._sizes: dict[int, Column] = {}

    def total(self, cells: list[int], amounts: Column) -> Column:
        """The amounts of the elements of each cell."""
        if amounts.count(1) == len(amounts):
            made = self._sizes.get(id(cells), [])
            if not made:
                counts = Counter(cells)
                made = self._sizes[id(cells)] = [counts[cell] for cell in range(self.size)]
            return made
        made = [0] * self.size
        for cell, amount in zip(cells, amounts, strict=True):
            made[cell] += amount
        return made


def _picker(places: list[int]) -> Callable[[Column], Sequence[Number]]:
    """The values at the given places of a column."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda column: [column[place] for place in places]
