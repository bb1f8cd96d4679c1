"""Elements of many documents that are equal but for one or two variables: their polynomials, by one join.

Each two elements of equal key add 1 to the coefficient of the pairs of their variables: x with x' and, where there is a
second variable, y with y'. Most documents are small, and NumPy's methods take half as long as its functions to begin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from matchwise.engine.kernels.latent import Flags, Floats, Integers, Polynomial, dense

SMALL_CODES = 1 << 16
"""Codes below this are told apart by position, larger ones by sorting."""

LARGEST = 1 << 62
"""Codes from here on do not fit into 64 bits."""


class Elements(NamedTuple):
    """Of one side, element by element: the document, the key, and the first and the second variable; -1 is none."""

    documents: Integers
    keys: Integers
    first: Integers
    second: Integers


class Codes(NamedTuple):
    """Each two elements of equal key, as codes of pairs: (document · names + x) · names + x'.

    Those with one variable (or the same twice) are `single`, others are links from a `first` pair to a `second`;
    `constants` has how many of each document have none.
    """

    single: Integers
    first: Integers
    second: Integers
    constants: Integers


class Join:
    """Which elements of the two sides are of equal key.

    The code of an element says its document, its key and its variables, in this order: between two keys there is room
    (`each`) for all variables.
    """

    def __init__(self, mine: Elements, theirs: Elements, documents: int, keys: int, names: int) -> None:
        """There are less than `keys` keys, and `names` names of variables on a side; `codable` says if that fits."""
        self.mine, self.theirs, self.documents = mine, theirs, documents
        self._names, self._each = names, (names + 1) ** 2
        self._document = keys * self._each
        bases, codes = self._codes(mine)
        _, other_codes = self._codes(theirs)
        self._order = other_codes.argsort()
        sorted_codes = other_codes[self._order]
        codes.sort()
        self._twice = self._repeated(codes), self._repeated(sorted_codes)
        self._starts = sorted_codes.searchsorted(bases)
        self._numbers = sorted_codes.searchsorted(bases + self._each) - self._starts

    def _codes(self, side: Elements) -> tuple[Integers, Integers]:
        """Where the codes of each element's key begin, and its own."""
        bases = side.documents * self._document + side.keys * self._each
        return bases, bases + (side.first + 1) * (self._names + 1) + side.second + 1

    def _repeated(self, codes: Integers) -> Integers:
        """The documents of equal codes."""
        later = codes[1:]
        documents: Integers = later[later == codes[:-1]] // self._document
        return documents

    def twice(self) -> Flags:
        """The documents in which an element is there twice on a side."""
        found = np.zeros(self.documents, dtype=bool)
        for documents in self._twice:
            found[documents] = True
        return found

    def sizes(self) -> Integers:
        """How many cells each document has."""
        sizes: Integers = np.bincount(self.mine.documents, self._numbers, self.documents).astype(np.int64)
        return sizes

    def codes(self, left_out: Flags) -> Codes:
        """The codes of all documents but some."""
        mine, theirs, numbers, names = self.mine, self.theirs, self._numbers, self._names
        if left_out.any():
            numbers = np.where(left_out[mine.documents], 0, numbers)
        shift = self._starts - numbers.cumsum() + numbers
        p = np.arange(len(numbers)).repeat(numbers)
        r = self._order[np.arange(len(p)) + shift[p]]
        document, x, y, x_ref, y_ref = (
            mine.documents[p],
            mine.first[p],
            mine.second[p],
            theirs.first[r],
            theirs.second[r],
        )
        named = x >= 0
        same, same_ref = x == y, x_ref == y_ref
        single = ((y < 0) | (same & same_ref)) & named
        linked = ~(single | same | same_ref)
        first, second = ((document * names + i) * names + a for i, a in ((x, x_ref), (y, y_ref)))
        constants = np.bincount(document[~named], minlength=self.documents)
        return Codes(first[single], first[linked], second[linked], constants)


def codable(documents: int, keys: int, names: int) -> bool:
    return documents * keys * (names + 1) ** 2 < LARGEST


class Blocks(NamedTuple):
    """The problems of documents as one, which falls apart: those of document d are a run of pairs and a run of links.

    Rows and columns are numbered anew in each document; `names` has what they were called, pair by pair.
    """

    arrays: Polynomial
    constants: Integers
    pairs: Integers
    """Where the pairs of each document begin; and at last, how many there are."""
    links: Integers
    names: tuple[Integers, Integers]

    def one(self, document: int) -> Polynomial:
        """The problem of one document by itself."""
        (a, b), (c, d) = self.pairs[document : document + 2], self.links[document : document + 2]
        rows, columns, gains, weights, sizes, starts, members = self.arrays
        return Polynomial(
            rows[a:b], columns[a:b], gains[a:b], weights[c:d], sizes[c:d], starts[: d - c], members[2 * c : 2 * d] - a
        )


def blocks(codes: Codes, documents: int, names: int) -> Blocks:
    """Codes summed up."""
    single, first, second, constants = codes
    pairs, numbers = _numbered(np.concatenate([single, first, second]), documents * names * names)
    gained, linked, count = len(single), len(single) + len(first), len(pairs)
    gains = np.bincount(numbers[:gained], minlength=count).astype(np.float64)
    weights, members = _links(numbers[gained:linked], numbers[linked:], count)
    places = pairs // names
    columns = pairs - places * names
    owners = places // names
    ends = owners.searchsorted(np.arange(documents + 1))
    arrays = Polynomial(
        _within(dense(places, documents * names), ends, owners),
        _within(dense(owners * names + columns, documents * names), ends, owners),
        gains,
        weights,
        np.full(len(weights), 2),
        np.arange(0, 2 * len(weights), 2),
        members,
    )
    return Blocks(arrays, constants, ends, members[::2].searchsorted(ends), (places - owners * names, columns))


def _numbered(codes: Integers, most: int) -> tuple[Integers, Integers]:
    """The different codes in order, and the place of each code among them; codes are less than `most`."""
    if most > SMALL_CODES:
        return np.unique(codes, return_inverse=True)
    present = np.zeros(most, dtype=bool)
    present[codes] = True
    return present.nonzero()[0], (present.cumsum() - 1)[codes]


def _links(one: Integers, other: Integers, pairs: int) -> tuple[Floats, Integers]:
    """How often each two pairs are linked, and the two, sorted."""
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
    """Rows or columns that are numbered through all documents, numbered anew in each."""
    if len(ends) == 2:
        return places
    filled = (ends[1:] > ends[:-1]).nonzero()[0]
    first = np.zeros(len(ends) - 1, dtype=np.int64)
    if len(filled):
        first[filled] = np.minimum.reduceat(places, ends[filled])
    return places - first[owners]
