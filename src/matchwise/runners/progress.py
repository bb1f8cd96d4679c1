"""How far a corpus is: a bar on a terminal, a line now and then elsewhere, both on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from matchwise.runners.runner import Done

EVERY = 5.0
"""Seconds between two lines where there is no terminal."""


@contextmanager
def watch(progress: bool | Done, total: int | None) -> Iterator[Done | None]:
    """What is to be told how many documents are done, or None."""
    if callable(progress):
        yield progress
    elif not progress:
        yield None
    elif sys.stderr.isatty() and _has_rich():
        with _bar(total) as done:
            yield done
    else:
        yield _lines(total)


def _has_rich() -> bool:
    from importlib.util import find_spec

    return find_spec("rich") is not None


@contextmanager
def _bar(total: int | None) -> Iterator[Done]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed or 0:,.0f}/s")

    with Progress(
        BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("documents", total=total)
        yield lambda number: bar.update(task, completed=number)


def _lines(total: int | None) -> Callable[[int], None]:
    start = last = monotonic()

    def done(number: int) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= EVERY or number == total:
            last = now
            of = "" if total is None else f" of {total}"
            print(f"{number}{of} documents, {number / max(now - start, 1e-9):,.0f}/s", file=sys.stderr)

    return done
