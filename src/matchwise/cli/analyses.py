"""The commands that judge confidences and annotators, and that relate documents, and their help.

Imports argparse and nothing else.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from matchwise.cli import options
from matchwise.cli.options import choice, count, counts, flag, positive, several, shares, value

if TYPE_CHECKING:
    from matchwise.cli.arguments import Command


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
    value(
        made, "--confidence", "FIELD", required=True,
        help="The field of an element that holds its confidence, or a path from the document such as mentions[].score.",
    )  # fmt: skip
    options.metric(made)
    options.files(made)
    group = made.add_argument_group("what is shown")
    value(group, "--points", "N", "Print N rows of the curve (default: %(default)s).", type=positive, default=11)
    value(group, "--by", "FIELD", "Also print the average precision of each label.")
    value(group, "--at", "K,...", "Also print P@k, R@k and nDCG@k.", type=counts, default=())
    value(group, "--beta", "B", "Choose the best threshold by F with this β (default: 1).", type=float, default=1.0)
    value(
        group, "--similarities", "S,...", type=shares, default=(),
        help="Also print the average precision if a pair counts from this similarity on, as in COCO.",
    )  # fmt: skip
    flag(group, "--calibration", "Also check whether confidences can be believed.")
    value(group, "--bins", "N", "Use N bins for calibration (default: %(default)s).", type=positive, default=10)
    flag(group, "--risk", "Also print the share of mistakes if only the most confident predictions are kept.")
    group = made.add_argument_group("how")
    choice(
        group, "--assign", ("optimal", "greedy"), default="optimal",
        help="Match optimally, or let each element, by falling confidence, take the most similar reference left.",
    )  # fmt: skip
    options.add_resampling(group, 1000)
    options.output(made, ("text", "json", "csv"))


def define_agreement(command: Command) -> None:
    made = command(
        "agreement",
        "show how well annotators agree, who deviates and where",
        "  matchwise agreement ner ann.conll bob.conll cem.conll --only strict\n"
        "  matchwise agreement --metric 'f1(\"relations\")' ann.jsonl bob.jsonl --by type --view 3\n"
        "  matchwise agreement --metric 'f1(\"spans\")' ann.jsonl bob.jsonl --units span --label type "
        "--gamma 'spans[].span,type'\n"
        "  matchwise agreement labels.csv                      (columns document, annotator, label)",
    )
    made.add_argument(
        "inputs", nargs="+", metavar="[TASK] FILE",
        help="A task and one file for each annotator; or one table (CSV, TSV, JSON lines) of all labels.",
    )  # fmt: skip
    value(
        made, "--columns", "D,A,L", default="document,annotator,label",
        help="The columns of such a table that hold document, annotator and label (default: %(default)s).",
    )  # fmt: skip
    options.metric(made)
    options.add_reading(made.add_argument_group("files"))
    group = made.add_argument_group("what is shown")
    value(group, "--by", "FIELD", "Also show the labels on which annotators agree least.")
    value(group, "--label", "FIELD", "Also print κ of the labels of documents or, with --units, of elements.")
    value(group, "--units", "FIELD", "Elements of two annotators are the same unit if this field is equal.")
    choice(
        group, "--absent", ("label", "missing"), default="label",
        help="Count a unit that an annotator lacks as a label of its own, or as missing (default: %(default)s).",
    )  # fmt: skip
    value(group, "--gamma", "ELEMENTS[].SPAN[,CATEGORY]", "Also print γ of spans, as in 'mentions[].span,type'.")
    value(group, "--worst", "N", "Name the N documents with the least agreement (default: 5).", type=count, default=5)
    value(
        group, "--view", "N", type=count, default=0,
        help="Also show the differences in the N worst documents, between the two annotators that differ most.",
    )  # fmt: skip
    group = made.add_argument_group("statistics")
    value(
        group, "--pairs", "N", type=count, default=20_000,
        help="Compare N pairs of annotations to estimate agreement by chance (default: %(default)s).",
    )  # fmt: skip
    choice(
        group, "--ci", ("delta", "bootstrap"), default="delta",
        help="Make the intervals by the delta method or by the bootstrap (default: %(default)s).",
    )  # fmt: skip
    options.add_resampling(group, 1000)
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
    several(
        group, "--field", "FIELD=CONFIDENCE",
        help="A field and the path of its confidence, as in 'lines[].price=lines[].sure'; may be repeated.",
    )  # fmt: skip
    value(
        group, "--document", "FIELD",
        help="The field that holds the confidence of a document, which is compared with its score.",
    )  # fmt: skip
    value(group, "--confidence", "FIELD", "The field that holds the confidence of an element, as in matchwise curve.")
    options.metric(made)
    options.files(made)
    group = made.add_argument_group("what is shown")
    value(group, "--bins", "N", "Use N bins (default: %(default)s).", type=positive, default=10)
    choice(
        group, "--bins-by", ("width", "mass"), default="width",
        help="Make bins of equal width, or with equally many predictions (default: %(default)s).",
    )  # fmt: skip
    options.add_resampling(group, 1000)
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
    value(
        made, "--threshold", "T", type=similarity, required=True,
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
    flag(made, "--distance", "Print the distance 1 − φ instead of the similarity φ.")
    flag(made, "--kernel", "Stop if the similarity is not proved to be positive definite.")
    _share(made, ("text", "json", "jsonl", "csv", "npy"))


def define_nearest(command: Command) -> None:
    made = command(
        "nearest",
        "find, for each document, the documents that are most like it",
        "  matchwise nearest --type models.py:Invoice invoices.jsonl -k 5\n"
        "  matchwise nearest --metric 'f1(\"tags\")' new.jsonl known.jsonl --threshold 0.5 --format jsonl",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] FILE", help=_ONE_OR_TWO)
    value(made, "-k", "N", "Print at most N documents for each (default: 1).", type=positive, default=1)
    value(made, "--threshold", "T", "Leave out documents that are less similar.", type=similarity, default=0.0)
    _share(made, ("text", "json", "jsonl"))


_ONE_OR_TWO = "A task and one or two files; the documents of the first are compared with the documents of the second."


def _share(made: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """The options of all commands that compare the documents of files with each other."""
    options.metric(made)
    options.add_reading(made.add_argument_group("files"))
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
    choice(
        group, "--choose", ("merged", "best"), default="merged",
        help="Write the merged document if its expected score is above that of every answer, or always the best "
        "answer (default: %(default)s).",
    )  # fmt: skip
    value(
        group, "--threshold", "T", type=similarity,
        help="Keep an element that this share of the answers has (default: the best of several shares).",
    )  # fmt: skip
    options.metric(made)
    options.add_reading(made.add_argument_group("files"))
    value(
        options.output(made, ()), "--support", "FILE",
        help="Also write to FILE how many answers support each element and field (.jsonl).",
    )  # fmt: skip


def similarity(text: str) -> float:
    """A number above 0."""
    return options.above_zero(text, "a similarity above 0; write a number such as 0.9")
