"""Where a part came from: the way back to its document, written when a message needs it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from matchwise.algebra.nodes import Selector
from matchwise.engine.selection import join


def root(_: int) -> str:
    return ""


class FieldPath:
    """The path to a selected value: `parent.name`."""

    __slots__ = ("parent", "sel")

    def __init__(self, parent: Callable[[int], str], sel: Selector) -> None:
        self.parent = parent
        self.sel = sel

    def __call__(self, index: int) -> str:
        return join(self.parent(index), self.sel)


class Element:
    """The path to an element of a selected collection: `parent.name[3]`.

    Paths that were written are kept: an alignment asks for the path of every pair, level by level.
    """

    __slots__ = ("offsets", "parent", "sel", "written")

    def __init__(self, parent: Callable[[int], str], sel: Selector, offsets: list[int]) -> None:
        self.parent = parent
        self.sel = sel
        self.offsets = offsets
        self.written: dict[int, str] | None = None

    def __call__(self, index: int) -> str:
        if self.written is None:
            self.written = {}
        made = self.written.get(index)
        if made is None:
            owner = bisect_right(self.offsets, index) - 1
            made = f"{join(self.parent(owner), self.sel)}[{index - self.offsets[owner]}]"
            self.written[index] = made
        return made


class Taken:
    __slots__ = ("indices", "parent")

    def __init__(self, parent: Callable[[int], str], indices: list[int]) -> None:
        self.parent = parent
        self.indices = indices

    def __call__(self, index: int) -> str:
        return self.parent(self.indices[index])
