"""φ̃(x, y) as a polynomial in the indicators ⟦(i, a) ∈ M⟧ of matched variables.

A term is a set of pairs with a coefficient: it counts when all its pairs are matched. Sums add polynomials, products
multiply them; a matching of elements that depends on the variables is itself a 1:1 matching, of rows and columns made
for it. So one solver (solvers/latent.py) maximises them all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Number
from matchwise.arrays import Integers
from matchwise.engine.limits import FEWEST, UNLIMITED, Late, Limits, check_size
from matchwise.engine.order import rank

if TYPE_CHECKING:
    from matchwise.engine.many.operators.searched import PairBudget
    from matchwise.engine.solve.polynomial import Polynomial

Name: TypeAlias = tuple[str, Hashable]
"""A variable: its space, and what it is called there."""

Term: TypeAlias = tuple[int, ...]
"""The numbers of the pairs that have to be matched, ascending; `()` always counts."""

Terms: TypeAlias = dict[Term, Number]

MADE = "\0"
"""The space of rows and columns that stand for elements, not for variables."""


class Board:
    """The rows (predicted variables), columns (reference variables) and pairs that the terms of a problem speak of."""

    def __init__(
        self, limits: Limits = UNLIMITED, outline: PairBudget | None = None, filled: dict[Hashable, Any] | None = None
    ) -> None:
        self.limits = limits
        self.outline = outline
        """What is left out when there is no time for all terms."""
        self.rows: dict[Name, int] = {}
        self.columns: dict[Name, int] = {}
        self.pairs: dict[tuple[int, int], int] = {}
        self.places: list[tuple[int, int]] = []
        self.tags = 0
        self.spent = 0
        self.filled = {} if filled is None else filled
        """Large tables of similarities, which are filled once."""

    def spend(self, pairs: int) -> None:
        """Announce that many pairs will be written down; refuse if they do not fit into memory or would be late."""
        self.spent += pairs
        if self.outline is None:
            check_size(self.spent, self.limits)
        elif self.spent > FEWEST and self.limits.late():
            raise Late

    def tag(self) -> int:
        """A fresh number to make rows and columns under."""
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
        """The pairs that match each row to its column; None if they are not a 1:1 matching."""
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
        board.spend(len(other))
        for b, y in other.items():
            term = board.join(a, b)
            if term is not None:
                made[term] = made.get(term, 0) + x * y
    return made


def value(terms: Terms, matched: Iterable[int]) -> Number:
    """The value of the polynomial if exactly these pairs are matched, rounded once."""
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
    from matchwise.engine.solve.polynomial import Polynomial, dense

    used = np.array(sorted(set(chain.from_iterable(terms))), dtype=np.int64)
    places = np.fromiter(chain.from_iterable(board.places), np.int64, 2 * len(board.places)).reshape(-1, 2)[used]
    rows, columns = _ranks(board.rows)[places[:, 0]], _ranks(board.columns)[places[:, 1]]
    order = np.lexsort((columns, rows))
    pairs = used[order]
    number = np.zeros(len(board.places), dtype=np.int64)
    number[pairs] = np.arange(len(pairs))
    gains = np.zeros(len(pairs))
    single = [(term[0], weight) for term, weight in terms.items() if len(term) == 1]
    gains[number[[pair for pair, _ in single]]] = [float(weight) for _, weight in single]
    links = [term for term, weight in terms.items() if len(term) > 1 and weight]
    sizes, members, sorting = _sort_links(links, number)
    weights = np.array([float(terms[term]) for term in links])[sorting]
    arrays = Polynomial(
        dense(rows[order]), dense(columns[order]), gains, weights, sizes, np.cumsum(sizes) - sizes, members
    )
    return Problem(arrays, pairs.tolist(), terms.get((), 0))


def _sort_links(links: list[Term], number: Integers) -> tuple[Integers, Integers, Integers]:
    """The sizes and members of the links, which are sorted by their members, and the order that sorts them."""
    sizes = np.fromiter(map(len, links), np.int64, len(links))
    there = np.arange(sizes.max(initial=1)) < sizes[:, None]
    table = np.full(there.shape, len(number))
    table[there] = number[np.fromiter(chain.from_iterable(links), np.int64, int(sizes.sum()))]
    table.sort(axis=1)
    table[~there] = -1  # a link that another begins with comes before it
    order = np.lexsort(table.T[::-1])
    return sizes[order], table[order][there[order]], order


def _ranks(names: dict[Name, int]) -> Integers:
    """The place of each number in the order of names; made ones come last, in the order they were made."""
    ordered: list[Name] = []
    for space in sorted({space for space, _ in names} - {MADE}):
        ordered += [(space, name) for name in in_order([name for other, name in names if other == space])]
    ordered += [name for name in names if name[0] == MADE]
    made = np.empty(len(names), dtype=np.int64)
    made[[names[name] for name in ordered]] = np.arange(len(names))
    return made


def in_order(names: list[Hashable]) -> list[Hashable]:
    """Sort the names of one space."""
    if set(map(type, names)) <= {str}:
        return sorted(names)  # type: ignore[type-var]  # texts
    return sorted(names, key=lambda name: name if type(name) is str else f"\0{rank(name)}")
