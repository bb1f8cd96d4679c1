"""Many small 1:1 matchings at once: the elements of each two collections are a block of cells, one after the other.

Where no two rows (or columns) of a block have the same best partner, the matching is seen in all blocks together; only
what is left is solved block by block, exactly as it would be by itself.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Any

from matchwise.engine.operators.compound import Add, Multiply
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.operators.routing import Recur
from matchwise.engine.order import content_order, names_by_columns
from matchwise.engine.pairs import Pairs, as_table, reordered
from matchwise.engine.solvers.matching import matched, total

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from matchwise.engine.operators.base import Operator
    from matchwise.engine.operators.matching import MatchElements
    from matchwise.engine.parts import Flat, Parts

LARGE = 2500
"""A block of more cells is matched by itself."""

MOST = 4_000_000
"""Cells of all blocks together."""


class Apart(Exception):
    """The documents of a batch are counted one by one after all: they have too many pairs, or name a field apart."""


class Blocks:
    """The pairs of elements of each two collections: those of pair k are a[starts[k]:starts[k + 1]], and so is b."""

    def __init__(self, p: Flat, r: Flat, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> None:
        import numpy as np

        self.p, self.r, self.rows, self.columns = p, r, rows, columns
        first_p, first_r = np.asarray(p.offsets, dtype=np.intp), np.asarray(r.offsets, dtype=np.intp)
        self.heights, self.widths = np.diff(first_p)[rows], np.diff(first_r)[columns]
        sizes = self.heights * self.widths
        self.large = np.nonzero(sizes > LARGE)[0].tolist()
        sizes[self.large] = 0
        self.sizes = sizes
        self.starts = np.concatenate(([0], np.cumsum(sizes)))
        if self.starts[-1] > MOST:
            raise Apart
        self.block = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(self.starts[-1]) - self.starts[:-1][self.block]
        width = self.widths[self.block]
        self.row, self.column = place // width, place % width
        self.a, self.b = first_p[rows][self.block] + self.row, first_r[columns][self.block] + self.column

    def maxima(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """The greatest cell of each block, 0 of an empty one."""
        import numpy as np

        if self.large:
            raise Apart
        made = np.zeros(len(self.sizes))
        filled = self.sizes > 0
        if filled.any():
            made[filled] = np.maximum.reduceat(cells, self.starts[:-1][filled])
        return made


class Matchings(Blocks):
    """Blocks whose elements are matched 1:1 by their similarity."""

    def __init__(
        self, operator: MatchElements, preds: Parts, refs: Parts, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> None:
        super().__init__(preds.flat(operator.sel), refs.flat(operator.sel), rows, columns)
        self.operator = operator
        self.cells: NDArray[np.float64]
        """The similarity of each pair of elements, once it is known."""

    def totals(self, preds: Parts, refs: Parts) -> NDArray[np.float64]:
        """The best total of each block."""
        import numpy as np

        chosen, torn = self._plain
        made = np.asarray(sums(self.cells[chosen], self.block[chosen], len(self.sizes)), dtype=np.float64)
        for number in torn:
            n, m = int(self.heights[number]), int(self.widths[number])
            made[number] = float(total("1:1", "bag", self._pairs(number), n, m))
        for number in self.large:
            own, other = preds.take([int(self.rows[number])]), refs.take([int(self.columns[number])])
            made[number] = float(self.operator.one(own, other))
        return made

    def aligned(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The matched elements, block by block; equal optima are broken by content."""
        import numpy as np

        chosen, torn = self._plain
        found = [(self.block[chosen], self.a[chosen], self.b[chosen])]
        found += [self._by_itself(number) for number in (*torn, *self.large)]
        block, a, b = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.argsort(block, kind="stable")
        return a[order], b[order]

    @cached_property
    def _plain(self) -> tuple[NDArray[np.intp], list[int]]:
        """The cells of the matchings that are plain to see, and the blocks whose matching is not."""
        import numpy as np

        if not len(self.cells):
            return np.zeros(0, dtype=np.intp), []
        row = np.cumsum(self.column == 0) - 1
        first_column = np.cumsum(self.widths) - self.widths
        column = first_column[self.block] + self.column
        by_row = _best(self.cells, row, column, self.block, len(self.sizes))
        by_column = _best(self.cells, column, row, self.block, len(self.sizes))
        seen = by_row[1] | by_column[1]
        chosen = np.where(by_row[1][self.block], by_row[0], by_column[0] & by_column[1][self.block])
        return np.nonzero(chosen)[0], np.nonzero(~seen & (self.sizes > 0))[0].tolist()

    @cached_property
    def _names(self) -> tuple[list[Any] | None, ...]:
        """What puts the elements of each side into the order of their content, where one look at all of them tells."""
        return tuple(names_by_columns(side.parts.items) for side in (self.p, self.r))

    def _by_itself(self, number: int) -> tuple[Any, Any, Any]:
        """The matching of one block, as `MatchElements.aligned` finds it."""
        import numpy as np

        i, j = int(self.rows[number]), int(self.columns[number])
        a, c = self.p.offsets[i], self.r.offsets[j]
        if number in self.large or not isinstance(applied(self.operator.inner), Add | Compare | Multiply):
            found = self.operator.aligned(self.p.of(i), self.r.of(j))
        else:
            n, m = int(self.heights[number]), int(self.widths[number])
            mine = _content_order(self.p.parts, self._names[0], a, a + n)
            theirs = _content_order(self.r.parts, self._names[1], c, c + m)
            pairs = reordered(self._pairs(number), mine, theirs)
            found = [(mine[x], theirs[y], w) for x, y, w in matched("1:1", "bag", pairs, n, m)]
            found.sort()
        places = np.array([(number, a + x, c + y) for x, y, _ in found], dtype=np.intp).reshape(-1, 3)
        return places[:, 0], places[:, 1], places[:, 2]

    def _pairs(self, number: int) -> Pairs:
        """The cells of a block, in the form in which the inner similarity would give them."""
        cells = self.cells[self.starts[number] : self.starts[number + 1]]
        made = cells.reshape(self.heights[number], self.widths[number])
        return made if applied(self.operator.inner).dense else as_table(made)


def _content_order(parts: Parts, names: list[Any] | None, start: int, end: int) -> list[int]:
    """`content_order` of some elements."""
    if names is None:
        return content_order(parts.items[start:end])
    return sorted(range(end - start), key=names[start:end].__getitem__)


def applied(operator: Operator) -> Operator:
    """The operator that compares two objects where a recursive similarity is applied to them."""
    while isinstance(operator, Recur):
        assert operator.target is not None
        operator = operator.target
    return operator


def _best(
    cells: NDArray[np.float64], row: NDArray[np.intp], column: NDArray[np.intp], block: NDArray[np.intp], number: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The best cells of each row, and the blocks in which no row and no column has two of them."""
    import numpy as np

    most = np.zeros(int(row.max()) + 1)
    np.maximum.at(most, row, cells)
    best = (cells == most[row]) & (cells > 0)
    twice = best & ((np.bincount(row, best)[row] > 1) | (np.bincount(column, best)[column] > 1))
    return best, np.bincount(block, twice, minlength=number) == 0


def sums(amounts: NDArray[np.float64], owners: NDArray[np.intp], number: int) -> list[float]:
    """The amounts of each of so many owners, who come one after the other; rounded once."""
    import numpy as np

    if not (amounts % 1).any():
        return np.bincount(owners, amounts, minlength=number).tolist()  # type: ignore[no-any-return]
    ends = np.searchsorted(owners, np.arange(number + 1)).tolist()
    values = amounts.tolist()
    return [fsum(values[a:b]) for a, b in pairwise(ends)]
