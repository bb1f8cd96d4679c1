"""`matchwise merge`: the tallies or the score tables of shards, added up, and shown as `score` shows the whole."""

from __future__ import annotations

from argparse import Namespace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.output import note, show
from matchwise.errors import DataError, ExpressionError
from matchwise.views.tables.results import Interval, Results, System, View

if TYPE_CHECKING:
    from matchwise.corpus.table import Table
    from matchwise.corpus.totals import Totals

NAMED = 5
"""Errors that are shown."""


def run(args: Namespace) -> int:
    from matchwise.corpus.totals import totals

    shards = [_load(path) for path in args.inputs]
    table = _table(shards, args)
    if args.save_table and table is not None:
        table.save(args.save_table)
    found: Totals = totals(table) if table is not None else reduce(add, map(totals, shards))
    if not len(found):
        raise DataError("found no documents in what was merged")
    if args.save_tally:
        found.save(args.save_tally)
    if found.labels is None and args.average in ("labels", "weighted"):
        raise ExpressionError(f"--average {args.average} needs labels; score the shards with --by FIELD")
    show(_results(found, table, args), args)
    for id, problem in found.errors[:NAMED]:
        note(f"error: {problem}" if id is None else f"error: document {id}: {problem}")
    return PARTIAL if found.errors or found.missing else DONE


def _load(path: str) -> Table | Totals:
    """A tally or a score table, whichever it is."""
    from matchwise.corpus.table import Table
    from matchwise.corpus.totals import Totals

    with open(path, "rb") as file:
        start = file.read(100)
    return Totals.load(path) if b'"matchwise tally ' in start else Table.load(path)


def _table(shards: list[Table | Totals], args: Namespace) -> Table | None:
    """The documents of all shards, if all are tables."""
    from matchwise.corpus.table import Table, merged

    tables = [one for one in shards if isinstance(one, Table)]
    if len(tables) == len(shards):
        return merged(tables)
    for option, asked in (("--ci", args.ci), ("--save-table", args.save_table)):
        if asked:
            raise ExpressionError(f"{option} needs the counts of each document: merge tables of score --save-table")
    return None


def _results(found: Totals, table: Table | None, args: Namespace) -> Results:
    intervals: dict[str, Interval] = {}
    how: dict[str, Any] = {}
    if args.ci:
        from matchwise.cli.statistics import intervals_of

        assert table is not None
        intervals, how = intervals_of(table, args)
    errors = tuple({"document": id, "problem": problem} for id, problem in found.errors)
    system = System(" + ".join(args.inputs), found.report(), found.missing, errors, intervals)
    view = View(average=args.average, digits=args.digits, percent=args.percent)
    return Results(None, found.met, found.signature, (system,), view=view, notes=how)
