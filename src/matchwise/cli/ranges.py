"""Files of a task's own format, counted by several processes: each reads its own byte ranges of both files.

Every range is paired and counted by itself. If anything is unusual in one of them (an error, a document without a
partner, an id that comes again), nothing of this counts, and the files are read from their first line by one process,
which knows the true line numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from matchwise.cli.counting import PairReader
from matchwise.corpus.counting import Counted, Counting
from matchwise.engine.garbage import resting
from matchwise.errors import RAISED
from matchwise.formats.io.entries import Id
from matchwise.formats.io.ids import Seen
from matchwise.formats.io.pairing import Pairing
from matchwise.formats.io.taskfile import Range, TaskFile, ranges


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
