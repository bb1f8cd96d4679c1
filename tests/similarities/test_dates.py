from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from leaf_tables import table_of

from matchwise.errors import ExpressionError
from matchwise.similarities.dates import within

EAST = timezone(timedelta(hours=5))


@pytest.mark.parametrize(
    ("pred", "ref", "value"),
    [
        (date(2024, 2, 28), date(2024, 2, 29), 1),
        (date(2024, 2, 28), date(2024, 3, 1), 0),
        ("2024-02-28", date(2024, 2, 29), 1),
        ("20240228", "2024-02-29", 1),
        (datetime(2024, 1, 1, 12), datetime(2024, 1, 2, 12), 1),
        (datetime(2024, 1, 1, 12), datetime(2024, 1, 2, 12, 0, 0, 1), 0),
        ("2024-01-01T12:00", datetime(2024, 1, 2, 12), 1),
        (date.min, date.max, 0),
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
