"""One side of a batch of documents: which frames were met, and the way from an element back to its document.

Frames of the same objects share what is known of them. A path is written when a message needs it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.algebra.nodes import Selector
from matchwise.engine.many import kernels
from matchwise.engine.selection import PLAIN, join

if TYPE_CHECKING:
    from matchwise.engine.many.frame import Frame

Vector: TypeAlias = Any
"""A NumPy array."""

Path: TypeAlias = Callable[[int], str]
"""The number of an element -> the way to it from its document."""


class Side:
    """One side of a batch: its name in messages, and the frames that were met so far."""

    __slots__ = (
        "_alike",
        "_shared",
        "documents",
        "elements",
        "known",
        "name",
        "under",
        "variables",
    )

    def __init__(self, name: str, documents: Vector | None = None) -> None:
        self.name = name
        self.documents = documents
        """The numbers of the documents; None if there is only one."""
        self.elements = 0
        """How many elements the collections have that were met."""
        self.known: list[Frame] = []
        """All frames of this side."""
        self._shared: list[Frame] = []
        """The frames that `same` may find, and that are not in `_alike` yet: most batches never ask."""
        self._alike: dict[tuple[int, int], list[Frame]] = {}
        """The same by their length and their first object."""
        self.variables: dict[tuple[str, Any], int] | None = None
        """Inside of `latent`, under a matching: the pair that each matched variable is in."""
        self.under: list[Side] = []
        """The same side under matchings of its variables."""

    def same(self, items: list[Any], documents: Vector | None) -> Frame | None:
        """The frame of the same objects in the same order, if there is one: what it remembers is shared.

        Plain values are not compared: the same text can stand in two places, and errors name the place.
        """
        if not items or type(items[0]) in PLAIN:
            return None
        for frame in self._shared:
            if frame.table is None and frame.items:
                self._alike.setdefault((len(frame.items), id(frame.items[0])), []).append(frame)
        self._shared.clear()
        for other in self._alike.get((len(items), id(items[0])), ()):
            known = other.documents
            if all(map(is_, other.items, items)) and (
                documents is None or known is None or kernels.same_places(known, documents)
            ):
                return other
        return None

    def remember(self, frame: Frame) -> None:
        """Share what is computed of a frame with all frames of the same objects."""
        self._shared.append(frame)

    def forget(self) -> None:
        """Frames remember each other: without this, documents would wait for the garbage collector."""
        for frame in self.known:
            frame.memo.clear()
        self.known.clear()
        self._shared.clear()
        self._alike.clear()
        if self.under:
            for side in self.under:
                side.forget()
            self.under.clear()


def root(_: int) -> str:
    return ""


def field_path(parent: Path, sel: Selector, index: int) -> str:
    """The path to a selected value: `parent.name`."""
    return join(parent(index), sel)


def element_path(parent: Path, sel: Selector, offsets: Vector, written: dict[int, str], index: int) -> str:
    """The path to an element of a selected collection: `parent.name[3]`.

    Paths that were written are kept: an alignment asks for the path of every pair, level by level.
    """
    made = written.get(index)
    if made is None:
        owner = bisect_right(offsets, index) - 1
        made = written[index] = f"{join(parent(owner), sel)}[{index - int(offsets[owner])}]"
    return made


def taken_path(parent: Path, indices: list[int], index: int) -> str:
    """The path to one of the elements at some places."""
    return parent(indices[index])
