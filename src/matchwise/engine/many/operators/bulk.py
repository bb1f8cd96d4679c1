"""Collections too large for all pairs to be compared: candidates are matched by prices.

*Candidates.* Which pairs may be worth comparing is said by a ceiling of φ. That of a sum is the sum of the ceilings of
its parts: of an equality or a tolerance its value, which arrays find quickly; of a bag Σ c·d ≥ Σ min(c, d); of anything
else min(φ(x, x), φ(y, y)).

*Prices.* Solved over some cells of each row, a matching has prices: worth[i] + price[j] ≥ w[i, j] on these cells. Let
no other cell of row i be above rest[i]. If rest[i] ≤ worth[i] for all rows, the prices prove the matching best over
*all* cells. If not, Σ max(worth[i], rest[i]) + Σ price[j] is still a bound that no matching exceeds (weak duality), and
rows that fail are given more cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from itertools import pairwise
from math import fsum, inf
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Leaf, Number
from matchwise.arrays import Floats, Integers
from matchwise.engine.limits import Limits
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.engine.many.operators.base import Operator, once
from matchwise.engine.many.operators.compound import Add, Term
from matchwise.engine.many.operators.equality import Equality, number_keys
from matchwise.engine.many.operators.leaf import Compare
from matchwise.engine.solve.assignment import CostRows, Row, assign_priced
from matchwise.engine.solve.cells import Bounded, Cell, exact_sum
from matchwise.engine.tuning import AT_ONCE, CANDIDATES
from matchwise.errors import DataError

QUICK = frozenset({"close", "within"})
"""Leaves that arrays compare as quickly as they look up a ceiling."""

BONUS = 1e-3
"""Added to the ceiling of equal values, so that they come first among equally high ceilings."""


class Candidates:
    """The elements of two large collections, asked for those that may be worth pairing with given ones."""

    def __init__(self, inner: Operator, preds: Frame, refs: Frame) -> None:
        self.inner, self.preds, self.refs = inner, preds, refs
        self._known: dict[Any, Any] = {}

    @staticmethod
    def suits(inner: Operator) -> bool:
        """Whether φ has a ceiling: it, or each part of it, is never above φ(x, x) and φ(y, y)."""
        if not isinstance(inner, Add | Compare):
            return False
        parts = [term.operator for term in inner.terms] if isinstance(inner, Add) else [inner]
        return all(bool(part.facts.left and part.facts.right) for part in parts)

    def more(self, rows: list[int], width: int) -> list[tuple[Row, Number]]:
        """For each of the rows its `width` cells of highest ceiling that are not 0, and the ceiling of the others."""
        found: list[tuple[Row, Number]] = []
        size = max(1, AT_ONCE // max(1, len(self.refs)))
        for start in range(0, len(rows), size):
            found += self._some(rows[start : start + size], width)
        return found

    def _some(self, rows: list[int], width: int) -> list[tuple[Row, Number]]:
        ceiling, order = self._ceiling(rows)
        if width < ceiling.shape[1]:
            columns = np.argpartition(-order, width - 1, axis=1)[:, :width]
            columns.sort(axis=1)
        else:
            columns = np.broadcast_to(np.arange(ceiling.shape[1]), ceiling.shape)
        weights = self._values(np.repeat(np.asarray(rows, dtype=np.intp), columns.shape[1]), columns.ravel())
        np.put_along_axis(ceiling, columns, 0.0, axis=1)
        rest: list[float] = ceiling.max(axis=1, initial=0.0).tolist()
        made: list[tuple[Row, Number]] = []
        for place, (own, bound) in enumerate(zip(columns.tolist(), rest, strict=True)):
            values = weights[place * len(own) : (place + 1) * len(own)]
            made.append(({j: w for j, w in zip(own, values, strict=True) if w}, bound))
        return made

    def _values(self, rows: Integers, columns: Integers) -> list[Number]:
        """φ at the given places."""
        found: list[Number] = self.inner.at(self.preds, self.refs, rows, columns).tolist()
        return found

    def _ceiling(self, rows: list[int]) -> tuple[Floats, Floats]:
        """An upper bound of each cell of the rows, without and with a bonus for equal values."""
        if not isinstance(self.inner, Add):
            ceiling, equal = self._of(self.inner, self.preds, np.asarray(rows, dtype=np.intp), self.refs)
            return ceiling, ceiling if equal is None else ceiling + BONUS * equal
        made = np.zeros((len(rows), len(self.refs)))
        first: list[tuple[Any, Any]] = []
        for term in self.inner.terms:
            here, a, own_p, kept, own_r = self._present(term, rows)
            if not len(a) or not kept.size:
                continue
            ceiling, equal = self._of(term.operator, own_p, a, own_r)
            where: Any = np.ix_(here, kept)
            if len(here) == len(rows) and len(kept) == len(self.refs):
                where = slice(None)
            made[where] += ceiling if term.weight == 1 else ceiling * float(term.weight)
            first += [] if equal is None else [(where, equal)]
        order = made.copy() if first else made
        for where, equal in first:
            order[where] += BONUS * equal
        return made, order

    def _present(self, term: Term, rows: list[int]) -> tuple[Integers, Integers, Frame, Any, Frame]:
        """The rows that have a part, the place of that part among all, and the columns that have it."""
        if term not in self._known:
            (kept_p, own_p), (kept_r, own_r) = term.present(self.preds), term.present(self.refs)
            at = np.arange(len(self.preds)) if kept_p is None else kernels.inverse(kept_p, len(self.preds))
            self._known[term] = at, own_p, np.arange(len(self.refs)) if kept_r is None else kept_r, own_r
        at, own_p, kept, own_r = self._known[term]
        a = at[rows]
        here = np.nonzero(a >= 0)[0]
        return here, a[here], own_p, kept, own_r

    def _of(self, operator: Operator, preds: Frame, a: Integers, refs: Frame) -> tuple[Any, Any]:
        """The ceiling of one part and, if it helps, the cells where its values are equal."""
        match operator:
            case Equality():
                mine, theirs = operator.codes(preds, refs)
                return np.equal(mine[a][:, None], theirs), None
            case Compare(phi=Leaf(kind)) if kind.name in QUICK:
                rows, columns = np.repeat(a, len(refs)), np.tile(np.arange(len(refs)), len(a))
                return operator.at(preds, refs, rows, columns).reshape(len(a), len(refs)), None
            case BagOverlap(match="1:1"):
                return self._share(operator, preds, a, refs), None
        mine, theirs = (operator.self_scores(side) for side in (preds, refs))
        equal = None
        if isinstance(operator, Compare) and isinstance(operator.phi, Leaf):
            (p, xs), (r, ys) = operator.coded(preds), operator.coded(refs)
            _, first, second = once(preds, refs, (operator, "equal"), lambda: number_keys(xs, ys))
            equal = np.equal(first[p[a]][:, None], second[r])
        return np.minimum.outer(mine[a], theirs), equal

    def _share(self, operator: BagOverlap, preds: Frame, a: Integers, refs: Frame) -> Floats:
        """Σ c·d over the elements that two bags share."""
        if preds not in self._known:
            codes: dict[Hashable, int] = {}
            sides = [_bags(operator, side) for side in (preds, refs)]
            for counts in (*sides[0], *sides[1]):
                for k in counts:
                    codes.setdefault(k, len(codes))
            self._known[preds] = tuple(_incidence(side, codes) for side in sides)
        p, r = self._known[preds]
        made: Floats = (p[a] @ r.T).toarray()
        return made


def _bags(operator: BagOverlap, frame: Frame) -> list[Counter[Hashable]]:
    """The keys of each collection."""
    flat = frame.flat(operator.sel)
    keys = operator.inner.keys(flat.frame)
    return [Counter(keys[a:b]) for a, b in pairwise(flat.offsets.tolist())]


def _incidence(bags: list[Counter[Hashable]], codes: dict[Hashable, int]) -> Any:
    """How often each bag holds each element, as a sparse array."""
    from scipy.sparse import csr_array

    rows = [i for i, bag in enumerate(bags) for _ in bag]
    columns = [codes[k] for bag in bags for k in bag]
    counts = [float(count) for bag in bags for count in bag.values()]
    return csr_array((np.array(counts), (rows, columns)), shape=(len(bags), max(1, len(codes))))


More: TypeAlias = Callable[[list[int], int], list[tuple[Row, Number]]]
"""Rows, how many cells of each -> the cells of each, and what none of its other cells is above."""

MOST = 20_000_000
"""Cells in all that fit into memory; a search without limits that needs more is given up."""


def solve_priced(rows: int, columns: int, more: More, limits: Limits) -> Bounded:
    """The best matching, or with limits the best that was found, with its bound."""
    table: CostRows = [{} for _ in range(rows)]
    rest: list[Number] = [inf] * rows
    waiting, width = list(range(rows)), CANDIDATES
    while True:
        for i, (row, bound) in zip(waiting, more(waiting, min(width, columns)), strict=True):
            table[i], rest[i] = row, bound
        pairs, worth, price = assign_priced(table)
        found: list[Cell] = [(i, j, table[i][j]) for i, j in pairs]
        lower = exact_sum([w for _, _, w in found])
        waiting = [i for i in range(rows) if rest[i] > worth[i]]
        if not waiting:
            return Bounded(found, lower, lower)
        each = fsum(max(bound, *row.values()) if row else bound for row, bound in zip(table, rest, strict=True))
        upper = min(each, fsum([*map(max, worth, rest), *price]))  # each row its best, or what the prices say
        late = limits.deadline is not None and monotonic() >= limits.deadline
        if late or upper - lower <= limits.gap * upper:
            return Bounded(found, lower, max(lower, upper))
        width *= CANDIDATES
        if not limits and len(waiting) * width > MOST:
            raise DataError(
                f"found {rows:,} × {columns:,} elements to compare, too many alike to match them all; "
                'give them a key, as in keyed("id"), or write gap=0.01 for a score with bounds'
            )
