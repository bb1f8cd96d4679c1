"""The similarities that users give to their own types, wherever these occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from matchwise.algebra.nodes import Similarity
from matchwise.errors import DeriveError

_registered: dict[Any, Similarity] = {}


def register(type: Any, phi: Similarity) -> None:
    """Compare values of exactly this type by `phi`, whose selectors start at the value.

    After `register(Money, close("amount", abs=0.01))` a field `total: Money` derives to
    `close("total.amount", abs=0.01)`. An `Annotated` similarity or a setting for one field goes before.

    >>> from matchwise import close, derive, register
    >>> from dataclasses import make_dataclass
    >>> Money = make_dataclass("Money", [("amount", float)])
    >>> register(Money, close("amount", abs=0.01))
    >>> derive(make_dataclass("Bill", [("total", Money)]))
    normalize(close("total.amount", abs=0.01), "f1")
    """
    if not isinstance(phi, Similarity):
        raise DeriveError(f"register: found {phi!r}, expected a similarity; write register(Money, eq())")
    try:
        _registered[type] = phi
    except TypeError:
        raise DeriveError(f"register: {type!r} cannot be looked up; register a class") from None


@contextmanager
def registered(type: Any, phi: Similarity) -> Iterator[None]:
    """`register` until the end of the `with` block."""
    before = _registered.get(type)
    register(type, phi)
    try:
        yield
    finally:
        if before is None:
            del _registered[type]
        else:
            _registered[type] = before


def find(types: tuple[Any, ...]) -> Similarity | None:
    """The similarity of the first of these types that has one: a type and the aliases it was reached by."""
    for type in types:
        try:
            if type in _registered:
                return _registered[type]
        except TypeError:  # Annotated[int, unhashable metadata] inside a generic type cannot have been registered
            continue
    return None
