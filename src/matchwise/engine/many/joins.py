"""Elements of many documents that are equal but for one or two variables: their polynomials, by one join.

Two elements of equal key add 1 to the coefficient of the pairs of their variables: x with x' and, where there is a
second variable, y with y'. This is `PairTerms` of the common case (propositions, edges), straight to arrays; where it
does not apply, terms are made one by one.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain, count, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.limits import FEWEST, UNLIMITED, Limits, check_size
from matchwise.engine.many.kernels import WIDE, lay_out
from matchwise.engine.many.table import number_codes
from matchwise.engine.solve.polynomial import Polynomial, dense
from matchwise.engine.solve.polynomials import Name, in_order

NO_VARIABLE = object()

Column: TypeAlias = tuple[str, list[Any]]
"""A space, and in it the variable of each element, or `NO_VARIABLE`."""


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
    """The problems of the objects of two sides, each with its counterpart; None if elements have no variables."""
    made = Problems.of(mine, theirs)
    places = np.arange(len(mine.offsets) - 1)
    return None if made is None else made.at(places, places, limits)


class Problems:
    """The elements of two sides, numbered once, and the problem of each two objects that is asked for."""

    def __init__(
        self, join: Join, names: int, left_out: tuple[Flags, Flags], of_one: tuple[list[Name], list[Name]]
    ) -> None:
        self._join, self._names, self._left_out, self._of_one = join, names, left_out, of_one

    @staticmethod
    def of(mine: JoinSide, theirs: JoinSide) -> Problems | None:
        """None if elements have no variables, or there are too many to be numbered."""
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
        cells = self._join.cells(i, j)
        left_out = self._left_out[0][i] | self._left_out[1][j]
        sizes = cells.sizes()
        if len(i) > 1:
            left_out |= sizes > FEWEST
        elif not left_out[0]:
            check_size(int(sizes[0]), limits)
        made = blocks(self._join.codes(cells, left_out), len(i), self._names)
        return Joined(made, left_out.tolist(), *self._of_one)


def _elements(
    side: JoinSide, variables: list[list[int]], number: dict[Hashable, int], names: int
) -> tuple[Elements, Flags]:
    """The elements, with their keys numbered; and the objects in which one has three variables."""
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


class Elements(NamedTuple):
    """The elements of one side as columns: object, key, first and second variable (-1: no variable).

    Variables are numbered anew in each object; the elements of object k are a run, from offsets[k] to offsets[k + 1].
    """

    objects: Integers
    keys: Integers
    first: Integers
    second: Integers
    offsets: Integers


class Codes(NamedTuple):
    """Pairs of elements with equal keys, as codes of pairs: (document · names + x) · names + x'.

    Those with one variable (or the same twice) are `single`, others are links from a `first` pair to a `second`;
    `constants` has how many of each document have none.
    """

    single: Integers
    first: Integers
    second: Integers
    constants: Integers


class Join:
    """The elements of the two sides that have equal keys.

    The code of an element says its object, its key and its variables, in this order: between two keys there is room
    (`each`) for all variables.
    """

    def __init__(self, mine: Elements, theirs: Elements, keys: int, names: int) -> None:
        """There are fewer than `keys` keys and `names` variables; `codable` says whether codes fit into 64 bits."""
        self.mine, self.theirs = mine, theirs
        self._keys, self._names, self._each = keys, names, (names + 1) ** 2
        codes, other_codes = self._codes(mine), self._codes(theirs)
        self._order = other_codes.argsort()
        sorted_codes = other_codes[self._order]
        codes.sort()
        self.twice = self._find_repeated(codes, mine), self._find_repeated(sorted_codes, theirs)
        """For each side, the objects in which an element is there twice."""
        self._sorted = sorted_codes // self._each
        """Object and key of each of their elements, in order."""

    def _codes(self, side: Elements) -> Integers:
        bases = (side.objects * self._keys + side.keys) * self._each
        codes: Integers = bases + (side.first + 1) * (self._names + 1) + side.second + 1
        return codes

    def _find_repeated(self, codes: Integers, side: Elements) -> Flags:
        """The objects of equal codes."""
        later = codes[1:]
        found = np.zeros(len(side.offsets) - 1, dtype=bool)
        found[later[later == codes[:-1]] // (self._keys * self._each)] = True
        return found

    def cells(self, i: Integers, j: Integers) -> Cells:
        """The elements of my objects i, each with the elements of the other side's object j that share its key."""
        starts = self.mine.offsets[i]
        sizes = self.mine.offsets[i + 1] - starts
        document, p = lay_out(starts, sizes)
        wanted = j[document] * self._keys + self.mine.keys[p]
        starts = self._sorted.searchsorted(wanted)
        return Cells(document, p, starts, self._sorted.searchsorted(wanted, side="right") - starts, len(i))

    def codes(self, cells: Cells, left_out: Flags) -> Codes:
        """The codes of all documents except the given ones."""
        mine, theirs, numbers, names = self.mine, self.theirs, cells.numbers, self._names
        if left_out.any():
            numbers = np.where(left_out[cells.document], 0, numbers)
        which, places = lay_out(cells.starts, numbers)
        p, r, document = cells.p[which], self._order[places], cells.document[which]
        x, y, x_ref, y_ref = mine.first[p], mine.second[p], theirs.first[r], theirs.second[r]
        named = x >= 0
        same, same_ref = x == y, x_ref == y_ref
        single = ((y < 0) | (same & same_ref)) & named
        linked = ~(single | same | same_ref)
        first, second = ((document * names + i) * names + a for i, a in ((x, x_ref), (y, y_ref)))
        constants = np.bincount(document[~named], minlength=cells.documents)
        return Codes(first[single], first[linked], second[linked], constants)


class Cells(NamedTuple):
    """The elements of one side, each with the run of elements of the other side that have the same key."""

    document: Integers
    p: Integers
    starts: Integers
    numbers: Integers
    documents: int

    def sizes(self) -> Integers:
        """How many pairs of elements each document has."""
        sizes: Integers = np.bincount(self.document, self.numbers, self.documents).astype(np.int64)
        return sizes


def codable(objects: int, keys: int, names: int) -> bool:
    return objects * keys * (names + 1) ** 2 < WIDE


class Blocks(NamedTuple):
    """The problems of all documents as one, which falls apart: document d is a run of pairs and a run of links.

    Rows and columns are numbered anew in each document; `names` has what they were called, pair by pair.
    """

    arrays: Polynomial
    constants: Integers
    pairs: Integers
    """Where the pairs of each document begin; and at last, how many there are."""
    links: Integers
    names: tuple[Integers, Integers]

    def one(self, document: int) -> Polynomial:
        """The problem of one document."""
        (a, b), (c, d) = self.pairs[document : document + 2], self.links[document : document + 2]
        rows, columns, gains, weights, _, _, members = self.arrays
        return Polynomial.of_two(rows[a:b], columns[a:b], gains[a:b], weights[c:d], members[2 * c : 2 * d] - a)


def blocks(codes: Codes, documents: int, names: int) -> Blocks:
    """Add up equal codes: the polynomials of all documents."""
    single, first, second, constants = codes
    pairs, numbers = number_codes(np.concatenate([single, first, second]), documents * names * names)
    gained, linked, count = len(single), len(single) + len(first), len(pairs)
    gains = np.bincount(numbers[:gained], minlength=count).astype(np.float64)
    weights, members = _links(numbers[gained:linked], numbers[linked:], count)
    places = pairs // names
    columns = pairs - places * names
    owners = places // names
    ends = owners.searchsorted(np.arange(documents + 1))
    own_rows, own_columns = (
        _within(dense(lines, documents * names), ends, owners) for lines in (places, owners * names + columns)
    )
    arrays = Polynomial.of_two(own_rows, own_columns, gains, weights, members)
    return Blocks(arrays, constants, ends, members[::2].searchsorted(ends), (places - owners * names, columns))


def _links(one: Integers, other: Integers, pairs: int) -> tuple[Floats, Integers]:
    """The linked pairs of pairs, sorted, and how often each is linked."""
    codes = np.minimum(one, other) * pairs + np.maximum(one, other)
    codes.sort()
    new = np.ones(len(codes), dtype=bool)
    new[1:] = codes[1:] != codes[:-1]
    weights = np.bincount(new.cumsum() - 1).astype(np.float64)
    codes = codes[new]
    members = np.empty(2 * len(codes), dtype=np.int64)
    members[::2] = codes // max(pairs, 1)
    members[1::2] = codes - members[::2] * pairs
    return weights, members


def _within(places: Integers, ends: Integers, owners: Integers) -> Integers:
    """Number rows or columns from 0 in each document instead of through all of them."""
    if len(ends) == 2:
        return places
    filled = (ends[1:] > ends[:-1]).nonzero()[0]
    first = np.zeros(len(ends) - 1, dtype=np.int64)
    if len(filled):
        first[filled] = np.minimum.reduceat(places, ends[filled])
    return places - first[owners]
