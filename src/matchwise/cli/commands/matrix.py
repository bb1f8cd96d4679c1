"""`matchwise matrix`: the similarity of all pairs of documents."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np

from matchwise.cli import DONE, emit
from matchwise.cli.documents import ONE_OR_TWO, add_comparison_options, read_one_or_two, show_progress
from matchwise.cli.parser import Parser
from matchwise.errors import ExpressionError
from matchwise.files import whole
from matchwise.relating.comparison import matrix
from matchwise.reports.records import csv_text, json_lines
from matchwise.sheets.table import align_cells

EXAMPLES = """\
  matchwise matrix --type models.py:Invoice invoices.jsonl --format csv -o similarities.csv
  matchwise matrix --metric 'jaccard("tags")' shops.jsonl --distance --format npy -o distances.npy
  matchwise matrix amr run.amr gold.amr --format jsonl --jobs 2"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=ONE_OR_TWO)
    to.add_argument("--distance", action="store_true", help="Print the distance 1 − φ instead of the similarity φ.")
    to.add_argument(
        "--kernel", action="store_true", help="Stop if the similarity is not proved to be positive definite."
    )
    add_comparison_options(to, ("text", "json", "jsonl", "csv", "npy"))


def run(args: Namespace) -> int:
    if args.format == "npy" and not args.output:
        raise ExpressionError("--format npy is a file of numbers; write -o FILE.npy")
    suite, files, collections = read_one_or_two(args, "matrix")
    rows, columns = collections[0], collections[-1]
    others = columns.documents if len(files) == 2 else None
    with show_progress(files[0], args, *collections) as progress:
        options = {"distance": args.distance, "kernel": args.kernel, "jobs": args.jobs, "done": progress}
        values = matrix(suite, rows.documents, others, **options)
    if args.format == "npy":
        with whole(args.output) as path, open(path, "wb") as file:
            np.save(file, values)
    else:
        emit("".join(_matrix_text(values, rows.names, columns.names, args.format)), args)
    return DONE


def _matrix_text(values: Any, rows: list[Any], columns: list[Any], format: str) -> Iterator[str]:
    if format == "json":
        yield json.dumps({"rows": rows, "columns": columns, "values": values.tolist()}, ensure_ascii=False) + "\n"
    elif format == "jsonl":  # as a sparse matrix: one line for each value that is not 0
        pairs = zip(*values.nonzero(), strict=True)
        yield from json_lines({"row": rows[i], "column": columns[j], "value": float(values[i, j])} for i, j in pairs)
    elif format == "csv":
        yield csv_text([["", *columns], *([name, *row] for name, row in zip(rows, values.tolist(), strict=True))])
    else:
        cells = [
            ["", *map(str, columns)],
            *([str(name), *(f"{w:.4f}" for w in row)] for name, row in zip(rows, values, strict=True)),
        ]
        yield align_cells(cells) + "\n"
