"""`matchwise duplicates`: documents of a file that are nearly the same."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from matchwise.cli import DONE, emit
from matchwise.cli.documents import add_comparison_options, read_one_or_two, show_progress
from matchwise.cli.parser import Parser, similarity
from matchwise.errors import ExpressionError
from matchwise.relating.neighbours import Duplicates, duplicates
from matchwise.reports.records import csv_text, json_lines, json_text
from matchwise.sheets.table import write_one_line

EXAMPLES = """\
  matchwise duplicates --type models.py:Invoice invoices.jsonl --threshold 0.9
  matchwise duplicates --metric 'eq("zip") * f1("tags")' shops.jsonl --threshold 0.8 --format jsonl
  matchwise duplicates amr graphs.amr --threshold 0.95 --jobs 2"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help="A task and one file of documents; - is stdin.")
    to.add_argument(
        "--threshold",
        metavar="T",
        help="Print every pair of documents that is at least this similar.",
        type=similarity,
        required=True,
    )
    add_comparison_options(to, ("text", "json", "jsonl", "csv"))


def run(args: Namespace) -> int:
    suite, files, (collection, *more) = read_one_or_two(args, "duplicates")
    if more:
        raise ExpressionError("duplicates takes one file of documents, not 2")
    with show_progress(files[0], args, collection) as progress:
        found = duplicates(suite, collection.documents, threshold=args.threshold, jobs=args.jobs, done=progress)
    emit("".join(_duplicates_text(found, collection.names, args)), args)
    return DONE


def _duplicates_text(found: Duplicates, names: list[Any], args: Namespace) -> Iterator[str]:
    rows = [{"first": names[first], "second": names[second], "score": score} for first, second, score in found.pairs]
    if args.format == "json":
        clusters = [[names[place] for place in places] for places in found.clusters]
        yield json_text(found.to_dict() | {"clusters": clusters, "pairs": rows})
    elif args.format == "jsonl":
        yield from json_lines(rows)
    elif args.format == "csv":
        yield csv_text([("first", "second", "score"), *(row.values() for row in rows)])
    else:
        yield f"{found}\n"
        lines = (f"{row['score']:.4f}  {row['first']}  {row['second']}" for row in rows)
        yield from ("\n" if rows else "", *(f"{write_one_line(line)}\n" for line in lines))
        for number, places in enumerate(found.clusters, start=1):
            head = "\n" if number == 1 else ""
            line = f"cluster {number}: {', '.join(str(names[place]) for place in places)}"
            yield f"{head}{write_one_line(line)}\n"
