"""Two files to a tally: documents are read side by side and counted; what goes wrong is kept with the result.

One process and several do the same with the same lists of pairs, in the same order. Of JSON lines, the parent reads ids
and places only, and each process reads its documents itself.
"""

from __future__ import annotations

import gc
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from matchwise.cli.counting import Counted, Counting, take_warnings
from matchwise.cli.inputs import source
from matchwise.cli.metric import Chosen
from matchwise.cli.progress import Progress
from matchwise.corpus.tally import Id, Tally
from matchwise.engines.serial import chunks
from matchwise.errors import DataError, ExpressionError
from matchwise.formats.entries import Source
from matchwise.formats.jsonl import JsonLines
from matchwise.formats.lockstep import Lockstep
from matchwise.formats.pairing import Failed, Pairing
from matchwise.formats.projection import projection

if TYPE_CHECKING:
    from matchwise.corpus.table import Table

AT_ONCE = 256

NAMED = 5
"""Documents that a note names."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The counts of one system, how many references there were, and what is missing or failed."""

    tally: Tally
    documents: int
    missing: tuple[Id, ...]
    failed: tuple[Failed, ...]
    warnings: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        return bool(self.missing or self.failed)

    def table(self) -> Table:
        """The score table; the documents that failed are part of it."""
        from matchwise.corpus.table import table

        errors = tuple(("" if failed.document is None else failed.document, failed.problem) for failed in self.failed)
        return replace(table(self.tally), errors=errors)

    def notes(self, name: str) -> Iterator[str]:
        """What a person should know besides the scores."""
        yield from (f"warning: {text}" for text in self.warnings)
        if self.missing:
            ids = ", ".join(map(str, self.missing[:NAMED])) + (", …" if len(self.missing) > NAMED else "")
            yield f"{name}: {len(self.missing)} without prediction, counted as empty: {ids}"
        yield from (f"error: {failed.problem}" for failed in self.failed[:NAMED])
        if len(self.failed) > NAMED:
            yield f"{name}: {len(self.failed)} errors in all"


def score(chosen: Chosen, pred: str, args: Namespace) -> Outcome:
    """Count one file of predictions against --ref."""
    lazy = args.jobs > 1
    with (
        closing(source(pred, chosen, args, lazy=lazy)) as preds,
        closing(source(args.ref, chosen, args, lazy=lazy)) as refs,
    ):
        return _score(chosen, preds, refs, args)


def _score(chosen: Chosen, preds: Source, refs: Source, args: Namespace) -> Outcome:
    pairing = Pairing(preds, refs, on_error=args.on_error, max_errors=args.max_errors)
    zero = _zero(chosen, args)
    work = Counting(zero, preds, refs, args.on_error, getattr(chosen.module, "empty", None))
    progress = Progress(preds.name, refs.progress, quiet=args.quiet)
    total = Counted(zero.zero())
    done = 0
    try:
        for part, length in chain(
            _in_blocks(work, pairing), _several(work, pairing, args.jobs) if args.jobs > 1 else _one(work, pairing)
        ):
            total.tally += part.tally
            total.failed += part.failed
            total.warnings += part.warnings
            done += length
            progress(done)
            _check_errors(pairing, total, args.max_errors)
    finally:
        progress.end()
    for one in (preds, refs):
        take_warnings(one, total.warnings)
    warnings = tuple(f"{text} ({number} times)" for text, number in total.warnings.items())
    failed = (*pairing.failed, *total.failed)
    return Outcome(total.tally, pairing.documents, tuple(pairing.missing), failed, warnings)


def _zero(chosen: Chosen, args: Namespace) -> Tally:
    try:
        return Tally(chosen.suite, by=args.by, fields=args.fields, time_limit=args.time_limit, gap=args.gap)
    except ExpressionError as error:
        if args.by and len(chosen.suite.metrics) > 1:
            raise ExpressionError(f"{error}; --only NAME,... keeps the metrics that can be broken down") from None
        raise


def _in_blocks(work: Counting, pairs: Pairing) -> Iterator[tuple[Counted, int]]:
    """Plain JSON lines in one order under metrics of plain keys: many documents at a time, as long as that lasts."""
    preds, refs, zero = work.preds, work.refs, work.zero
    if not isinstance(preds, JsonLines) or not isinstance(refs, JsonLines) or preds.whole or refs.whole:
        return
    if preds.decoding.type is not None or zero.labels is not None or zero.fields is not None:
        return
    only = projection(zero.suite, preds.decoding.key)
    if only is None:
        return
    steps = Lockstep(preds, refs, only)
    collecting = gc.isenabled()
    gc.disable()  # JSON has no cycles: documents go when their block does
    try:
        for counted, some in steps:
            if counted is None:
                made = work(0, some)
            else:
                made = Counted(zero.zero())
                made.tally.rows += counted.rows
                made.tally.ids += counted.ids
            length = len(some) or len(made.tally)
            pairs.documents += length
            yield made, length
    finally:
        if collecting:
            gc.enable()
    pairs.done |= steps.done


def _one(work: Counting, pairs: Pairing) -> Iterator[tuple[Counted, int]]:
    for some in chunks(pairs, lambda _: AT_ONCE):
        yield work(0, some), len(some)


def _several(work: Counting, pairs: Pairing, jobs: int) -> Iterator[tuple[Counted, int]]:
    """By the resilient pool: a document that kills its process is lost alone."""
    from matchwise.engines.pool import Lost, run

    for result in run(work, chunks(pairs, partial(_size, jobs)), jobs, what="document"):
        if isinstance(result, Lost):
            ref = result.item.ref
            where = pairs.refs.place(ref)
            if work.on_error == "raise":
                raise DataError(f"{where}: scoring it {result.reason}; write --on-error skip to leave it out")
            yield Counted(work.zero.zero(), [Failed(ref.id, f"{where}: scoring it {result.reason}")]), 1
        else:
            yield result, len(result.tally) + len(result.failed)


def _size(jobs: int, before: int) -> int:
    """Small at first, so that all processes soon have work; larger as the corpus grows."""
    return max(1, min(AT_ONCE, before // (jobs * 8)))


def _check_errors(pairing: Pairing, total: Counted, most: int | None) -> None:
    number = len(pairing.failed) + len(total.failed)
    if most is not None and number > most:
        raise DataError(f"more than {most} errors; the last: {(total.failed or pairing.failed)[-1].problem}")
