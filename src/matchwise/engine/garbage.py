"""The cyclic garbage collector rests while there is nothing for it to find.

Documents and columns are many small objects without cycles: walking them again and again takes a fifth of the time.
The collector belongs to the whole process. So only one thread at a time lets it rest, and that thread wakes it: however
threads begin and end, it is never left off.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


@contextmanager
def resting() -> Iterator[None]:
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
