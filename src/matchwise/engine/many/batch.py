"""Run a function over both sides of a batch of documents, after the step of a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from matchwise.algebra.steps import Step
from matchwise.engine.many.frame import Frame, frame_of
from matchwise.errors import DataError

Result = TypeVar("Result")


def run_after(
    step: Step | None, function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]
) -> Result:
    """Apply the step to a batch of documents, then run a function over both sides."""
    return run(function, *((preds, refs) if step is None else step.all(preds, refs)))


def run(function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]) -> Result:
    """A function of both sides of a batch of documents; what was computed of them is forgotten afterwards."""
    p, r = frame_of(preds, "prediction"), frame_of(refs, "reference")
    try:
        return function(p, r)
    except RecursionError:
        raise DataError(
            "found an object that contains itself, or is nested too deeply to score; "
            "if it is only deep, write sys.setrecursionlimit(20_000) first"
        ) from None
    finally:
        p.side.forget()
        r.side.forget()
