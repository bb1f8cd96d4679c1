"""Files that are counted in pieces: blocks of JSON lines in one order, byte ranges of a task's own format.

Blocks are counted by this process or by several. With several processes, this one only finds where lines end, and
sends byte ranges of both files; each process reads its ranges itself, knows the true line numbers, and says whether
the ids agree. A block that does not is given back, and the files go on document by document from its first line.

Byte ranges are counted by several processes: each reads its own ranges of both files. Every range is paired and
counted by itself. If anything is unusual in one of them (an error, a document without a partner, an id that comes
again), nothing of this counts, and the files are read from their first line by one process, which knows the true line
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import NamedTuple

from matchwise.cli.counting import PairReader
from matchwise.corpus.counting import Counted, Counting
from matchwise.engine.garbage import resting
from matchwise.errors import RAISED
from matchwise.formats.io.entries import Id
from matchwise.formats.io.ids import Seen
from matchwise.formats.io.lockstep import LINES, Both, Lockstep, agreeing, unread
from matchwise.formats.io.pairing import Pair, Pairing
from matchwise.formats.io.taskfile import Range, TaskFile, ranges
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


@dataclass(frozen=True, slots=True)
class Ranged:
    """What came of two ranges."""

    counted: Counted
    ids: list[Id | None]
    references: int
    """How many documents of the reference there are: a pair may have several."""


@dataclass(slots=True)
class RangeCounting:
    """The work on a range of both files; can be sent to another process."""

    work: Counting
    preds: TaskFile
    refs: TaskFile

    def __call__(self, place: int, items: list[tuple[Range, Range]]) -> Ranged | None:
        [(pred, ref)] = items
        pairing = Pairing(self.preds.at(pred), self.refs.at(ref), missing="raise")
        try:
            with resting():  # until what was read is counted and gone
                pairs = list(pairing)
                counted = self.work(0, pairs)
        except RAISED:
            return None
        documents = [pair.ref.document for pair in pairs]
        references = sum(len(one) if type(one) is list else 1 for one in documents)
        return Ranged(counted, [pair.ref.id for pair in pairs], references)


def count_ranges(work: Counting, pairs: Pairing, jobs: int, done: Callable[[int], None]) -> list[Counted] | None:
    """What came of each range, or None if the files cannot be read this way."""
    from matchwise.runners.pool import Lost, run

    assert isinstance(work.reader, PairReader)
    preds, refs = work.reader.preds, work.reader.refs
    if not isinstance(preds, TaskFile) or not isinstance(refs, TaskFile) or work.reader.categories:
        return None
    here, there = preds.cuts(), refs.cuts()
    if here is None or there is None:
        return None
    reader = replace(work.reader, unreadable="raise")
    counting = RangeCounting(replace(work, reader=reader, on_error="raise", unreadable="raise"), preds, refs)
    parts: list[Counted] = []
    seen = Seen(pairs.most)
    documents = references = 0
    for part in run(counting, ([both] for both in ranges(here, there)), jobs, what="range", fork=True):
        if part is None or isinstance(part, Lost):
            return None
        if refs.pair is not None:  # stretches without an id go by the number of their first reference
            scores = part.counted.tally.scores
            if len(scores.ids) == len(part.ids):  # else only sums are kept
                scores.ids = [id + references if isinstance(id, int) else id for id in part.ids]
        elif not seen.add_all([id for id in part.ids if id is not None]):
            return None
        documents += part.counted.items
        references += part.references
        parts.append(part.counted)
        done(documents)
    pairs.documents = pairs.given = documents
    return parts
