"""Two files to results: documents are read side by side and counted, what goes wrong is kept, and it is shown."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import field

from matchwise.cli import emit, is_screen, note, remark
from matchwise.cli.inputs import (
    NAMED,
    ChosenMetrics,
    check_readable,
    describe_missing,
    describe_unreadable,
    open_pairing,
    split_name,
)
from matchwise.corpus.loop import Counted, Counting, Reader, Unreadable, reason_of
from matchwise.corpus.pairing import NOTHING, Failed, OnError
from matchwise.corpus.report import Report
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id, Table
from matchwise.corpus.tally import Document, Tally
from matchwise.engine.selection import join
from matchwise.errors import DataError, ExpressionError, FormatError, count_units
from matchwise.formats.io.documents import Pair, Pairing, Source, meet_sides
from matchwise.reports.results import Display, Layout, Results, System
from matchwise.reports.scores import sheet
from matchwise.runners.runner import Progress, share
from matchwise.sheets.table import NumberStyle, Sheet, draw, render

if TYPE_CHECKING:
    from matchwise.corpus.categories import Categories
    from matchwise.deriving.faults import Fault
    from matchwise.statistics.compare import Comparison
    from matchwise.tasks import Task


class ScoredFile(NamedTuple):
    """The counts of one system, and what of it failed or does not fit."""

    name: str
    file: str
    table: Table
    """With the documents that are missing or failed."""
    unreadable: list[Failed]
    """The predictions that could not be read and count as empty."""
    errors: list[Failed]
    """The documents that could not be scored."""
    warnings: Counter[str]
    """What does not fit, each after the name of its file, and how often."""
    faults: dict[str, int]
    """What does not fit in documents that could be read -> how often, the most frequent first."""
    categories: Mapping[str, Categories]
    stretches: bool
    """Whether documents are stretches of a text, which other systems may cut elsewhere."""


def score_files(asked: ChosenMetrics, files: list[str], args: Namespace) -> list[ScoredFile]:
    """The counts of each system; what a person should know besides is said."""
    named: dict[str, str] = {}
    for name, path in map(split_name, files):
        if named.setdefault(name, path) != path:
            raise ExpressionError(f"{name} is the name of {named[name]} and of {path}; give each system its own name")
    outcomes = [score_file(asked, file, args) for file in files]
    counted: Counter[str] = Counter()
    having: dict[str, list[str]] = {}
    for outcome in outcomes:
        for text, number in outcome.warnings.items():
            kind = text.removeprefix(f"{outcome.file}: ")
            if kind != text:  # what several systems have in common is said once
                counted[kind] += number
                having.setdefault(kind, []).append(outcome.file)
            else:  # and so is what is wrong with the reference
                counted[text] = max(number, counted[text])
    warnings = list(describe_warnings(counted, having, verbose=args.verbose))
    if asked.fits and not args.text:
        warnings += [text for outcome in outcomes for text in _suggest_text(outcome)]
    for text in warnings:
        remark(f"warning: {text}", args)
    for outcome in outcomes:
        if outcome.table.missing:
            remark(describe_missing(outcome.name, outcome.table.missing), args)
        if outcome.unreadable:
            remark(describe_unreadable(outcome.name, outcome.unreadable), args)
        for failed in outcome.errors[:NAMED]:
            note(f"error: {failed.problem}")
        if len(outcome.errors) > NAMED:
            note(f"{outcome.name}: {len(outcome.errors)} errors in all")
        if not len(outcome.table):
            raise DataError(f"{outcome.name}: no document could be scored")
    labels = outcomes[0].table.labels
    if labels is not None and (whole := [name for name in asked.suite.metrics if name not in labels]):
        by = join("", outcomes[0].table.by)
        remark(f"not broken down by {by}, which their elements do not have: {', '.join(whole)}", args)
    return outcomes


def score_file(chosen: ChosenMetrics, pred: str, args: Namespace) -> ScoredFile:
    """Count one file of predictions against --ref."""
    lazy = args.jobs > 1 or args.timeout is not None
    with open_pairing(chosen, pred, args, lazy=lazy) as pairing:
        preds, refs = pairing.preds, pairing.refs
        step = next((step for step in chosen.suite.steps if step.read is not None), None)
        reader = PairReader(
            suite=chosen.suite,
            preds=preds,
            refs=refs,
            empty=None if chosen.declared is None else chosen.declared.empty,
            unreadable=chosen.unreadable,
            fit=None if step is None else step.read,
            fit_reference=step.read if step is not None and step.separate else None,
            categories=_make_categories(chosen, args) if args.categories or args.confusion else {},
        )
        work = Counting(_zero(chosen, args), reader, args.on_error, chosen.unreadable)
        total, begin = Counted(work.zero, categories=reader.categories), process_time()
        progress = Progress(preds.name, refs.progress, quiet=args.quiet)
        try:
            for _ in share(work, pairing.readable(), total, jobs=args.jobs, timeout=args.timeout):
                progress(total.items)
                if args.max_errors is not None:
                    _check_errors(pairing, total, args.max_errors)
            if args.max_errors is not None:
                _check_errors(pairing, total, args.max_errors)
        finally:
            progress.end()
        if total.is_alone and process_time() - begin >= LONG:
            remark(f"{preds.name}: one process did all, as {args.jobs} would not be faster", args)
        reader.take_warnings(total.warnings)
        total.warnings.update([f"{preds.name}: {pairing.said}"] if pairing.said else ())
        failed = sorted((*pairing.failed, *total.failed), key=attrgetter("place"))  # reading comes before scoring
        if failed:
            check_readable(failed, pairing)
        unreadable = [one for one in failed if one.is_unreadable]
        table = replace(
            total.tally.scores,
            missing=pairing.missing,
            errors=[(one.document, one.problem) for one in failed],
            unreadable=[one.document for one in unreadable if one.document is not None],
            seen=pairing.documents,
        )
        table.left_out = sum(one.is_left_out for one in failed)
        return ScoredFile(
            split_name(pred)[0],
            preds.name,
            table,
            unreadable,
            [one for one in failed if not one.is_unreadable],
            total.warnings,
            {
                text.removeprefix(f"{preds.name}: "): number
                for text, number in total.warnings.most_common()
                if not _is_asked_for(text)
            },
            total.categories,
            stretches=pairing.is_cut or refs.pair is not None,
        )


LONG = 1.0
"""A command that worked longer than this many seconds says if --jobs did not help."""

WARNED = 5
"""How many kinds of warnings are listed without --verbose."""


def describe_warnings(counted: Counter[str], files: Mapping[str, list[str]], *, verbose: bool) -> Iterator[str]:
    """A line for each kind, the most frequent first, after the files that have it."""
    found = [(text, number) for text, number in counted.most_common() if verbose or not _is_asked_for(text)]
    shown = found if verbose else found[:WARNED]
    for text, number in shown:
        where = f"{', '.join(files[text])}: " if text in files else ""
        yield f"{where}{text} ({count_units(number, 'times')})"
    if len(found) > len(shown):
        yield f"({len(found) - len(shown)} more; --verbose)"


def _is_asked_for(text: str) -> bool:
    """True for where JSON was found in a text, which is what --text asks for."""
    from matchwise.tasks.documents.loading import FENCE, PREAMBLE, REMARK, THOUGHTS

    return text.endswith((FENCE, PREAMBLE, REMARK, THOUGHTS))


ANSWERS = ("output", "completion", "response", "answer", "text", "content", "prediction", "generated_text")
"""Keys under which logs have what a model wrote."""


def _suggest_text(outcome: ScoredFile) -> Iterator[str]:
    """Name --text if nothing is right and every prediction has the same keys that the type does not have."""
    from matchwise.deriving.faults import UNDECLARED
    from matchwise.formats.logs import LOGS

    counted = outcome.warnings.items()
    found = [text.partition(f": {UNDECLARED}") for text, number in counted if number == outcome.table.seen]
    own = f"{outcome.file}: "
    keys = [place.removeprefix(own) for place, separator, _ in found if separator and place.startswith(own)]
    report = outcome.table.report()
    if keys and not any(report[name].value for name in report):
        some = " or ".join(map(repr, keys[:WARNED]))
        common = (one for one in LOGS if one.is_common and all(sign.partition(".")[0] in keys for sign in one.signs))
        path = next((one.text[0] for one in common), None) or next((key for key in ANSWERS if key in keys), keys[0])
        yield f"{outcome.file}: nothing is right; if {some} holds what a model wrote, write --text {path}"


def _zero(chosen: ChosenMetrics, args: Namespace) -> Tally:
    if not args.by and args.average in ("macro", "weighted"):
        raise ExpressionError(f"--average {args.average} needs labels; name them with --by FIELD, as in --by type")
    is_brief = args.command == "score" and not (args.ci or args.clusters)
    try:
        return Tally(
            chosen.suite,
            by=args.by,
            fields=args.fields or args.average == "fields",
            time_limit=args.time_limit,
            gap=args.gap,
            keep="sums" if is_brief and not (args.per_document or args.worst or args.save_table) else "documents",
        )
    except ExpressionError as error:
        if args.by and len(chosen.suite.metrics) > 1:
            raise ExpressionError(f"{error}; --only NAME,... keeps the metrics that can be broken down") from None
        raise


def _check_errors(pairing: Pairing, total: Counted, most: int) -> None:
    """Stop at the first error that is too many, in the order of documents: reading is ahead of what is done."""
    if len(pairing.failed) + len(total.failed) <= most:
        return
    known = [failed for failed in (*pairing.failed, *total.failed) if failed.place <= total.items]
    if len(known) > most:
        known.sort(key=attrgetter("place"))
        raise DataError(f"more than {count_units(most, 'errors')}; the last: {known[most].problem}")


def _make_categories(chosen: ChosenMetrics, args: Namespace) -> dict[str, Categories]:
    """Metric -> an empty table of categories."""
    from matchwise.corpus.categories import Categories

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


class PairReader(Reader, kw_only=True):
    """Reads the documents of a pair from their files; can be sent to another process."""

    suite: Suite
    preds: Source
    refs: Source
    empty: Callable[[Any], Any] | None
    """Makes a task's own empty document from the reference."""
    unreadable: OnError
    """What becomes of a prediction that cannot be read."""
    fit: Callable[..., Any] | None
    """Fits a prediction to the form of the suite, if it has one."""
    fit_reference: Callable[..., Any] | None
    """Fits a reference, where each side is read by itself."""
    converted: Counter[str] = field(default_factory=Counter)
    """What positions were converted, because the sides count different units."""

    def read(self, item: Pair, place: int) -> Document:
        if item.pred is None:
            return self.read_empty(item, place)
        try:
            pred = self.preds.document(item.pred)
        except FormatError as error:
            raise Unreadable(error.problem, error.file, error.line) from None
        if self.fit is not None:
            pred = self.fit(pred)
            fault = _unreadable(pred)
            if fault and self.unreadable != "empty":
                raise self._unread(item, fault)
            return pred, self._read_reference(item), item.ref.id
        return *meet_sides(pred, self._read_reference(item), self.refs, self.converted), item.ref.id

    def read_empty(self, item: Pair, place: int) -> Document:
        ref = self._read_reference(item)
        if self.empty is None:
            return NOTHING, ref, item.ref.id
        return self.empty(ref if self.suite.several is None else ref[0]), ref, item.ref.id

    def _read_reference(self, item: Pair) -> Any:
        """The reference, or the list of references, fitted to the form, so that its faults are known."""
        ref = self.refs.document(item.ref)
        if self.fit_reference is None:
            return ref
        if self.suite.several is None:
            return self.fit_reference(ref, reference=True)
        return [self.fit_reference(one, reference=True) for one in ref]

    def note(self, made: Counted, items: list[Pair], documents: list[Document]) -> None:
        """Name what does not fit a form, and what a step leaves out beside this reference."""
        steps, several = self.suite.steps, self.suite.several is not None
        for name in [step.left_out for step in steps if step.left_out is not None]:
            for pair, (pred, ref, _) in zip(items, documents, strict=True):
                for found in () if pair.pred is None else name(pred, ref[0] if several else ref):
                    made.warnings[f"{self.preds.name}: {found.kind}"] += 1
        if not any(hasattr(kind, "faults") for kind in {type(one) for some in documents for one in some}):
            return
        from matchwise.deriving.faults import Fault

        ignores = any(("extra", "ignore") in step.options for step in steps)
        for place, (pair, (pred, ref, id)) in enumerate(zip(items, documents, strict=True), start=made.items):
            for found in (one for reference in (ref if several else [ref]) for one in getattr(reference, "faults", ())):
                if not (ignores and found.is_undeclared):
                    made.warnings[f"{self.refs.name}: {found.kind}"] += 1
            if pair.pred is None:
                continue
            if fault := _unreadable(pred):
                made.failed.append(Failed(id, str(self._unread(pair, fault)), place, is_unreadable=True))
            for found in getattr(pred, "faults", ()):
                if not isinstance(found, Fault) or not (found.is_unreadable or (ignores and found.is_undeclared)):
                    made.warnings[f"{self.preds.name}: {found.kind}"] += 1

    def take_warnings(self, warnings: Counter[str]) -> None:
        for one in (self.preds, self.refs):
            take_warnings(one, warnings)
        warnings.update({f"{self.preds.name}: {text}": number for text, number in self.converted.items()})
        self.converted.clear()

    def name(self, item: Pair, place: int) -> Id | None:
        return item.ref.id

    def explain(self, error: BaseException, item: Pair, place: int) -> str:
        if not isinstance(error, DataError | FormatError | MemoryError):
            error = DataError(reason_of(error))
        return str(self.locate(error, item, place))

    def locate(self, error: BaseException, item: Pair, place: int) -> BaseException:
        """The error with the file and line of the document it is in."""
        if isinstance(error, MemoryError):
            error = DataError("scoring it needs more memory than this process has")
        if isinstance(error, DataError | FormatError):
            return locate(error, item, self.preds, self.refs)
        return Reader.locate(self, error, item, place)  # super() does not know a class that was made again with slots

    def lose(self, reason: str, item: Pair, place: int, *, raised: bool) -> DataError:
        advice = "; write --on-error skip to leave it out" if raised else ""
        return DataError(f"{self.refs.place(item.ref)}: scoring it {reason}{advice}")

    def _unread(self, item: Pair, fault: Fault) -> Unreadable:
        assert item.pred is not None
        return Unreadable(str(fault), self.preds.place(item.pred))


def _unreadable(filled: Any) -> Fault | None:
    """Why nothing of a prediction could be read, where its form says so."""
    faults = getattr(filled, "faults", ())
    if not faults:
        return None
    from matchwise.deriving.faults import Fault

    return next((fault for fault in faults if isinstance(fault, Fault) and fault.is_unreadable), None)


def locate(error: DataError | FormatError, pair: Pair, preds: Source, refs: Source) -> DataError | FormatError:
    """The error with the file and line of the document it is in."""
    if isinstance(error, FormatError):
        return error
    place = preds.place(pair.pred) if error.side == "prediction" and pair.pred is not None else refs.place(pair.ref)
    path = f"{error.path}: " if error.path else ""
    return FormatError(f"{path}{error.problem}", place)


def take_warnings(source: Source, into: Counter[str]) -> None:
    """The unknown keys that were ignored since the last call."""
    found = source.decoding and source.decoding.warnings
    if found:
        into.update({f"{source.name}: {text}": number for text, number in found.items()})
        found.clear()


def note_right(*, is_all_read: bool) -> None:
    """Say why there are no worst documents."""
    note("no document is wrong" if is_all_read else "no document that could be read is wrong")


def make_results(asked: ChosenMetrics, outcomes: list[ScoredFile], args: Namespace) -> Results:
    """What is reported of the systems."""
    systems = []
    notes: dict[str, Any] = {}
    doubts: dict[str, None] = {}  # several systems may have the same
    for outcome in outcomes:
        unreadable, errors = (
            tuple({"document": one.document, "problem": one.problem} for one in several)
            for several in (outcome.unreadable, outcome.errors)
        )
        system = System(
            outcome.name,
            Report(replace(outcome.table, errors=[]), asked.suite),
            tuple(outcome.table.missing),
            errors,
            categories=outcome.categories,
            unreadable=unreadable,
            faults=outcome.faults,
        )
        if args.ci:
            from matchwise.cli.commands.compare import intervals_of

            ends, parts, notes, warnings = intervals_of(system.report, args)
            system = system._replace(intervals=ends, part_intervals=parts)
            doubts |= dict.fromkeys(warnings)
        systems.append(system)
    for warning in doubts:
        remark(f"warning: {warning}", args)
    if args.worst and args.command == "score" and not any(system.report.lowest(1) for system in systems):
        note_right(is_all_read=not any(system.unreadable for system in systems))
    return Results(
        ", ".join(args.refs),
        outcomes[0].table.documents,
        asked.suite.signature,
        tuple(systems),
        asked.task,
        asked.preset,
        choose_display(args, len(outcomes), asked.declared),
        notes,
        _comparison(outcomes, args) if args.ci and len(outcomes) > 1 else None,
    )


def choose_display(args: Namespace, systems: int, task: Task | None = None) -> Display:
    """Choose the display: several systems are shown as a table for a paper, in percent."""
    for_programs = args.format in ("csv", "jsonl")
    usual: Layout = "wide" if systems > 1 and not for_programs and args.average == "micro" else "long"
    layout: Layout = usual if args.layout in (None, "official") else args.layout
    paper = layout == "wide" and args.digits is None
    is_fitted = layout == "wide" and args.format != "latex"  # a table on a screen drops what has no room
    printed = task.printed if task and not (args.layout or args.only or args.metric or is_fitted) else ()
    digits = args.digits if args.digits is not None else 1 if paper else 4
    return Display(
        args.per_document,
        args.average,
        args.worst,
        NumberStyle(digits, args.percent or paper),
        args.categories,
        args.confusion,
        layout if args.average == "micro" else "long",
        labels_across=args.layout == "wide",
        metrics=printed,
        columns=args.columns,
    )


def _comparison(outcomes: list[ScoredFile], args: Namespace) -> Comparison | None:
    """The systems against the first; None where two files have one name, or systems cut a text into other documents."""
    tables = {outcome.name: outcome.table for outcome in outcomes}
    if len(tables) < len(outcomes) or any(outcome.stretches for outcome in outcomes):
        return None
    from matchwise.cli.commands.compare import statistics_options
    from matchwise.statistics.compare import compare

    return compare(tables, **statistics_options(args))


def show(results: Results, args: Namespace) -> None:
    """The results in the format that was asked for."""
    if args.format in ("text", "markdown", "latex"):
        show_sheet(sheet(results), args)
        return
    if args.format == "html":
        from matchwise.reports.page import to_page

        emit(to_page(results), args)
        return
    from matchwise.reports.records import as_dict, json_text, to_csv, to_lines

    if args.format == "json":
        emit(json_text(as_dict(results)), args)
    else:
        emit(to_csv(results) if args.format == "csv" else to_lines(results), args)


def show_sheet(made: Sheet, args: Namespace) -> None:
    """Tables for people, drawn by rich on a terminal, else as plain text; or for a paper or a page."""
    is_whole = args.signature == "long"
    if args.format != "text":
        from matchwise.sheets.markup import to_latex, to_markdown

        emit(to_latex(made) if args.format == "latex" else to_markdown(made), args)
    elif args.output or not is_screen():
        emit(render(made, whole_signature=is_whole), args)
    else:
        draw(made, sys.stdout, whole_signature=is_whole)
