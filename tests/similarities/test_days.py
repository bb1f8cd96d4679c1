"""Days, however they are written; and the hints that go with leaves."""

from datetime import date as day
from datetime import datetime

import pytest

from matchwise import any_of, best, close, date, derive, edit, eq, f1, facts, floor, normalize, parse, score
from matchwise.errors import DataError, DeriveError, ExpressionError

EITHER = date(formats=("%Y-%m-%d", "%d.%m.%Y"))


@pytest.mark.parametrize(
    "other", ["2024-02-29", "29.2.2024", "29.02.2024", day(2024, 2, 29), datetime(2024, 2, 29, 12)]
)
def test_a_day_is_the_same_in_every_format(other: object) -> None:
    assert score(EITHER, "2024-02-29", other) == 1.0


def test_another_day_is_another_day() -> None:
    assert score(EITHER, "2024-02-29", "28.2.2024") == 0.0


def test_the_first_format_that_fits_is_taken() -> None:
    assert score(date(formats=("%d/%m/%Y", "%m/%d/%Y")), "1/2/2024", day(2024, 2, 1)) == 1.0


def test_a_day_without_a_year_may_be_the_last_of_february() -> None:
    yearless = date(formats=("%d.%m.", "%d %B"))
    assert score(yearless, "29.2.", "29 February") == 1.0
    assert score(yearless, "28.2.", "29 February") == 0.0


def test_what_is_no_date_is_named_with_the_formats() -> None:
    with pytest.raises(DataError, match=r"expected a date written as %Y-%m-%d, %d\.%m\.%Y, found str 'soon'"):
        score(EITHER, "soon", "2024-02-29")


def test_a_format_is_needed() -> None:
    with pytest.raises(ExpressionError, match="formats='iso' names no way to write a date"):
        date(formats="iso")


def test_days_are_keys_and_are_written_as_they_are_read() -> None:
    assert facts(EITHER).discrete
    assert parse(repr(EITHER)) == EITHER


def schema(*wishes: str, type: str = "string") -> dict[str, object]:
    return {"properties": {"x": {"type": type, "x-matchwise": list(wishes)}}}


def test_accepted_values_are_the_best_of_them() -> None:
    assert derive(schema("edit()", "any_of()")) == normalize(1 * best("x", edit()), "f1")
    assert score(derive(schema("any_of()")), {"x": "a"}, {"x": ["b", "a"]}) == 1.0


def test_a_floor_is_a_bracket_times_the_similarity() -> None:
    assert derive(schema("edit()", "floor(0.8)")) == normalize(1 * ((edit("x") >= 0.8) * edit("x")), "f1")


def test_a_floor_under_equality_says_nothing() -> None:
    assert derive(schema("floor(0.8)")) == normalize(1 * eq("x"), "f1")


def test_accepted_values_go_with_plain_values_only() -> None:
    with pytest.raises(DeriveError, match=r"any_of\(\) goes with a plain value, but found list"):
        derive(list[str], {"": any_of()})


def test_a_floor_above_one_is_refused() -> None:
    with pytest.raises(DeriveError, match=r"floor\(2\) is above 1"):
        floor(2)


def test_best_takes_a_single_value_for_a_collection_of_one() -> None:
    assert score(best(None, close(abs=1)), 3, [5, 3.5]) == 1.0
    assert score(f1(None, best()), ["a", ["b", "c"]], ["c", "a"]) == 1.0
