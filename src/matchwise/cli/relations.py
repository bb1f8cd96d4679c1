"""The commands that relate documents to each other, and their help. Imports argparse and nothing else."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from matchwise.cli import options

if TYPE_CHECKING:
    from matchwise.cli.arguments import Command


def define_duplicates(command: Command) -> None:
    made = command(
        "duplicates",
        "find documents of a file that are nearly the same",
        "  matchwise duplicates --type models.py:Invoice invoices.jsonl --threshold 0.9\n"
        '  matchwise duplicates --metric \'eq("zip") * f1("tags")\' shops.jsonl --threshold 0.8 --format jsonl\n'
        "  matchwise duplicates amr graphs.amr --threshold 0.95 --jobs 2",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help="a task, and one file of documents; - is stdin")
    made.add_argument(
        "--threshold", type=similarity, required=True, metavar="T",
        help="print every pair of documents that is at least this similar",
    )  # fmt: skip
    _share(made, ("text", "json", "jsonl", "csv"))


def define_matrix(command: Command) -> None:
    made = command(
        "matrix",
        "compute the similarity of every two documents of one or two files",
        "  matchwise matrix --type models.py:Invoice invoices.jsonl --format csv -o similarities.csv\n"
        "  matchwise matrix --metric 'jaccard(\"tags\")' shops.jsonl --distance --format npy -o distances.npy\n"
        "  matchwise matrix amr run.amr gold.amr --format jsonl --jobs 2",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=_ONE_OR_TWO)
    made.add_argument("--distance", action="store_true", help="print 1 − φ instead of the similarity φ")
    made.add_argument(
        "--kernel", action="store_true", help="refuse a similarity that is not proved to be positive definite"
    )
    _share(made, ("text", "json", "jsonl", "csv", "npy"))


def define_nearest(command: Command) -> None:
    made = command(
        "nearest",
        "find the most similar documents of each document",
        "  matchwise nearest --type models.py:Invoice invoices.jsonl -k 5\n"
        "  matchwise nearest --metric 'f1(\"tags\")' new.jsonl known.jsonl --threshold 0.5 --format jsonl",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=_ONE_OR_TWO)
    made.add_argument(
        "-k", type=options.positive, default=1, metavar="N", help="print at most N documents for each (default: 1)"
    )
    made.add_argument(
        "--threshold", type=similarity, default=0.0, metavar="T", help="leave out documents that are less similar"
    )
    _share(made, ("text", "json", "jsonl"))


_ONE_OR_TWO = "a task, and one or two files: the documents of the first are compared with those of the second"


def _share(made: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """The options of all commands that compare the documents of files with each other."""
    options.metric(made)
    options.reading(made.add_argument_group("files"))
    group = made.add_argument_group("running")
    group.add_argument("--jobs", type=options.positive, default=1, metavar="N", help="processes that share the work")
    options.output(made, formats)


def define_consensus(command: Command) -> None:
    made = command(
        "consensus",
        "merge several readings of the same documents into one, by vote",
        "  matchwise consensus --type models.py:Invoice run1.jsonl run2.jsonl run3.jsonl -o merged.jsonl\n"
        "  matchwise consensus --metric 'f1(\"tags\")' a.jsonl b.jsonl c.jsonl --threshold 0.5 --support votes.jsonl\n"
        "  matchwise consensus amr a.amr b.amr c.amr --choose best",
    )
    made.add_argument(
        "inputs",
        nargs="+",
        metavar="[TASK] FILE",
        help="a task, and two or more files of readings",
    )
    group = made.add_argument_group("how")
    group.add_argument(
        "--choose", choices=("merged", "best"), default="merged",
        help="write a merged document where its expected score is above that of every reading, or always the best "
        "reading (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--threshold", type=similarity, metavar="T",
        help="keep an element that this share of the readings has (default: whichever of several shares is best)",
    )  # fmt: skip
    options.metric(made)
    options.reading(made.add_argument_group("files"))
    group = made.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout, whole or not at all")
    group.add_argument(
        "--support", metavar="FILE", help="also write how much of the readings supports each element and field (.jsonl)"
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")


def similarity(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no similarity above 0; write a number such as 0.9")
    return number
