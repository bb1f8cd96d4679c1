"""`matchwise duplicates`: documents of a file that are nearly the same."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from matchwise.cli import DONE
from matchwise.cli.collections import comparing, read_one_or_two
from matchwise.cli.output import emit
from matchwise.errors import ExpressionError
from matchwise.relating.duplicates import Duplicates, duplicates


def run(args: Namespace) -> int:
    suite, files, (collection, *more) = read_one_or_two(args, "duplicates")
    if more:
        raise ExpressionError("duplicates takes one file of documents, not 2")
    with comparing(files[0], args, collection) as progress:
        found = duplicates(suite, collection.documents, threshold=args.threshold, jobs=args.jobs, done=progress)
    emit("".join(_written(found, collection.names, args)), args)
    return DONE


def _written(found: Duplicates, names: list[Any], args: Namespace) -> Iterator[str]:
    if args.format == "json":
        yield json.dumps(_named(found, names), ensure_ascii=False, indent=2) + "\n"
        return
    rows = [{"first": names[first], "second": names[second], "score": score} for first, second, score in found.pairs]
    if args.format == "jsonl":
        yield from (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    elif args.format == "csv":
        yield from _csv(rows)
    else:
        yield f"{found}\n"
        yield from ("\n" if rows else "", *(f"{row['score']:.4f}  {row['first']}  {row['second']}\n" for row in rows))
        for number, places in enumerate(found.clusters, start=1):
            head = "\n" if number == 1 else ""
            yield f"{head}cluster {number}: {', '.join(str(names[place]) for place in places)}\n"


def _csv(rows: list[dict[str, Any]]) -> Iterator[str]:
    import csv
    from io import StringIO

    text = StringIO()
    writer = csv.DictWriter(text, ["first", "second", "score"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    yield text.getvalue()


def _named(found: Duplicates, names: list[Any]) -> dict[str, Any]:
    """As plain data, with the names of documents for their places."""
    return found.to_dict() | {
        "clusters": [[names[place] for place in places] for places in found.clusters],
        "pairs": [
            {"first": names[pair.first], "second": names[pair.second], "score": pair.score} for pair in found.pairs
        ],
    }
