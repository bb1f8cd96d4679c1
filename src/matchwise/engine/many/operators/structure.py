"""Trees and graphs: the nodes are joined like elements, and matched so that the order of the nodes is kept."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from matchwise.algebra.nodes import Overlap
from matchwise.arrays import Floats, Integers
from matchwise.engine.limits import Limits, answer
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Flat, Frame, Vector
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.searched import Bounded, Searched, cells_of, fill, most_of, most_of_rows
from matchwise.engine.solve.cells import Cell, exact_sum
from matchwise.engine.structures import Structure, structure

if TYPE_CHECKING:
    from matchwise.engine.solve.forests import Relations


class Nodes(NamedTuple):
    """The structure of each object, and the nodes of all of them laid end to end."""

    structures: list[Structure]
    flat: Flat


class MatchNodes(Searched):
    """Σ^◇[φ] of the nodes of two trees or graphs."""

    verb: ClassVar[str] = "match nodes"

    def __init__(self, phi: Overlap, inner: Operator) -> None:
        super().__init__(phi, inner)
        self.inner = inner
        self.sel, self.match, self.order = phi.sel, phi.match, phi.order
        self.dense = True

    def nodes(self, frame: Frame) -> Nodes:
        """The nodes of the selected value of each object."""
        tag = ("nodes", self.order, self.sel)
        made: Nodes | None = frame.memo.get(tag)
        if made is None:
            values = frame.select(self.sel)
            found = [self._structure(values, index) for index in range(len(values))]
            offsets = list(accumulate((len(one.nodes) for one in found), initial=0))
            at = kernels.places(offsets)
            documents = None if frame.documents is None else frame.documents[kernels.owners_of(at)]
            nodes = [node for one in found for node in one.nodes]
            below = Frame(nodes, partial(_node_path, values, found, offsets), frame.side, documents)
            frame.side.remember(below)
            made = frame.memo[tag] = Nodes(found, Flat(below, at))
        return made

    def _structure(self, values: Frame, index: int) -> Structure:
        try:
            found = structure(values.items[index])
            if self.order == "tree":
                found.parents()
        except ValueError as error:
            raise values.fail(index, str(error)) from error
        return found

    def solve(self, pred: Frame, ref: Frame) -> Bounded:
        """The best matching of the nodes of two objects; within the limits of the search, if there are any."""
        name = (self, pred.side.name, pred.path(0), ref.side.name, ref.path(0))
        return answer(name, lambda limits: self._solve(pred, ref, limits))

    def _solve(self, pred: Frame, ref: Frame, limits: Limits) -> Bounded:
        ((mine,), p), ((theirs,), r) = self.nodes(pred), self.nodes(ref)
        if not len(p.frame) or not len(r.frame):
            return Bounded([], 0, 0)
        if self.order == "tree" and self.match == "1:1":
            return _solve_trees(cells_of(self.inner, p.frame, r.frame), mine, theirs)
        from matchwise.engine.solve.structure import solve_order

        table = fill(self.inner, p.frame, r.frame, limits)
        rows, columns, weights = _candidates(table.cells)
        relations = _relation(mine, self.order), _relation(theirs, self.order)
        found = solve_order(self.match, *relations, rows, columns, weights, limits)
        matched = [table.cells[place] for place in found.chosen]
        lower = exact_sum([w for _, _, w in matched])
        if found.lower == found.upper and not table.most:
            return Bounded(matched, lower, lower)
        if pred is ref:  # every node with itself keeps the order; it divides, and so must not be 0 however late it is
            lower = max(lower, exact_sum(self.inner.self_scores(p.frame).tolist()))
        upper = min(found.upper, most_of(self.match, table.cells))
        upper += most_of_rows(self.match, table.most, len(r.frame))
        if self.match == "1:1" and self.inner.facts.self_score.holds:
            upper = min(upper, self.own(pred), self.own(ref))
        return Bounded(matched, lower, max(lower, upper))

    def _self_scores(self, frame: Frame) -> Vector:
        if self.match != "N:N" and self.inner.facts.self_score.holds:
            flat = self.nodes(frame).flat
            return kernels.sum_by(flat.owners(), self.inner.self_scores(flat.frame), len(frame))
        return self.solved_self_scores(frame)

    def detail(self) -> str:
        polynomial = self.order == "tree" and self.match == "1:1"
        how = "dynamic programme over subtrees" if polynomial else "branch and bound, then HiGHS"
        return f"{self.match}, {self.order}, {how}"

    def cost(self) -> str:
        polynomial = self.order == "tree" and self.match == "1:1"
        return "O(n·m·min(depth, leaves)²)" if polynomial else "exact; NP-hard at worst"


def _node_path(values: Frame, structures: list[Structure], offsets: list[int], index: int) -> str:
    """The path to a node: `tree.children[0]`, `graph['a']`."""
    owner = bisect_right(offsets, index) - 1
    before, path = values.path(owner), structures[owner].paths[index - offsets[owner]]
    return f"{before}.{path}" if before and path and path[0] != "[" else before + path


def _candidates(cells: list[Cell]) -> tuple[Integers, Integers, Floats]:
    """The nodes that score together: rows, columns and weights."""
    rows, columns = (np.array([cell[side] for cell in cells], dtype=np.int64) for side in (0, 1))
    return rows, columns, np.array([float(w) for _, _, w in cells])


def _relation(found: Structure, order: str) -> Relations:
    """`Structure.relations` as an array."""
    size = len(found.nodes)
    reach = np.zeros((size, size), dtype=np.int8)
    for node, reached in enumerate(found.reach()):
        reach[node, list(reached)] = 1
    made: Relations = reach + 2 * reach.T
    if order == "tree":
        place = np.empty(size)
        place[found.postorder()] = np.arange(size)
        made = np.where(made > 0, made, np.where(place[:, None] < place, 4, 5)).astype(np.int8)
    return made


def _solve_trees(cells: list[Cell], mine: Structure, theirs: Structure) -> Bounded:
    """Zhang and Shasha over both trees with a root above all, from the left or from the right, whichever is cheaper."""
    from matchwise.engine.solve.forests import outline, tree_matched, tree_table

    best = None
    for mirrored in (False, True):
        (p, below_p), (r, below_r) = _postorder(mine, mirrored), _postorder(theirs, mirrored)
        outlines = outline(below_p), outline(below_r)
        for swapped in (False, True):
            one, two = reversed(outlines) if swapped else outlines
            rows = one.rows * len(two.keyroots)
            if best is None or rows < best[0]:
                best = rows, swapped, (p, below_p, outlines[0]), (r, below_r, outlines[1])
    assert best is not None
    _, swapped, (p, below_p, outline_p), (r, below_r, outline_r) = best
    weights = np.zeros((len(below_p), len(below_r)))
    at_p, at_r = ({node: place for place, node in enumerate(order)} for order in (p, r))
    for i, j, w in cells:
        weights[at_p[i], at_r[j]] = w
    if swapped:
        table = tree_table(weights.T.copy(), outline_r, outline_p, below_r, below_p)
        found = [(i, j) for j, i in tree_matched(weights.T.copy(), outline_r, outline_p, table)]
    else:
        table = tree_table(weights, outline_p, outline_r, below_p, below_r)
        found = tree_matched(weights, outline_p, outline_r, table)
    table_of = {(i, j): w for i, j, w in cells}
    matched = sorted((p[i], r[j], table_of[p[i], r[j]]) for i, j in found)
    total = exact_sum([w for _, _, w in matched])
    return Bounded(matched, total, total)


def _postorder(found: Structure, mirrored: bool) -> tuple[list[int], list[list[int]]]:
    """The nodes children first, and the children of each in these numbers, with a root above all at the end."""
    order = found.postorder(mirrored)
    number = {node: place for place, node in enumerate(order)}
    below = [*(found.following[node] for node in order), found.roots()]
    return order, [[number[child] for child in (children[::-1] if mirrored else children)] for children in below]
