"""Values at the edges of what the leaves accept; each test was written for a planted mistake that survived."""

from __future__ import annotations

from datetime import time
from math import inf, nan

import numpy as np
import pytest

import matchwise as mw
from matchwise.errors import ExpressionError
from matchwise.similarities import numbers, spans
from matchwise.similarities.answers import as_content
from matchwise.similarities.dates import date, within
from matchwise.similarities.numbers import close
from matchwise.similarities.ontology import ontology
from matchwise.similarities.values import name
from matchwise.tasks.documents.tools import anls_star


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


def test_a_reference_list_of_other_things_than_strings_is_no_list_of_accepted_answers():
    assert anls_star("a", ["a", 1]) == 0.0
    assert anls_star("a", ["a", "b"]) == 1.0


def test_every_format_of_a_date_has_a_directive():
    with pytest.raises(ExpressionError, match="names no way to write a date"):
        date(formats=("%Y-%m-%d", "today"))


@pytest.mark.parametrize(("seconds", "value"), [(0.5, 1), (0.499999, 0)])
def test_microseconds_of_a_time_count_forwards(score, seconds, value):
    assert score(within(seconds=seconds), time(0, 0, 0, 500_000), time(0, 0, 1)) == value


def test_a_second_of_tolerance_is_not_a_microsecond_more(score):
    assert score(within(seconds=1), time(0, 0, 0), time(0, 0, 1)) == 1
    assert score(within(seconds=1), time(0, 0, 0), time(0, 0, 1, 1)) == 0


def test_three_numbers_are_no_span():
    with pytest.raises(ValueError, match="span"):
        spans.pieces((1, 2, 3))


def test_positions_beyond_what_floats_add_are_shared_exactly():
    phi = mw.parse('f1("xs", iou() > 0.999999)')
    start = 2**60
    pred, ref = {"xs": [(start, start + 3)] * 40}, {"xs": [(start, start + 4)] * 40}
    assert mw.score(phi, pred, ref) == 0.0
    assert mw.score(phi, ref, ref) == 1.0


def test_either_relative_at_half_credit_keeps_the_triangle():
    assert mw.facts(ontology({"bombing": "attack"}, credit=0.5, credited="either")).triangle
    assert not mw.facts(ontology({"bombing": "attack"}, credit=0.51, credited="either")).triangle


def test_a_float_is_a_name_and_nan_is_none():
    assert name(1.5) == 1.5
    assert name(inf) == inf
    with pytest.raises(ValueError, match="expected a name"):
        name(nan)


def test_content_is_text_as_written_in_the_order_of_keys_and_finite():
    assert as_content({"b": 1, "a": "ä"}) == '{"a": "ä", "b": 1}'
    with pytest.raises(ValueError, match="JSON"):
        as_content({"a": nan})
