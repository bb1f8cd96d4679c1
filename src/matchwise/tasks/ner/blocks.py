"""Sentences of a file, many at a time: the tags and the tokens of one are cut out when somebody asks for them."""

from __future__ import annotations

from itertools import accumulate
from typing import Any


class Block:
    """Tagged sentences laid end to end: sentence k has the words starts[k], …, starts[k + 1] − 1."""

    __slots__ = ("lengths", "lines", "starts", "tags", "tokens")

    def __init__(self, tags: list[str], tokens: list[str], lengths: list[int], lines: list[int]) -> None:
        self.tags, self.tokens = tags, tokens
        self.lengths, self.lines = lengths, lines
        """How many words each sentence has, and where it begins in its file."""
        self.starts = list(accumulate(lengths, initial=0))

    def cut(self, name: str, place: int) -> Any:
        """The tags, the tokens or the line of one sentence."""
        if name == "line":
            return self.lines[place]
        return tuple(getattr(self, name)[self.starts[place] : self.starts[place + 1]])


class BlockPart:
    """An object whose tags, tokens and line are in a block: each of them is cut out when it is first asked for."""

    __slots__ = ("block", "place")

    block: Block
    place: int

    def __getattr__(self, name: str) -> Any:  # of a slot that is empty
        if name not in ("tags", "tokens", "line"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        found = self.block.cut(name, self.place)
        object.__setattr__(self, name, found)
        return found
