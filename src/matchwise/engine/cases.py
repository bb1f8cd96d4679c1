"""Which case of a union a value belongs to: the most specific class among its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matchwise.algebra.nodes import Similarity

Cases = tuple[tuple[type | str, Similarity], ...]


def case_of(cases: Cases, value: Any) -> int:
    """The number of the case for a value; ValueError if there is none."""
    number = _case_of_class(tuple(case for case, _ in cases), type(value))  # type: ignore[arg-type]  # classes hash
    if number is None:
        names = ", ".join(case if isinstance(case, str) else case.__name__ for case, _ in cases)
        raise ValueError(f"found a {type(value).__name__}, expected one of {names}; add a case for it to the union")
    return number


@lru_cache(maxsize=4096)
def _case_of_class(cases: tuple[type | str, ...], cls: type) -> int | None:
    # True is not 1: a truth value is an int to Python, but not to us. An int may stand where a float is expected.
    ancestry = (bool, object) if cls is bool else cls.__mro__
    if int in ancestry:
        ancestry = (*ancestry[:-1], float, object)
    for ancestor in ancestry:
        for number, case in enumerate(cases):
            if ancestor is case or ancestor.__name__ == case:
                return number
    # Classes that register virtual subclasses (Mapping, Number, Protocols) come after the real ancestors.
    for number, case in enumerate(cases):
        if isinstance(case, type) and cls is not bool and issubclass(cls, case):
            return number
    return None
