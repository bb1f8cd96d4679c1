"""Hints: what a user says of one field, in `Annotated[T, …]` or in the settings of `derive`."""

from __future__ import annotations

from dataclasses import dataclass, fields

from matchwise.algebra.nodes import Number, _number
from matchwise.errors import DeriveError


class Hint:
    """One wish about one field; hints of different kinds combine."""

    __slots__ = ()

    def __repr__(self) -> str:
        values = (repr(getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]  # all are dataclasses
        return f"{type(self).__name__.lower()}({', '.join(values)})"


@dataclass(frozen=True, slots=True, repr=False)
class Weight(Hint):
    number: Number


@dataclass(frozen=True, slots=True, repr=False)
class Ordered(Hint):
    pass


@dataclass(frozen=True, slots=True, repr=False)
class Positional(Hint):
    pass


@dataclass(frozen=True, slots=True, repr=False)
class Keyed(Hint):
    field: str


@dataclass(frozen=True, slots=True, repr=False)
class Ignore(Hint):
    pass


@dataclass(frozen=True, slots=True, repr=False)
class Strict(Hint):
    pass


def weight(number: Number) -> Hint:
    """The field counts `number` times: w·φ.

    >>> weight(3)
    weight(3)
    """
    return Weight(_number(number, "weigh a field by", "weight(3)"))


def ordered() -> Hint:
    """The items of a list are matched without crossing: `order="sequence"`."""
    return Ordered()


def positional() -> Hint:
    """The items of a list are matched by their position: `order="index"`."""
    return Positional()


def keyed(field: str) -> Hint:
    """The items of a list are matched only where `field` is equal: δ_field × φ.

    >>> keyed("id")
    keyed('id')
    """
    if not isinstance(field, str) or not field:
        raise DeriveError(f'keyed({field!r}) names no field; write keyed("id")')
    return Keyed(field)


def ignore() -> Hint:
    """The field is not compared."""
    return Ignore()


def strict() -> Hint:
    """A record counts only as a whole: the product of its fields in place of their sum."""
    return Strict()


BUILDERS = (weight, ordered, positional, keyed, ignore, strict)
