"""What expressions name besides their words: variables, what a form does not declare, functions of tasks.

>>> Var("x1") == "x1", undeclared({"number": 7})
(True, ())
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any, Final, NamedTuple

__matchwise_name__ = "matchwise"


class Var(str):
    """A name without a meaning, such as a variable or a node id. Names are matched 1:1 over the whole structure.

    `subj: Var`, or `obj: Var | str` where it may also be a constant. A subclass has a space of its own, so that
    `class Event(Var)` is never matched with `class Time(Var)`.

    >>> import matchwise as mw
    >>> from typing import TypedDict
    >>> Edge = TypedDict("Edge", {"label": str, "to": mw.Var})
    >>> Graph = TypedDict("Graph", {"edges": list[Edge]})
    >>> mw.derive(Graph)
    latent(f1("edges", var("to") * eq("label")))
    """

    __slots__ = ()


def undeclared(document: Any) -> tuple[Any, ...]:
    """What a document holds that its form has no place for: each plain value is one invented leaf."""
    found: tuple[Any, ...] = getattr(document, "undeclared", ())
    return found


class Undeclared(NamedTuple):
    """A plain value that the type has no place for: its path without positions, and the value."""

    path: str
    value: Any

    def __repr__(self) -> str:
        return f"{self.path}: {self.value!r}"


TASKS: Final = "matchwise.tasks"
"""The package whose modules lend expressions their names: `events.triggers` is what `matchwise.tasks.events` has."""


def find_lender(module: str | None) -> str | None:
    """The module that lends the names of another to expressions: `matchwise.tasks.events` for its `steps`, or None."""
    if module is None or not module.startswith(f"{TASKS}."):
        return None
    return f"{TASKS}.{module.removeprefix(f'{TASKS}.').partition('.')[0]}"


def write_name(name: str, module: str | None) -> str:
    """The name of a function or class as an expression writes it: by its module, where that lends its names."""
    lender = find_lender(module)
    return name if lender is None else f"{lender.rpartition('.')[2]}.{name}"


def find_module(name: str) -> Any:
    """The module of that name that lends its names, or None."""
    if not name.isidentifier() or name.startswith("_") or find_spec(f"{TASKS}.{name}") is None:
        return None
    return import_module(f"{TASKS}.{name}")


def given(one: Any) -> dict[str, Any]:
    """The fields by which a record, a dataclass or a struct, is made again, with their values."""
    return {name: getattr(one, name) for name in signature(type(one)).parameters}
