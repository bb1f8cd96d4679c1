"""Matchings that keep the order of nodes: of ordered trees by dynamic programming, of others by what excludes what.

*Trees.* Zhang and Shasha (1989), maximised. F[i, j] is the best total of the nodes up to i and up to j, in postorder,
of two subtrees; T[i, j] that of the subtrees at i and j themselves, with l(i) the leftmost leaf below i:

    F[i, j] = max(F[i-1, j], F[i, j-1], F[l(i)-1, l(j)-1] + T[i, j])
    T[i, j] = F[i, j] in the subtrees at i and j, where also F[i-1, j-1] + w[i, j] counts

A row of F is one running maximum. Only subtrees at keyroots (nodes with a left sibling, and the root) need a table.

*Graphs.* Which pairs of nodes exclude each other, and cliques that cover the conflicts. Sets of pairs are Python
integers, bit k for pair k.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchwise.algebra.nodes import Match
from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.tuning import AT_ONCE


class Outline(NamedTuple):
    """A tree in postorder with a root above all: the leftmost leaf of each node, and the keyroots except leaves."""

    left: Integers
    keyroots: list[int]

    @property
    def rows(self) -> int:
        """The nodes of all subtrees at keyroots."""
        return sum(root - int(self.left[root]) + 1 for root in self.keyroots)


def outline(children: list[list[int]]) -> Outline:
    """From the children of each node, nodes in postorder, the last one the root of all."""
    left = np.arange(len(children))
    for node, below in enumerate(children):
        if below:
            left[node] = left[below[0]]
    highest = {int(leaf): node for node, leaf in enumerate(left)}
    return Outline(left, [node for node in sorted(highest.values()) if children[node]])


def tree_table(w: Floats, p: Outline, r: Outline, children_p: list[list[int]], children_r: list[list[int]]) -> Floats:
    """T, for all nodes of two trees; T[-1, -1] is the total."""
    table = np.zeros(w.shape)
    below_r, below_p = w.copy(), w.T.copy()
    for node, below in enumerate(children_r):
        for child in below:
            np.maximum(below_r[:, node], below_r[:, child], out=below_r[:, node])
    for node, below in enumerate(children_p):
        for child in below:
            np.maximum(below_p[:, node], below_p[:, child], out=below_p[:, node])
    leaves_p = [node for node, below in enumerate(children_p) if not below]
    leaves_r = [node for node, below in enumerate(children_r) if not below]
    table[leaves_p] = below_r[leaves_p]  # a leaf meets the best node of a subtree
    table[:, leaves_r] = below_p[leaves_r].T
    for i in p.keyroots:
        for j in r.keyroots:
            forest(w, p, r, table, i, j)
    return table


def forest(w: Floats, p: Outline, r: Outline, table: Floats, i1: int, j1: int) -> Floats:
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


def tree_matched(w: Floats, p: Outline, r: Outline, table: Floats) -> list[tuple[int, int]]:
    """The pairs of a matching that reaches the total, read back from the tables."""
    found = []
    waiting = [(len(w) - 1, w.shape[1] - 1)]
    while waiting:
        i, j = waiting.pop()
        if table[i, j] <= 0:
            continue
        i0, j0 = int(p.left[i]), int(r.left[j])
        f = forest(w, p, r, table, i, j)
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


Relations = NDArray[np.int8]
"""How any two nodes of a structure are related, as `Structure.relations` numbers it."""


def conflicts(
    match: Match, mine: Relations, theirs: Relations, rows: Integers, columns: Integers, late: Callable[[], bool]
) -> list[int] | None:
    """For each pair (u, v) the pairs (u', v') that cannot be matched together with it.

    They share a node that `match` gives to one pair only, or they share none and u, u' stand to each other otherwise
    than v, v'. None if it gets late.
    """
    made: list[int] = []
    step = max(1, AT_ONCE // max(len(rows), 1))
    for start in range(0, len(rows), step):
        if start and late():  # the first portion takes no time to speak of
            return None
        i, j = rows[start : start + step, None], columns[start : start + step, None]
        packed = np.packbits(clashes(match, mine, theirs, i, j, rows, columns), axis=1, bitorder="little")
        made += [int.from_bytes(row.tobytes(), "little") for row in packed]
    return made


def clashes(
    match: Match, mine: Relations, theirs: Relations, i: Integers, j: Integers, rows: Integers, columns: Integers
) -> Flags:
    """Whether (i, j) and (rows, columns) exclude each other, element by element of two arrays."""
    same_row, same_column = i == rows, j == columns
    clash: Flags = (mine[i, rows] != theirs[j, columns]) & ~same_row & ~same_column
    if match in ("1:1", "N:1"):
        clash |= same_row & ~same_column
    if match in ("1:1", "1:N"):
        clash |= same_column & ~same_row
    return clash


def bits(number: int) -> list[int]:
    """The members of a set."""
    found = []
    while number:
        low = number & -number
        found.append(low.bit_length() - 1)
        number ^= low
    return found


def components(conflict: list[int]) -> list[list[int]]:
    """Split the pairs into groups that have no conflict with each other."""
    left = (1 << len(conflict)) - 1
    made = []
    while left:
        reached = front = left & -left
        while front:
            low = front & -front
            front ^= low
            new = conflict[low.bit_length() - 1] & ~reached
            reached |= new
            front |= new
        left &= ~reached
        made.append(bits(reached))
    return made


def clique_cover(conflict: list[int], late: Callable[[], bool]) -> list[list[int]] | None:
    """Maximal cliques that contain every conflict, grown greedily from the first pair on; None if it gets late."""
    uncovered = list(conflict)
    cliques = []
    for start in range(len(conflict)):
        while uncovered[start]:
            if late():
                return None
            clique, members = 1 << start, [start]
            common, wanted = conflict[start], uncovered[start]
            while common:
                new = wanted & common or common
                low = new & -new
                node = low.bit_length() - 1
                clique |= low
                members.append(node)
                common &= conflict[node]
                wanted |= uncovered[node]
            for node in members:
                uncovered[node] &= ~clique
            cliques.append(members)
    return cliques
