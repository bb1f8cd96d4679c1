"""`matchwise nearest`: for each document, the documents that are most like it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from matchwise.cli import DONE, emit
from matchwise.cli.documents import ONE_OR_TWO, add_comparison_options, read_one_or_two, show_progress
from matchwise.cli.parser import Parser, positive, similarity
from matchwise.relating.neighbours import Neighbour, nearest
from matchwise.reports.records import json_lines, json_text
from matchwise.sheets.table import write_one_line

EXAMPLES = """\
  matchwise nearest --type models.py:Invoice invoices.jsonl -k 5
  matchwise nearest --metric 'f1("tags")' new.jsonl known.jsonl --threshold 0.5 --format jsonl"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=ONE_OR_TWO)
    to.add_argument(
        "-k", metavar="N", help="Print at most N documents for each (default: 1).", type=positive, default=1
    )
    to.add_argument(
        "--threshold", metavar="T", help="Leave out documents that are less similar.", type=similarity, default=0.0
    )
    add_comparison_options(to, ("text", "json", "jsonl"))


def run(args: Namespace) -> int:
    suite, files, collections = read_one_or_two(args, "nearest")
    mine, theirs = collections[0], collections[-1]
    others = theirs.documents if len(files) == 2 else None
    with show_progress(files[0], args, *collections) as progress:
        found = nearest(
            suite, mine.documents, others, k=args.k, threshold=args.threshold, jobs=args.jobs, done=progress
        )
    emit("".join(_nearest_text(found, mine.names, theirs.names, args.format)), args)
    return DONE


def _nearest_text(found: list[list[Neighbour]], mine: list[Any], theirs: list[Any], format: str) -> Iterator[str]:
    if format == "text":
        for name, neighbours in zip(mine, found, strict=True):
            near = ", ".join(f"{theirs[one.place]} ({one.score:.4f})" for one in neighbours)
            yield write_one_line(f"{name}: {near or 'nothing is similar'}") + "\n"
        return
    rows = [
        {"document": name, "nearest": [{"document": theirs[one.place], "score": one.score} for one in neighbours]}
        for name, neighbours in zip(mine, found, strict=True)
    ]
    if format == "json":
        yield json_text(rows)
    else:
        yield from json_lines(rows)
