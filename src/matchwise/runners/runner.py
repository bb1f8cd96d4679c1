"""The one loop over a corpus: documents are counted in lists, by this process or by several, and their scores added.

Adding is exact and the order is that of the documents, so that any number of processes gives the same bits.

>>> from matchwise.algebra.build import f1
>>> run(f1("xs"), [({"xs": [1]}, {"xs": [1, 3]}, "a"), ({"xs": [2]}, {"xs": [2]}, "b")]).report()["score"].f1
0.8
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from matchwise.algebra.nodes import Similarity
from matchwise.corpus.counting import AT_ONCE, Counted, Counting, Reader, count_lists
from matchwise.corpus.pairing import Failed, OnError
from matchwise.corpus.suite import Suite
from matchwise.corpus.tally import Document, Tally

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories

Done: TypeAlias = Callable[[int], object]
"""Is told how many documents are done."""

FEW = 16
"""Documents in a list where each has a timeout: a list that takes longer than one may is cut up and begun again."""


def run(
    suite: Tally | Suite | Similarity,
    pairs: Iterable[Document],
    *,
    jobs: int = 1,
    on_error: OnError = "raise",
    timeout: float | None = None,
    progress: Done | None = None,
    apart: bool = False,
    categories: dict[str, Categories] | None = None,
) -> Tally:
    """Count every document: (prediction, reference, id), where the prediction may be `NOTHING` and the id None.

    What is counted is added to a tally, if that is given in place of a suite. `jobs` processes share the work. With
    `on_error="skip"` a document that cannot be scored, that kills its process or that takes longer than `timeout`
    seconds is left out and named in the tally's errors; with `on_error="empty"` it is named, too, and its prediction
    counts as empty. With `apart` even one job has a process of its own, so that a document that kills it is lost alone.
    What becomes of each element is added to `categories`, by metric.
    """
    graded = {} if categories is None else categories
    tally = suite if isinstance(suite, Tally) else Tally(suite)
    done = len(tally) + len(tally.errors)
    reader = GradingReader(on_error != "raise", graded) if graded else Reader(on_error != "raise")
    counting = Counting(tally.zero(), reader, on_error, start=done)
    for part in run_lists(counting, pairs, jobs=jobs, timeout=timeout, apart=apart):
        tally += part.tally
        for name in graded:
            graded[name] += part.notes[name]
        tally.errors.extend((failed.document, failed.problem) for failed in part.failed)
        done += part.items
        if progress is not None:
            progress(done)
    return tally


@dataclass(slots=True)
class GradingReader(Reader):
    """Takes documents as they are, and grades their elements."""

    categories: dict[str, Categories] = field(default_factory=dict)

    def start_notes(self) -> dict[str, Categories]:
        return {name: table.zero() for name, table in self.categories.items()}

    def note(self, made: Counted, items: list[Any], documents: list[Document], number: int, *, empty: bool) -> None:
        for table in made.notes.values():
            table.add_all(documents)


def run_lists(
    counting: Counting, items: Iterable[Any], *, jobs: int = 1, timeout: float | None = None, apart: bool = False
) -> Iterator[Counted]:
    """What came of each list of items, in order; an item that kills its process, or takes too long, is lost alone."""
    if jobs == 1 and timeout is None and not apart:
        yield from count_lists(counting, items)
        return
    from matchwise.runners import pool

    size = partial(chunk_size, jobs, most=AT_ONCE if timeout is None else FEW)
    for result in pool.run(counting, chunks(items, size), jobs, what="document", timeout=timeout):
        yield _without(counting, result, timeout) if isinstance(result, pool.Lost) else result


def _without(counting: Counting, lost: Any, timeout: float | None) -> Counted:
    """What is left of an item that ended its process: an error, and an empty prediction if that was asked for."""
    place = counting.start + lost.place
    raised = counting.on_error == "raise"
    error = counting.reader.lose(lost.reason, lost.item, place, raised=raised)
    if raised:
        raise error
    made = counting.nothing()
    if counting.on_error == "empty":
        from matchwise.runners import pool

        # By a process of its own: it may be the reference that kills.
        [result] = pool.run(_Emptied(counting), [[(lost.item, place)]], 1, what="document", timeout=timeout)
        made = made if isinstance(result, pool.Lost) else result
    made.failed, made.items = [Failed(counting.reader.name(lost.item, place), error.problem)], 1
    return made


class _Emptied:
    """The work on an item that is counted with an empty prediction."""

    def __init__(self, counting: Counting) -> None:
        self.counting = counting

    def __call__(self, _: int, items: list[tuple[Any, int]]) -> Counted:
        [(item, place)] = items
        self.counting.zero.program()
        made = self.counting.nothing()
        self.counting.add_empty(made, item, place)
        return made


Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: Callable[[int], int]) -> Iterator[list[Item]]:
    """The items in lists, each of the size that follows from how many came before it."""
    source, before = iter(items), 0
    while chunk := list(islice(source, size(before))):
        yield chunk
        before += len(chunk)


def chunk_size(jobs: int, before: int, *, most: int = AT_ONCE) -> int:
    """Of several processes: small at first, so that all soon have work and a few documents balance, larger later."""
    return max(1, min(most, before // (jobs * 8)))
