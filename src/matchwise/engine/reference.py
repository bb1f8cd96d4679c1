"""The equations run as written, one function per node: slow, and the definition of right.

Scores are exact: integers and fractions as long as the leaves are.

>>> from matchwise.algebra.build import f1
>>> score(f1("mentions"), {"mentions": "ab cd".split()}, {"mentions": ["ab"]})
Fraction(2, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any, NamedTuple

from matchwise.algebra import nodes
from matchwise.algebra.leaves import Misfit
from matchwise.algebra.nodes import Match, Move, Number, Selector, Similarity
from matchwise.algebra.steps import Stepped
from matchwise.algebra.walk import children, variables
from matchwise.engine.keys import key
from matchwise.engine.structures import structure
from matchwise.errors import DataError


class Scope(NamedTuple):
    """The surroundings of an expression: `recursive` similarities by name, and the matching M_V of the variables."""

    names: Mapping[str, Similarity] = {}
    matched: frozenset[tuple[Variable, Variable]] = frozenset()


Variable = tuple[str, Hashable]
"""A variable: its space and what it is called."""

Weight = Callable[[int, int], Number]
Pairs = list[tuple[int, int]]


def score(phi: Similarity, x: Any, y: Any, scope: Scope | None = None) -> Number:
    """φ(x, y)."""
    scope = scope or Scope()
    match phi:
        case nodes.Eq(sel):
            return int(key(_part(x, sel)) == key(_part(y, sel)))  # (1) δ(x, y) = ⟦x = y⟧
        case nodes.Leaf(sel=sel) | nodes.Custom(sel=sel) if Misfit in (type(_part(x, sel)), type(_part(y, sel))):
            return int(_part(x, sel) == _part(y, sel))
        case nodes.Leaf(kind, sel, options):
            chosen = dict(options)
            return kind.compare(kind.feature(_part(x, sel), chosen), kind.feature(_part(y, sel), chosen), chosen)
        case nodes.Custom(function, sel, batch):
            u, v = _part(x, sel), _part(y, sel)
            value = _call(function, [u], [v])[0][0] if batch else _call(function, u, v)
            return value  # type: ignore[no-any-return]
        case nodes.Contingency(function, sel, inner):
            us, vs = _elements(x, sel), _elements(y, sel)
            cells = [(i, j, score(inner, u, v, scope)) for i, u in enumerate(us) for j, v in enumerate(vs)]
            found = [cell for cell in cells if cell[2]]
            return _call(function, *([cell[place] for cell in found] for place in range(3)))  # type: ignore[no-any-return]
        case nodes.Product(factors):
            return prod(score(factor, x, y, scope) for factor in factors)  # (2) φ(x, x') · ψ(y, y')
        case nodes.Sum(terms):
            return sum(w * score(part, x, y, scope) for w, part in terms if _both_have(part, x, y))
        case nodes.Mean(terms):
            total = sum(w * score(part, x, y, scope) for w, part in terms)
            return _ratio(total, sum(w for w, _ in terms), 0)
        case nodes.Overlap(sel, inner, order="tree" | "graph"):
            return _structure_score(phi, _part(x, sel), _part(y, sel), scope)
        case nodes.Overlap(sel, inner):
            us, vs = _elements(x, sel), _elements(y, sel)
            return _matching_score(phi, lambda i, j: score(inner, us[i], vs[j], scope), us, vs, scope)
        case nodes.Normalized(kind, inner, beta, empty):
            xy, xx, yy = score(inner, x, y, scope), self_score(inner, x, scope), self_score(inner, y, scope)
            match kind:
                case "precision":
                    return _ratio(xy, xx, empty)  # (4)
                case "recall":
                    return _ratio(xy, yy, empty)  # (5)
                case "jaccard":
                    return _ratio(xy, xx + yy - xy, empty)  # (7)
                case "edit":
                    return max(0, 1 - _ratio(xx + yy - 2 * xy, max(xx, yy), 1 - empty))
                case "error_rate":
                    return max(0, _ratio(xx + yy - 2 * xy, yy or 1, 0))
                case "f1" | "fbeta":  # (6): 2pr / (p + r), and its weighted form
                    square = Fraction(beta) ** 2 if isinstance(beta, int | Fraction) else beta**2
                    return _ratio((1 + square) * xy, xx + square * yy, empty)
        case nodes.Harmonic(precision, recall):
            p, r = score(precision, x, y, scope), score(recall, x, y, scope)
            return _ratio(2 * p * r, p + r, 0)
        case nodes.Above(inner, threshold, strict):
            value = score(inner, x, y, scope)
            return int(value > threshold if strict else value >= threshold)
        case nodes.Minus(inner, amount):
            return max(0, score(inner, x, y, scope) - amount)
        case nodes.Substitution(inner, cost):
            return 1 - _ratio(cost, 2, 0) * (1 - score(inner, x, y, scope))
        case nodes.Union(sel, cases):
            u, v = _part(x, sel), _part(y, sel)
            case_u, case_v = _case(cases, u), _case(cases, v)
            return score(cases[case_u][1], u, v, scope) if case_u == case_v else 0
        case nodes.Best(sel, inner):
            us, vs = _several(x, sel), _several(y, sel)
            return max((score(inner, u, v, scope) for u in us for v in vs), default=0)
        case nodes.Subset(sel):
            mine, theirs = set(map(key, _elements(x, sel))), set(map(key, _elements(y, sel)))
            return int(bool(mine) and mine <= theirs)
        case nodes.Recursive(name, inner, sel):
            return score(inner, _part(x, sel), _part(y, sel), _inside(scope, name, inner))
        case nodes.Again(name, sel):
            return score(scope.names[name], _part(x, sel), _part(y, sel), scope)
        case nodes.Variable(sel, space):
            here, there = (space, key(_part(x, sel))), (space, key(_part(y, sel)))
            return int((here, there) in scope.matched)  # (34) ⟦(x, y) ∈ M_V⟧
        case Stepped(step, inner):
            return score(inner, *step(x, y), scope)
        case nodes.Latent(inner):  # (36) max over M_V
            matchings = _variable_matchings(_variables(inner, x, scope), _variables(inner, y, scope))
            return max(score(inner, x, y, scope._replace(matched=matched)) for matched in matchings)
    raise AssertionError(f"no equation for {type(phi).__name__}")


def self_score(phi: Similarity, x: Any, scope: Scope | None = None) -> Number:
    """φ(x, x); an object that is matched by `align_by` is matched to itself part by part.

    Variables are matched anew, with themselves: max over M_V of φ̃(x, x).
    """
    if variables(phi):
        return score(nodes.Latent(phi), x, x, scope)
    match phi:
        case nodes.Overlap(sel, inner, align_by=by) if by is not None:
            return sum(self_score(inner, u, scope) for u in _elements(x, sel))
        case nodes.Sum(terms):
            return sum(w * self_score(part, x, scope) for w, part in terms if _both_have(part, x, x))
        case nodes.Product(factors):
            return prod(self_score(factor, x, scope) for factor in factors)
        case nodes.Mean(terms):
            return _ratio(sum(w * self_score(part, x, scope) for w, part in terms), sum(w for w, _ in terms), 0)
        case nodes.Minus(inner, amount):
            return max(0, self_score(inner, x, scope) - amount)
        case nodes.Substitution(inner, cost):
            return 1 - _ratio(cost, 2, 0) * (1 - self_score(inner, x, scope))
        case nodes.Above(inner, threshold, strict):
            value = self_score(inner, x, scope)
            return int(value > threshold if strict else value >= threshold)
        case nodes.Union(sel, cases):
            u = _part(x, sel)
            return self_score(cases[_case(cases, u)][1], u, scope)
        case nodes.Recursive(name, inner, sel):
            return self_score(inner, _part(x, sel), _inside(scope or Scope(), name, inner))
        case nodes.Again(name, sel):
            return self_score((scope or Scope()).names[name], _part(x, sel), scope)
    return score(phi, x, x, scope)


def _matching_score(phi: nodes.Overlap, weight: Weight, us: list[Any], vs: list[Any], scope: Scope) -> Number:
    """(13), (37): max over the matchings that `match` and `order` allow of the sum of weights."""
    n, m = len(us), len(vs)
    if phi.align_by is None:
        if phi.order == "index":
            return sum(weight(i, i) for i in range(min(n, m)))
        weights = [[weight(i, j) for j in range(m)] for i in range(n)]
        search = _best_sequence if phi.order == "sequence" else _best_bag
        return search(phi.match, lambda i, j: weights[i][j], n, m)
    by = phi.align_by

    @cache
    def choose(i: int, j: int) -> Number:
        return round(Fraction(score(by, us[i], vs[j], scope)), 12)

    allowed = [(i, j) for i in range(n) for j in range(m) if choose(i, j) > 0]
    totals = [
        (sum(choose(i, j) for i, j in pairs), sum(weight(i, j) for i, j in pairs)) for pairs in _matchings(phi, allowed)
    ]
    return max(totals)[1]  # the best alignment by `align_by`; among equals the best by `inner`


def _best_bag(match: Match, weight: Weight, n: int, m: int) -> Number:
    """M^↔ a partial bijection, M^→ a partial function, M^← its flip, M^∼ any relation."""
    rows, columns = range(n), range(m)
    match match:
        case "N:N":
            return sum(weight(i, j) for i in rows for j in columns)
        case "N:1":
            return sum(max((weight(i, j) for j in columns), default=0) for i in rows)
        case "1:N":
            return sum(max((weight(i, j) for i in rows), default=0) for j in columns)
        case "1:1":

            @cache
            def rest(i: int, free: int) -> Number:
                """The best total of predictions i, i+1, … with the references in `free` (bits)."""
                if i == n:
                    return 0
                taken = (weight(i, j) + rest(i + 1, free & ~(1 << j)) for j in columns if free >> j & 1)
                return max(rest(i + 1, free), max(taken, default=0))

            return rest(0, (1 << m) - 1)


def _best_sequence(match: Match, weight: Weight, n: int, m: int) -> Number:
    """The same among matchings that do not cross: u before u' never meets v after v' (paper §5).

    Read literally, u ≤ u' ⇔ v ≤ v' forbids every N:1 pair of a total order; like the field, we forbid crossings.
    """
    reuse_reference = match in ("N:1", "N:N")
    reuse_prediction = match in ("1:N", "N:N")

    @cache
    def rest(i: int, j: int) -> Number:
        """The best total of predictions from i on and references from j on."""
        if i == n or j == m:
            return 0
        paired = [rest(i + 1, j + 1)]
        if reuse_reference:
            paired.append(rest(i + 1, j))
        if reuse_prediction:
            paired.append(rest(i, j + 1))
        return max(rest(i + 1, j), rest(i, j + 1), weight(i, j) + max(paired))

    return rest(0, 0)


def _structure_score(phi: nodes.Overlap, x: Any, y: Any, scope: Scope) -> Number:
    """(37) over the nodes of two trees or graphs: u ≤ u' ⇔ v ≤ v' for all pairs that share no node (paper §5).

    Pairs that share a node are left to `match`: read literally, no reference could have two predictions.
    """
    p, r = structure(x), structure(y)
    mine, theirs = p.relations(phi.order), r.relations(phi.order)
    weights = {
        (i, j): w
        for i, u in enumerate(p.nodes)
        for j, v in enumerate(r.nodes)
        if (w := score(phi.inner, u, v, scope)) > 0
    }

    def keeps_order(one: tuple[int, int], other: tuple[int, int]) -> bool:
        (i, j), (a, b) = one, other
        return i == a or j == b or mine[i][a] == theirs[j][b]

    return max(sum(weights[pair] for pair in pairs) for pairs in _matchings(phi, list(weights), keeps_order))


def _matchings(
    phi: nodes.Overlap, allowed: Pairs, keeps_order: Callable[[tuple[int, int], tuple[int, int]], bool] | None = None
) -> Iterator[Pairs]:
    """Every set of allowed pairs that `match` and `order` permit."""

    def fits(chosen: Pairs, pair: tuple[int, int]) -> bool:
        i, j = pair
        once_pred, once_ref = phi.match in ("1:1", "N:1"), phi.match in ("1:1", "1:N")
        for a, b in chosen:
            if (once_pred and a == i) or (once_ref and b == j):
                return False
            if phi.order == "sequence" and (a - i) * (b - j) < 0:
                return False
            if keeps_order is not None and not keeps_order((a, b), pair):
                return False
        return phi.order != "index" or i == j

    def grow(start: int, chosen: Pairs) -> Iterator[Pairs]:
        yield chosen
        for position in range(start, len(allowed)):
            if fits(chosen, allowed[position]):
                yield from grow(position + 1, [*chosen, allowed[position]])

    return grow(0, [])


def _inside(scope: Scope, name: str, inner: Similarity) -> Scope:
    return scope._replace(names={**scope.names, name: nodes.Recursive(name, inner)})


def _variables(phi: Similarity, x: Any, scope: Scope) -> set[Variable]:
    """The variables of φ that occur in an object."""
    match phi:
        case nodes.Variable(sel, space):
            return {(space, key(_part(x, sel)))}
        case nodes.Latent():
            return set()
        case nodes.Sum(terms):
            present = [part for _, part in terms if has(part, x)]
            return set[Variable]().union(*(_variables(part, x, scope) for part in present))
        case nodes.Overlap(sel, inner, order=order, align_by=by):
            us = structure(_part(x, sel)).nodes if order in ("tree", "graph") else _elements(x, sel)
            found = [_variables(part, u, scope) for u in us for part in (inner, by) if part is not None]
            return set[Variable]().union(*found)
        case nodes.Contingency(_, sel, inner):
            return set[Variable]().union(*(_variables(inner, u, scope) for u in _elements(x, sel)))
        case nodes.Best(sel, inner):
            us = _several(x, sel)
            return set[Variable]().union(*(_variables(inner, u, scope) for u in us))
        case nodes.Union(sel, cases):
            u = _part(x, sel)
            return _variables(cases[_case(cases, u)][1], u, scope)
        case nodes.Recursive(name, inner, sel):
            return _variables(inner, _part(x, sel), _inside(scope, name, inner))
        case nodes.Again(name, sel):
            return _variables(scope.names[name], _part(x, sel), scope)
    return set[Variable]().union(*(_variables(part, x, scope) for part in children(phi)))


def _variable_matchings(mine: set[Variable], theirs: set[Variable]) -> Iterator[frozenset[tuple[Variable, Variable]]]:
    """Every 1:1 matching of variables of the same space."""
    if not mine:
        yield frozenset()
        return
    x, *rest = sorted(mine, key=repr)
    yield from _variable_matchings(set(rest), theirs)
    for y in sorted(theirs, key=repr):
        if y[0] == x[0]:
            for others in _variable_matchings(set(rest), theirs - {y}):
                yield others | {(x, y)}


def _both_have(part: Similarity, x: Any, y: Any) -> bool:
    return has(part, x) and has(part, y)


def has(part: Similarity, x: Any) -> bool:
    """Whether an object has the part that a term of a sum compares; a compound term has what any of its parts has."""
    if not hasattr(part, "sel"):
        return any(has(inner, x) for inner in children(part))
    for step in part.sel:
        x = _MISSING if x is None or x is _MISSING else _step(x, step)
    return not (x is None or x is _MISSING or (isinstance(x, _CONTAINERS) and not x))


_CONTAINERS = (list, tuple, set, frozenset, Mapping)
_MISSING = object()


def _part(x: Any, sel: Selector) -> Any:
    """The selected part, which has to be there."""
    for step in sel:
        found = _step(x, step)
        if found is _MISSING:
            raise DataError(f"found {x!r}, which has no {step!r}")
        x = found
    return x


def _step(x: Any, step: Move) -> Any:
    """What a step leads to; a mapping or None may lack it, any other object may not."""
    if callable(step):
        return _call(step, x)
    if x is None:
        return _MISSING
    if isinstance(x, Mapping):
        return x.get(step, x.get(str(step), _MISSING))
    try:
        return x[step] if isinstance(step, int) else getattr(x, step)
    except (AttributeError, IndexError, KeyError, TypeError):
        raise DataError(f"found {x!r}, which has no {step!r}") from None


def _elements(x: Any, sel: Selector) -> list[Any]:
    """The elements of the selected collection; those of a mapping have a key and a value."""
    found = _part(x, sel)
    if isinstance(found, str | bytes) or not isinstance(found, Collection):
        raise DataError(f"found {found!r}, expected a collection")
    return [_Item(*item) for item in found.items()] if isinstance(found, Mapping) else list(found)


class _Item(NamedTuple):
    """One entry of a mapping that is read as a collection."""

    key: Any
    value: Any


def _several(x: Any, sel: Selector) -> list[Any]:
    """The same, but a value that is not a collection counts as a collection of one."""
    found = _part(x, sel)
    is_one = isinstance(found, str | bytes) or not isinstance(found, Collection)
    return [found] if is_one and found is not None else _elements(found, ())


def _call(function: Callable[..., Any], *values: Any) -> Any:
    """Call a user's function; what it raises is the fault of the object."""
    try:
        return function(*values)
    except Exception as error:
        raise DataError(f"{function.__name__} raised {type(error).__name__}: {error}") from error


def _case(cases: tuple[tuple[type | str, Similarity], ...], value: Any) -> int:
    """The number of the case for a value: that of its class, else of the nearest class it is made from.

    A truth value is no number, and a whole number may stand where a float is expected.
    """
    ancestry = (bool, object) if type(value) is bool else type(value).__mro__
    if int in ancestry:
        ancestry = (*ancestry[:-1], float, object)
    for ancestor in ancestry:
        for number, (case, _) in enumerate(cases):
            if ancestor is case or ancestor.__name__ == case:
                return number
    for number, (case, _) in enumerate(cases):
        if isinstance(case, type) and type(value) is not bool and isinstance(value, case):
            return number
    raise DataError(f"found a {type(value).__name__}, for which there is no case")


def _ratio(a: Number, b: Number, empty: Number) -> Number:
    """a / b, exactly where both are; 0/0 is `empty`."""
    if b == 0:
        return empty
    if isinstance(a, int | Fraction) and isinstance(b, int | Fraction):
        return Fraction(a) / Fraction(b)
    return a / b
