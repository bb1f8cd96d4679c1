"""The collection at the root of a similarity: its elements, document by document, and which of them are similar.

All that curves, agreement and several references ask of the engine is asked here.

>>> from matchwise.algebra.build import eq, f1
>>> root_collection(f1("items", eq("sku")))
overlap("items", eq("sku"))
>>> compare_elements(root_collection(f1("xs")), [{"xs": ["a", "b"]}], [{"xs": ["b"]}]).pred.items
['a', 'b']
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from matchwise.algebra.nodes import Latent, Normalized, Number, Overlap, Selector, Similarity
from matchwise.arrays import Floats, Integers
from matchwise.engine.keys import key
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Flat, Frame, frame_of, run
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.equality import Equality, keys_of
from matchwise.engine.operators.operator import Operator
from matchwise.engine.rewrite import outermost
from matchwise.errors import DataError, ExpressionError


def root_collection(phi: Similarity) -> Overlap:
    """Σ below the outermost normaliser, which must be an overlap of one collection."""
    rooted = outermost(phi)
    sigma = rooted.inner if isinstance(rooted, Normalized) else rooted
    if isinstance(sigma, Overlap):
        return sigma
    more = "; variables are matched over all elements at once" if isinstance(sigma, Latent) else ""
    raise ExpressionError(f'{phi!r} has no collection at its root{more}; write it as f1("relations", phi)')


@dataclass(frozen=True, slots=True)
class SideElements:
    """The elements of several documents laid end to end: document d has items[offsets[d]:offsets[d + 1]]."""

    items: list[Any]
    offsets: list[int]
    worth: list[Number]
    """The similarity of each element to itself."""
    values: tuple[list[Any], ...] = ()
    """What each selector that was asked for selects of every element."""


class Cells(NamedTuple):
    """The pairs with a similarity above 0 as columns: predicted, reference, similarity. A pair is of one document."""

    rows: Integers
    columns: Integers
    weights: Floats


class Compared(NamedTuple):
    """The elements of both sides, and which are similar.

    Where elements are equal or not, `keys` tells: elements with equal keys are equal and of one document, and cells are
    not made. Else they are None.
    """

    pred: SideElements
    ref: SideElements
    cells: Cells | None
    keys: tuple[list[Hashable], list[Hashable]] | None = None


def compare_elements(
    sigma: Overlap,
    preds: list[Any],
    refs: list[Any],
    pred_values: tuple[Selector, ...] = (),
    ref_values: tuple[Selector, ...] = (),
) -> Compared:
    """Compare the elements of several documents, document by document.

    `pred_values` and `ref_values` select further parts of the elements: a confidence, a label.
    """
    inner = operator(sigma.inner)

    def read(p: Frame, r: Frame) -> Compared:
        mine, theirs = (side.select(sigma.sel[:-1]).flat(sigma.sel[-1:]) for side in (p, r))
        pred, ref = _elements(inner, mine, pred_values), _elements(inner, theirs, ref_values)
        if isinstance(inner, Equality):
            return Compared(pred, ref, None, (_keys(inner, mine.frame), _keys(inner, theirs.frame)))
        i, j, weights = inner.join(mine.frame, theirs.frame)
        cells = Cells(np.asarray(i, dtype=np.int64), np.asarray(j, dtype=np.int64), np.asarray(weights, dtype=float))
        return Compared(pred, ref, cells)

    return run(read, preds, refs)


def _keys(inner: Equality, frame: Frame) -> list[Hashable]:
    keys = keys_of(inner.phi, frame)
    return keys if frame.documents is None else list(zip(list(frame.documents), keys, strict=True))


def _elements(inner: Operator, flat: Flat, values: tuple[Selector, ...]) -> SideElements:
    frame = flat.frame
    worth = kernels.whole(inner.self_scores(frame))
    return SideElements(frame.items, flat.offsets.tolist(), worth, tuple(frame.select(sel).items for sel in values))


def select_all(items: list[Any], sel: Selector, side: str) -> list[Any]:
    """What a selector selects of each document."""
    return list(frame_of(items, side).select(sel).items)


def elements_of(sigma: Overlap, document: Any, side: str) -> list[Any]:
    """The elements of one document; `side` names it in errors."""
    return list(frame_of([document], side).select(sigma.sel[:-1]).flat(sigma.sel[-1:]).frame.items)


def content_of(items: list[Any], *, names: bool = False) -> tuple[list[Any], list[int]]:
    """The number of each object among those that differ by content, and where each of them first stands.

    With `names`, their contents themselves instead of numbers.

    >>> content_of([{"a": 1}, {"a": 2}, {"a": 1}])
    ([0, 1, 0], [0, 1])
    """
    try:
        contents = [key(item) for item in items]
    except ValueError as error:
        raise DataError(str(error)) from None
    places: dict[Hashable, int] = {}
    for place, content in enumerate(contents):
        places.setdefault(content, place)
    numbers = {content: number for number, content in enumerate(places)}
    return (contents if names else [numbers[content] for content in contents]), list(places.values())
