"""`matchwise score`: predictions against a reference."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from matchwise.cli import DONE, GATE, PARTIAL
from matchwise.cli.gates import gates
from matchwise.cli.inputs import check_stdin
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import note, show
from matchwise.cli.scoring import Outcome, score
from matchwise.errors import DataError, ExpressionError
from matchwise.report.results import Interval, Results, System, View


def run(args: Namespace) -> int:
    task, files = split(args)
    if not files:
        raise ExpressionError("expected a file of predictions: matchwise score TASK PRED -r REF")
    check_stdin(files, args.ref)
    asked = chosen(args, task)
    bounds = gates(args.fail_under, asked.suite, fields=args.fields)
    if args.save_table and len(files) > 1:
        raise ExpressionError("--save-table keeps one system; score them one by one, or leave it out")
    outcomes = [score(asked, file, args) for file in files]
    for file, outcome in zip(files, outcomes, strict=True):
        for said in outcome.notes(file):
            note(said)
        if not len(outcome.tally):
            raise DataError(f"{file}: no document could be scored")
    results = _results(asked, files, outcomes, args)
    if args.save_table:
        outcomes[0].table().save(args.save_table)
    show(results, args)
    low = [text for system in results.systems for gate in bounds if (text := gate.failed(system.report))]
    for text in low:
        note(f"failed: {text}")
    if low:
        return GATE
    return PARTIAL if any(outcome.partial for outcome in outcomes) else DONE


def _results(asked: Chosen, files: list[str], outcomes: list[Outcome], args: Namespace) -> Results:
    systems = []
    notes: dict[str, Any] = {}
    for file, outcome in zip(files, outcomes, strict=True):
        errors = tuple({"document": failed.document, "problem": failed.problem} for failed in outcome.failed)
        report = outcome.tally.report()
        intervals: dict[str, Interval] = {}
        if args.ci:
            from matchwise.cli.statistics import intervals_of

            intervals, notes = intervals_of(report, args)
        systems.append(System(file, report, outcome.missing, errors, intervals))
    return Results(
        args.ref,
        outcomes[0].documents,
        asked.suite.signature,
        tuple(systems),
        asked.task,
        asked.preset,
        View(args.per_document, args.average, args.worst, args.digits, args.percent),
        notes,
    )
