"""Documents that a person looks at, chosen by name or by score, and collections that are compared with each other."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from matchwise.cli import end_partial, note, remark
from matchwise.cli.inputs import (
    NAMED,
    ChosenMetrics,
    check_readable,
    check_stdin,
    choose,
    describe_unreadable,
    name_by_file,
    only_metric,
    source,
    split,
)
from matchwise.cli.parser import METRIC, OUTPUT, READING, Parser, add_group
from matchwise.cli.scoring import describe_warnings, locate
from matchwise.corpus.pairing import NOTHING
from matchwise.corpus.suite import Suite
from matchwise.corpus.table import Id
from matchwise.errors import DataError, ExpressionError, FormatError, suggestion
from matchwise.formats.io.documents import Pair, Pairing
from matchwise.runners.runner import Progress
from matchwise.tasks import Analyse
from matchwise.tasks.views import TOGETHER, analysis_of, metric_of, views_of
from matchwise.views.model import View

Made = TypeVar("Made")


SUGGESTED = 2000
"""Documents that an unknown one may have been meant for."""


Row: TypeAlias = tuple[Any, Any, Id]
"""Prediction, reference, id."""

Make: TypeAlias = Callable[[list[Id], list[Any], list[Any]], list[Made]]
"""(ids, predictions, references) -> what is made of each document."""


def visit_documents(
    pairing: Pairing,
    wanted: Callable[[Id], bool],
    make: Make[Made],
    *,
    together: int = TOGETHER,
    quiet: bool = True,
) -> Iterator[tuple[Id, Made]]:
    """Each document that is wanted, by its id or its position, and what is made of it, some documents at a time.

    One that cannot be read is noted as failed. Progress is shown unless it is `quiet`, as where documents are printed
    one after the other.
    """
    progress = Progress(pairing.preds.name, pairing.refs.progress, quiet=quiet)
    documents, done = _read(pairing, wanted), 0
    while some := list(islice(documents, together)):
        yield from _make(pairing, some, make)
        done += len(some)
        progress(done)
    progress.end()
    check_readable(pairing.failed, pairing)


def measure_documents(pairing: Pairing, measure: Callable[[list[Row]], Made]) -> tuple[list[Row], Made]:
    """All documents, and what is measured of them together; one that cannot be compared is noted as failed."""
    documents = list(_read(pairing, lambda id: True))
    rows: list[Row] = [(pred, ref, id) for id, _, pred, ref in documents]
    check_any(len(rows), pairing)
    try:
        return rows, measure(rows)
    except DataError as error:
        if error.document is None:  # it is about all of them
            raise

    def check(ids: list[Id], preds: list[Any], refs: list[Any]) -> list[Row]:
        alone = list(zip(preds, refs, ids, strict=True))
        try:
            measure(alone)
        except DataError as error:
            if error.document is not None:
                raise
        return alone

    rows = [row for one in documents for _, row in _make(pairing, [one], check)]
    check_any(len(rows), pairing)
    return rows, measure(rows)


class _ReadDocument(NamedTuple):
    """A document that was read: its id or position, where it stands, and both sides."""

    id: Id
    pair: Pair
    pred: Any
    ref: Any


def _read(pairing: Pairing, wanted: Callable[[Id], bool]) -> Iterator[_ReadDocument]:
    """The documents that are wanted; one that cannot be read is noted as failed."""
    for number, pair in enumerate(pairing):
        id = number if pair.ref.id is None else pair.ref.id
        if not wanted(id):
            continue
        try:
            sides = pairing.read(*pair)
        except (DataError, FormatError) as error:
            pairing.fail(pair.ref.id, locate(error, pair, pairing.preds, pairing.refs))
        else:
            yield _ReadDocument(id, pair, *sides)


def _make(pairing: Pairing, documents: list[_ReadDocument], make: Make[Made]) -> Iterator[tuple[Id, Made]]:
    """What is made of some documents; where one of them cannot be compared, of each by itself.

    One that cannot is noted as failed, and counts as empty if that is asked for and its reference can be read.
    """
    ids, pairs, preds, refs = map(list, zip(*documents, strict=True))
    try:
        made = make(ids, preds, refs)
    except (DataError, FormatError) as error:
        if len(documents) > 1:
            for document in documents:
                yield from _make(pairing, [document], make)
            return
        pairing.fail(pairs[0].ref.id, locate(error, pairs[0], pairing.preds, pairing.refs))
        if pairing.on_error != "empty" or preds[0] is NOTHING:
            return
        try:
            made = make(ids, [NOTHING], refs)
        except (DataError, FormatError):
            return
    yield from zip(ids, made, strict=True)


def count_faults(asked: ChosenMetrics, make: Make[Made], faults: Counter[str]) -> Make[Made]:
    """What `make` makes of documents; what does not fit in their references is counted on the way."""
    if not asked.fits:
        return make
    from matchwise.tasks.documents.form import fill, form_of

    form = form_of(asked.suite)
    if form is None:
        return make

    def make_counted(ids: list[Id], preds: list[Any], refs: list[Any]) -> list[Made]:
        several = [refs] if asked.suite.several is None else refs
        fitted = [[form.fit(one, reference=True) for one in some] for some in several]
        filled = [list(map(fill, some)) for some in fitted]
        made = make(ids, preds, filled[0] if asked.suite.several is None else filled)
        for one in chain.from_iterable(fitted):
            faults.update(fault.kind for fault in one.faults if form.extra == "count" or not fault.is_undeclared)
        return made

    return make_counted


@contextmanager
def choose_documents(asked: list[str], worst: list[Any] | None) -> Iterator[Callable[[Any], bool]]:
    """Tell the documents that were asked for; one that never comes is an error at the end."""
    missing, some = set(asked), list[str]()
    lowest = None if worst is None else set(worst)

    def is_wanted(id: Any) -> bool:
        if len(some) < SUGGESTED:
            some.append(str(id))
        missing.discard(str(id))
        return (not asked or str(id) in asked) and (lowest is None or id in lowest)

    yield is_wanted
    for id in asked:
        if id in missing:
            raise ExpressionError(f"no document {id!r}{suggestion(id, some)}")


def check_any(documents: int, pairing: Pairing) -> None:
    """Say why no document could be compared, and refuse to go on."""
    if not documents:
        for failed in pairing.failed[:NAMED]:
            note(f"error: {failed.problem}")
        raise DataError(f"{pairing.preds.name}: no document could be scored")


def note_failed(pairing: Pairing, args: Namespace, faults: Counter[str]) -> int:
    """Say what does not fit in references and which documents could not be read; the exit code follows."""
    for text in describe_warnings(faults, {kind: [pairing.refs.name] for kind in faults}, verbose=args.verbose):
        remark(f"warning: {text}", args)
    empty = [failed for failed in pairing.failed if failed.is_unreadable]
    errors = [failed for failed in pairing.failed if not failed.is_unreadable]
    if empty:
        remark(describe_unreadable(pairing.preds.name, empty), args)
    for failed in errors[:NAMED]:
        note(f"error: {failed.problem}")
    return end_partial(len(pairing.missing), len(errors))


def choose_metrics(asked: ChosenMetrics, args: Namespace) -> list[str]:
    """The metrics that documents are shown by: those that were named, or the task's own."""
    return list(asked.suite.metrics) if args.only or args.metric else [metric_of(asked.task, asked.suite)]


def make_views(asked: ChosenMetrics, args: Namespace, *, only_wrong: bool = False) -> Make[list[View]]:
    """What makes the views of documents, one for each metric; with `only_wrong`, that of a right one may be empty."""
    task, metrics = None if args.metric else asked.task, choose_metrics(asked, args)
    options: dict[str, Any] = {"time_limit": args.time_limit, "gap": args.gap, "only_wrong": only_wrong}

    def make(ids: list[Id], preds: list[Any], refs: list[Any]) -> list[list[View]]:
        titles = list(map(str, ids))
        made = (views_of(task, asked.whole, name, preds, refs, titles=titles, **options) for name in metrics)
        return [list(views) for views in zip(*made, strict=True)]

    return make


def find_errors(asked: ChosenMetrics, args: Namespace) -> Analyse:
    """What finds the errors of a document: by the kinds of the task, or of any metric."""
    return analysis_of(None if args.metric else asked.task, asked.whole, choose_metrics(asked, args)[0])


ONE_OR_TWO = "A task and one or two files; the documents of the first are compared with the documents of the second."


def add_comparison_options(to: Parser, formats: tuple[str, ...]) -> None:
    """The options of all commands that compare the documents of files with each other."""
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *READING)
    add_group(to, "running", "--jobs")
    add_group(to, "output", *OUTPUT, format={"choices": formats})


class DocumentCollection(NamedTuple):
    """The documents of a file, their ids, and where each was read."""

    documents: list[Any]
    ids: list[Any]
    places: list[str]

    @property
    def names(self) -> list[Any]:
        """The ids, if every document has one of its own; else the places."""
        if None not in self.ids and len(set(self.ids)) == len(self.ids):
            return self.ids
        return self.places

    def place(self, error: DataError) -> DataError:
        """The error with the place of its document, where it knows only the number."""
        if not isinstance(error.document, int):
            return error
        return DataError(f"{self.places[error.document]}: {': '.join(filter(None, (error.path, error.problem)))}")


def read_collection(path: str, asked: ChosenMetrics, args: Namespace, *, reference: bool = False) -> DocumentCollection:
    """Read a whole file; a document that cannot be read is an error, and so is a file without documents."""
    made = DocumentCollection([], [], [])
    with closing(source(path, asked, args, reference=reference)) as entries:
        name_by_file(args, entries)
        for entry in entries:
            made.documents.append(entries.document(entry))
            made.ids.append(entry.id)
            made.places.append(entries.place(entry))
        if not made.documents:
            raise FormatError("found no documents", entries.name)
    return made


@contextmanager
def show_progress(file: str, args: Namespace, *collections: DocumentCollection) -> Iterator[Progress]:
    """Progress while documents are compared; an error says which line the wrong document is on."""
    progress = Progress(file, lambda: None, quiet=args.quiet, what="pairs compared")
    try:
        yield progress
    except DataError as error:
        raise collections[-1 if error.side == "reference" else 0].place(error) from None
    finally:
        progress.end()


def read_one_or_two(args: Namespace, command: str) -> tuple[Suite, list[str], list[DocumentCollection]]:
    """The metric, the files, and their documents."""
    task, files = split(args)
    if len(files) not in (1, 2):
        raise ExpressionError(f"{command} compares the documents of one or two files, not {len(files)}")
    check_stdin(files)
    asked = choose(args, task, files)
    suite = only_metric(asked, command)
    return suite, files, [read_collection(file, asked, args) for file in files]
