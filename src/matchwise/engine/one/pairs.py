"""The pairs themselves: what the outermost Σ of two objects matches, what of two lists is similar at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matchwise.algebra.nodes import Similarity
from matchwise.engine.one.parts import Part, compare
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.collections import Collection
from matchwise.engine.operators.compound import Select
from matchwise.engine.operators.functions import Normalize
from matchwise.engine.solve.cells import Cell
from matchwise.errors import ExpressionError

if TYPE_CHECKING:
    from matchwise.engine.many.frame import Frame


def chosen_pairs(phi: Similarity, pred: Any, ref: Any) -> list[tuple[int, int]]:
    """The elements that the outermost Σ of φ(pred, ref) matches, by position.

    >>> from matchwise.algebra.build import overlap
    >>> chosen_pairs(overlap("xs"), {"xs": ["a", "b"]}, {"xs": ["b", "c"]})
    [(1, 0)]
    """

    def read(p: Part, r: Part) -> list[tuple[int, int]]:
        made = operator(phi)
        if isinstance(made, Normalize):
            made = made.inner
        if isinstance(made, Select):
            p, r, made = p.select(made.sel), r.select(made.sel), made.inner
        if not isinstance(made, Collection):
            raise ExpressionError(f"{phi!r} has no elements to pair: it does not compare a collection")
        return [(i, j) for i, j, _ in made.solution(p, r)[1]]

    return compare(None, read, pred, ref, keeps=True)


def similar_pairs(phi: Similarity, xs: Sequence[Any], ys: Sequence[Any]) -> list[Cell]:
    """All non-zero φ(x, y) of two lists of objects: (i, j, φ), sorted.

    >>> from matchwise.algebra.build import f1
    >>> similar_pairs(f1(), [["a", "b"], ["c"]], [["b"]])
    [(0, 0, 0.6666666666666666)]
    """
    if not xs or not ys:
        return []
    return compare(None, lambda p, r: operator(phi).cells(p.elements(()), r.elements(())), list(xs), list(ys))


def similar_pairs_of_all(phi: Similarity, xs: list[list[Any]], ys: list[list[Any]]) -> list[list[Cell]]:
    """All non-zero φ(x, y) of each list of the first side and the list of the second in its place.

    >>> from matchwise.algebra.build import eq
    >>> similar_pairs_of_all(eq(), [["a", "b"], []], [["b"], ["b"]])
    [[(1, 0, 1.0)], []]
    """
    from matchwise.engine.many.frame import run

    def read(preds: Frame, refs: Frame) -> list[list[Cell]]:
        mine, theirs = preds.flat(()), refs.flat(())
        found = operator(phi).join(mine.frame, theirs.frame)
        made: list[list[Cell]] = [[] for _ in xs]
        owners, before, after = (one.tolist() for one in (mine.owners, mine.offsets, theirs.offsets))
        for i, j, w in zip(found.i.tolist(), found.j.tolist(), found.w.tolist(), strict=True):
            of = owners[i]
            made[of].append((i - before[of], j - after[of], w))
        return made

    return run(read, xs, ys)
