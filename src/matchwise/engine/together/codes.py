"""Keys as numbers: equal keys of two sides have equal codes, so that arrays can be joined.

Of the rows of a table only the distinct values have keys; all else is arithmetic.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from matchwise.algebra.nodes import Above, Eq, Normalized, Overlap, Product, Selector, Similarity
from matchwise.engine.columns import Column, owners_of
from matchwise.engine.keys import keys
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.parts import Flat, Parts, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Codes: TypeAlias = "NDArray[np.intp]"

WIDE = 2**40
"""Codes beyond it are numbered anew."""


def codes(operator: Discrete, preds: Parts, refs: Parts) -> tuple[Codes, Codes]:
    """Equal keys have equal numbers."""
    tag = (operator.phi, refs, "codes")
    made: tuple[Codes, Codes] | None = preds.memo.get(tag)
    if made is None:
        made = _by_columns(operator.phi, preds, refs) or _numbered(operator.keys(preds), operator.keys(refs))[1:]
        preds.memo[tag] = made
    return made


def tabular(phi: Similarity, parts: Parts) -> bool:
    """Whether what is compared are the rows of a table, or bags of them."""
    match phi:
        case Above(Normalized(_, Overlap(sel))):
            return isinstance(parts.flat(sel).parts, Rows)
    return isinstance(parts, Rows)


def _by_columns(phi: Similarity, preds: Parts, refs: Parts) -> tuple[Codes, Codes] | None:
    match phi:
        case Above(Normalized(_, Overlap(sel, inner))):
            return _bags(inner, preds.flat(sel), refs.flat(sel))
    return _columns(phi, preds, refs)


def _bags(inner: Similarity, p: Flat, r: Flat) -> tuple[Codes, Codes] | None:
    """Equal bags have the same codes in order."""
    import numpy as np

    made = p.parts.memo.get((inner, r.parts, "codes")) or _columns(inner, p.parts, r.parts)
    if made is None:
        return None
    found = []
    for flat, numbers in zip((p, r), made, strict=True):
        first = owners_of(flat.offsets) * (1 + numbers.max(initial=0))
        ordered = np.sort(first + numbers) - first
        size, data = ordered.itemsize, ordered.tobytes()
        found.append([data[a * size : b * size] for a, b in pairwise(flat.offsets)])
    return _numbered(*found)[1:]


def _columns(phi: Similarity, preds: Parts, refs: Parts) -> tuple[Codes, Codes] | None:
    """The codes of fields that both sides have as columns: those of a product are a mixed radix number."""
    import numpy as np

    if not isinstance(preds, Rows) or not isinstance(refs, Rows):
        return None
    mine = theirs = np.zeros((), dtype=np.intp)
    for factor in phi.factors if isinstance(phi, Product) else (phi,):
        p, r = (part.column(factor.sel) if isinstance(factor, Eq) else None for part in (preds, refs))
        if p is None or r is None:
            return None
        size, a, b = _shared(p, r)
        mine, theirs = mine * size + a, theirs * size + b
        if max(mine.max(initial=0), theirs.max(initial=0)) > WIDE:
            _, both = np.unique(np.concatenate((mine, theirs)), return_inverse=True)
            mine, theirs = both[: len(mine)], both[len(mine) :]
    return mine, theirs


def _shared(p: Column, r: Column) -> tuple[int, Codes, Codes]:
    """Two columns by one numbering, of so many numbers; the values of one column are different as they are."""
    if p.values is r.values:
        return len(p.values), p.codes, r.codes
    distinct, a, b = _numbered(keys(list(p.values)), keys(list(r.values)))
    return len(distinct), a[p.codes], b[r.codes]


def label_codes(sel: Selector, preds: Parts, refs: Parts) -> tuple[tuple[list[Hashable], list[Hashable]], Codes, Codes]:
    """The labels as each side first writes them (1 is 1.0), and the number of each element's."""
    from matchwise.engine.credit import label, labels_of

    p, r = (part.column(sel) if isinstance(part, Rows) else None for part in (preds, refs))
    if p is None or r is None:
        mine, theirs = labels_of(preds, sel), labels_of(refs, sel)
    else:
        mine, theirs = list(map(label, p.values)), list(map(label, r.values))
    labels, a, b = _numbered(mine, theirs)
    others = labels
    if not set(map(type, labels)) <= {str}:
        written = dict(zip(reversed(b.tolist()), reversed(theirs), strict=True))
        others = [written.get(number, one) for number, one in enumerate(labels)]
    return (labels, others), *((a, b) if p is None or r is None else (a[p.codes], b[r.codes]))


def _numbered(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> tuple[list[Hashable], Codes, Codes]:
    import numpy as np

    numbers: dict[Hashable, int] = {}
    number = numbers.setdefault
    p, r = (np.array([number(k, len(numbers)) for k in several], dtype=np.intp) for several in (mine, theirs))
    return list(numbers), p, r
