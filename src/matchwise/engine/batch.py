"""Run a function over both sides of a batch of documents, after the step of a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from matchwise.algebra.steps import Step, is_many
from matchwise.engine.frame import Frame, frame_of
from matchwise.engine.garbage import rest, wake
from matchwise.engine.kernels import short
from matchwise.errors import DataError

Result = TypeVar("Result")


def run_after(
    step: Step | None, function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]
) -> Result:
    """Apply the step to a batch of documents, then run a function over both sides.

    A step that leaves all documents as they are shares what it computed to find that out with the function.
    """
    if step is None:
        return run(function, preds, refs)
    is_identity = step.is_identity
    if is_identity is not None:
        found = run(lambda p, r: (function(p, r),) if is_identity(p, r) else (), preds, refs)
        if found:
            return found[0]
    return run(function, *step.all(preds, refs))


def run(function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]) -> Result:
    """A function of both sides of a batch of documents, over lists while they are short, else over arrays.

    What was computed of the documents is forgotten afterwards. Columns are many small tuples and no cycles, so that the
    cyclic garbage collector, which would walk them again and again (a fifth of the time from 500 elements on), rests.
    """
    resting = rest()
    try:
        if len(preds) == 1 or not is_many(len(preds)):
            try:
                return run_over(short, function, preds, refs)
            except short.Large:
                pass
        from matchwise.engine.kernels import long

        return run_over(long, function, preds, refs)
    except RecursionError:
        raise DataError(
            "found an object that contains itself, or is nested too deeply to score; "
            "if it is only deep, write sys.setrecursionlimit(20_000) first"
        ) from None
    finally:
        if resting:
            wake()


def run_over(kernels: Any, function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]) -> Result:
    """Run the function with the given kernels, for lists or for arrays."""
    p, r = frame_of(preds, "prediction", kernels), frame_of(refs, "reference", kernels)
    try:
        return function(p, r)
    finally:
        p.side.forget()
        r.side.forget()
