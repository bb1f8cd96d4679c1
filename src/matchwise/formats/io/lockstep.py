"""Two files of JSON lines whose documents come in the same order, read in blocks while that lasts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import NamedTuple

from matchwise.corpus.table import Id
from matchwise.formats.io.entries import Entry
from matchwise.formats.io.ids import Seen
from matchwise.formats.io.lines import Lines, Stream
from matchwise.formats.io.pairing import Pair
from matchwise.formats.jsonl import JsonLines

LINES = 512
BYTES = 1 << 20
"""A block has at most 512 lines and about a megabyte."""


class Stretch(NamedTuple):
    """Lines of one file: how many come before them, where they begin, and they themselves, or their length on disk."""

    before: int
    offset: int
    lines: list[bytes] | int

    def read(self, source: Lines) -> list[bytes]:
        """The lines, by whichever process needs them."""
        if isinstance(self.lines, list):
            return self.lines
        return BytesIO(source.at(self.offset, self.lines)).readlines()


class Both(NamedTuple):
    """Equally many lines of predictions and references."""

    preds: Stretch
    refs: Stretch


class Block(NamedTuple):
    """Documents whose ids agree."""

    ids: list[Id]
    pairs: list[Pair]


class Lockstep:
    """Stretches of two files, confirmed in order; if one must be paired otherwise, both go on from its start."""

    def __init__(self, preds: JsonLines, refs: JsonLines, seen: Seen) -> None:
        self.preds, self.refs, self.seen = preds, refs, seen
        self.open: deque[Both] = deque()
        """Stretches that were taken and not settled."""

    def stretches(self, size: Callable[[int], int], *, ranges: bool = False) -> Iterator[Both]:
        """Lines side by side, up to the end of the shorter file; `size` says how many, from how many came before.

        As byte ranges, if another process is to read them and can.
        """
        p, r = self.preds.begin(), self.refs.begin()
        mean = 1
        while True:
            number = max(1, min(LINES, BYTES // max(mean, 1), size(r.number)))
            here, there = p.take(number), r.take(number)
            if not here or len(here) != len(there):
                p.back(here)
                r.back(there)
                return
            mean = sum(map(len, there)) // len(there)
            both = Both(_stretch(self.preds, p, here, ranges), _stretch(self.refs, r, there, ranges))
            self.open.append(both)
            yield both

    def settle(self, ids: list[Id] | None) -> bool:
        """Confirm the first open stretch if its ids agree and are new; otherwise give everything open back."""
        if ids is not None and self.seen.add_all(ids):
            self.open.popleft()
            return True
        while self.open:
            preds, refs = self.open.pop()
            self.preds.begin().back(preds.read(self.preds.lines))
            self.refs.begin().back(refs.read(self.refs.lines))
        return False


def _stretch(source: JsonLines, stream: Stream, lines: list[bytes], ranges: bool) -> Stretch:
    length = sum(map(len, lines))
    where = stream.number - len(lines), stream.offset - length
    return Stretch(*where, length if ranges and source.lines.seekable else lines)


def agreeing(both: Both, preds: JsonLines, refs: JsonLines) -> Block | None:
    """The documents of a stretch, if all can be read and their ids agree."""
    here, there = both.preds.read(preds.lines), both.refs.read(refs.lines)
    return _paired(
        preds.block(both.preds.before, both.preds.offset, here),
        refs.block(both.refs.before, both.refs.offset, there),
        len(there),
    )


def unread(both: Both, preds: JsonLines, refs: JsonLines) -> Block | None:
    """The pairs of a stretch, of which only ids are read, if these agree."""
    here, there = both.preds.read(preds.lines), both.refs.read(refs.lines)
    return _paired(
        preds.block(both.preds.before, both.preds.offset, here, unread=True),
        refs.block(both.refs.before, both.refs.offset, there, unread=True),
        len(there),
    )


def _paired(preds: list[Entry], refs: list[Entry], lines: int) -> Block | None:
    """Pair entries whose ids agree; None if ids differ or a line is blank or broken."""
    ids = [entry.id for entry in refs if entry.id is not None]
    if len(ids) < lines or ids != [entry.id for entry in preds]:
        return None
    return Block(ids, [Pair(pred, ref) for pred, ref in zip(preds, refs, strict=True)])
