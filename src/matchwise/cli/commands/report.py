"""`matchwise report`: scores on a page of HTML, with what is wrong with the worst documents."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.alignments import alignments
from matchwise.cli.commands.score import outcomes_of, results_of
from matchwise.cli.inputs import check_stdin, named, pairing_of, references, source
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import emit
from matchwise.corpus.table import Id
from matchwise.errors import ExpressionError
from matchwise.formats.io.lines import read_once
from matchwise.views.alignment import Alignment
from matchwise.views.report.page import Shown, render
from matchwise.views.tables.results import System


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise report TASK PRED -r REF -o report.html")
    check_stdin(files, *args.refs)
    for path in filter(read_once, (*(named(file)[1] for file in files), *args.refs)):
        raise ExpressionError(f"report reads its files twice and {path} can be read once; save it to a file first")
    asked = chosen(args, task)
    outcomes = outcomes_of(asked, files, args)
    found = results_of(asked, files, outcomes, args)
    found = replace(found, view=replace(found.view, worst=0))
    shown = [
        one
        for file, system in zip(files, found.systems, strict=True)
        for one in _worst(asked, file, system, len(files) > 1, args)
    ]
    emit(render(found, shown), args)
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def _worst(asked: Chosen, file: str, system: System, several: bool, args: Namespace) -> Iterator[Shown]:
    """The documents with the lowest scores, read again and aligned."""
    metric, names = system.report[system.report.headline], system.report.scores.names
    worst = {names[place]: metric.bounds_of(place) for place in system.report.lowest(args.worst)}
    found: dict[Id, list[tuple[str, Alignment]]] = {}
    with (
        closing(source(file, asked, args)) as preds,
        closing(references(asked, args)) as refs,
    ):
        pairing = pairing_of(asked, preds, refs, args)
        for id, name, alignment in alignments(asked, pairing, worst.__contains__, args):
            found.setdefault(id, []).append((name, alignment))
    for id, bounds in worst.items():
        yield Shown(system.prediction if several else "", id, bounds, tuple(found.get(id, ())))
