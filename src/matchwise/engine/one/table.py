"""Tables of all pairs as arrays: those of long lists, their best matching, and what a function of two lists returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from matchwise.algebra.leaves import LeafKind, Misfit
from matchwise.algebra.nodes import Again
from matchwise.algebra.walk import parts
from matchwise.arrays import Floats
from matchwise.engine.limits import answer, reads_upper
from matchwise.engine.many import blocks
from matchwise.engine.many.frame import Frame
from matchwise.engine.many.side import Side
from matchwise.engine.one.compound import Above, Mean, Minus, Product, Sum
from matchwise.engine.one.evaluator import Evaluator, add_up
from matchwise.engine.one.parts import Part
from matchwise.engine.one.values import Key, Leaf
from matchwise.engine.order import content_order
from matchwise.engine.selection import attempt
from matchwise.engine.tuning import TOO_MANY

if TYPE_CHECKING:
    from matchwise.engine.one.matching import Overlap, Solution
    from matchwise.engine.solve.cells import Bounded


def choose_in_table(overlap: Overlap, us: list[Part], vs: list[Part]) -> Solution:
    """Σ of two long lists, and its pairs."""
    priced = _priced(overlap, us, vs)
    if priced is not None:
        return (priced.upper if reads_upper() else priced.lower), priced.matched  # type: ignore[return-value]  # no fractions
    made = grid(overlap.inner, us, vs)
    orders = np.array(content_order([u.value for u in us])), np.array(content_order([v.value for v in vs]))
    rows, columns = blocks.choose_in_table(overlap.phi.match, made, orders)
    weights: list[float] = made[rows, columns].tolist()
    return add_up(weights), list(zip(rows.tolist(), columns.tolist(), weights, strict=True))


def _priced(overlap: Overlap, us: list[Part], vs: list[Part]) -> Bounded | None:
    """The best pairs of two lists that are too long for all pairs to be compared."""
    phi = overlap.inner.phi
    if len(us) * len(vs) <= TOO_MANY or overlap.phi.match != "1:1" or any(isinstance(one, Again) for one in parts(phi)):
        return None
    from matchwise.engine.many.operators.bulk import Candidates, solve_priced
    from matchwise.engine.plan import part

    inner = part(phi)
    if not Candidates.suits(inner):
        return None
    more = Candidates(inner, frame_of_parts(us), frame_of_parts(vs)).more
    name = (overlap, us[0].side.name, us[0].path(), len(us), vs[0].side.name, vs[0].path(), len(vs))
    return answer(name, lambda limits: solve_priced(len(us), len(vs), more, limits))


def frame_of_parts(us: Sequence[Part]) -> Frame:
    """Parts of one side as the elements of one document, for the solvers that work on frames."""
    made = Frame([u.value for u in us], lambda place: us[place].path(), Side(us[0].side.name))
    made.side.remember(made)
    return made


def grid(phi: Evaluator, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
    """All φ(u, v) of two long lists; leaves compare distinct values in one call."""
    match phi:
        case Key():
            numbers: dict[Hashable, int] = {}
            here, there = ([numbers.setdefault(k, len(numbers)) for k in phi.keys(side)] for side in (us, vs))
            return np.asarray(np.array(here)[:, None] == np.array(there), dtype=np.float64)
        case Leaf(leaf=LeafKind(paired=paired)) if paired is not None:
            (a, xs), (b, ys) = (_distinct(map(phi.feature, side)) for side in (us, vs))
            if Misfit not in map(type, (*xs, *ys)):
                return _compare(phi, xs, ys, us, vs)[np.ix_(a, b)]
        case Sum():
            made = np.zeros((len(us), len(vs)))
            for number, term in enumerate(phi.terms):
                (rows, mine), (columns, theirs) = phi.having(number, us), phi.having(number, vs)
                found = grid(term.evaluator, mine, theirs) * term.number
                if found.shape == made.shape:
                    made += found
                else:
                    made[np.ix_(rows, columns)] += found
            return made
        case Mean():
            return phi.value([grid(part, us, vs) for part in phi.inputs])  # type: ignore[no-any-return]
        case Product(dense=True):
            return reduce(mul, (grid(part, us, vs) for part in phi.inputs))
        case Minus():
            return np.maximum(grid(phi.inner, us, vs) - phi.amount, 0.0)
        case Above():
            found = grid(phi.inner, us, vs)
            return (found > phi.threshold if phi.strict else found >= phi.threshold).astype(np.float64)
    made = np.zeros((len(us), len(vs)))
    for i, j, w in phi.cells(us, vs):
        made[i, j] = w
    return made


def _compare(phi: Leaf, xs: list[Any], ys: list[Any], us: Sequence[Part], vs: Sequence[Part]) -> Floats:
    """All pairs of distinct features."""
    assert phi.leaf.paired is not None
    try:
        found: Floats = phi.leaf.paired(xs, ys, np.arange(len(xs))[:, None], np.arange(len(ys))[None, :], phi.options)
        return found
    except ValueError:
        phi.cells(us, vs)  # says which two values do not go together
        raise  # none: what failed is the form for many values


def _distinct(values: Iterable[Hashable]) -> tuple[list[int], list[Any]]:
    """The number of each value among the distinct ones, and these."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values], list(numbers)


def call(function: Callable[..., Any], us: Sequence[Part], vs: Sequence[Part]) -> list[list[float]]:
    """What a function of two lists returns for all pairs of them."""
    try:
        table = np.asarray(attempt(function, [u.value for u in us], [v.value for v in vs]), dtype=np.float64)
        if table.shape != (len(us), len(vs)):
            raise ValueError(f"{function.__name__} returned {table.shape}, expected {(len(us), len(vs))}")
    except (ValueError, TypeError) as error:
        raise us[0].fail(str(error)) from error
    return table.tolist()  # type: ignore[no-any-return]
