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
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from matchwise.algebra import nodes
from matchwise.algebra.facts import Facts
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children, close, parts, rebuild, variables
from matchwise.engine.limits import Late, Limits, answer, reads_upper
from matchwise.engine.one.build import evaluator
from matchwise.engine.one.compound import NormalizedPair, TermPair
from matchwise.engine.one.evaluator import Cell, Evaluator, Match
from matchwise.engine.one.matching import Bag
from matchwise.engine.one.parts import PairSide, Part
from matchwise.engine.one.structure import fill
from matchwise.engine.one.values import Key, case_number, keyer
from matchwise.engine.rewrite import split_selector
from matchwise.engine.solve.cells import choose_cells, exact_sum, most_of, most_of_rows
from matchwise.engine.solve.latent import solve
from matchwise.engine.solve.polynomial import MADE, Board, Name, Terms, arrange, plus, times, value
from matchwise.engine.solve.polynomial import Term as Names
from matchwise.errors import DataError, ExpressionError

Matching: TypeAlias = tuple[tuple[str, Hashable, Hashable], ...]
"""The matched variables, sorted by space: space, predicted name, reference name."""

Scheme: TypeAlias = Callable[[Board, Part, Part], Terms]
"""Writes φ̃ of two objects as a polynomial."""


@dataclass(slots=True)
class Solved:
    """A matching of variables, the value of φ̃ under it, and an upper bound under any matching."""

    lower: Number
    upper: Number
    names: Callable[[], list[tuple[Name, Name]]] = field(default=list)
    """The pairs that add something, made on demand: counting does not need them."""

    @property
    def matching(self) -> Matching:
        """The pairs of variables; rows and columns that stand for elements are dropped."""
        found = [(space, x, y) for (space, x), (_, y) in self.names() if space != MADE]
        return tuple(sorted(found, key=lambda pair: pair[0]))


class LatentPair(Evaluator):
    """max over M_V of φ̃."""

    phi: nodes.Latent

    def __init__(self, phi: nodes.Latent, facts: Facts, inner: Evaluator, closed: Similarity) -> None:
        """`closed` is φ̃ with the recursive similarities around it."""
        super().__init__(phi, facts)
        self.inner, self.relaxed = inner, evaluator(relax(closed))
        self.dense = self.relaxed.dense
        self.scheme = scheme(closed)

    def score(self, p: Part, r: Part) -> float:
        found = self.solve(p, r)
        return found.upper if reads_upper() else found.lower  # type: ignore[return-value]  # no fraction

    def solve(self, p: Part, r: Part) -> Solved:
        """The best matching of the variables of two objects; within the limits of the search, if there are any."""
        name = (self, p.side.name, p.path(), r.side.name, r.path())
        return answer(name, lambda limits: self._cap(self._solve(p, r, limits), p, r))

    def _cap(self, found: Solved, p: Part, r: Part) -> Solved:
        """No bound exceeds the self-scores, where φ(x, y) does not; and x under the identity is a bound of φ(x, x)."""
        if found.lower != found.upper:
            if self.facts.self_score.holds:
                found.upper = min(found.upper, self.own(p), self.own(r))
            elif p is r:
                found.lower = max(found.lower, self._under((), p, p))
                found.upper = max(found.lower, found.upper)
        return found

    def _under(self, matching: Matching, p: Part, r: Part) -> float:
        """φ̃ under a matching of the variables."""
        p, r = bind(p, r, matching)
        try:
            return self.inner.score(p, r)
        finally:
            p.side.known.clear()
            r.side.known.clear()

    def _solve(self, p: Part, r: Part, limits: Limits) -> Solved:
        if not self.facts.self_score.holds:  # φ(x, x) and φ(y, y) are to be solved, too
            limits = limits.half()
        board = Board(limits)
        try:
            terms = self.scheme(board, p, r)
        except Late:
            return Solved(0, self._most(p, r))
        lower = upper = terms.get((), 0)
        chosen: list[int] = []
        if any(terms):
            problem, pairs = arrange(board, terms)
            found = solve(problem, limits)
            chosen = [pairs[pair] for pair in found.chosen]
            lower = value(terms, chosen)
            upper = lower if found.lower == found.upper else upper + found.upper
            if board.is_whole:
                return Solved(lower, upper, lambda: board.names(pairs[pair] for pair in problem.needed(found.chosen)))
        if board.is_whole:
            return Solved(lower, upper)
        rows, columns = list(board.rows), list(board.columns)
        forth = extend(dict(board.places[pair] for pair in chosen), board.rest)
        extended = Solved(0, upper, lambda: [(rows[i], columns[a]) for i, a in forth.items()])
        extended.lower = self._under(extended.matching, p, r)
        extended.upper = max(extended.lower, upper)
        return extended

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
        if isinstance(inner, Bag) and inner.phi.match != "N:N":
            return len(p.values(inner.phi.sel))
        if inner.facts.self_score.holds:
            bound, _ = bind(p, p, ())
            own = inner.own(bound)
            bound.side.known.clear()
            return own
        found = self.solve(p, p)
        # It is a divisor: the opposite end of its bounds.
        return found.lower if reads_upper() else found.upper  # type: ignore[return-value]  # no fraction

    def _join(self, us: Sequence[Part], vs: Sequence[Part]) -> list[Cell]:
        return [(i, j, w) for i, j, _ in self.relaxed.cells(us, vs) if (w := self.score(us[i], vs[j]))]

    def match(self, p: Part, r: Part, *, counted: bool = False) -> Match:
        matching = self.solve(p, r).matching
        mine, theirs = bind(p, r, matching)
        below = self.inner.match(mine, theirs, counted=counted)
        mine.side.known.clear()
        theirs.side.known.clear()
        made = self._made("latent", p, r, below.score, (below,), counted=counted)
        return replace(made, variables=matching)


def bind(p: Part, r: Part, matching: Matching) -> tuple[Part, Part]:
    """Two objects with their variables matched: a matched name has the same number on both sides."""
    mine = {(space, x): number for number, (space, x, _) in enumerate(matching)}
    theirs = {(space, y): number for number, (space, _, y) in enumerate(matching)}
    bound = p.under(PairSide(p.side.name, p.side.keeps, mine, answers=p.side.answers))
    return bound, bound if p is r else r.under(PairSide(r.side.name, r.side.keeps, theirs, answers=r.side.answers))


def extend(matched: dict[int, int], rest: Iterable[tuple[list[Names], list[Names]]]) -> dict[int, int]:
    """A 1:1 matching (row -> column) with more pairs in it, so that more of the elements meet; each is looked at once.

    An element with a matched variable takes the first one of the other side that has its counterpart and no variable
    that is matched otherwise; one without takes the first that is left.
    """
    forth, back = dict(matched), {column: row for row, column in matched.items()}
    for mine, theirs in rest:
        waiting = theirs[::-1]
        having: dict[tuple[int, int], list[Names]] = {}
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


ANY = LeafKind("any", lambda value, _: None, lambda x, y, _: 1, discrete=True)
"""A variable before it is matched: anything may go with anything."""


def relax(phi: Similarity, inside: frozenset[str] = frozenset()) -> Similarity:
    """φ when any two variables count as matched: an upper bound, and 0 where no matching helps.

    Recursive similarities inside it get another name: they are others.
    """
    match phi:
        case nodes.Var(sel):
            return nodes.Leaf(ANY, sel)
        case nodes.Latent():
            return phi
        case nodes.Product(factors):
            rest = tuple(relax(factor, inside) for factor in factors if not isinstance(factor, nodes.Var))
            return nodes.Leaf(ANY) if not rest else rest[0] if len(rest) == 1 else nodes.Product(rest)
        case nodes.Recursive(name, inner, sel):
            return nodes.Recursive(f"{name} relaxed", relax(inner, inside | {name}), sel)
        case nodes.Again(name, sel) if name in inside:
            return nodes.Again(f"{name} relaxed", sel)
    return rebuild(phi, tuple(relax(part, inside) for part in children(phi)))


def scheme(phi: Similarity, inside: dict[str, RecursiveScheme] | None = None) -> Scheme:
    """How to write φ̃ as a polynomial; ExpressionError if it cannot be written so."""
    inside = inside or {}
    bodies = {name: named.body for name, named in inside.items()}

    def below(part: Similarity) -> Scheme:
        return scheme(part, inside)

    def relax_part(part: Similarity) -> Evaluator:
        return evaluator(relax(close(part, bodies)))

    match phi:
        case nodes.Again(name, sel) if name in inside:
            return partial(_of_part, sel, inside[name])
        case nodes.Recursive(name, inner, sel) if variables(phi):
            named = RecursiveScheme(inner)
            named.target = scheme(inner, {**inside, name: named})
            return partial(_of_part, sel, named)
        case _ if _is_monomial(phi, inside):
            return Monomial(phi, relax_part(phi))
        case nodes.Product(factors):
            fixed = tuple(factor for factor in factors if _is_monomial(factor, inside))
            rest = [below(factor) for factor in factors if factor not in fixed]
            return partial(_of_product, [*([below(nodes.Product(fixed))] if fixed else []), *rest])
        case nodes.Sum(terms):
            several = [(weight, part, *split_selector(part)) for weight, part in terms]
            return partial(
                _of_sum, [(TermPair(w, part, sel, relax_part(bare)), below(bare)) for w, part, sel, bare in several]
            )
        case nodes.Mean(terms):
            whole = sum(weight for weight, _ in terms)
            return partial(_of_mean, [(weight / whole, below(part)) for weight, part in terms])
        case nodes.Overlap(order="bag" | "index", align_by=None):
            return PairTerms(phi, relax_part(phi.inner), below(phi.inner))
        case nodes.Normalized(kind, inner) if kind != "jaccard":
            own = evaluator(nodes.Latent(close(inner, bodies)))
            return partial(_of_ratio, NormalizedPair(phi, own.facts, own, phi), below(inner))
        case nodes.Union():
            return partial(_of_case, phi, [below(inner) for _, inner in phi.cases])
        case nodes.Best(sel, inner):
            return partial(_of_best, sel, relax_part(inner), below(inner))
    raise ExpressionError(
        f"latent(…) cannot match the variables of {phi!r} there: under it may stand sums, products, unions, best, and "
        "overlaps (order bag or index) with P, R or F of them; thresholds, differences and J may stand only outermost"
    )


class RecursiveScheme:
    """A recursive similarity, whose scheme is known once its body is."""

    target: Scheme

    def __init__(self, body: Similarity) -> None:
        self.body = body

    def __call__(self, board: Board, p: Part, r: Part) -> Terms:
        return self.target(board, p, r)


def _is_monomial(phi: Similarity, inside: dict[str, RecursiveScheme]) -> bool:
    """True if φ̃ is a number times a product of variables."""
    match phi:
        case nodes.Var():
            return True
        case nodes.Product() | nodes.Union():
            return all(_is_monomial(part, inside) for part in children(phi))
    return not variables(phi) and not any(isinstance(part, nodes.Again) and part.name in inside for part in parts(phi))


class Monomial:
    """A number times the variables of the two objects, each matched to its counterpart."""

    def __init__(self, phi: Similarity, relaxed: Evaluator) -> None:
        self.relaxed, self.names = relaxed, _namer(phi)

    def __call__(self, board: Board, p: Part, r: Part) -> Terms:
        number = self.relaxed.score(p, r)
        term = board.term(self.rows(board, p), self.columns(board, r)) if number else None
        return {} if term is None else {term: number}

    def rows(self, board: Board, p: Part) -> Names:
        return tuple([board.row(name) for name in self.names(p)])

    def columns(self, board: Board, r: Part) -> Names:
        return tuple([board.column(name) for name in self.names(r)])


def _namer(phi: Similarity) -> Callable[[Part], Sequence[Name]]:
    """The function that names the variables of an object."""
    match phi:
        case nodes.Var(sel, space):
            of_value = keyer(nodes.Eq(sel))
            return lambda part: [(space, of_value(part))]
        case nodes.Product(factors):
            several = [_namer(factor) for factor in factors if variables(factor)]
            return lambda part: [name for names in several for name in names(part)]
        case nodes.Union(sel, cases) if variables(phi):
            by_case = [_namer(inner) for _, inner in cases]

            def of_case(part: Part) -> Sequence[Name]:
                selected = part.select(sel)
                return by_case[case_number(selected, cases)](selected)

            return of_case
    return lambda part: ()


class PairTerms:
    """Σ^◇[φ̃] of two collections."""

    def __init__(self, phi: nodes.Overlap, relaxed: Evaluator, inner: Scheme) -> None:
        self.sel, self.match, self.order = phi.sel, phi.match, phi.order
        self.relaxed, self.inner = relaxed, inner

    def __call__(self, board: Board, p: Part, r: Part) -> Terms:
        us, vs = p.elements(self.sel), r.elements(self.sel)
        if not us or not vs:
            return {}
        self.relaxed.prepare(us, vs)
        if isinstance(self.inner, Monomial) and self.order == "bag":
            return self._by_group(self.inner, board, us, vs)
        made: Terms = {}
        for i, j, chosen in self._choices(board, us, vs):
            board.spend(1)
            found = self.inner(board, us[i], vs[j])
            plus(made, found if chosen is None else times(board, {(chosen,): 1}, found))
        return made

    def _by_group(self, inner: Monomial, board: Board, us: list[Part], vs: list[Part]) -> Terms:
        """Elements with the same variables are matched once, as far as there is room for their pairs."""
        rows, columns = [inner.rows(board, u) for u in us], [inner.columns(board, v) for v in vs]
        cells: list[tuple[int, int, Number]]
        most: Number = 0
        if isinstance(self.relaxed, Key):
            places: dict[Hashable, tuple[list[int], list[int]]] = {}
            for number, side in enumerate((us, vs)):
                for place, k in enumerate(self.relaxed.keys(side)):
                    places.setdefault(k, ([], []))[number].append(place)
            kept, rest = board.fit(list(places.values()), lambda both: len(both[0]) * len(both[1]))
            cells = [(i, j, 1) for mine, theirs in kept for i in mine for j in theirs]
            for mine, theirs in rest:
                n, m = len(mine), len(theirs)
                most += {"1:1": min(n, m), "N:1": n, "1:N": m, "N:N": n * m}[self.match]
                board.rest.append(([rows[i] for i in mine], [columns[j] for j in theirs]))
        else:
            table = fill(self.relaxed, us, vs, board.limits)
            sizes = Counter(i for i, _, _ in table.cells)
            reached = set(board.fit(list(sizes), sizes.__getitem__)[0])
            cells = [cell for cell in table.cells if cell[0] in reached]
            left = [cell for cell in table.cells if cell[0] not in reached]
            most = most_of(self.match, left) + most_of_rows(self.match, table.most, len(vs))
            board.is_whole = board.is_whole and not table.most
        groups: dict[tuple[Names, Names], list[tuple[int, int, Number]]] = {}
        for i, j, w in cells:
            groups.setdefault((rows[i], columns[j]), []).append((i, j, w))
        made: Terms = {(): most} if most else {}
        for (names, others), block in groups.items():
            term = board.term(names, others)
            if term is not None:
                best = [0] if len(block) == 1 else choose_cells(self.match, block)
                made[term] = made.get(term, 0) + exact_sum([block[place][2] for place in best])
        return made

    def _choices(self, board: Board, us: list[Part], vs: list[Part]) -> list[tuple[int, int, int | None]]:
        """The pairs of elements that can score, each with the pair that stands for its choice where there is one."""
        if self.order == "index":
            both = enumerate(zip(us, vs, strict=False))
            return [(place, place, None) for place, (u, v) in both if self.relaxed.score(u, v)]
        table = fill(self.relaxed, us, vs, board.limits)
        if table.most:
            raise Late
        in_row, in_column = Counter(i for i, _, _ in table.cells), Counter(j for _, j, _ in table.cells)
        tag = board.tag()

        def chosen(i: int, j: int) -> int | None:
            one_pred = self.match in ("1:1", "N:1") and in_row[i] > 1
            one_ref = self.match in ("1:1", "1:N") and in_column[j] > 1
            if not one_pred and not one_ref:
                return None
            return board.selector((tag, i) if one_pred else (tag, i, j), (tag, j) if one_ref else (tag, i, j))

        return [(i, j, chosen(i, j)) for i, j, _ in table.cells]


def _of_part(sel: Selector, inner: Scheme, board: Board, p: Part, r: Part) -> Terms:
    """φ̃ of a part."""
    return inner(board, p.select(sel), r.select(sel))


def _of_product(factors: list[Scheme], board: Board, p: Part, r: Part) -> Terms:
    """A product of polynomials."""
    made: Terms = {(): 1}
    for factor in factors:
        if not made:
            break
        made = times(board, made, factor(board, p, r))
    return made


def _of_sum(several: list[tuple[TermPair, Scheme]], board: Board, p: Part, r: Part) -> Terms:
    """Σ w·φ̃ over the parts that both sides have."""
    made: Terms = {}
    for term, inner in several:
        mine, theirs = term.present(p), term.present(r)
        if mine is not None and theirs is not None:
            plus(made, inner(board, mine, theirs), term.weight)
    return made


def _of_mean(several: list[tuple[Number, Scheme]], board: Board, p: Part, r: Part) -> Terms:
    """A weighted mean, given shares of 1."""
    made: Terms = {}
    for share, inner in several:
        plus(made, inner(board, p, r), share)
    return made


def _of_ratio(ratio: NormalizedPair, inner: Scheme, board: Board, p: Part, r: Part) -> Terms:
    """P, R or F inside a larger sum: Σ over a number that does not depend on the matching."""
    xx, yy = ratio.inner.own(p), ratio.inner.own(r)
    nothing, factor = ratio.normalize(0, xx, yy), ratio.normalize(1, xx, yy)
    if nothing:  # 0/0
        return {(): nothing}
    made: Terms = {}
    plus(made, inner(board, p, r), factor)
    return made


def _of_case(phi: nodes.Union, inputs: list[Scheme], board: Board, p: Part, r: Part) -> Terms:
    """By the type of the value; different cases score 0."""
    x, y = p.select(phi.sel), r.select(phi.sel)
    mine, theirs = case_number(x, phi.cases), case_number(y, phi.cases)
    return inputs[mine](board, x, y) if mine == theirs else {}


def _of_best(sel: Selector, relaxed: Evaluator, inner: Scheme, board: Board, p: Part, r: Part) -> Terms:
    """The best pair of two collections: at most one is chosen."""
    us, vs = p.several(sel), r.several(sel)
    tag = board.tag()
    made: Terms = {}
    for i, j, _ in relaxed.cells(us, vs) if us and vs else ():
        choice = board.selector((tag,), (tag, i, j))
        plus(made, times(board, {(choice,): 1}, inner(board, us[i], vs[j])))
    return made
