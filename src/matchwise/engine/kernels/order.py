"""Which pairs of nodes exclude each other when a matching has to keep the order, and cliques that cover the conflicts.

Sets of pairs are Python integers, bit k for pair k.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from matchwise.algebra.nodes import Match
from matchwise.engine.kernels.latent import Integers
from matchwise.engine.tuning import AT_ONCE

Relation = NDArray[np.int8]


def conflicts(
    match: Match, mine: Relation, theirs: Relation, rows: Integers, columns: Integers, late: Callable[[], bool]
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
    match: Match, mine: Relation, theirs: Relation, i: Integers, j: Integers, rows: Integers, columns: Integers
) -> NDArray[np.bool_]:
    """Whether (i, j) and (rows, columns) exclude each other, element by element of two arrays."""
    same_row, same_column = i == rows, j == columns
    clash: NDArray[np.bool_] = (mine[i, rows] != theirs[j, columns]) & ~same_row & ~same_column
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
