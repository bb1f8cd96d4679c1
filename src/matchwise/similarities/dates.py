"""Dates and times that are near enough: ⟦|x − y| ≤ days + hours + minutes + seconds⟧, and dates however written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from datetime import date as day
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.arrays import Flags, Floats, Integers
from matchwise.errors import ExpressionError
from matchwise.similarities.numbers import Tolerance, _option, tolerance
from matchwise.similarities.values import describe_value, equality, same

Moment: TypeAlias = tuple[str, int]
"""What kind of moment it is, and its microseconds: only moments of one kind are compared."""


@word
def within(
    sel: Selectable = None,
    *,
    days: Tolerance = 0,
    hours: Tolerance = 0,
    minutes: Tolerance = 0,
    seconds: Tolerance = 0,
) -> Similarity:
    """1 if two dates, datetimes, times (or ISO-8601 strings) lie within days + hours + minutes + seconds.

    All 0 asks for the same moment, however it is written. Times of day do not wrap round midnight.

    >>> import matchwise as mw
    >>> from datetime import date
    >>> mw.score(mw.within(days=1), "2024-02-28", date(2024, 2, 29))
    1.0
    """
    given = {"days": days, "hours": hours, "minutes": minutes, "seconds": seconds}
    return Leaf(WITHIN, selector(sel), tuple((unit, tolerance(unit, amount)) for unit, amount in given.items()))


@word
def date(sel: Selectable = None, *, formats: str | tuple[str, ...] = "%Y-%m-%d") -> Similarity:
    """1 if two dates are the same day; strings are read by `formats` (as of `strptime`, tried in order).

    >>> import matchwise as mw
    >>> mw.score(mw.date(formats=("%Y-%m-%d", "%d.%m.%Y")), "1.2.2024", "2024-02-01")
    1.0
    """
    each = (formats,) if isinstance(formats, str) else tuple(formats) if isinstance(formats, Iterable) else ()
    if not each or not all(isinstance(form, str) and "%" in form for form in each):
        raise ExpressionError(
            f'formats={formats!r} names no way to write a date; write formats=("%Y-%m-%d", "%d.%m.%Y")'
        )
    for form in each:
        _check_format(form)
    return Leaf(DATE, selector(sel), (("formats", each),))


def _check_format(form: str) -> None:
    """Refuse a format that cannot read what it writes: one with a wrong directive, or with a directive twice."""
    from re import error as WrongPattern

    try:
        _read_day(datetime(2024, 2, 1).strftime(form), form)
    except (ValueError, WrongPattern) as error:
        raise ExpressionError(
            f"formats: no date can be read by {form!r} ({error}); write %d, %m and %Y once each"
        ) from None


def _read_day(text: str, form: str) -> int:
    """The number of the day that a text writes; without a year it is one of a leap year, which has all days.

    Python alone would read it in 1900, without February 29, and warns of that since 3.13.
    """
    if not any(year in form.replace("%%", "") for year in ("%Y", "%y", "%G", "%c", "%x")):
        text, form = f"{text} 1904", f"{form} %Y"
    return datetime.strptime(text, form).toordinal()


def feature_day(value: Any, options: dict[str, Any]) -> int:
    """The number of the day; the time of day is left out."""
    if isinstance(value, str):
        for form in options["formats"]:
            try:
                return _read_day(value, form)
            except ValueError:
                continue
        ways = ", ".join(options["formats"])
        raise ValueError(f"expected a date written as {ways}, found {describe_value(value)}")
    if isinstance(value, day):
        return value.toordinal()
    raise ValueError(f"expected a date or a string of one, found {describe_value(value)}")


def feature(value: Any, options: dict[str, Any]) -> Moment:
    moment = _from_iso(value) if isinstance(value, str) else value
    match moment:
        case datetime() if moment.utcoffset() is None:
            return "datetime", (moment.replace(tzinfo=None) - datetime.min) // _MICROSECOND
        case datetime():
            return "datetime with a time zone", (moment - _EPOCH) // _MICROSECOND
        case day():
            return "date", moment.toordinal() * _DAY
        case time() if moment.utcoffset() is None:
            return "time", _since_midnight(moment)
        case time():
            offset = moment.utcoffset() or timedelta()
            return "time with a time zone", _since_midnight(moment) - offset // _MICROSECOND
    raise ValueError(f"expected a date, a datetime, a time or an ISO-8601 string of one, found {describe_value(value)}")


_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _from_iso(value: str) -> day | time | None:
    for kind in (day, datetime, time):
        if kind is time and ":" not in value:
            break  # Python reads "2024" as the time 20:24
        try:
            return kind.fromisoformat(value)
        except ValueError:
            continue
    return None


def _since_midnight(moment: time) -> int:
    return ((moment.hour * 60 + moment.minute) * 60 + moment.second) * 1_000_000 + moment.microsecond


def compare(f: Moment, g: Moment, options: dict[str, Any]) -> int:
    _same_kind(f, g)
    return int(abs(f[1] - g[1]) <= _allowed_days(options))


def _same_kind(f: Moment, g: Moment) -> None:
    if f[0] != g[0]:
        raise ValueError(f"cannot compare a {f[0]} with a {g[0]}; convert one of them when reading")


def _allowed_days(options: dict[str, Any]) -> int:
    """The tolerance in whole microseconds; differences are whole, so rounding down changes nothing."""
    lengths = {"days": _DAY, "hours": 3_600_000_000, "minutes": 60_000_000, "seconds": 1_000_000}
    return int(sum((_option(options[unit]) * length for unit, length in lengths.items()), Fraction(0)))


def paired(fs: list[Moment], gs: list[Moment], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    for moment in (*fs, *gs) if fs else ():
        _same_kind(fs[0], moment)
    x, y = (np.fromiter((moment[1] for moment in moments), np.int64, len(moments)) for moments in (fs, gs))
    near: Flags = np.abs(x[a] - y[b]) <= min(_allowed_days(options), np.iinfo(np.int64).max)
    return near.astype(float)


def reach(fs: list[Moment], options: dict[str, Any]) -> tuple[list[float], list[float]] | None:
    """Half the tolerance to both sides; moments of several kinds are compared, and refused, one by one."""
    if len({kind for kind, _ in fs}) > 1:
        return None
    half = _allowed_days(options) // 2 + 1
    return [float(moment - half) for _, moment in fs], [float(moment + half) for _, moment in fs]


def facts(options: dict[str, Any]) -> dict[str, str]:
    if not _allowed_days(options):
        return equality("moments")
    return {
        "bounded": "the values are 0 and 1",
        "symmetric": "|x − y| is symmetric",
        "unit": "|x − x| = 0 is within any tolerance",
    }


DATE = LeafKind("date", feature_day, same, discrete=True, takes=(str, day))
WITHIN = LeafKind("within", feature, compare, facts, paired, reach, takes=(str, day, time))
