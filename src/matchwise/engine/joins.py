"""Elements that are equal but for one or two variables: the polynomial of two collections by one join.

Each two equal elements add 1 to the coefficient of the pairs of their variables. This is `Pairing.terms` of the common
case (propositions, edges), straight to arrays; where it does not apply, terms are made one by one.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matchwise.engine.limits import FEWEST, Limits, check_size
from matchwise.engine.polynomials import Name, in_order

if TYPE_CHECKING:
    from matchwise.engine.kernels.latent import Polynomial

NO_VARIABLE = object()

Column: TypeAlias = tuple[str, list[Any]]
"""A space, and in it the variable of each element, or `NO_VARIABLE`."""


class Joined(NamedTuple):
    """A problem whose pair p is of the row `codes[p] // m` and the column `codes[p] % m`, of m columns."""

    arrays: Polynomial
    constant: int
    codes: list[int]
    rows: list[Name]
    columns: list[Name]

    def names(self, pair: int) -> tuple[Name, Name]:
        row, column = divmod(self.codes[pair], len(self.columns))
        return self.rows[row], self.columns[column]


def joined(
    mine: list[Hashable], ours: list[Column], theirs: list[Hashable], others: list[Column], limits: Limits
) -> Joined | None:
    """The problem of two lists of keys with their variables; None if an element is there twice, or has three."""
    if not 1 <= len(ours) <= 2 or [space for space, _ in ours] != [space for space, _ in others]:
        return None
    rows, p = _numbered(ours)
    columns, r = _numbered(others)
    if len(set(zip(mine, p, strict=True))) < len(mine) or len(set(zip(theirs, r, strict=True))) < len(theirs):
        return None
    index: dict[Hashable, list[tuple[int, int]]] = {}
    for key, names in zip(theirs, r, strict=True):
        index.setdefault(key, []).append(names)
    if len(mine) * len(theirs) > FEWEST:
        check_size(sum(len(index.get(key, ())) for key in mine), limits)
    m, constant = len(columns), 0
    gains: dict[int, int] = {}
    links: dict[tuple[int, int], int] = {}
    for key, (i, j) in zip(mine, p, strict=True):
        for a, b in index.get(key, ()):
            first = i * m + a
            if j < 0 or (i == j and a == b):
                gains[first] = gains.get(first, 0) + 1
            elif i != j and a != b:
                second = j * m + b
                both = (first, second) if first < second else (second, first)
                links[both] = links.get(both, 0) + 1
    if NOWHERE in p:
        constant = sum(len(index.get(key, ())) for key, names in zip(mine, p, strict=True) if names == NOWHERE)
        gains.pop(-m - 1, None)
    codes = sorted({*gains, *chain.from_iterable(links)})
    return Joined(_arrays(codes, gains, links, m), constant, codes, rows, columns)


NOWHERE = (-1, -1)
"""The variables of an element that has none."""


def _numbered(columns: list[Column]) -> tuple[list[Name], list[tuple[int, int]]]:
    """The variables of a side in order, and for each element the numbers of its first and second; -1 is none."""
    ordered: list[Name] = []
    number: dict[str, dict[Any, int]] = {}
    for space in sorted({space for space, _ in columns}):
        found = dict.fromkeys(chain.from_iterable([names for other, names in columns if other == space]))
        found.pop(NO_VARIABLE, None)
        several = in_order(list(found))
        number[space] = dict(zip(several, range(len(ordered), len(ordered) + len(several)), strict=True))
        number[space][NO_VARIABLE] = -1
        ordered += [(space, name) for name in several]
    made = [[number[space][name] for name in names] for space, names in columns]
    if len(made) == 1:
        return ordered, [(first, -1) for first in made[0]]
    return ordered, [(i, j) if i >= 0 else (j, -1) for i, j in zip(*made, strict=True)]


def _arrays(codes: list[int], gains: dict[int, int], links: dict[tuple[int, int], int], m: int) -> Polynomial:
    """The polynomial of sorted codes; rows and columns are numbered without gaps."""
    import numpy as np

    from matchwise.engine.kernels.latent import Polynomial

    number = {code: place for place, code in enumerate(codes)}
    ordered = sorted(links)
    rows: dict[int, int] = {}
    columns = {column: place for place, column in enumerate(sorted({code % m for code in codes}))}
    return Polynomial(
        np.array([rows.setdefault(code // m, len(rows)) for code in codes], dtype=np.int64),
        np.array([columns[code % m] for code in codes], dtype=np.int64),
        np.array([gains.get(code, 0) for code in codes], dtype=np.float64),
        np.array([links[both] for both in ordered], dtype=np.float64),
        np.full(len(ordered), 2),
        np.arange(0, 2 * len(ordered), 2),
        np.array([number[code] for both in ordered for code in both], dtype=np.int64),
    )
