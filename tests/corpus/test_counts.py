"""Counts are a commutative monoid, and P, R, F and J are read from them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from matchwise import evaluate, parse, score
from matchwise.corpus.counts import Counts, Reading, exact_product, exact_total, reading
from matchwise.corpus.elements import content_of
from matchwise.corpus.statistic import statistic

NUMBERS = st.integers(0, 50) | st.fractions(0, 50, max_denominator=8)
COUNTS = st.builds(Counts, NUMBERS, NUMBERS, NUMBERS, st.none() | NUMBERS)


def test_counts_are_divided_once() -> None:
    counts = Counts(3, 4, 6)
    assert (counts.precision(), counts.recall(), counts.f1(), counts.jaccard()) == (3 / 4, 3 / 6, 6 / 10, 3 / 7)


def test_fbeta_weighs_recall() -> None:
    assert Counts(3, 4, 6).fbeta(2) == 5 * 3 / (4 + 4 * 6)


def test_two_sides_without_a_match_have_an_f1_of_0() -> None:
    assert (Counts(0, 2, 3, 0).f1(), Counts(0, 2, 3, 0).fbeta(2)) == (0, 0)


def test_an_exact_total_is_an_integer_where_it_is_whole() -> None:
    assert [repr(exact_total([Fraction(1, 2)] * n)) for n in (2, 3, 4)] == ["1", "Fraction(3, 2)", "2"]


def test_integers_stay_integers() -> None:
    assert repr(Counts(1, 2, 3) + Counts(1, 1, 1)) == "Counts(matched=2, predicted=3, reference=4)"


def test_nothing_over_nothing_is_what_the_caller_says() -> None:
    assert (Counts().f1(), Counts().f1(empty=0), Counts(0, 0, 5).precision(empty=0), Counts(0, 0, 5).f1()) == (
        1,
        0,
        0,
        0,
    )


def test_two_numerators_are_joined_by_the_harmonic_mean() -> None:
    counts = Counts(2, 4, 4, recalled=3)
    assert (counts.precision(), counts.recall(), counts.f1()) == (0.5, 0.75, 0.6)


def test_a_numerator_of_recall_is_kept_when_one_side_has_it() -> None:
    assert Counts(2, 4, 4) + Counts(1, 1, 1, recalled=0) == Counts(3, 5, 5, recalled=2)


def test_two_equal_numerators_read_as_one() -> None:
    assert Counts(2, 4, 8, recalled=2).f1() == pytest.approx(Counts(2, 4, 8).f1(), abs=1e-12)
    assert Counts(2, 4, 8, recalled=2).jaccard() == pytest.approx(Counts(2, 4, 8).jaccard(), abs=1e-12)


def test_fractions_are_counted_exactly() -> None:
    assert sum([Counts(Fraction(1, 3), 1, 1)] * 3, Counts()) == Counts(1, 3, 3)


@given(COUNTS, COUNTS, COUNTS)
def test_adding_is_associative_and_commutative_with_a_zero(a: Counts, b: Counts, c: Counts) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + Counts() == a


@pytest.mark.parametrize("kind", ["precision", "recall", "f1", "fbeta", "jaccard", "harmonic", "total", "mean"])
@given(st.lists(st.tuples(*[st.integers(0, 3).map(float)] * 3), max_size=5))
def test_the_values_of_many_documents_are_those_of_each(kind: Any, rows: list[tuple[float, float, float]]) -> None:
    reading = Reading(kind, beta=2 if kind == "fbeta" else 1, empty=0.25, empty_recall=0.5)
    counts = np.array([(*row, row[0]) for row in rows]).reshape(-1, 4)
    value = statistic({"m": reading}, "m")
    assert value.of(value.project(counts)).tolist() == [reading.read(Counts(*row)) for row in rows]


ENTITIES = [["a"], ["b", "c"], ["d", "e", "f"], []]
"""Their mentions: φ(x, x) is 1, 2, 3 and 0 under `overlap`."""


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ('overlap() > 1', 2), ('overlap() >= 2', 2), ('overlap() >= 1', 3), ('overlap() > 3', 0), ('overlap() >= 0', 4),
        ('(overlap() - 1) > 1', 1), ('overlap() - 1', 3), ('(overlap() > 0) - 0.5', 1.5), ('(overlap() > 1) > 0', 2),
        ('f1(None) > 0', 4), ('f1(None, empty=0) > 0', 3), ('f1(None) >= 1', 4), ('f1(None) > 1', 0),
        ('(overlap() > 1) * (overlap() > 2)', 1), ('(overlap() > 1) + (overlap() > 2)', 3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("copies", [1, 3, 200])
def test_a_threshold_holds_for_an_element_and_itself_too(text: str, counted: float, copies: int) -> None:
    phi = parse(f"f1(None, {text})")
    preds, refs = [ENTITIES, []] * copies, [[], ENTITIES] * copies
    counts = evaluate(phi, preds, refs)["score"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (0, counted * copies, counted * copies)
    same = evaluate(phi, [ENTITIES] * copies, [ENTITIES] * copies)["score"].counts
    assert (same.predicted, same.reference) == (counted * copies, counted * copies)
    assert same.matched == pytest.approx(counted * copies)
    assert score(phi, ENTITIES, []) == (0 if counted else 1)


def test_contents_are_numbered_or_named() -> None:
    items = [{"a": 1}, {"a": 2}, {"a": 1}]
    assert content_of(items) == ([0, 1, 0], [0, 1])
    names, firsts = content_of(items, names=True)
    assert (names[0] == names[2] != names[1], names[0] != 0, firsts) == (True, True, [0, 1])


@given(st.floats(-(2.0**60), 2.0**60), st.floats(-(2.0**60), 2.0**60))
def test_a_product_and_its_rest_are_exact(x: float, y: float) -> None:
    assume(all(value == 0 or abs(value) > 2.0**-400 for value in (x, y)))
    product, rest = exact_product(x, y)
    assert Fraction(product) + Fraction(rest) == Fraction(x) * Fraction(y)


def test_a_product_of_full_numbers_is_exact() -> None:
    x, y = 1 + 2.0**-52 + 2.0**-26, 2 - 2.0**-52 - 2.0**-27
    assert sum(map(Fraction, exact_product(x, y))) == Fraction(x) * Fraction(y)


def test_precision_and_recall_of_nothing_have_values_of_their_own() -> None:
    phi = parse('harmonic(precision("xs", empty=0.25), recall("xs", empty=0.5))')
    made = reading(phi)
    assert (made.empty, made.empty_recall) == (0.25, 0.5)
    report = evaluate(phi, [{"xs": []}], [{"xs": []}])
    assert (report["score"].precision, report["score"].recall) == (0.25, 0.5)
    assert report["score"].value == pytest.approx(1 / 3)


def test_jaccard_of_nothing_with_two_numerators_is_what_the_option_says() -> None:
    assert (Counts(0, 0, 0, 0).jaccard(empty=0), Counts(0, 0, 0, 0).jaccard(empty=1)) == (0, 1)
