"""`matchwise consensus`: several readings of the same documents, merged into one by vote."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import IO, Any

from matchwise.cli import DONE, PARTIAL
from matchwise.cli.collections import only_metric
from matchwise.cli.inputs import check_stdin, source
from matchwise.cli.metric import Chosen, chosen, split
from matchwise.cli.output import Progress, emit, note, whole
from matchwise.engine.values import plain
from matchwise.errors import DataError, ExpressionError
from matchwise.formats.io.entries import Entry, Source
from matchwise.formats.io.shards import join_files
from matchwise.relating.consensus import Consensus, consensus


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) < 2:
        raise ExpressionError(f"consensus needs two or more files of readings, not {len(files)}")
    check_stdin(files)
    asked = chosen(args, task)
    only_metric(asked, "consensus")
    summary = _Summary()
    with ExitStack() as opened:
        output = _opened(opened, args.output) if args.output else None
        support = _opened(opened, args.support) if args.support else None
        for entry, found, readings in _found(asked, files, args):
            row = _line(_row(entry, found, args))
            if output is None:
                emit(row, args)
            else:
                output.write(row)
            if support is not None:
                support.write(_line({"document": entry.id, **found.to_dict()}))
            summary.add(found, readings < len(files))
    note(str(summary))
    return PARTIAL if summary.incomplete else DONE


def _opened(opened: ExitStack, path: str) -> IO[str]:
    """A file that is there when all of it is written."""
    name = opened.enter_context(whole(path))
    return opened.enter_context(open(name, "w", encoding="utf-8", errors="surrogatepass"))


def _found(asked: Chosen, files: list[str], args: Namespace) -> Iterator[tuple[Entry, Consensus, int]]:
    """Each document with its consensus, and how many readings of it there are."""
    with closing(join_files([source(file, asked, args) for file in files])) as joined:
        progress = Progress(", ".join(files), joined.progress, quiet=args.quiet)
        for number, entry in enumerate(joined, start=1):
            yield entry, *_of_document(asked, joined, entry, files, args)
            progress(number)
        progress.end()


def _of_document(
    asked: Chosen, joined: Source, entry: Entry, files: list[str], args: Namespace
) -> tuple[Consensus, int]:
    readings = joined.document(entry)
    try:
        return consensus(asked.suite, readings, merge=args.choose == "merged", threshold=args.threshold), len(readings)
    except DataError as error:
        where = joined.place(entry)
        if isinstance(error.document, int) and len(readings) == len(files):
            where = files[error.document] if entry.id is None else f"{files[error.document]}: document {entry.id}"
        raise DataError(": ".join(filter(None, (where, error.path, error.problem)))) from error


def _row(entry: Entry, found: Consensus, args: Namespace) -> Any:
    """The document as plain data, with its id."""
    row = plain(found.value)
    if entry.id is None or args.id == "none":
        return row
    if not isinstance(row, dict):
        return {args.id: entry.id, "value": row}
    return (
        row if row.get(args.id) is not None else {args.id: entry.id, **{k: v for k, v in row.items() if k != args.id}}
    )


def _line(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


class _Summary:
    """What became of the documents."""

    def __init__(self) -> None:
        self.documents = self.merged = self.incomplete = 0
        self.expected = self.best = 0.0

    def add(self, found: Consensus, incomplete: bool) -> None:
        self.documents += 1
        self.merged += found.kind == "merged"
        self.incomplete += incomplete
        self.expected += found.expected
        self.best += found.best_expected

    def __str__(self) -> str:
        number = max(1, self.documents)
        documents = "1 document" if self.documents == 1 else f"{self.documents} documents"
        scores = f"{self.expected / number:.4f} (the best readings: {self.best / number:.4f})"
        said = f"{documents}, {self.merged} merged: mean expected score {scores}"
        return said + (f"; not in all files: {self.incomplete}" if self.incomplete else "")
