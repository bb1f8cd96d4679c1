"""Several processes: chunks of documents are counted by workers, and their tallies added in order.

Adding is exact and the order is that of the documents, so that the result is that of one process, bit for bit. No more
than a few chunks wait at a time, so that memory does not grow with the corpus.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from typing import Any

from matchwise.corpus.tally import Tally
from matchwise.engines.serial import Document, Done, chunks
from matchwise.errors import DataError, MatchwiseError

WAITING = 3
"""Chunks per worker that are under way: one that runs and some so that it never runs dry."""


def count(tally: Tally, documents: Iterable[Document], jobs: int, done: Done | None = None) -> Tally:
    """Add every document to the tally, counted by `jobs` processes."""
    kind = _pickled(tally.zero(), "the suite")
    start = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context(start), initializer=_leave_interrupts_to_the_parent)
    waiting: deque[Future[Tally]] = deque()

    def collect() -> None:
        nonlocal tally
        tally += waiting.popleft().result()
        if done is not None:
            done(len(tally))

    try:
        first = len(tally)
        for chunk in chunks(documents, partial(_chunk_size, jobs)):
            payload = _pickled(chunk, f"one of the documents {first} to {first + len(chunk) - 1}")
            waiting.append(pool.submit(_count_chunk, kind, payload, first))
            first += len(chunk)
            if len(waiting) >= jobs * WAITING:
                collect()
        while waiting:
            collect()
    except BaseException as error:
        _stop(pool)
        if isinstance(error, BrokenProcessPool):
            raise MatchwiseError(
                "a worker process ended unexpectedly; if this is a script, call evaluate under "
                'if __name__ == "__main__":, and see whether jobs=1 runs (a worker may have run out of memory)'
            ) from error
        raise
    pool.shutdown()
    return tally


def _chunk_size(jobs: int, before: int) -> int:
    """Small at first, so that all workers soon have work and a few documents balance; larger as the corpus grows."""
    return max(1, min(256, before // (jobs * 8)))


def _count_chunk(kind: bytes, payload: bytes, first: int) -> Tally:
    """What a worker does."""
    documents: list[Document] = _unpickled(payload, "the documents")
    tally = _zero(kind).zero()
    for pred, ref, id in documents:
        try:
            tally.add(pred, ref, id)
        except DataError as error:
            if id is None:
                error.document = first + len(tally)
            raise
    return tally


@lru_cache(maxsize=1)
def _zero(kind: bytes) -> Tally:
    tally: Tally = _unpickled(kind, "the suite")
    tally.program()
    return tally


def _pickled(value: object, what: str) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise MatchwiseError(f"{what} cannot be sent to another process: {error}; {_ADVICE}") from error


def _unpickled(data: bytes, what: str) -> Any:
    try:
        return pickle.loads(data)
    except (pickle.UnpicklingError, AttributeError, TypeError, ImportError) as error:
        raise MatchwiseError(f"{what} cannot be read by another process: {error}; {_ADVICE}") from error


_ADVICE = "define classes and functions at the top of a module that can be imported (not a notebook), or write jobs=1"


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers now: a chunk may be long."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    for worker in workers:
        worker.terminate()
    pool.shutdown(cancel_futures=True)
