"""Variables matched 1:1 over a whole structure: φ̃ of two objects as a polynomial, and its exact maximum.

Each node says what it adds to the polynomial. Σ over elements whose variables form a product is reduced by groups:
under a 1:1 matching of variables, elements with the variables (x, y, …) can only meet elements with (M(x), M(y), …). So
each pair of groups is matched once, by whatever `match` says, and what they add up to is the coefficient of the term
{(x, M(x)), (y, M(y)), …}.

*Bounds.* What there was no time to write down is in the polynomial as a number (`Board.fit`). A matching that is good
without it is extended to variables that only the rest speaks of; what it really scores is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import chain, islice, repeat
from operator import ne
from typing import NamedTuple, TypeAlias, TypeGuard, cast

import numpy as np
from msgspec.structs import replace

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts, is_whole
from matchwise.algebra.nodes import Number, Similarity
from matchwise.algebra.walk import children, parts, variables
from matchwise.engine.keys import key
from matchwise.engine.limits import Late, Limits, current
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.kernels import Pairs, Vector
from matchwise.engine.one.parts import PairSide, Part, frames
from matchwise.engine.operators.build import operator
from matchwise.engine.operators.collections import BagOverlap, Collection
from matchwise.engine.operators.compound import Add, ByCase, Recur, Select
from matchwise.engine.operators.equality import Equality, apply, case_finder, column_keys
from matchwise.engine.operators.functions import Average, Multiply, Normalize
from matchwise.engine.operators.joined import Solved, join_elements
from matchwise.engine.operators.operator import Make, Match, Operator, Variables
from matchwise.engine.operators.structure import Searched
from matchwise.engine.operators.tables import BestElement
from matchwise.engine.order import rank
from matchwise.engine.rewrite import relax
from matchwise.engine.solve.cells import JOINT, Cell, choose_cells, exact_sum, most_of
from matchwise.engine.solve.grids import Grid, solve_grids
from matchwise.engine.solve.latent import solve
from matchwise.engine.solve.polynomial import Board, Name, Term, Terms, arrange, extend, plus, times, value
from matchwise.engine.tuning import PROBLEMS
from matchwise.errors import DataError, ExpressionError


class LatentMatch(Searched):
    """max over M_V of φ̃."""

    verb = "match variables"

    phi: nodes.Latent

    def __init__(self, phi: nodes.Latent, facts: Facts, make: Make) -> None:
        super().__init__(phi, facts, make)
        check_scheme(self.inner.closed)
        self.scheme = find_table(self.inner)
        self.relaxed = relaxed(self.inner)
        self.dense = self.relaxed.dense
        self.is_whole = is_whole(phi.inner)
        are_bags = isinstance(self.inner, BagOverlap) and isinstance(self.relaxed, BagOverlap)
        self.elements = cast(Equality, self.relaxed.inner) if are_bags else None
        """What elements have in common that may be matched, if it is a key."""

    @cached_property
    def windows(self) -> bool:
        return self.relaxed.windows

    def solve_all(self, ps: Sequence[Part], rs: Sequence[Part]) -> None:
        """Find the matchings of many pairs of objects, whose problems are made by one join."""
        with frames(ps, rs, apart=True) as both:
            places = np.arange(len(ps))
            for p, r, found in zip(ps, rs, self.solve_joined(*both, places, places), strict=True):
                p.side.known[self, p, r] = found

    def solve(self, p: Part, r: Part) -> Solved:
        found: Solved | None = p.side.known.get((self, p, r))
        return super().solve(p, r) if found is None else found

    def _search(self, p: Part, r: Part, limits: Limits) -> Solved:
        found = self._maximize(p, r, limits if self.facts.self_score.holds else limits.half())
        if found.lower != found.upper:
            if self.facts.self_score.holds:  # then no bound exceeds the self-scores
                found.upper = min(found.upper, self.own(p), self.own(r))
            elif p is r:  # and x under the identity is a bound of φ(x, x)
                found.lower = max(found.lower, self._under((), p, p))
                found.upper = max(found.lower, found.upper)
        return found

    def _maximize(self, p: Part, r: Part, limits: Limits) -> Solved:
        if self.scheme is not None:
            mine, theirs = self.scheme.read(p), self.scheme.read(r)
            if mine is not None and theirs is not None and mine.values and theirs.values:
                return _solve_rows(mine, theirs, limits)
        board = Board(limits)
        try:
            terms = write(board, self.inner, p, r)
        except Late:
            return Solved(0, self._most(p, r))
        lower = upper = terms.get((), 0)
        chosen: list[int] = []
        needed: list[int] = []
        if any(terms):
            problem, pairs = arrange(board, terms)
            found = solve(problem, limits)
            chosen, needed = ([pairs[pair] for pair in some] for some in (found.chosen, problem.useful(found.chosen)))
            lower = value(terms, chosen)
            upper = lower if found.lower == found.upper else upper + found.upper
        if board.is_whole:
            made = Solved(lower, upper, lambda: board.names(needed))
            if not self.is_whole:  # the terms are rounded sums: like its alignment, the score is rounded once
                made.lower = self._under(made.matching, p, r)
                made.upper = made.lower if lower == upper else max(made.lower, upper)
            return made
        rows, columns = list(board.rows), list(board.columns)
        forth = extend(dict(board.places[pair] for pair in chosen), board.rest)
        extended = Solved(0, upper, lambda: [(rows[i], columns[a]) for i, a in forth.items()])
        extended.lower = self._under(extended.matching, p, r)
        extended.upper = max(extended.lower, upper)
        return extended

    def _under(self, matching: Variables, p: Part, r: Part) -> float:
        """φ̃ under a matching of the variables."""
        with bind(p, r, matching) as (mine, theirs):
            return self.inner.score(mine, theirs)

    def _most(self, p: Part, r: Part) -> Number:
        """No more than φ(x, x) and φ(y, y), where that is a law, nor than φ when any two variables count as matched.

        Under a normaliser the latter is not a bound: it changes the divisor, too.
        """
        known: list[Number] = [self.own(p), self.own(r)] if self.facts.self_score.holds else []
        divides = any(isinstance(part, nodes.Normalized) for part in parts(self.phi.inner))
        if not divides and not (known and self.relaxed.dense):
            known.append(self.relaxed.score(p, r))
        if not known:
            raise DataError(
                "the time limit was over before the problem was written down, and P, R or F inside latent(…) of a "
                'function whose facts are not known has no bounds then; give more time, or facts=("symmetric", "unit")'
            )
        return min(known)

    def _own(self, p: Part) -> float:
        """φ(x, x) under the identity of variables; searched for only where another matching may be better."""
        inner = self.inner
        if isinstance(inner, BagOverlap) and inner.phi.match != "N:N":
            return len(p.values(inner.phi.sel))
        if self.scheme is not None:
            return self.scheme.size(p)
        if not inner.facts.self_score.holds:
            return super()._own(p)
        with bind(p, p, ()) as (mine, _):
            return inner.own(mine)

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return [(i, j, w) for i, j, _ in self.relaxed.cells(us, vs) if (w := self.score(us[i], vs[j]))]

    def prepare(self, us: Sequence[Part], vs: Sequence[Part]) -> None:
        """Nothing: elements are looked at when a pair of objects is written down."""

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        matching = self.solve(p, r).matching
        with bind(p, r, matching) as (mine, theirs):
            below = self.inner.match(mine, theirs, counted=counted)
        made = self._made("latent", p, r, below.score, [below], counted=counted)
        return replace(made, variables=matching)

    def settle(self, preds: Frame, refs: Frame) -> tuple[Operator, Frame, Frame]:
        matching = self.solve(preds.parts()[0], refs.parts()[0]).matching
        mine = {(space, x): number for number, (space, x, _) in enumerate(matching)}
        theirs = {(space, y): number for number, (space, _, y) in enumerate(matching)}
        return self.inner, preds.bind(mine), refs.bind(theirs)

    def join(self, preds: Frame, refs: Frame) -> Pairs:
        """φ where the relaxed φ is not 0."""
        if self.relaxed.fills:
            return self.fill(preds, refs)
        i, j, _ = self.relaxed.join(preds, refs)
        return Pairs.of(i, j, self.at(preds, refs, i, j))

    def at(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Vector:
        made = [
            self.score(preds.parts()[x], refs.parts()[y]) if found is None else found.lower
            for x, y, found in zip(i.tolist(), j.tolist(), self.solve_joined(preds, refs, i, j), strict=True)
        ]
        return np.array(made, dtype=np.float64)

    def solve_joined(self, preds: Frame, refs: Frame, i: Vector, j: Vector) -> Iterator[Solved | None]:
        """The best matchings of the given objects, whose problems are made by one join; None where that cannot be."""
        joined = None
        if self.elements is not None and len(i) > 1 and current() is None:
            joined = join_elements(cast(BagOverlap, self.inner), preds, refs, self.elements)
        if joined is None:
            yield from repeat(None, len(i))
            return
        for start in range(0, len(i), PROBLEMS):
            yield from joined.solve(i[start : start + PROBLEMS], j[start : start + PROBLEMS])

    def children(self) -> Iterable[tuple[str, Operator]]:
        return [("", self.relaxed)]

    def detail(self) -> str:
        return "Lagrangian bound, local search, then HiGHS"

    def cost(self) -> str:
        return "exact; NP-hard at worst"


class Rows(NamedTuple):
    """An object as a table: of each row its kind, and its values by variable, which is the column."""

    kinds: list[Hashable]
    values: list[dict[Name, Hashable]]


class TableScheme(NamedTuple):
    """φ̃ as Σ↔ over rows of Σ↔ over cells of var × δ, where each row may be times δ."""

    rows: Collection
    cells: Collection
    kinds: list[Equality]
    column: nodes.Variable
    value: Equality

    def size(self, p: Part) -> int:
        """The number of cells."""
        return sum(len(row.values(self.cells.phi.sel)) for row in self.rows.parts(p))

    def read(self, p: Part) -> Rows | None:
        """The table, unless a row has two cells in one column."""
        rows, (sel, space) = self.rows.parts(p), (self.column.sel, self.column.space)
        several = [row.values(self.cells.phi.sel) for row in rows]
        cells = list(chain.from_iterable(several))
        columns, values = (column_keys(phi, cells, p.side) for phi in (nodes.Eq(sel), self.value.phi))
        if columns is None or values is None:
            alone = [cell for row in rows for cell in self.cells.parts(row)]
            columns, values = [apply(key, cell, sel) for cell in alone], list(map(self.value.key, alone))
        pairs = zip(zip(repeat(space), columns, strict=False), values, strict=True)
        found = [dict(islice(pairs, len(row))) for row in several]
        if any(map(ne, map(len, found), map(len, several))):
            return None
        return Rows([tuple([kind.key(row) for kind in self.kinds]) for row in rows], found)


def find_table(pair: Operator) -> TableScheme | None:
    """Read φ̃ as the sum over a table, if it is one."""
    if not _is_plain_bag(pair):
        return None
    factors = pair.inner.written if isinstance(pair.inner, Multiply) else [pair.inner]
    free = [factor for factor in factors if variables(factor.closed)]
    kinds = [factor for factor in factors if factor not in free]
    if len(free) != 1 or not _is_plain_bag(free[0]):
        return None
    column, value = _split_variable(free[0].inner.closed), relaxed(free[0].inner)
    if column is None or not isinstance(value, Equality) or not all(isinstance(kind, Equality) for kind in kinds):
        return None
    return TableScheme(pair, free[0], cast(list[Equality], kinds), column, value)


def _split_variable(phi: Similarity) -> nodes.Variable | None:
    """The variable that a similarity is, or is a product with; None if there is none, or more."""
    factors = phi.factors if isinstance(phi, nodes.Product) else (phi,)
    found = [factor for factor in factors if variables(factor)]
    return found[0] if len(found) == 1 and isinstance(found[0], nodes.Variable) else None


def _is_plain_bag(pair: Operator) -> TypeGuard[Collection]:
    phi = pair.phi
    return isinstance(pair, Collection) and (phi.match, phi.order, phi.align_by) == ("1:1", "bag", None)


def _solve_rows(mine: Rows, theirs: Rows, limits: Limits) -> Solved:
    """Rows and columns are put into an order that depends on their content only, and so does the answer."""
    known = [{key for row in side.values for key in row.values()} for side in (mine, theirs)]
    numbers = {key: number for number, key in enumerate(sorted(known[0] & known[1], key=rank))}
    kinds = {key: number for number, key in enumerate(sorted({*mine.kinds, *theirs.kinds}, key=rank))}
    grids, columns = [], []
    for absent, side in ((-1, mine), (-2, theirs)):
        names = sorted({name for row in side.values for name in row}, key=rank)
        values = [[numbers.get(row[name], absent) if name in row else absent for name in names] for row in side.values]
        table = np.array([[kinds[kind], *row] for kind, row in zip(side.kinds, values, strict=True)], dtype=np.int64)
        table = table.reshape(-1, 1 + len(names))
        table = table[np.lexsort(table.T[::-1])]
        grids.append(Grid(table[:, 1:], table[:, 0]))
        columns.append(names)
    found = solve_grids(grids[0], grids[1], limits)
    return Solved(found.lower, found.upper, lambda: [(columns[0][c], columns[1][d]) for c, d in found.matched])


@contextmanager
def bind(p: Part, r: Part, matching: Variables) -> Iterator[tuple[Part, Part]]:
    """Two objects with their variables matched: a matched name has the same number on both sides."""
    mine = {(space, x): number for number, (space, x, _) in enumerate(matching)}
    theirs = {(space, y): number for number, (space, _, y) in enumerate(matching)}
    one, other = (
        x.under(PairSide(x.side.name, x.side.keeps, x.side.only_wrong, names, answers=x.side.answers))
        for x, names in ((p, mine), (r, theirs))
    )
    other = one if p is r else other
    try:
        yield one, other
    finally:
        one.side.known.clear()
        other.side.known.clear()


def check_scheme(phi: Similarity, inside: frozenset[str] = frozenset()) -> None:
    """Refuse a φ̃ that cannot be written as a polynomial; `inside` are the recursive similarities around it."""
    recurs = any(isinstance(part, nodes.Again) and part.name in inside for part in parts(phi))
    if find_namer(phi) is not None and not recurs:
        return
    match phi:
        case nodes.Recursive(name):
            inside |= {name}
        case nodes.Again() | nodes.Product() | nodes.Sum() | nodes.Mean() | nodes.Union() | nodes.Best():
            pass
        case nodes.Overlap(order="bag" | "index", align_by=None):
            pass
        case nodes.Normalized("precision" | "recall" | "f1" | "fbeta"):
            pass
        case _:
            raise ExpressionError(
                f"latent(…) cannot match the variables of {phi!r} there: under it may stand sums, products, unions, "
                "best, and overlaps (order bag or index) with P, R or F of them; thresholds, differences, J and edit "
                "may stand only outermost"
            )
    for part in children(phi):
        check_scheme(part, inside)


Namer: TypeAlias = Callable[[Part], list[Name]]


@lru_cache(maxsize=4096)
def find_namer(phi: Similarity) -> Namer | None:
    """The function that names the variables of an object, if φ̃ is a number times their product; None if it is not."""
    if isinstance(phi, nodes.Variable):
        return lambda part: [(phi.space, apply(key, part, phi.sel))]
    if not variables(phi):
        return lambda part: []
    several = [find_namer(part) for part in children(phi)]
    if None in several or not isinstance(phi, nodes.Product | nodes.Union):
        return None
    namers = cast(list[Namer], several)
    if isinstance(phi, nodes.Product):
        return lambda part: [name for names in namers for name in names(part)]

    find_case = case_finder(phi)

    def of_case(part: Part) -> list[Name]:
        number, selected = find_case(part)
        return namers[number](selected)

    return of_case


@lru_cache(maxsize=4096)
def relaxed(pair: Operator) -> Operator:
    """φ when any two variables count as matched."""
    return operator(relax(pair.closed))


def write(board: Board, pair: Operator, p: Part, r: Part) -> Terms:
    """φ̃ of two objects as a polynomial."""
    names = find_namer(pair.closed)
    if names is not None:
        number = relaxed(pair).score(p, r)
        term = board.term(tuple(map(board.row, names(p))), tuple(map(board.column, names(r)))) if number else None
        return {} if term is None else {term: number}
    made: Terms = {}
    match pair:
        case Recur():
            return write(board, pair.target, p.select(pair.sel), r.select(pair.sel))
        case Select():
            return write(board, pair.inner, p.select(pair.sel), r.select(pair.sel))
        case ByCase():
            (mine, x), (theirs, y) = pair.find_case(p), pair.find_case(r)
            return write(board, pair.inputs[mine], x, y) if mine == theirs else {}
        case Multiply():
            fixed = tuple(factor.closed for factor in pair.written if find_namer(factor.closed) is not None)
            made = write(board, operator(nodes.Product(fixed)), p, r) if fixed else {(): 1}
            for factor in pair.written:
                if made and factor.closed not in fixed:
                    made = times(board, made, write(board, factor, p, r))
        case Add():
            both = zip(pair.parts(p), pair.parts(r), strict=True)
            for (weight, _), inner, (u, v) in zip(pair.phi.terms, pair.inputs, both, strict=True):
                if u is not None and v is not None:
                    plus(made, write(board, inner, u, v), weight)
        case Average():
            whole = sum(weight for weight, _ in pair.phi.terms)
            for (weight, _), inner in zip(pair.phi.terms, pair.inputs, strict=True):
                plus(made, write(board, inner, p, r), weight / whole)
        case Normalize():  # Σ over a number that does not depend on the matching
            matched = operator(nodes.Latent(pair.inner.closed))
            xx, yy = matched.own(p), matched.own(r)
            nothing = pair.normalize(0, xx, yy)
            if nothing:  # 0/0
                return {(): nothing}
            plus(made, write(board, pair.inner, p, r), pair.normalize(1, xx, yy))
        case BestElement():  # at most one pair is chosen
            us, vs = pair.parts(p), pair.parts(r)
            tag = board.tag()
            for i, j, _ in relaxed(pair.inner).cells(us, vs) if us and vs else ():
                choice = board.selector((tag,), (tag, i, j))
                plus(made, times(board, {(choice,): 1}, write(board, pair.inner, us[i], vs[j])))
        case Collection():
            return _write_overlap(board, pair, pair.parts(p), pair.parts(r))
        case _:
            raise AssertionError(f"no polynomial for {type(pair).__name__}")
    return made


def _write_overlap(board: Board, pair: Collection, us: list[Part], vs: list[Part]) -> Terms:
    """Σ^◇[φ̃] of two collections."""
    if not us or not vs:
        return {}
    inner = relaxed(pair.inner)
    names = find_namer(pair.inner.closed)
    is_grouped = names is not None and pair.phi.order == "bag"
    if not is_grouped or not isinstance(inner, Equality):  # the keys of groups are all read
        inner.prepare(us, vs)
    if names is not None and is_grouped:
        return _write_groups(board, pair.phi.match, inner, names, us, vs)
    made: Terms = {}
    for i, j, chosen in _choices(board, pair.phi, inner, us, vs):
        board.spend(1)
        found = write(board, pair.inner, us[i], vs[j])
        plus(made, found if chosen is None else times(board, {(chosen,): 1}, found))
    return made


def _write_groups(
    board: Board, match: nodes.Match, inner: Operator, names: Namer, us: list[Part], vs: list[Part]
) -> Terms:
    """Elements with the same variables are matched once, as far as there is room for their pairs."""
    rows = [tuple(map(board.row, names(u))) for u in us]
    columns = [tuple(map(board.column, names(v))) for v in vs]
    most: Number = 0
    if isinstance(inner, Equality):
        places: dict[Hashable, tuple[list[int], list[int]]] = {}
        for number, side in enumerate((us, vs)):
            for place, k in enumerate(inner.keys(side)):
                places.setdefault(k, ([], []))[number].append(place)
        kept, rest = board.fit(list(places.values()), lambda both: len(both[0]) * len(both[1]))
        cells: list[Cell] = [(i, j, 1) for mine, theirs in kept for i in mine for j in theirs]
        for mine, theirs in rest:
            most += JOINT[match](len(mine), len(theirs))
            board.rest.append(([rows[i] for i in mine], [columns[j] for j in theirs]))
    else:
        every = inner.cells(us, vs)
        sizes = Counter(i for i, _, _ in every)
        reached = set(board.fit(list(sizes), sizes.__getitem__)[0])
        cells = [cell for cell in every if cell[0] in reached]
        most = most_of(match, [cell for cell in every if cell[0] not in reached])
    groups: dict[tuple[Term, Term], list[Cell]] = {}
    for i, j, w in cells:
        groups.setdefault((rows[i], columns[j]), []).append((i, j, w))
    made: Terms = {(): most} if most else {}
    for (some, others), block in groups.items():
        term = board.term(some, others)
        if term is not None:
            block.sort()
            best = [0] if len(block) == 1 else choose_cells(match, block)
            made[term] = made.get(term, 0) + exact_sum([block[place][2] for place in best])
    return made


def _choices(
    board: Board, phi: nodes.Overlap, inner: Operator, us: list[Part], vs: list[Part]
) -> list[tuple[int, int, int | None]]:
    """The pairs of elements that can score, each with the pair that stands for its choice where there is one."""
    if phi.order == "index":
        both = enumerate(zip(us, vs, strict=False))
        return [(place, place, None) for place, (u, v) in both if inner.score(u, v)]
    cells = inner.cells(us, vs)
    in_row, in_column = Counter(i for i, _, _ in cells), Counter(j for _, j, _ in cells)
    tag = board.tag()

    def chosen(i: int, j: int) -> int | None:
        one_pred = phi.match in ("1:1", "N:1") and in_row[i] > 1
        one_ref = phi.match in ("1:1", "1:N") and in_column[j] > 1
        if not one_pred and not one_ref:
            return None
        return board.selector((tag, i) if one_pred else (tag, i, j), (tag, j) if one_ref else (tag, i, j))

    return [(i, j, chosen(i, j)) for i, j, _ in cells]
