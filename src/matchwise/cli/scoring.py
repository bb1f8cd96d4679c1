"""Two files to a tally: documents are read side by side and counted; what goes wrong is kept with the result.

One process and several count the same lists of pairs in the same order. Two kinds of files are counted in pieces:

- JSON lines in blocks, by one process or several. This process finds where lines end; the others get byte ranges of
  both files, read them, and check that the ids agree. From the first block whose ids differ, the files are read
  document by document.
- A task's own format in byte ranges, by several processes. If anything is unusual in a range (an error, a document
  without a partner, a repeated id), one process reads the files again from their first line, as it knows line numbers.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from matchwise.cli.counting import PairReader
from matchwise.cli.inputs import NAMED, describe_missing, open_pairing
from matchwise.cli.metric import ChosenMetrics
from matchwise.cli.output import Progress
from matchwise.corpus.counting import Counted, Counting
from matchwise.corpus.pairing import Failed
from matchwise.corpus.table import Id, Keep
from matchwise.corpus.tally import Tally
from matchwise.engine.selection import join
from matchwise.errors import RAISED, DataError, ExpressionError, count_units
from matchwise.formats.io.decoding import NO_KEY
from matchwise.formats.io.entries import Seen
from matchwise.formats.io.pairing import Pair, Pairing
from matchwise.formats.io.taskfile import Range, TaskFile, ranges
from matchwise.formats.jsonl import LINES, Both, JsonLines, Lockstep, pair_stretch
from matchwise.runners.runner import chunk_size, run_lists

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.corpus.table import Table


class Outcome(NamedTuple):
    """The counts of one system, how many references there were, and what is missing or failed."""

    tally: Tally
    documents: int
    missing: tuple[Id, ...]
    failed: tuple[Failed, ...]
    warnings: tuple[str, ...] = ()
    categories: Mapping[str, Categories] = {}
    stretches: bool = False
    """Whether documents are stretches of a text, which other systems may cut elsewhere."""

    @property
    def partial(self) -> bool:
        return bool(self.missing or self.failed)

    def table(self) -> Table:
        """The score table, with the documents that are missing or failed."""
        errors = [(failed.document, failed.problem) for failed in self.failed]
        return replace(self.tally.table(), missing=list(self.missing), errors=errors, seen=self.documents)

    def notes(self, name: str) -> Iterator[str]:
        """What a person should know besides the scores."""
        yield from (f"warning: {text}" for text in self.warnings)
        if self.missing:
            yield describe_missing(name, self.missing)
        yield from (f"error: {failed.problem}" for failed in self.failed[:NAMED])
        if len(self.failed) > NAMED:
            yield f"{name}: {len(self.failed)} errors in all"

    def left_whole(self) -> Iterator[str]:
        """Which metrics a table by label does not have; the same of every system."""
        names = [name for name in self.tally.suite.metrics if name not in self.tally.paths]
        by = self.tally.scores.by
        if by and names:
            yield f"not broken down by {join('', by)}, which their elements do not have: {', '.join(names)}"


def score(chosen: ChosenMetrics, pred: str, args: Namespace) -> Outcome:
    """Count one file of predictions against --ref."""
    lazy = args.jobs > 1 or args.timeout is not None
    with open_pairing(chosen, pred, args, lazy=lazy) as pairing:
        return _score(chosen, pairing, args)


def _score(chosen: ChosenMetrics, pairing: Pairing, args: Namespace) -> Outcome:
    preds, refs = pairing.preds, pairing.refs
    reader = PairReader(
        suite=chosen.suite,
        preds=preds,
        refs=refs,
        empty=None if chosen.declared is None else chosen.declared.empty,
        unreadable=chosen.unreadable,
        categories=categories_of(chosen, args),
    )
    work = Counting(_zero(chosen, args), reader, args.on_error, chosen.unreadable)
    progress = Progress(preds.name, refs.progress, quiet=args.quiet)
    total = work.nothing()
    named = _needs_ids(args)
    try:
        for part in _parts(work, pairing, args, progress):
            if not named:
                part.tally.scores.ids = [None] * len(part.tally.scores.ids)
            total.tally += part.tally
            total.failed += [failed._replace(place=total.items + failed.place) for failed in part.failed]
            total.notes += part.notes
            total.items += part.items
            progress(total.items)
            _check_errors(pairing, total, args.max_errors)
        _check_errors(pairing, total, args.max_errors)
    finally:
        progress.end()
    reader.end_notes(total)
    warnings = tuple(f"{text} ({count_units(number, 'times')})" for text, number in total.notes.warnings.items())
    if chosen.fits and not args.text:
        warnings += tuple(_suggest_text(total, pairing.documents))
    failed = tuple(_in_order(pairing, total))
    if args.text and len(failed) == pairing.documents and all(NO_KEY in one.problem for one in failed):
        raise DataError(failed[0].problem)  # no document has it: it is misspelt
    missing = tuple(pairing.missing)
    stretches = refs.pair is not None
    return Outcome(total.tally, pairing.documents, missing, failed, warnings, total.notes.categories, stretches)


def _suggest_text(total: Counted, documents: int) -> Iterator[str]:
    """Name --text if nothing is right and every prediction has one key that the type does not have."""
    from matchwise.deriving.faults import UNDECLARED

    end = f": {UNDECLARED}"
    counted = total.notes.warnings.items()
    keys = [text.removesuffix(end) for text, number in counted if text.endswith(end) and number == documents]
    if len(keys) != 1:
        return
    report = total.tally.report()
    if not any(report[name].value for name in report):
        file, _, key = keys[0].rpartition(": ")
        yield f"{file}: nothing is right; if {key!r} holds what a model wrote, write --text {key}"


def _zero(chosen: ChosenMetrics, args: Namespace) -> Tally:
    if not args.by and getattr(args, "average", None) in ("macro", "weighted"):
        raise ExpressionError(f"--average {args.average} needs labels; name them with --by FIELD, as in --by type")
    try:
        return Tally(
            chosen.suite,
            by=args.by,
            fields=args.fields or getattr(args, "average", None) == "fields",
            time_limit=args.time_limit,
            gap=args.gap,
            keep=_keep(args),
        )
    except ExpressionError as error:
        if args.by and len(chosen.suite.metrics) > 1:
            raise ExpressionError(f"{error}; --only NAME,... keeps the metrics that can be broken down") from None
        raise


def _keep(args: Namespace) -> Keep:
    """Only what the output needs: memory grows with the corpus where the counts of each document are asked for."""
    return "documents" if args.ci or _needs_ids(args) else "sums"


def _needs_ids(args: Namespace) -> bool:
    """Whether the ids of documents are asked for too."""
    asked = ("per_document", "worst", "save_table", "clusters")
    return args.command != "score" or any(getattr(args, name) for name in asked)


def _parts(work: Counting, pairs: Pairing, args: Namespace, progress: Progress) -> Iterator[Counted]:
    """What came of each list of documents: in ranges, or in blocks as long as that lasts, then document by document."""
    if args.jobs > 1 and args.timeout is None:
        counted = count_ranges(work, pairs, args.jobs, progress)
        if counted is not None:
            yield from counted
            return
    if args.timeout is None:
        for found in blocks(work, pairs, args.jobs):
            if isinstance(found, Counted):
                yield found
            else:
                yield from run_lists(work, found, jobs=args.jobs, apart=True)
    yield from run_lists(work, pairs.readable(), jobs=args.jobs, timeout=args.timeout)


def _check_errors(pairing: Pairing, total: Counted, most: int | None) -> None:
    """Stop at the first error that is too many, in the order of documents: reading is ahead of what is done."""
    if most is None or len(pairing.failed) + len(total.failed) <= most:
        return
    known = [failed for failed in _in_order(pairing, total) if failed.place <= total.items]
    if len(known) > most:
        raise DataError(f"more than {most} errors; the last: {known[most].problem}")


def _in_order(pairing: Pairing, total: Counted) -> list[Failed]:
    """What could not be read or scored; what could not be read before a pair comes before that."""
    return sorted((*pairing.failed, *total.failed), key=attrgetter("place"))


def categories_of(chosen: ChosenMetrics, args: Namespace) -> dict[str, Categories]:
    """Metric -> an empty table of categories; none where none was asked for."""
    if not (getattr(args, "categories", False) or getattr(args, "confusion", False)):
        return {}
    option = "--categories" if args.categories else "--confusion"
    if chosen.task is None or args.metric:
        raise ExpressionError(
            f"{option} needs a task and its own metrics, as in matchwise score ner PRED -r REF {option}"
        )
    if chosen.suite.several is not None:
        raise ExpressionError(f"{option} compares with one reference; leave out --references {args.references}")
    assert chosen.declared is not None, "it has a task"
    gradings = chosen.declared.gradings
    if gradings is None:
        raise ExpressionError(f"{chosen.task} has no error categories; leave out {option}")
    from matchwise.corpus.categories import Categories

    found = {
        name: Categories(grading)
        for name, grading in gradings(chosen.preset, **chosen.options).items()
        if name in chosen.suite
    }
    if not found and args.only:
        raise ExpressionError(f"{', '.join(chosen.suite)} has no error categories; leave out --only or {option}")
    if not found:
        having = [preset for preset in chosen.declared.presets if gradings(preset)]
        raise ExpressionError(
            f"{chosen.task} has error categories under the preset {', '.join(having)}, not under {chosen.preset}; "
            f"write --preset {having[0]}, or leave out {option}"
        )
    return found


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
    counting = partial(_count_block, work, preds, refs)
    steps = Lockstep(preds, refs, pairs.done)
    with closing(_several(counting, steps, jobs) if jobs > 1 else _one(counting, steps)) as found:
        for one in found:
            # Who killed a process is found document by document. No document is read here, only its id.
            block = pair_stretch(one, preds, refs, unread=True) if isinstance(one, Both) else one
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


def _count_block(work: Counting, preds: JsonLines, refs: JsonLines, _: int, items: list[Both]) -> Settled | None:
    """The work on one stretch of both files."""
    [both] = items
    block = pair_stretch(both, preds, refs)
    return None if block is None else Settled(work(0, block.pairs), block.ids)


CountBlock: TypeAlias = Callable[[int, list[Both]], Settled | None]


def _one(counting: CountBlock, steps: Lockstep) -> Generator[Settled | Both | None, None, None]:
    for both in steps.stretches(lambda before: LINES if before else FIRST):
        yield counting(0, [both])


def _several(counting: CountBlock, steps: Lockstep, jobs: int) -> Generator[Settled | Both | None, None, None]:
    """Blocks counted by the resilient pool; one that kills its process comes back as it was sent."""
    from matchwise.runners.pool import Lost, run

    stretches = steps.stretches(partial(chunk_size, jobs, most=LINES), ranges=True)
    first = next(stretches, None)
    if first is None or pair_stretch(first, steps.preds, steps.refs, unread=True) is None:
        yield None  # before a process is started for nothing
        return
    lists = ([both] for both in chain([first], stretches))
    for result in run(counting, lists, jobs, what="block", fork=True):
        yield result.item if isinstance(result, Lost) else result


class Ranged(NamedTuple):
    """What came of two ranges."""

    counted: Counted
    ids: list[Id | None]
    references: int
    """How many documents of the reference there are: a pair may have several."""


def _count_range(
    work: Counting, preds: TaskFile, refs: TaskFile, _: int, items: list[tuple[Range, Range]]
) -> Ranged | None:
    """The work on a range of both files."""
    [(pred, ref)] = items
    pairing = Pairing(preds.at(pred), refs.at(ref), missing="raise")
    try:
        return _count_pairs(work, list(pairing))
    except RAISED:
        return None


def _count_pairs(work: Counting, pairs: list[Pair]) -> Ranged:
    counted = work(0, pairs)
    counted.tally.scores.settle()
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
    strict = replace(work, reader=reader, on_error="raise", unreadable="raise")
    counting = partial(_count_range, strict, preds, refs)
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
