"""The best matching of two ordered trees that keeps ancestors and the order of siblings, in polynomial time.

Zhang and Shasha (1989), maximised. F[i, j] is the best total of the nodes up to i and up to j, in postorder, of two
subtrees; T[i, j] that of the subtrees at i and j themselves, with l(i) the leftmost leaf below i:

    F[i, j] = max(F[i-1, j], F[i, j-1], F[l(i)-1, l(j)-1] + T[i, j])
    T[i, j] = F[i, j] in the subtrees at i and j, where also F[i-1, j-1] + w[i, j] counts

A row of F is one running maximum. Only subtrees at keyroots (nodes with a left sibling, and the root) need a table, and
those that are not inside each other are filled together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from matchwise.arrays import Floats, Integers
from matchwise.engine.solve.cells import Cell
from matchwise.engine.structures import Structure


def solve_trees(weights: Floats, mine: Structure, theirs: Structure) -> list[Cell]:
    """The matched nodes, given what they score; from the left or from the right, whichever has less to compare."""
    sides = ((_Tree.of(mine, mirrored), _Tree.of(theirs, mirrored)) for mirrored in (False, True))
    p, r = min(sides, key=lambda both: both[0].rows * len(both[1].keyroots))
    w = np.zeros((len(p.left), len(r.left)))
    w[:-1, :-1] = weights[np.ix_(p.order, r.order)]
    return sorted((p.order[i], r.order[j], float(w[i, j])) for i, j in match_trees(w, p, r))


TOGETHER = 2048
"""Nodes of one side whose subtrees are filled together, which bounds the memory."""


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

    def groups(self) -> Iterator[Integers]:
        """Keyroots with as many keyroots inside each other and of about one size, not too many at once."""
        level = [0] * len(self.children)
        for node, some in enumerate(self.children):
            level[node] = max((level[child] + (place > 0) for place, child in enumerate(some)), default=0)
        alike: dict[tuple[int, int], list[int]] = {}
        for root in self.keyroots:
            alike.setdefault((level[root], (root - int(self.left[root])).bit_length()), []).append(root)
        for (_, bits), roots in sorted(alike.items()):
            step = max(1, TOGETHER >> bits)
            yield from (np.array(roots[place : place + step]) for place in range(0, len(roots), step))


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
    for roots in p.groups():
        for others in r.groups():
            fill_forests(w, p, r, table, roots, others)
    return table


def fill_forests(w: Floats, p: _Tree, r: _Tree, table: Floats, roots: Integers, others: Integers) -> Floats:
    """F[i, p, r, j] of all subtrees p × r, from the T of smaller ones; fills in T where both start at the left.

    Subtrees are as wide as the largest one; what is beyond the last node of a smaller one is read by nobody.
    """
    starts, heads = p.left[roots], r.left[others][:, None]
    places = heads + np.arange(1 + (others - r.left[others]).max())
    columns = np.minimum(places, others[:, None])
    before = r.left[columns] - heads
    whole = (before == 0) & (places == columns)
    at, of = np.arange(len(roots))[:, None, None], np.arange(len(others))[:, None]
    rows = starts + np.arange(1 + (roots - starts).max())[:, None]
    nodes = np.minimum(rows, roots)
    left = p.left[nodes] - starts
    is_start = (left == 0) & (rows == nodes)
    made = np.zeros((len(rows) + 1, len(roots), len(others), columns.shape[1] + 1))
    for i, start in enumerate(is_start.any(axis=1).tolist()):
        here, above = nodes[i][:, None, None], made[i]
        gain = made[left[i][:, None, None], at, of, before] + table[here, columns]
        if start:
            both = is_start[i][:, None, None] & whole
            gain = np.where(both, above[..., :-1] + w[here, columns], gain)
        row = np.maximum.accumulate(np.maximum(above[..., 1:], gain), axis=2, out=made[i + 1, ..., 1:])
        if start:
            one, other, column = both.nonzero()
            table[nodes[i, one], columns[other, column]] = row[both]
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
        if i == i0 and j == j0:
            found.append((i, j))
            continue
        f = fill_forests(w, p, r, table, np.array([i]), np.array([j]))[:, 0, 0]
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
