"""The arguments of a command. Options that several commands share are written down once, in `SHARED`."""

from __future__ import annotations

import argparse
from typing import Any


def count(text: str, least: int = 0) -> int:
    """A whole number from 0, or from another."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1."""
    return count(text, 1)


def counts(text: str) -> tuple[int, ...]:
    """Whole numbers from 1, with commas between them."""
    return tuple(positive(word.strip()) for word in text.split(","))


def seconds(text: str) -> float:
    """A number of seconds."""
    return _above_zero(text, "a number of seconds above 0")


def similarity(text: str) -> float:
    """A number above 0."""
    return _above_zero(text, "a similarity above 0; write a number such as 0.9")


def _above_zero(text: str, expected: str) -> float:
    """A finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}")
    return number


def columns(text: str) -> tuple[str, ...]:
    """Names of scores and counts, with commas between them."""
    from matchwise.errors import suggestion
    from matchwise.sheets.table import COUNTS, SCORES

    found = tuple(word.strip().lower() for word in text.split(","))
    for name in found:
        if name not in SCORES and name not in COUNTS:
            known = ("precision", "recall", "f1", "value", "matched", "predicted", "reference")
            raise argparse.ArgumentTypeError(f"no column {name!r}{suggestion(name, known)}")
    return found


def shares(text: str) -> tuple[float, ...]:
    """Numbers above 0 and up to 1, with commas between them."""
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = (0.0,)
    if not all(0 < number <= 1 for number in found):
        raise argparse.ArgumentTypeError(f"{text!r}; write numbers above 0 and up to 1, as in 0.5,0.75")
    return found


SHARED: dict[str, dict[str, Any]] = {
    "--preset": {"metavar": "NAME", "help": "Use the rules of this scorer (matchwise tasks TASK lists them)."},
    "--option": {
        "action": "append", "default": [], "metavar": "K=V", "help": "Set an option of the task; may be repeated.",
    },
    "--metric": {
        "action": "append", "default": [], "metavar": "EXPR|NAME=EXPR|FILE.py:NAME",
        "help": "Score by this expression, or by a similarity or suite that a Python file defines; may be repeated.",
    },
    "--type": {
        "metavar": "FILE.py:CLASS", "help": "The class of a document. Without --metric, the metric is derived from it.",
    },
    "--schema": {"metavar": "FILE.json", "help": "Derive the metric from this JSON Schema."},
    "--only": {"metavar": "NAME,...", "help": "Compute only these metrics of the suite."},
    "--adjudications": {
        "metavar": "FILE", "help": "Score by what a person said of mismatches (templates; see matchwise adjudicate).",
    },
    "--input-format": {"metavar": "NAME", "help": "The format of the files, if it is not recognised."},
    "--id": {
        "metavar": "KEY", "default": "id",
        "help": "The key that holds the id of a JSON document; write none to pair by position.",
    },
    "--ref-id": {"metavar": "KEY", "help": "The key that holds the id of a reference, if it is not that of --id."},
    "--unknown-keys": {
        "choices": ("count", "error", "warn", "ignore"),
        "help": "What to do with a JSON key that --type does not have: count it as spurious (default with --type "
        "alone), stop with an error (default with --metric), warn, or ignore it.",
    },
    "--lax": {
        "action": "store_true",
        "help": "Read values as Pydantic's lax mode does, whatever the type: \"12\" for an integer, \"yes\" for true.",
    },
    "--text": {
        "metavar": "KEY",
        "help": "The key of each prediction that holds what a model wrote, such as output or "
        "choices.0.message.content; the JSON in it is found, also in a Markdown fence or after other text. 'auto' "
        "finds the key in logs and exports of many tools.",
    },
    "--ref-text": {
        "metavar": "KEY", "help": "The key of each reference that holds the document, as --text for predictions.",
    },
    "--on-error": {
        "choices": ("raise", "skip", "empty"),
        "help": "What to do with a document that cannot be read or scored: stop, leave it out, or count it as "
        "empty (default: raise, but a prediction of 'documents' that is not JSON counts as empty).",
    },
    "--missing": {
        "choices": ("empty", "raise"), "default": "empty",
        "help": "Count a missing prediction as empty and name it, or stop with an error (default: %(default)s).",
    },
    "--max-errors": {"metavar": "N", "type": count, "help": "Stop after N errors."},
    "--references": {
        "choices": ("any", "mean", "all"),
        "help": "Score each document against several references and count the best, their mean, or the worst. They "
        'come from several -r files, or from a list under "references" in each line of JSON.',
    },
    "--per": {
        "choices": ("document", "element"), "default": "document",
        "help": "Choose the reference for a whole document, or for each element (default: %(default)s).",
    },
    "--by": {"metavar": "FIELD", "help": "Also print the scores of each label of this field, such as type."},
    "--fields": {"action": "store_true", "help": "Also print a table of the fields of a record."},
    "--categories": {
        "action": "store_true", "help": "Also count by label what is correct, incorrect, partial, missed or spurious.",
    },
    "--confusion": {
        "action": "store_true", "help": "Also print a confusion matrix of reference against predicted labels.",
    },
    "--document": {
        "action": "append", "default": [], "metavar": "ID", "help": "Show only this document; may be repeated.",
    },
    "--average": {
        "choices": ("micro", "macro", "weighted", "documents", "fields"), "default": "micro",
        "help": "Score the summed counts (micro, the default), or average the scores of the labels of --by (macro, "
        "or weighted by how often a label is in the reference), of documents, or of fields.",
    },
    "--digits": {
        "metavar": "N", "type": count, "help": "Digits of a score in tables (default: 4, or 1 with --layout wide).",
    },
    "--percent": {"action": "store_true", "help": "Write scores in tables from 0 to 100 (default with --layout wide)."},
    "--signature": {
        "choices": ("short", "long"), "default": "short",
        "help": "Cut the signature in text to one line, or print it whole (default: %(default)s).",
    },
    "--level": {
        "metavar": "P", "type": float, "default": 0.95, "help": "The level of the intervals (default: %(default)s).",
    },
    "--resamples": {
        "metavar": "B", "type": count, "default": 10_000, "help": "The number of resamples (default: %(default)s).",
    },
    "--seed": {
        "metavar": "N", "type": int, "default": 0, "help": "The seed of all random draws (default: %(default)s).",
    },
    "--clusters": {
        "metavar": "FILE", "help": "Resample clusters of documents. Each line of FILE has an id, a tab and a cluster.",
    },
    "--jobs": {
        "metavar": "N", "type": positive, "default": 1,
        "help": "Share the work among N processes; the result is the same.",
    },
    "--timeout": {
        "metavar": "SECONDS", "type": seconds,
        "help": "Give up on a document after SECONDS and report it as an error (uses a worker process).",
    },
    "--time-limit": {
        "metavar": "SECONDS", "type": float,
        "help": "Stop the search for the best matching of a document after SECONDS and print bounds of its score.",
    },
    "--gap": {
        "metavar": "G", "type": float, "default": 0.0, "help": "Stop the search when the bounds are at most G apart.",
    },
}  # fmt: skip
"""Option -> what argparse is told of it; a command says which of them it has."""

METRIC = ("--preset", "--option", "--metric", "--type", "--schema", "--only", "--adjudications")
READING = ("--input-format", "--id", "--unknown-keys", "--lax", "--text")
REFERENCES = ("--references", "--per")
ELEMENTS = ("--categories", "--confusion")
BREAKDOWNS = ("--by", "--fields", *ELEMENTS)
NUMBERS = ("--digits", "--percent", "--signature")
RESAMPLING = ("--level", "--resamples", "--seed")
LIMITS = ("--time-limit", "--gap")
RUNNING = ("--jobs", "--timeout", *LIMITS)

ABSENT: dict[str, Any] = {
    "adjudications": None, "average": "micro", "by": None, "categories": False, "ci": None, "columns": (),
    "confusion": False, "fields": False, "jobs": 1, "lax": False, "on_error": None, "per": "document", "ref_id": None,
    "ref_text": None, "references": None, "refs": (), "text": None, "timeout": None, "unknown_keys": None,
}  # fmt: skip
"""What options are that a command does not have."""

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "latex", "html")


class Arguments:
    """The arguments of a command, or of one group of its help."""

    def __init__(self, to: argparse._ActionsContainer) -> None:
        self.to, self.add = to, to.add_argument

    def shared(self, *names: str) -> None:
        """Options of `SHARED`."""
        for name in names:
            self.add(name, **SHARED[name])

    def group(self, title: str, *names: str) -> Arguments:
        """A group of the help, which begins with options of `SHARED`."""
        made = Arguments(self.to.add_argument_group(title))
        made.shared(*names)
        return made

    def default(self, **values: Any) -> None:
        """Other values of options that are left out, or values of options that there are not."""
        self.to.set_defaults(**values)

    def metric(self) -> None:
        """What is measured."""
        self.group("what is measured", *METRIC)

    def files(self, *, ref_required: bool = True) -> None:
        """The files, and what becomes of those that are wrong."""
        group = self.group("files")
        help = "The reference file; - is stdin."
        group.add("-r", "--ref", action="append", required=ref_required, metavar="REF", help=help)
        group.shared(*READING, "--ref-id", "--ref-text", "--on-error", "--missing", "--max-errors")

    def intervals(self, default: str | None) -> None:
        """Confidence intervals."""
        said = f"default: {default}" if default else "--ci alone means delta"
        self.add(
            "--ci", choices=("delta", "bootstrap", "bca"), nargs="?", const="delta", default=default,
            help="Add confidence intervals, by the delta method, the bootstrap or the bias-corrected bootstrap "
            f"({said}).",
        )  # fmt: skip
        self.shared(*RESAMPLING, "--clusters")

    def layout(self, default: str, *, official: bool = False) -> None:
        """How the scores of several systems are arranged."""
        more = ", or the report of the scorer that the preset follows (boxes --preset coco, for one)" if official else ""
        self.add(
            "--layout", choices=("wide", "long", "official") if official else ("wide", "long"),
            help="Print one row for each system with the metrics across, as papers do, or one row for each system and "
            f"metric (default: {default}){more}.",
        )  # fmt: skip

    def output(self, formats: tuple[str, ...] = FORMATS) -> Arguments:
        """Where results go, and in which format, if there is more than one."""
        group = self.group("output")
        if formats:
            group.add(
                "--format", choices=formats, help="The format of the output (default: %(default)s).", default="text"
            )
        group.add("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")
        group.add("-q", "--quiet", action="store_true", help="Show no progress and no warnings on stderr.")
        group.add(
            "--verbose",
            action="store_true",
            help="List all kinds of warnings on stderr, not only the five most frequent.",
        )
        return group
