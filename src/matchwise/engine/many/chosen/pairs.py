"""The pairs themselves: what the outermost Σ matches, what is similar at all, and the best matching of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from matchwise.algebra.build import overlap
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.engine.many.frame import Flat, Frame, Vector, run
from matchwise.engine.many.operators.bag import BagOverlap
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.matching import MatchElements
from matchwise.engine.many.operators.pairwise import MatchInOrder
from matchwise.engine.many.operators.routing import Select
from matchwise.engine.plan import Plan, plan
from matchwise.engine.solve.assignment import assign
from matchwise.engine.solve.cells import Cell
from matchwise.errors import ExpressionError

Collection = BagOverlap | MatchElements | MatchInOrder


def collection_of(plan: Plan, sigma: Operator | None = None) -> tuple[Selector, Collection]:
    """The collection that a Σ of the plan matches, the outermost by default, and the path to the object that has it."""
    match (sigma or plan.sigma()).core:
        case BagOverlap() | MatchElements() | MatchInOrder() as collection:
            return (), collection
        case Select(sel=before, inner=BagOverlap() | MatchElements() | MatchInOrder() as collection):
            return before, collection
    raise ExpressionError(f"{plan.phi!r} has no elements to break down: it does not compare a collection")


def chosen_pairs_of_each(phi: Similarity, preds: list[Any], refs: list[Any]) -> list[list[tuple[int, int]]]:
    """The chosen pairs of each of many documents."""

    def read(preds: Frame, refs: Frame) -> list[list[tuple[int, int]]]:
        made = plan(phi)
        before, collection = collection_of(made)
        preds, refs = made.sigma().settle(preds, refs)
        p, r, places = preds.select(before), refs.select(before), np.arange(len(preds))
        found = collection.chosen(p, r, places, places)
        cells = _by_document(found.block, found.a, found.b, p.flat(collection.sel), r.flat(collection.sel))
        return [[(i, j) for _, i, j in some] for some in cells]

    return run(read, preds, refs)


def similar_pairs_of_each(
    phi: Similarity, preds: Sequence[Sequence[Any]], refs: Sequence[Sequence[Any]]
) -> list[list[Cell]]:
    """The similar pairs of each of many documents, given its two lists."""

    def read(preds: Frame, refs: Frame) -> list[list[Cell]]:
        collection = plan(overlap(None, phi)).sigma()
        assert isinstance(collection, Collection)
        p, r = preds.flat(()), refs.flat(())
        i, j, w = collection.inner.join(p.frame, r.frame)
        cells = _by_document(p.owners()[i], i, j, p, r)
        weights = w.tolist()
        return [[(a, b, weights[place]) for place, a, b in some] for some in cells]

    return run(read, [list(one) for one in preds], [list(one) for one in refs])


def _by_document(owners: Vector, i: Vector, j: Vector, p: Flat, r: Flat) -> list[list[tuple[int, int, int]]]:
    """Yield, for each document, the numbers of its pairs and the positions of both elements in the document."""
    firsts, seconds = p.offsets.tolist(), r.offsets.tolist()
    made: list[list[tuple[int, int, int]]] = [[] for _ in range(len(firsts) - 1)]
    for number, (owner, a, b) in enumerate(zip(owners.tolist(), i.tolist(), j.tolist(), strict=True)):
        made[owner].append((number, a - firsts[owner], b - seconds[owner]))
    return made


PairRows = list[dict[int, Number]]
"""The positive weights of each row, by column."""


def best_pairs(table: Sequence[Mapping[int, Number]]) -> list[tuple[int, int]]:
    """The 1:1 matching of greatest total weight of a table of positive weights: (row, column), rows ascending."""
    return assign([dict(row) for row in table])
