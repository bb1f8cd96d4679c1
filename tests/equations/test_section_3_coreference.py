"""§3.2: CEAF, MUC and B³."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from typing import Any

from matchwise import eq, f1, harmonic, overlap, precision, recall, score
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


@dataclass(frozen=True)
class Entity:
    mentions: frozenset[str]


@dataclass(frozen=True)
class EntitySet:
    entities: tuple[Entity, ...]


@dataclass(frozen=True)
class Membership:
    mention: str
    entity: Entity


@dataclass(frozen=True)
class CorefOutputForB3:
    rels: tuple[Membership, ...]


def entities(*texts: str) -> EntitySet:
    """entities("ab", "c") has the entities {a, b} and {c}."""
    return EntitySet(tuple(Entity(frozenset(text)) for text in texts))


def memberships(*texts: str) -> CorefOutputForB3:
    return CorefOutputForB3(
        tuple(Membership(m, entity) for entity in entities(*texts).entities for m in sorted(entity.mentions))
    )


phi_3 = overlap("mentions")
phi_4 = f1("mentions")
link = overlap("mentions") - 1

B3_RECALL = recall("rels", eq("mention") * recall("entity.mentions"))
B3_PRECISION = precision("rels", eq("mention") * precision("entity.mentions"))


def test_eq_17_phi_3(value: Value) -> None:
    assert value(phi_3, Entity(frozenset("abc")), Entity(frozenset("bcd"))) == 2


def test_eq_18_phi_4(value: Value) -> None:
    assert value(phi_4, Entity(frozenset("ab")), Entity(frozenset("abc"))) == Fraction(2 * 2, 2 + 3)


def test_eq_19_ceaf_phi_4(value: Value) -> None:
    # φ4({a, b}, {a, b, c}) = 4/5 beats φ4({c}, {a, b, c}) = 2/4. Σ(P, P) = 2, Σ(R, R) = 1: 2 · 4/5 / 3 = 8/15
    assert value(f1("entities", phi_4), entities("ab", "c"), entities("abc")) == Fraction(8, 15)


def test_eq_19_with_phi_3_in_its_place(value: Value) -> None:
    # The best pair shares 2 of 3 mentions a side.
    assert value(f1("entities", phi_3), entities("ab", "c"), entities("abc")) == Fraction(2, 3)


TRUTH, SYSTEM = ("12345", "67", "89ABC"), ("12345", "6789ABC")  # Luo (2005), figure 1, system response (a)


def test_eq_19_of_the_example_of_luo_2005(value: Value) -> None:
    # φ4: 1 for {1–5}; {6, 7, 8–C} with {8–C}: 2 · 5 / (7 + 5) = 5/6. Σ = 11/6, p = 11/12, r = 11/18, F = 11/15 = 0.733
    system, truth = entities(*SYSTEM), entities(*TRUTH)
    assert value(precision("entities", phi_4), system, truth) == Fraction(11, 12)
    assert value(recall("entities", phi_4), system, truth) == Fraction(11, 18)
    assert value(f1("entities", phi_4), system, truth) == Fraction(11, 15)


def test_phi_3_of_the_example_of_luo_2005(value: Value) -> None:
    # 5 + 5 of 12 mentions a side: 0.833
    assert value(f1("entities", phi_3), entities(*SYSTEM), entities(*TRUTH)) == Fraction(10, 12)


def test_muc_of_the_example_of_luo_2005(value: Value) -> None:
    # Links shared 4 + 1 + 4, predicted 4 + 6, true 4 + 1 + 4: 2 · 9 / 19 = 0.947
    assert value(f1("entities", link, match="N:N"), entities(*SYSTEM), entities(*TRUTH)) == Fraction(18, 19)


def test_b_cubed_of_the_example_of_luo_2005() -> None:
    # p = (5 · 1 + 2 · 2/7 + 5 · 5/7) / 12 = 16/21, r = 1, F = 32/21 / (37/21) = 32/37 = 0.865
    found = score(harmonic(B3_PRECISION, B3_RECALL), memberships(*SYSTEM), memberships(*TRUTH))
    assert isclose(found, Fraction(32, 37), rel_tol=1e-15)


def test_eq_20_muc_recall_by_partitions(value: Value) -> None:
    # R = {a, b, c, d} is cut into {a, b} and {c, d}: (4 − 2) / (4 − 1)
    assert value(recall("entities", link, match="N:N"), entities("ab", "cd"), entities("abcd")) == Fraction(2, 3)


def test_eq_21_links(value: Value) -> None:
    assert value(link, Entity(frozenset("abc")), Entity(frozenset("abd"))) == 2 - 1
    assert value(link, Entity(frozenset("a")), Entity(frozenset("a"))) == 0
    assert value(link, Entity(frozenset("a")), Entity(frozenset("b"))) == 0


def test_eq_22_muc(value: Value) -> None:
    # Links shared: 1 + 1. Predicted 1 + 1, true 3. p = 1, r = 2/3, F = 4/5
    pred, ref = entities("ab", "cd"), entities("abcd")
    assert value(precision("entities", link, match="N:N"), pred, ref) == 1
    assert value(f1("entities", link, match="N:N"), pred, ref) == Fraction(4, 5)


def test_eq_23_b_cubed_recall(value: Value) -> None:
    # a and b: |{a, b} ∩ {a, b, c}| / 3 = 2/3 each; c: 1/3. (2/3 + 2/3 + 1/3) / 3 = 5/9
    assert value(B3_RECALL, memberships("ab", "c"), memberships("abc")) == Fraction(5, 9)


def test_eq_24_b_cubed_precision(value: Value) -> None:
    assert value(B3_PRECISION, memberships("ab", "c"), memberships("abc")) == 1
    # The other way round: a and b: 2/3 each; c: 1/3.
    assert value(B3_PRECISION, memberships("abc"), memberships("ab", "c")) == Fraction(5, 9)


def test_b_cubed_f(value: Value) -> None:
    # 2 · 1 · 5/9 / (1 + 5/9) = 10/14
    assert value(harmonic(B3_PRECISION, B3_RECALL), memberships("ab", "c"), memberships("abc")) == Fraction(5, 7)


def test_b_cubed_gives_nothing_for_a_mention_that_is_not_true(value: Value) -> None:
    # x is predicted but not true; a: |{a, x} ∩ {a, b}| / 2. p = (1/2 + 0) / 2, r = (1/2 + 0) / 2
    assert value(B3_PRECISION, memberships("ax"), memberships("ab")) == Fraction(1, 4)
    assert value(B3_RECALL, memberships("ax"), memberships("ab")) == Fraction(1, 4)
