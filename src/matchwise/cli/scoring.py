"""Two files to a tally: documents are read side by side and counted; what goes wrong is kept with the result."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from matchwise.cli.counting import PairReader
from matchwise.cli.inputs import NAMED, describe_missing, open_pairing
from matchwise.cli.metric import ChosenMetrics
from matchwise.corpus.loop import Counted, Counting, count
from matchwise.corpus.pairing import Failed
from matchwise.corpus.table import Id
from matchwise.corpus.tally import Tally
from matchwise.engine.selection import join
from matchwise.errors import DataError, ExpressionError, count_units
from matchwise.formats.io.decoding import NO_KEY
from matchwise.formats.io.pairing import Pairing
from matchwise.runners.progress import Progress
from matchwise.runners.runner import share

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.corpus.table import Table


class ScoredFile(NamedTuple):
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


def score(chosen: ChosenMetrics, pred: str, args: Namespace) -> ScoredFile:
    """Count one file of predictions against --ref."""
    lazy = args.jobs > 1 or args.timeout is not None
    with open_pairing(chosen, pred, args, lazy=lazy) as pairing:
        return _score(chosen, pairing, args)


def _score(chosen: ChosenMetrics, pairing: Pairing, args: Namespace) -> ScoredFile:
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
    total = work.nothing()
    progress = Progress(preds.name, refs.progress, quiet=args.quiet)
    try:
        for total in count(work, pairing.readable(), partial(share, jobs=args.jobs, timeout=args.timeout)):
            progress(total.items)
            _check_errors(pairing, total, args.max_errors)
        _check_errors(pairing, total, args.max_errors)
    finally:
        progress.end()
    reader.take_warnings(total.warnings)
    warnings = tuple(f"{text} ({count_units(number, 'times')})" for text, number in total.warnings.items())
    if chosen.fits and not args.text:
        warnings += tuple(_suggest_text(total, pairing.documents))
    failed = tuple(_in_order(pairing, total))
    if args.text and len(failed) == pairing.documents and all(NO_KEY in one.problem for one in failed):
        raise DataError(failed[0].problem)  # no document has it: it is misspelt
    missing = tuple(pairing.missing)
    stretches = refs.pair is not None
    return ScoredFile(total.tally, pairing.documents, missing, failed, warnings, total.categories, stretches)


def _suggest_text(total: Counted, documents: int) -> Iterator[str]:
    """Name --text if nothing is right and every prediction has one key that the type does not have."""
    from matchwise.deriving.faults import UNDECLARED

    counted = total.warnings.items()
    found = [text.partition(f": {UNDECLARED}") for text, number in counted if number == documents]
    keys = [place for place, separator, _ in found if separator]
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
            keep="documents" if args.ci or _needs_ids(args) else "sums",
        )
    except ExpressionError as error:
        if args.by and len(chosen.suite.metrics) > 1:
            raise ExpressionError(f"{error}; --only NAME,... keeps the metrics that can be broken down") from None
        raise


def _needs_ids(args: Namespace) -> bool:
    """Whether the ids of documents are asked for too."""
    asked = ("per_document", "worst", "save_table", "clusters")
    return args.command != "score" or any(getattr(args, name) for name in asked)


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
