"""Turn a similarity with variables into its scheme, which builds its polynomial from the polynomials of its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from matchwise.algebra import nodes
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Number, Selector, Similarity
from matchwise.algebra.walk import children, close, rebuild, variables
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.operators.base import Operator
from matchwise.engine.many.operators.bracket import Normalize
from matchwise.engine.many.operators.compound import Term
from matchwise.engine.many.operators.equality import case_members
from matchwise.engine.many.operators.searched import cells_of
from matchwise.engine.many.operators.terms import Monomial, PairTerms, Scheme
from matchwise.engine.rewrite import split_selector
from matchwise.engine.solve.polynomials import Board, Terms, plus, times
from matchwise.errors import ExpressionError

Plan: TypeAlias = Callable[[Similarity], Operator]
"""The operator that runs a similarity without variables."""

ANY = LeafKind("any", lambda value, _: None, lambda x, y, _: 1, discrete=True)
"""A variable before it is matched: anything may go with anything."""


class Named:
    """A recursive similarity, whose scheme is known once its body is."""

    target: Scheme

    def __init__(self, body: Similarity) -> None:
        self.body = body

    def __call__(self, board: Board, p: Frame, r: Frame) -> Terms:
        return self.target(board, p, r)


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


def scheme(phi: Similarity, plan: Plan, inside: dict[str, Named] | None = None) -> Scheme:
    """How to write φ̃ as a polynomial; ExpressionError if it cannot be written so."""
    inside = inside or {}
    bodies = {name: named.body for name, named in inside.items()}

    def below(part: Similarity) -> Scheme:
        return scheme(part, plan, inside)

    def relax_part(part: Similarity) -> Operator:
        return plan(relax(close(part, bodies)))

    match phi:
        case nodes.Again(name, sel) if name in inside:
            return partial(_of_part, sel, inside[name])
        case nodes.Recursive(name, inner, sel) if variables(phi):
            named = Named(inner)
            named.target = scheme(inner, plan, {**inside, name: named})
            return partial(_of_part, sel, named)
        case _ if _is_monomial(phi, inside):
            return Monomial(phi, relax_part(phi))
        case nodes.Product(factors):
            fixed = tuple(factor for factor in factors if _is_monomial(factor, inside))
            rest = [below(factor) for factor in factors if factor not in fixed]
            return partial(_of_product, [*([below(nodes.Product(fixed))] if fixed else []), *rest])
        case nodes.Sum(terms):
            made = []
            for weight, part in terms:
                place, bare = split_selector(part)
                made.append((Term(weight, part, place, relax_part(bare)), below(bare)))
            return partial(_of_sum, made)
        case nodes.Mean(terms):
            whole = sum(weight for weight, _ in terms)
            return partial(_of_mean, [(weight / whole, below(part)) for weight, part in terms])
        case nodes.Overlap(order="bag" | "index", align_by=None):
            return PairTerms(phi, relax_part(phi.inner), below(phi.inner))
        case nodes.Normalized(kind, inner) if kind != "jaccard":
            return partial(_of_ratio, Normalize(phi, plan(nodes.Latent(close(inner, bodies)))), below(inner))
        case nodes.Union():
            return partial(_of_case, phi, [below(inner) for _, inner in phi.cases])
        case nodes.Best(sel, inner):
            return partial(_of_best, sel, relax_part(inner), below(inner))
    raise ExpressionError(
        f"latent(…) cannot match the variables of {phi!r} there: under it may stand sums, products, unions, best, and "
        "overlaps (order bag or index) with P, R or F of them; thresholds, differences and J may stand only outermost"
    )


def _is_monomial(phi: Similarity, inside: dict[str, Named]) -> bool:
    """True if φ̃ is a number times a product of variables."""
    if isinstance(phi, nodes.Again) and phi.name in inside:
        return False
    match phi:
        case nodes.Var():
            return True
        case nodes.Product() | nodes.Union():
            return all(_is_monomial(part, inside) for part in children(phi))
    return not variables(phi) and not _comes_back(phi, inside)


def _comes_back(phi: Similarity, inside: dict[str, Named]) -> bool:
    return (isinstance(phi, nodes.Again) and phi.name in inside) or any(
        _comes_back(part, inside) for part in children(phi)
    )


def _of_part(sel: Selector, inner: Scheme, board: Board, p: Frame, r: Frame) -> Terms:
    """φ̃ of a part."""
    return inner(board, p.select(sel), r.select(sel))


def _of_product(factors: list[Scheme], board: Board, p: Frame, r: Frame) -> Terms:
    """A product of polynomials."""
    made: Terms = {(): 1}
    for factor in factors:
        if not made:
            break
        made = times(board, made, factor(board, p, r))
    return made


def _of_sum(parts: list[tuple[Term, Scheme]], board: Board, p: Frame, r: Frame) -> Terms:
    """Σ w·φ̃ over the parts that both sides have."""
    made: Terms = {}
    for term, inner in parts:
        mine, theirs = term.present(p).frame, term.present(r).frame
        if len(mine) and len(theirs):
            plus(made, inner(board, mine, theirs), term.weight)
    return made


def _of_mean(parts: list[tuple[Number, Scheme]], board: Board, p: Frame, r: Frame) -> Terms:
    """A weighted mean, given shares of 1."""
    made: Terms = {}
    for share, inner in parts:
        plus(made, inner(board, p, r), share)
    return made


def _of_ratio(normalizer: Normalize, inner: Scheme, board: Board, p: Frame, r: Frame) -> Terms:
    """P, R or F inside a larger sum: Σ over a number that does not depend on the matching."""
    own = normalizer.inner.own
    xx, yy = own(p), own(r)
    nothing, factor = normalizer.value(0, xx, yy), normalizer.value(1, xx, yy)
    if nothing:  # 0/0
        return {(): nothing}
    made: Terms = {}
    plus(made, inner(board, p, r), factor)
    return made


def _of_case(phi: nodes.Union, inputs: list[Scheme], board: Board, p: Frame, r: Frame) -> Terms:
    """By the type of the value; different cases score 0."""
    x, y = p.select(phi.sel), r.select(phi.sel)
    (mine,), (theirs,) = case_members(x, phi.cases), case_members(y, phi.cases)
    return inputs[mine](board, x, y) if mine == theirs else {}


def _of_best(sel: Selector, relaxed: Operator, inner: Scheme, board: Board, p: Frame, r: Frame) -> Terms:
    """The best pair of two collections: at most one is chosen."""
    us, vs = p.several(sel).frame, r.several(sel).frame
    tag = board.tag()
    made: Terms = {}
    for i, j, _ in cells_of(relaxed, us, vs):
        choice = board.selector((tag,), (tag, i, j))
        plus(made, times(board, {(choice,): 1}, inner(board, us.take([i]), vs.take([j]))))
    return made
