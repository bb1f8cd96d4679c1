"""The two objects that are compared, their parts, and the way back from a part to its object.

A part is an object with a place: errors and alignments say where it stands (`items[3].price`), and what was found out
about a part is kept until the two objects have been compared. Paths are written only when somebody reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from matchwise.algebra.nodes import Move, Selector
from matchwise.algebra.steps import Step
from matchwise.engine.selection import MISSING, absent, attempt, elements, join, lacks, not_a_collection
from matchwise.errors import DataError

Made = TypeVar("Made")


@dataclass(slots=True, eq=False)
class Side:
    """One of the two objects: its name in messages, and what is known of its parts."""

    name: str
    keeps: bool = False
    """True if the pairs that make up a score are read, too: then solutions are kept."""
    variables: dict[tuple[str, Hashable], int] | None = None
    """Inside `latent`, under a matching: the pair that each matched variable is in."""
    known: dict[Any, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Part:
    """A value of one side, and the moves to it from the part above."""

    value: Any
    side: Side
    above: Part | None = None
    sel: Selector = ()
    place: int | str | None = None
    """The position of an element of a collection, or the path to a node of a tree or graph."""
    _path: str | None = None

    def path(self) -> str:
        """The way from the object to this part: `items[3].price`."""
        if self._path is None:
            before = "" if self.above is None else join(self.above.path(), self.sel)
            if not isinstance(self.place, str):
                self._path = before if self.place is None else f"{before}[{self.place}]"
            else:
                dot = "." if before and self.place and self.place[0] != "[" else ""
                self._path = f"{before}{dot}{self.place}"
        return self._path

    def fail(self, problem: str) -> DataError:
        return DataError(problem, path=self.path(), side=self.side.name)

    def select(self, sel: Selector) -> Part:
        """The selected part, which has to be there."""
        if not sel:
            return self
        known, name = self.side.known, (self, sel)
        made: Part | None = known.get(name)
        if made is None:
            value = self.value
            for done, step in enumerate(sel):
                found = self._move(value, step, sel[:done])
                if found is MISSING:
                    raise DataError(lacks(value, step), path=join(self.path(), sel[:done]), side=self.side.name)
                value = found
            made = known[name] = Part(value, self.side, self, sel)
        return made

    def present(self, sel: Selector) -> Part | None:
        """The selected part, None if it is absent."""
        value = self.value
        for done, step in enumerate(sel):
            if value is None or value is MISSING:
                return None
            value = self._move(value, step, sel[:done])
        if absent(value):
            return None
        return Part(value, self.side, self, sel) if sel else self

    def _move(self, value: Any, step: Move, before: Selector) -> Any:
        """What a step leads to; a mapping or None may lack it, any other object may not."""
        if callable(step):
            try:
                return attempt(step, value)
            except ValueError as error:
                raise DataError(str(error), path=join(self.path(), before), side=self.side.name) from error
        if isinstance(value, Mapping):
            found = value.get(step, MISSING)
            return value.get(str(step), MISSING) if found is MISSING else found
        try:
            return value[step] if isinstance(step, int) else getattr(value, step)
        except (AttributeError, IndexError, TypeError, KeyError):
            if value is None:
                return MISSING
            raise DataError(lacks(value, step), path=join(self.path(), before), side=self.side.name) from None

    def elements(self, sel: Selector) -> Elements:
        """The elements of the selected collection."""
        known, name = self.side.known, (self, sel, "elements")
        made: Elements | None = known.get(name)
        if made is None:
            selected = self.select(sel)
            values = selected.value if type(selected.value) is list else elements(selected.value)
            if values is None:
                raise selected.fail(not_a_collection(selected.value))
            made = known[name] = Elements(values, self, sel)
        return made

    def several(self, sel: Selector) -> list[Part]:
        """Like `elements`, but a value that is not a collection counts as a collection of one."""
        selected = self.select(sel)
        if selected.value is None:
            raise selected.fail(not_a_collection(None))
        if elements(selected.value) is not None:
            return self.elements(sel).parts()
        known, name = self.side.known, (self, sel, "several")
        if name not in known:
            known[name] = [Part(selected.value, self.side, self, sel, 0)]
        only: list[Part] = known[name]
        return only

    def under(self, side: Side) -> Part:
        """The same part, with the variables that another side has."""
        return Part(self.value, side, self.above, self.sel, self.place)


@dataclass(slots=True, eq=False)
class Elements:
    """The elements of a collection; parts are made of them when somebody compares more than their keys."""

    values: list[Any]
    _above: Part
    _sel: Selector
    _parts: list[Part] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def parts(self) -> list[Part]:
        if self._parts is None:
            above, sel, side = self._above, self._sel, self._above.side
            self._parts = [
                above if value is above.value else Part(value, side, above, sel, place)  # it may hold itself
                for place, value in enumerate(self.values)
            ]
        return self._parts


def compare(
    step: Step | None, function: Callable[[Part, Part], Made], pred: Any, ref: Any, *, keeps: bool = False
) -> Made:
    """Apply the step to two objects, then a function to both as parts; what was found out is forgotten afterwards."""
    if step is not None:
        pred, ref = step(pred, ref)
    mine, theirs = Side("prediction", keeps), Side("reference", keeps)
    try:
        return function(Part(pred, mine), Part(ref, theirs))
    except RecursionError:
        raise DataError(
            "found an object that contains itself, or is nested too deeply to score; "
            "if it is only deep, write sys.setrecursionlimit(20_000) first"
        ) from None
    finally:  # parts know their side and are known to it: without this, objects would wait for the garbage collector
        mine.known.clear()
        theirs.known.clear()
