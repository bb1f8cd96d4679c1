"""Two files of JSON lines whose documents come in the same order, read in blocks while that lasts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from matchwise.formats.entries import Entry, Id
from matchwise.formats.jsonl import JsonLines
from matchwise.formats.lines import Stream
from matchwise.formats.pairing import Pair
from matchwise.formats.projection import Counted, Projection

LINES = 512
BYTES = 1 << 20
"""A block has at most so many lines, and about so many bytes."""


class Block(NamedTuple):
    """Pairs whose ids agree: counted already, or still to be."""

    counted: Counted | None
    pairs: list[Pair]


class Lockstep:
    """Blocks of agreeing documents; when it ends, both files go on from the first line that it did not take."""

    def __init__(self, preds: JsonLines, refs: JsonLines, projection: Projection) -> None:
        self.preds, self.refs, self.projection = preds, refs, projection
        self.done: set[Id] = set()

    def __iter__(self) -> Iterator[Block]:
        p, r = self.preds.begin(), self.refs.begin()
        number = 16
        while True:
            here, there = p.take(number), r.take(number)
            block = self._block(p, r, here, there) if here and len(here) == len(there) else None
            if block is None:
                p.back(here)
                r.back(there)
                return
            yield block
            mean = sum(map(len, there)) // len(there)
            number = max(1, min(LINES, BYTES // max(mean, 1)))

    def _block(self, p: Stream, r: Stream, here: list[bytes], there: list[bytes]) -> Block | None:
        preds, refs = self.projection.documents(here), self.projection.documents(there)
        if preds is None or refs is None:
            return self._closer(p, r, here, there)
        ids = [document.id for document in refs]
        if ids != [document.id for document in preds] or not self._new(ids):
            return None
        return Block(Counted(ids, self.projection.count(preds, refs)), [])

    def _new(self, ids: list[Id]) -> bool:
        """Whether no id was met before; then they have been."""
        fresh = set(ids)
        if len(fresh) < len(ids) or not self.done.isdisjoint(fresh):
            return False
        self.done |= fresh
        return True

    def _closer(self, p: Stream, r: Stream, here: list[bytes], there: list[bytes]) -> Block | None:
        """The block document by document, if at least all ids can be read and agree."""
        preds, refs = _entries(self.preds, p, here), _entries(self.refs, r, there)
        ids = [entry.id for entry in refs]
        if len(ids) < len(there) or ids != [entry.id for entry in preds] or None in ids:
            return None
        if not self._new([id for id in ids if id is not None]):
            return None
        return Block(None, [Pair(pred, ref) for pred, ref in zip(preds, refs, strict=True)])


def _entries(source: JsonLines, stream: Stream, lines: list[bytes]) -> list[Entry]:
    """The entries of a block; fewer than lines where one is blank or broken."""
    first, offset = stream.number - len(lines), stream.offset - sum(map(len, lines))
    return source.block(first, offset, lines)
