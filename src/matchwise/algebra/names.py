"""What the library's own expressions name besides their words: a class and a function that `parse` knows.

>>> Var("x1") == "x1", undeclared({"number": 7})
(True, ())
"""

from __future__ import annotations

from typing import Any

__matchwise_name__ = "matchwise"


class Var(str):
    """A name that means nothing by itself, such as a variable or a node id: matched 1:1 over the whole structure.

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
