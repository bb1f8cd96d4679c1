"""Numbers that are close enough: ⟦|x − y| ≤ max(abs, rel · max(|x|, |y|))⟧, of the numbers as they are printed.

`close` takes numbers; `number` also takes texts, and reads them as people write numbers. `near` lets each
reference say how near is near enough.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from operator import add, sub
from typing import Any, Literal, TypeAlias

import numpy as np

from matchwise.algebra.build import Selectable, selector, word
from matchwise.algebra.leaves import LeafKind, always
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.arrays import Floats, Integers
from matchwise.errors import ExpressionError
from matchwise.similarities.values import describe_value, equality, one_by_one

Tolerance: TypeAlias = int | float | str | Decimal | Fraction


@word
def close(sel: Selectable = None, *, abs: Tolerance = 0, rel: Tolerance = 0) -> Similarity:
    """⟦|x − y| ≤ max(abs, rel · max(|x|, |y|))⟧, exactly: 1.01 means 1.01, not the binary fraction next to it.

    >>> import matchwise as mw
    >>> mw.score(mw.close(abs=0.01), 1.00, 1.01), 1.01 - 1.00 <= 0.01
    (1.0, False)
    """
    options = _tolerances(abs, rel)
    if all(value == 0 for _, value in options):
        raise ExpressionError('close needs a tolerance; write close("price", abs=0.01), or eq("price") for equality')
    return Leaf(CLOSE, selector(sel), options)


@word
def number(
    sel: Selectable = None, *, abs: Tolerance = 0, rel: Tolerance = 0, decimal: Literal[".", ","] = "."
) -> Similarity:
    """1 if two numbers, or texts that write numbers, are equal, or as close as `close` asks.

    A text may group its digits ("1,234.50", "1 234.50", "1'234.50"), have a minus or stand in brackets, which make it
    negative ("(12)"), and have a percent sign, a sign of a currency or its code ("19 %", "$5", "600.59 EUR"), which is
    left out. With `decimal=","` the comma is what the point is otherwise: "1.234,50".

    >>> import matchwise as mw
    >>> mw.score(mw.number(), "1,234.50 EUR", 1234.5), mw.score(mw.number(decimal=","), "1.234,50", "1234,5")
    (1.0, 1.0)
    """
    if decimal not in _GROUPING:
        raise ExpressionError(f'decimal={decimal!r} is unknown; write "." or ","')
    return Leaf(NUMBER, selector(sel), (*_tolerances(abs, rel), ("decimal", decimal)))


@word
def near(sel: Selectable = None, *, digits: int | None = None) -> Similarity:
    """⟦|x − y| ≤ t⟧ with the tolerance t of the reference: a value is a number, or (number, tolerance).

    Numbers are binary fractions, as most scorers have them; `close` is exact. With `digits`, distances are rounded.

    >>> import matchwise as mw
    >>> mw.score(mw.near(), 9.8, (10, 0.5)), mw.score(mw.near(), 9.8, (10, 0.1))
    (1.0, 0.0)
    """
    if digits is not None and (type(digits) is not int or not 0 <= digits <= 12):
        raise ExpressionError(f"digits={digits!r} is not a number of decimals from 0 to 12; write digits=4")
    return Leaf(NEAR, selector(sel), (("digits", digits),))


def _tolerances(abs: Tolerance, rel: Tolerance) -> tuple[tuple[str, Any], ...]:
    share = tolerance("rel", rel)
    if exact(share) >= 1:
        raise ExpressionError(f"rel={rel!r} is a share of the larger number; write rel=0.05 for 5 %")
    return ("abs", tolerance("abs", abs)), ("rel", share)


LARGEST = 10**1000
"""The largest tolerance: Python writes numbers of at most 4,300 digits."""


def tolerance(option: str, value: Tolerance) -> int | float | str | Fraction:
    """One spelling per number (`0.01` for `"0.01"` and `Decimal("0.010")`), so that equal tolerances are equal data."""
    try:
        number = exact(Decimal(value) if isinstance(value, str) else value)
    except (ValueError, ArithmeticError):
        raise ExpressionError(f"{option}={value!r} is not a finite number; write {option}=0.01") from None
    if number < 0:
        raise ExpressionError(f"{option}={value!r} is negative; write {option}=0.01")
    if number > LARGEST:
        raise ExpressionError(f"{option} is more than 1e1000, which takes too long to write; write {option}=0.01")
    if number.denominator == 1:
        return int(number)
    if number < 10**300 and exact(float(number)) == number:
        return float(number)
    return value if isinstance(value, Fraction) else str(value)


@lru_cache(maxsize=4096)
def _read_printed(number: str) -> Fraction:
    return Fraction(Decimal(number))  # four times as fast as Fraction's own reading of text


def exact(value: Any, options: dict[str, Any] | None = None) -> Fraction:
    """The number that is printed: 1.01 is 101/100."""
    match value:
        case bool():
            pass
        case int() | Fraction():
            return Fraction(value)
        case float() if value - value == 0:  # neither NaN nor infinite
            return _read_printed(float.__repr__(value))
        case Decimal() if value.is_finite() and _HUGE > value.adjusted() > -_HUGE:
            return Fraction(value)
        case Integral():
            return Fraction(int(value))
        case Real() if value - value == 0:  # NumPy's short floats print their own digits
            return _read_printed(str(value))
    raise ValueError(f"expected a finite number, found {describe_value(value)}")


_HUGE = 10_000  # Decimal("1e999999999") is a short text, but a long fraction


def feature(value: Any, options: dict[str, Any]) -> int | float | Fraction:
    """The number itself, or a fraction if it is not an int or float of Python (see `paired`)."""
    if type(value) is int or (type(value) is float and value - value == 0):
        return value
    return exact(value)


def feature_written(value: Any, options: dict[str, Any]) -> int | float | Fraction:
    """The number that a text writes, or the number itself."""
    if not isinstance(value, str):
        return feature(value, options)
    decimal = options["decimal"]
    found = _write_pattern(decimal).fullmatch(value.strip())
    signs = [] if found is None else list(filter(None, found.group("minus", "inner_minus", "opening")))
    if found is None or len(signs) > 1 or (found["closing"] is None) != (found["opening"] is None):
        example = "1,234.50" if decimal == "." else "1.234,50"
        raise ValueError(f"expected a number written as {example}, found {describe_value(value)}")
    whole = "".join(filter(str.isdecimal, found["whole"] or "0"))
    size = _read_printed(f"{whole}.{found['part'] or 0}e{found['exponent'] or 0}")
    return size if signs in ([], ["+"]) else -size


_GROUPING = {".": ",", ",": "."}
"""Decimal sign -> what groups the digits before it, besides a space and an apostrophe."""


@lru_cache  # compiling takes longer than anything else here
def _write_pattern(point: str) -> re.Pattern[str]:
    """How people write numbers; groups have three digits, and two in India before the last."""
    currency = r"(?:[A-Z]{3}|[A-Z]{0,2}[$¢£¤¥\u20a0-\u20c0])"
    whole = rf"(?P<whole>\d{{1,3}}(?P<group>[{_GROUPING[point]}\s'’])(?:\d{{2,3}}(?P=group))*\d{{3}}|\d+)"
    return re.compile(
        rf"(?:{currency}\s*(?=\())?(?P<opening>\()?\s*(?P<minus>[-+−])?\s*(?:{currency}\s*(?P<inner_minus>[-+−])?\s*)?"
        rf"(?=[{point}]?\d){whole}?(?:[{point}](?P<part>\d*))?(?:[eE](?P<exponent>[+-]?\d{{1,4}}))?"
        rf"\s*(?:[%‰]|{currency})?\s*(?:(?P<closing>\))\s*(?:[%‰]|{currency})?)?"
    )


def compare(f: int | float | Fraction, g: int | float | Fraction, options: dict[str, Any]) -> int:
    """In floats, where they decide; a difference within rounding of the tolerance is compared exactly."""
    if isinstance(f, int | float) and isinstance(g, int | float) and abs(f) < 2**53 and abs(g) < 2**53:
        least, share = _bounds(options["abs"], options["rel"])
        difference, larger = abs(f - g), max(abs(f), abs(g))
        allowed = max(least, share * larger)
        if abs(difference - allowed) > 1e-14 * (larger + allowed) + 1e-300:
            return int(difference <= allowed)
    f, g = exact(f), exact(g)
    return int(abs(f - g) <= max(_option(options["abs"]), _option(options["rel"]) * max(abs(f), abs(g))))


@lru_cache(maxsize=256)
def _bounds(least: Tolerance, share: Tolerance) -> tuple[float, float]:
    return float(_option(least)), float(_option(share))


def _option(value: Tolerance) -> Fraction:
    return _read_printed(value) if isinstance(value, str) else exact(value)


def paired(fs: list[Any], gs: list[Any], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    """In floats, where they decide; a pair within rounding of the tolerance is compared exactly."""
    try:
        x, y = (np.array(numbers, dtype=np.float64) for numbers in (fs, gs))
        result, decided = _decide(x[a], y[b], options)
    except OverflowError:
        return one_by_one(compare, fs, gs, a, b, options)
    if not decided.all():
        a, b = np.broadcast_arrays(a, b)
        result[~decided] = one_by_one(compare, fs, gs, a[~decided], b[~decided], options)
    return result


def _decide(x: Floats, y: Floats, options: dict[str, Any]) -> tuple[Floats, Any]:
    """What floats say, and where that is sure."""
    bounds = float(_option(options["abs"])), float(_option(options["rel"]))
    larger: Any
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(x - y)
        if bounds[1]:
            larger = np.maximum(np.abs(x), np.abs(y))
        else:  # one number for all cells: a few more of them are compared exactly
            larger = np.float64(max(np.abs(x).max(initial=0), np.abs(y).max(initial=0)))
        allowed = np.maximum(bounds[0], bounds[1] * larger)
        decided = np.abs(difference - allowed) > 1e-14 * (larger + allowed) + 1e-300
    return (difference <= allowed).astype(float), decided


def reach(fs: list[Any], options: dict[str, Any]) -> tuple[list[float], list[float]] | None:
    """The larger of both tolerances to both sides, and a little more than rounding: |x − y| ≤ max(t_x, t_y)."""
    least, share = _bounds(options["abs"], options["rel"])
    try:
        numbers = list(map(float, fs))
    except OverflowError:
        return None
    widths = [max(least, share * abs(x)) * (1 + 1e-9) + abs(x) * 1e-12 + 1e-300 for x in numbers]
    starts, ends = list(map(sub, numbers, widths)), list(map(add, numbers, widths))
    return starts, ends


def facts(options: dict[str, Any]) -> dict[str, str]:
    if not any(_option(options[name]) for name in ("abs", "rel")):
        return equality("numbers")
    return {
        "bounded": "the values are 0 and 1",
        "symmetric": "|x − y| and max(|x|, |y|) are symmetric",
        "unit": "|x − x| = 0 is within any tolerance",
    }


CLOSE = LeafKind("close", feature, compare, facts, paired, reach, takes=(int, float, Decimal, Fraction))
NUMBER = LeafKind("number", feature_written, compare, facts, paired, reach, takes=(str, *CLOSE.takes))


def feature_near(value: Any, options: dict[str, Any]) -> tuple[float, float]:
    """A number with its tolerance."""
    middle, width = value if isinstance(value, list | tuple) and len(value) == 2 else (value, 0.0)
    try:
        found = float(feature(middle, options)), float(feature(width, options))
    except OverflowError:
        raise ValueError(f"expected a number that fits a float, found {describe_value(value)}") from None
    if found[1] < 0:
        raise ValueError(f"expected a tolerance of at least 0, found {describe_value(width)}")
    return found


def compare_near(f: tuple[float, float], g: tuple[float, float], options: dict[str, Any]) -> int:
    distance, digits = abs(g[0] - f[0]), options["digits"]
    if digits is not None and distance < LARGEST_ROUNDED:
        distance = round(distance * 10**digits) / 10**digits
    return int(distance <= g[1])


LARGEST_ROUNDED = 1e6
"""Distances above it are as they are: their digits are rounded already, or far from any tolerance."""


def paired_near(fs: list[Any], gs: list[Any], a: Integers, b: Integers, options: dict[str, Any]) -> Floats:
    """The same of arrays, whose `rint` and division are those of `round`."""
    x, y = (np.array(some, dtype=np.float64).reshape(-1, 2) for some in (fs, gs))
    distance, digits = np.abs(y[b, 0] - x[a, 0]), options["digits"]
    if digits is not None:
        rounded = np.rint(distance * 10**digits) / 10**digits
        distance = np.where(distance < LARGEST_ROUNDED, rounded, distance)
    found: Floats = (distance <= y[b, 1]).astype(np.float64)
    return found


def reach_near(fs: list[tuple[float, float]], options: dict[str, Any]) -> tuple[list[float], list[float]]:
    """The tolerance to both sides, and more than rounding."""
    digits = options["digits"]
    widths = [t * (1 + 1e-9) + abs(x) * 1e-12 + (1e-300 if digits is None else 10**-digits) for x, t in fs]
    return [x - width for (x, _), width in zip(fs, widths, strict=True)], [
        x + width for (x, _), width in zip(fs, widths, strict=True)
    ]


facts_near = always(bounded="the values are 0 and 1", unit="|x − x| = 0 is within any tolerance")

NEAR = LeafKind("near", feature_near, compare_near, facts_near, paired_near, reach_near)
