"""The best matching of two ordered trees that keeps ancestors and the order of siblings, in polynomial time.

Zhang and Shasha (1989), maximised. F[i, j] is the best total of the nodes up to i and up to j, in postorder, of two
subtrees; T[i, j] that of the subtrees at i and j themselves, with l(i) the leftmost leaf below i:

    F[i, j] = max(F[i-1, j], F[i, j-1], F[l(i)-1, l(j)-1] + T[i, j])
    T[i, j] = F[i, j] in the subtrees at i and j, where also F[i-1, j-1] + w[i, j] counts

A row of F is one running maximum. Only subtrees at keyroots (nodes with a left sibling, and the root) need a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from matchwise.arrays import Floats, Integers
from matchwise.engine.solve.cells import Cell
from matchwise.engine.structures import Structure


def solve_trees(cells: Sequence[Cell], mine: Structure, theirs: Structure) -> list[Cell]:
    """The matched nodes, given what they score; from the left or from the right, whichever has less to compare."""
    sides = ((_Tree.of(mine, mirrored), _Tree.of(theirs, mirrored)) for mirrored in (False, True))
    p, r = min(sides, key=lambda both: both[0].rows * len(both[1].keyroots))
    weights = np.zeros((len(p.left), len(r.left)))
    at_p, at_r = np.argsort(p.order), np.argsort(r.order)
    if cells:
        i, j, w = (np.array(column) for column in zip(*cells, strict=True))
        weights[at_p[i], at_r[j]] = w
    matched = [(p.order[i], r.order[j], float(weights[i, j])) for i, j in match_trees(weights, p, r)]
    return sorted(matched)


class _Tree(NamedTuple):
    """A tree in postorder with a root above all: its nodes, their children and leftmost leaves, and its keyroots."""

    order: list[int]
    children: list[list[int]]
    left: Integers
    keyroots: list[int]
    """Except leaves."""

    @classmethod
    def of(cls, found: Structure, mirrored: bool) -> _Tree:
        order = found.postorder(mirrored)
        number = {node: place for place, node in enumerate(order)}
        below = [*(found.following[node] for node in order), found.roots()]
        children = [[number[child] for child in (some[::-1] if mirrored else some)] for some in below]
        left = np.arange(len(children))
        for node, some in enumerate(children):
            if some:
                left[node] = left[some[0]]
        highest = {int(leaf): node for node, leaf in enumerate(left)}
        return cls(order, children, left, [node for node in sorted(highest.values()) if children[node]])

    @property
    def rows(self) -> int:
        """The nodes of all subtrees at keyroots."""
        return sum(root - int(self.left[root]) + 1 for root in self.keyroots)


def fill_trees(w: Floats, p: _Tree, r: _Tree) -> Floats:
    """T, for all nodes of two trees; T[-1, -1] is the total."""
    table = np.zeros(w.shape)
    below_r, below_p = w.copy(), w.T.copy()
    for below, children in ((below_r, r.children), (below_p, p.children)):
        for node, some in enumerate(children):
            for child in some:
                np.maximum(below[:, node], below[:, child], out=below[:, node])
    leaves_p, leaves_r = ([node for node, some in enumerate(tree.children) if not some] for tree in (p, r))
    table[leaves_p] = below_r[leaves_p]  # a leaf meets the best node of a subtree
    table[:, leaves_r] = below_p[leaves_r].T
    for i in p.keyroots:
        for j in r.keyroots:
            fill_forest(w, p, r, table, i, j)
    return table


def fill_forest(w: Floats, p: _Tree, r: _Tree, table: Floats, i1: int, j1: int) -> Floats:
    """F of the subtrees at i1 and j1, from the T of smaller ones; fills in T where both subtrees start at the left."""
    i0, j0 = int(p.left[i1]), int(r.left[j1])
    before = r.left[j0 : j1 + 1] - j0
    whole = before == 0
    made = np.zeros((i1 - i0 + 2, j1 - j0 + 2))
    for i in range(i0, i1 + 1):
        above, left = made[i - i0], int(p.left[i])
        gain = made[left - i0][before] + table[i, j0 : j1 + 1]
        if left == i0:
            gain[whole] = above[:-1][whole] + w[i, j0 : j1 + 1][whole]
        row = made[i - i0 + 1, 1:]
        np.maximum.accumulate(np.maximum(above[1:], gain), out=row)
        if left == i0:
            table[i, j0 : j1 + 1][whole] = row[whole]
    return made


def match_trees(w: Floats, p: _Tree, r: _Tree) -> list[tuple[int, int]]:
    """The pairs of a matching that reaches the total, read back from the tables."""
    table, found = fill_trees(w, p, r), []
    waiting = [(len(w) - 1, w.shape[1] - 1)]
    while waiting:
        i, j = waiting.pop()
        if table[i, j] <= 0:
            continue
        i0, j0 = int(p.left[i]), int(r.left[j])
        f = fill_forest(w, p, r, table, i, j)
        while i >= i0 and j >= j0:
            here = f[i - i0 + 1, j - j0 + 1]
            if here == f[i - i0, j - j0 + 1]:
                i -= 1
            elif here == f[i - i0 + 1, j - j0]:
                j -= 1
            elif p.left[i] == i0 and r.left[j] == j0:
                found.append((i, j))
                i, j = i - 1, j - 1
            else:
                waiting.append((i, j))
                i, j = int(p.left[i]) - 1, int(r.left[j]) - 1
    return sorted(found)
