"""The quantities of slices of a corpus, document by document: of a label, of a field, of documents with open optima.

A slice has rows only for the documents in which it occurs.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, compress, islice
from typing import Literal, NamedTuple, TypeVar, cast

from matchwise.algebra.nodes import Number


class Part(NamedTuple):
    """A slice of a metric: its elements with one label, or one field of a sum."""

    kind: Literal["label", "field"]
    metric: str
    name: Hashable


def label_text(label: Hashable) -> str:
    """Write a label for tables; elements without a label share a row."""
    return "(none)" if label is None else str(label)


class Rows(NamedTuple):
    """The documents in which a slice occurs, by position, and their quantities, one document after the other."""

    documents: array[int]
    counts: array[float]


Key = TypeVar("Key")


def rows_of(slices: dict[Key, Rows], key: Key) -> Rows:
    """The rows of a slice, which may be new."""
    found = slices.get(key)
    if found is None:
        found = slices[key] = Rows(array("q"), array("d"))
    return found


def add_row(slices: dict[Key, Rows], key: Key, document: int, quantities: Iterable[Number]) -> None:
    """Add what one document has of a slice."""
    documents, counts = rows_of(slices, key)
    documents.append(document)
    counts.extend(map(float, quantities))


def add_columns(slices: dict[Key, Rows], key: Key, documents: Iterable[int], *columns: Sequence[Number]) -> None:
    """Add what several documents have of a slice; those in which it does not occur have nothing but zeros."""
    some = list(map(any, zip(*columns, strict=True)))
    if not all(some):
        documents = compress(documents, some)
        columns = tuple(list(compress(column, some)) for column in columns)
    if columns[0]:
        kept = rows_of(slices, key)
        kept.documents.extend(islice(documents, len(columns[0])))
        kept.counts.extend(interleave(columns))


def interleave(columns: Sequence[Sequence[Number]]) -> array[float]:
    """The first of each column, then the second of each, and so on.

    >>> interleave([[1, 2], [3, 4]]).tolist()
    [1.0, 3.0, 2.0, 4.0]
    """
    if _LISTS.isdisjoint(map(type, columns)):
        import numpy as np

        return array("d", np.array(columns, dtype=np.float64).T.tobytes())
    rows = list(chain.from_iterable(zip(*columns, strict=True)))
    return array("d", cast("list[float]", rows))  # fractions are made floats


_LISTS = frozenset({array, list})


def extend(mine: dict[Key, Rows], theirs: dict[Key, Rows], documents: int) -> None:
    """Add the rows of other documents, which are numbered from `documents` on."""
    for key, more in theirs.items():
        kept = rows_of(mine, key)
        kept.documents.extend([document + documents for document in more.documents])
        kept.counts.extend(more.counts)
