"""Processes that may die: lists of items are worked on by several, and one item that kills its process costs one item.

A list whose worker dies is tried once more, then cut up until the item that kills is alone; that item is given back as
`Lost`, with the reason, and everything else with its result. Results come in the order of the items, so that what is
added up is what one process would have added. A few lists are under way at a time, whatever the number of items.
With a timeout, a list that takes longer is cut up likewise, and an item that alone takes longer is lost.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue as Queue
from threading import Thread
from time import monotonic, sleep
from typing import Any, Generic, TypeVar

from matchwise.errors import MatchwiseError

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Lists that a worker has: one that it works on, and the next, so that it never waits for us."""

WAITING = 4
"""Lists per worker that are under way: those that it has, and some that wait, to be sent or for an earlier result."""

PIECES = 16
"""Into which a list is cut that killed twice. Halves would do, but every death costs the start of a worker."""

STARTS = 3
"""Workers that may be killed before they are ready, one after the other, until we give up."""

OUT_OF_MEMORY = 71
"""How a worker ends that has no memory left: what it still holds is given back by the system."""

GRACE = 2.0
"""Seconds that a worker may go on after its parent has gone: nobody waits for what it does."""

ORPHANED = 72
"""How a worker ends whose parent has gone while it was busy."""

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
    fork: bool = False,
) -> Iterator[Result | Lost[Item]]:
    """`work(place of the first item, items)` of every list, in order, by up to `jobs` processes.

    An exception of `work`, or of `lists`, is raised when everything before it has been given back. An item that takes
    longer than `timeout` seconds is lost.

    Workers start afresh, alike on every system and in every Python. A program that knows what its process holds may
    `fork` it instead, which spares the workers all imports; it does so where no thread could hold a lock.
    """
    pool = _Pool(pickle_value(work, "the suite"), jobs, what, timeout, fork=fork)
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
    """A process, our end of its pipe, and what it was given, in order, the first since when."""

    __slots__ = ("connection", "process", "ready", "since", "tasks")

    def __init__(self, work: bytes, others: list[_Worker], *, fork: bool) -> None:
        start = _start_method(fork=fork)
        context = multiprocessing.get_context(start)
        self.connection, theirs = context.Pipe()
        # A process that is forked has our ends too, and as long as they are open no pipe of a worker ends.
        ours = [self.connection, *(other.connection for other in others)] if start == "fork" else []
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, work, ours), daemon=True)  # type: ignore[attr-defined]  # typeshed: of every context
        self.ready = False
        self.since = 0.0
        self.tasks: deque[_Task] = deque()
        try:
            self.process.start()
        except (EOFError, ConnectionError):  # from Python 3.14 on the server of forks runs a script that has no guard
            raise MatchwiseError(UNGUARDED) from None
        theirs.close()  # else the end of the worker would not be the end of the pipe

    def end(self, *, now: bool) -> int | None:
        """End the worker, at once or when its pipe closes; returns its exit code."""
        self.connection.close()
        if now:
            self.process.kill()
        self.process.join(5)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode
        self.process.close()
        return code


def _start_method(*, fork: bool) -> str:
    """Only a process with one thread is forked: a lock that another thread holds would stay locked in the child."""
    known = multiprocessing.get_all_start_methods()
    if fork and "fork" in known and _threads() == 1:
        return "fork"
    return "forkserver" if "forkserver" in known else "spawn"


def _threads() -> int | None:
    """Count the threads of this process, libraries' threads included, if the system tells (macOS does not)."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return None


class _Pool:
    def __init__(self, work: bytes, jobs: int, what: str, timeout: float | None, *, fork: bool) -> None:
        self.work, self.jobs, self.what, self.timeout, self.fork = work, jobs, what, timeout, fork
        self.workers: list[_Worker] = []
        self.tasks: deque[_Task] = deque()
        self.results: dict[int, tuple[int, Any]] = {}
        """By the place of their first item: how many items, and what came of them."""
        self.ends: deque[int] = deque()
        """Where each list ends that is not yet given back."""
        self.failed_starts = 0

    def run(self, lists: Iterable[list[Any]]) -> Iterator[Any]:
        source: Iterator[list[Any]] | None = iter(lists)
        given = read = 0
        broken: Exception | None = None
        while True:
            while given in self.results:
                length, result = self.results.pop(given)
                given += length
                if isinstance(result, _Raised):
                    raise result.error
                yield result
            while self.ends and self.ends[0] <= given:
                self.ends.popleft()
            if source is None and not self.ends:
                if broken is not None:
                    raise broken
                return
            self._hand_out(AHEAD if source is not None else 1)  # in the end, whoever is free takes what is left
            reading = source is not None and len(self.ends) < self.jobs * WAITING
            self._listen(block=not reading)
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
                    self.ends.append(read)

    def _hand_out(self, ahead: int) -> None:
        for has in range(ahead):
            for worker in [one for one in self.workers if one.ready and len(one.tasks) == has]:
                if not self.tasks:
                    return
                task = self.tasks.popleft()
                message = pickle_items(task.place, task.items, self.what)
                if not worker.tasks:
                    worker.since = monotonic()
                worker.tasks.append(task)
                try:
                    worker.connection.send_bytes(message)
                except OSError:
                    self._mourn(worker)
        starting = sum(not worker.ready for worker in self.workers)
        for _ in range(min(len(self.tasks) - starting, self.jobs - len(self.workers))):
            self.workers.append(_Worker(self.work, self.workers, fork=self.fork))

    def _listen(self, *, block: bool) -> None:
        """Receive answers from workers; a closed pipe means that its worker died."""
        by_pipe = {worker.connection: worker for worker in self.workers}
        said = wait(list(by_pipe), self._patience() if block and by_pipe else 0)
        for worker in list(self.workers):
            # Who has answered was in time, however late we look.
            if worker.connection not in said and self._is_late(worker):
                self._mourn(worker, late=True)
        for pipe in said:
            worker = by_pipe[pipe]  # type: ignore[index]  # a pipe, as only pipes are waited for
            try:
                answer = pickle.loads(worker.connection.recv_bytes())
            except (EOFError, OSError):
                self._mourn(worker)
                continue
            if not worker.ready:
                if isinstance(answer, _Raised):
                    raise answer.error
                worker.ready, self.failed_starts = True, 0
            else:
                task = worker.tasks.popleft()
                worker.since = monotonic()
                self.results[task.place] = len(task.items), answer

    def _is_late(self, worker: _Worker) -> bool:
        return bool(worker.tasks) and self.timeout is not None and monotonic() > worker.since + self.timeout

    def _patience(self) -> float | None:
        """Seconds until the first worker is late."""
        began = [worker.since for worker in self.workers if worker.tasks]
        if self.timeout is None or not began:
            return None
        return max(0.0, min(began) + self.timeout - monotonic()) + 0.01

    def _mourn(self, worker: _Worker, *, late: bool = False) -> None:
        """Handle dead and late workers: the first task is tried again, cut up, or given up."""
        self.workers.remove(worker)
        code = worker.end(now=late)
        if not worker.tasks:
            self.failed_starts += not worker.ready
            if not worker.ready and ((code or 0) > 0 or self.failed_starts >= STARTS):
                raise MatchwiseError(f"{UNGUARDED} ({_reason(code)})")
            return
        task = worker.tasks.popleft()
        self.tasks.extendleft(reversed(worker.tasks))  # those were not begun
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
        """End all workers: those that have nothing to do by themselves, the others now."""
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.end(now=bool(worker.tasks) or not worker.ready)
        self.workers.clear()


@dataclass(frozen=True, slots=True)
class _Raised:
    """An exception on its way to the parent."""

    error: Exception


def _serve(pipe: Connection, work: bytes, others: list[Connection]) -> None:
    """The loop of a worker process."""
    for other in others:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # whatever the parent does then
    with suppress(OSError):  # the parent has gone, and with it whoever wants to know
        _answer(pipe, work)


def _answer(pipe: Connection, work: bytes) -> None:
    try:
        function = _unpickle(work, "the suite")
    except Exception as error:
        pipe.send_bytes(_sendable(_Raised(error)))
        return
    messages: Queue[bytes | None] = Queue()
    Thread(target=_receive, args=(pipe, messages), daemon=True).start()
    pipe.send_bytes(pickle.dumps(None))
    while (message := messages.get()) is not None:
        try:
            place, items = _unpickle(message, "the documents")
            answer = _sendable(function(place, items))
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except Exception as error:
            answer = _sendable(_Raised(error))
        except (GeneratorExit, SystemExit) as error:
            answer = _sendable(_Raised(MatchwiseError(f"{type(error).__name__}: {error}")))
        pipe.send_bytes(answer)


def _receive(pipe: Connection, messages: Queue[bytes | None]) -> None:
    """Read while the worker works: if both ends wrote long messages and neither read, both would wait forever."""
    try:
        while True:
            messages.put(pipe.recv_bytes())
    except (EOFError, OSError):
        messages.put(None)
        sleep(GRACE)  # who has nothing to do ends by itself
        os._exit(ORPHANED)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _unpickle(data: bytes, what: str) -> Any:
    try:
        return pickle.loads(data)
    except (pickle.UnpicklingError, AttributeError, TypeError, ImportError) as error:
        raise MatchwiseError(f"{what} cannot be read by another process: {error}; {ADVICE}") from error


def _sendable(answer: object) -> bytes:
    """The answer; of an exception that cannot travel, what it says."""
    if not isinstance(answer, _Raised):
        return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    try:
        made = pickle.dumps(answer)
        pickle.loads(made)
        return made
    except Exception:
        notes = "".join(f"\n{note}" for note in getattr(answer.error, "__notes__", ()))
        return pickle.dumps(_Raised(MatchwiseError(f"{type(answer.error).__name__}: {answer.error}{notes}")))


def _reason(code: int | None) -> str:
    if code == OUT_OF_MEMORY:
        return "ran out of memory"
    if code is None or code >= 0:
        return f"ended the process with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    also = ", perhaps for want of memory" if name == "SIGKILL" else ""
    return f"ended the process by {name}{also}"
