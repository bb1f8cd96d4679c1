"""Plain values as JSON writes them: which classes fit a type as they are, and what text is decoded.

A `lax` decoder also takes what Pydantic's lax mode takes: "12" for a number, "yes" for true, a time at midnight
for a date, and seconds (or milliseconds) since 1970 for dates and times.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from numbers import Integral
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from matchwise.deriving.typeinfo import Described

LARGEST = 10**4000
"""Larger numbers are no data, and Python refuses to print them; NaN and infinities are beyond it, too."""


class Decode(Struct, frozen=True):
    """How values of one type are read.

    classes   values of exactly these classes fit as they are, if `check` agrees
    decode    any other value -> the value it stands for, or ValueError or TypeError
    wanted    the type, in a message
    """

    classes: frozenset[type]
    wanted: str
    decode: Callable[[Any], Any]
    check: Callable[[Any], bool] | None = None
    example: Any = "a"
    """A value of the type, to ask a hint whether it can compare another value with it."""
    convert: Callable[[Any], Any] | None = None
    """What a lax reading makes of a value before it is decoded."""

    def fits(self, value: Any) -> bool:
        """True if the value needs no decoding."""
        return type(value) in self.classes and (self.check is None or self.check(value))

    def key(self, name: Any) -> Any:
        """A key of an object, which JSON writes as text: "12" is the number 12 where keys are numbers."""
        if type(name) in self.classes:
            return name
        if int in self.classes and isinstance(name, str) and str(int(name)) == name:
            return int(name)
        return self.decode(name)

    def claim(self, value: Any) -> int:
        """2 if the value fits as it is, 1 if it can be decoded, else 0."""
        if self.fits(value):
            return 2
        try:
            self.decode(value)
        except (ValueError, TypeError, ArithmeticError, RecursionError):
            return 0
        return 2 if not self.classes else 1


def decoder(described: Described, *, lax: bool = False) -> Decode:
    """How values of a plain type are read.

    >>> from matchwise.deriving.typeinfo import describe
    >>> decoder(describe(date)).decode("2024-02-29"), decoder(describe(int)).wanted
    (datetime.date(2024, 2, 29), 'an integer')
    >>> decoder(describe(int), lax=True).decode("12")
    12
    """
    cls = described.type
    if get_origin(cls) is Literal:
        return _literal(get_args(cls))
    if isinstance(cls, type) and issubclass(cls, Enum):
        return _enum(cls)
    base = next((base for base in PLAIN if isinstance(cls, type) and issubclass(cls, base)), None)
    if base is None:
        return Decode(frozenset(), f"a {getattr(cls, '__name__', 'value')}", partial(_instance, cls=cls))
    made = replace(PLAIN[base], classes=frozenset({str, cls})) if base is str else PLAIN[base]
    convert = made.convert
    if not lax or convert is None:
        return made

    def decode(value: Any) -> Any:
        converted = convert(value)
        return converted if made.fits(converted) else made.decode(converted)

    return replace(made, decode=decode)


def _literal(values: tuple[Any, ...]) -> Decode:
    def decode(value: Any) -> Any:
        for known in values:
            if value == known and isinstance(value, bool) == isinstance(known, bool):
                return value
            if isinstance(known, Enum) and value == known.value:
                return known
        raise ValueError

    names = ", ".join(map(repr, values))
    return Decode(frozenset(), f"one of {names}" if len(values) > 1 else names, decode, example=values[0])


def _enum(cls: Any) -> Decode:
    def decode(value: Any) -> Any:
        if isinstance(value, bool) and not any(isinstance(member.value, bool) for member in cls):
            raise ValueError
        return cls(value)

    names = [repr(member.value) for member in cls]
    few = ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:8])}, …"
    return Decode(frozenset({cls}), f"one of {few}", decode, example=next(iter(cls), None))


def _instance(value: Any, cls: Any) -> Any:
    if isinstance(value, bool) is (cls is bool) and isinstance(value, cls):
        return value
    raise TypeError


def is_reasonable(value: Any) -> bool:
    return bool(-LARGEST < value < LARGEST)  # false of NaN and of infinities


def _integer(value: Any) -> Any:
    if isinstance(value, bool) or not is_reasonable(value) or value != int(value):
        raise ValueError
    return int(value)


def _number(value: Any) -> Any:
    if isinstance(value, bool | str) or not is_reasonable(value):
        raise ValueError
    return int(value) if isinstance(value, Integral) else value


def _decimal(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError
    made = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not _is_finite(made):
        raise ValueError
    return made


def _is_finite(value: Decimal) -> bool:
    return value.is_finite() and abs(value.adjusted()) <= 4000


def _duration(value: Any) -> timedelta:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return timedelta(seconds=value)
    found = _ISO_DURATION.fullmatch(value)
    if found is None or not any(found.groupdict().values()):
        raise ValueError
    return timedelta(**{unit: float(number) for unit, number in found.groupdict().items() if number})


_ISO_DURATION = re.compile(
    r"P(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(_instance(value, bytes | bytearray))


def _convert_integer(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and (found := _INTEGER.fullmatch(value.strip())):
        return int(found[1])
    return value


_INTEGER = re.compile(r"([-+]?\d{1,4000}(?:_\d+)*)(?:\.0*)?", re.ASCII)


def _convert_float(value: Any) -> Any:
    return float(value) if isinstance(value, bool | str) else value


def _convert_truth(value: Any) -> Any:
    if isinstance(value, str) or type(value) in (int, float):
        word = value.lower() if isinstance(value, str) else int(value) if value == int(value) else value
        return _TRUTHS.get(word, value)
    return value


_TRUTHS: dict[Any, bool] = {
    **dict.fromkeys((0, "0", "off", "f", "false", "n", "no"), False),
    **dict.fromkeys((1, "1", "on", "t", "true", "y", "yes"), True),
}


def _convert_date(value: Any) -> Any:
    moment = datetime.fromisoformat(value) if isinstance(value, str) and len(value) > 10 else _convert_moment(value)
    if isinstance(moment, datetime) and moment.time() == time():
        return moment.date()
    return value


def _convert_moment(value: Any) -> Any:
    """Seconds since 1970, or milliseconds where they would be after the year 2600."""
    if type(value) not in (int, float):
        return value
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value if abs(value) <= 2e10 else value / 1000)


PLAIN: dict[type, Decode] = {
    # A bool is an int and a datetime is a date: the more special come first.
    bool: Decode(frozenset({bool}), "true or false", partial(_instance, cls=bool), None, True, _convert_truth),
    str: Decode(frozenset({str}), "a text", partial(_instance, cls=str)),
    int: Decode(frozenset({int}), "an integer", _integer, is_reasonable, 1, _convert_integer),
    float: Decode(frozenset({float, int}), "a number", _number, is_reasonable, 1.0, _convert_float),
    Decimal: Decode(frozenset({Decimal}), "a decimal number", _decimal, _is_finite, Decimal(1)),
    Fraction: Decode(frozenset({Fraction, int}), "a fraction", partial(_instance, cls=Fraction), None, Fraction(1)),
    datetime: Decode(
        frozenset({datetime}),
        "a date and time (YYYY-MM-DDThh:mm:ss)",
        datetime.fromisoformat,
        None,
        datetime(2000, 1, 1),
        _convert_moment,
    ),
    date: Decode(frozenset({date}), "a date (YYYY-MM-DD)", date.fromisoformat, None, date(2000, 1, 1), _convert_date),
    time: Decode(frozenset({time}), "a time (hh:mm:ss)", time.fromisoformat, None, time(1)),
    timedelta: Decode(frozenset({timedelta}), "a duration (P1DT2H)", _duration, None, timedelta(1)),
    UUID: Decode(frozenset({UUID}), "a UUID", UUID, None, UUID(int=1)),
    bytes: Decode(frozenset({bytes}), "a text", _bytes, None, b"a"),
}
"""How values of a class are read, and of classes derived from it."""
