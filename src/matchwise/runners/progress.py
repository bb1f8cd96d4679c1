"""How far a long run is, on stderr: documents done, documents per second, and the time that is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeAlias

Done: TypeAlias = Callable[[int], object]
"""Is told how many documents are done."""

FIRST = 1.0
"""Seconds before anything is said: what is done sooner needs no progress."""

TERMINAL, ELSEWHERE = 0.2, 10.0
"""Seconds between two lines."""


class Progress:
    """One line that is written again and again on a terminal; elsewhere, a line now and then."""

    def __init__(
        self, label: str, fraction: Callable[[], float | None], *, quiet: bool = False, what: str = "documents"
    ) -> None:
        self.what = what
        self.label = f"{label}: " if label else ""
        self.fraction = fraction
        self.quiet = quiet or sys.stderr is None
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.start = monotonic()
        self.next = self.start + (FIRST if self.terminal else ELSEWHERE)
        self.shown = False

    def __call__(self, done: int) -> None:
        now = monotonic()
        if not self.quiet and now >= self.next:
            self.next = now + (TERMINAL if self.terminal else ELSEWHERE)
            self.write(done)

    def write(self, done: int) -> None:
        """Say how far it is."""
        self.shown = True
        line = f"{self.label}{describe_status(done, monotonic() - self.start, self.fraction(), self.what)}"
        sys.stderr.write(f"\r\x1b[K{line}" if self.terminal else f"{line}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Remove the progress line from the terminal."""
        if self.shown and self.terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def watch(progress: bool | Done, total: int | None) -> Iterator[Done | None]:
    """The function that is told how many documents are done: the caller's, a progress line, or None."""
    if callable(progress) or not progress or sys.stderr is None:
        yield progress if callable(progress) else None
        return
    reached = 0
    line = Progress("", lambda: reached / total if total else None)

    def tell(done: int) -> None:
        nonlocal reached
        reached = done
        line(done)

    try:
        yield tell
    finally:
        line.end()
    if not line.terminal:  # a notebook or a log keeps what was done
        line.fraction = lambda: None
        line.write(reached)


def describe_status(done: int, seconds: float, fraction: float | None, what: str = "documents") -> str:
    """
    >>> describe_status(12000, 4.0, 0.25)
    '12,000 documents, 3,000/s, 25 %, 0:12 left'
    >>> describe_status(12000, 4.0, None)
    '12,000 documents, 3,000/s'
    """
    said = f"{done:,} {what}, {done / max(seconds, 1e-9):,.0f}/s"
    if not fraction:
        return said
    fraction = min(fraction, 1.0)
    left = round(seconds / fraction * (1 - fraction))
    clock = f"{left // 60}:{left % 60:02}" if left < 3600 else f"{left // 3600}:{left % 3600 // 60:02}:{left % 60:02}"
    return f"{said}, {fraction:.0%}, {clock} left".replace("%", " %")
