"""The commands that judge confidences and annotators, and that relate documents, and their help.

Imports argparse and nothing else.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from matchwise.cli import options

if TYPE_CHECKING:
    from matchwise.cli.parser import Command


def define_curve(command: Command) -> None:
    made = command(
        "curve",
        "show precision and recall at every threshold of confidence",
        '  matchwise curve --metric \'f1("relations", eq("type"))\' run.jsonl -r gold.jsonl --confidence score\n'
        "  matchwise curve ner run.jsonl -r gold.jsonl --only strict --input-format jsonl "
        "--confidence 'mentions[].score'\n"
        '  matchwise curve --metric \'f1("boxes", iou("span"))\' run.jsonl -r gold.jsonl --confidence score '
        "--similarities 0.5,0.75",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    made.add_argument(
        "--confidence", required=True, metavar="FIELD",
        help="The field of an element that holds its confidence, or a path from the document such as mentions[].score.",
    )  # fmt: skip
    options.metric(made)
    options.files(made)
    group = made.add_argument_group("what is shown")
    group.add_argument(
        "--points",
        type=options.positive,
        default=11,
        metavar="N",
        help="Print N rows of the curve (default: %(default)s).",
    )
    group.add_argument("--by", metavar="FIELD", help="Also print the average precision of each label.")
    group.add_argument("--at", type=options.counts, default=(), metavar="K,...", help="Also print P@k, R@k and nDCG@k.")
    group.add_argument(
        "--beta", type=float, default=1.0, metavar="B", help="Choose the best threshold by F with this β (default: 1)."
    )
    group.add_argument(
        "--similarities", type=options.shares, default=(), metavar="S,...",
        help="Also print the average precision if a pair counts from this similarity on, as in COCO.",
    )  # fmt: skip
    group.add_argument("--calibration", action="store_true", help="Also check whether confidences can be believed.")
    group.add_argument(
        "--bins",
        type=options.positive,
        default=10,
        metavar="N",
        help="Use N bins for calibration (default: %(default)s).",
    )
    group.add_argument(
        "--risk",
        action="store_true",
        help="Also print the share of mistakes if only the most confident predictions are kept.",
    )
    group = made.add_argument_group("how")
    group.add_argument(
        "--assign", choices=("optimal", "greedy"), default="optimal",
        help="Match optimally, or let each element, by falling confidence, take the most similar reference left.",
    )  # fmt: skip
    options.resampling(group, 1000)
    options.output(made, ("text", "json", "csv"))


def define_agreement(command: Command) -> None:
    made = command(
        "agreement",
        "show how well annotators agree, who deviates and where",
        "  matchwise agreement ner ann.conll bob.conll cem.conll --only strict\n"
        "  matchwise agreement --metric 'f1(\"relations\")' ann.jsonl bob.jsonl --by type --view 3\n"
        "  matchwise agreement --metric 'f1(\"spans\")' ann.jsonl bob.jsonl --units span --label type "
        "--gamma 'spans[].span,type'",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help="A task and one file for each annotator.")
    options.metric(made)
    options.reading(made.add_argument_group("files"))
    group = made.add_argument_group("what is shown")
    group.add_argument("--by", metavar="FIELD", help="Also show the labels on which annotators agree least.")
    group.add_argument(
        "--label", metavar="FIELD", help="Also print κ of the labels of documents or, with --units, of elements."
    )
    group.add_argument(
        "--units", metavar="FIELD", help="Elements of two annotators are the same unit if this field is equal."
    )
    group.add_argument(
        "--absent", choices=("label", "missing"), default="label",
        help="Count a unit that an annotator lacks as a label of its own, or as missing (default: %(default)s).",
    )  # fmt: skip
    group.add_argument(
        "--gamma", metavar="ELEMENTS[].SPAN[,CATEGORY]", help="Also print γ of spans, as in 'mentions[].span,type'."
    )
    group.add_argument(
        "--worst",
        type=options.count,
        default=5,
        metavar="N",
        help="Name the N documents with the least agreement (default: 5).",
    )
    group.add_argument(
        "--view", type=options.count, default=0, metavar="N",
        help="Also show the differences in the N worst documents, between the two annotators that differ most.",
    )  # fmt: skip
    group = made.add_argument_group("statistics")
    group.add_argument(
        "--pairs", type=options.count, default=20_000, metavar="N",
        help="Compare N pairs of annotations to estimate agreement by chance (default: %(default)s).",
    )  # fmt: skip
    options.resampling(group, 1000)
    options.output(made, ("text", "json"))


def define_calibrate(command: Command) -> None:
    made = command(
        "calibrate",
        "check whether confidences can be believed: is 0.8 right in 8 of 10 cases?",
        "  matchwise calibrate documents run.jsonl -r gold.jsonl --field total=confidence.total\n"
        "  matchwise calibrate --metric 'f1(\"relations\")' run.jsonl -r gold.jsonl --document score --bins 5",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    group = made.add_argument_group("where confidences are")
    group.add_argument(
        "--field", action="append", default=[], metavar="FIELD=CONFIDENCE",
        help="A field and the path of its confidence, as in 'lines[].price=lines[].sure'; may be repeated.",
    )  # fmt: skip
    group.add_argument(
        "--document",
        metavar="FIELD",
        help="The field that holds the confidence of a document, which is compared with its score.",
    )
    group.add_argument(
        "--confidence",
        metavar="FIELD",
        help="The field that holds the confidence of an element, as in matchwise curve.",
    )
    options.metric(made)
    options.files(made)
    group = made.add_argument_group("what is shown")
    group.add_argument(
        "--bins", type=options.positive, default=10, metavar="N", help="Use N bins (default: %(default)s)."
    )
    group.add_argument(
        "--bins-by", choices=("width", "mass"), default="width",
        help="Make bins of equal width, or with equally many predictions (default: %(default)s).",
    )  # fmt: skip
    options.resampling(group, 1000)
    options.output(made, ("text", "json"))


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
    options.jobs(made.add_argument_group("running"))
    options.output(made, formats)


def define_consensus(command: Command) -> None:
    made = command(
        "consensus",
        "merge several answers for the same documents into one, by vote",
        "  matchwise consensus --type models.py:Invoice run1.jsonl run2.jsonl run3.jsonl -o merged.jsonl\n"
        "  matchwise consensus --metric 'f1(\"tags\")' a.jsonl b.jsonl c.jsonl --threshold 0.5 --support votes.jsonl\n"
        "  matchwise consensus amr a.amr b.amr c.amr --choose best",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help="A task and two or more files of answers.")
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
    options.output(made, ()).add_argument(
        "--support", metavar="FILE", help="Also write to FILE how many answers support each element and field (.jsonl)."
    )


def similarity(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a similarity above 0; write a number such as 0.9")
    return number
