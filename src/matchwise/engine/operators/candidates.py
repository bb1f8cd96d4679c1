"""Which elements may be worth pairing, where a collection is too large for all pairs: a ceiling of φ, by columns.

The ceiling of a sum is the sum of the ceilings of its parts: that of an equality or a tolerance is its value, which
arrays find quickly; that of a bag is Σ c·d ≥ Σ min(c, d); that of anything else is min(φ(x, x), φ(y, y)).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.algebra.nodes import Leaf, Number
from matchwise.engine.frame import Frame
from matchwise.engine.operators.bag import BagOverlap
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.compound import Add, Term
from matchwise.engine.operators.equality import Equality
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.tuning import AT_ONCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float64]"
Row: TypeAlias = dict[int, Number]

QUICK = frozenset({"close", "within"})
"""Leaves that arrays compare as quickly as they look up a ceiling."""

BONUS = 1e-3
"""Of equally high ceilings, equal values come first."""


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
        import numpy as np

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

    def _values(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> list[Number]:
        """φ at the given places."""
        found: list[Number] = self.inner.at(self.preds, self.refs, rows, columns).tolist()
        return found

    def _ceiling(self, rows: list[int]) -> tuple[Matrix, Matrix]:
        """What no cell of the rows is above, and the same with a bonus for equal values."""
        import numpy as np

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

    def _present(self, term: Term, rows: list[int]) -> tuple[NDArray[np.intp], NDArray[np.intp], Frame, Any, Frame]:
        """Which of the rows have a part, where that part is among all, and the columns that have it."""
        import numpy as np

        if term not in self._known:
            (kept_p, own_p), (kept_r, own_r) = term.present(self.preds), term.present(self.refs)
            at = np.arange(len(self.preds)) if kept_p is None else self.preds.kernels.inverse(kept_p, len(self.preds))
            self._known[term] = at, own_p, np.arange(len(self.refs)) if kept_r is None else kept_r, own_r
        at, own_p, kept, own_r = self._known[term]
        a = at[rows]
        here = np.nonzero(a >= 0)[0]
        return here, a[here], own_p, kept, own_r

    def _of(self, operator: Operator, preds: Frame, a: NDArray[np.intp], refs: Frame) -> tuple[Any, Any]:
        """The ceiling of one part, and where its values are equal, if that says more."""
        import numpy as np

        match operator:
            case Equality():
                return self._equal(preds, operator.keys(preds), a, operator.keys(refs)), None
            case Compare(phi=Leaf(kind)) if kind.name in QUICK:
                rows, columns = np.repeat(a, len(refs)), np.tile(np.arange(len(refs)), len(a))
                return operator.at(preds, refs, rows, columns).reshape(len(a), len(refs)), None
            case BagOverlap(match="1:1"):
                return self._shared(operator, preds, a, refs), None
        mine, theirs = (operator.self_scores(side) for side in (preds, refs))
        equal = None
        if isinstance(operator, Compare) and isinstance(operator.phi, Leaf):
            (p, xs), (r, ys) = operator.coded(preds), operator.coded(refs)
            equal = self._equal(preds, [xs[code] for code in p.tolist()], a, [ys[code] for code in r.tolist()])
        return np.minimum.outer(mine[a], theirs), equal

    def _equal(self, preds: Frame, mine: list[Hashable], a: NDArray[np.intp], theirs: list[Hashable]) -> Any:
        """Where keys are equal: true or false, which take an eighth of the memory of numbers."""
        import numpy as np

        if preds not in self._known:
            codes: dict[Hashable, int] = {}
            self._known[preds] = tuple(
                np.array([codes.setdefault(k, len(codes)) for k in side], dtype=np.int32) for side in (mine, theirs)
            )
        p, r = self._known[preds]
        return np.equal(p[a][:, None], r[None, :])

    def _shared(self, operator: BagOverlap, preds: Frame, a: NDArray[np.intp], refs: Frame) -> Matrix:
        """Σ c·d over the elements that two bags share."""
        if preds not in self._known:
            codes: dict[Hashable, int] = {}
            sides = [_bags(operator, side) for side in (preds, refs)]
            for counts in (*sides[0], *sides[1]):
                for k in counts:
                    codes.setdefault(k, len(codes))
            self._known[preds] = tuple(_incidence(side, codes) for side in sides)
        p, r = self._known[preds]
        made: Matrix = (p[a] @ r.T).toarray()
        return made


def _bags(operator: BagOverlap, frame: Frame) -> list[Counter[Hashable]]:
    """The keys of each collection."""
    flat = frame.flat(operator.sel)
    keys = operator.inner.keys(flat.frame)
    return [Counter(keys[a:b]) for a, b in pairwise(flat.offsets.tolist())]


def _incidence(bags: list[Counter[Hashable]], codes: dict[Hashable, int]) -> Any:
    """How often each bag holds each element, as a sparse array."""
    import numpy as np
    from scipy.sparse import csr_array

    rows = [i for i, bag in enumerate(bags) for _ in bag]
    columns = [codes[k] for bag in bags for k in bag]
    counts = [float(count) for bag in bags for count in bag.values()]
    return csr_array((np.array(counts), (rows, columns)), shape=(len(bags), max(1, len(codes))))
