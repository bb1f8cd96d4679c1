"""The growing matching of `growth` for elements with many similar references, which are looked through as arrays.

>>> import numpy as np
>>> from matchwise.corpus.growth import Cells, Rows
>>> cells = Cells(np.array([0, 0, 1, 1]), np.array([4, 5, 4, 5]), np.array([0.9, 0.5, 0.8, 0.1]))
>>> growing = GrowingArrays(Rows(cells, 2), [0, 1])
>>> growing.add(0), round(growing.add(1), 4), growing.pairs
(0.9, 0.4, {0: 5, 1: 4})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matchwise.corpus.elements import Integers
    from matchwise.corpus.growth import Rows


class GrowingArrays:
    """As `Growing`, by Dijkstra's algorithm without a heap, for the elements of one document."""

    def __init__(self, rows: Rows, elements: list[int]) -> None:
        import numpy as np

        self.pairs: dict[int, int] = {}
        """Element -> reference."""
        found = [rows.arrays(i) for i in elements]
        self._names, codes = np.unique(np.concatenate([columns for columns, _ in found]), return_inverse=True)
        places = np.split(codes, np.cumsum([len(columns) for columns, _ in found])[:-1])
        weights = (weights for _, weights in found)
        self._rows = dict(zip(elements, zip(places, weights, strict=True), strict=True))
        self._u: dict[int, float] = {}
        self._v = np.zeros(len(self._names))
        self._taken = np.full(len(self._names), -1, dtype=np.int64)
        """Reference -> element, by the numbers that references have here."""
        self._places: dict[int, int] = {}

    def add(self, element: int) -> float:
        """Add an element; how much more is matched."""
        columns, weights = self._rows[element]
        left = weights - self._v[columns]
        best = int(left.argmax())
        most = float(left[best])
        self._u[element] = max(0.0, most)
        if most <= 0:
            return 0.0
        place = int(columns[best])
        if self._taken[place] < 0:
            self._match(element, place)
            return most
        return max(0.0, most - self._augment(element, most))

    def _match(self, element: int, place: int) -> None:
        self._taken[place] = element
        self._places[element] = place
        self.pairs[element] = int(self._names[place])

    def _augment(self, element: int, most: float) -> float:
        """Take the shortest path to a free reference, or to an element that is given up; its length."""
        import numpy as np

        u, v, taken, size = self._u, self._v, self._taken, len(self._names)
        known, final = np.full(size, np.inf), np.full(size, np.inf)
        parent = np.full(size, -1, dtype=np.int64)
        rows = {element: 0.0}
        length, free, dropped = most, -1, element
        i, distance = element, 0.0
        while True:
            columns, weights = self._rows[i]
            further = (distance + u[i]) + v[columns] - weights
            nearer = further < known[columns]
            nearer &= final[columns] == np.inf
            known[columns[nearer]] = further[nearer]
            parent[columns[nearer]] = i
            j = int(known.argmin())
            distance = float(known[j])
            if distance >= length:
                break
            final[j], known[j] = distance, np.inf
            i = int(taken[j])
            if i < 0:
                length, free = distance, j
                break
            rows[i] = distance
            if distance + u[i] < length:
                length, dropped = distance + u[i], i
        for one, far in rows.items():
            u[one] -= max(0.0, length - far)
        reached = final < length
        v[reached] += length - final[reached]
        self._flip(element, free, dropped, parent)
        return length

    def _flip(self, element: int, free: int, dropped: int, parent: Integers) -> None:
        """Exchange the pairs along the path."""
        if free < 0:
            self._u[dropped] = 0.0
            if dropped == element:
                return
            del self.pairs[dropped]
            free = self._places.pop(dropped)
        j = free
        while True:
            i = int(parent[j])
            before = self._places.get(i, -1)
            self._match(i, j)
            if i == element:
                return
            j = before
