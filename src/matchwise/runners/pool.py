"""Processes that may die: lists of items are worked on by several, and one item that kills its process costs one item.

A list whose worker dies is tried once more, then cut up until the item that kills is alone; that item is given back as
`Lost`, with the reason, and everything else with its result. Results come in the order of the items, so that what is
added up is what one process would have added. A few lists are under way at a time, whatever the number of items.
With a timeout, a list that takes longer is cut up likewise, and an item that alone takes longer is lost.

Every thread has a worker, a `ProcessPoolExecutor` of one process: when it breaks, the list that broke it is known.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from threading import Lock, Thread, local
from time import sleep
from typing import Any, Generic, TypeVar

from matchwise.errors import MatchwiseError

Item = TypeVar("Item")
Result = TypeVar("Result")

WAITING = 4
"""Lists per worker that are under way: the one that it works on, and some that wait to be sent or given back."""

PIECES = 16
"""Pieces of a list that killed two workers. Halves would do, but every death costs the start of a worker."""

STARTS = 3
"""Workers that may be killed before they are ready, one after the other, until we give up."""

OUT_OF_MEMORY = 71
"""Exit code of a worker that has no memory left: what it still holds is given back by the system."""

GRACE = 2.0
"""Seconds that a worker may go on after its parent has gone: nobody waits for what it does."""

ADVICE = "define classes and functions at the top of a module that can be imported (not a notebook), or write jobs=1"

UNGUARDED = (
    'a worker process could not start; if this is a script, call evaluate under if __name__ == "__main__":, '
    "and see whether jobs=1 runs"
)


@dataclass(frozen=True, slots=True)
class Lost(Generic[Item]):
    """An item that killed every process that tried it."""

    place: int
    item: Item
    reason: str


def run(
    work: Callable[[int, list[Item]], Result],
    lists: Iterable[list[Item]],
    jobs: int,
    *,
    what: str = "item",
    timeout: float | None = None,
) -> Iterator[Result | Lost[Item]]:
    """`work(place of the first item, items)` of every list, in order, by up to `jobs` processes.

    An exception of `work`, or of `lists`, is raised when everything before it has been given back. An item that takes
    longer than `timeout` seconds is lost.
    """
    workers = _Workers(pickle_value(work, "the suite"), what, timeout)
    source, place = iter(lists), 0
    broken: Exception | None = None
    waiting: deque[Future[list[Any]]] = deque()
    threads = ThreadPoolExecutor(jobs)
    try:
        while True:
            while waiting and (broken or len(waiting) >= jobs * WAITING or waiting[0].done()):
                for result in waiting.popleft().result():
                    if isinstance(result, _Raised):
                        raise result.error
                    yield result
            if broken:
                break
            try:
                items = next(source)
            except Exception as error:  # in its turn, as in one process
                broken = error
            else:
                waiting.append(threads.submit(workers.answer, place, items))
                place += len(items)
        if not isinstance(broken, StopIteration):
            raise broken
    finally:
        workers.close()
        threads.shutdown(cancel_futures=True)


def pickle_value(value: object, what: str) -> bytes:
    """Pickle a value for another process."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise MatchwiseError(f"{what} cannot be sent to another process: {error}; {ADVICE}") from error


def pickle_items(place: int, items: list[Any], what: str) -> bytes:
    """Pickle a list, the first item of which is at a place; the item that cannot be sent is named."""
    try:
        return pickle_value((place, items), "")
    except MatchwiseError:
        for number, item in enumerate(items, start=place):
            pickle_value(item, f"{what} {number}")
        raise


class _Dead(Exception):
    """A worker ended, or had to be ended because it was late."""

    def __init__(self, reason: str, late: bool) -> None:
        self.reason, self.late = reason, late


class _Workers:
    """A process for each thread; one that dies is replaced when its thread needs it."""

    def __init__(self, work: bytes, what: str, timeout: float | None) -> None:
        self.work, self.what, self.timeout = work, what, timeout
        self.own = local()
        self.lock = Lock()
        self.started: dict[ProcessPoolExecutor, Any] = {}
        """The processes that may still run."""
        self.busy: set[ProcessPoolExecutor] = set()
        self.closed = False

    def answer(self, place: int, items: list[Any], tries: int = 2) -> list[Any]:
        """What comes of a list; where it has killed as many workers as may try it, what comes of its pieces."""
        try:
            return [self._ask(pickle_items(place, items, self.what))]
        except _Dead as dead:
            if self.closed:
                return []
            if tries > 1 and not dead.late:
                return self.answer(place, items, tries - 1)
            if len(items) == 1:
                return [Lost(place, items[0], dead.reason)]
        size = -(-len(items) // PIECES)
        found = []
        for start in range(0, len(items), size):
            piece = items[start : start + size]
            found += self.answer(place + start, piece, 2 if len(piece) == 1 else 1)
        return found

    def _ask(self, message: bytes) -> Any:
        """The answer of the thread's worker, which is started if there is none."""
        executor = getattr(self.own, "executor", None) or self._start()
        self.busy.add(executor)
        try:
            return pickle.loads(executor.submit(_answer, message).result(self.timeout))
        except BrokenProcessPool:
            raise _Dead(_reason(self._end(executor)), late=False) from None
        except TimeoutError:
            self.started[executor].kill()
            self._end(executor)
            raise _Dead(f"took longer than {self.timeout:g} s", late=True) from None
        finally:
            self.busy.discard(executor)

    def _start(self) -> ProcessPoolExecutor:
        """Start the thread's worker, which reads the work."""
        start = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        code: int | None = None
        for _ in range(STARTS):
            executor = ProcessPoolExecutor(1, multiprocessing.get_context(start), initializer=_begin)
            with self.lock:
                if self.closed:
                    raise _Dead("", late=False)
                try:
                    loading = executor.submit(_load, self.work)
                except (EOFError, ConnectionError):  # from Python 3.14 on the server of forks runs unguarded scripts
                    raise MatchwiseError(UNGUARDED) from None
                [self.started[executor]] = executor._processes.values()
            try:
                loaded = pickle.loads(loading.result())
            except BrokenProcessPool:
                code = self._end(executor)
                if (code or 0) > 0:
                    break
            else:
                if isinstance(loaded, _Raised):
                    raise loaded.error
                self.own.executor = executor
                return executor
        raise MatchwiseError(f"{UNGUARDED} ({_reason(code)})")

    def _end(self, executor: ProcessPoolExecutor) -> int | None:
        """Forget a worker that is dead; returns its exit code."""
        self.own.executor = None
        process = self.started.pop(executor)
        executor.shutdown(cancel_futures=True)
        return process.exitcode  # type: ignore[no-any-return]

    def close(self) -> None:
        """End all workers, those that are busy at once."""
        with self.lock:
            self.closed = True
            started = list(self.started.items())
        for executor, process in started:
            if executor in self.busy:
                process.kill()
        for executor, _ in started:
            executor.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Raised:
    """An exception on its way to the parent."""

    error: Exception


_loaded: list[Callable[[int, list[Any]], Any]] = []
"""In a worker: what is done with each list."""


def _begin() -> None:
    """The first thing that a worker does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # whatever the parent does then
    Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        sleep(GRACE)
        os._exit(1)


def _load(work: bytes) -> bytes:
    return _attempt(lambda: _loaded.append(_unpickle(work, "the suite")))


def _answer(message: bytes) -> bytes:
    return _attempt(lambda: _loaded[0](*_unpickle(message, "the documents")))


def _attempt(function: Callable[[], Any]) -> bytes:
    """The result of a function, or what it raised, as bytes: an error of pickle would break the executor."""
    try:
        return pickle.dumps(function(), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except KeyboardInterrupt:
        os._exit(1)
    except Exception as error:
        try:
            made = pickle.dumps(_Raised(error))
            pickle.loads(made)
            return made
        except Exception:  # it cannot travel, but what it says can
            notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
            return pickle.dumps(_Raised(MatchwiseError(f"{type(error).__name__}: {error}{notes}")))
    except BaseException as error:
        return pickle.dumps(_Raised(MatchwiseError(f"{type(error).__name__}: {error}")))


def _unpickle(data: bytes, what: str) -> Any:
    try:
        return pickle.loads(data)
    except (pickle.UnpicklingError, AttributeError, TypeError, ImportError) as error:
        raise MatchwiseError(f"{what} cannot be read by another process: {error}; {ADVICE}") from error


def _reason(code: int | None) -> str:
    if code == OUT_OF_MEMORY:
        return "ran out of memory"
    if code is None or code >= 0:
        return f"ended the process with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    also = ", perhaps for want of memory" if name == "SIGKILL" else ""
    return f"ended the process by {name}{also}"
