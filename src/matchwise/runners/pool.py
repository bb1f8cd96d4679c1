"""Processes that may die: lists of items are worked on by several, and one item that kills its process costs one item.

A list whose worker dies is tried once more, then cut up until the item that kills is alone; that item is given back as
`Lost`, with the reason, and everything else with its result. Results come in the order of the items, so that what is
added up is what one process would have added. A few lists are under way at a time, whatever the number of items.
With a timeout, a list that takes longer is cut up likewise, and an item that alone takes longer is lost.

Every worker is a `ProcessPoolExecutor` of one process: when it breaks, the list that broke it is known.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from threading import Thread
from time import monotonic, sleep
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
    pool = _Pool(pickle_value(work, "the suite"), jobs, what, timeout)
    try:
        yield from pool.run(lists)
    finally:
        pool.close()


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


@dataclass(slots=True)
class _Task:
    """Items of one list, or of a part of it."""

    place: int
    items: list[Any]
    tries: int = 2
    """How many workers may die of it before it is cut up, or given up."""


class _Worker:
    """A process, and the list that it works on; at first it only reads the work."""

    def __init__(self, work: bytes) -> None:
        start = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self.executor = ProcessPoolExecutor(1, multiprocessing.get_context(start), initializer=_begin)
        self.task: _Task | None = None
        self.since = monotonic()
        try:
            self.future: Future[bytes] | None = self.executor.submit(_load, work)
        except (EOFError, ConnectionError):  # from Python 3.14 on the server of forks runs a script that has no guard
            raise MatchwiseError(UNGUARDED) from None
        [self.process] = self.executor._processes.values()
        self._wait_for_threads()

    def _wait_for_threads(self) -> None:
        """Where there is no memory for the executor's threads, nobody would hear of it and the answer never come."""
        executor: Any = self.executor
        while (feeder := executor._call_queue._thread) is None or feeder.ident is None:
            if not executor._executor_manager_thread.is_alive():
                self.process.kill()
                raise MemoryError("there is no memory to start a worker process")
            sleep(0.0005)

    def begin(self, task: _Task, what: str) -> None:
        message = pickle_items(task.place, task.items, what)
        self.task, self.since = task, monotonic()
        try:
            self.future = self.executor.submit(_answer, message)
        except BrokenProcessPool as error:  # it died while it had nothing to do
            self.future = Future()
            self.future.set_exception(error)

    def end(self, *, now: bool) -> int | None:
        """End the process, at once or when it has nothing to do; returns its exit code."""
        if now:
            self.process.kill()
        self.executor.shutdown(cancel_futures=True)
        return self.process.exitcode


class _Pool:
    def __init__(self, work: bytes, jobs: int, what: str, timeout: float | None) -> None:
        self.work, self.jobs, self.what, self.timeout = work, jobs, what, timeout
        self.workers: list[_Worker] = []
        self.tasks: deque[_Task] = deque()
        self.results: dict[int, tuple[int, Any]] = {}
        """By the place of their first item: how many items, and their result."""
        self.failed_starts = 0

    def run(self, lists: Iterable[list[Any]]) -> Iterator[Any]:
        source: Iterator[list[Any]] | None = iter(lists)
        ends: deque[int] = deque()  # where each list ends that is not yet given back
        given = read = 0
        broken: Exception | None = None
        while True:
            while given in self.results:
                length, result = self.results.pop(given)
                given += length
                if isinstance(result, _Raised):
                    raise result.error
                yield result
            while ends and ends[0] <= given:
                ends.popleft()
            if source is None and not ends:
                if broken is not None:
                    raise broken
                return
            self._hand_out()
            reading = source is not None and len(ends) < self.jobs * WAITING
            self._collect(block=not reading)
            if source is not None and reading:
                try:
                    items = next(source)
                except StopIteration:
                    source = None
                except Exception as error:  # in its turn, as in one process
                    source, broken = None, error
                else:
                    self.tasks.append(_Task(read, items))
                    read += len(items)
                    ends.append(read)

    def _hand_out(self) -> None:
        for worker in self.workers:
            if worker.future is None and self.tasks:
                worker.begin(self.tasks.popleft(), self.what)
        starting = sum(worker.task is None for worker in self.workers)
        for _ in range(min(len(self.tasks) - starting, self.jobs - len(self.workers))):
            self.workers.append(_Worker(self.work))

    def _collect(self, *, block: bool) -> None:
        """Take the answers of workers, and replace the workers that died or are late."""
        futures = [worker.future for worker in self.workers if worker.future is not None]
        if futures:
            wait(futures, self._patience() if block else 0, FIRST_COMPLETED)
        for worker in list(self.workers):
            future, task = worker.future, worker.task
            if future is None:
                continue
            if not future.done():
                if task is not None and self.timeout is not None and monotonic() > worker.since + self.timeout:
                    self._replace(worker, late=True)
                continue
            try:
                answer = pickle.loads(future.result())
            except BrokenProcessPool:
                self._replace(worker, late=False)
                continue
            worker.future = worker.task = None
            if task is not None:
                self.results[task.place] = len(task.items), answer
            elif isinstance(answer, _Raised):
                raise answer.error
            else:
                self.failed_starts = 0

    def _patience(self) -> float | None:
        """Seconds until the first worker is late."""
        began = [worker.since for worker in self.workers if worker.task is not None]
        if self.timeout is None or not began:
            return None
        return max(0.0, min(began) + self.timeout - monotonic()) + 0.01

    def _replace(self, worker: _Worker, *, late: bool) -> None:
        """Remove a worker that is dead or late; its list is tried again, cut up, or given up."""
        self.workers.remove(worker)
        code, task = worker.end(now=late), worker.task
        if task is None:
            self.failed_starts += 1
            if (code or 0) > 0 or self.failed_starts >= STARTS:
                raise MatchwiseError(f"{UNGUARDED} ({_reason(code)})")
            return
        task.tries = 0 if late else task.tries - 1
        if task.tries:
            self.tasks.appendleft(task)
        elif len(task.items) == 1:
            [item] = task.items
            reason = f"took longer than {self.timeout:g} s" if late else _reason(code)
            self.results[task.place] = 1, Lost(task.place, item, reason)
        else:
            size = -(-len(task.items) // PIECES)
            pieces = [_Task(task.place + k, task.items[k : k + size]) for k in range(0, len(task.items), size)]
            for piece in pieces:
                piece.tries = 2 if len(piece.items) == 1 else 1
            self.tasks.extendleft(reversed(pieces))

    def close(self) -> None:
        """End all workers, those that are busy at once."""
        for worker in self.workers:
            worker.end(now=worker.future is not None or worker.task is not None)  # or an interrupt came in between
        self.workers.clear()


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
