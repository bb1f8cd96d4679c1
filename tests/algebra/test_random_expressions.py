"""Random expressions over random objects: text is read back, and no fact that is claimed is contradicted."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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
    subset,
    union,
)
from matchwise.algebra.facts import facts
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.algebra.parse import parse
from matchwise.algebra.text import signature
from matchwise.algebra.walk import mirror, shift
from matchwise.engine.reference import score


def share(x: int, y: int) -> Fraction:
    return Fraction(min(x, y) + 1, max(x, y) + 1)


def no_more(x: int, y: int) -> int:
    return int(x <= y)


def nest(x: int, y: int, options: dict[str, Any]) -> Fraction:
    return Fraction(1) if x == y else Fraction(1, 2) if x // 2 == y // 2 else Fraction(0)


def nest_facts(options: dict[str, Any]) -> dict[str, str]:
    return dict.fromkeys(("bounded", "symmetric", "unit", "strong"), "nested classes")


def weigh(rows: list[int], columns: list[int], weights: list[Fraction]) -> Fraction | int:
    return sum(weights)


def fill(rows: list[int], columns: list[int], weights: list[Fraction]) -> Fraction:
    return Fraction(1, 1 + len(set(rows)))


NEST = LeafKind("nest", lambda value, _: value, nest, nest_facts)
NAMES = {
    "share": share,
    "no_more": no_more,
    "weigh": weigh,
    "fill": fill,
    "nested": Leaf(NEST),
}

values = st.sampled_from(
    [
        eq(),
        Leaf(NEST),
        custom(share, facts=("symmetric", "unit", "kernel", "triangle")),
        custom(no_more, facts=("unit",)),
        union(None, {int: eq()}),
    ]
)
fields = st.sampled_from(
    [eq("a"), eq("o"), Leaf(NEST, ("a",)), custom(share, "b", facts=("symmetric", "unit")), subset("s")]
)
weights = st.sampled_from([0, 1, 2, 0.5, Fraction(1, 3)])
emptied = st.sampled_from([1, 1, 0, Fraction(1, 2), 2])
matches = st.sampled_from(["1:1", "1:1", "N:1", "1:N", "N:N"])
orders = st.sampled_from(["bag", "bag", "sequence", "index"])


@st.composite
def collections(draw: st.DrawFn, inner: st.SearchStrategy[Similarity]) -> Similarity:
    """An overlap of values ("s") or of records ("t"), normalised or not."""
    sel, parts = draw(st.sampled_from([("s", values), ("t", inner)]))
    by = draw(parts) if draw(st.integers(0, 5)) == 0 else None
    options = {"match": draw(matches), "order": draw(orders), "align_by": by}
    phi = draw(parts)
    kind = draw(st.sampled_from([overlap, precision, recall, f1, jaccard, fbeta]))
    if kind is overlap:
        return overlap(sel, phi, **options)
    extra = {"beta": draw(st.sampled_from([Fraction(1, 2), 2]))} if kind is fbeta else {}
    return kind(sel, phi, empty=draw(emptied), **extra, **options)


def joined(inner: st.SearchStrategy[Similarity]) -> st.SearchStrategy[Similarity]:
    threshold = st.sampled_from([0, Fraction(1, 2), 0.5, 1, 2])
    weighted = st.builds(lambda w, phi: w * phi, weights, inner)
    return st.one_of(
        collections(inner),
        st.builds(lambda phi, psi: phi * psi, inner, inner),
        st.builds(lambda phi, psi: phi + psi, weighted, inner | weighted),
        weighted,
        st.builds(lambda phi, psi: mean(eq("b"), phi, 2 * psi), inner, inner),
        st.builds(lambda phi, t: phi > t, inner, threshold),
        st.builds(lambda phi, t: phi >= t, inner, threshold),
        st.builds(lambda phi, t: phi - t, inner, threshold),
        st.builds(
            lambda phi, kind, e: normalize(phi, kind, empty=e), inner, st.sampled_from(["f1", "jaccard"]), emptied
        ),
        st.builds(harmonic, inner, inner),
        st.builds(lambda phi: harmonic(precision("s", phi), recall("s", phi)), values),
        st.builds(lambda phi: best("t", phi), inner),
        st.builds(tabulated, inner),
        st.builds(lambda phi: contingency(fill, "t", phi), inner),
        st.builds(lambda phi: union(None, {"dict": phi}), inner),
    )


def tabulated(phi: Similarity) -> Similarity:
    declared = ("symmetric",) if facts(phi).symmetric else ()
    return contingency(weigh, "t", phi, unnormalized=True, facts=declared)


expressions = st.recursive(fields, joined, max_leaves=6)

numbers = st.integers(0, 3)
small = st.lists(numbers, max_size=3)
plain = {"a": numbers, "b": numbers, "o": numbers | st.none(), "s": small}
flat = st.fixed_dictionaries({**plain, "t": st.just([])})
records = st.fixed_dictionaries({**plain, "t": st.lists(flat, max_size=3)})


@given(expressions)
def test_an_expression_is_read_back_from_its_text(phi: Similarity) -> None:
    source = repr(phi).replace("nest()", "nested")
    if "nest(" not in source:
        assert parse(source, NAMES) == phi


@given(expressions, expressions)
def test_expressions_are_equal_exactly_when_their_signatures_are(phi: Similarity, psi: Similarity) -> None:
    assert (phi == psi) == (signature(phi) == signature(psi))


@settings(max_examples=400)
@given(expressions, st.lists(records, min_size=3, max_size=5))
def test_no_fact_is_contradicted(phi: Similarity, objects: list[Any]) -> None:
    known = facts(phi)
    n = range(len(objects))
    table = [[score(phi, x, y) for y in objects] for x in objects]
    triples = list(product(n, n, n))
    slack = 1e-12
    if known.bounded:
        assert all(cell <= 1 + slack for row in table for cell in row)
    if known.symmetric:
        assert all(abs(table[i][j] - table[j][i]) <= slack for i in n for j in n)
    if known.unit:
        assert all(abs(table[i][i] - 1) <= slack for i in n)
    if known.left:
        assert all(table[i][j] <= table[i][i] + slack for i in n for j in n)
    if known.right:
        assert all(table[i][j] <= table[j][j] + slack for i in n for j in n)
    if known.discrete:
        assert all(cell in (0, 1) for row in table for cell in row)
    if known.strong:
        assert all(table[i][j] >= min(table[i][k], table[k][j]) - slack for i, j, k in triples)
    if known.triangle:
        assert all(1 - table[i][j] <= 2 - table[i][k] - table[k][j] + slack for i, j, k in triples)
    if known.kernel:
        assert np.linalg.eigvalsh(np.array(table, dtype=float)).min() >= -1e-9


@given(expressions, records, records)
def test_the_mirror_scores_as_the_expression_does_with_the_sides_exchanged(phi: Similarity, x: Any, y: Any) -> None:
    mirrored = mirror(phi)
    if mirrored is not None:
        assert abs(score(mirrored, x, y) - score(phi, y, x)) <= 1e-12


@given(expressions, records, records)
def test_a_shifted_expression_scores_the_part_as_the_expression_does(phi: Similarity, x: Any, y: Any) -> None:
    assert score(shift(phi, ("part",)), {"part": x}, {"part": y}) == score(phi, x, y)
