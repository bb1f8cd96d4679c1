"""`matchwise report`: scores on a page of HTML, with what is wrong with the worst documents."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from dataclasses import replace

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.alignments import views
from matchwise.cli.commands.score import outcomes_of, results_of
from matchwise.cli.inputs import check_stdin, pairing_of, references, source, split_name
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit
from matchwise.corpus.table import Id
from matchwise.engine.limits import Bounds
from matchwise.errors import ExpressionError
from matchwise.formats.io.lines import read_once
from matchwise.views.model import View
from matchwise.views.report.page import Seen, Shown, render
from matchwise.views.tables.results import System


def run(args: Namespace) -> int:
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
    emit(render(found, _worst(asked, files, found.systems, args), made=_today()), args)
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def _today() -> str:
    from datetime import UTC, datetime

    return f"{datetime.now(UTC):%Y-%m-%d}"


def _worst(asked: Chosen, files: list[str], systems: tuple[System, ...], args: Namespace) -> list[Shown]:
    """The documents with the lowest scores of any system, read again and shown under each."""
    scores = [_values(system) for system in systems]
    lowest: dict[Id, float] = {}
    for found in scores:
        for id, bounds in found.items():
            lowest[id] = min(lowest.get(id, float("inf")), float(bounds.lower))
    worst = sorted(lowest, key=lambda id: lowest[id])[: args.worst]
    made = [_views(asked, file, set(worst), args) for file in files]
    return [
        Shown(
            id,
            tuple(
                Seen(system.prediction, values[id], tuple(seen.get(id, ())))
                for system, values, seen in zip(systems, scores, made, strict=True)
                if id in values
            ),
        )
        for id in worst
    ]


def _values(system: System) -> dict[Id, Bounds]:
    """Document -> its main score."""
    metric = system.report[system.report.headline]
    return {id: metric.bounds_of(place) for place, id in enumerate(system.report.scores.names)}


def _views(asked: Chosen, file: str, wanted: set[Id], args: Namespace) -> dict[Id, list[View]]:
    with (
        closing(source(file, asked, args)) as preds,
        closing(references(asked, args)) as refs,
    ):
        return dict(views(asked, pairing_of(asked, preds, refs, args), wanted.__contains__, args))
