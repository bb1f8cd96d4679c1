"""Elements of each document that are similar, in all documents at once, and the best matching of them.

Pairs that share no element with another are matched as they are, and of several that share one element the greatest is:
this is seen in all documents together. Only where a choice is left is a document solved by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Number
from matchwise.engine.columns import owners_of
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.compound import Multiply
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.operators.leaf import FEW
from matchwise.engine.operators.matching import MatchElements
from matchwise.engine.order import content_order
from matchwise.engine.pairs import Table
from matchwise.engine.parts import Flat, Rows
from matchwise.engine.solvers.matching import Matched, exact_sums, matched
from matchwise.engine.together.codes import Codes
from matchwise.engine.together.equality import Equality
from matchwise.engine.together.roots import Collection
from matchwise.engine.together.values import suits, values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Weights: TypeAlias = "NDArray[np.float64]"

SMALL_CELLS = 1024
"""Up to this many pairs of elements of one document are compared together with those of all others."""


FINE = 1024
"""No sum of multiples of 1 / 1024 is rounded, so that equal optima have one sum."""


class Candidates(NamedTuple):
    """Pairs of elements of one document that may be similar, document by document."""

    rows: Codes
    columns: Codes
    owners: Codes
    large: list[int]
    """Documents that have too many of them."""


def candidates(inner: Operator, p: Flat, r: Flat) -> Candidates:
    """The elements that are equal in a part where all else is multiplied by it, or all of one document."""
    key = key_of(inner)
    if key is not None and isinstance(p.parts, Rows):
        found = Equality(key, p, r).pairs()
        if found is not None:
            rows, columns = found
            return Candidates(rows, columns, owners_of(p.offsets)[rows], [])
    return all_pairs(p, r)


def key_of(operator: Operator) -> Discrete | None:
    """What elements must be equal in to be similar at all, if that can be told."""
    first = operator.first if isinstance(operator, Multiply) else None
    return first if isinstance(first, Discrete) else None


def all_pairs(p: Flat, r: Flat) -> Candidates:
    """All pairs of elements of one document."""
    import numpy as np

    first_p, first_r = np.asarray(p.offsets), np.asarray(r.offsets)
    heights, widths = np.diff(first_p), np.diff(first_r)
    sizes = heights * widths
    large: list[int] = np.nonzero(sizes > SMALL_CELLS)[0].tolist()
    sizes[large] = 0
    of = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(of)) - (np.cumsum(sizes) - sizes)[of]
    return Candidates(first_p[of] + place // widths[of], first_r[of] + place % widths[of], of, large)


class Pairing(NamedTuple):
    """The matched pairs of all documents, and the documents whose sums are to be had from each by itself."""

    rows: Codes
    columns: Codes
    weights: Weights
    alone: list[int]

    def totals(self, p: Flat) -> list[Number]:
        """Σ of each document, rounded once."""
        import numpy as np

        if (self.weights * FINE % 1 == 0).all():
            sums = np.bincount(owners_of(p.offsets)[self.rows], weights=self.weights, minlength=len(p.offsets) - 1)
            made: list[Number] = sums.tolist()
            return made
        return exact_sums(self.weights.tolist(), np.searchsorted(self.rows, p.offsets).tolist())


def pairing(collection: MatchElements, p: Flat, r: Flat, found: Candidates, *, by_content: bool) -> Pairing:
    """The best matching of each document; of equal optima any, or that by content."""
    import numpy as np

    rows, columns, of, large = found
    weights = _weights(collection.inner, p, r, rows, columns)
    some = np.nonzero(weights)[0]
    rows, columns, of, weights = rows[some], columns[some], of[some], weights[some]
    torn = (np.bincount(rows)[rows] > 1) | (np.bincount(columns)[columns] > 1)
    kept, unclear = ~torn, torn
    order = ContentOrder(p, r) if by_content else None
    if collection.match == "1:1":
        kept, unclear = _stars(rows, columns, weights, order, (np.diff(p.offsets) * np.diff(r.offsets) <= FEW)[of])
    rounded = set(of[weights * FINE % 1 != 0].tolist())
    open_ = sorted(set(of[unclear].tolist()))
    solved = [owner for owner in open_ if by_content or owner not in rounded]
    kept &= ~np.isin(of, solved)
    chosen: Matched = []
    for owner in large if by_content else ():
        chosen += _alone(collection, p, r, owner)
    starts, ends = (np.searchsorted(of, solved, side=side).tolist() for side in ("left", "right"))
    pairs = list(zip(rows.tolist(), columns.tolist(), weights.tolist(), strict=True)) if solved else []
    for owner, start, end in zip(solved, starts, ends, strict=True):
        chosen += _best(collection, p, r, owner, pairs[start:end], order)
    i, j, w = zip(*chosen, strict=True) if chosen else ((), (), ())
    rows, columns = (
        np.concatenate((rows[kept], np.array(i, np.intp))),
        np.concatenate((columns[kept], np.array(j, np.intp))),
    )
    weights = np.concatenate((weights[kept], np.array(w, np.float64)))
    ordered = np.argsort(rows, kind="stable")
    alone = [*large, *(owner for owner in open_ if owner in rounded)]
    return Pairing(rows[ordered], columns[ordered], weights[ordered], alone)


def _weights(inner: Operator, p: Flat, r: Flat, rows: Codes, columns: Codes) -> Weights:
    import numpy as np

    if suits(inner):
        return values(inner, p.parts, r.parts, rows, columns)
    if not len(rows):
        return np.zeros(0)
    return np.array(inner.at(p.parts, r.parts, rows.tolist(), columns.tolist()), dtype=np.float64)


Pick: TypeAlias = "NDArray[np.bool_]"


class ContentOrder:
    """The order of the elements of each side by content, which breaks ties as `MatchElements.aligned` does."""

    def __init__(self, p: Flat, r: Flat) -> None:
        self._sides = p, r
        self.ranks = tuple(flat.parts.ranks() if isinstance(flat.parts, Rows) else None for flat in (p, r))

    def of(self, owner: int) -> tuple[list[int], list[int]]:
        """The elements of a document on each side."""
        mine, theirs = (self._elements(flat, owner, rank) for flat, rank in zip(self._sides, self.ranks, strict=True))
        return mine, theirs

    def _elements(self, flat: Flat, owner: int, rank: list[int] | None) -> list[int]:
        a, b = flat.offsets[owner : owner + 2]
        if rank is not None:
            return sorted(range(a, b), key=rank.__getitem__)
        return [a + place for place in content_order(flat.parts.items[a:b])]


def _stars(rows: Codes, columns: Codes, weights: Weights, order: ContentOrder | None, small: Pick) -> tuple[Pick, Pick]:
    """Of pairs that only share one element that of greatest weight is matched, of equal ones any, or that by content.

    Which pairs are matched, and of which this is not plain to see.
    """
    import numpy as np

    several, others = np.bincount(rows)[rows] > 1, np.bincount(columns)[columns] > 1
    kept = ~(several | others)
    unclear = several & others
    star = np.nonzero(several ^ others)[0]
    centre = np.where(several[star], rows[star], -1 - columns[star])
    rank = None if order is None else order.ranks[1]
    there = star if rank is None else np.asarray(rank)[columns[star]]
    best = np.lexsort((there, -weights[star], centre))
    star, centre = star[best], centre[best]
    first = np.diff(centre, prepend=np.iinfo(np.intp).max) != 0
    kept[star[first]] = True
    if order is not None:
        second = np.nonzero(~first)[0]
        second = second[first[second - 1] & (weights[star[second]] == weights[star[second - 1]])]
        tied = star[second]
        if rank is not None:  # of several columns a row takes the first; several rows are up to the solver
            tied = tied[others[tied] | ~small[tied]]
        unclear[tied] = True
    return kept, unclear


def _best(
    collection: MatchElements, p: Flat, r: Flat, owner: int, pairs: Matched, order: ContentOrder | None
) -> Matched:
    """A best matching of a document's pairs; of equal ones any, or that by content."""
    (a, b), (c, d) = p.offsets[owner : owner + 2], r.offsets[owner : owner + 2]
    if order is None:
        mine, theirs = list(range(a, b)), list(range(c, d))
    elif (b - a) * (d - c) > FEW:  # by itself it may be solved as a matrix, whose solver breaks ties in its own way
        return _alone(collection, p, r, owner)
    else:
        mine, theirs = order.of(owner)
    number = dict(zip(theirs, range(d - c), strict=True))
    by_row: dict[int, list[tuple[int, float]]] = {i: [] for i in mine}
    for i, j, w in pairs:
        by_row[i].append((number[j], w))  # type: ignore[arg-type]  # they came from an array
    table: Table = [dict(sorted(by_row[i])) for i in mine]
    chosen = matched(collection.match, "bag", table, b - a, d - c)
    return sorted((mine[i], theirs[j], w) for i, j, w in chosen)


def _alone(collection: Collection, p: Flat, r: Flat, owner: int) -> Matched:
    """The matched pairs of one document, chosen as if it were by itself."""
    a, c = p.offsets[owner], r.offsets[owner]
    return [(a + i, c + j, w) for i, j, w in collection.aligned(p.of(owner), r.of(owner))]
