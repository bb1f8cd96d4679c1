"""One side of a batch of documents: which frames were met, so that those of the same objects share what is known."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.engine.kernels import short
from matchwise.engine.selection import PLAIN

if TYPE_CHECKING:
    from matchwise.engine.frame import Frame

Vector: TypeAlias = Any
"""A list, or a NumPy array: whatever the body of kernels of the batch works on."""


class Side:
    """One side of a batch: its name in messages, the kernels it is run by, and the frames that were met so far."""

    __slots__ = ("_alike", "documents", "elements", "kernels", "known", "name", "under", "variables")

    def __init__(self, name: str, kernels: Any = short, documents: Vector | None = None) -> None:
        self.name = name
        self.kernels = kernels
        self.documents = documents
        """The numbers of the documents; None if there is only one."""
        self.elements = 0
        """How many elements the collections have that were met."""
        self.known: list[Frame] = []
        self._alike: dict[tuple[int, int], list[Frame]] = {}
        """The known frames by their length and their first object."""
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
        for other in self._alike.get((len(items), id(items[0])), ()):
            if all(map(is_, other.items, items)) and (
                documents is None or self.kernels.same_places(other.documents, documents)
            ):
                return other
        return None

    def remember(self, frame: Frame) -> None:
        """Share what is computed of a frame with all frames of the same objects."""
        self.known.append(frame)
        if frame.table is None and frame.items and type(frame.items[0]) not in PLAIN:
            self._alike.setdefault((len(frame.items), id(frame.items[0])), []).append(frame)

    def forget(self) -> None:
        """Frames remember each other: without this, documents would wait for the garbage collector."""
        for frame in self.known:
            frame.memo.clear()
        self.known.clear()
        self._alike.clear()
        for side in self.under:
            side.forget()
        self.under.clear()
