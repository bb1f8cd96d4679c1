"""Pairs that a scorer chose in its own way, as elements that are equal to their partner only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class Numbered(NamedTuple):
    """An element, and the number that it shares with its partner only: `eq("pair")` matches the two."""

    pair: int
    value: Any


def pair_up(
    mine: Sequence[Any], theirs: Sequence[Any], pairs: Iterable[tuple[int, int]]
) -> tuple[tuple[Numbered, ...], tuple[Numbered, ...]]:
    """The elements of both sides, given the places of those that belong together.

    >>> mine, theirs = pair_up("ab", "bc", [(1, 0)])
    >>> mine[1], [one.pair for one in mine], [one.pair for one in theirs]
    (Numbered(pair=0, value='b'), [-1, 0], [0, 1])
    """
    partner = dict(pairs)
    left = tuple([Numbered(partner.get(i, -1 - i), one) for i, one in enumerate(mine)])
    return left, tuple(map(Numbered, range(len(theirs)), theirs))
