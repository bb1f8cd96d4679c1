"""Elements of many documents that are equal but for one or two variables: their polynomials, by one join.

Two elements of equal key add 1 to the coefficient of the pairs of their variables: x with x' and, where there is a
second variable, y with y'. Most documents are small, and NumPy's methods take half as long as its functions to begin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.many.kernels import WIDE, lay_out
from matchwise.engine.many.table import number_codes
from matchwise.engine.solve.polynomial import Polynomial, dense


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
