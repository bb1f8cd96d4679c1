"""A problem that is too large to be written down in time: the rarest elements of it, and what the others add at most.

Elements are taken key by key, the keys with the fewest pairs first; what is left out adds Σ^◇ without its variables at
most, so an upper bound of the outline plus that is one of the whole. A matching of the outline is extended to variables
that only the rest speaks of, and counts what it scores in the whole problem: a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeAlias

from matchwise.algebra.nodes import Match, Number
from matchwise.engine.operators.bag import joint
from matchwise.engine.pairs import Table

Names: TypeAlias = tuple[int, ...]
"""The numbers of the variables of one element."""

Groups: TypeAlias = dict[Hashable, Counter[Names]]
"""Key -> how often it is there with which variables."""


class Outline(NamedTuple):
    """The keys that there is room for, what the others add at most, and the others: their elements on both sides."""

    kept: set[Hashable]
    beyond: Number
    rest: list[tuple[Iterable[Names], Iterable[Names]]]


def outline(
    match: Match, mine: list[Hashable], rows: list[Names], theirs: list[Hashable], columns: list[Names], room: int
) -> Outline:
    """What to write down of two collections of keys with variables."""
    pred, ref = _grouped(mine, rows), _grouped(theirs, columns)
    kept: set[Hashable] = set()
    beyond: Number = 0
    rest: list[tuple[Iterable[Names], Iterable[Names]]] = []
    shared = [(len(pred[key]) * len(ref[key]), key) for key in pred if key in ref]
    for size, key in sorted(shared, key=lambda each: each[0]):
        room -= size
        if room >= 0:
            kept.add(key)
        else:
            beyond += joint(match, pred[key].total(), ref[key].total())
            rest.append((pred[key], ref[key]))
    return Outline(kept, beyond, rest)


def _grouped(found: list[Hashable], names: list[Names]) -> Groups:
    made: Groups = {}
    for (key, some), count in Counter(zip(found, names, strict=True)).items():
        made.setdefault(key, Counter())[some] = count
    return made


def outline_of_cells(match: Match, table: Table, room: int) -> tuple[Table, Number]:
    """The rows of a table with the fewest cells, the others empty; and what the others add at most."""
    kept: set[int] = set()
    left: list[dict[int, Number]] = []
    for size, i in sorted((len(row), i) for i, row in enumerate(table)):
        room -= size
        if room >= 0:
            kept.add(i)
        else:
            left.append(table[i])
    return [row if i in kept else {} for i, row in enumerate(table)], _most(match, left)


def _most(match: Match, rows: list[dict[int, Number]]) -> Number:
    if match == "N:N":
        return sum(sum(row.values()) for row in rows)
    if match != "1:N":
        return sum(max(row.values()) for row in rows)
    columns: dict[int, Number] = {}
    for row in rows:
        for j, w in row.items():
            columns[j] = max(w, columns.get(j, 0))
    return sum(columns.values())


def extend(matched: dict[int, int], rest: Iterable[tuple[Iterable[Names], Iterable[Names]]]) -> dict[int, int]:
    """A 1:1 matching (row -> column) with more pairs in it, so that more of the elements meet; each is looked at once.

    An element with a matched variable takes the first one of the other side that has its counterpart and no variable
    that is matched otherwise; one without takes the first that is left.
    """
    forth, back = dict(matched), {column: row for row, column in matched.items()}
    for mine, theirs in rest:
        waiting = list(theirs)[::-1]
        having: dict[tuple[int, int], list[Names]] = {}
        for others in waiting:
            for place, column in enumerate(others):
                having.setdefault((place, column), []).append(others)
        for names in mine:
            anchor = next(((place, forth[row]) for place, row in enumerate(names) if row in forth), None)
            candidates = waiting if anchor is None else having.get(anchor, [])
            while candidates:
                others = candidates.pop()
                pairs = list(zip(names, others, strict=True))
                if all(forth.get(i, a) == a and back.get(a, i) == i for i, a in pairs) and _one_to_one(pairs):
                    forth.update(pairs)
                    back.update((a, i) for i, a in pairs)
                    break
    return forth


def _one_to_one(pairs: list[tuple[int, int]]) -> bool:
    return len({i for i, _ in pairs}) == len({a for _, a in pairs}) == len(set(pairs))
