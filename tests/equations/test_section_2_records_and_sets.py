"""§2: δ, products, set overlap and its normalisations; binary relation extraction and dependency parsing."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from matchwise import eq, f1, fbeta, jaccard, normalize, overlap, precision, recall
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


@dataclass(frozen=True)
class Mention:
    left: int
    right: int


@dataclass(frozen=True)
class Relation:
    type: str
    subj: Mention
    obj: Mention


@dataclass(frozen=True)
class RelationSet:
    relations: frozenset[Relation]


@dataclass(frozen=True)
class Dependency:
    gov: int
    dep: int
    rel: str


@dataclass(frozen=True)
class DependencyParse:
    edges: frozenset[Dependency]


@pytest.mark.parametrize(("x", "y", "expected"), [("a", "a", 1), ("a", "b", 0), (Mention(0, 1), Mention(0, 1), 1)])
def test_eq_1_delta(value: Value, x: Any, y: Any, expected: int) -> None:
    assert value(eq(), x, y) == expected


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        ({"x": "a", "ys": [1, 2]}, 1 * Fraction(2, 3)),  # δ = 1, J({1, 2}, {1, 2, 3}) = 2/3
        ({"x": "b", "ys": [1, 2]}, 0 * Fraction(2, 3)),
        ({"x": "a", "ys": [4]}, 1 * Fraction(0, 4)),
    ],
)
def test_eq_2_product(value: Value, pred: Any, expected: Fraction) -> None:
    assert value(eq("x") * jaccard("ys"), pred, {"x": "a", "ys": [1, 2, 3]}) == expected


P, R = {"a", "b", "c"}, {"b", "c", "d", "e"}  # |P| = 3, |R| = 4, |P ∩ R| = 2, |P ∪ R| = 5


def test_eq_3_overlap(value: Value) -> None:
    assert value(overlap(), P, R) == 2


def test_eq_4_precision(value: Value) -> None:
    assert value(precision(), P, R) == Fraction(2, 3)


def test_eq_5_recall(value: Value) -> None:
    assert value(recall(), P, R) == Fraction(2, 4)


def test_eq_6_f(value: Value) -> None:
    # 2pr / (p + r) = 2 · 2/3 · 1/2 / (2/3 + 1/2) = 2/3 / (7/6) = 4/7
    assert value(f1(), P, R) == Fraction(4, 7)


def test_eq_6_weighted(value: Value) -> None:
    # (1 + 4) pr / (4p + r) = 5 · 1/3 / (8/3 + 1/2) = 5/3 / (19/6) = 10/19
    assert value(fbeta(beta=2), P, R) == Fraction(10, 19)


def test_eq_7_jaccard(value: Value) -> None:
    assert value(jaccard(), P, R) == Fraction(2, 5)


def test_a_normaliser_needs_only_the_three_overlaps(value: Value) -> None:
    assert value(normalize(overlap(), "jaccard"), P, R) == Fraction(2, 3 + 4 - 2)


LONDON, UK, PARIS, FRANCE, ROME, ITALY = (Mention(i, i + 1) for i in range(0, 12, 2))

mention = eq("left") * eq("right")
relation = eq("type") * eq("subj") * eq("obj")


def test_eq_8_mention(value: Value) -> None:
    assert value(mention, Mention(2, 3), Mention(2, 3)) == 1
    assert value(mention, Mention(2, 3), Mention(2, 4)) == 0


def test_eq_9_relation(value: Value) -> None:
    truth = Relation("is-capital-of", LONDON, UK)
    assert value(relation, Relation("is-capital-of", LONDON, UK), truth) == 1
    assert value(relation, Relation("is-city-in", LONDON, UK), truth) == 0
    assert value(relation, Relation("is-capital-of", PARIS, UK), truth) == 0


def test_eq_10_relation_f1(value: Value) -> None:
    pred = RelationSet(frozenset({Relation("capital", LONDON, UK), Relation("capital", PARIS, UK)}))
    ref = RelationSet(
        frozenset(
            {Relation("capital", LONDON, UK), Relation("capital", PARIS, FRANCE), Relation("capital", ROME, ITALY)}
        )
    )
    # One of 2 predicted and of 3 true: p = 1/2, r = 1/3, F = 2 · 1/6 / (5/6) = 2/5
    assert value(f1("relations", relation), pred, ref) == Fraction(2, 5)


PARSED = DependencyParse(frozenset({Dependency(2, 1, "nsubj"), Dependency(0, 2, "root"), Dependency(1, 3, "obj")}))
TREE = DependencyParse(frozenset({Dependency(2, 1, "csubj"), Dependency(0, 2, "root"), Dependency(2, 3, "obj")}))


def test_eq_11_unlabelled_attachment(value: Value) -> None:
    # 2 ← 1 and 0 ← 2 are attached right: 2 of 3 a side.
    assert value(f1("edges", eq("gov") * eq("dep")), PARSED, TREE) == Fraction(2, 3)


def test_eq_12_labelled_attachment(value: Value) -> None:
    # Of the two, nsubj is not csubj: 1 of 3 a side.
    assert value(f1("edges", eq("gov") * eq("dep") * eq("rel")), PARSED, TREE) == Fraction(1, 3)
