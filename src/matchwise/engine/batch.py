"""Run a function over both sides of a batch of documents, after the step of a metric, while garbage collection rests.

Documents and columns are many small objects without cycles. The cyclic garbage collector would walk them again and
again (a fifth of the time from 500 elements on), so it rests meanwhile. It belongs to the whole process: only one
thread at a time lets it rest, and that thread wakes it. However threads begin and end, it is never left off.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

from matchwise.algebra.steps import Step, is_many
from matchwise.engine.frame import Frame, frame_of
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

    What was computed of the documents is forgotten afterwards.
    """
    stopped = rest()
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
        if stopped:
            wake()


def run_over(kernels: Any, function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]) -> Result:
    """Run the function with the given kernels, for lists or for arrays."""
    p, r = frame_of(preds, "prediction", kernels), frame_of(refs, "reference", kernels)
    try:
        return function(p, r)
    finally:
        p.side.forget()
        r.side.forget()


@contextmanager
def pause_collector() -> Iterator[None]:
    """Let the collector rest, unless another thread does so already."""
    resting = rest()
    try:
        yield
    finally:
        if resting:
            wake()


def rest() -> bool:
    """Stop the collector; True if it was this call that stopped it, and `wake` has to follow."""
    if not gc.isenabled() or not _lock.acquire(blocking=False):
        return False
    gc.disable()
    return True


def wake() -> None:
    """Start the collector again."""
    gc.enable()
    if _lock.locked():  # else this is a child process, which began with the collector awake
        _lock.release()


_lock = Lock()


def _wake_in_child() -> None:
    """Start the collector in a forked child: the thread that stopped it may not exist there."""
    if _lock.locked():
        wake()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_wake_in_child)
