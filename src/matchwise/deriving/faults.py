"""What a reading found: values as a type says, what the type has no place for, and what is wrong, with its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from matchwise.algebra.leaves import Misfit
from matchwise.algebra.names import Undeclared as Undeclared
from matchwise.deriving.scalars import LARGEST, is_reasonable

UNDECLARED = "found a key that the type does not have"
REPEATED = "found repeated items, which a set drops; make it a list to count them"
MISSING = "missing"
_LONG_PATH = 80


class Fault(NamedTuple):
    """What does not fit, and where."""

    path: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem

    @property
    def is_unreadable(self) -> bool:
        """True if nothing of the document could be read."""
        return not self.path and self.problem.startswith("not ")

    @property
    def is_undeclared(self) -> bool:
        """True if the type has no place for what was found."""
        return self.problem.startswith(UNDECLARED)

    @property
    def kind(self) -> str:
        """The fault without positions and values, by which faults are counted; a long path is cut.

        >>> Fault("lines[2].price", '"n/a" is not a number').kind
        'lines[].price: not a number'
        """
        where = re.sub(r"\[\d+\]", "[]", self.path)
        if not where:
            return self.problem.split(":")[0]
        where = where if len(where) <= _LONG_PATH else f"{where[:_LONG_PATH]}…"
        what = self.problem.rsplit(" is not ", 1)
        return f"{where}: {f'not {what[1]}' if len(what) == 2 else self.problem}"


class Fitted(NamedTuple):
    """A value as the type says, what the type has no place for, and what is wrong."""

    value: Any
    undeclared: tuple[Undeclared, ...] = ()
    faults: tuple[Fault, ...] = ()


At: TypeAlias = "tuple[At, str | int] | None"
"""A place: the place around it, and one step; the path is written only where something is wrong."""


class Notes(Struct, eq=False, kw_only=True):
    """What one reading found."""

    accept_several: bool = False
    decoding: bool = False
    """Whether the question is what decoding into the type would lose."""
    undeclared: list[Undeclared] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, at: At, problem: str) -> None:
        self.faults.append(Fault(path(at), problem))

    def misfit(self, value: Any, at: At, wanted: str) -> Misfit | None:
        """A plain value of the wrong type stays in its place; an empty list or record is absent there as anywhere."""
        is_number = type(value) is int or (isinstance(value, Decimal) and value.is_finite())
        if is_number and not is_reasonable(value):
            self.fault(at, "a number of more than 4,000 digits is not compared")
        else:
            self.fault(at, f"{show_json(value)} is not {wanted}")
        return Misfit(value) if type(value) is str or any(_leaves(value, at)) else None

    def report_misplaced(self, value: Any, at: At, wanted: str) -> None:
        self.fault(at, f"{show_json(value)} is not {wanted}")
        self.leaves(value, at)

    def leaves(self, value: Any, at: At) -> None:
        """Count the plain values inside; deep or endless nesting is cut."""
        for where, leaf in _leaves(value, at):
            self.undeclared.append(Undeclared(path(where, positions=False), leaf))


def path(at: At, positions: bool = True) -> str:
    """`lines[2].price`, or `lines[].price` without positions."""
    steps = []
    while at is not None:
        at, step = at
        steps.append(step)
    text = ""
    for step in reversed(steps):
        if isinstance(step, int):
            text += f"[{step}]" if positions else "[]"
        else:
            text += f".{step}" if text else step
    return text


def show_json(value: Any) -> str:
    """A value as JSON would write it, cut short."""
    import json

    try:
        text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


DEEPEST = 100
"""Undeclared values nested deeper than this are one leaf."""


def _leaves(value: Any, at: At) -> Iterator[tuple[At, Any]]:
    waiting: list[tuple[Any, At, int]] = [(value, at, 0)]
    while waiting:
        found, where, depth = waiting.pop()
        if isinstance(found, Mapping) and depth < DEEPEST:
            waiting += [(part, (where, str(name)), depth + 1) for name, part in reversed(list(found.items()))]
        elif isinstance(found, list | tuple | set | frozenset) and depth < DEEPEST:
            waiting += [(part, (where, i), depth + 1) for i, part in reversed(list(enumerate(found)))]
        elif found is not None:
            plain = isinstance(found, str) or (isinstance(found, int) and -LARGEST < found < LARGEST)
            yield where, found if plain else Misfit(found) if depth < DEEPEST else "…"
