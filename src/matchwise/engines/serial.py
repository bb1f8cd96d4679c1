"""One process: documents are counted one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from matchwise.corpus.tally import Id, Tally

Document: TypeAlias = tuple[Any, Any, Id | None]
"""Prediction, reference, id."""

Done: TypeAlias = Callable[[int], object]
"""Is told how many documents are done."""

AT_ONCE = 256


def count(tally: Tally, documents: Iterable[Document], done: Done | None = None) -> Tally:
    """Add every document to the tally."""
    add = tally.add
    if done is None:
        for pred, ref, id in documents:
            add(pred, ref, id)
        return tally
    for chunk in chunks(documents, lambda _: AT_ONCE):
        for pred, ref, id in chunk:
            add(pred, ref, id)
        done(len(tally))
    return tally


Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: Callable[[int], int]) -> Iterator[list[Item]]:
    """The items in lists, each of the size that follows from how many came before it."""
    source, before = iter(items), 0
    while chunk := list(islice(source, size(before))):
        yield chunk
        before += len(chunk)
