"""The commands about what is wrong: `align` shows documents, `errors` counts by kind, `report` writes a web page."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import gmtime, strftime
from typing import Any, TypeVar

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.commands.score import outcomes_of, results_of
from matchwise.cli.counting import locate
from matchwise.cli.inputs import check_stdin, note_missing, one_file, open_pairing
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.output import emit, emit_each, is_screen, json_lines, json_text, note
from matchwise.corpus.pairing import NOTHING
from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds, Limits, start_search
from matchwise.errors import DataError, ExpressionError, FormatError, suggestion
from matchwise.formats.io.pairing import Pair, Pairing
from matchwise.tasks.declaration import Analyse
from matchwise.tasks.views import add_document, analysis_of, metric_of, view_of
from matchwise.views.alignment import Alignment, align
from matchwise.views.errors import Errors
from matchwise.views.model import View
from matchwise.views.report import SeenDocument, ShownDocument, to_page
from matchwise.views.results import System
from matchwise.views.text import draw, to_text

Made = TypeVar("Made")

SUGGESTED = 2000
"""Documents that an unknown one may have been meant for."""


def run_align(args: Namespace) -> int:
    asked, file = one_file(args, "align")
    worst = _worst(asked, file, args)
    with open_pairing(asked, file, args) as pairing:
        if args.format == "text":
            shown = _shown(pairing, args, worst, _viewer(asked, args))
            _print_views((view for _, view in shown if not args.wrong or list(view.rows())), args)
        else:
            rows = _shown(pairing, args, worst, _aligner(asked, args))
            data = (
                {"document": id, "metric": metric, **found.to_dict()}
                for id, (metric, found) in rows
                if not args.wrong or not found.inner.score == found.inner.predicted == found.inner.reference
            )
            emit_each(json_lines(data) if args.format == "jsonl" else [json_text(list(data))], args)
    return _note_failed(pairing)


def _note_failed(pairing: Pairing) -> int:
    """Say which documents could not be read; the exit code follows."""
    for failed in pairing.failed:
        note(f"error: {failed.problem}")
    return PARTIAL if pairing.failed or pairing.missing else DONE


def _worst(asked: ChosenMetrics, file: str, args: Namespace) -> list[Any] | None:
    if args.worst is None:
        return None
    check_stdin([file], *args.refs, twice="--worst reads the files")
    return worst_documents(asked, file, args.worst, args)


def _print_views(shown: Iterator[View], args: Namespace) -> None:
    if args.output or not is_screen():
        texts = (to_text(view, whole=args.whole) + "\n" for view in shown)
        emit_each((f"\n{text}" if number else text for number, text in enumerate(texts)), args)
        return
    for number, view in enumerate(shown):
        emit("\n" if number else "", args)
        draw(view, sys.stdout, whole=args.whole)


def _shown(
    pairing: Pairing, args: Namespace, worst: list[Any] | None, make: Callable[[Id, Any, Any], list[Made]]
) -> Iterator[tuple[Id, Made]]:
    """What is made of each document that was asked for, the worst first."""
    with _choose(args.document, worst) as wanted:
        found = _each(pairing, wanted, make)
        if worst is not None:
            made = dict(found)
            found = ((id, made[id]) for id in worst if id in made)
        yield from ((id, one) for id, several in found for one in several)


@contextmanager
def _choose(asked: list[str], worst: list[Any] | None) -> Iterator[Callable[[Any], bool]]:
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


def _metrics(asked: ChosenMetrics, args: Namespace) -> list[str]:
    """The metrics that documents are shown by: those that were named, or the task's own."""
    return list(asked.suite.metrics) if args.only or args.metric else [metric_of(asked.task, asked.suite)]


def _aligner(asked: ChosenMetrics, args: Namespace) -> Callable[[Id, Any, Any], list[tuple[str, Alignment]]]:
    """What aligns a document by every metric."""
    limits = {"time_limit": args.time_limit, "gap": args.gap}
    return lambda id, pred, ref: [(name, align(phi, pred, ref, **limits)) for name, phi in asked.suite.metrics.items()]


def _viewer(asked: ChosenMetrics, args: Namespace) -> Callable[[Id, Any, Any], list[View]]:
    """What makes the views of a document, one for each metric."""
    task, metrics = None if args.metric else asked.task, _metrics(asked, args)
    limits: dict[str, Any] = {"time_limit": args.time_limit, "gap": args.gap}
    return lambda id, pred, ref: [
        view_of(task, asked.whole, name, pred, ref, title=str(id), **limits) for name in metrics
    ]


def analysis(asked: ChosenMetrics, args: Namespace) -> Analyse:
    """What finds the errors of a document: by the kinds of the task, or of any metric."""
    return analysis_of(None if args.metric else asked.task, asked.whole, _metrics(asked, args)[0])


def worst_documents(asked: ChosenMetrics, file: str, number: int, args: Namespace) -> list[Id]:
    """The documents with the lowest scores by the metric that is shown, lowest first."""
    from matchwise.corpus.tally import Tally

    tally = Tally(asked.suite)
    with open_pairing(asked, file, args) as pairing:
        found = _each(pairing, lambda id: True, lambda id, pred, ref: tally.add(pred, ref, id=id))
        ids = [id for id, _ in found]
    return [ids[place] for place in tally.report().lowest(number, _metrics(asked, args)[0])]


def _each(
    pairing: Pairing, wanted: Callable[[Id], bool], make: Callable[[Id, Any, Any], Made]
) -> Iterator[tuple[Id, Made]]:
    """Each document that is wanted, by its id or its position, and what is made of it.

    One that cannot be read is noted as failed.
    """
    for number, (pred, ref) in enumerate(pairing):
        id = number if ref.id is None else ref.id
        if not wanted(id):
            continue
        try:
            right = pairing.refs.document(ref)
            yield id, make(id, NOTHING if pred is None else pairing.preds.document(pred), right)
        except (DataError, FormatError) as error:
            pairing.fail(ref.id, locate(error, Pair(pred, ref), pairing.preds, pairing.refs))


def run_errors(args: Namespace) -> int:
    asked, file = one_file(args, "errors")
    find, total = analysis(asked, args), Errors(())
    with open_pairing(asked, file, args) as pairing, _choose(args.document, None) as wanted:
        for _ in _each(pairing, wanted, lambda id, pred, ref: add_document(total, find, pred, ref, id)):
            pass  # it is added
    if not total.documents:
        raise DataError(f"{', '.join(args.refs)}: no document")
    for kind in args.kind:
        if kind not in total.kinds:
            raise ExpressionError(f"no kind of error {kind!r}{suggestion(kind, total.kinds)}")
    _print_errors(total, args)
    note_missing(file, pairing.missing)
    return _note_failed(pairing)


def _print_errors(total: Errors, args: Namespace) -> None:
    made = total.to_dict()
    if args.kind:
        made["errors"] = [row for row in made["errors"] if row["kind"] in args.kind]
    match args.format:
        case "json":
            text = json_text(made)
        case "jsonl":
            text = "".join(json_lines(made["errors"]))
        case "markdown":
            text = total.to_markdown() + "\n"
        case "html":
            text = total.to_html() + "\n"
        case _:
            text = total.to_text(kinds=args.kind) + "\n"
    emit(text, args)


def run_report(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise report TASK PRED -r REF -o report.html")
    check_stdin(files, *args.refs, twice="report reads its files")
    asked = choose(args, task)
    outcomes = outcomes_of(asked, files, args)
    found = results_of(asked, files, outcomes, args)
    found = found._replace(view=found.view._replace(worst=0))
    worst = _worst_views(found.systems, args)
    looked = [_look(asked, file, set(worst), args) for file in files]
    shown = _display(worst, found.systems, [views for views, _ in looked])
    today = strftime("%Y-%m-%d", gmtime())
    emit(to_page(found, shown, errors=[errors for _, errors in looked], made=today), args)
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def _worst_views(systems: tuple[System, ...], args: Namespace) -> list[Id]:
    """The documents with the lowest scores of any system."""
    lowest: dict[Id, float] = {}
    for system in systems:
        for id, bounds in _values(system).items():
            lowest[id] = min(lowest.get(id, float("inf")), float(bounds.lower))
    return sorted(lowest, key=lambda id: lowest[id])[: args.worst]


def _display(worst: list[Id], systems: tuple[System, ...], made: list[dict[Id, list[View]]]) -> list[ShownDocument]:
    """The worst documents under each system."""
    scores = [_values(system) for system in systems]
    return [
        ShownDocument(
            id,
            tuple(
                SeenDocument(system.prediction, values[id], tuple(seen.get(id, ())), _problem(system, id))
                for system, values, seen in zip(systems, scores, made, strict=True)
                if id in values
            ),
        )
        for id in worst
    ]


def _problem(system: System, id: Id) -> str:
    """What was wrong with the prediction of a document, if it has none or cannot be read."""
    if id in system.missing:
        return "no prediction"
    return next((str(error["problem"]) for error in system.errors if error["document"] == id), "")


def _values(system: System) -> dict[Id, Bounds]:
    """Document -> its main score."""
    metric = system.report[system.report.headline]
    return {id: metric.bounds_of(place) for place, id in enumerate(system.report.scores.names)}


def _look(asked: ChosenMetrics, file: str, wanted: set[Id], args: Namespace) -> tuple[dict[Id, list[View]], Errors]:
    """The views of the documents that are wanted, and the errors of all by kind; the file is read again."""
    find, errors, limits = analysis(asked, args), Errors(()), Limits(args.time_limit, args.gap)
    view = _viewer(asked, args)

    def look(id: Id, pred: Any, ref: Any) -> list[View]:
        with start_search(limits) if limits else nullcontext():
            add_document(errors, find, pred, ref, id)
        return view(id, pred, ref) if id in wanted else []

    with open_pairing(asked, file, args) as pairing:
        found = {id: made for id, made in _each(pairing, lambda id: True, look) if made}
    return found, errors
