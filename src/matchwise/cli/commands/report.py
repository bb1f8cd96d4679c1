"""`matchwise report`: a web page with the scores and with what is wrong in the worst documents."""

from __future__ import annotations

from argparse import Namespace
from contextlib import nullcontext
from time import gmtime, strftime
from typing import Any

from matchwise.cli import end_partial
from matchwise.cli.documents import find_errors, make_views, visit_documents
from matchwise.cli.inputs import check_stdin, open_pairing
from matchwise.cli.metric import ChosenMetrics, choose, split
from matchwise.cli.options import BREAKDOWNS, NUMBERS, RUNNING, Arguments, count
from matchwise.cli.output import emit
from matchwise.cli.results import make_results, score_files
from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds, Limits, start_search
from matchwise.errors import ExpressionError
from matchwise.reports.page import SeenDocument, ShownDocument, to_page
from matchwise.reports.results import System
from matchwise.tasks.views import add_document
from matchwise.views.errors import Errors
from matchwise.views.model import View

EXAMPLES = """\
  matchwise report coref run.conll -r gold.conll -o report.html
  matchwise report --type models.py:Invoice run.jsonl -r gold.jsonl --fields --worst 50 -o report.html"""


def add_arguments(to: Arguments) -> None:
    to.inputs("+", "[TASK] PRED", "A task and one or more files of predictions.")
    to.metric()
    to.files()
    group = to.group("what is shown")
    group.value("--worst", "N", "Show the N worst documents (default: %(default)s).", type=count, default=20)
    group.shared(*BREAKDOWNS, "--average", *NUMBERS)
    to.group("statistics").intervals("delta")
    to.group("running", *RUNNING)
    to.default(format="html", per_document=False, layout=None)
    to.output(())


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise report TASK PRED -r REF -o report.html")
    check_stdin(files, *args.refs, twice="report reads its files")
    asked = choose(args, task)
    outcomes = score_files(asked, files, args)
    found = make_results(asked, files, outcomes, args)
    found = found._replace(view=found.view._replace(worst=0))
    worst = _worst_views(found.systems, args)
    looked = [_look(asked, file, set(worst), args) for file in files]
    shown = _display(worst, found.systems, [views for views, _ in looked])
    today = strftime("%Y-%m-%d", gmtime())
    emit(to_page(found, shown, errors=[errors for _, errors in looked], made=today), args)
    return end_partial(sum(len(one.missing) for one in outcomes), sum(len(one.errors) for one in outcomes))


def _worst_views(systems: tuple[System, ...], args: Namespace) -> list[Id]:
    """The wrong documents with the lowest scores of any system."""
    lowest: dict[Id, float] = {}
    for system in systems:
        for id, value in system.report.worst(system.report.documents):
            lowest[id] = min(lowest.get(id, float("inf")), value)
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
    find, errors, limits = find_errors(asked, args), Errors(()), Limits(args.time_limit, args.gap)
    view = make_views(asked, args)

    def look(id: Id, pred: Any, ref: Any) -> list[View]:
        with start_search(limits) if limits else nullcontext():
            add_document(errors, find, pred, ref, id)
        return view(id, pred, ref) if id in wanted else []

    with open_pairing(asked, file, args) as pairing:
        found = {id: made for id, made in visit_documents(pairing, lambda id: True, look) if made}
    return found, errors
