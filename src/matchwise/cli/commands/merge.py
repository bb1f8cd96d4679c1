"""`matchwise merge`: what several shards saved, added up."""

from __future__ import annotations

from argparse import Namespace

from matchwise.cli import end_partial, note, remark
from matchwise.cli.commands.compare import intervals_of
from matchwise.cli.inputs import NAMED
from matchwise.cli.parser import INTERVALS, NUMBERS, OUTPUT, Parser, add_group
from matchwise.cli.scoring import show
from matchwise.corpus.table import Table, merge
from matchwise.errors import DataError, ExpressionError, cut
from matchwise.reports.results import Display, Results, System
from matchwise.sheets.table import NumberStyle

EXAMPLES = """\
  matchwise merge shard-*.tally.json
  matchwise merge a.parquet b.parquet --save-table all.parquet"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="TABLE", help="Files that score --save-table or --save-tally wrote.")
    to.add_argument("--save-tally", metavar="FILE", help="Save the sums of what was merged.")
    to.add_argument("--save-table", metavar="FILE", help="Save the merged table, if every shard has its documents.")
    add_group(to, "statistics", *INTERVALS)
    add_group(to, "what is shown", "--average", *NUMBERS)
    add_group(to, "output", *OUTPUT)


def run(args: Namespace) -> int:
    found = merge(map(Table.load, args.inputs))
    by_documents = args.ci if args.ci != "delta" or args.clusters else None
    for option, asked in ((f"--ci {args.ci}", by_documents), ("--save-table", args.save_table)):
        if asked and found.keep == "sums":
            named = "--ci with --clusters" if asked == "delta" else option
            raise ExpressionError(f"{named} needs the counts of each document: merge tables of score --save-table")
    if args.save_table:
        found.save(args.save_table)
    if not len(found):
        raise DataError("the merged tables hold no documents")
    if args.save_tally:
        found.fold().save(args.save_tally)
    if found.labels is None and args.average in ("macro", "weighted"):
        raise ExpressionError(f"--average {args.average} needs labels; score the shards with --by FIELD")
    show(_merge_results(found, args), args)
    for id, problem in found.unscored[:NAMED]:
        note(f"error: {problem}" if id is None else f"error: document {cut(str(id))}: {problem}")
    return end_partial(len(found.missing), len(found.unscored))


def _merge_results(found: Table, args: Namespace) -> Results:
    intervals, parts, how, warnings = intervals_of(found, args)
    for warning in warnings:
        remark(f"warning: {warning}", args)
    empty = set(found.unreadable)
    unreadable, errors = (
        tuple({"document": id, "problem": problem} for id, problem in several)
        for several in ([one for one in found.errors if one[0] in empty], found.unscored)
    )
    name, missing = " + ".join(args.inputs), tuple(found.missing)
    system = System(name, found.report(), missing, errors, intervals, parts, unreadable=unreadable)
    numbers = NumberStyle(4 if args.digits is None else args.digits, args.percent)
    view = Display(average=args.average, numbers=numbers)
    return Results(None, found.documents, found.signature, (system,), view=view, notes=how)
