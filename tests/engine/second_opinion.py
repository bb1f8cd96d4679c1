"""A second opinion: every equation of the paper, by trying all matchings, in fractions, on small data.

It was written from the paper and the conventions of the vocabulary (docs/algebra.md, docs/structures.md) alone, and it
shares no code with the engines: it has its own equality, its own selection and its own matchings. An object that an
equation does not cover (a missing key outside a sum, `None` for a collection) raises `Refused`; so does a Jaccard index
below 0, as a similarity is at least 0 and J needs φ(x, y) ≤ φ(x, x) + φ(y, y).
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any

from matchwise.algebra.nodes import (
    Above,
    Again,
    Best,
    Contingency,
    Custom,
    Eq,
    Harmonic,
    Latent,
    Mean,
    Minus,
    Normalized,
    Overlap,
    Product,
    Recursive,
    Similarity,
    Subset,
    Substitution,
    Sum,
    Union,
    Variable,
)

Pair = tuple[int, int]
Relation = dict[Pair, object]
"""How two elements of one side stand to each other."""

Scope = dict[str, Similarity]
Variables = dict[str, frozenset[tuple[Any, Any]]]
"""By space, the variables that are matched (eq. 34)."""


class Refused(Exception):
    """The equations do not say what the score of this object is."""


def score(phi: Similarity, x: Any, y: Any) -> Fraction:
    """φ(x, y)."""
    return Evaluator({}, {}).score(phi, x, y)


def counts(phi: Similarity, x: Any, y: Any) -> tuple[Fraction, Fraction, Fraction]:
    """Σ(P, R), Σ(P, P) and Σ(R, R) of the Σ beneath the outermost normaliser."""
    below = phi.inner if isinstance(phi, Normalized) else phi
    evaluator = Evaluator({}, {})
    return evaluator.score(below, x, y), evaluator.self_score(below, x), evaluator.self_score(below, y)


class Evaluator:
    """The equations, under given names (`recursive`) and matched variables (`latent`)."""

    def __init__(self, scope: Scope, variables: Variables) -> None:
        self.scope = scope
        self.variables = variables

    def score(self, phi: Similarity, x: Any, y: Any) -> Fraction:
        match phi:
            case Eq(sel):
                return Fraction(same(select(x, sel), select(y, sel)))
            case Custom(function, sel):
                return self._custom(phi, select(x, sel), select(y, sel))
            case Product(factors):
                return prod((self.score(factor, x, y) for factor in factors), start=Fraction(1))
            case Sum(terms):
                found = [
                    Fraction(weight) * self.score(part, x, y)
                    for weight, part in terms
                    if is_present(part, x) and is_present(part, y)
                ]
                return sum(found, start=Fraction())
            case Mean(terms):
                above = sum((Fraction(weight) * self.score(part, x, y) for weight, part in terms), start=Fraction())
                return above / sum(Fraction(weight) for weight, _ in terms)
            case Overlap():
                _, value = max(self._totals(phi, x, y))
                return value
            case Normalized():
                return self._normalized(phi, x, y)
            case Harmonic(precision, recall):
                p, r = self.score(precision, x, y), self.score(recall, x, y)
                return 2 * p * r / (p + r) if p + r else Fraction()
            case Above(inner, threshold, strict):
                value = self.score(inner, x, y)
                return Fraction(value > Fraction(threshold) if strict else value >= Fraction(threshold))
            case Minus(inner, amount):
                return max(Fraction(), self.score(inner, x, y) - Fraction(amount))
            case Substitution(inner, cost):
                return 1 - Fraction(cost) / 2 * (1 - self.score(inner, x, y))
            case Union(sel, cases):
                u, v = select(x, sel), select(y, sel)
                mine, theirs = case_of(u, cases), case_of(v, cases)
                return self.score(dict(cases)[mine], u, v) if mine == theirs else Fraction()
            case Best(sel, inner):
                us, vs = (several(select(side, sel)) for side in (x, y))
                return max((self.score(inner, u, v) for u in us for v in vs), default=Fraction())
            case Subset(sel):
                us, vs = elements(select(x, sel)), elements(select(y, sel))
                return Fraction(bool(us) and all(any(same(u, v) for v in vs) for u in us))
            case Contingency(function, sel, inner):
                us, vs = elements(select(x, sel)), elements(select(y, sel))
                cells = self._cells(inner, us, vs)
                rows, columns = [i for i, _ in cells], [j for _, j in cells]
                return Fraction(function(rows, columns, list(cells.values())))
            case Latent(inner):
                found = variable_matchings(self._names(inner, x), self._names(inner, y))
                return max(Evaluator(self.scope, made).score(inner, x, y) for made in found)
            case Variable(sel, space):
                return Fraction((select(x, sel), select(y, sel)) in self.variables[space])
            case Recursive(name, inner, sel):
                below = Evaluator({**self.scope, name: inner}, self.variables)
                return below.score(inner, select(x, sel), select(y, sel))
            case Again(name, sel):
                return self.score(self.scope[name], select(x, sel), select(y, sel))
        raise AssertionError(f"no opinion about {type(phi).__name__}")

    def _custom(self, phi: Custom, u: Any, v: Any) -> Fraction:
        return Fraction(phi.function([u], [v])[0][0] if phi.batch else phi.function(u, v))

    def _normalized(self, phi: Normalized, x: Any, y: Any) -> Fraction:
        """Eqs. 4 to 7; the self-scores have variables of their own, matched at best."""
        return ratio(phi, self.score(phi.inner, x, y), *(self._own(phi.inner, side) for side in (x, y)))

    def _own(self, phi: Similarity, x: Any) -> Fraction:
        return self.score(Latent(phi), x, x) if self.variables else self.self_score(phi, x)

    def self_score(self, phi: Similarity, x: Any) -> Fraction:
        """φ(x, x); but a collection with `align_by` is worth its elements with themselves, whatever aligns them."""
        match phi:
            case Overlap(sel, inner, align_by=Similarity()):
                return sum((self.self_score(inner, u) for u in elements(select(x, sel))), start=Fraction())
            case Product(factors):
                return prod((self.self_score(factor, x) for factor in factors), start=Fraction(1))
            case Sum(terms):
                there = [(weight, part) for weight, part in terms if is_present(part, x)]
                return sum((Fraction(weight) * self.self_score(part, x) for weight, part in there), start=Fraction())
            case Mean(terms):
                above = sum((Fraction(weight) * self.self_score(part, x) for weight, part in terms), start=Fraction())
                return above / sum(Fraction(weight) for weight, _ in terms)
            case Above(inner, threshold, strict):
                value = self.self_score(inner, x)
                return Fraction(value > Fraction(threshold) if strict else value >= Fraction(threshold))
            case Minus(inner, amount):
                return max(Fraction(), self.self_score(inner, x) - Fraction(amount))
            case Substitution(inner, cost):
                return 1 - Fraction(cost) / 2 * (1 - self.self_score(inner, x))
            case Union(sel, cases):
                u = select(x, sel)
                return self.self_score(dict(cases)[case_of(u, cases)], u)
            case Recursive(name, inner, sel):
                return Evaluator({**self.scope, name: inner}, self.variables).self_score(inner, select(x, sel))
            case Again(name, sel):
                return self.self_score(self.scope[name], select(x, sel))
        return self.score(phi, x, x)

    def _cells(self, phi: Similarity, us: list[Any], vs: list[Any]) -> dict[Pair, Fraction]:
        """The edges of the bipartite graph: the pairs whose similarity is not 0."""
        found = {(i, j): self.score(phi, u, v) for i, u in enumerate(us) for j, v in enumerate(vs)}
        return {pair: weight for pair, weight in found.items() if weight}

    def _totals(self, phi: Overlap, x: Any, y: Any) -> Iterator[tuple[Fraction, Fraction]]:
        """Of every matching: what it is chosen by, and its Σ (eq. 13); the two differ under `align_by`."""
        mine, theirs = (structure(phi.order, select(side, phi.sel)) for side in (x, y))
        us, vs = mine[0], theirs[0]
        by = self._cells(phi.inner if phi.align_by is None else phi.align_by, us, vs)
        scored = by if phi.align_by is None else self._cells(phi.inner, us, vs)
        zero = Fraction()
        for matching in matchings(list(by), phi.match, phi.order, mine[1], theirs[1]):
            yield sum((by[pair] for pair in matching), start=zero), sum((scored.get(p, zero) for p in matching), zero)

    def _names(self, phi: Similarity, x: Any) -> dict[str, list[Any]]:
        """The variables of one side, by space: what the `var` leaves meet when x is compared with itself."""
        met = Meeting(self.scope)
        met.score(phi, x, x)
        return met.names


class Meeting(Evaluator):
    """Notes every variable that is met, and matches none."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope, {})
        self.names: dict[str, list[Any]] = {}

    def score(self, phi: Similarity, x: Any, y: Any) -> Fraction:
        if isinstance(phi, Variable):
            for name in (select(x, phi.sel), select(y, phi.sel)):
                if name not in self.names.setdefault(phi.space, []):
                    self.names[phi.space].append(name)
            return Fraction(1)
        return super().score(phi, x, y)


def ratio(phi: Normalized, xy: Fraction, xx: Fraction, yy: Fraction) -> Fraction:
    """N of φ(x, y), φ(x, x) and φ(y, y); 0/0 is `empty`."""
    square = Fraction(phi.beta) ** 2
    match phi.kind:
        case "precision":
            above, below = xy, xx
        case "recall":
            above, below = xy, yy
        case "f1":
            above, below = 2 * xy, xx + yy
        case "fbeta":
            above, below = (1 + square) * xy, xx + square * yy
        case "jaccard":
            above, below = xy, xx + yy - xy
            if below < 0:
                raise Refused(f"{phi!r} is below 0: φ(x, y) = {xy}, φ(x, x) = {xx}, φ(y, y) = {yy}")
        case "edit":  # 1 − d / max, not below 0
            above, below = max(Fraction(), 2 * xy - min(xx, yy)), max(xx, yy)
        case "error_rate":
            above, below = max(Fraction(), xx + yy - 2 * xy), yy or Fraction(1)
    return above / below if below else Fraction(phi.empty)


def variable_matchings(mine: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> Iterator[Variables]:
    """All 1:1 matchings of the variables of two sides, each space by itself."""
    spaces = sorted({*mine, *theirs})
    if not spaces:
        yield {}
        return
    first, *rest = spaces
    ours, others = mine.get(first, []), theirs.get(first, [])
    few, many = sorted((ours, others), key=len)
    for chosen in permutations(many, len(few)):
        pairs = frozenset(zip(few, chosen, strict=True) if few is ours else zip(chosen, few, strict=True))
        for other in variable_matchings({s: mine.get(s, []) for s in rest}, {s: theirs.get(s, []) for s in rest}):
            yield {first: pairs, **other}


def matchings(
    edges: list[Pair], match: str, order: str, mine: Relation, theirs: Relation, chosen: tuple[Pair, ...] = ()
) -> Iterator[tuple[Pair, ...]]:
    """All sets of edges that the constraints allow, two by two."""
    if not edges:
        yield chosen
        return
    edge, *rest = edges
    yield from matchings(rest, match, order, mine, theirs, chosen)
    by_place = order != "index" or edge[0] == edge[1]
    if by_place and all(are_allowed(edge, other, match, mine, theirs) for other in chosen):
        yield from matchings(rest, match, order, mine, theirs, (*chosen, edge))


def are_allowed(one: Pair, two: Pair, match: str, mine: Relation, theirs: Relation) -> bool:
    """Whether two edges may be in one matching: u ≤ u′ ⇔ v ≤ v′, unless they share an end, which `match` decides."""
    (u, v), (s, t) = one, two
    if u == s:
        return match in ("1:N", "N:N")
    if v == t:
        return match in ("N:1", "N:N")
    return mine.get((u, s)) == theirs.get((v, t))


def structure(order: str, value: Any) -> tuple[list[Any], Relation]:
    """The elements of a collection, and how any two of them stand to each other."""
    if order in ("bag", "index"):
        return elements(value), {}
    if order == "sequence":
        found = elements(value)
        return found, {(i, j): i < j for i in range(len(found)) for j in range(len(found)) if i != j}
    nodes, above = tree(value)
    pairs = [(i, j) for i in range(len(nodes)) for j in range(len(nodes)) if i != j]
    if order == "graph":
        return nodes, {(i, j): (i in above[j], j in above[i]) for i, j in pairs}
    # Nodes come parents first, so that of two nodes that are not above each other the left one comes first.
    return nodes, {(i, j): (i in above[j], j in above[i], i < j) for i, j in pairs}


def tree(node: Any) -> tuple[list[Any], list[set[int]]]:
    """The nodes of a tree of `children`, parents first, and the numbers of the nodes above each."""
    nodes: list[Any] = []
    above: list[set[int]] = []

    def visit(here: Any, ancestors: set[int]) -> None:
        number = len(nodes)
        nodes.append(here)
        above.append(ancestors)
        for child in here["children"]:
            visit(child, {*ancestors, number})

    visit(node, set())
    return nodes, above


def select(x: Any, sel: tuple[Any, ...]) -> Any:
    for step in sel:
        if callable(step):
            x = step(x)
        elif isinstance(x, dict) and step in x:
            x = x[step]
        elif isinstance(step, str) and hasattr(x, "__dict__") and hasattr(x, step):
            x = getattr(x, step)
        else:
            raise Refused(f"{x!r} has no {step!r}")
    return x


def elements(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    raise Refused(f"{value!r} is not a collection")


def several(value: Any) -> list[Any]:
    """`best` takes a value that is no collection as its only element; None is no value."""
    return elements(value) if value is None or isinstance(value, list | tuple | set | frozenset) else [value]


def is_present(phi: Similarity, x: Any) -> bool:
    """Whether a part of a sum is there on one side."""
    match phi:
        case Product() | Mean() | Sum() | Harmonic() | Normalized() | Above() | Minus() | Substitution() | Latent():
            return any(is_present(part, x) for part in parts_of(phi))
        case _:
            try:
                value = select(x, phi.sel)  # type: ignore[attr-defined]
            except Refused:
                return False
            return not (value is None or value == {} or (isinstance(value, list | tuple | set) and not value))


def parts_of(phi: Similarity) -> list[Similarity]:
    match phi:
        case Product(factors):
            return list(factors)
        case Mean(terms) | Sum(terms):
            return [part for _, part in terms]
        case Harmonic(precision, recall):
            return [precision, recall]
    return [phi.inner]  # type: ignore[attr-defined]


def case_of(value: Any, cases: tuple[tuple[Any, Similarity], ...]) -> Any:
    """The most specific case of the value's class; a case is a class or the name of one."""
    for kind in type(value).__mro__:
        if kind is int and isinstance(value, bool):  # True is not 1, nor any other number
            continue
        for case, _ in cases:
            if case in (kind, kind.__name__):
                return case
    raise Refused(f"no case for {value!r}")


def same(x: Any, y: Any) -> bool:
    """`True` is not 1, 1 is 1.0, "1" is neither; lists equal tuples, mappings and records are equal by content."""
    if isinstance(x, bool) or isinstance(y, bool):
        return isinstance(x, bool) and isinstance(y, bool) and x == y
    if isinstance(x, list | tuple) and isinstance(y, list | tuple):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, dict) and isinstance(y, dict):
        return set(x) == set(y) and all(same(x[key], y[key]) for key in x)
    if type(x) is type(y) and hasattr(x, "__dict__"):
        return same(vars(x), vars(y))
    return bool(x == y)
