"""The parts of one side of a document: lists of objects, what is selected from them, and where each came from.

A plan works on lists of parts, never on pairs of objects. Each list remembers (`memo`) what was computed of it, so that
equal sub-expressions of a suite are computed once, and forgets it with the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from operator import is_
from typing import Any

from matchwise.algebra.nodes import Selector
from matchwise.engine.columns import Column, Table, table_of
from matchwise.engine.order import content_order, is_ordered
from matchwise.engine.paths import Element, Field, Taken, root
from matchwise.engine.scope import Scope, owners
from matchwise.engine.selection import (
    MISSING,
    PLAIN,
    absent,
    at_once,
    elements,
    is_dict,
    join,
    may_be_absent,
    not_a_collection,
    reach,
    step_all,
)
from matchwise.errors import DataError

_SCALARS = PLAIN | {object}  # the class of MISSING
_SEQUENCES = frozenset({list, tuple})


class Side:
    """One side of one document: its name for messages, and the lists of parts that were met so far."""

    __slots__ = ("_alike", "known", "name", "under", "variables")

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: list[Parts] = []
        self._alike: dict[tuple[int, int], list[Parts]] = {}
        """The known lists by their length and their first object."""
        self.variables: dict[tuple[str, Any], int] | None = None
        """Inside of `latent`, under a matching: the pair that each matched variable is in."""
        self.under: list[Side] = []
        """The same side under matchings of its variables."""

    def same(self, items: list[Any], scope: Scope | None = None) -> Parts | None:
        """The list that has the same objects in the same order, if there is one: what it remembers is shared.

        Plain values are no objects in this sense: the same text can stand in two places, and errors name the place.
        """
        if not items or type(items[0]) in PLAIN:
            return None
        for other in self._alike.get((len(items), id(items[0])), ()):
            if all(map(is_, other.items, items)) and other.scope == scope:
                return other
        return None

    def remember(self, parts: Parts) -> None:
        """Share what is computed of a list with all lists of the same objects."""
        self.known.append(parts)
        if parts.items:
            self._alike.setdefault((len(parts.items), id(parts.items[0])), []).append(parts)

    def forget(self) -> None:
        """Lists remember each other: without this, documents would wait for the garbage collector."""
        for parts in self.known:
            parts.memo.clear()
        self.known.clear()
        self._alike.clear()
        for side in self.under:
            side.forget()
        self.under.clear()


class Parts:
    """Objects of one side, with the way back to the document."""

    __slots__ = ("items", "memo", "path", "scope", "side")

    def __init__(self, items: list[Any], path: Callable[[int], str], side: Side, scope: Scope | None = None) -> None:
        self.items = items
        self.path = path
        self.memo: dict[Any, Any] = {}
        self.side = side
        self.scope = scope

    def __len__(self) -> int:
        return len(self.items)

    def fail(self, index: int, problem: str) -> DataError:
        return DataError(problem, path=self.path(index), side=self.side.name)

    def select(self, sel: Selector) -> Parts:
        """The selected value of every object."""
        if not sel:
            return self
        made: Parts | None = self.memo.get(sel)
        if made is None:
            items = self._selected(sel)
            made = self.side.same(items, self.scope) or Parts(items, Field(self.path, sel), self.side, self.scope)
            self.memo[sel] = made
        return made

    def _selected(self, sel: Selector) -> list[Any]:
        items = self.items
        for done, step in enumerate(sel):
            items = step_all(items, step, self, sel[:done])
        return items

    def rows(self, names: tuple[str, ...]) -> list[tuple[Any, ...]] | None:
        """Two or more fields of every object, at one look at each; None where an object needs a second look."""
        return at_once(self.items, *names)

    def flat(self, sel: Selector) -> Flat:
        """The elements of the selected collection of every object, in one list."""
        tag = ("flat", sel)
        made: Flat | None = self.memo.get(tag)
        if made is None:
            made = self.memo[tag] = self._flattened(sel)
        return made

    def _flattened(self, sel: Selector) -> Flat:
        if len(sel) == 1 and (through := getattr(sel[0], "through", None)) is not None:
            return self._flattened_through(*through)
        lists = self._selected(sel)
        if not set(map(type, lists)) <= _SEQUENCES:
            table = table_of(lists)
            if table is not None:
                return tabular(table, self, sel)
            lists = list(map(elements, lists))
        if None in lists:
            index = lists.index(None)
            values = self.select(sel)
            raise values.fail(index, not_a_collection(values.items[index]))
        return flatten(lists, self, sel)

    def _flattened_through(self, outer: Selector, inner: Selector) -> Flat:
        """The elements of collections inside a collection (see `columns.through`)."""
        groups = self.flat(outer)
        found = groups.parts.flat(inner)
        return Flat(found.parts, list(map(found.offsets.__getitem__, groups.offsets)))

    def several(self, sel: Selector) -> Flat:
        """As `flat`, where a value that is no collection is its own only element."""
        tag = ("several", sel)
        made: Flat | None = self.memo.get(tag)
        if made is None:
            values = self._selected(sel)
            for index, value in enumerate(values):
                if value is None:
                    raise DataError(not_a_collection(None), join(self.path(index), sel), side=self.side.name)
            lists = [[value] if (found := elements(value)) is None else found for value in values]
            made = self.memo[tag] = flatten(lists, self, sel)
        return made

    def present(self, sel: Selector) -> tuple[list[int], Parts]:
        """The objects that have the selected part, and the part itself; an absent one is no error."""
        tag = ("present", sel)
        made: tuple[list[int], Parts] | None = self.memo.get(tag)
        if made is None and len(self.items) == 1:
            value = self._only(sel)
            here = not (value is None or value is MISSING or (type(value) not in PLAIN and absent(value)))
            path = Field(self.path, sel) if sel else self.path
            own = Parts([value] if here else [], path, self.side, self.scope if here else self._scope_of([]))
            made = self.memo[tag] = [0] if here else [], own
        if made is None:
            values = self._reached(sel)
            types = set(map(type, values))
            if not any(map(may_be_absent, types)) or (types <= _SEQUENCES and all(values)):
                kept, path = list(range(len(values))), Field(self.path, sel) if sel else self.path
            else:
                if types <= _SCALARS:
                    kept = [i for i, value in enumerate(values) if value is not None and value is not MISSING]
                else:
                    kept = [index for index, value in enumerate(values) if not absent(value)]
                values = [values[index] for index in kept]
                path = Taken(Field(self.path, sel) if sel else self.path, kept)
            made = self.memo[tag] = kept, Parts(values, path, self.side, self._scope_of(kept))
        return made

    def _only(self, sel: Selector) -> Any:
        """The selected value of the only object, or MISSING."""
        value = self.items[0]
        for step in sel:
            if not (isinstance(value, dict) and isinstance(step, str)):
                return reach(self.items[0], sel, self, 0)
            value = value.get(step, MISSING)
            if value is None:
                return MISSING
        return value

    def _reached(self, sel: Selector) -> list[Any]:
        """The selected value of every object, MISSING where there is none."""
        items = self.items
        for step in sel:
            if isinstance(step, str) and all(map(is_dict, set(map(type, items)))):
                items = [item.get(step, MISSING) for item in items]
                continue
            found = at_once(items, step)
            if found is None:
                return [reach(item, sel, self, index) for index, item in enumerate(self.items)]
            items = found
        return items

    def take(self, indices: list[int]) -> Parts:
        """The objects at the given positions."""
        items = self.items
        scope = self._scope_of(indices)
        return Parts([items[index] for index in indices], Taken(self.path, indices), self.side, scope)

    def _scope_of(self, indices: list[int]) -> Scope | None:
        return None if self.scope is None else self.scope.of_some(indices)

    def distinct(self) -> tuple[list[int], Parts]:
        """The number of each object among the distinct objects (by identity), and these."""
        made: tuple[list[int], Parts] | None = self.memo.get("distinct")
        if made is None:
            names: list[Any] = list(map(id, self.items))
            if self.scope is not None:
                names = list(zip(self.scope.documents, names, strict=True))
            items = dict(zip(names, self.items, strict=True))
            numbers = dict(zip(items, range(len(items)), strict=True))
            scope = None if self.scope is None else Scope(None, [document for document, _ in items])
            made = list(map(numbers.__getitem__, names)), self._recognised(list(items.values()), names, scope)
            if made[1] is not self:  # a list that remembered itself would outlive the document
                self.memo["distinct"] = made
        return made

    def _recognised(self, items: list[Any], names: list[Any], scope: Scope | None) -> Parts:
        """The same objects as an earlier list of this side are that list: its tables are shared."""
        if len(items) == len(self.items):
            return self
        made = self.side.same(items, scope)
        if made is None:
            place = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
            made = self.take(sorted(place.values()))  # the first place of each
            self.side.remember(made)
        return made


class Rows(Parts):
    """Elements that are the rows of a table; an object is made of each when somebody asks for `items`."""

    __slots__ = ("table",)

    def __init__(self, table: Table, path: Callable[[int], str], side: Side, scope: Scope | None = None) -> None:
        self.table = table
        self.path = path
        self.memo = {}
        self.side = side
        self.scope = scope

    def __getattr__(self, name: str) -> Any:
        if name != "items":
            raise AttributeError(name)
        self.items = self.table.elements()
        return self.items

    def __len__(self) -> int:
        return self.table.offsets[-1]

    def column(self, sel: Selector) -> Column | None:
        """What `sel` selects of each element, if it is a field."""
        return self.table.columns.get(sel[0]) if len(sel) == 1 and isinstance(sel[0], str) else None

    def ranks(self) -> list[int] | None:
        """Numbers in the order of the elements' content, if that is the order of their fields (see `content_order`)."""
        import numpy as np

        columns = list(self.table.columns.values())
        if not (isinstance(self.table.make, type) and issubclass(self.table.make, tuple)):
            return None
        if not all(is_ordered(column.values) for column in columns):
            return None
        ranks = [np.argsort(content_order(list(values)))[codes] for codes, values in columns]
        made: list[int] = np.argsort(np.lexsort(ranks[::-1])).tolist()
        return made

    def _selected(self, sel: Selector) -> list[Any]:
        column = self.column(sel[:1])
        if column is None:
            return super()._selected(sel)
        items = column.items()
        for done, step in enumerate(sel[1:], start=1):
            items = step_all(items, step, self, sel[:done])
        return items

    def take(self, indices: list[int]) -> Parts:
        table = self.table.picked(indices, [0, len(indices)])
        return Rows(table, Taken(self.path, indices), self.side, self._scope_of(indices))

    def rows(self, names: tuple[str, ...]) -> list[tuple[Any, ...]] | None:
        columns = self.table.columns
        if not all(name in columns for name in names):
            return super().rows(names)
        return list(zip(*(columns[name].items() for name in names), strict=True))


class Flat:
    """Collections laid end to end: those of object i are parts[offsets[i]:offsets[i + 1]]."""

    __slots__ = ("_once", "_owners", "offsets", "parts")

    def __init__(self, parts: Parts, offsets: list[int]) -> None:
        self.parts = parts
        self.offsets = offsets
        self._owners: list[int] | None = None
        self._once: dict[tuple[Any, int], tuple[list[Any], list[Any]]] = {}

    def owners(self) -> list[int]:
        """The object that each element belongs to."""
        if self._owners is None:
            self._owners = owners(self.offsets)
        return self._owners

    def once(self, column: list[Any], function: Callable[[list[Any], list[int]], list[Any]]) -> list[Any]:
        """A function of a column and the offsets; whoever asks again with the very same column gets the same answer."""
        tag = function, id(column)
        made = self._once.get(tag)
        if made is None:
            made = self._once[tag] = column, function(column, self.offsets)
        return made[1]

    def ends(self, rows: list[int]) -> list[int]:
        """Where the cells of each object's elements end, in a table of which these are the rows, ascending."""
        return self.once(rows, _ends)

    def of(self, owner: int) -> Parts:
        if len(self.offsets) == 2:
            return self.parts
        return self.parts.take(list(range(self.offsets[owner], self.offsets[owner + 1])))


def _ends(rows: list[int], offsets: list[int]) -> list[int]:
    return [bisect_left(rows, offset) for offset in offsets]


def document(item: Any, side: str = "") -> Parts:
    """One side of one document, as a list of one object."""
    return Parts([item], root, Side(side))


def documents(items: list[Any], side: str = "", *, scoped: bool = False) -> Parts:
    """One side of several documents, as a list of them; which is which, a path does not say.

    With `scoped` each is a scope of its own: a join of what they have never joins two documents.
    """
    made = Parts(items, root, Side(side), Scope(list(range(len(items) + 1))) if scoped else None)
    made.side.remember(made)  # a document may be an element of a collection of its own
    return made


def tabular(table: Table, parents: Parts, sel: Selector) -> Flat:
    """The elements of the collections that `sel` selects of the parents, where these are the documents of a table."""
    offsets = table.offsets
    scope = None if parents.scope is None else parents.scope.of_elements(offsets)
    parts = Rows(table, Element(parents.path, sel, offsets), parents.side, scope)
    parents.side.known.append(parts)
    return Flat(parts, offsets)


def flatten(lists: Sequence[Sequence[Any]], parents: Parts, sel: Selector) -> Flat:
    """The elements of the collections that `sel` selects of the parents."""
    if len(lists) == 1:
        items, offsets = list(lists[0]), [0, len(lists[0])]
    else:
        items, offsets = list(chain.from_iterable(lists)), list(accumulate(map(len, lists), initial=0))
    scope = None if parents.scope is None else parents.scope.of_elements(offsets)
    parts = parents.side.same(items, scope)
    if parts is None:
        parts = Parts(items, Element(parents.path, sel, offsets), parents.side, scope)
        parents.side.remember(parts)
    return Flat(parts, offsets)
