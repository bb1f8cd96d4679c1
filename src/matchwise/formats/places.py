"""Which lines the words of a document stand on, found when they are asked for: most never are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import overload

from matchwise.tasks.coref.entities import Mention


class Places:
    """Line = first + word + lines without a word before it.

    >>> places = Places(first=2)
    >>> places.others += [1, 1]
    >>> places.line(0), places.line(1)
    (2, 5)
    """

    __slots__ = ("first", "others")

    def __init__(self, first: int) -> None:
        self.first = first
        self.others: list[int] = []
        """How many words come before each line without one."""

    def line(self, word: int) -> int:
        return self.first + word + bisect_right(self.others, word)


class Beginnings(Sequence[int]):
    """The line that each mention begins on."""

    __slots__ = ("mentions", "places")

    def __init__(self, mentions: tuple[Mention, ...], places: Places) -> None:
        self.mentions = mentions
        self.places = places

    def __len__(self) -> int:
        return len(self.mentions)

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...

    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        if isinstance(at, slice):
            return Beginnings(self.mentions[at], self.places)
        return self.places.line(self.mentions[at].left)
