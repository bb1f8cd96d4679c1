"""Equal items first: where it is proved to lose nothing, they are paired before the rest is matched.

Let z stand on both sides, and let a 1:1 matching pair x with z and z with y. To pair z with z and x with y instead
gains φ(z, z) + φ(x, y) − φ(x, z) − φ(z, y). Where this is never negative some best matching pairs all equal items, and
what is left is a smaller problem. For φ(z, z) = 1 it is the triangle inequality of 1 − φ. It holds

- of a sum, if it holds of the parts and φ(x, y) ≤ φ(x, x), φ(y, y): an absent part of z adds nothing on either side;
- of a 1:1 overlap of such φ: the matchings x → z → y compose to one of x → y;
- of a key times such φ: if the keys of x, y and z differ, what is left is φ(x, z) ≤ φ(z, z).

It fails for F1, edit distance and tolerances: ⟦|x − y| ≤ 1⟧ of 1, 2 against 2, 3 pairs 1–2, 2–3 for 2, but 2–2 for 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import pairwise

from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Eq, Leaf, Overlap, Product, Similarity, Sum
from matchwise.engine.frame import Frame
from matchwise.engine.keys import keys


def peels(phi: Similarity) -> bool:
    """Whether equal items may be paired first: φ(x, z) + φ(z, y) ≤ φ(z, z) + φ(x, y) for all x, y and z.

    >>> from matchwise.algebra.build import eq, f1, overlap
    >>> peels(eq("sku") + 2 * eq("price") + overlap("tags")), peels(f1("tags"))
    (True, False)
    """
    match phi:
        case Eq():
            return True
        case Leaf():
            known = facts(phi)
            return bool(known.triangle and known.unit)
        case Sum(terms):
            return all(hasattr(part, "sel") and _in_order(part) and peels(part) for _, part in terms)
        case Overlap(_, inner, "1:1", "bag" | "sequence" | "index", None):
            return _in_order(inner) and peels(inner)
        case Product(factors):
            graded = [factor for factor in factors if not facts(factor).discrete]
            return len(graded) <= 1 and all(_in_order(factor) and peels(factor) for factor in factors)
    return False


def _in_order(phi: Similarity) -> bool:
    known = facts(phi)
    return bool(known.left and known.right)


def peel(phi: Similarity, preds: Frame, refs: Frame) -> tuple[list[tuple[int, int]], list[int], list[int]] | None:
    """The pairs of equal items, and the items that are left on each side; None if nothing is equal."""
    try:
        mine, theirs = content(phi, preds), content(phi, refs)
    except ValueError:
        return None  # a value without content: the comparison itself will say which
    places: dict[Hashable, list[int]] = {}
    for j in range(len(theirs) - 1, -1, -1):
        places.setdefault(theirs[j], []).append(j)
    pairs: list[tuple[int, int]] = []
    left = []
    for i, k in enumerate(mine):
        here = places.get(k)
        if here:
            pairs.append((i, here.pop()))
        else:
            left.append(i)
    return (pairs, left, sorted(j for rest in places.values() for j in rest)) if pairs else None


def content(phi: Similarity, frame: Frame) -> list[Hashable]:
    """All that φ compares of each object, as something hashable: objects with equal content are the same to φ."""
    match phi:
        case Eq(sel) | Leaf(sel=sel):
            return keys(frame.select(sel).items)
        case Product(factors):
            return list(zip(*(content(factor, frame) for factor in factors), strict=True))
        case Sum(terms):
            return list(zip(*(_part(part, frame) for _, part in terms), strict=True))
        case Overlap(sel, inner, order=order):
            flat = frame.flat(sel)
            found = content(inner, flat.frame)
            bags = (found[a:b] for a, b in pairwise(frame.kernels.plain(flat.offsets)))
            return [frozenset(Counter(bag).items()) if order == "bag" else tuple(bag) for bag in bags]
    raise AssertionError(f"{phi!r} does not peel")


def _part(phi: Similarity, frame: Frame) -> list[Hashable]:
    """The content of a term, which an object may lack."""
    from matchwise.engine.rewrite import split_selector

    sel, bare = split_selector(phi)
    kept, own = frame.present(sel or ())
    found: list[Hashable] = content(bare, own) if len(own) else []
    if kept is None:
        return found
    made: list[Hashable] = [_ABSENT] * len(frame)
    for index, k in zip(frame.kernels.plain(kept), found, strict=True):
        made[index] = k
    return made


_ABSENT = ("absent",)
