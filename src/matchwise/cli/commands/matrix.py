"""`matchwise matrix`: the similarity of every two documents."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from matchwise.cli import DONE
from matchwise.cli.collections import comparing, read_one_or_two
from matchwise.cli.output import emit, whole
from matchwise.errors import ExpressionError
from matchwise.relating.matrix import matrix


def run(args: Namespace) -> int:
    if args.format == "npy" and not args.output:
        raise ExpressionError("--format npy is a file of numbers; write -o FILE.npy")
    suite, files, collections = read_one_or_two(args, "matrix")
    rows, columns = collections[0], collections[-1]
    others = columns.documents if len(files) == 2 else None
    with comparing(files[0], args, *collections) as progress:
        options = {"distance": args.distance, "kernel": args.kernel, "jobs": args.jobs, "done": progress}
        values = matrix(suite, rows.documents, others, **options)
    if args.format == "npy":
        import numpy as np

        with whole(args.output) as path, open(path, "wb") as file:
            np.save(file, values)
    else:
        emit("".join(_written(values, rows.names, columns.names, args.format)), args)
    return DONE


def _written(values: Any, rows: list[Any], columns: list[Any], format: str) -> Iterator[str]:
    if format == "json":
        yield json.dumps({"rows": rows, "columns": columns, "values": values.tolist()}, ensure_ascii=False) + "\n"
    elif format == "jsonl":  # as a sparse matrix: one line for each value that is not 0
        for i, j in zip(*values.nonzero(), strict=True):
            row = {"row": rows[i], "column": columns[j], "value": float(values[i, j])}
            yield json.dumps(row, ensure_ascii=False) + "\n"
    elif format == "csv":
        yield from _csv(values, rows, columns)
    else:
        cells = [
            ["", *map(str, columns)],
            *([str(name), *(f"{w:.4f}" for w in row)] for name, row in zip(rows, values, strict=True)),
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for first, *rest in cells:
            padded = [
                first.ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)),
            ]
            yield "  ".join(padded).rstrip() + "\n"


def _csv(values: Any, rows: list[Any], columns: list[Any]) -> Iterator[str]:
    import csv
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["", *columns])
    writer.writerows([name, *row] for name, row in zip(rows, values.tolist(), strict=True))
    yield text.getvalue()
