"""`matchwise merge`: the score tables of shards, added up."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.output import emit, note
from matchwise.report.results import View
from matchwise.report.tables import Table as Rows
from matchwise.report.text import aligned

if TYPE_CHECKING:
    from matchwise.corpus.table import Table


def run(args: Namespace) -> int:
    from matchwise.corpus.table import Table, merged

    found = merged(Table.load(path) for path in args.inputs)
    if args.save_table:
        found.save(args.save_table)
    rows, how = _rows(found, args)
    if args.format == "json":
        made = {"documents": len(found), "signature": found.signature, "tables": args.inputs, "metrics": rows}
        errors = [{"document": id, "problem": problem} for id, problem in found.errors]
        emit(json.dumps({**made, "errors": errors, **how}, ensure_ascii=False, indent=2, default=str) + "\n", args)
    else:
        table = Rows("scores", tuple({"metric": name} | row for name, row in rows.items()))
        documents = f"{len(found)} documents of {len(args.inputs)} tables"
        text = aligned(table, View(digits=args.digits, percent=args.percent))
        emit(f"{text}\n\n{documents}\n{found.signature}\n", args)
    for id, problem in found.errors[:5]:
        note(f"error: document {id}: {problem}")
    return PARTIAL if found.errors else DONE


def _rows(table: Table, args: Namespace) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The scores of each metric, with intervals if they were asked for."""
    from matchwise.corpus.statistic import statistics

    rows: dict[str, dict[str, Any]] = {}
    for metric in table.readings:
        found = statistics(table.readings, metric, ("precision", "recall", "f1", "value"))
        rows[metric] = {score: float(one.of(one.total(table.counts))) for score, one in found}
    if not args.ci:
        return rows, {}
    from matchwise.cli.statistics import intervals_of

    made, how = intervals_of(table, args)
    for metric, (low, high) in made.items():
        rows[metric] |= {"low": low, "high": high}
    return rows, how
