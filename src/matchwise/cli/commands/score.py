"""`matchwise score`: predictions against a reference."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from matchwise.cli import DONE, GATE, PARTIAL
from matchwise.cli.gates import gates, name_fields
from matchwise.cli.inputs import check_stdin, named
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import note, show
from matchwise.cli.scoring import Outcome, score
from matchwise.corpus.report import Report
from matchwise.errors import DataError, ExpressionError
from matchwise.views.tables.results import Interval, Results, System, View


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise score TASK PRED -r REF")
    check_stdin(files, *args.refs)
    asked = chosen(args, task)
    args.fields = args.fields or name_fields(args.fail_under, asked.suite)
    bounds = gates(args.fail_under, asked.suite, fields=args.fields)
    for option in ("--save-table", "--save-tally"):
        if getattr(args, option[2:].replace("-", "_")) and len(files) > 1:
            raise ExpressionError(f"{option} keeps one system; score them one by one, or leave it out")
    if args.collect_adjudications:
        from matchwise.cli.adjudications import check_collecting, collect

        check_collecting(asked, files, args)
    outcomes = outcomes_of(asked, files, args)
    results = results_of(asked, files, outcomes, args)
    show(results, args)
    if args.save_table:
        outcomes[0].table().save(args.save_table)
    if args.save_tally:
        outcomes[0].table().fold().save(args.save_tally)
    if args.collect_adjudications:
        for said in collect(asked, files, args):
            note(said)
    low = [text for system in results.systems for gate in bounds if (text := gate.failed(system.report))]
    for text in low:
        note(f"failed: {text}")
    if low:
        return GATE
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def outcomes_of(asked: Chosen, files: list[str], args: Namespace) -> list[Outcome]:
    """The counts of each system; what a person should know besides is said."""
    outcomes = [score(asked, file, args) for file in files]
    for file, outcome in zip(files, outcomes, strict=True):
        for said in outcome.notes(named(file)[0]):
            note(said)
        if not len(outcome.tally):
            raise DataError(f"{named(file)[0]}: no document could be scored")
    for said in (text for outcome in outcomes[:1] for text in outcome.left_whole()):
        note(said)
    return outcomes


def results_of(asked: Chosen, files: list[str], outcomes: list[Outcome], args: Namespace) -> Results:
    systems = []
    notes: dict[str, Any] = {}
    for file, outcome in zip(files, outcomes, strict=True):
        errors = tuple({"document": failed.document, "problem": failed.problem} for failed in outcome.failed)
        report = Report(outcome.tally.scores, asked.suite)
        intervals: dict[str, Interval] = {}
        if args.ci:
            from matchwise.cli.statistics import intervals_of

            intervals, notes = intervals_of(report, args)
        systems.append(System(named(file)[0], report, outcome.missing, errors, intervals, outcome.categories))
    return Results(
        ", ".join(args.refs),
        outcomes[0].documents,
        asked.suite.signature,
        tuple(systems),
        asked.task,
        asked.preset,
        View(args.per_document, args.average, args.worst, args.digits, args.percent, args.categories, args.confusion),
        notes,
    )
