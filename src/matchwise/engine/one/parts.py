"""The two objects that are compared, their parts, and the way back from a part to its object.

A part is an object with a place: errors and alignments say where it stands (`items[3].price`), and what was found out
about a part is kept until the two objects have been compared. Paths are written only when somebody reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
from msgspec import Struct, field

from matchwise.algebra.nodes import Selector
from matchwise.algebra.steps import Step
from matchwise.engine.selection import absent, blame, elements, follow, join, not_a_collection
from matchwise.errors import RAISED, DataError

if TYPE_CHECKING:
    from matchwise.engine.many.frame import Frame

Made = TypeVar("Made")
Owner = TypeVar("Owner")
More = ParamSpec("More")


class HasPath(Protocol):
    """What can say where it stands."""

    def path(self) -> str: ...


class HasSide(Protocol):
    """A part, or a frame."""

    @property
    def side(self) -> PairSide: ...


Of = TypeVar("Of", bound=HasSide)


class PairSide(Struct, eq=False):
    """One of the two objects: its name in messages, and what is known of its parts.

    Parts know their side and are known to it, so `known` is cleared in the end: else objects would wait for the garbage
    collector.
    """

    name: str
    keeps: bool = False
    """True if the pairs that make up a score are read, too: then solutions are kept."""
    only_wrong: bool = False
    """True if nobody reads the pairs that are right."""
    variables: dict[tuple[str, Hashable], int] | None = None
    """Inside `latent`, under a matching: the pair that each matched variable is in."""
    known: dict[Any, Any] = field(default_factory=dict)
    answers: dict[Any, Any] = field(default_factory=dict)
    """What users' functions said about two values."""


class Part(Struct, eq=False):
    """A value of one side, and the moves to it from the part above."""

    value: Any
    side: PairSide
    above: HasPath | None = None
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

    def fail(self, problem: str, before: Selector = ()) -> DataError:
        """The error of this part, or of what some steps lead to."""
        return DataError(problem, path=join(self.path(), before), side=self.side.name)

    def select(self, sel: Selector) -> Part:
        """The selected part, which has to be there."""
        if not sel:
            return self
        known, name = self.side.known, (self, sel)
        made: Part | None = known.get(name)
        if made is None:
            made = known[name] = Part(follow(self.value, sel, self.fail), self.side, self, sel)
        return made

    def present(self, sel: Selector) -> Part | None:
        """The selected part, None if it is absent."""
        value = follow(self.value, sel, self.fail, optional=True)
        if absent(value):
            return None
        return Part(value, self.side, self, sel) if sel else self

    def values(self, sel: Selector, *, single: bool = False) -> list[Any]:
        """The elements of the selected collection as they are; with `single`, any other value is its only element."""
        value = follow(self.value, sel, self.fail)
        found = value if type(value) is list else elements(value, lambda problem, _: self.fail(problem, sel))
        if found is None and single and value is not None:
            found = [value]
        if found is None:
            raise self.fail(not_a_collection(value), sel)
        return found

    def elements(self, sel: Selector, *, single: bool = False) -> list[Part]:
        """The same elements as parts."""
        known, name = self.side.known, (self, sel, single)
        made: list[Part] | None = known.get(name)
        if made is None:
            made = known[name] = [
                self if value is self.value and not single else Part(value, self.side, self, sel, place)
                for place, value in enumerate(self.values(sel, single=single))  # a list may hold itself
            ]
        return made

    def under(self, side: PairSide) -> Part:
        """The same part, with the variables that another side has."""
        return Part(self.value, side, self.above, self.sel, self.place)


def remember(method: Callable[Concatenate[Owner, Of, More], Made]) -> Callable[Concatenate[Owner, Of, More], Made]:
    """Find something out once for each part, or for the frames of a batch: until the side of the first forgets."""

    def find(owner: Owner, one: Of, /, *more: More.args, **options: More.kwargs) -> Made:
        known, name = one.side.known, (method, owner, one, *more)
        if name not in known:
            known[name] = method(owner, one, *more, **options)
        made: Made = known[name]
        return made

    return find


def compare(
    step: Step | None,
    function: Callable[[Part, Part], Made],
    pred: Any,
    ref: Any,
    *,
    keeps: bool = False,
) -> Made:
    """Apply the step to two objects, then a function to both as parts; what was found out is forgotten afterwards."""
    if step is not None:
        pred, ref = step(pred, ref)
    mine, theirs = PairSide("prediction", keeps), PairSide("reference", keeps)
    try:
        return function(Part(pred, mine), Part(ref, theirs))
    except RAISED as error:
        blame(error, [pred], [ref])
        raise
    finally:
        mine.known.clear()
        theirs.known.clear()


def compare_all(
    step: Step | None,
    prepare: Callable[[list[Part], list[Part]], None],
    function: Callable[[Part, Part], Made],
    preds: Sequence[Any],
    refs: Sequence[Any],
    *,
    only_wrong: bool = False,
) -> list[Made]:
    """Apply a function to the two objects of each of many documents, after it was prepared for all of them."""
    ps, rs = list[Part](), list[Part]()
    for pred, ref in zip(preds, refs, strict=True):  # not `step.all`, whose documents may be rows of one table
        both = (pred, ref) if step is None else step(pred, ref)
        ps.append(Part(both[0], PairSide("prediction", True, only_wrong)))
        rs.append(Part(both[1], PairSide("reference", True, only_wrong)))
    made = []
    try:
        prepare(ps, rs)
        for p, r in zip(ps, rs, strict=True):
            made.append(function(p, r))
            p.side.known.clear()  # what is known of a document is much more than what was prepared
            r.side.known.clear()
    except RAISED as error:
        blame(error, [p.value for p in ps], [r.value for r in rs])
        raise
    finally:
        for part in (*ps, *rs):
            part.side.known.clear()
    return made


@contextmanager
def frames(us: Sequence[Part], vs: Sequence[Part], *, apart: bool = False) -> Iterator[tuple[Frame, Frame]]:
    """Two lists of parts as the elements of one document, for those who work on frames; forgotten afterwards.

    If they are `apart`, each is a document of its own.
    """
    from matchwise.engine.many.frame import Frame, Side

    def lay_out(parts: Sequence[Part]) -> Frame:
        documents = np.arange(len(parts)) if apart and len(parts) > 1 else None
        side = Side(parts[0].side.name, variables=parts[0].side.variables, documents=documents)
        return Frame([part.value for part in parts], lambda place: parts[place].path(), side, documents)

    p = lay_out(us)
    r = p if us is vs else lay_out(vs)
    try:
        yield p, r
    finally:
        p.side.forget()
        r.side.forget()
