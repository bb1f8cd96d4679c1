from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from leaf_tables import table_of

import matchwise as mw
from matchwise import evaluate, f1
from matchwise.errors import ExpressionError
from matchwise.similarities import numbers
from matchwise.similarities.numbers import close, number


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        (1.00, 1.01, 1),
        (1.00, 1.011, 0),
        (0.1 + 0.2, 0.3, 1),
        (0.07, 0.06, 1),
        (-0.005, 0.005, 1),
        (Decimal("1.00"), 1.01, 1),
        (Fraction(1, 3), 0.3333, 1),
        (10**30, 10**30 + 1, 0),
        (np.float64(1.01), 1, 1),
        (np.float32(1.01), 1, 1),
        (np.int64(1), 1, 1),
        (1e308, -1e308, 0),
    ],
)
def test_close_compares_the_printed_numbers_exactly(score, pred, ref, value):
    assert score(close(abs=0.01), pred, ref) == value


@pytest.mark.parametrize(
    ("pred", "ref", "value"), [(95, 100, 1), (94.99, 100, 0), (-95, -100, 1), (0, 0, 1), (0, 1, 0)]
)
def test_rel_is_a_share_of_the_larger_number(score, pred, ref, value):
    assert score(close(rel=0.05), pred, ref) == value


def test_the_larger_of_two_tolerances_counts(score):
    phi = close(abs=1, rel=0.1)
    assert [score(phi, 1, 2), score(phi, 90, 100), score(phi, 89, 100)] == [1, 1, 0]


def test_equal_tolerances_are_equal_however_they_are_written():
    given = [0.01, "0.01", "1e-2", Decimal("0.010"), Fraction(1, 100)]
    assert {close(abs=each) for each in given} == {close(abs=0.01)}
    assert dict(close(abs="5.0").options)["abs"] == 5


def test_a_tolerance_beyond_floats_is_kept(score):
    assert score(close(abs=Decimal("1" + "0" * 400 + ".5")), 0, 10**400) == 1


def test_a_tolerance_that_no_float_prints_is_kept_exactly(score):
    phi = close(abs="0.10000000000000000000001")
    assert score(phi, 0, Decimal("0.10000000000000000000001")) == 1
    assert score(phi, 0, Decimal("0.10000000000000000000002")) == 0


@pytest.mark.parametrize(
    "value", [True, "1", None, nan, inf, Decimal("NaN"), Decimal("1e99999"), Decimal("1e-99999"), 1j]
)
def test_what_is_no_finite_number_is_refused(score, value):
    with pytest.raises(ValueError, match=r"^expected a finite number, found "):
        score(close(abs=1), value, 1)


def test_the_refusal_shows_type_and_value(score):
    with pytest.raises(ValueError, match=r"^expected a finite number, found str '1'$"):
        score(close(abs=1), "1", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, 'close needs a tolerance; write close("price", abs=0.01), or eq("price") for equality'),
        ({"abs": -1}, "abs=-1 is negative; write abs=0.01"),
        ({"abs": "much"}, "abs='much' is not a finite number; write abs=0.01"),
        ({"rel": float("nan")}, "rel=nan is not a finite number; write rel=0.01"),
        ({"abs": True}, "abs=True is not a finite number; write abs=0.01"),
        ({"abs": None}, "abs=None is not a finite number; write abs=0.01"),
        ({"rel": 5}, "rel=5 is a share of the larger number; write rel=0.05 for 5 %"),
    ],
)
def test_wrong_tolerances_are_refused_when_built(options, message):
    with pytest.raises(ExpressionError) as error:
        close("price", **options)
    assert str(error.value) == message


def test_numbers_beyond_floats_are_compared_in_the_matrix_too():
    phi = close(abs=1)
    huge = [Fraction(10**400), Fraction(10**400 + 1), Fraction(0)]
    assert table_of(phi.kind, huge, huge, dict(phi.options)).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_the_largest_tolerance_is_a_number_of_a_thousand_zeros() -> None:
    close("x", abs=10**1000)
    with pytest.raises(ExpressionError, match="abs is more than 1e1000"):
        close("x", abs=10**1000 + 1)


EDGES = [
    ({"abs": 1}, 2, 3, 1), ({"abs": 1}, 2.0, 3.0, 1), ({"abs": 1}, -3, -2, 1), ({"abs": 1}, 2, 3.0000001, 0),
    ({"abs": 0.05}, 1.0, 1.05, 1), ({"abs": 0.05}, 1.0, 1.0500001, 0),
    ({"rel": 0.1}, 9, 10, 1), ({"rel": 0.1}, 8.999, 10, 0), ({"rel": 0.5}, -1, -2, 1),
    ({"abs": Fraction(1, 3)}, 0, Fraction(1, 3), 1), ({"abs": 1}, 2**60, 2**60 + 1, 1),
    ({"abs": 1}, 2**60, 2**60 + 2, 0), ({"abs": 1}, Decimal("0.5"), Decimal("1.5"), 1),
]  # fmt: skip


@pytest.mark.parametrize(("options", "one", "other", "value"), EDGES)
def test_a_difference_of_just_the_tolerance_is_close(score, options, one, other, value):
    phi = close(**options)
    for x, y in ((one, other), (other, one)):
        assert score(phi, x, y) == value
        assert evaluate(f1("xs", phi), [{"xs": [x]}] * 3, [{"xs": [y]}] * 3)["score"].counts.matched == 3 * value
        many = [x] * 40  # so many that arrays compare them
        assert evaluate(f1("xs", phi), [{"xs": many}], [{"xs": [y] * 40}])["score"].counts.matched == 40 * value


@pytest.mark.parametrize("rel", [1, 1.5, 2])
def test_a_relative_tolerance_is_less_than_the_whole(rel):
    with pytest.raises(ExpressionError, match=r"is a share of the larger number; write rel=0\.05 for 5 %"):
        close(rel=rel)


def test_the_largest_relative_tolerance_below_the_whole_is_taken():
    assert dict(close(rel=0.999).options) == {"abs": 0, "rel": 0.999}


def test_many_numbers_at_the_tolerance_are_compared_exactly():
    options = dict(close(abs=0.01).options)
    places = np.array([0, 1])
    found = numbers.paired([1.00, 1.00], [1.01, 1.0100000001], places, places, options)
    assert found.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("leaf", [close(abs=0.01), close(rel=0.01), close(abs="0.02", rel="0.001")], ids=repr)
def test_prices_at_the_tolerance_are_compared_as_they_are_printed(leaf):
    options = dict(leaf.options)
    least, share = (Fraction(str(options[name])) for name in ("abs", "rel"))
    cents = [*range(95, 106), *range(-3, 4), 9900, 9999, 10000, 10001, 10101]
    values = [numbers.feature(cent / 100, options) for cent in cents]
    expected = [[float(abs(x - y) <= max(100 * least, share * max(abs(x), abs(y)))) for y in cents] for x in cents]
    assert [[numbers.compare(f, g, options) for g in values] for f in values] == expected
    assert table_of(numbers.CLOSE, values, values, options).tolist() == expected
    a, b = (places.ravel() for places in np.indices((len(cents), len(cents))))
    assert numbers.paired(values, values, a, b, options).tolist() == [cell for row in expected for cell in row]


def test_a_tolerance_that_is_larger_than_both_numbers_is_exact():
    assert mw.score(close(abs=0.3), 0.1, -0.2) == 1.0  # 0.1 + 0.2 > 0.3 in floats
    assert table_of(numbers.CLOSE, [0.1], [-0.2], dict(close(abs=0.3).options)).tolist() == [[1.0]]


def test_numbers_within_rounding_of_the_tolerance_are_compared_exactly_in_every_way() -> None:
    phi = close(abs=0.01)
    fs, gs = [1.0, 0.07, 5.0], [1.01, 0.06, 5.02]
    want = [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert [[phi.kind.compare(f, g, dict(phi.options)) for g in gs] for f in fs] == want
    assert table_of(phi.kind, fs, gs, dict(phi.options)).tolist() == want
    places = np.array([0, 1, 2, 0]), np.array([0, 1, 2, 1])
    assert phi.kind.paired(fs, gs, *places, dict(phi.options)).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12])
def test_numbers_at_the_tolerance_are_within_reach_however_large_they_are(size: float) -> None:
    phi = close(abs=0.01)
    starts, ends = phi.kind.reach([size, size + 0.02], dict(phi.options))
    assert starts[1] <= ends[0]  # each reaches half of the way, and a little more


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1,234.50", "1234.5"),
        ("12,345,678.9", "12345678.9"),
        ("1 234.50", "1234.5"),
        ("1'234", "1234"),
        ("1,00,000", "100000"),
        ("19 %", "19"),
        ("600.59 EUR", "600.59"),
        ("US$ 5", "5"),
        ("€3.00", "3"),
        ("(12)", "-12"),
        ("(12) EUR", "-12"),
        ("$(12)", "-12"),
        ("($1,200)", "-1200"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("−7", "-7"),
        ("+4", "4"),
        (".5", "0.5"),
        ("5.", "5"),
        (" 12 ", "12"),
        ("1.5e-3", "0.0015"),
    ],
)
def test_a_number_is_read_as_people_write_it(score, written, meant):
    assert score(number(), written, Decimal(meant)) == 1
    assert score(number(), Decimal(meant) + 1, written) == 0
    if written.isascii():
        swapped = written.translate(str.maketrans(",.", ".,"))
        assert score(number(decimal=","), swapped, Decimal(meant)) == 1


@pytest.mark.parametrize(
    "written",
    ["", "EUR", "%", "1,23", "1.234,50", "1,2345", "5 to 6", "12/2024", "(-12)", "(12", "12)", "5 million", "--5"],
)
def test_a_text_that_may_be_another_number_is_refused(written):
    with pytest.raises(mw.DataError, match=r"expected a number written as 1,234.50, found str"):
        mw.score(number(), written, 5)


def test_numbers_as_people_write_them_have_a_tolerance_and_a_decimal_sign():
    assert mw.score(number(abs="0.01"), "1.00 EUR", 1.01) == mw.score(number(rel=0.1), "95", "100 %") == 1
    assert repr(number("price", decimal=",")) == 'number("price", decimal=",")'
    assert mw.parse('number("price", abs=0.01)') == number("price", abs="0.01")
    assert mw.facts(number()).kernel
    assert not mw.facts(number(abs=1)).kernel
    with pytest.raises(mw.ExpressionError, match=r"decimal=.;. is unknown"):
        number(decimal=";")
