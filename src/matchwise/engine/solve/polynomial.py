"""φ̃(x, y) as a polynomial in the indicators ⟦(i, a) ∈ M⟧ of matched variables, as terms and as arrays.

A term is a set of pairs with a coefficient: it counts when all its pairs are matched. Sums add polynomials, products
multiply them; a matching of elements that depends on the variables is itself a 1:1 matching, of rows and columns made
for it. So one solver (`solve.latent`) maximises them all:

max over 1:1 matchings M of  Σ_p u_p ⟦p ∈ M⟧ + Σ_q w_q Π_{p ∈ q} ⟦p ∈ M⟧,   u, w ≥ 0, where p = (row, column).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from matchwise.algebra.nodes import Number
from matchwise.arrays import Flags, Floats, Integers
from matchwise.engine.limits import MOST, UNLIMITED, Late, Limits
from matchwise.engine.order import rank
from matchwise.engine.solve.cells import exact_sum
from matchwise.errors import DataError

Name: TypeAlias = tuple[str, Hashable]
"""A variable: its space, and what it is called there."""

Term: TypeAlias = tuple[int, ...]
"""The numbers of the pairs that have to be matched, ascending; `()` always counts."""

Terms: TypeAlias = dict[Term, Number]

MADE = "\0"
"""The space of rows and columns that stand for elements, not for variables."""

Group = TypeVar("Group")


class Board:
    """The rows (predicted variables), columns (reference variables) and pairs that the terms of a problem speak of.

    There is room for so many pairs of elements as fit into memory and into the time left. Without a time limit a
    problem that is larger is refused; with one, groups of elements are left out, and put into the polynomial as a
    number: the most they add under any matching. So an upper bound of that polynomial is one of the whole.
    """

    def __init__(self, limits: Limits = UNLIMITED) -> None:
        self.limits, self.room, self.spent = limits, limits.room, 0
        self.rows: dict[Name, int] = {}
        self.columns: dict[Name, int] = {}
        self.pairs: dict[tuple[int, int], int] = {}
        self.places: list[tuple[int, int]] = []
        self.tags = 0
        self.is_whole = True
        self.rest: list[tuple[list[Term], list[Term]]] = []
        """The rows and the columns of elements of one key that were left out."""

    def spend(self, pairs: int) -> None:
        """Announce pairs of elements that will be written down."""
        self.spent += pairs
        if self.spent > self.room:
            self._refuse(self.spent)

    def _refuse(self, pairs: int) -> None:
        if self.limits.deadline is not None:
            raise Late
        raise DataError(
            f"found {pairs:,} pairs of elements that may be matched, more than {MOST:,}; compare more than variables, "
            "split the object into parts that are aligned, or give time_limit= to get bounds"
        )

    def fit(self, groups: list[Group], size: Callable[[Group], int]) -> tuple[list[Group], list[Group]]:
        """As many of the smallest groups as there is room for, and the others."""
        whole = self.spent + sum(map(size, groups))
        if whole <= self.room:
            self.spent = whole
            return groups, []
        if self.limits.deadline is None:
            self._refuse(whole)
        kept: list[Group] = []
        left_out: list[Group] = []
        for group in sorted(groups, key=size):
            self.spent += size(group)
            (kept if self.spent <= self.room else left_out).append(group)
        self.is_whole = False
        return kept, left_out

    def tag(self) -> int:
        """A fresh number to make rows and columns under."""
        self.tags += 1
        return self.tags

    def row(self, name: Name) -> int:
        return self.rows.setdefault(name, len(self.rows))

    def column(self, name: Name) -> int:
        return self.columns.setdefault(name, len(self.columns))

    def pair(self, row: int, column: int) -> int:
        number = self.pairs.setdefault((row, column), len(self.places))
        if number == len(self.places):
            self.places.append((row, column))
        return number

    def term(self, rows: Term, columns: Term) -> Term | None:
        """The pairs that match each row to its column; None if they are not a 1:1 matching."""
        return self.join(tuple([self.pair(i, a) for i, a in zip(rows, columns, strict=True)]))

    def join(self, *several: Term) -> Term | None:
        """The pairs of all terms; None if no 1:1 matching has them all."""
        pairs = tuple(sorted(set().union(*several)))
        if len(pairs) > 1:
            rows, columns = zip(*[self.places[pair] for pair in pairs], strict=True)
            if not len(set(rows)) == len(set(columns)) == len(pairs):
                return None
        return pairs

    def selector(self, row: Hashable, column: Hashable) -> int:
        """A pair that stands for the choice of two elements."""
        return self.pair(self.row((MADE, row)), self.column((MADE, column)))

    def names(self, pairs: Iterable[int]) -> list[tuple[Name, Name]]:
        """What the row and the column of some pairs are called."""
        rows, columns = list(self.rows), list(self.columns)
        return [(rows[i], columns[a]) for i, a in (self.places[pair] for pair in pairs)]


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
    return exact_sum([number for term, number in terms.items() if chosen.issuperset(term)])


def extend(matched: dict[int, int], rest: Iterable[tuple[list[Term], list[Term]]]) -> dict[int, int]:
    """A 1:1 matching (row -> column) with more pairs in it, so that more of the elements meet; each is looked at once.

    An element with a matched variable takes the first one of the other side that has its counterpart and no variable
    that is matched otherwise; one without takes the first that is left.
    """
    forth, back = dict(matched), {column: row for row, column in matched.items()}
    for mine, theirs in rest:
        waiting = theirs[::-1]
        having: dict[tuple[int, int], list[Term]] = {}
        for others in waiting:
            for place, column in enumerate(others):
                having.setdefault((place, column), []).append(others)
        for names in mine:
            anchor = next(((place, forth[row]) for place, row in enumerate(names) if row in forth), None)
            candidates = waiting if anchor is None else having.get(anchor, [])
            while candidates:
                pairs = set(zip(names, candidates.pop(), strict=True))
                is_free = all(forth.get(i, a) == a and back.get(a, i) == i for i, a in pairs)
                if is_free and len({i for i, _ in pairs}) == len({a for _, a in pairs}) == len(pairs):
                    forth.update(pairs)
                    back.update((a, i) for i, a in pairs)
                    break
    return forth


class Polynomial(NamedTuple):
    """Pairs with their places and gains, and links: link q is the run of `sizes[q]` of the `members` at `starts[q]`.

    Pairs are sorted by row, then column; no row and no column is left out.
    """

    rows: Integers
    columns: Integers
    gains: Floats
    weights: Floats
    sizes: Integers
    starts: Integers
    members: Integers

    @classmethod
    def of(
        cls, rows: Integers, columns: Integers, gains: Floats, weights: Floats, sizes: Integers, members: Integers
    ) -> Polynomial:
        return cls(dense(rows), dense(columns), gains, weights, sizes, sizes.cumsum() - sizes, members)

    def value(self, chosen: Integers) -> float:
        """The polynomial at a set of pairs."""
        return float(self.gains[chosen].sum() + self.weights[self.whole_links(chosen)].sum())

    def whole_links(self, chosen: Integers) -> Flags:
        """The links whose pairs are all chosen."""
        active = self.flags(chosen)
        return np.logical_and.reduceat(active[self.members], self.starts) if len(self.starts) else active[:0]

    def flags(self, chosen: Integers) -> Flags:
        """Which pairs are chosen."""
        flags = np.zeros(len(self.gains), dtype=bool)
        flags[chosen] = True
        return flags

    def useful(self, chosen: tuple[int, ...]) -> list[int]:
        """The chosen pairs that add something: by themselves, or in a link whose pairs are all chosen."""
        pairs = np.array(chosen, dtype=np.int64)
        used = self.gains > 0
        used[self.members[np.repeat(self.whole_links(pairs) & (self.weights > 0), self.sizes)]] = True
        kept: list[int] = pairs[used[pairs]].tolist()
        return kept

    def take(self, pairs: Flags, links: Flags) -> tuple[Polynomial, Flags]:
        """Keep the given pairs and the given links between them; also return which members of links are left."""
        if len(self.weights):
            links = links & np.logical_and.reduceat(pairs[self.members], self.starts)
        halves = np.repeat(links, self.sizes)
        members = (np.cumsum(pairs) - 1)[self.members[halves]]
        kept = self.rows[pairs], self.columns[pairs], self.gains[pairs], self.weights[links], self.sizes[links]
        return Polynomial.of(*kept, members), halves


def arrange(board: Board, terms: Terms) -> tuple[Polynomial, list[int]]:
    """A polynomial as arrays, in an order that depends on names only, and the board's number of each pair.

    So the answer does not depend on the order of the input.
    """
    used = np.array(sorted(set(chain.from_iterable(terms))), dtype=np.int64)
    places = np.array(board.places, dtype=np.int64)[used]
    rows, columns = _ranks(board.rows)[places[:, 0]], _ranks(board.columns)[places[:, 1]]
    order = np.lexsort((columns, rows))
    pairs = used[order]
    number = {pair: place for place, pair in enumerate(pairs.tolist())}
    gains = np.zeros(len(pairs))
    links: list[tuple[list[int], float]] = []
    for term, weight in terms.items():
        if len(term) == 1:
            gains[number[term[0]]] = weight
        elif term and weight:
            links.append((sorted([number[pair] for pair in term]), float(weight)))
    links.sort()
    weights, sizes = np.array([weight for _, weight in links]), np.array([len(link) for link, _ in links], dtype=int)
    members = np.array([pair for link, _ in links for pair in link], dtype=np.int64)
    return Polynomial.of(rows[order], columns[order], gains, weights, sizes, members), pairs.tolist()


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


def dense(numbers: Integers) -> Integers:
    """Renumber without gaps."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=bool)
    present[numbers] = True
    made: Integers = (present.cumsum() - 1)[numbers]
    return made
