"""The commands, their help and their arguments. A command's module is imported when the command is named.

A module of `cli/commands` has `EXAMPLES` for its help, `add_arguments(to)`, and `run(args)` with the exit code. Options
that several commands share are written down once, in `SHARED`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import takewhile
from math import inf
from typing import Any, NamedTuple, NoReturn, TypeAlias

from matchwise._version import __version__

GROUPS = {
    "score systems": {
        "score": "score predictions against a reference",
        "compare": "compare systems: is one of them really better?",
        "report": "write a web page with the scores and with what is wrong in the worst documents",
    },
    "look at what is wrong": {
        "align": "show documents with what is wrong in them",
        "errors": "show what a system got wrong, by kind",
        "check": "find mistakes in files, types and expressions before you score",
    },
    "judge confidences and annotators": {
        "curve": "show precision and recall at every threshold of confidence",
        "calibrate": "check whether confidences can be believed: is 0.8 right in 8 of 10 cases?",
        "agreement": "show how well annotators agree, who deviates and where",
        "adjudicate": "judge, one by one, the mismatches that score --collect-adjudications collected",
    },
    "relate documents": {
        "matrix": "compute the similarity of all pairs of documents",
        "nearest": "find, for each document, the documents that are most like it",
        "duplicates": "find documents of a file that are nearly the same",
        "consensus": "merge several answers for the same documents into one, by vote",
    },
    "about tasks, metrics and files": {
        "tasks": "list the tasks, or one task's metrics, presets, options and formats",
        "plan": "show how a metric is computed, its equation and what is known about it",
        "schema": "infer a JSON Schema from documents, or show the metric of a type",
        "cite": "print the BibTeX of a task's metrics",
        "merge": "add up what several shards saved",
        "completions": "print the completions for your shell",
    },
}
"""Heading of the help -> its commands, each with one sentence."""

COMMANDS = {name: sentence for commands in GROUPS.values() for name, sentence in commands.items()}

SYNONYMS = {"diff": "compare", "eval": "score", "evaluate": "score", "presets": "tasks", "validate": "check"}
"""What people try first -> the command that they mean."""

DESCRIPTION = """\
Score structured predictions against a reference: entities, coreference, parses, graphs, and JSON of any kind.

  matchwise tasks                                  # what can be scored
  matchwise score ner run.conll -r gold.conll      # entities, as one of the tasks
  matchwise score --type models.py:Invoice run.jsonl -r gold.jsonl     # JSON, by its type
  matchwise score --metric 'f1("relations")' run.jsonl -r gold.jsonl   # a metric of your own
"""

EXITS = (
    "exit codes: 0 done, 1 a gate failed, 2 wrong usage, 3 bad data, 4 done, but documents were missing or had errors"
)


class OptionEntry(NamedTuple):
    """An argument or option as it is written, and what it does."""

    words: str
    sentence: str


class Parser(argparse.ArgumentParser):
    """No abbreviations; a mistyped option gets a suggestion. It also lists what manuals and completions say."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: error: {message}\nsee {self.prog} --help\n")
        raise SystemExit(2)

    def examples(self) -> list[str]:
        """The examples of the help."""
        return [line.strip() for line in (self.epilog or "").splitlines()[1:]]

    def entries(self) -> Iterator[tuple[str, list[OptionEntry]]]:
        """The groups of the help, each with its options; `--help` is left out."""
        formatter = self._get_formatter()
        for group in self._action_groups:
            shown = [action for action in group._group_actions if action.dest != "help"]
            if shown:
                yield group.title or "", [_entry(formatter, action) for action in shown]


def _entry(formatter: argparse.HelpFormatter, action: argparse.Action) -> OptionEntry:
    words = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else formatter._format_args(action, action.dest.upper())
    return OptionEntry(f"{words} {value}".strip() if words else str(action.metavar), formatter._expand_help(action))


def command_parser(name: str) -> Parser:
    """The parser of one command."""
    sentence, module = COMMANDS[name], import_module(f"matchwise.cli.commands.{name}")
    made = Parser(
        f"matchwise {name}",
        description=f"{sentence[0].upper()}{sentence[1:]}.".replace("?.", "?"),
        epilog=f"examples:\n{module.EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(made)
    own = {action.dest for action in made._actions}
    made.set_defaults(
        command=name, run=module.run, **{name: value for name, value in ABSENT.items() if name not in own}
    )
    return made


def main_parser() -> Parser:
    """The parser of what is written before a command; its help lists the commands in groups."""
    width = max(map(len, COMMANDS))
    listed = "".join(
        f"\n{heading}:\n" + "".join(f"  {name:<{width}}  {sentence}\n" for name, sentence in commands.items())
        for heading, commands in GROUPS.items()
    )
    top = Parser(
        "matchwise",
        usage="matchwise [-h] [--version] COMMAND ...",
        description=DESCRIPTION + listed,
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"matchwise {__version__}")
    return top


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments of a command."""
    word = next((word for word in argv if not word.startswith("-")), None)
    if word is None:
        return _refuse_no_command(argv)
    if word not in COMMANDS:
        from matchwise.errors import near_word

        near = f"; did you mean {SYNONYMS[word]!r}?" if word in SYNONYMS else near_word(word, COMMANDS)
        main_parser().error(f"no command {word!r}{near}")
    place = argv.index(word)
    command = command_parser(word)
    before, words = argv[:place], argv[place + 1 :]
    if before:
        main_parser().parse_known_args(before)  # --help and --version
    known = command._option_string_actions
    for name in (one.split("=")[0] for one in takewhile(lambda one: one != "--", words) if one.startswith("--")):
        if name not in known:  # before argparse complains about missing arguments
            from matchwise.errors import near_word

            command.error(f"unknown option {name!r}{near_word(name, known)}")
    args, more = command.parse_known_args(words)
    for action in command._actions:
        is_empty = getattr(args, action.dest, None) in ("", [""]) and action.default != ""
        if is_empty and action.option_strings and action.dest != "ref":
            command.error(
                f"{action.option_strings[-1]} is empty; leave it out, or look whether a variable of your shell is"
            )
    several = isinstance(args.inputs, list)
    if wrong := before + [word for word in more if not several or (word.startswith("-") and word != "-")]:
        command.error(f"unexpected {' '.join(wrong)}")
    if hasattr(args, "ref"):  # the first reference file; `refs` are all of them
        args.refs = args.ref or []
        args.ref = args.refs[0] if args.refs else None
    if args.references is None and args.per != "document":
        command.error("--per element needs --references any or all")
    if more:  # argparse takes only the first run of files: score ner --preset seqeval a.conll -r gold.conll
        args.inputs += more
    return args


def _refuse_no_command(argv: list[str]) -> NoReturn:
    top = main_parser()
    if not argv:
        top.print_help()
        raise SystemExit(0)
    top.parse_known_args(argv)
    top.error(f"expected a command: {', '.join(COMMANDS)}")


Add: TypeAlias = Callable[..., object]
"""Adds an argument to a command, or to a group of its help, as argparse's `add_argument` does."""


def add_group(to: argparse.ArgumentParser, title: str, *names: str, **changes: dict[str, Any]) -> Add:
    """A group of the help, which begins with options of `SHARED`, changed as in `ref={"required": False}`.

    Returns what adds further options to it.
    """
    add = to.add_argument_group(title).add_argument
    add_shared(add, *names, **changes)
    return add


def add_shared(add: Add, *names: str, **changes: dict[str, Any]) -> None:
    """Options of `SHARED`."""
    for name in names:
        about = SHARED[name] | changes.get(name.strip("-"), {})
        short = about.pop("short", None)
        add(*([short] if short else []), name, **about)


class Limit(NamedTuple):
    """How many documents may have a fault: a number of them, or a share in percent."""

    most: float
    is_share: bool

    def explain_failure(self, found: int, documents: int, fault: str) -> str | None:
        """The message of a failed gate, or None."""
        from matchwise.errors import count_units

        if found <= (self.most * documents / 100 if self.is_share else self.most):
            return None
        allowed = f"{self.most:g} %" if self.is_share else f"{self.most:g}"
        return f"{found} of {count_units(documents, 'documents')} {fault}; at most {allowed} may"


def limit(text: str) -> Limit:
    """A number of documents, or a share of them.

    >>> limit("5%"), limit("3")
    (Limit(most=5.0, is_share=True), Limit(most=3.0, is_share=False))
    """
    is_share = text.endswith("%")
    try:
        most = float(text.removesuffix("%").strip())
    except ValueError:
        most = float("nan")
    if not 0 <= most < float("inf") or not (most <= 100 if is_share else most.is_integer()):
        raise argparse.ArgumentTypeError(
            f"{text!r}; write a number of documents, as in 3, or a share of them, as in 5%"
        )
    return Limit(most, is_share)


def count(text: str, least: int = 0, most: float = inf) -> int:
    """A whole number from 0, or from another."""
    if not text.isdecimal() or len(text) > 4000 or not least <= int(text) <= most:  # int() reads 4,300 digits
        from matchwise.errors import shorten

        upto = "" if most == inf else f" to {most}"
        raise argparse.ArgumentTypeError(f"{shorten(text)} is not a whole number from {least}{upto}")
    return int(text)


def digits(text: str) -> int:
    """A whole number from 0 to 17: no float has more digits."""
    return count(text, 0, 17)


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
        "metavar": "N", "type": digits, "help": "Digits of a score in tables (default: 4, or 1 with --layout wide).",
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
        "metavar": "N", "type": count, "default": 0, "help": "The seed of all random draws (default: %(default)s).",
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
    "--ref": {
        "short": "-r", "action": "append", "required": True, "metavar": "REF",
        "help": "The reference file; - is stdin.",
    },
    "--ci": {
        "choices": ("delta", "bootstrap", "bca"), "nargs": "?", "const": "delta",
        "help": "Add confidence intervals, by the delta method, the bootstrap or the bias-corrected bootstrap (--ci "
        "alone means delta).",
    },
    "--fail-unreadable": {
        "metavar": "N", "type": limit,
        "help": "Exit with code 1 if more than N predictions (or N%%, as in 5%%) could not be read, whether they count "
        "as empty or are left out.",
    },
    "--fail-missing": {
        "metavar": "N", "type": limit, "help": "Exit with code 1 if more than N documents (or N%%) have no prediction.",
    },
    "--format": {
        "choices": ("text", "json", "jsonl", "csv", "markdown", "latex", "html"), "default": "text",
        "help": "The format of the output (default: %(default)s).",
    },
    "--output": {"short": "-o", "metavar": "FILE", "help": "Write to FILE instead of stdout."},
    "--quiet": {"short": "-q", "action": "store_true", "help": "Show no progress and no warnings on stderr."},
    "--verbose": {
        "action": "store_true", "help": "List all kinds of warnings on stderr, not only the five most frequent.",
    },
}  # fmt: skip
"""Option -> what argparse is told of it, and its short form; a command says which of them it has."""

METRIC = ("--preset", "--option", "--metric", "--type", "--schema", "--only", "--adjudications")
READING = ("--input-format", "--id", "--unknown-keys", "--lax", "--text")
FILES = ("--ref", *READING, "--ref-id", "--ref-text", "--on-error", "--missing", "--max-errors")
REFERENCES = ("--references", "--per")
ELEMENTS = ("--categories", "--confusion")
BREAKDOWNS = ("--by", "--fields", *ELEMENTS)
NUMBERS = ("--digits", "--percent", "--signature")
RESAMPLING = ("--level", "--resamples", "--seed")
INTERVALS = ("--ci", *RESAMPLING, "--clusters")
LIMITS = ("--time-limit", "--gap")
RUNNING = ("--jobs", "--timeout", *LIMITS)
ABSENT_PREDICTIONS = ("--fail-unreadable", "--fail-missing")
WRITING = ("--output", "--quiet", "--verbose")
OUTPUT = ("--format", *WRITING)

BY_DELTA = {"default": "delta", "help": str(SHARED["--ci"]["help"]).replace("--ci alone means", "default:")}
"""What is different about `--ci` where intervals are there without being asked for."""

LAYOUT = (
    "Print one row for each system with the metrics across, as papers do, or one row for each system and metric "
    "(default: {})"
)
"""The help of `--layout`."""


ABSENT: dict[str, Any] = {
    "adjudications": None, "average": "micro", "by": None, "categories": False, "ci": None, "columns": (),
    "confusion": False, "fields": False, "jobs": 1, "lax": False, "on_error": None, "per": "document", "ref_id": None,
    "ref_text": None, "references": None, "refs": (), "text": None, "timeout": None, "unknown_keys": None,
}  # fmt: skip
"""What options are that a command does not have."""
