"""φ at many places at once, as arrays: `probe` without an object for each number.

Only what gives the very same numbers as one document by itself is computed so; `suits` says which similarities do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.algebra.misfits import Misfit
from matchwise.algebra.nodes import Leaf, Number
from matchwise.engine.operators.bag import BagOverlap, shared
from matchwise.engine.operators.base import Operator
from matchwise.engine.operators.bracket import Normalize, Threshold
from matchwise.engine.operators.compound import Add, Average, Multiply, Term
from matchwise.engine.operators.discrete import Discrete
from matchwise.engine.operators.leaf import Compare
from matchwise.engine.operators.matching import BestElement, MatchElements
from matchwise.engine.operators.routing import ByCase, Recur
from matchwise.engine.parts import Parts
from matchwise.engine.together.blocks import Blocks, Matchings, applied
from matchwise.engine.together.codes import codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Places: TypeAlias = "NDArray[np.intp]"
Values: TypeAlias = "NDArray[np.float64]"


def suits(operator: Operator, inside: tuple[Operator, ...] = ()) -> bool:
    """Whether φ of two objects is the same number, to the last bit, whatever else is compared with them."""
    if operator in inside:
        return True
    below = (*inside, operator)
    match operator:
        case Discrete():
            return True
        case Compare(phi=Leaf(kind)):
            return kind.paired is not None
        case BagOverlap():
            return True
        case Add():
            return all(_is_plain(term.weight) and suits(term.operator, below) for term in operator.terms)
        case Average():
            return all(map(_is_plain, operator.weights)) and all(suits(part, below) for part in operator.inputs)
        case Multiply():  # by 0 and 1 in any order, and one factor that is neither
            graded = [factor for factor in operator.inputs if not isinstance(factor, Discrete | Threshold)]
            return len(graded) <= 1 and all(suits(factor, below) for factor in operator.inputs)
        case Threshold():
            return _is_plain(operator.threshold) and not operator.all and suits(operator.inner, below)
        case Normalize():
            return _is_plain(operator.square) and _is_plain(operator.empty) and suits(operator.inner, below)
        case MatchElements(order="bag", match="1:1", by=None):
            return _same_table(operator.inner) and suits(operator.inner, below)
        case BestElement():
            return suits(operator.inner, below)
        case ByCase():
            return all(suits(inner, below) for inner in operator.inputs)
        case Recur(target=target):
            return target is not None and suits(target, below)
    return False


def _is_plain(number: Number) -> bool:
    return isinstance(number, int | float) and abs(number) < 2**53


def _same_table(inner: Operator) -> bool:
    """Whether blocks are solved as the pairs of one document are.

    Those are a matrix, or a table in the order of its columns, or their order matters for the rounding of no sum.
    """
    inner = applied(inner)
    return inner.dense or (isinstance(inner, Multiply) and isinstance(inner.first, Discrete)) or _counts(inner)


def _counts(operator: Operator, inside: tuple[Operator, ...] = ()) -> bool:
    """Whether all values are whole numbers, of which every order of adding makes the same sum."""
    if operator in inside:
        return True
    below = (*inside, operator)
    match operator:
        case Discrete() | BagOverlap() | Threshold():
            return True
        case Add():
            return all(isinstance(term.weight, int) and _counts(term.operator, below) for term in operator.terms)
        case Multiply() | MatchElements() | BestElement() | ByCase() | Recur():
            inputs = (operator.target,) if isinstance(operator, Recur) else operator.inputs
            return all(inner is not None and _counts(inner, below) for inner in inputs)
    return False


def values(operator: Operator, preds: Parts, refs: Parts, rows: Places, columns: Places) -> Values:
    """φ at the given places."""
    import numpy as np

    if not len(rows):
        return np.zeros(0)
    match operator:
        case Discrete():
            p, r = codes(operator, preds, refs)
            return np.equal(p[rows], r[columns]).astype(np.float64)
        case Compare():
            return _compared(operator, preds, refs, rows, columns)
        case BagOverlap():
            return _overlaps(operator, preds, refs, rows, columns)
        case Add():
            total = np.zeros(len(rows))
            for term in operator.terms:
                places, xs, a, ys, b = meeting(term, preds, refs, rows, columns)
                found = values(term.operator, xs, ys, a, b)
                total[places] += found if term.weight == 1 else found * float(term.weight)
            return total
        case Average():
            total = np.zeros(len(rows))
            for weight, part in zip(operator.weights, operator.inputs, strict=True):
                total += values(part, preds, refs, rows, columns) * float(weight)
            return total / float(operator.total)
        case Multiply():
            made = values(operator.first, preds, refs, rows, columns)
            for factor in operator.rest:
                left = np.nonzero(made)[0]
                made[left] *= values(factor, preds, refs, rows[left], columns[left])
            return made
        case Threshold(inner=inner, threshold=t, strict=strict):
            found = values(inner, preds, refs, rows, columns)
            return (found > float(t) if strict else found >= float(t)).astype(np.float64)
        case Normalize():
            return _normalized(operator, preds, refs, rows, columns)
        case MatchElements():
            return matchings(operator, preds, refs, rows, columns).totals(preds, refs)
        case BestElement():
            flat_p, flat_r = preds.several(operator.sel), refs.several(operator.sel)
            several = Blocks(flat_p, flat_r, rows, columns)
            return several.maxima(values(operator.inner, flat_p.parts, flat_r.parts, several.a, several.b))
        case ByCase():
            made = np.zeros(len(rows))
            for number, xs, a, ys, b, places in cases(operator, preds, refs, rows, columns):
                made[places] = values(operator.inputs[number], xs, ys, a, b)
            return made
        case Recur(sel=sel, target=target):
            assert target is not None
            return values(target, preds.select(sel), refs.select(sel), rows, columns)
    raise AssertionError(f"{operator.phi!r} does not suit")


def matchings(operator: MatchElements, preds: Parts, refs: Parts, rows: Places, columns: Places) -> Matchings:
    """The elements of each two collections, and what they score; remembered for who asks for the same pairs again."""
    import numpy as np

    tag = (operator, refs, "matchings")
    made: Matchings | None = preds.memo.get(tag)
    if made is None or not (np.array_equal(made.rows, rows) and np.array_equal(made.columns, columns)):
        made = Matchings(operator, preds, refs, rows, columns)
        made.cells = values(operator.inner, made.p.parts, made.r.parts, made.a, made.b)
        preds.memo[tag] = made
    return made


def meeting(
    term: Term, preds: Parts, refs: Parts, rows: Places, columns: Places
) -> tuple[Any, Parts, Places, Parts, Places]:
    """Of the given pairs those where both sides have the part: their numbers, and where each side keeps it."""
    import numpy as np

    (kept_p, p), (kept_r, r) = term.present(preds), term.present(refs)
    if len(kept_p) == len(preds) and len(kept_r) == len(refs):
        return slice(None), p, rows, r, columns
    a, b = inverse(kept_p, len(preds))[rows], inverse(kept_r, len(refs))[columns]
    places = np.nonzero((a >= 0) & (b >= 0))[0]
    return places, p, a[places], r, b[places]


def cases(
    operator: ByCase, preds: Parts, refs: Parts, rows: Places, columns: Places
) -> list[tuple[int, Parts, Places, Parts, Places, Places]]:
    """Of the given pairs those of one case, case by case: number, sides, where each side keeps them, their numbers."""
    import numpy as np

    mine, theirs = operator.members(preds), operator.members(refs)
    found = []
    for number in mine.keys() & theirs.keys():
        (kept_p, p), (kept_r, r) = mine[number], theirs[number]
        a, b = inverse(kept_p, len(preds))[rows], inverse(kept_r, len(refs))[columns]
        places = np.nonzero((a >= 0) & (b >= 0))[0]
        found.append((number, p, a[places], r, b[places], places))
    return found


def inverse(kept: list[int], size: int) -> Places:
    """Where each of `size` objects stands among those that are kept; −1 if it is not kept."""
    import numpy as np

    made = np.full(size, -1, dtype=np.intp)
    made[kept] = np.arange(len(kept))
    return made


def _compared(operator: Compare, preds: Parts, refs: Parts, rows: Places, columns: Places) -> Values:
    import numpy as np

    (p, xs), (r, ys) = operator.coded(preds), operator.coded(refs)
    a, b = np.asarray(p, dtype=np.intp)[rows], np.asarray(r, dtype=np.intp)[columns]
    assert isinstance(operator.phi, Leaf)
    assert operator.phi.kind.paired is not None
    paired, options = operator.phi.kind.paired, dict(operator.phi.options)
    odd_x, odd_y = (np.array([type(feature) is Misfit for feature in features]) for features in (xs, ys))
    if not odd_x.any() and not odd_y.any():
        return paired(xs, ys, a, b, options)  # type: ignore[no-any-return]
    made = np.zeros(len(rows))  # misfits meet only equal misfits
    odd = odd_x[a] | odd_y[b]
    strange, proper = np.nonzero(odd)[0], np.nonzero(~odd)[0]
    made[strange] = [
        type(xs[i]) is type(ys[j]) and xs[i] == ys[j]
        for i, j in zip(a[strange].tolist(), b[strange].tolist(), strict=True)
    ]
    if len(proper):
        at_x, at_y = inverse(np.nonzero(~odd_x)[0].tolist(), len(xs)), inverse(np.nonzero(~odd_y)[0].tolist(), len(ys))
        fs, gs = ([one for one in features if type(one) is not Misfit] for features in (xs, ys))
        made[proper] = paired(fs, gs, at_x[a[proper]], at_y[b[proper]], options)
    return made


def _overlaps(operator: BagOverlap, preds: Parts, refs: Parts, rows: Places, columns: Places) -> Values:
    import numpy as np

    p, r, match = operator.bags(preds), operator.bags(refs), operator.match
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    sets = [[set(bag) for bag in bags] for bags in (p, r)]
    if match == "1:1" and [list(map(len, bags)) for bags in (p, r)] == [list(map(len, own)) for own in sets]:
        x, y = sets
        return np.array([len(x[i] & y[j]) for i, j in pairs], dtype=np.float64)
    return np.array([shared(match, p[i], r[j]) for i, j in pairs], dtype=np.float64)


def _normalized(operator: Normalize, preds: Parts, refs: Parts, rows: Places, columns: Places) -> Values:
    import numpy as np

    found = values(operator.inner, preds, refs, rows, columns)
    xx, yy = (np.asarray(operator.inner.selfs(parts), dtype=np.float64) for parts in (preds, refs))
    return operator.ratios(found, xx[rows], yy[columns])
