"""The elements of one side of a batch of documents, laid end to end.

Scoring sentence by sentence spends its time on calls. So a plan works on two *frames*, which hold the elements of many
documents at once. What was computed of them is remembered by their side (`memo`) until the batch is done.

    documents    [{"xs": [a, b]}, {"xs": [c]}]           a frame of 2
    .flat("xs")  a b c, of the documents 0 0 1           a frame of 3, and the offsets 0 2 3

Elements are objects, or the rows of a table (`ElementTable`): an element becomes an object only where code needs
it. The arcs of a treebank are made so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct, field

from matchwise.algebra.nodes import Selector
from matchwise.algebra.steps import Step
from matchwise.arrays import Integers
from matchwise.engine.many import kernels
from matchwise.engine.many.kernels import Vector
from matchwise.engine.one.parts import PairSide, Part
from matchwise.engine.order import sort_groups
from matchwise.engine.selection import (
    MISSING,
    absent,
    blame,
    elements,
    fetch_all,
    follow,
    join,
    not_a_collection,
)
from matchwise.errors import RAISED, DataError

Result = TypeVar("Result")

Path: TypeAlias = Callable[[int], str]
"""The number of an element -> the way to it from its document."""

COLLECTIONS = frozenset({list, tuple})


class Side(PairSide, eq=False):
    """One side of a batch, and what is known of its frames."""

    documents: Vector | None = None
    """The numbers of the documents; None if there is only one."""
    elements: int = 0
    """How many elements the collections have that were met."""
    inside: list[Callable[[], None]] = field(default_factory=list)
    """How to forget documents of this side as `one` compares them, and this side under matchings of variables."""

    def forget(self) -> None:
        """Frames and sides know each other: without this, documents would wait for the garbage collector."""
        for forget in self.inside:
            forget()
        self.inside.clear()
        self.known.clear()
        self.answers.clear()


class Frame(Struct, eq=False):
    """Elements of one side, with the document of each and the way back to it."""

    _items: list[Any] | None
    """The elements as objects; None as long as nobody asks for those of a table."""
    path: Path
    side: Side
    documents: Vector | None = None
    """The document of each element; None if there is only one document."""
    table: ElementTable | None = None
    """The elements as rows, where they are."""

    @property
    def items(self) -> list[Any]:
        """The elements as objects."""
        if self._items is None:
            assert self.table is not None
            self._items = self.table.elements()
        return self._items

    def __len__(self) -> int:
        return len(self.items) if self.table is None else int(self.table.offsets[-1])

    def fail(self, index: int, problem: str, before: Selector = ()) -> DataError:
        """The error of an element, or of what some steps lead to from there."""
        return DataError(problem, path=join(self.path(index), before), side=self.side.name)

    @property
    def is_root(self) -> bool:
        """True if the elements are the documents, or one part of each of them."""
        return len(self) == 1 if self.documents is None else self.documents is self.side.documents

    def scope(self) -> Vector:
        """The document of each element."""
        return np.zeros(len(self), dtype=np.intp) if self.documents is None else self.documents

    def column(self, sel: Selector) -> Column | None:
        """The column that `sel` selects, if the elements are rows of a table and it is one of its columns."""
        if self.table is None or not all(isinstance(step, str) for step in sel):
            return None
        return self.table.columns.get(".".join(sel))  # type: ignore[arg-type]  # strings all

    def select(self, sel: Selector) -> Frame:
        """The selected value of every element."""
        if not sel:
            return self
        memo, tag = self.side.known, (self, sel)
        made: Frame | None = memo.get(tag)
        if made is None:
            items = self.values(sel)
            made = memo[tag] = Frame(items, lambda index: join(self.path(index), sel), self.side, self.documents)
        return made

    def values(self, sel: Selector, *, slices: bool = False, optional: bool = False) -> list[Any]:
        """The selected value of every element; the collections of a table are tuples, or `slices` of it.

        If it is `optional`, it is MISSING where there is none.
        """
        column = self.column(sel[:1])
        items, first = (self.items, 0) if column is None else (column.items(), 1)
        for done, step in enumerate(sel[first:], start=first):
            found: list[Any] | None = None
            if optional or not callable(step):
                found = fetch_all(items, step)
            else:
                with suppress(*RAISED):  # below it is said of which element
                    found = [step(item) for item in items]
            if found is None and optional and isinstance(step, str) and set(map(type, items)) == {dict}:
                found = [item.get(step, MISSING) for item in items]
            if found is None:
                fails = (partial(self._fail_at, index, sel[:done]) for index in range(len(items)))
                found = [follow(x, (step,), fail, optional=optional) for x, fail in zip(items, fails, strict=True)]
            items = found
        if not slices and self.table is not None and items and type(items[0]) is Slice:
            return list(map(tuple, items))
        return items

    def _fail_at(self, index: int, before: Selector, problem: str, after: Selector) -> DataError:
        return self.fail(index, problem, (*before, *after))

    def flat(self, sel: Selector, *, lenient: bool = False) -> Flat:
        """The elements of the selected collection of every element, in one frame.

        `lenient` takes a value that is not a collection as a collection of one.
        """
        memo, tag = self.side.known, (self, sel, "flat", lenient)
        made: Flat | None = memo.get(tag)
        if made is None:
            lists = self.values(sel, slices=True)
            table = table_of(lists)
            if table is None and not COLLECTIONS.issuperset(map(type, lists)):
                values, lists = lists, []
                for index, value in enumerate(values):
                    found = elements(value, partial(self._fail_at, index, sel))
                    if found is None and (value is None or not lenient):
                        raise self.fail(index, not_a_collection(value), sel)
                    lists.append([value] if found is None else found)
            offsets = kernels.offsets_of(lists) if table is None else table.offsets
            owners = kernels.owners_of(offsets)
            written: dict[int, str] = {}

            def path(index: int) -> str:
                if index not in written:  # an alignment asks for the path of every pair, level by level
                    owner = bisect_right(offsets, index) - 1
                    written[index] = f"{join(self.path(owner), sel)}[{index - int(offsets[owner])}]"
                return written[index]

            items = list(chain.from_iterable(lists)) if table is None else None
            documents = None if self.documents is None else self.documents[owners]
            self.side.elements += len(owners)
            made = memo[tag] = Flat(Frame(items, path, self.side, documents, table), offsets, owners)
        return made

    def present(self, sel: Selector) -> Present:
        """The elements that have the selected part, and the part itself; an absent part is not an error."""
        memo, tag = self.side.known, (self, sel, "present")
        made: Present | None = memo.get(tag)
        if made is None:
            values = self.values(sel, slices=True, optional=True)
            parts = Frame(values, lambda index: join(self.path(index), sel), self.side, self.documents)
            made = memo[tag] = parts.keep([index for index, value in enumerate(values) if not absent(value)])
        return made

    def keep(self, kept: list[int]) -> Present:
        """The elements at some places, as parts of this frame."""
        return Present(None, self) if len(kept) == len(self) else Present(kernels.places(kept), self.take(kept))

    def take(self, places: list[int]) -> Frame:
        """The elements at the given places."""
        documents = None if self.documents is None else self.documents[kernels.places(places)]
        items = table = None
        if self._items is None and self.table is not None:
            table = self.table.take(places, np.array([0, len(places)]))
        else:
            items = list(map(self.items.__getitem__, places))
        return Frame(items, lambda index: self.path(places[index]), self.side, documents, table)

    def bind(self, variables: dict[tuple[str, Any], int]) -> Frame:
        """The same objects with their variables matched: a matched name has the same number on both sides."""
        side = Side(self.side.name, variables=variables, documents=self.side.documents)
        self.side.inside.append(side.forget)
        return Frame(self.items, self.path, side, self.documents)

    def distinct(self) -> tuple[Vector, Frame]:
        """Number the distinct objects of each document, and return them."""
        memo, tag = self.side.known, (self, "distinct")
        made: tuple[Vector, Frame] | None = memo.get(tag)
        if made is None:
            numbers: dict[tuple[int, int], int] = {}
            names = zip(self.scope().tolist(), map(id, self.items), strict=True)
            codes = [numbers.setdefault(name, len(numbers)) for name in names]
            first = dict(zip(reversed(codes), range(len(codes) - 1, -1, -1), strict=True))
            few = self if len(numbers) == len(codes) else self.take([first[number] for number in range(len(numbers))])
            made = memo[tag] = kernels.places(codes), few
        return made

    def parts(self) -> list[Part]:
        """The elements as `one` compares them; elements of one document share a memo."""
        memo, tag = self.side.known, (self, "parts")
        made: list[Part] | None = memo.get(tag)
        if made is None:
            side = self.side
            scope = self.scope().tolist()
            sides = {one: PairSide(side.name, variables=side.variables, answers=side.answers) for one in set(scope)}
            side.inside += [one.known.clear for one in sides.values()]
            several = enumerate(zip(self.items, scope, strict=True))
            made = memo[tag] = [Part(item, sides[one], Place(self, index)) for index, (item, one) in several]
        return made

    def by_document(self) -> dict[int, list[int]]:
        """The places of the elements of each document."""
        made: dict[int, list[int]] = {}
        for place, document in enumerate(self.scope().tolist()):
            made.setdefault(document, []).append(place)
        return made

    def sort_by_content(self, groups: list[list[int]]) -> list[list[int]]:
        """Sort the elements of each group by content, then position."""
        return sort_groups(self.items, groups)


class Place(Struct, frozen=True):
    """Where an element of a frame stands."""

    frame: Frame
    index: int

    def path(self) -> str:
        return self.frame.path(self.index)


class Flat(NamedTuple):
    """Collections laid end to end: element i has frame[offsets[i]:offsets[i + 1]]; `owners` is the other way round."""

    frame: Frame
    offsets: Vector
    owners: Vector


class Present(NamedTuple):
    """The elements that have a part (None: all of them), and the parts."""

    kept: Vector | None
    frame: Frame

    def owners(self, places: Vector) -> Vector:
        """Return the elements whose parts are at the given places."""
        return places if self.kept is None else self.kept[places]

    def find(self, elements: Vector, size: int) -> Vector:
        """Return the places of the parts of some of `size` elements; −1 where an element has no part."""
        return elements if self.kept is None else kernels.inverse(self.kept, size)[elements]


def frame_of(items: list[Any], side: str = "", *, apart: bool = True) -> Frame:
    """Make the frame of one side of a batch; with `apart=False` all items belong to one document and may meet."""
    documents = None if len(items) == 1 or not apart else np.arange(len(items))
    return Frame(items, lambda _: "", Side(side, documents=documents), documents)


@contextmanager
def both_sides(preds: list[Any], refs: list[Any], step: Step | None = None) -> Iterator[tuple[Frame, Frame]]:
    """The frames of a batch of documents, after a step; what was computed of them is forgotten in the end."""
    if step is not None:
        preds, refs = step.all(preds, refs)
    p, r = frame_of(preds, "prediction"), frame_of(refs, "reference")
    try:
        yield p, r
    except RAISED as error:
        blame(error, preds, refs)
        raise
    finally:
        p.side.forget()
        r.side.forget()


def run(
    function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any], step: Step | None = None
) -> Result:
    """A function of both sides of a batch of documents, after a step."""
    with both_sides(preds, refs, step) as frames:
        return function(*frames)


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


class ElementTable(Struct, frozen=True, eq=False):
    """Elements as columns: document d has the rows offsets[d]:offsets[d + 1].

    `make` makes an element of its fields, in the order of the columns. The column of elements without fields is "".
    As a sequence it has the collection of each document.
    """

    offsets: Integers
    columns: Mapping[str, Column]
    make: Callable[..., Any]

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self.offsets) - 1

    def __getitem__(self, place: Any) -> Any:
        return self.slices()[place]

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices())

    def slices(self) -> list[Slice]:
        """The collection of each document."""
        return [Slice(self, a, b) for a, b in pairwise(self.offsets.tolist())]

    def take(self, rows: Integers | list[int] | slice, offsets: Integers) -> ElementTable:
        """Some of the rows, grouped into other documents."""
        return ElementTable(offsets, {name: column.at(rows) for name, column in self.columns.items()}, self.make)

    def halve(self, documents: int) -> tuple[ElementTable, ElementTable]:
        """The table of the first documents, and the table of the others."""
        cut = int(self.offsets[documents])
        first = self.take(slice(cut), self.offsets[: documents + 1])
        return first, self.take(slice(cut, None), self.offsets[documents:] - cut)

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
    begins, ends = (np.array([getattr(one, name) for one in collections]) for name in ("begin", "end"))
    if np.array_equal(begins, table.offsets[:-1]) and np.array_equal(ends, table.offsets[1:]):
        return table
    rows = [row for one in collections for row in range(one.begin, one.end)]
    return table.take(rows, np.append(0, np.cumsum(ends - begins)))
