"""Two bags of equal and unequal elements, in plain Python: Σ over equal elements is a product or minimum of counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

from matchwise.algebra.nodes import Match, Number

Vector = list[Any]


def bag_total(match: Match, mine: Vector, theirs: Vector) -> Number:
    """Σ^◇[δ] of two bags of codes."""
    if match == "N:1":
        return sum(map(set(theirs).__contains__, mine))
    if match == "1:N":
        return sum(map(set(mine).__contains__, theirs))
    if match == "1:1":
        if mine == theirs:
            return len(mine)
        p, r = set(mine), set(theirs)
        if len(p) == len(mine) or len(r) == len(theirs):
            return len(p & r)
    here, there = Counter(mine), Counter(theirs)
    return sum(joint(match, here[code], there[code]) for code in here.keys() & there.keys())


def joint(match: Match, mine: int, theirs: int) -> int:
    """What an element adds that is found so often on each side."""
    match match:
        case "1:1":
            return min(mine, theirs)
        case "N:1":
            return mine
        case "1:N":
            return theirs
        case "N:N":
            return mine * theirs
