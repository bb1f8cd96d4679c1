"""`matchwise merge`: score tables of shards, with documents or with sums alone, added up and shown as by `score`."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.output import note, show
from matchwise.errors import DataError, ExpressionError
from matchwise.views.tables.results import Interval, Results, System, View
from matchwise.views.tables.table import Numbers

if TYPE_CHECKING:
    from matchwise.corpus.slices import Part
    from matchwise.corpus.table import Table

NAMED = 5
"""Errors that are shown."""


def run(args: Namespace) -> int:
    from matchwise.corpus.table import Table, merge

    found = merge(map(Table.load, args.inputs))
    for option, asked in (("--ci", args.ci), ("--save-table", args.save_table)):
        if asked and found.keep == "sums":
            raise ExpressionError(f"{option} needs the counts of each document: merge tables of score --save-table")
    if args.save_table:
        found.save(args.save_table)
    if not len(found):
        raise DataError("the merged tables hold no documents")
    if args.save_tally:
        found.fold().save(args.save_tally)
    if found.labels is None and args.average in ("macro", "weighted"):
        raise ExpressionError(f"--average {args.average} needs labels; score the shards with --by FIELD")
    show(_results(found, args), args)
    for id, problem in found.errors[:NAMED]:
        note(f"error: {problem}" if id is None else f"error: document {id}: {problem}")
    return PARTIAL if found.errors or found.missing else DONE


def _results(found: Table, args: Namespace) -> Results:
    intervals: dict[str, Interval] = {}
    parts: dict[Part, Interval] = {}
    how: dict[str, Any] = {}
    if args.ci:
        from matchwise.cli.statistics import intervals_of

        intervals, parts, how = intervals_of(found, args)
    errors = tuple({"document": id, "problem": problem} for id, problem in found.errors)
    system = System(" + ".join(args.inputs), found.report(), tuple(found.missing), errors, intervals, parts)
    numbers = Numbers(4 if args.digits is None else args.digits, args.percent)
    view = View(average=args.average, numbers=numbers)
    return Results(None, found.documents, found.signature, (system,), view=view, notes=how)
