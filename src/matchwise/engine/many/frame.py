"""The elements of one side of a batch of documents, laid end to end.

Scoring sentence by sentence spends its time on calls. So a plan never works on a pair of objects: it works on two
*frames*, which hold the elements of many documents at once, and remember (`memo`) what was computed of them until the
batch is done. One document is a batch of one.

    documents    [{"xs": [a, b]}, {"xs": [c]}]           a frame of 2
    .flat("xs")  a b c, of the documents 0 0 1           a frame of 3, and the offsets 0 2 3

Elements are objects, or columns; an object is made from columns only when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from matchwise.algebra.nodes import Move, Selector
from matchwise.engine.many import kernels
from matchwise.engine.many.side import Path, Side, element_path, field_path, root, taken_path
from matchwise.engine.many.side import Vector as Vector
from matchwise.engine.many.table import Column, ElementTable, Slice, table_of
from matchwise.engine.order import is_ordered, sort_groups
from matchwise.engine.selection import (
    MISSING,
    PLAIN,
    absent,
    at_once,
    elements,
    fetch_all,
    is_subclass,
    join,
    may_be_absent,
    not_a_collection,
    only_class,
    reach,
    step_carefully,
)
from matchwise.errors import DataError

Made = TypeVar("Made")
_SCALARS = PLAIN | {type(MISSING)}
COLLECTIONS = frozenset({list, tuple, set, frozenset})


class Frame:
    """Elements of one side, with the document of each and the way back to it."""

    __slots__ = ("documents", "items", "memo", "path", "side", "table")

    def __init__(self, items: list[Any], path: Path, side: Side, documents: Vector | None = None) -> None:
        self.items = items
        self.path = path
        self.side = side
        self.documents = documents
        """The document of each element; None if there is only one document."""
        self.table: ElementTable | None = None
        self.memo: dict[Any, Any] = {}
        side.known.append(self)

    def __len__(self) -> int:
        return len(self.items)

    def fail(self, index: int, problem: str) -> DataError:
        return DataError(problem, path=self.path(index), side=self.side.name)

    def once(self, tag: Any, make: Callable[[], Made]) -> Made:
        """Return what was made under this tag; make it the first time."""
        made: Made = self.memo.get(tag, MISSING)
        if made is MISSING:
            made = self.memo[tag] = make()
        return made

    @property
    def is_root(self) -> bool:
        """True if the elements are the documents, or one part of each of them."""
        return len(self) == 1 if self.documents is None else self.documents is self.side.documents

    def scope(self) -> Vector:
        """The document of each element."""
        return np.zeros(len(self), dtype=np.intp) if self.documents is None else self.documents

    def column(self, sel: Selector) -> Column | None:
        """The column that `sel` selects, if the elements are columns, it is one of them and its codes are arrays."""
        found = self._column(sel)
        return None if found is None or found.is_listed() else found

    def _column(self, sel: Selector) -> Column | None:
        if self.table is None or not all(isinstance(step, str) for step in sel):
            return None
        return self.table.columns.get(".".join(sel))  # type: ignore[arg-type]  # strings all

    def select(self, sel: Selector) -> Frame:
        """The selected value of every element."""
        if not sel:
            return self
        made: Frame | None = self.memo.get(sel)
        if made is None:
            items = _as_list(self._select(sel))
            if self.table is not None and items and type(items[0]) is Slice:
                items = list(map(tuple, items))  # compared as a value, not by its elements
            made = self.side.same(items, self.documents)
            if made is None:
                made = Frame(items, partial(field_path, self.path, sel), self.side, self.documents)
            if made is not self:  # a frame that remembered itself would outlive the batch
                self.memo[sel] = made
        return made

    def _select(self, sel: Selector) -> list[Any] | ElementTable:
        if len(sel) == 1 and self.table is None:  # the usual case
            found = None if callable(sel[0]) else self.fetch(sel)
            return step_carefully(self.items, sel[0], self, ()) if found is None else found
        column = self._column(sel[:1])
        items: list[Any] | ElementTable = self.items if column is None else column.items()
        done = 0 if column is None else 1
        for number, step in enumerate(sel[done:], start=done):
            listed = _as_list(items)
            found = at_once(listed, step) if number else self.fetch((step,))
            items = step_carefully(listed, step, self, sel[:number]) if found is None else found
        return items

    def fetch(self, steps: tuple[Move, ...]) -> Any:
        """Fetch the steps' parts of objects of one class (a tuple for several steps); None if they need care."""
        items: Any = self.items
        if len(items) == 1:
            return fetch_all(items, type(items[0]), steps)
        return fetch_all(items, self.once("class", partial(only_class, items)), steps)

    def flat(self, sel: Selector) -> Flat:
        """The elements of the selected collection of every element, in one frame."""
        return self.once(("flat", sel), partial(self._flatten, sel))

    def _flatten(self, sel: Selector) -> Flat:
        lists = self.collections(sel)
        if isinstance(lists, ElementTable):
            return self._of_table(lists, sel)
        if not COLLECTIONS.issuperset(map(type, lists)):
            table = table_of(lists)
            if table is not None:
                return self._of_table(table, sel)
            lists = list(map(elements, lists))
            if None in lists:
                values, index = self.select(sel), lists.index(None)
                raise values.fail(index, not_a_collection(values.items[index]))
        return self._of_lists(lists, sel)

    def collections(self, sel: Selector) -> Any:
        """The selected collection of every element as it is, or a table of them."""
        return self.once(("collections", sel), lambda: self._select(sel)) if sel else self.items

    def _of_table(self, table: ElementTable, sel: Selector) -> Flat:
        offsets = kernels.places(table.offsets)
        path = partial(element_path, self.path, sel, offsets, {})
        made = ColumnFrame(table, path, self.side, self._documents_of(offsets))
        self.side.elements += len(made)
        return Flat(made, offsets)

    def _of_lists(self, lists: Sequence[Sequence[Any]], sel: Selector) -> Flat:
        items = list(lists[0] if len(lists) == 1 else chain.from_iterable(lists))
        offsets = kernels.offsets_of(lists)
        documents = None if self.documents is None else self._documents_of(offsets)
        side, is_shared = self.side, bool(items) and type(items[0]) not in PLAIN
        made = side.same(items, documents) if is_shared else None
        if made is None:
            made = Frame(items, partial(element_path, self.path, sel, offsets, {}), side, documents)
            side.elements += len(items)
            if is_shared:
                side.remember(made)
        return Flat(made, offsets)

    def _documents_of(self, offsets: Vector) -> Vector | None:
        """The document of each element of the collections, by the document of its owner."""
        return None if self.documents is None else self._documents_at(kernels.owners_of(offsets))

    def several(self, sel: Selector) -> Flat:
        """Like `flat`, but a value that is not a collection counts as a collection of one."""
        return self.once(("several", sel), partial(self._several, sel))

    def _several(self, sel: Selector) -> Flat:
        values = _as_list(self._select(sel))
        for index, value in enumerate(values):
            if value is None:
                raise DataError(not_a_collection(None), join(self.path(index), sel), side=self.side.name)
        return self._of_lists([[value] if (found := elements(value)) is None else found for value in values], sel)

    def present(self, sel: Selector) -> Present:
        """The elements that have the selected part, and the part itself; an absent part is not an error."""
        return self.once(("present", sel), partial(self._present, sel))

    def _present(self, sel: Selector) -> Present:
        values = [self._only(sel)] if len(self) == 1 else self._reach(sel)
        path = partial(field_path, self.path, sel) if sel else self.path
        if len(values) == 1:
            kept: list[int] | None = [] if absent(values[0]) else None
        elif not any(map(may_be_absent, types := set(map(type, values)))) or (types <= COLLECTIONS and all(values)):
            kept = None
        elif types <= _SCALARS:
            kept = [index for index, value in enumerate(values) if value is not None and value is not MISSING]
        else:
            kept = [index for index, value in enumerate(values) if not absent(value)]
        if kept is None or len(kept) == len(values):
            return Present(None, Frame(values, path, self.side, self.documents))
        at, path = kernels.places(kept), partial(taken_path, path, kept)
        return Present(at, Frame([values[index] for index in kept], path, self.side, self._documents_at(at)))

    def _only(self, sel: Selector) -> Any:
        """The selected value of the only element, or MISSING."""
        value = self.items[0]
        for step in sel:
            if not (isinstance(value, dict) and isinstance(step, str)):
                return reach(self.items[0], sel, self, 0)
            value = value.get(step, MISSING)
            if value is None:
                return MISSING
        return value

    def _reach(self, sel: Selector) -> list[Any]:
        """The selected value of every element, MISSING where there is none."""
        column = self._column(sel[:1])
        found = None if column is None else column.items()
        items, done = (self.items, 0) if found is None else (found, 1)
        for step in sel[done:]:
            if isinstance(step, str) and all(is_subclass(cls, dict) for cls in set(map(type, items))):
                items = [item.get(step, MISSING) for item in items]
                continue
            found = at_once(items, step)
            if found is None:
                return [reach(item, sel, self, index) for index, item in enumerate(self.items)]
            items = found
        return items

    def take(self, at: Vector) -> Frame:
        """The elements at the given places."""
        places: list[int] = at if isinstance(at, list) else at.tolist()
        return self._take(places, partial(taken_path, self.path, places), self._documents_at(at))

    def _take(self, places: list[int], path: Path, documents: Vector | None) -> Frame:
        return Frame(list(map(self.items.__getitem__, places)), path, self.side, documents)

    def _documents_at(self, at: Vector) -> Vector | None:
        return None if self.documents is None else self.documents[kernels.places(at)]

    def distinct(self) -> tuple[Vector | None, Frame]:
        """Number the distinct objects of each document, and return them; the numbers are None if all are distinct."""
        # a frame that remembered itself would outlive the batch
        return self.once("distinct", self._distinct) or (None, self)

    def _distinct(self) -> tuple[Vector, Frame] | None:
        names: list[Any] = list(map(id, self.items))
        if len(set(names)) == len(names):
            return None
        if self.documents is not None:
            names = list(zip(self.documents.tolist(), names, strict=True))
        first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
        if len(first) == len(names):
            return None
        places = sorted(first.values())
        numbers = {names[place]: number for number, place in enumerate(places)}
        made = self.side.same([self.items[place] for place in places], self._documents_at(places))
        if made is None:
            made = self.take(places)
            self.side.remember(made)
        return kernels.places([numbers[name] for name in names]), made

    def sort_by_content(self, groups: list[list[int]]) -> list[list[int]]:
        """Sort the elements of each group by content, then position."""
        if self.documents is not None:  # many documents ask for a few elements each
            key = self.once("content", self._content_key)
            if key:
                return [sorted(places, key=key) for places in groups]
        return sort_groups(self.items, groups)

    def _content_key(self) -> Callable[[int], Any] | Literal[False]:
        """A key that sorts all elements, or False if Python cannot compare them."""
        return self.items.__getitem__ if is_ordered(self.items) else False


class ColumnFrame(Frame):
    """Elements that are the rows of a table; objects are made of them when somebody asks."""

    __slots__ = ("_made",)

    table: ElementTable

    def __init__(self, table: ElementTable, path: Path, side: Side, documents: Vector | None = None) -> None:
        super().__init__([], path, side, documents)
        self.table = table
        self._made: list[Any] | None = None

    @property
    def items(self) -> list[Any]:
        if self._made is None:
            self._made = self.table.elements()
        return self._made

    @items.setter
    def items(self, none: list[Any]) -> None:
        """Nothing is kept of the empty list that a frame begins with."""

    def __len__(self) -> int:
        return int(self.table.offsets[-1])

    def _take(self, places: list[int], path: Path, documents: Vector | None) -> Frame:
        if self._made is not None:
            return super()._take(places, path, documents)
        return ColumnFrame(self.table.pick(places, [0, len(places)]), path, self.side, documents)

    def _content_key(self) -> Callable[[int], Any] | Literal[False]:
        if self._made is not None:
            return super()._content_key()
        ranks = self.table.ranks()
        return False if ranks is None else ranks.__getitem__


def _as_list(items: list[Any] | ElementTable) -> list[Any]:
    return items.slices() if isinstance(items, ElementTable) else items


class Flat(NamedTuple):
    """Collections laid end to end: element i has frame[offsets[i]:offsets[i + 1]]."""

    frame: Frame
    offsets: Vector

    def owners(self) -> Vector:
        """The element that each belongs to."""
        made = self.frame.memo.get(("owners", id(self.offsets)))
        if made is None or made[0] is not self.offsets:
            made = self.offsets, kernels.owners_of(self.offsets)
            self.frame.memo["owners", id(self.offsets)] = made
        return made[1]

    def span(self, owner: int) -> range:
        """The places of the elements of one owner."""
        return range(int(self.offsets[owner]), int(self.offsets[owner + 1]))

    def of(self, owner: int) -> Frame:
        return self.frame if len(self.offsets) == 2 else self.frame.take(list(self.span(owner)))


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
    made = Frame(items, root, Side(side, documents), documents)
    made.side.remember(made)  # a document may be an element of a collection of its own
    return made
