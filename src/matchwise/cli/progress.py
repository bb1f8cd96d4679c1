"""How far a command is: one line on stderr, rewritten on a terminal and now and then repeated elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic

FIRST = 1.0
"""Seconds before anything is said: what is done sooner needs no progress."""

TERMINAL, ELSEWHERE = 0.2, 10.0
"""Seconds between two lines."""


class Progress:
    """Is told how many documents are done; says how many there are in a second and how much time is left."""

    def __init__(
        self, label: str, fraction: Callable[[], float | None], *, quiet: bool = False, what: str = "documents"
    ) -> None:
        self.what = what
        self.label = label
        self.fraction = fraction
        self.quiet = quiet or sys.stderr is None
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.start = monotonic()
        self.next = self.start + (FIRST if self.terminal else ELSEWHERE)
        self.shown = False

    def __call__(self, documents: int) -> None:
        now = monotonic()
        if self.quiet or now < self.next:
            return
        self.next = now + (TERMINAL if self.terminal else ELSEWHERE)
        self.shown = True
        line = f"{self.label}: {status(documents, now - self.start, self.fraction(), self.what)}"
        sys.stderr.write(f"\r\x1b[K{line}" if self.terminal else f"{line}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Take the line off the terminal."""
        if self.shown and self.terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def status(done: int, seconds: float, fraction: float | None, what: str = "documents") -> str:
    """
    >>> status(12000, 4.0, 0.25)
    '12,000 documents, 3,000/s, 25 %, 0:12 left'
    >>> status(12000, 4.0, None)
    '12,000 documents, 3,000/s'
    """
    said = f"{done:,} {what}, {done / max(seconds, 1e-9):,.0f}/s"
    if not fraction:
        return said
    fraction = min(fraction, 1.0)
    left = round(seconds / fraction * (1 - fraction))
    clock = f"{left // 60}:{left % 60:02}" if left < 3600 else f"{left // 3600}:{left % 3600 // 60:02}:{left % 60:02}"
    return f"{said}, {fraction:.0%}, {clock} left".replace("%", " %")
