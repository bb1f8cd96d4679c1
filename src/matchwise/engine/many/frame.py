"""The elements of one side of a batch of documents, laid end to end.

Scoring sentence by sentence spends its time on calls. So a plan works on two *frames*, which hold the elements of many
documents at once, and remember (`memo`) what was computed of them until the batch is done.

    documents    [{"xs": [a, b]}, {"xs": [c]}]           a frame of 2
    .flat("xs")  a b c, of the documents 0 0 1           a frame of 3, and the offsets 0 2 3

Elements are objects, or the rows of a table; an object is made of a row only where it is needed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from matchwise.algebra.nodes import Selector
from matchwise.algebra.steps import Step
from matchwise.engine.many import kernels
from matchwise.engine.many.table import Column, ElementTable, Slice, table_of
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

Made = TypeVar("Made")
Result = TypeVar("Result")

Vector: TypeAlias = Any
"""A NumPy array."""

Path: TypeAlias = Callable[[int], str]
"""The number of an element -> the way to it from its document."""

COLLECTIONS = frozenset({list, tuple})


class Side:
    """One side of a batch: its name in messages, and the frames that were met so far."""

    __slots__ = ("answers", "documents", "elements", "known", "name", "parts", "under", "variables")

    def __init__(self, name: str, documents: Vector | None = None) -> None:
        self.name = name
        self.documents = documents
        """The numbers of the documents; None if there is only one."""
        self.elements = 0
        """How many elements the collections have that were met."""
        self.known: list[Frame] = []
        """All frames of this side."""
        self.variables: dict[tuple[str, Any], int] | None = None
        """Inside of `latent`, under a matching: the pair that each matched variable is in."""
        self.under: list[Side] = []
        """The same side under matchings of its variables."""
        self.parts: list[PairSide] = []
        """Documents of this side as `one` compares them."""
        self.answers: dict[Any, Any] = {}
        """What users' functions said, for all of these documents."""

    def forget(self) -> None:
        """Frames remember each other: without this, documents would wait for the garbage collector."""
        for side in self.under:
            side.forget()
        for document in self.parts:
            document.known.clear()
        for frame in self.known:
            frame.memo.clear()
        self.known.clear()
        self.under.clear()
        self.parts.clear()
        self.answers.clear()


class Frame:
    """Elements of one side, with the document of each and the way back to it."""

    __slots__ = ("_items", "documents", "memo", "path", "side", "table")

    def __init__(
        self,
        items: list[Any] | None,
        path: Path,
        side: Side,
        documents: Vector | None = None,
        table: ElementTable | None = None,
    ) -> None:
        self._items, self.table = items, table
        """The elements as objects, as rows of a table, or both."""
        self.path = path
        self.side = side
        self.documents = documents
        """The document of each element; None if there is only one document."""
        self.memo: dict[Any, Any] = {}
        side.known.append(self)

    @property
    def items(self) -> list[Any]:
        """The elements as objects."""
        if self._items is None:
            assert self.table is not None
            self._items = self.table.elements()
        return self._items

    def __len__(self) -> int:
        return len(self.items) if self.table is None else int(self.table.offsets[-1])

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
        """The column that `sel` selects, if the elements are rows of a table and it is one of its columns."""
        if self.table is None or not all(isinstance(step, str) for step in sel):
            return None
        return self.table.columns.get(".".join(sel))  # type: ignore[arg-type]  # strings all

    def select(self, sel: Selector) -> Frame:
        """The selected value of every element."""
        return self.once(sel, partial(self._select, sel)) if sel else self

    def _select(self, sel: Selector) -> Frame:
        items = self._values(sel)
        if self.table is not None and items and type(items[0]) is Slice:
            items = list(map(tuple, items))  # compared as a value, not by its elements
        return Frame(items, lambda index: join(self.path(index), sel), self.side, self.documents)

    def _values(self, sel: Selector) -> list[Any]:
        """The selected value of every element."""
        column = self.column(sel[:1])
        items = self.items if column is None else column.items()
        for done, step in enumerate(sel):
            if done == 0 and column is not None:
                continue
            found = None if callable(step) else fetch_all(items, step)
            if found is None:
                found = [
                    follow(item, (step,), partial(self._fail_at, index, sel[:done])) for index, item in enumerate(items)
                ]
            items = found
        return items

    def _fail_at(self, index: int, before: Selector, problem: str, after: Selector) -> DataError:
        return DataError(problem, path=join(self.path(index), (*before, *after)), side=self.side.name)

    def flat(self, sel: Selector) -> Flat:
        """The elements of the selected collection of every element, in one frame."""
        return self.once(("flat", sel), partial(self._flatten, sel))

    def _flatten(self, sel: Selector) -> Flat:
        lists = self._values(sel) if sel else self.items
        table = table_of(lists)
        if table is not None:
            return self._lay_out(None, kernels.places(table.offsets), sel, table)
        if not COLLECTIONS.issuperset(map(type, lists)):
            found = [elements(one, partial(self._fail_at, index, sel)) for index, one in enumerate(lists)]
            if None in found:
                index = found.index(None)
                raise self._fail_at(index, sel, not_a_collection(lists[index]), ())
            lists = found
        return self._lay_out(list(chain.from_iterable(lists)), kernels.offsets_of(lists), sel)

    def _lay_out(
        self, items: list[Any] | None, offsets: Vector, sel: Selector, table: ElementTable | None = None
    ) -> Flat:
        documents = None if self.documents is None else self.documents[kernels.owners_of(offsets)]
        written: dict[int, str] = {}

        def path(index: int) -> str:
            if index not in written:  # an alignment asks for the path of every pair, level by level
                owner = bisect_right(offsets, index) - 1
                written[index] = f"{join(self.path(owner), sel)}[{index - int(offsets[owner])}]"
            return written[index]

        made = Frame(items, path, self.side, documents, table)
        self.side.elements += len(made)
        return Flat(made, offsets)

    def several(self, sel: Selector) -> Flat:
        """Like `flat`, but a value that is not a collection counts as a collection of one."""
        return self.once(("several", sel), partial(self._several, sel))

    def _several(self, sel: Selector) -> Flat:
        values = self.select(sel).items
        if any(value is None for value in values):
            raise self._fail_at(values.index(None), sel, not_a_collection(None), ())
        lists = [
            [value] if (found := elements(value, partial(self._fail_at, index, sel))) is None else found
            for index, value in enumerate(values)
        ]
        return self._lay_out(list(chain.from_iterable(lists)), kernels.offsets_of(lists), sel)

    def present(self, sel: Selector) -> Present:
        """The elements that have the selected part, and the part itself; an absent part is not an error."""
        return self.once(("present", sel), partial(self._present, sel))

    def _present(self, sel: Selector) -> Present:
        values = self._reach(sel)
        parts = Frame(values, lambda index: join(self.path(index), sel), self.side, self.documents)
        kept = [index for index, value in enumerate(values) if not absent(value)]
        return Present(None, parts) if len(kept) == len(values) else Present(kernels.places(kept), parts.take(kept))

    def _reach(self, sel: Selector) -> list[Any]:
        """The selected value of every element, MISSING where there is none."""
        column = self.column(sel[:1])
        items, done = (self.items, 0) if column is None else (column.items(), 1)
        for step in sel[done:]:
            found = (
                [item.get(step, MISSING) for item in items]
                if isinstance(step, str) and set(map(type, items)) == {dict}
                else fetch_all(items, step)
            )
            if found is None:
                return [
                    follow(item, sel, partial(self._fail_at, k, ()), optional=True) for k, item in enumerate(self.items)
                ]
            items = found
        return items

    def take(self, places: list[int]) -> Frame:
        """The elements at the given places."""
        documents = None if self.documents is None else self.documents[kernels.places(places)]
        items = table = None
        if self._items is None and self.table is not None:
            table = self.table.pick(places, [0, len(places)])
        else:
            items = list(map(self.items.__getitem__, places))
        return Frame(items, lambda index: self.path(places[index]), self.side, documents, table)

    def distinct(self) -> tuple[Vector | None, Frame]:
        """Number the distinct objects of each document, and return them; the numbers are None if all are distinct."""
        # a frame that remembered itself would outlive the batch
        return self.once("distinct", self._distinct) or (None, self)

    def _distinct(self) -> tuple[Vector, Frame] | None:
        names = list(zip(self.scope().tolist(), map(id, self.items), strict=True))
        first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
        if len(first) == len(names):
            return None
        places = sorted(first.values())
        numbers = {names[place]: number for number, place in enumerate(places)}
        return kernels.places([numbers[name] for name in names]), self.take(places)

    def parts(self) -> list[Part]:
        """The elements as `one` compares them; elements of one document share a memo."""
        return self.once("parts", self._parts)

    def _parts(self) -> list[Part]:
        made: dict[int, PairSide] = {}
        for document in self.by_document():
            made[document] = PairSide(self.side.name, variables=self.side.variables, answers=self.side.answers)
        self.side.parts += made.values()
        scope = zip(self.items, self.scope().tolist(), strict=True)
        return [Part(item, made[document], Place(self, place)) for place, (item, document) in enumerate(scope)]

    def by_document(self) -> dict[int, list[int]]:
        """The places of the elements of each document."""
        made: dict[int, list[int]] = {}
        for place, document in enumerate(self.scope().tolist()):
            made.setdefault(document, []).append(place)
        return made

    def sort_by_content(self, groups: list[list[int]]) -> list[list[int]]:
        """Sort the elements of each group by content, then position."""
        return sort_groups(self.items, groups)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element of a frame stands."""

    frame: Frame
    index: int

    def path(self) -> str:
        return self.frame.path(self.index)


class Flat(NamedTuple):
    """Collections laid end to end: element i has frame[offsets[i]:offsets[i + 1]]."""

    frame: Frame
    offsets: Vector

    def owners(self) -> Vector:
        """The element that each belongs to."""
        return self.frame.once("owners", partial(kernels.owners_of, self.offsets))

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
    return Frame(items, lambda _: "", Side(side, documents), documents)


def run_after(
    step: Step | None, function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]
) -> Result:
    """Apply the step to a batch of documents, then run a function over both sides."""
    return run(function, *((preds, refs) if step is None else step.all(preds, refs)))


def run(function: Callable[[Frame, Frame], Result], preds: list[Any], refs: list[Any]) -> Result:
    """A function of both sides of a batch of documents; what was computed of them is forgotten afterwards."""
    p, r = frame_of(preds, "prediction"), frame_of(refs, "reference")
    try:
        return function(p, r)
    except RAISED as error:
        blame(error, preds, refs)
        raise
    finally:
        p.side.forget()
        r.side.forget()
