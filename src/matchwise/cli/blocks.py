"""JSON lines in one order: documents are counted block by block, by this process or by several.

With several processes, this one only finds where lines end, and sends byte ranges of both files; each process reads its
ranges itself, knows the true line numbers, and says whether the ids agree. A block that does not is given back, and the
files go on document by document from its first line.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

from matchwise.cli.counting import PairReader
from matchwise.corpus.counting import Counted, Counting
from matchwise.engine.garbage import resting
from matchwise.formats.io.entries import Id
from matchwise.formats.io.lockstep import LINES, Both, Lockstep, agreeing, unread
from matchwise.formats.io.pairing import Pair, Pairing
from matchwise.formats.jsonl import JsonLines
from matchwise.runners.runner import chunk_size

FIRST = 16
"""Documents of the first block: many files have no more."""


def blocks(work: Counting, pairs: Pairing, jobs: int) -> Iterator[Counted | list[Pair]]:
    """What came of each block, or the pairs of one that has killed its process.

    Nothing where the files are not JSON lines.
    """
    assert isinstance(work.reader, PairReader)
    preds, refs = work.reader.preds, work.reader.refs
    if not isinstance(preds, JsonLines) or not isinstance(refs, JsonLines) or preds.whole or refs.whole:
        return
    counting = BlockCounting(work, preds, refs)
    steps = Lockstep(preds, refs, pairs.done)
    with closing(_several(counting, steps, jobs) if jobs > 1 else _one(counting, steps)) as found:
        for one in found:
            # Who killed a process is found document by document. No document is read here, only its id.
            block = unread(one, preds, refs) if isinstance(one, Both) else one
            if not steps.settle(None if block is None else block.ids):
                return
            assert block is not None
            pairs.documents += len(block.ids)
            pairs.given += len(block.ids)
            yield block.counted if isinstance(block, Settled) else block.pairs


class Settled(NamedTuple):
    """What came of a block whose ids agree."""

    counted: Counted
    ids: list[Id]


@dataclass(slots=True)
class BlockCounting:
    """The work on one stretch of both files; can be sent to another process."""

    work: Counting
    preds: JsonLines
    refs: JsonLines

    def __call__(self, place: int, items: list[Both]) -> Settled | None:
        [both] = items
        with resting():  # JSON has no cycles: documents go when their block does
            block = agreeing(both, self.preds, self.refs)
            return None if block is None else Settled(self.work(0, block.pairs), block.ids)


def _one(counting: BlockCounting, steps: Lockstep) -> Generator[Settled | Both | None, None, None]:
    for both in steps.stretches(lambda before: LINES if before else FIRST):
        yield counting(0, [both])


def _several(counting: BlockCounting, steps: Lockstep, jobs: int) -> Generator[Settled | Both | None, None, None]:
    """Blocks counted by the resilient pool; one that kills its process comes back as it was sent."""
    from matchwise.runners.pool import Lost, run

    stretches = steps.stretches(partial(chunk_size, jobs, most=LINES), ranges=True)
    first = next(stretches, None)
    if first is None or unread(first, steps.preds, steps.refs) is None:
        yield None  # before a process is started for nothing
        return
    lists = ([both] for both in chain([first], stretches))
    for result in run(counting, lists, jobs, what="block", fork=True):
        yield result.item if isinstance(result, Lost) else result
