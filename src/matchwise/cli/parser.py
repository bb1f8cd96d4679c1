"""The commands, their help and their arguments. A command's module is imported when the command is named.

A module of `cli/commands` has `EXAMPLES` for its help, `add_arguments(to)`, and `run(args)` with the exit code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple, NoReturn

from matchwise._version import __version__
from matchwise.cli.options import ABSENT, Arguments

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

    def options(self) -> list[str]:
        """All options, as they are written."""
        return [name for action in self._actions for name in action.option_strings]

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
    module.add_arguments(Arguments(made))
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
    _check_options(words, command)
    args, more = command.parse_known_args(words)
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


def _check_options(words: list[str], command: Parser) -> None:
    """Check options before argparse complains about missing arguments."""
    known = command.options()
    for word in words:
        if word == "--":
            return
        name = word.split("=")[0]
        if word.startswith("--") and name not in known:
            from matchwise.errors import near_word

            command.error(f"unknown option {name!r}{near_word(name, known)}")
