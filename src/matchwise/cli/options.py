"""Options that several commands share, and the kinds of numbers they take. Imports argparse and nothing else."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "latex", "html")


def flag(to: argparse._ActionsContainer, name: str, help: str) -> None:
    """An option without a value."""
    to.add_argument(name, action="store_true", help=help)


def value(to: argparse._ActionsContainer, name: str, metavar: str, help: str, **more: Any) -> None:
    """An option with a value of any kind."""
    to.add_argument(name, metavar=metavar, help=help, **more)


def choice(to: argparse._ActionsContainer, name: str, choices: Sequence[str], help: str, **more: Any) -> None:
    """An option with one of several words as its value."""
    to.add_argument(name, choices=choices, help=help, **more)


def several(to: argparse._ActionsContainer, name: str, metavar: str, help: str) -> None:
    """An option that may be repeated."""
    to.add_argument(name, action="append", default=[], metavar=metavar, help=help)


def add_metric(to: argparse.ArgumentParser) -> None:
    """What is measured."""
    group = to.add_argument_group("what is measured")
    value(group, "--preset", "NAME", "Use the rules of this scorer (matchwise tasks TASK lists them).")
    several(group, "--option", "K=V", "Set an option of the task; may be repeated.")
    several(
        group, "--metric", "EXPR|NAME=EXPR|FILE.py:NAME",
        help="Score by this expression, or by a similarity or suite that a Python file defines; may be repeated.",
    )  # fmt: skip
    value(group, "--type", "FILE.py:CLASS", "The class of a document. Without --metric, the metric is derived from it.")
    value(group, "--schema", "FILE.json", "Derive the metric from this JSON Schema.")
    value(group, "--only", "NAME,...", "Compute only these metrics of the suite.")
    value(
        group, "--adjudications", "FILE",
        help="Score by what a person said of mismatches (templates; see matchwise adjudicate).",
    )  # fmt: skip


def add_files(to: argparse.ArgumentParser, ref_required: bool = True) -> None:
    """The files, and what becomes of those that are wrong."""
    group = to.add_argument_group("files")
    group.add_argument(
        "-r", "--ref", action="append", required=ref_required, metavar="REF", help="The reference file; - is stdin."
    )
    add_reading(group)
    value(group, "--ref-text", "KEY", "The key of each reference that holds the document, as --text for predictions.")
    choice(
        group, "--on-error", ("raise", "skip", "empty"),
        help="What to do with a document that cannot be read or scored: stop, leave it out, or count it as empty "
        "(default: raise, but a prediction of 'documents' that is not JSON counts as empty).",
    )  # fmt: skip
    choice(
        group, "--missing", ("empty", "raise"), default="empty",
        help="Count a missing prediction as empty and name it, or stop with an error (default: %(default)s).",
    )  # fmt: skip
    value(group, "--max-errors", "N", "Stop after N errors.", type=count)


def add_reading(to: argparse._ArgumentGroup) -> None:
    """How files are read."""
    value(to, "--input-format", "NAME", "The format of the files, if it is not recognised.")
    value(
        to, "--id", "KEY", default="id",
        help="The key that holds the id of a JSON document; write none to pair by position.",
    )  # fmt: skip
    choice(
        to, "--unknown-keys", ("count", "error", "warn", "ignore"),
        help="What to do with a JSON key that --type does not have: count it as invented (default with --type alone), "
        "stop with an error (default with --metric), warn, or ignore it.",
    )  # fmt: skip
    value(
        to, "--text", "KEY",
        help="The key of each prediction that holds what a model wrote, such as output or choices.0.message.content; "
        "the JSON in it is found, also in a Markdown fence or after other text.",
    )  # fmt: skip


def add_references(to: argparse.ArgumentParser) -> None:
    """Several references of a document."""
    group = to.add_argument_group("several references")
    choice(
        group, "--references", ("any", "mean", "all"),
        help="Score each document against several references and count the best, their mean, or the worst. They come "
        'from several -r files, or from a list under "references" in each line of JSON.',
    )  # fmt: skip
    choice(
        group, "--per", ("document", "element"), default="document",
        help="Choose the reference for a whole document, or for each element (default: %(default)s).",
    )  # fmt: skip


def add_output(to: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> argparse._ArgumentGroup:
    """Where results go, and in which format, if there is more than one."""
    group = to.add_argument_group("output")
    if formats:
        choice(group, "--format", formats, "The format of the output (default: %(default)s).", default="text")
    group.add_argument("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")
    group.add_argument("-q", "--quiet", action="store_true", help="Show no progress on stderr.")
    return group


def add_breakdowns(to: argparse._ArgumentGroup) -> None:
    """Tables besides the scores."""
    value(to, "--by", "FIELD", "Also print the scores of each label of this field, such as type.")
    flag(to, "--fields", "Also print a table of the fields of a record.")
    add_elements(to)


def add_document(to: argparse.ArgumentParser) -> None:
    """Some documents only."""
    several(to, "--document", "ID", "Show only this document; may be repeated.")


def add_statistics(to: argparse._ArgumentGroup, default: str | None) -> None:
    """Confidence intervals."""
    to.add_argument(
        "--ci", nargs="?", const="delta", default=default, choices=("delta", "bootstrap", "bca"),
        help="Add confidence intervals, by the delta method, the bootstrap or the bias-corrected bootstrap"
        + (f" (default: {default})." if default else " (--ci alone means delta)."),
    )  # fmt: skip
    add_resampling(to, 10_000)
    value(to, "--clusters", "FILE", "Resample clusters of documents. Each line of FILE has an id, a tab and a cluster.")


def add_resampling(to: argparse._ArgumentGroup, resamples: int) -> None:
    """How intervals are estimated."""
    value(to, "--level", "P", "The level of the intervals (default: %(default)s).", type=float, default=0.95)
    value(to, "--resamples", "B", "The number of resamples (default: %(default)s).", type=count, default=resamples)
    value(to, "--seed", "N", "The seed of all random draws (default: %(default)s).", type=int, default=0)


def add_running(to: argparse._ArgumentGroup) -> None:
    """Processes and limits."""
    add_jobs(to)
    value(
        to, "--timeout", "SECONDS", type=seconds,
        help="Give up on a document after SECONDS and report it as an error (uses a worker process).",
    )  # fmt: skip
    add_limits(to)


def add_jobs(to: argparse._ArgumentGroup) -> None:
    """How many processes share the work."""
    value(to, "--jobs", "N", "Share the work among N processes; the result is the same.", type=positive, default=1)


def add_limits(to: argparse._ActionsContainer) -> None:
    """When the search for an optimum stops."""
    value(
        to, "--time-limit", "SECONDS", type=float,
        help="Stop the search for the best matching of a document after SECONDS and print bounds of its score.",
    )  # fmt: skip
    value(to, "--gap", "G", "Stop the search when the bounds are at most G apart.", type=float, default=0.0)


def add_numbers(to: argparse._ArgumentGroup) -> None:
    """How numbers are written."""
    value(to, "--digits", "N", "Digits of a score in tables (default: 4, or 1 with --layout wide).", type=count)
    flag(to, "--percent", "Write scores in tables from 0 to 100 (default with --layout wide).")
    choice(
        to, "--signature", ("short", "long"), default="short",
        help="Cut the signature in text to one line, or print it whole (default: %(default)s).",
    )  # fmt: skip


def add_layout(to: argparse._ArgumentGroup, default: str, *, official: bool = False) -> None:
    """How the scores of several systems are arranged."""
    more = ", or the report of the scorer that the preset follows (templates --preset muc4)" if official else ""
    choice(
        to, "--layout", ("wide", "long", "official") if official else ("wide", "long"),
        help="Print one row for each system with the metrics across, as papers do, or one row for each system and "
        f"metric (default: {default}){more}.",
    )  # fmt: skip


def add_elements(to: argparse._ArgumentGroup) -> None:
    """What became of each element."""
    flag(to, "--categories", "Also count by label what is correct, incorrect, partial, missed or spurious.")
    flag(to, "--confusion", "Also print a confusion matrix of reference against predicted labels.")


def add_average(to: argparse._ArgumentGroup) -> None:
    """What scores are averaged over."""
    choice(
        to, "--average", ("micro", "macro", "weighted", "documents", "fields"), default="micro",
        help="Score the summed counts (micro, the default), or average the scores of the labels of --by (macro, or "
        "weighted by how often a label is in the reference), of documents, or of fields.",
    )  # fmt: skip


def count(text: str, least: int = 0) -> int:
    """A whole number from 0, or from another."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds."""
    return above_zero(text, "a number of seconds above 0")


def above_zero(text: str, expected: str) -> float:
    """A finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return number


def positive(text: str) -> int:
    """A whole number from 1."""
    return count(text, 1)


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


def similarity(text: str) -> float:
    """A number above 0."""
    return above_zero(text, "a similarity above 0; write a number such as 0.9")
