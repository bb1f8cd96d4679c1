"""Several processes: chunks of documents are counted by workers, and their tallies added in order.

Adding is exact and the order is that of the documents, so that the result is that of one process, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from matchwise.corpus.tally import Tally
from matchwise.errors import DataError
from matchwise.runners.pool import Lost, run
from matchwise.runners.serial import AT_ONCE, FEW, Document, Done, OnError, add, chunk_size, chunks, seen


def count(
    tally: Tally,
    documents: Iterable[Document],
    jobs: int,
    done: Done | None = None,
    on_error: OnError = "raise",
    timeout: float | None = None,
) -> Tally:
    """Add every document to the tally, counted by `jobs` processes; one that takes longer than `timeout` is lost."""
    before = seen(tally)
    work = partial(_count, tally.zero(), before, on_error)
    size = partial(chunk_size, jobs, most=AT_ONCE if timeout is None else FEW)
    for result in run(work, chunks(documents, size), jobs, what="document", timeout=timeout):
        if not isinstance(result, Lost):
            tally += result
        else:
            _, _, id = result.item
            name = before + result.place if id is None else id
            if on_error == "raise":
                raise DataError(result.reason, document=name)
            tally.errors.append((name, result.reason))
        if done is not None:
            done(seen(tally))
    return tally


def _count(zero: Tally, before: int, on_error: OnError, place: int, documents: list[Document]) -> Tally:
    """What a worker does; the plans are made once and kept in `zero`."""
    zero.program()
    return add(zero.zero(), documents, before + place, on_error)
