"""The parts of one side of a document: lists of objects, what is selected from them, and where each came from.

A plan works on lists of parts, never on pairs of objects. Each list remembers (`memo`) what was computed of it, so that
equal sub-expressions of a suite are computed once, and forgets it with the document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, repeat
from operator import is_, sub
from typing import Any, TypeAlias

from matchwise.algebra.nodes import Selector
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

Scope: TypeAlias = list[int] | None
"""Where one list has parts of several documents: the document of each. Parts of two documents are never equal."""


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

    def same(self, items: list[Any], scope: Scope = None) -> Parts | None:
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

    def __init__(self, items: list[Any], path: Callable[[int], str], side: Side, scope: Scope = None) -> None:
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
            made = self.side.same(items, self.scope) or Parts(items, _Field(self.path, sel), self.side, self.scope)
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
            lists = self._selected(sel)
            if not set(map(type, lists)) <= _SEQUENCES:
                lists = list(map(elements, lists))
            if None in lists:
                index = lists.index(None)
                values = self.select(sel)
                raise values.fail(index, not_a_collection(values.items[index]))
            made = self.memo[tag] = flatten(lists, self, sel)
        return made

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
            path = _Field(self.path, sel) if sel else self.path
            own = Parts([value] if here else [], path, self.side, self.scope if here else self._scope_of([]))
            made = self.memo[tag] = [0] if here else [], own
        if made is None:
            values = self._reached(sel)
            types = set(map(type, values))
            if not any(map(may_be_absent, types)) or (types <= _SEQUENCES and all(values)):
                kept, path = list(range(len(values))), _Field(self.path, sel) if sel else self.path
            else:
                if types <= _SCALARS:
                    kept = [i for i, value in enumerate(values) if value is not None and value is not MISSING]
                else:
                    kept = [index for index, value in enumerate(values) if not absent(value)]
                values = [values[index] for index in kept]
                path = _Taken(_Field(self.path, sel) if sel else self.path, kept)
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
        return Parts([items[index] for index in indices], _Taken(self.path, indices), self.side, scope)

    def _scope_of(self, indices: list[int]) -> Scope:
        scope = self.scope
        return None if scope is None else [scope[index] for index in indices]

    def distinct(self) -> tuple[list[int], Parts]:
        """The number of each object among the distinct objects (by identity), and these."""
        made: tuple[list[int], Parts] | None = self.memo.get("distinct")
        if made is None:
            names: list[Any] = list(map(id, self.items))
            if self.scope is not None:
                names = list(zip(self.scope, names, strict=True))
            items = dict(zip(names, self.items, strict=True))
            numbers = dict(zip(items, range(len(items)), strict=True))
            scope = None if self.scope is None else [document for document, _ in items]
            made = list(map(numbers.__getitem__, names)), self._recognised(list(items.values()), names, scope)
            if made[1] is not self:  # a list that remembered itself would outlive the document
                self.memo["distinct"] = made
        return made

    def _recognised(self, items: list[Any], names: list[Any], scope: Scope) -> Parts:
        """The same objects as an earlier list of this side are that list: its tables are shared."""
        if len(items) == len(self.items):
            return self
        made = self.side.same(items, scope)
        if made is None:
            place = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
            made = self.take(sorted(place.values()))  # the first place of each
            self.side.remember(made)
        return made


class Flat:
    """Collections laid end to end: those of object i are parts[offsets[i]:offsets[i + 1]]."""

    __slots__ = ("_owners", "offsets", "parts")

    def __init__(self, parts: Parts, offsets: list[int]) -> None:
        self.parts = parts
        self.offsets = offsets
        self._owners: list[int] | None = None

    def owners(self) -> list[int]:
        """The object that each element belongs to."""
        if self._owners is None:
            lengths = map(sub, self.offsets[1:], self.offsets)
            self._owners = list(chain.from_iterable(map(repeat, range(len(self.offsets) - 1), lengths)))
        return self._owners

    def of(self, owner: int) -> Parts:
        if len(self.offsets) == 2:
            return self.parts
        return self.parts.take(list(range(self.offsets[owner], self.offsets[owner + 1])))


def document(item: Any, side: str = "") -> Parts:
    """One side of one document, as a list of one object."""
    return Parts([item], _root, Side(side))


def documents(items: list[Any], side: str = "", *, scoped: bool = False) -> Parts:
    """One side of several documents, as a list of them; which is which, a path does not say.

    With `scoped` each is a scope of its own: a join of what they have never joins two documents.
    """
    return Parts(items, _root, Side(side), list(range(len(items))) if scoped else None)


def flatten(lists: Sequence[Sequence[Any]], parents: Parts, sel: Selector) -> Flat:
    """The elements of the collections that `sel` selects of the parents."""
    if len(lists) == 1:
        items, offsets = list(lists[0]), [0, len(lists[0])]
    else:
        items, offsets = list(chain.from_iterable(lists)), list(accumulate(map(len, lists), initial=0))
    scope = None
    if parents.scope is not None:
        scope = list(chain.from_iterable(map(repeat, parents.scope, map(len, lists))))
    parts = parents.side.same(items, scope)
    if parts is None:
        parts = Parts(items, _Element(parents.path, sel, offsets), parents.side, scope)
        parents.side.remember(parts)
    return Flat(parts, offsets)


def _root(_: int) -> str:
    return ""


class _Field:
    """The path to a selected value: `parent.name`."""

    __slots__ = ("parent", "sel")

    def __init__(self, parent: Callable[[int], str], sel: Selector) -> None:
        self.parent = parent
        self.sel = sel

    def __call__(self, index: int) -> str:
        return join(self.parent(index), self.sel)


class _Element:
    """The path to an element of a selected collection: `parent.name[3]`.

    Paths that were written are kept: an alignment asks for the path of every pair, level by level.
    """

    __slots__ = ("offsets", "parent", "sel", "written")

    def __init__(self, parent: Callable[[int], str], sel: Selector, offsets: list[int]) -> None:
        self.parent = parent
        self.sel = sel
        self.offsets = offsets
        self.written: dict[int, str] = {}

    def __call__(self, index: int) -> str:
        made = self.written.get(index)
        if made is None:
            owner = bisect_right(self.offsets, index) - 1
            made = f"{join(self.parent(owner), self.sel)}[{index - self.offsets[owner]}]"
            self.written[index] = made
        return made


class _Taken:
    __slots__ = ("indices", "parent")

    def __init__(self, parent: Callable[[int], str], indices: list[int]) -> None:
        self.parent = parent
        self.indices = indices

    def __call__(self, index: int) -> str:
        return self.parent(self.indices[index])
