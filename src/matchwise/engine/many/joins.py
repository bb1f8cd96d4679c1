"""Elements that are equal but for one or two variables: the polynomials of many documents by one join.

This is `PairTerms` of the common case (propositions, edges), straight to arrays (kernels/joins.py); where it does
not apply, terms are made one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.arrays import Flags, Integers
from matchwise.engine.limits import FEWEST, UNLIMITED, Limits, check_size
from matchwise.engine.many.table import number_codes
from matchwise.engine.solve.polynomials import Name, in_order

if TYPE_CHECKING:
    from matchwise.engine.many.element_joins import Blocks, Codes, Elements, Join

NO_VARIABLE = object()

Column: TypeAlias = tuple[str, list[Any]]
"""A space, and in it the variable of each element, or `NO_VARIABLE`."""

Both: TypeAlias = tuple[int, int]
"""The numbers of the first and the second variable of an element; -1 is none."""


class JoinSide(NamedTuple):
    """The elements of one side, those of object k at offsets[k] to offsets[k + 1]: their keys and their variables."""

    keys: list[Hashable]
    columns: list[Column]
    offsets: list[int]


class Joined(NamedTuple):
    """The problems of the documents, and the names of rows and columns, if there is one document."""

    blocks: Blocks
    left_out: list[bool]
    """Documents with a repeated element, with an element of three variables, or with too many pairs to join others."""
    rows: list[Name]
    columns: list[Name]

    def names(self, pair: int) -> tuple[Name, Name]:
        rows, columns = self.blocks.names
        return self.rows[rows[pair]], self.columns[columns[pair]]


def join_problems(mine: JoinSide, theirs: JoinSide, limits: Limits) -> Joined | None:
    """The problems of the objects of two sides, each with its counterpart; None if elements have no variables.

    The problem of one document alone that would be left out is None, too.
    """
    from matchwise.engine.many.element_joins import blocks

    if not mine.columns or not theirs.columns:
        return None
    if len(mine.offsets) == 2 and len(mine.keys) * len(theirs.keys) <= FEWEST:
        rows, x = _number(mine.columns)
        columns, x_ref = _number(theirs.columns)
        names = max(len(rows), len(columns))
        ours, others = _by_key(mine.keys, x), _by_key(theirs.keys, x_ref)
        if ours is None or others is None:
            return None
        return Joined(blocks(_few(ours, others, names), 1, names), [False], rows, columns)
    made = Problems.of(mine, theirs)
    if made is None:
        return None
    places = np.arange(len(mine.offsets) - 1)
    return made.at(places, places, limits)


class Problems:
    """The elements of two sides, numbered once, and the problem of each two objects that is asked for."""

    def __init__(
        self, join: Join, names: int, left_out: tuple[Flags, Flags], of_one: tuple[list[Name], list[Name]]
    ) -> None:
        self._join, self._names, self._left_out, self._of_one = join, names, left_out, of_one

    @staticmethod
    def of(mine: JoinSide, theirs: JoinSide) -> Problems | None:
        """None if elements have no variables, or there are too many to be numbered."""
        from matchwise.engine.many.element_joins import Join, codable

        if not mine.columns or not theirs.columns:
            return None
        rows, x = _number(mine.columns)
        columns, x_ref = _number(theirs.columns)
        number: dict[Hashable, int] = {}
        elements, three = _elements(mine, x, number, len(rows))
        ref_elements, more = _elements(theirs, x_ref, number, len(columns))
        names = 1 + max(
            int(part.max(initial=0)) for side in (elements, ref_elements) for part in (side.first, side.second)
        )
        if not codable(max(len(mine.offsets), len(theirs.offsets)), len(number), names):
            return None
        join = Join(elements, ref_elements, len(number), names)
        left_out = three | join.twice[0], more | join.twice[1]
        return Problems(join, names, left_out, (rows, columns))

    def at(self, i: Integers, j: Integers, limits: Limits = UNLIMITED) -> Joined:
        """The problem of my object i and their object j, for each two of some."""
        from matchwise.engine.many.element_joins import blocks

        cells = self._join.cells(i, j)
        left_out = self._left_out[0][i] | self._left_out[1][j]
        sizes = cells.sizes()
        if len(i) > 1:
            left_out |= sizes > FEWEST
        elif not left_out[0]:
            check_size(int(sizes[0]), limits)
        made = blocks(self._join.codes(cells, left_out), len(i), self._names)
        return Joined(made, left_out.tolist(), *self._of_one)


def _few(mine: dict[Hashable, list[Both]], theirs: dict[Hashable, list[Both]], names: int) -> Codes:
    """Join a small document by a loop, which is done before arrays of it would be made."""
    from matchwise.engine.many.element_joins import Codes

    single: list[int] = []
    first: list[int] = []
    second: list[int] = []
    constant = 0
    for key, ours in mine.items():
        others = theirs.get(key, ())
        for i, j in ours if others else ():
            if j >= 0:
                for a, b in others:
                    if i != j and a != b:
                        first.append(i * names + a)
                        second.append(j * names + b)
                    elif i == j and a == b:
                        single.append(i * names + a)
            elif i >= 0:
                single += [i * names + a for a, _ in others]
            else:
                constant += len(others)
    return Codes(*(np.array(some, dtype=np.int64) for some in (single, first, second, [constant])))


def _by_key(keys: list[Hashable], variables: list[list[int]]) -> dict[Hashable, list[Both]] | None:
    """The first and the second variable of each element; None if an element has three or is repeated."""
    several = _both(variables)
    if several is None:
        return None
    made: dict[Hashable, list[Both]] = defaultdict(list)
    for key, both in zip(keys, several, strict=True):
        made[key].append(both)
    twice = any(len(some) > 1 and len(set(some)) < len(some) for some in made.values())
    return None if twice else made


def _both(variables: list[list[int]]) -> Iterable[Both] | None:
    """The first and the second variable of each element; None if one has three."""
    first, *more = variables
    if not more:
        return zip(first, repeat(-1))
    if len(more) == 1 and -1 not in first:
        return zip(first, more[0], strict=True)
    made = list(zip(first, repeat(-1)))
    for column in more:
        for place, k in enumerate(column):
            if k >= 0:
                i, j = made[place]
                if j >= 0:
                    return None
                made[place] = (i, k) if i >= 0 else (k, -1)
    return made


def _elements(
    side: JoinSide, variables: list[list[int]], number: dict[Hashable, int], names: int
) -> tuple[Elements, Flags]:
    """The elements, with their keys numbered; and the objects in which one has three variables."""
    from matchwise.engine.many.element_joins import Elements

    keys = np.array([number.setdefault(key, len(number)) for key in side.keys], dtype=np.int64)
    offsets = np.array(side.offsets, dtype=np.int64)
    objects = np.arange(len(offsets) - 1).repeat(np.diff(offsets))
    every = np.array(variables, dtype=np.int64)
    named = every >= 0
    owners = np.broadcast_to(objects, every.shape)[named]
    found, places = number_codes(owners * names + every[named], (len(offsets) - 1) * names)
    every[named] = places - found.searchsorted(np.arange(len(offsets) - 1) * names)[owners]  # anew in each object
    first, *more = every
    second = np.full(len(keys), -1)
    three = np.zeros(len(offsets) - 1, dtype=bool)
    for column in more:
        if len(more) > 1:
            three[objects[(second >= 0) & (column >= 0)]] = True
        free, second = first < 0, np.where(second < 0, column, second)
        first, second = np.where(free, column, first), np.where(free, -1, second)
    return Elements(objects, keys, first, second, offsets), three


def _number(columns: list[Column]) -> tuple[list[Name], list[list[int]]]:
    """The variables of a side in order, and for each column the numbers of the elements' variables; -1 is none."""
    ordered: list[Name] = []
    number: dict[str, dict[Any, int]] = {}
    for space in sorted({space for space, _ in columns}):
        found = dict.fromkeys(chain.from_iterable([names for other, names in columns if other == space]))
        found.pop(NO_VARIABLE, None)
        several = in_order(list(found))
        number[space] = dict(zip(several, count(len(ordered))))
        number[space][NO_VARIABLE] = -1
        ordered += zip(repeat(space), several)
    return ordered, [list(map(number[space].__getitem__, names)) for space, names in columns]
