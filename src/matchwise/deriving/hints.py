"""Hints: what a user says of one field, in `Annotated[T, …]` or in the settings of `derive`.

A type of your own gets its similarity, wherever it occurs, from `register`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from matchwise.algebra.names import Var as Var
from matchwise.algebra.nodes import Number, Similarity, _number
from matchwise.algebra.parse import values
from matchwise.errors import DeriveError


@dataclass(frozen=True, slots=True, repr=False)
class Hint:
    """One wish about one field; hints of different kinds combine."""

    kind: str
    """The word that made it: `weight`, `keyed`, …"""
    values: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.values))})"


def weight(number: Number) -> Hint:
    """Count the field `number` times: w·φ.

    >>> weight(3)
    weight(3)
    """
    return Hint("weight", (_number(number, "weigh a field by", "weight(3)"),))


def ordered() -> Hint:
    """Match the items of a list without crossing: `order="sequence"`.

    >>> from typing import Annotated, TypedDict
    >>> from matchwise import derive, ordered
    >>> derive(TypedDict("Talk", {"steps": Annotated[list[str], ordered()]}))
    f1("steps", order="sequence")
    """
    return Hint("ordered")


def positional() -> Hint:
    """Match the items of a list by their position: `order="index"`.

    >>> from typing import Annotated, TypedDict
    >>> from matchwise import derive, positional
    >>> derive(TypedDict("Row", {"cells": Annotated[list[str], positional()]}))
    f1("cells", order="index")
    """
    return Hint("positional")


def keyed(*fields: str) -> Hint:
    """Match the items of a list only if all these fields are equal: δ_field × … × φ.

    Two items that both lack a field are equal on it: they may be matched with each other, and with no others.

    >>> keyed("id"), keyed("sku", "size")
    (keyed('id'), keyed('sku', 'size'))
    """
    for field in fields or (None,):
        if not isinstance(field, str) or not field:
            raise DeriveError(f'keyed({field!r}) names no field; write keyed("id")')
    if len(set(fields)) < len(fields):
        raise DeriveError(f"keyed{fields!r} names a field twice; write each once")
    return Hint("keyed", fields)


def ignore() -> Hint:
    """Do not compare the field.

    >>> from typing import Annotated, TypedDict
    >>> from matchwise import derive, ignore
    >>> derive(TypedDict("Note", {"id": Annotated[int, ignore()], "text": str}))
    normalize(eq("text"), "f1")
    """
    return Hint("ignore")


def strict() -> Hint:
    """Count a record once, and only if it is right as a whole: the product of its fields instead of their sum.

    A list in it is the factor ⟦F ≥ 1⟧: all of its items have to be right.

    >>> from typing import Annotated, TypedDict
    >>> from matchwise import derive, strict
    >>> Line = TypedDict("Line", {"item": str, "price": float})
    >>> derive(TypedDict("Bill", {"lines": list[Annotated[Line, strict()]]}))
    f1("lines", eq("item") * eq("price"))
    """
    return Hint("strict")


def any_of() -> Hint:
    """The reference may hold a list of accepted values; the best match counts.

    >>> from typing import Annotated, TypedDict
    >>> from matchwise import any_of, derive, score
    >>> Answer = TypedDict("Answer", {"currency": Annotated[str, any_of()]})
    >>> score(derive(Answer), {"currency": "€"}, {"currency": ["EUR", "€"]})
    1.0
    """
    return Hint("any_of")


def floor(least: Number) -> Hint:
    """Do not pair items that are less alike than `least`: ⟦F[φ] ≥ least⟧ × φ.

    >>> floor(0.5)
    floor(0.5)
    """
    if _number(least, "set a floor of", "floor(0.5)") > 1:
        raise DeriveError(f"floor({least!r}) is above 1, where no score lies; write floor(0.5)")
    return Hint("floor", (least,))


def name(space: str = "") -> Hint:
    """Mark a value as a name without a meaning, such as a node id: names are matched 1:1 before anything is compared.

    Names of different spaces are never matched with each other.

    >>> name("node")
    name('node')
    """
    if not isinstance(space, str):
        raise DeriveError(f'name({space!r}) is not a name; write name("node")')
    return Hint("name", (space,))


BUILDERS = (name, weight, ordered, positional, keyed, ignore, strict, any_of, floor)

values.update({builder.__name__: builder for builder in BUILDERS})


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
