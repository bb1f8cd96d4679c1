"""§6: credit for the levels of a type that agree, and for shared supertypes."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from matchwise import best, eq, f1, head, iou, levels, overlap, replace, supertypes
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (("conflict", "attack", "bombing"), Fraction(1)),  # d = D = 3: 2⁰
        (("conflict", "attack", "arson"), Fraction(1, 2)),  # d = 2: 2⁻¹
        (("conflict", "protest", "bombing"), Fraction(1, 4)),  # d = 1: the third level alone is no prefix
        (("life", "attack", "bombing"), Fraction(0)),  # d = 0
    ],
)
def test_eq_38_levels(value: Value, pred: tuple[str, ...], expected: Fraction) -> None:
    assert value(levels(), pred, ("conflict", "attack", "bombing")) == expected


TYPES = {"bombing": "attack", "arson": "attack", "attack": "conflict", "protest": "conflict"}


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        ("bombing", Fraction(1)),
        ("arson", Fraction(2, 3)),  # {arson, attack, conflict}: 2 shared of 3 a side
        ("attack", Fraction(4, 5)),  # {attack, conflict}: 2 · 2 / (2 + 3)
        ("protest", Fraction(2, 5)),  # {protest, conflict}: 2 · 1 / (2 + 3)
    ],
)
def test_eq_39_supertypes(value: Value, pred: str, expected: Fraction) -> None:
    assert abs(value(supertypes(TYPES), pred, "bombing") - expected) < 1e-16


def test_a_metric_is_relaxed_by_replacing_one_similarity(value: Value) -> None:
    strict = f1("entities", overlap("mentions", eq("span")))
    relaxed = replace(strict, {eq("span"): iou("span")})
    pred = {"entities": [{"mentions": [{"span": (0, 2)}]}]}
    ref = {"entities": [{"mentions": [{"span": (0, 4)}]}]}
    assert value(strict, pred, ref) == 0
    assert value(relaxed, pred, ref) == Fraction(1, 2)  # 2 of 4 tokens


def test_one_sided_matching_fits_members_against_sets(value: Value) -> None:
    # Predictions are mentions, references entities: each of the two mentions may point to the one entity.
    inner = eq("role") * best("mentions")
    pred = {"args": [{"role": "perp", "mentions": ["a"]}, {"role": "perp", "mentions": ["b"]}]}
    ref = {"args": [{"role": "perp", "mentions": ["a", "b"]}]}
    assert value(overlap("args", inner, match="N:1"), pred, ref) == 2
    assert value(overlap("args", inner, match="1:1"), pred, ref) == 1


def test_head_match_is_one_choice_of_the_mention_similarity(value: Value) -> None:
    assert value(head("mention"), {"mention": {"head": 3}}, {"mention": {"head": 3}}) == 1
