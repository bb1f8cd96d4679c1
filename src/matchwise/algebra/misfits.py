"""A value that does not fit its place ("n/a" for a price): equal to nothing but an equal misfit, whatever compares it.

A leaf is thereby extended from the values it is made for to all values: a misfit against a proper value scores 0,
against itself 1. Each fact of a leaf still holds, as it does of a union whose second case is equality.
"""

from __future__ import annotations

from typing import Any, Final


class Misfit:
    """A plain value of the wrong type, compared by what it looks like: NaN is equal to itself here.

    >>> Misfit("n/a") == Misfit("n/a"), Misfit("1") == Misfit(1), Misfit("n/a")
    (True, False, 'n/a')
    """

    __slots__ = ("shown", "value")

    def __init__(self, value: Any) -> None:
        self.value: Final = value
        self.shown: Final = f"{type(value).__name__} {_looks(value)}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Misfit) and self.shown == other.shown

    def __hash__(self) -> int:
        return hash(self.shown)

    def __repr__(self) -> str:
        return _looks(self.value)


def _looks(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # an integer of so many digits that Python refuses to write them
        return hex(value)
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deeply"
