"""φ̃(x, y) as a polynomial in the indicators ⟦(i, a) ∈ M⟧ of matched variables.

A term is a set of pairs with a coefficient: it counts when all its pairs are matched. Sums add polynomials, products
multiply them; a matching of elements that depends on the variables is itself a 1:1 matching, of rows and columns made
for it. So one solver (solvers/latent.py) maximises them all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from matchwise.algebra.nodes import Number
from matchwise.engine.order import rank

if TYPE_CHECKING:
    from matchwise.engine.kernels.latent import Integers, Polynomial

Name: TypeAlias = tuple[str, Hashable]
"""A variable: its space, and what it is called there."""

Term: TypeAlias = tuple[int, ...]
"""The numbers of the pairs that have to be matched, ascending; `()` always counts."""

Terms: TypeAlias = dict[Term, Number]

MADE = "\0"
"""The space of rows and columns that stand for elements, not for variables."""


class Board:
    """The rows (predicted variables), columns (reference variables) and pairs that the terms of a problem speak of."""

    def __init__(self) -> None:
        self.rows: dict[Name, int] = {}
        self.columns: dict[Name, int] = {}
        self.pairs: dict[tuple[int, int], int] = {}
        self.places: list[tuple[int, int]] = []
        self.tags = 0

    def tag(self) -> int:
        """A number that no other rows and columns were made under."""
        self.tags += 1
        return self.tags

    def row(self, name: Name) -> int:
        return self.rows.setdefault(name, len(self.rows))

    def column(self, name: Name) -> int:
        return self.columns.setdefault(name, len(self.columns))

    def pair(self, row: int, column: int) -> int:
        place = row, column
        number = self.pairs.get(place)
        if number is None:
            number = self.pairs[place] = len(self.places)
            self.places.append(place)
        return number

    def term(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> Term | None:
        """The pairs that match each row to its column; None if that is no 1:1 matching."""
        if len(rows) == 1:
            return (self.pair(rows[0], columns[0]),)
        if len(rows) == 2:
            (i, j), (a, b) = rows, columns
            if (i == j) != (a == b):
                return None
            first, second = self.pair(i, a), self.pair(j, b)
            return (first,) if first == second else (first, second) if first < second else (second, first)
        wanted = set(zip(rows, columns, strict=True))
        if not len(set(rows)) == len(set(columns)) == len(wanted):
            return None
        return tuple(sorted(self.pair(i, a) for i, a in wanted))

    def join(self, one: Term, other: Term) -> Term | None:
        """The pairs of both terms; None if no 1:1 matching has them all."""
        if not one or not other:
            return one or other
        both = tuple(sorted({*one, *other}))
        places = [self.places[pair] for pair in both]
        fits = len({i for i, _ in places}) == len({a for _, a in places}) == len(both)
        return both if fits else None

    def selector(self, row: Hashable, column: Hashable) -> int:
        """A pair that stands for the choice of two elements."""
        return self.pair(self.row((MADE, row)), self.column((MADE, column)))


def plus(into: Terms, more: Terms, factor: Number = 1) -> None:
    for term, number in more.items():
        into[term] = into.get(term, 0) + factor * number


def times(board: Board, one: Terms, other: Terms) -> Terms:
    made: Terms = {}
    for a, x in one.items():
        for b, y in other.items():
            term = board.join(a, b)
            if term is not None:
                made[term] = made.get(term, 0) + x * y
    return made


def value(terms: Terms, matched: Iterable[int]) -> Number:
    """The polynomial when exactly these pairs are matched, rounded once."""
    chosen = set(matched)
    numbers = [number for term, number in terms.items() if chosen.issuperset(term)]
    return sum(numbers) if set(map(type, numbers)) <= {int} else fsum(numbers)


class Problem(NamedTuple):
    """A polynomial as arrays, in an order that depends on names only; `pairs[p]` is the board's number of pair p."""

    arrays: Polynomial
    pairs: list[int]
    constant: Number


def arrange(board: Board, terms: Terms) -> Problem:
    """Sort rows, columns, pairs and links, so that the answer does not depend on the order of the input."""
    import numpy as np

    from matchwise.engine.kernels.latent import Polynomial

    rows, columns = _ranked(board.rows), _ranked(board.columns)
    places = ((pair, board.places[pair]) for pair in set(chain.from_iterable(terms)))
    placed = sorted([(rows[i], columns[a], pair) for pair, (i, a) in places])
    number = {pair: place for place, (_, _, pair) in enumerate(placed)}
    gains = [0.0] * len(placed)
    links: list[tuple[Term, float]] = []
    for term, weight in terms.items():
        if len(term) == 1:
            gains[number[term[0]]] = float(weight)
        elif term and weight:
            links.append((tuple(sorted([number[pair] for pair in term])), float(weight)))
    links.sort()
    sizes = np.array([len(term) for term, _ in links], dtype=np.int64)
    arrays = Polynomial(
        _numbered([i for i, _, _ in placed]),
        _numbered([a for _, a, _ in placed]),
        np.array(gains),
        np.array([weight for _, weight in links]),
        sizes,
        np.cumsum(sizes) - sizes,
        np.array([pair for term, _ in links for pair in term], dtype=np.int64),
    )
    return Problem(arrays, [pair for _, _, pair in placed], terms.get((), 0))


def _ranked(names: dict[Name, int]) -> dict[int, int]:
    """Numbers by the order of names; made ones come last, in the order they were made."""
    given = [
        (space, name if type(name) is str else f"\0{rank(name)}", number) for (space, name), number in names.items()
    ]
    given.sort(key=_place)
    return {number: place for place, (_, _, number) in enumerate(given)}


def _place(name: tuple[str, str, int]) -> tuple[str, str, int]:
    return ("\uffff", "", name[2]) if name[0] == MADE else name


def _numbered(places: list[int]) -> Integers:
    """The same order without gaps."""
    import numpy as np

    codes = {place: number for number, place in enumerate(sorted(set(places)))}
    return np.array([codes[place] for place in places], dtype=np.int64)
