"""`matchwise consensus`: several answers for the same documents, merged into one by vote."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import IO, Any

from matchwise.cli import emit, end_partial, note
from matchwise.cli.inputs import ChosenMetrics, check_stdin, choose, name_by_file, only_metric, source, split
from matchwise.cli.parser import METRIC, READING, WRITING, Parser, add_group, similarity
from matchwise.errors import DataError, ExpressionError, count_units
from matchwise.files import whole
from matchwise.formats.io.documents import Entry, Source, join_files
from matchwise.relating.consensus import Consensus, consensus
from matchwise.reports.records import json_lines
from matchwise.runners.runner import Progress
from matchwise.views.values import plain

EXAMPLES = """\
  matchwise consensus --type models.py:Invoice run1.jsonl run2.jsonl run3.jsonl -o merged.jsonl
  matchwise consensus --metric 'f1("tags")' a.jsonl b.jsonl c.jsonl --threshold 0.5 --support votes.jsonl
  matchwise consensus amr a.amr b.amr c.amr --choose best"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help="A task and two or more files of answers.")
    add = add_group(to, "how")
    add(
        "--choose",
        choices=("merged", "best"),
        help="Write the merged document if its expected score is above that of every answer, or always the best "
        "answer (default: %(default)s).",
        default="merged",
    )
    add(
        "--threshold",
        metavar="T",
        help="Keep an element that this share of the answers has (default: the best of several shares).",
        type=similarity,
    )
    add_group(to, "what is measured", *METRIC)
    add_group(to, "files", *READING)
    add = add_group(to, "output", *WRITING)
    add(
        "--support", metavar="FILE", help="Also write to FILE how many answers support each element and field (.jsonl)."
    )


def run(args: Namespace) -> int:
    task, files = split(args)
    if len(files) < 2:
        raise ExpressionError(f"consensus needs two or more files of readings, not {len(files)}")
    check_stdin(files)
    asked = choose(args, task, files)
    only_metric(asked, "consensus")
    sums, total, best = Counter[str](), 0.0, 0.0
    with ExitStack() as opened:
        output = _open(opened, args.output) if args.output else None
        support = _open(opened, args.support) if args.support else None
        for entry, found, readings in _found(asked, files, args):
            [row] = json_lines([_row(entry, found, args)])
            if output is None:
                emit(row, args)
            else:
                output.write(row)
            if support is not None:
                support.writelines(json_lines([{"document": entry.id, **found.to_dict()}]))
            is_merged, is_incomplete = found.kind == "merged", readings < len(files)
            sums.update(documents=1, merged=int(is_merged), proved=int(found.proved), incomplete=int(is_incomplete))
            total, best = total + found.expected, best + found.best_expected
    note(_summarise(sums, total, best))
    return end_partial(sums["incomplete"], 0, lacking="not in all files")


def _open(opened: ExitStack, path: str) -> IO[str]:
    """Open a file that appears only when it is completely written."""
    name = opened.enter_context(whole(path))
    return opened.enter_context(open(name, "w", encoding="utf-8", errors="surrogatepass"))


def _found(asked: ChosenMetrics, files: list[str], args: Namespace) -> Iterator[tuple[Entry, Consensus, int]]:
    """Each document with its consensus, and how many readings of it there are."""
    with closing(join_files([source(file, asked, args) for file in files], references=False)) as joined:
        name_by_file(args, joined)
        progress = Progress(", ".join(files), joined.progress, quiet=args.quiet)
        for number, entry in enumerate(joined, start=1):
            yield entry, *_of_document(asked, joined, entry, files, args)
            progress(number)
        progress.end()


def _of_document(
    asked: ChosenMetrics, joined: Source, entry: Entry, files: list[str], args: Namespace
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


def _summarise(sums: Counter[str], total: float, best: float) -> str:
    """What is said after a consensus of many documents."""
    number = max(1, sums["documents"])
    done = f"{sums['merged']} merged, {sums['proved']} proved to be the optimum"
    scores = f"{total / number:.4f} (the best readings: {best / number:.4f})"
    said = f"{count_units(sums['documents'], 'documents')}, {done}: mean expected score {scores}"
    return said + (f"; not in all files: {sums['incomplete']}" if sums["incomplete"] else "")
