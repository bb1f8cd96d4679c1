"""Options that several commands share, and the kinds of numbers they take. Imports argparse and nothing else."""

from __future__ import annotations

import argparse

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "latex", "html")


def metric(to: argparse.ArgumentParser) -> None:
    """What is measured."""
    group = to.add_argument_group("what is measured")
    group.add_argument("--preset", metavar="NAME", help="a named suite of the task (matchwise tasks TASK lists them)")
    group.add_argument(
        "--option", action="append", default=[], metavar="K=V", help="an option of the task's suite; may be repeated"
    )
    group.add_argument(
        "--metric", action="append", default=[], metavar="EXPR|NAME=EXPR|FILE.py:NAME",
        help="an expression, or a similarity or suite that a Python file defines; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--type", metavar="FILE.py:CLASS",
        help="the class of a document; without --metric the same as matchwise score documents --type",
    )  # fmt: skip
    group.add_argument("--schema", metavar="FILE.json", help="a JSON Schema to derive the metric from")
    group.add_argument("--only", metavar="NAME,...", help="these metrics of the suite, and no others")
    group.add_argument(
        "--adjudications", metavar="FILE", help="what a person said of mismatches (templates; see matchwise adjudicate)"
    )


def files(to: argparse.ArgumentParser, ref_required: bool = True) -> None:
    """The files, and what becomes of those that are wrong."""
    group = to.add_argument_group("files")
    group.add_argument(
        "-r", "--ref", action="append", required=ref_required, metavar="REF", help="the reference file; - is stdin"
    )
    reading(group)
    group.add_argument("--ref-text", metavar="KEY", help="the same for the references: the key that holds the document")
    group.add_argument(
        "--on-error", choices=("raise", "skip", "empty"),
        help="a document that cannot be read or scored stops the run, is left out, or counts as empty "
        "(default: raise; a prediction of 'documents' that cannot be read counts as empty)",
    )  # fmt: skip
    group.add_argument(
        "--missing", choices=("empty", "raise"), default="empty",
        help="a reference without a prediction counts as empty and is named, or is an error (default: %(default)s)",
    )  # fmt: skip
    group.add_argument("--max-errors", type=count, metavar="N", help="stop after this many errors")


def reading(to: argparse._ArgumentGroup) -> None:
    """How files are read."""
    to.add_argument("--input-format", metavar="NAME", help="the format of the files, if it is not recognised")
    to.add_argument("--id", default="id", metavar="KEY", help="the key of a JSON document's id; none pairs by position")
    to.add_argument(
        "--unknown-keys", choices=("count", "error", "warn", "ignore"),
        help="a JSON key that --type does not have counts as invented (default, with --type alone), is an error "
        "(default, with --metric), is warned of, or is ignored",
    )  # fmt: skip
    to.add_argument(
        "--text", metavar="KEY",
        help="the key of each prediction that holds the text of a model, as output or choices.0.message.content; "
        "JSON is found in it, also in a fence or after other text",
    )  # fmt: skip


def references(to: argparse.ArgumentParser) -> None:
    """Several references of a document."""
    group = to.add_argument_group("several references")
    group.add_argument(
        "--references", choices=("any", "mean", "all"),
        help="score each document against several references and count the best, their mean, or the worst; they come "
        'from several -r files, or from a list under "references" in each line of JSON',
    )  # fmt: skip
    group.add_argument(
        "--per", choices=("document", "element"), default="document",
        help="choose the reference for a whole document, or for each element (default: %(default)s)",
    )  # fmt: skip


def output(to: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    """Where results go, and in which format."""
    group = to.add_argument_group("output")
    group.add_argument("--format", choices=formats, default="text", help="default: %(default)s")
    group.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout, whole or not at all")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")


def statistics(to: argparse._ArgumentGroup, default: str | None) -> None:
    """Confidence intervals."""
    to.add_argument(
        "--ci", nargs="?", const="delta", default=default, choices=("delta", "bootstrap", "bca"),
        help="confidence intervals: logit delta method, bootstrap, or bias-corrected bootstrap"
        + (f" (default: {default})" if default else " (without a word: delta)"),
    )  # fmt: skip
    to.add_argument("--level", type=float, default=0.95, metavar="P", help="confidence level (default: %(default)s)")
    to.add_argument("--resamples", type=count, default=10_000, metavar="B", help="default: %(default)s")
    to.add_argument("--seed", type=int, default=0, metavar="N", help="of the resampling (default: %(default)s)")
    to.add_argument("--clusters", metavar="FILE", help="document -> source: lines of id, tab, cluster")


def running(to: argparse._ArgumentGroup) -> None:
    """Processes and limits."""
    to.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes that share the work")
    to.add_argument(
        "--timeout", type=seconds, metavar="SECONDS",
        help="of a document, whatever takes so long; then it could not be scored (needs a process more)",
    )  # fmt: skip
    limits(to)


def limits(to: argparse._ActionsContainer) -> None:
    """When the search for an optimum stops."""
    to.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="of a document's search for an optimum; then it has bounds"
    )
    to.add_argument("--gap", type=float, default=0.0, metavar="G", help="how far an optimum may be from proved")


def numbers(to: argparse._ArgumentGroup) -> None:
    """How numbers are written."""
    to.add_argument("--digits", type=count, default=4, metavar="N", help="of scores in text (default: %(default)s)")
    to.add_argument("--percent", action="store_true", help="scores from 0 to 100 in text")


def average(to: argparse._ArgumentGroup) -> None:
    """What scores are averaged over."""
    to.add_argument(
        "--average", choices=("micro", "documents", "fields", "labels", "weighted"), default="micro",
        help="score the summed counts (micro, default), or average the scores of documents, of the fields that either "
        "side has, or of the labels of --by; "
        "'weighted' weighs a label by its reference elements",
    )  # fmt: skip
    to.add_argument("--micro", dest="average", action="store_const", const="micro", help="the same as --average micro")
    to.add_argument(
        "--macro", dest="average", action="store_const", const="documents",
        help="the same as --average documents; for the macro average of seqeval write --average labels",
    )  # fmt: skip


def count(text: str) -> int:
    """A whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return number


def positive(text: str) -> int:
    """A whole number from 1."""
    number = count(text)
    if not number:
        raise argparse.ArgumentTypeError("0 is not possible; write 1 or more")
    return number


def counts(text: str) -> tuple[int, ...]:
    """Whole numbers from 1, with commas between them."""
    return tuple(positive(word.strip()) for word in text.split(","))


def shares(text: str) -> tuple[float, ...]:
    """Numbers above 0 and up to 1, with commas between them."""
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = (0.0,)
    if not all(0 < number <= 1 for number in found):
        raise argparse.ArgumentTypeError(f"{text!r}; write numbers above 0 and up to 1, as in 0.5,0.75")
    return found
