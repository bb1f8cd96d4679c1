"""The cyclic garbage collector rests while there is nothing for it to find."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resting() -> Iterator[None]:
    """Documents and columns are many small objects without cycles: to walk them again and again is half of the time."""
    collecting = gc.isenabled()
    if collecting:  # else another thread rests, and may have ended meanwhile
        gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
