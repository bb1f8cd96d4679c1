"""Whether documents are worth other processes: they are, if counting takes longer than sending; that is measured."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import islice
from time import perf_counter
from typing import Any

from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.walk import parts
from matchwise.corpus.loop import Counted, Counting, count_lists
from matchwise.corpus.suite import Suite
from matchwise.runners.pool import pickle_items, pickle_value

START = 1.0
"""Seconds that the start of processes may take: as long, at least, documents are counted without them."""

GAIN = 0.6
"""Several processes are worth it if documents should take at most this share of the time that they take in one. Five
relations in a document take 42 µs to count, 33 to write and 24 to read: two processes would take twice as long."""


def count_alone(counting: Counting, source: Iterator[Any], jobs: int) -> Iterator[Counted]:
    """Count lists in this process until several are faster, by what the last list took to count and to send.

    In several processes, a document is written here, one after the other, and read and counted by any of them.
    """
    pickle_value(counting, "the suite")  # what cannot be sent is an error whether it has to be sent or not
    seen: list[Any] = []
    spent, due, reading = 0.0, START, 0.0

    def watch_items() -> Iterator[Any]:
        nonlocal reading
        while True:
            begin = perf_counter()
            found = list(islice(source, 1))
            reading += perf_counter() - begin
            if not found:
                return
            seen.extend(found)
            yield found[0]

    begin = perf_counter()
    for part in count_lists(counting, watch_items()):
        took = perf_counter() - begin - reading
        if not spent:
            pickle_items(0, seen, "document")
        spent += took
        yield part
        if spent >= due:
            due = 2 * spent
            begin = perf_counter()
            data = pickle_items(0, seen, "document")
            written = perf_counter() - begin
            pickle.loads(data)
            read = perf_counter() - begin - written
            if written + (read + took) / jobs < GAIN * took:
                return
        seen.clear()
        begin, reading = perf_counter(), 0.0


def calls_user(suite: Suite) -> bool:
    """True if the metrics call functions that are not ours: selectors, steps, similarities.

    >>> from matchwise.algebra.build import custom, f1
    >>> calls_user(Suite(score=f1("xs"))), calls_user(Suite(score=f1("xs", custom(max))))
    (False, True)
    """
    steps = [value for step in suite.steps for value in (step.function, step.batch, *dict(step.options).values())]
    inside = [
        value
        for phi in suite.metrics.values()
        for part in parts(phi)
        for name in part.__match_args__
        for value in _values(getattr(part, name))
    ]
    called = (value for value in (*steps, *inside) if callable(value) and not isinstance(value, type | Similarity))
    return not all(map(_is_ours, called))


def _values(value: Any) -> Iterator[Any]:
    """What stands in an attribute of a node; of a kind of leaf, what compares."""
    if isinstance(value, tuple):
        for part in value:
            yield from _values(part)
    else:
        yield value.compare if isinstance(value, LeafKind) else value


def _is_ours(function: Any) -> bool:
    """True if a function, or the class of an object that can be called, is of this package and of no file of a user."""
    home = str(getattr(function, "__module__", None) or type(function).__module__)
    return home.split(".")[0] == "matchwise" and not home.startswith("matchwise.cli.user.")
