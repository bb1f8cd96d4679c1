"""What each node adds to the polynomial of two objects: a scheme per node, made when the plan is made.

Σ over elements whose variables form a product is reduced by groups: under a 1:1 matching of variables, elements with
the variables (x, y, …) can only meet elements with (M(x), M(y), …). So each pair of groups is matched once, by whatever
`match` says, and what they add up to is the coefficient of the term {(x, M(x)), (y, M(y)), …}.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from operator import add
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.nodes import Match, Overlap, Product, Similarity, Union, Var
from matchwise.algebra.walk import variables
from matchwise.engine.keys import keys
from matchwise.engine.limits import UNLIMITED, Late, Limits
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.joins import NO_VARIABLE, Column, Joined, JoinSide, Problems, join_problems
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.equality import Equality, apply, case_members
from matchwise.engine.many.operators.searched import Group, Names, fill
from matchwise.engine.solve.cells import Cell, Filled, choose_cells, exact_sum, joint
from matchwise.engine.solve.polynomials import Board, Name, Terms, plus, times

Scheme: TypeAlias = Callable[[Board, Frame, Frame], Terms]
"""Writes φ̃ of two lists of one object each as a polynomial."""


class Monomial:
    """A number times the variables of the two objects, each matched to its counterpart."""

    def __init__(self, phi: Similarity, relaxed: Operator) -> None:
        self.phi = phi
        self.relaxed = relaxed
        self._namer = namer(phi)

    def __call__(self, board: Board, p: Frame, r: Frame) -> Terms:
        number = self.relaxed.one(p, r)
        if not number:
            return {}
        (mine,), (theirs,) = self.names(p, board.row), self.names(r, board.column)
        term = board.term(mine, theirs) if mine else ()
        return {} if term is None else {term: number}

    def names(self, frame: Frame, number: Callable[[Name], int]) -> list[Names]:
        columns = self.columns(frame)
        if not columns:
            return [()] * len(frame)
        numbered = []
        for space, found in columns:
            numbers = {name: (number((space, name)),) for name in dict.fromkeys(found) if name is not NO_VARIABLE}
            numbers[NO_VARIABLE] = ()  # type: ignore[assignment]  # and no number
            numbered.append(list(map(numbers.__getitem__, found)))
        made: list[Names] = numbered[0]  # type: ignore[assignment]
        for more in numbered[1:]:
            made = list(map(add, made, more))
        return made

    def columns(self, frame: Frame) -> list[Column]:
        """The variables of each object, one column for each place that a variable may have."""
        return [] if self._namer is None else self._namer(frame)


Namer: TypeAlias = Callable[[Frame], list[Column]]


def namer(phi: Similarity) -> Namer | None:
    """A function that names the variables of each object; None if φ has no variables."""
    match phi:
        case Var(sel, space):
            return lambda frame: [(space, apply(keys, frame.select(sel)))]
        case Product(factors):
            several = [made for made in map(namer, factors) if made is not None]
            return (lambda frame: [column for of_factor in several for column in of_factor(frame)]) if several else None
        case Union(sel, cases) if variables(phi):
            by_case = [namer(inner) for _, inner in cases]
            return lambda frame: _by_case(frame.select(sel), cases, by_case)
    return None


def _by_case(values: Frame, cases: Any, by_case: list[Namer | None]) -> list[Column]:
    """The columns of all cases, side by side."""
    made: list[Column] = []
    for case, members in case_members(values, cases).items():
        of_case = by_case[case]
        if of_case is not None:
            for space, names in of_case(values.take(members)):
                column: list[Any] = [NO_VARIABLE] * len(values)
                for index, name in zip(members, names, strict=True):
                    column[index] = name
                made.append((space, column))
    return made


class PairTerms:
    """Σ^◇[φ̃] of two collections."""

    def __init__(self, phi: Overlap, relaxed: Operator, inner: Scheme) -> None:
        self.sel, self.match, self.order = phi.sel, phi.match, phi.order
        self.relaxed, self.inner = relaxed, inner

    def __call__(self, board: Board, p: Frame, r: Frame) -> Terms:
        us, vs = p.flat(self.sel).frame, r.flat(self.sel).frame
        if not len(us) or not len(vs):
            return {}
        if isinstance(self.inner, Monomial) and self.order == "bag":
            mine, theirs = self.inner.names(us, board.row), self.inner.names(vs, board.column)
            if isinstance(self.relaxed, Equality):
                return _by_key(board, self.match, self.relaxed.keys(us), mine, self.relaxed.keys(vs), theirs)
            return _by_group(board, self.match, self._fill(board, us, vs), mine, theirs)
        made: Terms = {}
        for i, j, chosen in self._cells(board, us, vs):
            board.spend(1)
            found = self.inner(board, us.take([i]), vs.take([j]))
            plus(made, found if chosen is None else times(board, {(chosen,): 1}, found))
        return made

    @property
    def joins(self) -> bool:
        """True if elements that score are equal except for their variables."""
        return isinstance(self.inner, Monomial) and self.order == "bag" and isinstance(self.relaxed, Equality)

    def joined(self, preds: Frame, refs: Frame, limits: Limits = UNLIMITED) -> Joined | None:
        """The problems of all objects at once; elements have one or two variables, and no element occurs twice."""
        return join_problems(self._side(preds), self._side(refs), limits)

    def problems(self, preds: Frame, refs: Frame) -> Problems | None:
        """The problems of any two objects."""
        return Problems.of(self._side(preds), self._side(refs))

    def _side(self, frame: Frame) -> JoinSide:
        assert isinstance(self.inner, Monomial), "joins says so"
        assert isinstance(self.relaxed, Equality), "joins says so"
        flat = frame.flat(self.sel)
        return JoinSide(self.relaxed.keys(flat.frame), self.inner.columns(flat.frame), flat.offsets.tolist())

    def _fill(self, board: Board, us: Frame, vs: Frame) -> Filled:
        """The elements that score when any two variables count as matched, as far as there is time."""
        tag = (self, us, vs)
        made: Filled | None = board.filled.get(tag)
        if made is None:
            made = board.filled[tag] = fill(self.relaxed, us, vs, board.limits)
        return made

    def _cells(self, board: Board, us: Frame, vs: Frame) -> list[tuple[int, int, int | None]]:
        """The pairs of elements that can score, each with the pair that stands for its choice where there is one."""
        if self.order == "index":
            places = np.arange(min(len(us), len(vs)))
            found = self.relaxed.at(us, vs, places, places).tolist()
            return [(place, place, None) for place, w in enumerate(found) if w]
        table = self._fill(board, us, vs)
        if table.most:
            raise Late
        cells = [(i, j) for i, j, _ in table.cells]
        in_row, in_column = Counter(i for i, _ in cells), Counter(j for _, j in cells)
        tag = board.tag()

        def chosen(i: int, j: int) -> int | None:
            one_pred = self.match in ("1:1", "N:1") and in_row[i] > 1
            one_ref = self.match in ("1:1", "1:N") and in_column[j] > 1
            if not one_pred and not one_ref:
                return None
            return board.selector((tag, i) if one_pred else (tag, i, j), (tag, j) if one_ref else (tag, i, j))

        return [(i, j, chosen(i, j)) for i, j in cells]


def _by_key(
    board: Board, match: Match, mine: list[Hashable], rows: list[Names], theirs: list[Hashable], columns: list[Names]
) -> Terms:
    """Elements that are equal but for their variables: joined by hash, each group counted once."""
    pred, ref = _group(mine, rows), _group(theirs, columns)
    groups: list[Group] = [(counts, ref[key]) for key, counts in pred.items() if key in ref]
    made: Terms = {}
    if board.outline is None:
        board.spend(sum(len(ours) * len(others) for ours, others in groups))
    else:
        groups, made[()] = board.outline.of_groups(match, groups)
    term_of, pair = board.term, board.pair
    for ours, others in groups:
        for names, count in ours.items():
            alone = names[0] if len(names) == 1 else None
            for found, number in others.items():
                term = (pair(alone, found[0]),) if alone is not None else term_of(names, found) if names else ()
                if term is not None:
                    made[term] = made.get(term, 0) + (1 if count == number == 1 else joint(match, count, number))
    return made


def _group(found: list[Hashable], names: list[Names]) -> dict[Hashable, Counter[Names]]:
    """Map each key to its variables and how often each occurs."""
    made: dict[Hashable, Counter[Names]] = {}
    for (key, some), count in Counter(zip(found, names, strict=True)).items():
        made.setdefault(key, Counter())[some] = count
    return made


def _by_group(board: Board, match: Match, filled: Filled, rows: list[Names], columns: list[Names]) -> Terms:
    """Elements with a similarity of their own: each pair of groups is matched once."""
    made: Terms = {}
    if board.outline is not None:
        cells, made[()] = board.outline.of_table(match, filled, len(columns))
    elif filled.most:
        raise Late
    else:
        board.spend(len(filled.cells))
        cells = filled.cells
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Cell]] = {}
    for i, j, w in cells:
        groups.setdefault((rows[i], columns[j]), []).append((i, j, w))
    for (names, others), block in groups.items():
        term = board.term(names, others) if names else ()
        if term is not None:
            chosen = choose_cells(match, block)
            made[term] = made.get(term, 0) + exact_sum([block[place][2] for place in chosen])
    return made
