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
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help="A task and one file of documents; - is stdin.")
    made.add_argument(
        "--threshold", type=similarity, required=True, metavar="T",
        help="Print every pair of documents that is at least this similar.",
    )  # fmt: skip
    _share(made, ("text", "json", "jsonl", "csv"))


def define_matrix(command: Command) -> None:
    made = command(
        "matrix",
        "compute the similarity of all pairs of documents",
        "  matchwise matrix --type models.py:Invoice invoices.jsonl --format csv -o similarities.csv\n"
        "  matchwise matrix --metric 'jaccard(\"tags\")' shops.jsonl --distance --format npy -o distances.npy\n"
        "  matchwise matrix amr run.amr gold.amr --format jsonl --jobs 2",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=_ONE_OR_TWO)
    made.add_argument("--distance", action="store_true", help="Print the distance 1 − φ instead of the similarity φ.")
    made.add_argument(
        "--kernel", action="store_true", help="Stop if the similarity is not proved to be positive definite."
    )
    _share(made, ("text", "json", "jsonl", "csv", "npy"))


def define_nearest(command: Command) -> None:
    made = command(
        "nearest",
        "find, for each document, the documents that are most like it",
        "  matchwise nearest --type models.py:Invoice invoices.jsonl -k 5\n"
        "  matchwise nearest --metric 'f1(\"tags\")' new.jsonl known.jsonl --threshold 0.5 --format jsonl",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=_ONE_OR_TWO)
    made.add_argument(
        "-k", type=options.positive, default=1, metavar="N", help="Print at most N documents for each (default: 1)."
    )
    made.add_argument(
        "--threshold", type=similarity, default=0.0, metavar="T", help="Leave out documents that are less similar."
    )
    _share(made, ("text", "json", "jsonl"))


_ONE_OR_TWO = "A task and one or two files; the documents of the first are compared with the documents of the second."


def _share(made: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """The options of all commands that compare the documents of files with each other."""
    options.metric(made)
    options.reading(made.add_argument_group("files"))
    group = made.add_argument_group("running")
    group.add_argument(
        "--jobs",
        type=options.positive,
        default=1,
        metavar="N",
        help="Share the work among N processes; the result is the same.",
    )
    options.output(made, formats)


def define_consensus(command: Command) -> None:
    made = command(
        "consensus",
        "merge several answers for the same documents into one, by vote",
        "  matchwise consensus --type models.py:Invoice run1.jsonl run2.jsonl run3.jsonl -o merged.jsonl\n"
        "  matchwise consensus --metric 'f1(\"tags\")' a.jsonl b.jsonl c.jsonl --threshold 0.5 --support votes.jsonl\n"
        "  matchwise consensus amr a.amr b.amr c.amr --choose best",
    )
    made.add_argument(
        "inputs",
        nargs="+",
        metavar="[TASK] FILE",
        help="A task and two or more files of answers.",
    )
    group = made.add_argument_group("how")
    group.add_argument(
        "--choose", choices=("merged", "best"), default="merged",
        help="Write the merged document if its expected score is above that of every answer, or always the best "
        "answer (default: %(default)s).",
    )  # fmt: skip
    group.add_argument(
        "--threshold", type=similarity, metavar="T",
        help="Keep an element that this share of the answers has (default: the best of several shares).",
    )  # fmt: skip
    options.metric(made)
    options.reading(made.add_argument_group("files"))
    group = made.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to FILE instead of stdout.",
    )
    group.add_argument(
        "--support", metavar="FILE", help="Also write to FILE how many answers support each element and field (.jsonl)."
    )
    group.add_argument("-q", "--quiet", action="store_true", help="Show no progress on stderr.")


def similarity(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a similarity above 0; write a number such as 0.9")
    return number
