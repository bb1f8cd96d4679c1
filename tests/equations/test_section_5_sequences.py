"""§5: the maximum monotonic matching of two sequences."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from matchwise import custom, f1, overlap
from matchwise.algebra.nodes import Similarity

Value = Callable[[Similarity, Any, Any], Fraction]


def near(x: int, y: int) -> Fraction:
    return Fraction(1, 1 + abs(x - y))


def test_eq_37_the_example_of_the_paper(value: Value) -> None:
    # 1, 3, 5 are matched monotonically.
    assert value(overlap(order="sequence"), (1, 2, 3, 4, 5), (1, 3, 5, 7, 9)) == 3


def test_eq_37_the_order_is_kept(value: Value) -> None:
    # As bags the two share three elements; in order only one of them.
    assert value(overlap(), ("c", "b", "a"), ("a", "b", "c")) == 3
    assert value(overlap(order="sequence"), ("c", "b", "a"), ("a", "b", "c")) == 1


def test_eq_37_weights(value: Value) -> None:
    # 1–1 and 4–5 in order: 1 + 1/2. As a bag, 5–5 would be free: 1–1, 5–5 and 4 unmatched (or with less).
    assert value(overlap(None, custom(near), order="sequence"), (5, 1, 4), (1, 5)) == Fraction(3, 2)
    assert value(overlap(None, custom(near)), (5, 1, 4), (1, 5)) == 2


def test_the_normaliser_of_sequences(value: Value) -> None:
    # 3 of 5 a side.
    assert value(f1(order="sequence"), (1, 2, 3, 4, 5), (1, 3, 5, 7, 9)) == Fraction(3, 5)
