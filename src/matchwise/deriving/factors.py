"""The factors of a record that counts as a whole: each is a value from 0 to 1, also where it is a list or is absent.

>>> from matchwise import edit, overlap
>>> require_all(overlap("lines"), "Order"), allow_absence(edit("text"))
(f1("lines") >= 1, normalize(1 * edit("text"), "f1"))
"""

from __future__ import annotations

from matchwise.algebra import nodes
from matchwise.algebra.build import normalize
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.walk import children, variables
from matchwise.errors import DeriveError


def require_all(factor: Similarity, where: str) -> Similarity:
    """⟦F[φ] ≥ 1⟧ of a factor that counts parts: a record with a list counts once, if the whole list is right."""
    if not is_total(factor):
        return factor
    if variables(factor):
        raise DeriveError(
            f"{where}: a list that holds names cannot be compared as a whole, as {factor!r} would be; "
            "compare the record as a sum of its fields"
        )
    return normalize(factor, "f1") >= 1


def allow_absence(factor: Similarity, *, read: bool = False) -> Similarity:
    """F[1·φ] of a factor that may be absent: 1 if it is absent on both sides, 0 if on one side, else φ.

    Equality and names take None as it is. With `read`, documents have an empty list where there was none.
    """
    takes_none = nodes.Eq | nodes.Var | nodes.Overlap if read else nodes.Eq | nodes.Var
    if isinstance(factor, takes_none) or variables(factor):
        return factor
    return 1 * factor if is_total(factor) else normalize(1 * factor, "f1")


def apply_floor(phi: Similarity, least: Number) -> Similarity:
    """⟦F[φ] ≥ t⟧ × φ of a φ that counts parts, ⟦φ ≥ t⟧ × φ of any other; equality has nothing in between."""
    if facts(phi).discrete:
        return phi
    return ((normalize(phi, "f1") if is_total(phi) else phi) >= least) * phi


def is_total(phi: Similarity) -> bool:
    """Whether φ counts parts, and so has to be normalised."""
    match phi:
        case nodes.Sum() | nodes.Overlap() | nodes.Again():
            return True
        case nodes.Product() | nodes.Union() | nodes.Recursive() | nodes.Minus():
            return any(map(is_total, children(phi)))
        case _:
            return False
