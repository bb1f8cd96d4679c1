"""Elements of many documents as columns: an element becomes an object only when somebody asks for it.

The arcs of a treebank are made so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from matchwise.arrays import Integers


class Column(NamedTuple):
    """One field of every element: distinct values, no two with the same key, and which of them each element has.

    Columns of both sides that share their values are compared by codes alone.
    """

    codes: Integers
    values: Sequence[Any]

    @classmethod
    def of_numbers(cls, numbers: Integers) -> Column:
        """A column of whole numbers in a narrow range."""
        low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
        return cls(numbers - low, range(low, high + 1))

    def items(self) -> list[Any]:
        return list(map(self.values.__getitem__, self.codes.tolist()))

    def at(self, rows: Any) -> Column:
        """The field of some of the elements."""
        return Column(self.codes[rows], self.values)


class Numbers(dict[Any, int]):
    """Different values, numbered as they are met; what both sides number together is compared by numbers."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number

    def of(self, values: Iterable[Any], length: int) -> Integers:
        """Number `length` values."""
        return np.fromiter(map(self.__getitem__, values), dtype=np.intp, count=length)


class ElementTable(Sequence["Slice"]):
    """Elements as columns: document d has the rows offsets[d]:offsets[d + 1].

    `make` makes an element of its fields, in the order of the columns. The column of elements without fields is "".
    As a sequence it has the collection of each document.
    """

    __slots__ = ("columns", "make", "offsets")

    def __init__(self, offsets: list[int] | Integers, columns: Mapping[str, Column], make: Callable[..., Any]) -> None:
        self.offsets, self.columns, self.make = offsets, columns, make

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self.offsets) - 1

    def __getitem__(self, place: Any) -> Any:
        return self.slices()[place]

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices())

    @property
    def bounds(self) -> list[int]:
        """The offsets as a list."""
        return self.offsets if isinstance(self.offsets, list) else self.offsets.tolist()

    def slices(self) -> list[Slice]:
        """The collection of each document."""
        return [Slice(self, a, b) for a, b in pairwise(self.bounds)]

    def pick(self, rows: Integers | list[int] | slice, offsets: list[int] | Integers) -> ElementTable:
        """Some of the rows, grouped into other documents."""
        return ElementTable(offsets, {name: column.at(rows) for name, column in self.columns.items()}, self.make)

    def halve(self, documents: int) -> tuple[ElementTable, ElementTable]:
        """The table of the first documents, and that of the others."""
        offsets = np.array(self.offsets, dtype=np.intp)
        cut = int(offsets[documents])
        first = self.pick(slice(cut), offsets[: documents + 1])
        return first, self.pick(slice(cut, None), offsets[documents:] - cut)

    def elements(self, begin: int = 0, end: int | None = None) -> list[Any]:
        """Make objects of some rows."""
        return list(map(self.make, *[column.at(slice(begin, end)).items() for column in self.columns.values()]))


class Slice(Sequence[Any]):
    """The collection of one document; as a sequence it makes the objects that it is asked for."""

    __slots__ = ("begin", "end", "table")

    def __init__(self, table: ElementTable, begin: int, end: int) -> None:
        self.table, self.begin, self.end = table, begin, end

    def __len__(self) -> int:
        return self.end - self.begin

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table.elements(self.begin, self.end))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice) and place.step is None:
            begin, end, _ = place.indices(len(self))
            return Slice(self.table, self.begin + begin, self.begin + max(begin, end))
        return list(self)[place]

    def __repr__(self) -> str:
        return repr(list(self))


def table_of(collections: Sequence[Any]) -> ElementTable | None:
    """The table whose documents have exactly these collections, if all are slices of one."""
    if not collections or set(map(type, collections)) != {Slice}:
        return None
    table: ElementTable = collections[0].table
    if any(one.table is not table for one in collections):
        return None
    begins, ends = [one.begin for one in collections], [one.end for one in collections]
    if begins == table.bounds[:-1] and ends == table.bounds[1:]:
        return table
    rows = [row for begin, end in zip(begins, ends, strict=True) for row in range(begin, end)]
    return table.pick(rows, list(accumulate((end - begin for begin, end in zip(begins, ends, strict=True)), initial=0)))
