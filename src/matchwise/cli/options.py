"""Options that several commands share, and the kinds of numbers they take. Imports argparse and nothing else."""

from __future__ import annotations

import argparse

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "latex", "html")


def metric(to: argparse.ArgumentParser) -> None:
    """What is measured."""
    group = to.add_argument_group("what is measured")
    group.add_argument(
        "--preset", metavar="NAME", help="Use the rules of this scorer (matchwise tasks TASK lists them)."
    )
    group.add_argument(
        "--option", action="append", default=[], metavar="K=V", help="Set an option of the task; may be repeated."
    )
    group.add_argument(
        "--metric", action="append", default=[], metavar="EXPR|NAME=EXPR|FILE.py:NAME",
        help="Score by this expression, or by a similarity or suite that a Python file defines; may be repeated.",
    )  # fmt: skip
    group.add_argument(
        "--type", metavar="FILE.py:CLASS",
        help="The class of a document. Without --metric, the metric is derived from it.",
    )  # fmt: skip
    group.add_argument("--schema", metavar="FILE.json", help="Derive the metric from this JSON Schema.")
    group.add_argument("--only", metavar="NAME,...", help="Compute only these metrics of the suite.")
    group.add_argument(
        "--adjudications",
        metavar="FILE",
        help="Accept the mismatches that a person judged to be right (templates; see matchwise adjudicate).",
    )


def files(to: argparse.ArgumentParser, ref_required: bool = True) -> None:
    """The files, and what becomes of those that are wrong."""
    group = to.add_argument_group("files")
    group.add_argument(
        "-r", "--ref", action="append", required=ref_required, metavar="REF", help="The reference file; - is stdin."
    )
    reading(group)
    group.add_argument(
        "--ref-text",
        metavar="KEY",
        help="The key of each reference that holds the document, as --text for predictions.",
    )
    group.add_argument(
        "--on-error", choices=("raise", "skip", "empty"),
        help="What to do with a document that cannot be read or scored: stop, leave it out, or count it as empty "
        "(default: raise, but a prediction of 'documents' that is not JSON counts as empty).",
    )  # fmt: skip
    group.add_argument(
        "--missing", choices=("empty", "raise"), default="empty",
        help="Count a missing prediction as empty and name it, or stop with an error (default: %(default)s).",
    )  # fmt: skip
    group.add_argument("--max-errors", type=count, metavar="N", help="Stop after N errors.")


def reading(to: argparse._ArgumentGroup) -> None:
    """How files are read."""
    to.add_argument("--input-format", metavar="NAME", help="The format of the files, if it is not recognised.")
    to.add_argument(
        "--id",
        default="id",
        metavar="KEY",
        help="The key that holds the id of a JSON document; write none to pair by position.",
    )
    to.add_argument(
        "--unknown-keys", choices=("count", "error", "warn", "ignore"),
        help="What to do with a JSON key that --type does not have: count it as invented (default with --type alone), "
        "stop with an error (default with --metric), warn, or ignore it.",
    )  # fmt: skip
    to.add_argument(
        "--text", metavar="KEY",
        help="The key of each prediction that holds what a model wrote, such as output or choices.0.message.content; "
        "the JSON in it is found, also in a Markdown fence or after other text.",
    )  # fmt: skip


def references(to: argparse.ArgumentParser) -> None:
    """Several references of a document."""
    group = to.add_argument_group("several references")
    group.add_argument(
        "--references", choices=("any", "mean", "all"),
        help="Score each document against several references and count the best, their mean, or the worst. They come "
        'from several -r files, or from a list under "references" in each line of JSON.',
    )  # fmt: skip
    group.add_argument(
        "--per", choices=("document", "element"), default="document",
        help="Choose the reference for a whole document, or for each element (default: %(default)s).",
    )  # fmt: skip


def output(to: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> argparse._ArgumentGroup:
    """Where results go, and in which format, if there is more than one."""
    group = to.add_argument_group("output")
    if formats:
        group.add_argument(
            "--format", choices=formats, default="text", help="The format of the output (default: %(default)s)."
        )
    group.add_argument("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")
    group.add_argument("-q", "--quiet", action="store_true", help="Show no progress on stderr.")
    return group


def breakdowns(to: argparse._ArgumentGroup) -> None:
    """Tables besides the scores."""
    to.add_argument("--by", metavar="FIELD", help="Also print the scores of each label of this field, such as type.")
    to.add_argument("--fields", action="store_true", help="Also print a table of the fields of a record.")
    elements(to)


def document(to: argparse.ArgumentParser) -> None:
    """Some documents only."""
    to.add_argument(
        "--document", action="append", default=[], metavar="ID", help="Show only this document; may be repeated."
    )


def statistics(to: argparse._ArgumentGroup, default: str | None) -> None:
    """Confidence intervals."""
    to.add_argument(
        "--ci", nargs="?", const="delta", default=default, choices=("delta", "bootstrap", "bca"),
        help="Add confidence intervals, by the delta method, the bootstrap or the bias-corrected bootstrap"
        + (f" (default: {default})." if default else " (--ci alone means delta)."),
    )  # fmt: skip
    resampling(to, 10_000)
    to.add_argument(
        "--clusters",
        metavar="FILE",
        help="Resample clusters of documents. Each line of FILE has an id, a tab and a cluster.",
    )


def resampling(to: argparse._ArgumentGroup, resamples: int) -> None:
    """How intervals are estimated."""
    to.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="The level of the intervals (default: %(default)s)."
    )
    to.add_argument(
        "--resamples",
        type=count,
        default=resamples,
        metavar="B",
        help="The number of resamples (default: %(default)s).",
    )
    to.add_argument(
        "--seed", type=int, default=0, metavar="N", help="The seed of all random draws (default: %(default)s)."
    )


def running(to: argparse._ArgumentGroup) -> None:
    """Processes and limits."""
    jobs(to)
    to.add_argument(
        "--timeout", type=seconds, metavar="SECONDS",
        help="Give up on a document after SECONDS and report it as an error (uses a worker process).",
    )  # fmt: skip
    limits(to)


def jobs(to: argparse._ArgumentGroup) -> None:
    """How many processes share the work."""
    to.add_argument(
        "--jobs",
        type=positive,
        default=1,
        metavar="N",
        help="Share the work among N processes; the result is the same.",
    )


def limits(to: argparse._ActionsContainer) -> None:
    """When the search for an optimum stops."""
    to.add_argument(
        "--time-limit", type=float, metavar="SECONDS",
        help="Stop the search for the best matching of a document after SECONDS and print bounds of its score.",
    )  # fmt: skip
    to.add_argument(
        "--gap", type=float, default=0.0, metavar="G", help="Stop the search when the bounds are at most G apart."
    )


def numbers(to: argparse._ArgumentGroup) -> None:
    """How numbers are written."""
    to.add_argument(
        "--digits", type=count, metavar="N", help="Digits of a score in tables (default: 4, or 1 with --layout wide)."
    )
    to.add_argument(
        "--percent", action="store_true", help="Write scores in tables from 0 to 100 (default with --layout wide)."
    )
    to.add_argument(
        "--signature", choices=("short", "long"), default="short",
        help="Cut the signature in text to one line, or print it whole (default: %(default)s).",
    )  # fmt: skip


def layout(to: argparse._ArgumentGroup, default: str) -> None:
    """How the scores of several systems are arranged."""
    to.add_argument(
        "--layout", choices=("wide", "long"),
        help="Print one row for each system with the metrics across, as papers do, or one row for each system and "
        f"metric (default: {default}).",
    )  # fmt: skip


def elements(to: argparse._ArgumentGroup) -> None:
    """What became of each element."""
    to.add_argument(
        "--categories", action="store_true",
        help="Also count by label what is correct, incorrect, partial, missed or spurious.",
    )  # fmt: skip
    to.add_argument(
        "--confusion", action="store_true",
        help="Also print a confusion matrix of reference against predicted labels.",
    )  # fmt: skip


def average(to: argparse._ArgumentGroup) -> None:
    """What scores are averaged over."""
    to.add_argument(
        "--average", choices=("micro", "macro", "weighted", "documents", "fields"), default="micro",
        help="Score the summed counts (micro, the default), or average the scores of the labels of --by (macro, or "
        "weighted by how often a label is in the reference), of documents, or of fields.",
    )  # fmt: skip


def count(text: str) -> int:
    """A whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number; write 0, 1, 2, ...")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number


def positive(text: str) -> int:
    """A whole number from 1."""
    number = count(text)
    if not number:
        raise argparse.ArgumentTypeError("it must be 1 or more, not 0")
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
