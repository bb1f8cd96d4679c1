"""Selectors: which part of an object is compared, as steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from matchwise.algebra.nodes import Move, Selector, Similarity
from matchwise.errors import ExpressionError

Selectable = str | int | Callable[[Any], Any] | Selector | None
"""What may be given as a selector: `"entity.mentions"`, a position, a named function, a tuple of such, or nothing."""


def selector(sel: Selectable) -> Selector:
    """The steps of a selector: `"entity.mentions"` -> `("entity", "mentions")`."""
    match sel:
        case None:
            return ()
        case str():
            steps = sel.split(".") if sel else []
            if not all(steps):
                raise ExpressionError(f'the selector {sel!r} has an empty step; write it as "entity.mentions"')
            return tuple(_step(int(step) if step.isdecimal() and len(step) <= 20 else step) for step in steps)
        case tuple():
            return tuple(_step(step) for step in sel)
        case Similarity():
            raise ExpressionError(
                f"the first argument must be a field, not {sel!r}; write the field first, "
                'as in f1("relations", eq("type")), or None for the object itself'
            )
        case _:
            return (_step(sel),)


FARTHEST: Final = 2**63
"""No collection has so many elements."""


def _step(step: object) -> Move:
    if isinstance(step, str) or (isinstance(step, int) and not isinstance(step, bool) and -FARTHEST < step < FARTHEST):
        return step
    if callable(step):
        return named(step, "a selector")
    raise ExpressionError(f'cannot select by {step!r}; write a path such as "entity.mentions" or a named function')


def named(function: object, where: str) -> Callable[..., Any]:
    """The function, if it has a name by which it can be printed and sent."""
    name = getattr(function, "__name__", None)
    if not callable(function) or name is None or not name.isidentifier():
        raise ExpressionError(
            f"{where} needs a function with a name, not {function!r}; define it with def, "
            "so that the expression can be printed, compared and sent to other processes"
        )
    return function
