"""The collection at the root of a similarity: its elements, document by document, and which of them are similar.

All that curves, agreement and several references ask of the engine is asked here.

>>> from matchwise.algebra.build import eq, f1
>>> root_collection(f1("items", eq("sku")))
overlap("items", eq("sku"))
>>> compare_elements(root_collection(f1("xs")), [{"xs": ["a", "b"]}], [{"xs": ["b"]}]).pred.items
['a', 'b']
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Latent, Normalized, Number, Overlap, Selector, Similarity
from matchwise.engine.keys import key
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.order import content_order
from matchwise.engine.parts import Flat, Parts, documents
from matchwise.engine.plan import part
from matchwise.engine.rewrite import outermost
from matchwise.engine.together.nearness import all_pairs
from matchwise.engine.together.roots import _joins
from matchwise.engine.together.values import suits, values
from matchwise.errors import DataError, ExpressionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from matchwise.corpus.statistic import Array

    Integers: TypeAlias = NDArray[np.int64]


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
    values: tuple[list[Any], ...] = ()
    """What each selector that was asked for selects of every element."""


class Cells(NamedTuple):
    """The pairs with a similarity above 0 as columns: predicted, reference, similarity. A pair is of one document."""

    rows: Integers
    columns: Integers
    weights: Array


class Compared(NamedTuple):
    """The elements of both sides, and which are similar.

    Where elements are equal or not, `keys` tells: elements of one document with equal keys are equal, and cells are
    not made. Else they are None.
    """

    pred: Elements
    ref: Elements
    cells: Cells | None
    keys: tuple[list[Hashable], list[Hashable]] | None = None


def compare_elements(
    sigma: Overlap,
    preds: list[Any],
    refs: list[Any],
    pred_values: tuple[Selector, ...] = (),
    ref_values: tuple[Selector, ...] = (),
) -> Compared:
    """Compare the elements of several documents, each with those of the same document.

    `pred_values` and `ref_values` select further parts of the elements: a confidence, a label.
    """
    inner = part(sigma.inner)
    with _Sides(preds, refs, _joins(inner)) as (p, r):
        mine, theirs = (side.select(sigma.sel[:-1]).flat(sigma.sel[-1:]) for side in (p, r))
        sides = _elements(inner, mine, pred_values), _elements(inner, theirs, ref_values)
        if isinstance(inner, Discrete):
            return Compared(*sides, None, (inner.keys(mine.parts), inner.keys(theirs.parts)))
        return Compared(*sides, _cells(inner, mine, theirs))


def _cells(inner: Operator, mine: Flat, theirs: Flat) -> Cells:
    """All at once where a join keeps documents apart, or where they are small; else document by document."""
    import numpy as np

    if mine.parts.scope is not None:
        return _columns(*inner.cells(mine.parts, theirs.parts))
    found, large = [Cells(*(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0))], range(len(mine.offsets) - 1)
    if suits(inner):
        rows, columns, _, large = all_pairs(mine, theirs)  # type: ignore[assignment]  # a list
        weights = values(inner, mine.parts, theirs.parts, rows, columns)
        kept = weights > 0
        found = [Cells(rows[kept], columns[kept], weights[kept])]
    for document in large:
        if (
            mine.offsets[document] == mine.offsets[document + 1]
            or theirs.offsets[document] == theirs.offsets[document + 1]
        ):
            continue
        pairs = inner.pairs(mine.of(document), theirs.of(document))
        if isinstance(pairs, list):
            cells = [(i, j, w) for i, row in enumerate(pairs) for j, w in row.items()]
            one = _columns(*zip(*cells, strict=True))
        else:
            places = pairs.nonzero()
            one = Cells(places[0], places[1], pairs[places])
        found.append(Cells(one.rows + mine.offsets[document], one.columns + theirs.offsets[document], one.weights))
    return Cells(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _columns(rows: Iterable[int] = (), columns: Iterable[int] = (), weights: Iterable[Number] = ()) -> Cells:
    import numpy as np

    made = np.array(list(weights), dtype=float)
    kept = made > 0
    return Cells(np.array(list(rows), dtype=np.int64)[kept], np.array(list(columns), dtype=np.int64)[kept], made[kept])


def _elements(inner: Operator, flat: Flat, values: tuple[Selector, ...]) -> Elements:
    worth = list(inner.selfs(flat.parts)) if flat.parts.items else []
    return Elements(flat.parts.items, flat.offsets, worth, tuple(flat.parts.select(sel).items for sel in values))


def select_all(items: list[Any], sel: Selector, side: str) -> list[Any]:
    """What a selector selects of each document."""
    with _Sides(items, items, False, side) as (p, _):
        return list(p.select(sel).items)


def elements_of(sigma: Overlap, document: Any, side: str) -> list[Any]:
    """The elements of one document; `side` names it in errors."""
    with _Sides([document], [document], False, side) as (p, _):
        return list(p.select(sigma.sel[:-1]).flat(sigma.sel[-1:]).parts.items)


def sort_by_content(items: list[Any]) -> list[Any]:
    """The objects in an order that depends on their content alone."""
    return [items[place] for place in content_order(items)]


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


def sort_places(items: list[Any], places: list[int]) -> list[int]:
    """The given places, in the order of the content that stands there."""
    return [places[number] for number in content_order([items[place] for place in places])]


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
