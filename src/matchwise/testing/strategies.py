"""Hypothesis strategies: random shapes of data, objects of a shape, and expressions that compare them.

Hypothesis is imported when a strategy is made; matchwise itself runs without it.

>>> shape = Record((("name", "text"), ("tags", Many("word", "set"))), "dict")
>>> shape
Record(fields=(('name', 'text'), ('tags', Many(of='word', kind='set'))), kind='dict')
"""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matchwise.algebra.build import (
    best,
    contingency,
    custom,
    eq,
    f1,
    fbeta,
    harmonic,
    jaccard,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    recursive,
    subset,
    substitute,
    union,
)
from matchwise.algebra.facts import facts
from matchwise.algebra.nodes import Match, Number, Order, Similarity
from matchwise.algebra.walk import shift
from matchwise.engine.order import rank

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Value: TypeAlias = Literal["word", "text", "number", "mixed"]
"""word: one of few; text; number; mixed: anything that only equality or the type can tell apart."""


@dataclass(frozen=True, slots=True)
class Many:
    """Collections of one shape; a mapping has text for keys."""

    of: Shape
    kind: Literal["list", "tuple", "set", "mapping"] = "list"


@dataclass(frozen=True, slots=True)
class Record:
    """Named fields, as dictionaries or as objects of a frozen dataclass."""

    fields: tuple[tuple[str, Shape], ...]
    kind: Literal["dict", "object"] = "dict"


Shape: TypeAlias = Value | Many | Record


@lru_cache
def shapes(depth: int = 2) -> SearchStrategy[Shape]:
    """Records with fields of values, collections of values and, down to `depth`, collections of records."""
    from hypothesis import strategies as st

    values: SearchStrategy[Any] = st.sampled_from(["word", "text", "number", "mixed"])
    kinds = st.sampled_from(["list", "list", "tuple", "mapping"])
    bags = st.builds(Many, values, kinds) | st.builds(Many, st.sampled_from(["word", "number"]), st.just("set"))
    below = values | bags
    if depth > 0:
        below = below | bags | st.builds(Many, shapes(depth - 1), kinds)
    names = st.permutations(["a", "b", "c"])
    return st.builds(
        lambda found, named, kind: Record(tuple(zip(named, found, strict=False)), kind),
        st.lists(below, min_size=1, max_size=3),
        names,
        st.sampled_from(["dict", "object"]),
    )


@lru_cache(maxsize=1024)
def objects(shape: Shape, size: int = 3) -> SearchStrategy[Any]:
    """Objects of a shape, with collections of at most `size` elements; equal elements are common."""
    from hypothesis import strategies as st

    match shape:
        case "word":
            return st.sampled_from(["x", "y", "z"])
        case "text":
            return st.sampled_from(["", "ab", "abc", "abd", "ab cd", "été", "e\u0301"])
        case "number":
            return st.sampled_from([0, 1, 1.5, 2, 3])
        case "mixed":
            return st.sampled_from([None, True, False, 1, 1.0, 2, "1", "x", (1, 2), [1, 2], [2, 1], {"k": [1]}])
        case Many(of, kind):
            members = st.lists(objects(of, size), max_size=size)
            if kind == "mapping":
                return st.dictionaries(st.sampled_from(["k", "l", "m"]), objects(of, size), max_size=size)
            return {"list": members, "tuple": members.map(tuple), "set": members.map(set)}[kind]
        case Record(fields, kind):
            found = st.fixed_dictionaries({name: objects(part, size) for name, part in fields})
            return found if kind == "dict" else found.map(lambda row: _class(tuple(row))(**row))
    raise AssertionError(f"no objects of shape {shape!r}")


@lru_cache
def _class(names: tuple[str, ...]) -> Any:
    return make_dataclass("Drawn", names, frozen=True)


@lru_cache(maxsize=1024)
def expressions(shape: Shape, depth: int = 3) -> SearchStrategy[Similarity]:
    """Expressions that compare objects of a shape: every word of the algebra that fits, nested up to `depth`.

    Numbers are chosen so that rounding cannot carry a score over a threshold or past a division by 0.
    """
    from hypothesis import strategies as st

    plain = _plain(shape, depth)
    if depth <= 0:
        return plain

    inner = st.deferred(lambda: expressions(shape, depth - 1))
    weights = st.sampled_from([1, 2, 0.5, Fraction(1, 3), 0])
    weighted = st.builds(lambda w, phi: w * phi, weights, inner)
    return st.one_of(
        plain,
        plain,
        st.builds(lambda phi, psi: phi * psi, inner, inner),
        st.builds(lambda phi, psi: phi + psi, weighted, weighted),
        st.builds(lambda phi, psi: mean(phi, 2 * psi), inner, inner),
        st.builds(mean, inner),
        st.builds(lambda phi: recursive("this", phi), inner),
        st.builds(lambda phi, t: phi > t, inner, st.sampled_from([0, 0.37])),
        st.builds(lambda phi, t: phi >= t, inner, st.sampled_from([0, 0.51])),
        st.builds(lambda phi, c: phi - c, inner, st.sampled_from([0, 0.37])),
        st.builds(_normalize, inner, st.sampled_from(_KINDS), _empties()),
        st.builds(harmonic, inner, inner),
    )


@lru_cache(maxsize=1024)
def _plain(shape: Shape, depth: int) -> SearchStrategy[Similarity]:
    """Expressions of one part of the shape."""
    from hypothesis import strategies as st

    match shape:
        case "word" | "text" | "number" | "mixed":
            return _leaves(shape)
        case Many():
            return _collections(shape, depth)
        case Record(fields):
            return st.one_of([_field(name, _plain(part, depth)) for name, part in fields])


def _field(name: str, phi: SearchStrategy[Similarity]) -> SearchStrategy[Similarity]:
    return phi.map(lambda found: shift(found, (name,)))


def _leaves(shape: Value) -> SearchStrategy[Similarity]:
    from hypothesis import strategies as st

    from matchwise.similarities.vocabulary import casefold, close, edit, jaro, tokens

    found = [eq(), eq(), custom(likeness, facts=("symmetric", "unit")), custom(longer), custom(table, batch=True)]
    match shape:
        case "word" | "text":
            found += [edit(), casefold(), jaro(), tokens(), edit(floor=0.37)]
        case "number":
            found += [close(abs=1), close(rel=0.5), union(None, {int: eq(), float: close(abs=1)})]
        case "mixed":
            cases: dict[type | str, Similarity] = {"object": eq(), int: close(abs=1), str: edit()}
            found += [union(None, cases), union(None, dict.fromkeys(("object", "int", "str"), eq()))]
    return st.sampled_from(found)


def _collections(shape: Many, depth: int) -> SearchStrategy[Similarity]:
    from hypothesis import strategies as st

    if shape.kind == "mapping":
        elements = st.builds(
            lambda keyed, phi: eq("key") * shift(phi, ("value",)) if keyed else shift(phi, ("value",)),
            st.booleans(),
            expressions(shape.of, depth - 2),
        )
    else:
        elements = expressions(shape.of, depth - 2)

    @st.composite
    def matched(draw: DrawFn) -> Similarity:
        phi, by = draw(elements), draw(elements) if draw(st.integers(0, 7)) == 0 else None
        phi = substitute(phi, cost=draw(st.sampled_from([2, 2, 2, 1, 0.5])))
        # A set has no order of its own.
        orders: list[Order] = ["bag"] if shape.kind == "set" else ["bag", "bag", "bag", "sequence", "index"]
        match: Match = draw(st.sampled_from(["1:1", "1:1", "N:1", "1:N", "N:N"]))
        return overlap(None, phi, match=match, order=draw(st.sampled_from(orders)), align_by=by)

    found = [
        matched(),
        matched().map(lambda phi: phi - 1),
        st.builds(_normalize, matched(), st.sampled_from(_KINDS), _empties()),
        st.builds(best, st.none(), elements),
        st.builds(_tabulate, elements),
        st.builds(lambda phi: contingency(scarcity, None, phi), elements),
        st.builds(
            lambda phi: harmonic(precision(None, phi, match="N:1"), recall(None, phi, match="1:N")),
            elements,
        ),
    ]
    if shape.of in ("word", "text", "number", "mixed") and shape.kind != "mapping":
        found += [st.just(subset()), st.sampled_from([f1() >= 1, jaccard() >= 1, fbeta(beta=2) > 0.5])]
    return st.one_of(found)


def _empties() -> SearchStrategy[Number]:
    from hypothesis import strategies as st

    return st.sampled_from([1, 1, 0, 0.5])


_KINDS = [
    *(("precision", 1), ("recall", 1), ("f1", 1), ("fbeta", 2), ("fbeta", 0), ("jaccard", 1)),
    *(("edit", 1), ("error_rate", 1)),
]
"""Normalisers with their β; F_0 is a precision."""


def _normalize(phi: Similarity, kind_beta: tuple[Any, int], empty: Number) -> Similarity:
    """J divides by φ(x, x) + φ(y, y) − φ(x, y), which rounding may make 0 or not where φ(x, y) can exceed them."""
    kind, beta = kind_beta
    known = facts(phi)
    if kind == "jaccard" and not (known.left and known.right):
        kind = "f1"
    return normalize(phi, kind, beta=beta, empty=1 if kind == "error_rate" else empty)


def _tabulate(phi: Similarity) -> Similarity:
    """A function that adds up all cells is as symmetric as they are."""
    return contingency(total, None, phi, unnormalized=True, facts=("symmetric",) if facts(phi).symmetric else ())


def likeness(x: Any, y: Any) -> float:
    """A similarity of any two values: how close their texts are in length (equal values have equal texts)."""
    return 1 / (1 + abs(len(rank(x)) - len(rank(y))))


def longer(x: Any, y: Any) -> bool:
    """A similarity that is neither symmetric nor 1 of equal values."""
    return len(rank(x)) > len(rank(y))


def table(xs: list[Any], ys: list[Any]) -> list[list[float]]:
    """A batched similarity."""
    return [[1.0 if rank(x)[:2] == rank(y)[:2] else 0.25 for y in ys] for x in xs]


def total(rows: list[int], columns: list[int], weights: list[Number]) -> Number:
    """All that two collections have in common."""
    return sum(weights)


def scarcity(rows: list[int], columns: list[int], weights: list[Number]) -> float:
    """A function of a table that is not symmetric, and largest where two collections have nothing in common."""
    return 1 / (1 + len(set(rows)))
