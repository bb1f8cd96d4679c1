"""`matchwise nearest`: the most similar documents of each document."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from matchwise.cli import DONE
from matchwise.cli.collections import comparing, read_one_or_two
from matchwise.cli.output import emit
from matchwise.relating.neighbours import Neighbour, nearest


def run(args: Namespace) -> int:
    suite, files, collections = read_one_or_two(args, "nearest")
    mine, theirs = collections[0], collections[-1]
    others = theirs.documents if len(files) == 2 else None
    with comparing(files[0], args, *collections) as progress:
        found = nearest(
            suite, mine.documents, others, k=args.k, threshold=args.threshold, jobs=args.jobs, done=progress
        )
    emit("".join(_written(found, mine.names, theirs.names, args.format)), args)
    return DONE


def _written(found: list[list[Neighbour]], mine: list[Any], theirs: list[Any], format: str) -> Iterator[str]:
    if format == "text":
        for name, neighbours in zip(mine, found, strict=True):
            near = ", ".join(f"{theirs[one.place]} ({one.score:.4f})" for one in neighbours)
            yield f"{name}: {near or 'nothing is similar'}\n"
        return
    rows = [
        {"document": name, "nearest": [{"document": theirs[one.place], "score": one.score} for one in neighbours]}
        for name, neighbours in zip(mine, found, strict=True)
    ]
    if format == "json":
        yield json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    else:
        yield from (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
