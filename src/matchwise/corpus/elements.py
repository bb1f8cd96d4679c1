"""The collection at the root of a similarity: its elements, document by document, and which of them are similar.

All that curves, agreement and several references ask of the engine is asked here.

>>> from matchwise.algebra.build import eq, f1
>>> root_collection(f1("items", eq("sku")))
overlap("items", eq("sku"))
>>> compare_elements(root_collection(f1("xs")), [{"xs": ["a", "b"]}], [{"xs": ["b"]}]).cells
[(1, 0, 1)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from matchwise.algebra.nodes import Latent, Normalized, Number, Overlap, Similarity
from matchwise.engine.order import content_order
from matchwise.engine.pairs import as_table
from matchwise.engine.parts import Parts, documents
from matchwise.engine.plan import part
from matchwise.engine.rewrite import outermost
from matchwise.engine.together.roots import _joins
from matchwise.errors import ExpressionError


def root_collection(phi: Similarity) -> Overlap:
    """Σ below the outermost normaliser, which must be an overlap of one collection."""
    rooted = outermost(phi)
    sigma = rooted.inner if isinstance(rooted, Normalized) else rooted
    if isinstance(sigma, Overlap):
        return sigma
    more = "; variables are matched over all elements at once" if isinstance(sigma, Latent) else ""
    raise ExpressionError(f'{phi!r} has no collection at its root{more}; write it as f1("relations", phi)')


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of several documents laid end to end: those of document d are items[offsets[d]:offsets[d + 1]]."""

    items: list[Any]
    offsets: list[int]
    worth: list[Number]
    """The similarity of each element to itself."""


class Compared(NamedTuple):
    """The elements of both sides, and (predicted, reference, similarity) of every pair with a similarity above 0.

    Pairs are of one document each, and sorted.
    """

    pred: Elements
    ref: Elements
    cells: list[tuple[int, int, Number]]


def compare_elements(sigma: Overlap, preds: list[Any], refs: list[Any]) -> Compared:
    """Compare the elements of several documents, each with those of the same document."""
    inner = part(sigma.inner)
    scoped = _joins(inner)
    with _Sides(preds, refs, scoped) as (p, r):
        mine, theirs = (side.select(sigma.sel[:-1]).flat(sigma.sel[-1:]) for side in (p, r))
        cells: list[tuple[int, int, Number]] = []
        if scoped:
            table = as_table(inner.pairs(mine.parts, theirs.parts))
            cells = [(i, j, w) for i, row in enumerate(table) for j, w in sorted(row.items()) if w]
        else:
            for number in range(len(preds)):
                first, second = mine.offsets[number], theirs.offsets[number]
                if first < mine.offsets[number + 1] and second < theirs.offsets[number + 1]:
                    rows = as_table(inner.pairs(mine.of(number), theirs.of(number)))
                    cells += [
                        (first + i, second + j, w) for i, row in enumerate(rows) for j, w in sorted(row.items()) if w
                    ]
        return Compared(
            Elements(mine.parts.items, mine.offsets, list(inner.selfs(mine.parts)) if mine.parts.items else []),
            Elements(theirs.parts.items, theirs.offsets, list(inner.selfs(theirs.parts)) if theirs.parts.items else []),
            cells,
        )


def elements_of(sigma: Overlap, document: Any, side: str) -> list[Any]:
    """The elements of one document; `side` names it in errors."""
    with _Sides([document], [document], False, side) as (p, _):
        return list(p.select(sigma.sel[:-1]).flat(sigma.sel[-1:]).parts.items)


def sort_by_content(items: list[Any]) -> list[Any]:
    """The objects in an order that depends on their content alone."""
    return [items[place] for place in content_order(items)]


class _Sides:
    """Both sides of several documents, forgotten afterwards."""

    def __init__(self, preds: list[Any], refs: list[Any], scoped: bool, name: str = "prediction") -> None:
        self.parts = documents(preds, name, scoped=scoped), documents(refs, "reference", scoped=scoped)

    def __enter__(self) -> tuple[Parts, Parts]:
        return self.parts

    def __exit__(self, *_: object) -> None:
        for parts in self.parts:
            parts.side.forget()
            parts.memo.clear()
