"""Moments within a tolerance, and days in any format; accepted values and floors of a schema."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from datetime import date as day

import numpy as np
import pytest
from leaf_tables import table_of

import matchwise as mw
from matchwise import any_of, best, close, date, derive, edit, eq, f1, facts, floor, normalize, parse, within
from matchwise.errors import DataError, DeriveError, ExpressionError

EAST = timezone(timedelta(hours=5))


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        (day(2024, 2, 28), day(2024, 2, 29), 1),
        (day(2024, 2, 28), day(2024, 3, 1), 0),
        ("2024-02-28", day(2024, 2, 29), 1),
        ("20240228", "2024-02-29", 1),
        (datetime(2024, 1, 1, 12), datetime(2024, 1, 2, 12), 1),
        (datetime(2024, 1, 1, 12), datetime(2024, 1, 2, 12, 0, 0, 1), 0),
        ("2024-01-01T12:00", datetime(2024, 1, 2, 12), 1),
        (day.min, day.max, 0),
    ],
)
def test_days_apart(score, pred, ref, value):
    assert score(within(days=1), pred, ref) == value


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [("12:00", time(12, 1, 30), 1), ("12:00", "12:01:31", 0), ("23:59:59", "00:00", 0), ("T12:00", "12:00", 1)],
)
def test_times_of_day_do_not_wrap_round_midnight(score, pred, ref, value):
    assert score(within(minutes=1, seconds=30), pred, ref) == value


@pytest.mark.parametrize(
    ("pred", "ref"),
    [
        ("2024-01-01T05:00+05:00", "2024-01-01T00:00Z"),
        (datetime(2024, 1, 1, 5, tzinfo=EAST), "2024-01-01T00:00:00+00:00"),
        ("05:00+05:00", time(0, tzinfo=UTC)),
        ("2024-W01-1", "2024-01-01"),
    ],
)
def test_no_tolerance_asks_for_the_same_moment(score, pred, ref):
    assert score(within(), pred, ref) == 1


def test_tolerances_are_exact(score):
    assert score(within(seconds=0.1), "12:00", "12:00:00.100000") == 1
    assert score(within(seconds="0.0999999"), "12:00", "12:00:00.100000") == 0


@pytest.mark.parametrize(
    ("pred", "ref", "message"),
    [
        ("2024-01-01", "2024-01-01T00:00", "cannot compare a date with a datetime"),
        ("2024-01-01T00:00Z", "2024-01-01T00:00", "cannot compare a datetime with a time zone with a datetime"),
        ("12:00", "2024-01-01", "cannot compare a time with a date"),
    ],
)
def test_different_kinds_of_moment_are_not_mixed(score, pred, ref, message):
    with pytest.raises(ValueError, match=f"^{message}; convert one of them when reading$"):
        score(within(days=1), pred, ref)


def test_different_kinds_of_moment_are_not_mixed_in_the_matrix():
    phi = within(days=1)
    dates, moments = ([phi.kind.feature(value, {})] for value in ("2024-01-01", "2024-01-01T00:00"))
    with pytest.raises(ValueError, match=r"^cannot compare a date with a datetime;"):
        table_of(phi.kind, dates, moments, dict(phi.options))


@pytest.mark.parametrize("value", ["2024", "yesterday", "", None, 3, "2024-02-30", "24:61"])
def test_what_is_no_moment_is_refused(score, value):
    with pytest.raises(ValueError, match=r"^expected a date, a datetime, a time or an ISO-8601 string of one, found "):
        score(within(days=1), value, "2024-01-01")


def test_wrong_tolerances_are_refused_when_built():
    with pytest.raises(ExpressionError, match=r"^days=-1 is negative; write days=0.01$"):
        within("date", days=-1)


EITHER = date(formats=("%Y-%m-%d", "%d.%m.%Y"))


@pytest.mark.parametrize(
    "other", ["2024-02-29", "29.2.2024", "29.02.2024", day(2024, 2, 29), datetime(2024, 2, 29, 12)]
)
def test_a_day_is_the_same_in_every_format(other: object) -> None:
    assert mw.score(EITHER, "2024-02-29", other) == 1.0


def test_another_day_is_another_day() -> None:
    assert mw.score(EITHER, "2024-02-29", "28.2.2024") == 0.0


def test_the_first_format_that_fits_is_taken() -> None:
    assert mw.score(date(formats=("%d/%m/%Y", "%m/%d/%Y")), "1/2/2024", day(2024, 2, 1)) == 1.0
    assert mw.score(date(formats=("%m/%d/%Y", "%d/%m/%Y")), "1/2/2024", day(2024, 1, 2)) == 1.0


def test_a_day_without_a_year_may_be_the_last_of_february() -> None:
    yearless = date(formats=("%d.%m.", "%d %B"))
    assert mw.score(yearless, "29.2.", "29 February") == 1.0
    assert mw.score(yearless, "28.2.", "29 February") == 0.0


def test_what_is_no_date_is_named_with_the_formats() -> None:
    with pytest.raises(DataError, match=r"expected a date written as %Y-%m-%d, %d\.%m\.%Y, found str 'soon'"):
        mw.score(EITHER, "soon", "2024-02-29")


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
    assert mw.score(derive(schema("any_of()")), {"x": "a"}, {"x": ["b", "a"]}) == 1.0


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
    assert mw.score(best(None, close(abs=1)), 3, [5, 3.5]) == 1.0
    assert mw.score(f1(None, best()), ["a", ["b", "c"]], ["c", "a"]) == 1.0


def test_every_format_of_a_date_has_a_directive():
    with pytest.raises(ExpressionError, match="names no way to write a date"):
        date(formats=("%Y-%m-%d", "today"))


@pytest.mark.parametrize(("seconds", "value"), [(0.5, 1), (0.499999, 0)])
def test_microseconds_of_a_time_count_forwards(score, seconds, value):
    assert score(within(seconds=seconds), time(0, 0, 0, 500_000), time(0, 0, 1)) == value


def test_a_second_of_tolerance_is_not_a_microsecond_more(score):
    assert score(within(seconds=1), time(0, 0, 0), time(0, 0, 1)) == 1
    assert score(within(seconds=1), time(0, 0, 0), time(0, 0, 1, 1)) == 0


@pytest.mark.parametrize("unit", ["days", "hours", "minutes", "seconds"])
def test_a_unit_of_tolerance_is_exactly_as_long_as_it_is(score, unit):
    start, length = datetime(2024, 2, 28), timedelta(**{unit: 3})
    assert score(within(**{unit: 3}), start, start + length) == 1
    assert score(within(**{unit: 3}), start, start + length + timedelta(microseconds=1)) == 0
    assert mw.score(f1("xs", within(**{unit: 3})), {"xs": [start] * 70}, {"xs": [start + length] * 70}) == 1.0


@pytest.mark.parametrize(("unit", "seconds"), [("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1)])
def test_every_unit_of_time_ends_to_the_microsecond(unit: str, seconds: int) -> None:
    phi, start = within(**{unit: 2}), datetime(2024, 1, 1)
    inside, outside = (start + timedelta(seconds=2 * seconds, microseconds=more) for more in (0, 1))
    assert [mw.score(phi, start, end) for end in (inside, outside)] == [1, 0]
    features = [phi.kind.feature(moment, dict(phi.options)) for moment in (start, inside, outside)]
    assert table_of(phi.kind, features[:1], features, dict(phi.options)).tolist() == [[1, 1, 0]]
    places = np.array([0, 0, 0]), np.array([0, 1, 2])
    assert phi.kind.paired(features, features, *places, dict(phi.options)).tolist() == [1, 1, 0]
    (starts, ends) = phi.kind.reach(features, dict(phi.options))
    assert starts[1] <= ends[0]  # the two that are near enough are compared
    assert phi.kind.reach([*features, ("date", 0)], dict(phi.options)) is None


def test_times_of_day_within_reach_are_compared_to_the_microsecond() -> None:
    phi = within(seconds=2)
    noon, inside = (phi.kind.feature(moment, dict(phi.options)) for moment in (time(12), time(12, 0, 2)))
    starts, ends = phi.kind.reach([noon, inside], dict(phi.options))
    assert starts[1] <= ends[0]
