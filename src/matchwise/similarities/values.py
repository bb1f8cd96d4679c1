"""What leaves accept: one wording for a wrong value, one check for an option that is a share of 1."""

from __future__ import annotations

from reprlib import repr as brief
from typing import Any

from matchwise.algebra.nodes import Number, _number
from matchwise.errors import ExpressionError


def found(value: object) -> str:
    """Type and value, cut short.

    >>> found(3), found(None), found("a" * 100)
    ('int 3', 'None', "str 'aaaaaaaaaaaa...aaaaaaaaaaaaa'")
    """
    return "None" if value is None else f"{type(value).__name__} {brief(value)}"


def string(value: Any) -> str:
    """A plain `str`, also from a subclass of it (a string enum compares by its value)."""
    if not isinstance(value, str):
        raise ValueError(f"expected a string, found {found(value)}")
    return str.__str__(value)


def name(value: Any) -> Any:
    """A value that can be looked up: a type, a class, a label. `True` is not 1, so truth values are no names."""
    if value is None or isinstance(value, bool) or (isinstance(value, float) and value != value):
        raise ValueError(f"expected a name, found {found(value)}")
    try:
        hash(value)
    except TypeError:
        raise ValueError(f"expected a hashable name, found {found(value)}") from None
    return string(value) if isinstance(value, str) else value


def share(option: str, value: object, example: str) -> Number:
    """An option that is a number between 0 and 1."""
    number = _number(value, f"set {option} to", example)
    if number > 1:
        raise ExpressionError(f"{option}={value!r} is above 1, where no score lies; write {example}")
    return number


def equality(what: str) -> dict[str, str]:
    """The facts of a leaf that compares by equality: δ has all of them."""
    reason = f"δ of {what}"
    return dict.fromkeys(("bounded", "symmetric", "unit", "left", "right", "strong", "kernel", "triangle"), reason)
