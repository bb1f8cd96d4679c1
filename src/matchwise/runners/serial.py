"""One process: documents are counted one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from typing import Any, Literal, TypeAlias, TypeVar

from matchwise.corpus.nothing import NOTHING, add_missing
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.engine.garbage import resting
from matchwise.errors import RAISED, DataError

Document: TypeAlias = tuple[Any, Any, Id | None]
"""Prediction, reference, id."""

Done: TypeAlias = Callable[[int], object]
"""Is told how many documents are done."""

OnError: TypeAlias = Literal["raise", "record"]
"""What becomes of a document that cannot be scored."""

AT_ONCE = 256

FEW = 16
"""Documents in a list where each has a timeout: a list that takes longer than one may is cut up and begun again."""

FIRST, MOST = 8, 1024
"""Documents in a batch: at first, and at most."""

ELEMENTS = 40_000
"""About how many elements a batch has: columns of more have left the processor's caches."""


def count(tally: Tally, documents: Iterable[Document], done: Done | None = None, on_error: OnError = "raise") -> Tally:
    """Add every document to the tally."""
    return add(tally, documents, seen(tally), on_error, done)


def seen(tally: Tally) -> int:
    """How many documents were met, whether they could be scored or not."""
    return len(tally) + len(tally.errors)


def add(tally: Tally, documents: Iterable[Document], place: int, on_error: OnError, done: Done | None = None) -> Tally:
    """Add documents of which the first is the one at `place` of its corpus.

    Where errors are recorded, a document without id is called by its place, as the rows no longer tell it.
    """
    source, size, number = iter(documents), FIRST if tally.together else AT_ONCE, -1
    while number:
        with resting() if tally.together else nullcontext():  # until what was read is counted and gone
            number, elements = _add_some(tally, list(islice(source, size)), place, on_error)
        place += number
        if tally.together:
            size = next_size(size, elements)
        if done is not None and number:
            done(seen(tally))
    return tally


def next_size(size: int, elements: int) -> int:
    """How many documents to count together after so many that had so many elements."""
    return max(1, min(MOST, size * 4, size * ELEMENTS // max(elements, 1)))


def _add_some(tally: Tally, batch: list[Document], place: int, on_error: OnError) -> tuple[int, int]:
    """Add a list of documents; how many there are, and how many elements if they were counted together."""
    named = batch
    if on_error == "record":
        named = [(pred, ref, place + at if id is None else id) for at, (pred, ref, id) in enumerate(batch)]
    elements = tally.add_all(named) if tally.together else 0
    if not elements:
        _add_each(tally, batch, place, on_error)
    return len(batch), elements


def _add_each(tally: Tally, documents: Iterable[Document], place: int, on_error: OnError) -> Tally:
    add_one = tally.add
    for pred, ref, id in documents:
        name = place if on_error == "record" and id is None else id
        try:
            if pred is NOTHING:
                add_missing(tally, ref, name)
            else:
                add_one(pred, ref, name)
        except RAISED as error:
            called = place if id is None else id
            if on_error == "record":
                tally.errors.append((called, reason(error)))
            elif isinstance(error, Exception):
                _name(error, called)
                raise
            else:
                raise DataError(reason(error), document=called) from error
        place += 1
    return tally


def reason(error: BaseException) -> str:
    """What an error says, without the document, which is named beside it."""
    if isinstance(error, DataError):
        return str(DataError(error.problem, error.path, None, error.side))
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _name(error: Exception, document: Id) -> None:
    if isinstance(error, DataError):
        error.document = document
    else:
        error.add_note(f"while scoring document {document}")


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
