"""The problems of many pairs of objects with variables, made by one join, which makes AMR twice as fast.

(`benchmarks/meanings.py`.) It is so where elements are equal but for one or two variables (propositions, edges): two
elements of equal key add 1 to the coefficient of the pairs of their variables, x with x' and, where there is a second
variable, y with y'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Eq, Match, Number, Product, Similarity, Union, Variable
from matchwise.algebra.walk import variables
from matchwise.arrays import Integers
from matchwise.engine.limits import FEWEST, UNLIMITED
from matchwise.engine.many import kernels
from matchwise.engine.many.frame import Frame
from matchwise.engine.one.parts import remember
from matchwise.engine.operators.collections import BagOverlap
from matchwise.engine.operators.equality import Equality, case_members, keys_of
from matchwise.engine.operators.operator import Variables
from matchwise.engine.selection import kinds_of
from matchwise.engine.solve.latent import solve
from matchwise.engine.solve.polynomial import MADE, Name, Polynomial, in_order
from matchwise.engine.tuning import CODE_SPREAD, CODE_TABLE


@remember
def join_elements(bags: BagOverlap, preds: Frame, refs: Frame, keyed: Equality) -> Joined | None:
    """The elements of both sides, by what their key says; None if they have no variables, or more than two."""
    p, r = preds.flat(bags.sel), refs.flat(bags.sel)
    phi = bags.inner.phi
    mine = NumberedVariables.of(list(_find_names(phi, p.frame)), p.owners, len(preds))
    theirs = NumberedVariables.of(list(_find_names(phi, r.frame)), r.owners, len(refs))
    if mine is None or theirs is None:
        return None
    size, *keys = keyed.codes(p.frame, r.frame, apart=False)
    distinct, codes = number_codes(np.concatenate(keys), size)
    names, width = 1 + max(int(side.places.max(initial=0)) for side in (mine, theirs)), len(distinct)
    if max(len(preds), len(refs)) * width * (names + 1) ** 2 >= kernels.WIDE:
        return None
    codes += np.concatenate([p.owners, r.owners]) * width
    elements = Elements.of(codes[: len(p.frame)], mine, len(preds), width, names)
    others = Elements.of(codes[len(p.frame) :], theirs, len(refs), width, names)
    return Joined(bags.phi.match, elements, others, width, names)


@dataclass(slots=True)
class Solved:
    """A matching of variables, the value of φ̃ under it, and an upper bound under any matching."""

    lower: Number
    upper: Number
    names: Callable[[], list[tuple[Name, Name]]] = field(default=list)
    """The pairs that add something, made on demand: counting does not need them."""

    @property
    def matching(self) -> Variables:
        """The pairs of variables, sorted by space; rows and columns that stand for elements are dropped."""
        found = [(space, x, y) for (space, x), (_, y) in self.names() if space != MADE]
        return tuple(sorted(found, key=lambda pair: pair[0]))


NO_VARIABLE = object()

Column: TypeAlias = tuple[str, list[Any]]
"""A space, and in it the variable of each element, or `NO_VARIABLE`."""


def _find_names(phi: Similarity, frame: Frame) -> Iterator[Column]:
    """The variables of each element: a column for each place that a variable may have."""
    match phi:
        case Variable(sel, space):
            yield space, keys_of(Eq(sel), frame)
        case Product(factors):
            for factor in factors:
                yield from _find_names(factor, frame)
        case Union(sel, cases) if variables(phi):
            values = frame.select(sel)
            for case, members in case_members(kinds_of(phi), values).items():
                for space, names in _find_names(cases[case][1], values.take(members)):
                    column: list[Any] = [NO_VARIABLE] * len(values)
                    for index, name in zip(members, names, strict=True):
                        column[index] = name
                    yield space, column


class NumberedVariables(NamedTuple):
    """The variables of many objects, numbered in each object in the order of names."""

    names: list[Name]
    """Of all objects."""
    codes: Integers
    """Object after object its variables: object · number of names + place among the names."""
    starts: Integers
    """Where the variables of each object begin."""
    places: Integers
    """The first and the second variable of each element by their numbers, -1 for none."""

    @classmethod
    def of(cls, columns: list[Column], owners: Integers, objects: int) -> NumberedVariables | None:
        """None if there are no variables, or elements with three."""
        if not columns:
            return None
        names: list[Name] = []
        number: dict[str, dict[Any, int]] = {}
        for space in sorted({space for space, _ in columns}):
            found = dict.fromkeys(chain.from_iterable(several for other, several in columns if other == space))
            found.pop(NO_VARIABLE, None)
            ordered = in_order(list(found))
            number[space] = dict(zip(ordered, range(len(names), len(names) + len(ordered)), strict=True))
            number[space][NO_VARIABLE] = -1
            names += [(space, name) for name in ordered]
        most = len(names)
        every = np.array([list(map(number[space].__getitem__, names)) for space, names in columns], dtype=np.int64)
        named = every >= 0
        if (named.sum(axis=0) > 2).any():
            return None
        owner = np.broadcast_to(owners, every.shape)[named]
        codes, places = number_codes(owner * most + every[named], objects * most)
        starts = codes.searchsorted(np.arange(objects) * most)
        every[named] = places - starts[owner]
        every = np.concatenate([every, np.full((1, len(owners)), -1)])
        first_two = np.argsort(every < 0, axis=0, kind="stable")[:2]
        return cls(names, codes, starts, np.take_along_axis(every, first_two, axis=0))

    def name(self, place: int, number: int) -> Name:
        """A variable of the object at a place."""
        return self.names[int(self.codes[self.starts[place] + number]) % len(self.names)]


def number_codes(codes: Integers, most: int) -> tuple[Integers, Integers]:
    """The distinct codes, sorted, and the place of each given code among them; codes are below `most`.

    Close codes are found by their position in a table, others by sorting.
    """
    if most > max(CODE_TABLE, CODE_SPREAD * len(codes)):
        return np.unique(codes, return_inverse=True)
    present = np.zeros(most, dtype=bool)
    present[codes] = True
    return present.nonzero()[0], (present.cumsum() - 1)[codes]


class Elements(NamedTuple):
    """The different elements of one side, sorted: object and key as one code, variables, and their counts."""

    codes: Integers
    first: Integers
    second: Integers
    counts: Integers
    offsets: Integers
    """Where the elements of each object begin."""
    variables: NumberedVariables

    @classmethod
    def of(cls, codes: Integers, variables: NumberedVariables, objects: int, keys: int, names: int) -> Elements:
        """There are fewer than `keys` keys, and fewer than `names` variables in an object."""
        one, other = variables.places
        wide = (codes * (names + 1) + one + 1) * (names + 1) + other + 1
        wide, counts = np.unique(wide, return_counts=True)
        rest, second = np.divmod(wide, names + 1)
        codes, first = np.divmod(rest, names + 1)
        offsets = codes.searchsorted(np.arange(objects + 1) * keys)
        return cls(codes, first - 1, second - 1, counts, offsets, variables)


class JoinedProblem(NamedTuple):
    """What a matching of the variables of two objects adds up to: a constant and a polynomial."""

    constant: int
    polynomial: Polynomial
    rows: Integers
    """The predicted variable of each pair of the polynomial."""
    columns: Integers


class Joined(NamedTuple):
    """The elements of two sides, and the problem of each pair of objects that is asked for."""

    match: Match
    mine: Elements
    theirs: Elements
    keys: int
    names: int

    def solve(self, i: Integers, j: Integers) -> Iterator[Solved | None]:
        """The best matching of each given pair of objects (i, j); None if it is large."""
        for x, y, problem in zip(i.tolist(), j.tolist(), self.problems(i, j), strict=True):
            yield None if problem is None else self._solve(x, y, problem)

    def _solve(self, x: int, y: int, problem: JoinedProblem) -> Solved:
        found = solve(problem.polynomial, UNLIMITED, unit=1.0)
        total = problem.constant + round(found.lower)

        def names() -> list[tuple[Name, Name]]:
            needed = problem.polynomial.useful(found.chosen)
            both = zip(problem.rows[needed].tolist(), problem.columns[needed].tolist(), strict=True)
            return [(self.mine.variables.name(x, row), self.theirs.variables.name(y, column)) for row, column in both]

        return Solved(total, total, names)

    def problems(self, i: Integers, j: Integers) -> Iterator[JoinedProblem | None]:
        """The problem of each given pair of objects (i, j); None if it is large."""
        mine, theirs, names = self.mine, self.theirs, self.names
        document, p = kernels.lay_out(mine.offsets[i], mine.offsets[i + 1] - mine.offsets[i])
        wanted = mine.codes[p] + ((j - i) * self.keys)[document]
        starts = theirs.codes.searchsorted(wanted)
        sizes = theirs.codes.searchsorted(wanted, side="right") - starts
        is_large = np.bincount(document, sizes, len(i)) > FEWEST
        sizes[is_large[document]] = 0
        which, r = kernels.lay_out(starts, sizes)
        document, p = document[which], p[which]
        c, d = mine.counts[p], theirs.counts[r]
        weights = {"1:1": np.minimum(c, d), "N:1": c, "1:N": d, "N:N": c * d}[self.match]
        x, y, x_ref, y_ref = mine.first[p], mine.second[p], theirs.first[r], theirs.second[r]
        is_single = (x >= 0) & ((y < 0) | ((x == y) & (x_ref == y_ref)))
        is_linked = (y >= 0) & (x != y) & (x_ref != y_ref)
        constants = np.bincount(document[x < 0], weights[x < 0], len(i)).astype(np.int64).tolist()
        first, second = ((document * names + a) * names + b for a, b in ((x, x_ref), (y, y_ref)))
        every = np.concatenate([first[is_single], first[is_linked], second[is_linked]])
        pairs, places = number_codes(every, len(i) * names * names)
        singles, one, other = np.split(places, [is_single.sum(), is_single.sum() + is_linked.sum()])
        gains = np.bincount(singles, weights[is_single], len(pairs)).astype(np.float64)
        width = max(len(pairs), 1)
        links, places = np.unique(np.minimum(one, other) * width + np.maximum(one, other), return_inverse=True)
        link_weights = np.bincount(places, weights[is_linked], len(links)).astype(np.float64)
        members = np.stack(np.divmod(links, width), axis=1)
        rows, columns = np.divmod(pairs, names)
        ends = (rows // names).searchsorted(np.arange(len(i) + 1))
        link_ends = members[:, 0].searchsorted(ends)
        for number, constant in enumerate(constants):
            some, linked = slice(*ends[number : number + 2]), slice(*link_ends[number : number + 2])
            own = members[linked] - ends[number]
            both = rows[some] - number * names, columns[some]
            polynomial = Polynomial.of(*both, gains[some], link_weights[linked], np.full(len(own), 2), own.ravel())
            yield None if is_large[number] else JoinedProblem(constant, polynomial, *both)
