"""What expressions name besides their words: a class and a function of our own, and what the modules of tasks have.

>>> Var("x1") == "x1", undeclared({"number": 7})
(True, ())
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

__matchwise_name__ = "matchwise"


class Var(str):
    """A name without a meaning, such as a variable or a node id. Names are matched 1:1 over the whole structure.

    `subj: Var`, or `obj: Var | str` where it may also be a constant. A subclass has a space of its own, so that
    `class Event(Var)` is never matched with `class Time(Var)`.

    >>> from matchwise import Var, derive
    >>> from typing import TypedDict
    >>> Edge = TypedDict("Edge", {"label": str, "to": Var})
    >>> Graph = TypedDict("Graph", {"edges": list[Edge]})
    >>> derive(Graph)
    latent(f1("edges", var("to") * eq("label")))
    """

    __slots__ = ()


def undeclared(document: Any) -> tuple[Any, ...]:
    """What a document holds that its form has no place for: each plain value is one invented leaf."""
    found: tuple[Any, ...] = getattr(document, "undeclared", ())
    return found


packages: Final[list[str]] = []
"""Packages whose modules lend expressions their names: `events.triggers` is what `matchwise.tasks.events` has."""


def written_name(name: str, module: str | None) -> str:
    """The name of a function or class as an expression writes it: by its module, where that lends its names."""
    module = module or ""
    for package in packages:
        if module.startswith(f"{package}."):
            return f"{module.removeprefix(f'{package}.').partition('.')[0]}.{name}"
    return name


def find_module(name: str) -> Any:
    """The module of that name that lends its names, or None."""
    for package in packages:
        if name.isidentifier() and not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
            return import_module(f"{package}.{name}")
    return None
