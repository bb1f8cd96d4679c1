"""Tables of all pairs as arrays: those of long lists, their best matching, and what a function of two lists returns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
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
from matchwise.engine.one.compound import Above, Mean, Minus, Normalized, Product, Sum
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
    name = (overlap, us[0].side.name, us[0].path(), len(us), vs[0].side.name, vs[0].path(), len(vs))
    with frames(us, vs) as both:
        more = Candidates(inner, *both).more
        return answer(name, lambda limits: solve_priced(len(us), len(vs), more, limits))


@contextmanager
def frames(us: Sequence[Part], vs: Sequence[Part]) -> Iterator[tuple[Frame, Frame]]:
    """Two lists of parts as the elements of one document, for solvers that work on frames; forgotten afterwards."""
    made = []
    for side in (us,) if us is vs else (us, vs):
        frame = Frame([part.value for part in side], partial(_path, side), Side(side[0].side.name))
        frame.side.remember(frame)
        made.append(frame)
    try:
        yield made[0], made[-1]
    finally:
        for frame in made:
            frame.side.forget()


def _path(side: Sequence[Part], place: int) -> str:
    return side[place].path()


def grid(phi: Evaluator, us: Sequence[Part], vs: Sequence[Part]) -> Floats:
    """All φ(u, v) of two long lists; leaves compare distinct values in one call."""
    match phi:
        case Key():
            numbers: dict[Hashable, int] = {}
            mine, theirs = ([numbers.setdefault(k, len(numbers)) for k in phi.keys(side)] for side in (us, vs))
            return np.asarray(np.array(mine)[:, None] == np.array(theirs), dtype=np.float64)
        case Leaf(leaf=LeafKind(paired=paired)) if paired is not None:
            (a, xs), (b, ys) = (_distinct(map(phi.feature, side)) for side in (us, vs))
            if Misfit not in map(type, (*xs, *ys)):
                return _compare(phi, xs, ys, us, vs)[np.ix_(a, b)]
        case Sum():
            made = np.zeros((len(us), len(vs)))
            for number, term in enumerate(phi.terms):
                (kept, some), (others, several) = phi.having(number, us), phi.having(number, vs)
                found = grid(term.evaluator, some, several) * term.number
                if found.shape == made.shape:
                    made += found
                else:
                    made[np.ix_(kept, others)] += found
            return made
        case Mean():
            return phi.value([grid(part, us, vs) for part in phi.inputs])  # type: ignore[no-any-return]
        case Product(dense=True):
            return reduce(mul, (grid(part, us, vs) for part in phi.inputs))
        case Minus():
            return np.maximum(grid(phi.inner, us, vs) - phi.amount, 0.0)
        case Normalized():
            found = grid(phi.inner, us, vs)
            xx, yy = np.array([[phi.inner.own(u)] for u in us]), np.array([phi.inner.own(v) for v in vs])
            below = {"precision": xx + 0 * yy, "recall": 0 * xx + yy, "jaccard": xx + yy - found}.get(phi.kind)
            if below is None:
                found, below = found * phi.above, xx + yy * phi.square
            made = np.full(found.shape, float(phi.empty))
            np.divide(found, below, out=made, where=below != 0)
            return made
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
