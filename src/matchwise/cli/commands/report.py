"""`matchwise report`: scores on a page of HTML, with what is wrong with the worst documents."""

from __future__ import annotations

from argparse import Namespace
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.commands.align import analysis, views
from matchwise.cli.commands.score import outcomes_of, results_of
from matchwise.cli.inputs import check_stdin, open_pairing, split_name
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit
from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds, Limits, searching
from matchwise.errors import ExpressionError
from matchwise.formats.io.lines import read_once
from matchwise.tasks.views import add_document
from matchwise.views.errors import Errors
from matchwise.views.model import View
from matchwise.views.report import SeenDocument, ShownDocument, to_page
from matchwise.views.tables.results import System


def run_report(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise report TASK PRED -r REF -o report.html")
    check_stdin(files, *args.refs)
    for path in filter(read_once, (*(split_name(file)[1] for file in files), *args.refs)):
        raise ExpressionError(
            f"report reads its files twice, but {path} can be read only once; save it to a file first"
        )
    asked = chosen(args, task)
    outcomes = outcomes_of(asked, files, args)
    found = results_of(asked, files, outcomes, args)
    found = replace(found, view=replace(found.view, worst=0))
    worst = _worst(found.systems, args)
    looked = [_look(asked, file, set(worst), args) for file in files]
    shown = _shown(worst, found.systems, [views for views, _ in looked])
    emit(to_page(found, shown, errors=[errors for _, errors in looked], made=_today()), args)
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def _today() -> str:
    from datetime import UTC, datetime

    return f"{datetime.now(UTC):%Y-%m-%d}"


def _worst(systems: tuple[System, ...], args: Namespace) -> list[Id]:
    """The documents with the lowest scores of any system."""
    lowest: dict[Id, float] = {}
    for system in systems:
        for id, bounds in _values(system).items():
            lowest[id] = min(lowest.get(id, float("inf")), float(bounds.lower))
    return sorted(lowest, key=lambda id: lowest[id])[: args.worst]


def _shown(worst: list[Id], systems: tuple[System, ...], made: list[dict[Id, list[View]]]) -> list[ShownDocument]:
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


def _look(asked: Chosen, file: str, wanted: set[Id], args: Namespace) -> tuple[dict[Id, list[View]], Errors]:
    """The views of the documents that are wanted, and the errors of all by kind; the file is read again."""
    find, errors, limits = analysis(asked, args), Errors(()), Limits(args.time_limit, args.gap)

    def look(id: Id, pred: Any, ref: Any) -> None:
        with searching(limits) if limits else nullcontext():
            add_document(errors, find, pred, ref, id)

    with open_pairing(asked, file, args) as pairing:
        found = {id: made for id, made in views(asked, pairing, wanted.__contains__, args, look=look) if made}
    return found, errors
