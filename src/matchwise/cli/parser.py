"""The parser of the command line, and the help of its commands. Imports argparse and nothing else that takes time."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from functools import partial
from typing import NoReturn, Protocol

from matchwise.cli import analyses, arguments

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


MODULES = {
    "calibrate": "curves", "cite": "tasks", "consensus": "relations", "curve": "curves", "duplicates": "relations",
    "errors": "align", "matrix": "relations", "merge": "score", "nearest": "relations", "plan": "metrics",
    "schema": "metrics",
}  # fmt: skip
"""The module of a command in `cli/commands`, if it does not have the command's name."""


class Parser(argparse.ArgumentParser):
    """No abbreviations; a mistyped command or option gets a suggestion."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: error: {message}\nsee {self.prog} --help\n")
        raise SystemExit(2)

    def options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]


class Command(Protocol):
    def __call__(self, name: str, sentence: str, examples: str) -> Parser: ...


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments of a command."""
    top = parser()
    commands = subparsers(top)
    word = next((word for word in argv if not word.startswith("-")), None)
    if word is not None and word not in commands:
        top.error(f"no command {word!r}{_suggestion(word, commands)}")
    if not argv:
        top.print_help()
        raise SystemExit(0)
    if word is None and not {"-h", "--help", "--version"} & set(argv):
        top.error(f"expected a command: {', '.join(commands)}")
    if word is not None:
        _check_options(argv[argv.index(word) + 1 :], commands[word])
    args, more = top.parse_known_args(argv)
    several = isinstance(getattr(args, "inputs", None), list)
    if wrong := [word for word in more if not several or (word.startswith("-") and word != "-")]:
        commands[args.command].error(f"unexpected {' '.join(wrong)}")
    _take_references(args, commands[args.command])
    if more:  # argparse takes only the first run of files: score ner --preset seqeval a.conll -r gold.conll
        args.inputs += more
    return args


def _take_references(args: argparse.Namespace, command: Parser) -> None:
    """`ref` is the first reference file, `refs` are all of them."""
    if not hasattr(args, "ref"):
        return
    args.refs = args.ref or []
    args.ref = args.refs[0] if args.refs else None
    several = getattr(args, "references", None)
    if several is None and getattr(args, "per", "document") != "document":
        command.error("--per element needs --references any or all")


def _check_options(words: list[str], command: Parser) -> None:
    """Before argparse complains of something else that is missing."""
    known = command.options()
    for word in words:
        if word == "--":
            return
        name = word.split("=")[0]
        if word.startswith("--") and name not in known:
            command.error(f"unknown option {name!r}{_suggestion(name, known)}")


def subparsers(top: argparse.ArgumentParser) -> dict[str, Parser]:
    """Command -> its parser, in the order of the help."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _suggestion(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def parser() -> Parser:
    """The whole tree."""
    from matchwise._version import __version__

    # Else argparse asks for the width of the terminal with each option, by `shutil`, which imports all compressions.
    formatter = partial(argparse.RawDescriptionHelpFormatter, width=_columns() - 2)
    top = Parser("matchwise", description=DESCRIPTION, epilog=EXITS, formatter_class=formatter, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"matchwise {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def command(name: str, sentence: str, examples: str) -> Parser:
        made: Parser = commands.add_parser(
            name, help=sentence, description=f"{sentence[0].upper()}{sentence[1:]}.", epilog=f"examples:\n{examples}",
            formatter_class=formatter, allow_abbrev=False,
        )  # fmt: skip
        return made

    arguments.define_score(command)
    arguments.define_compare(command)
    analyses.define_curve(command)
    analyses.define_calibrate(command)
    analyses.define_agreement(command)
    arguments.define_align(command)
    arguments.define_report(command)
    arguments.define_errors(command)
    arguments.define_adjudicate(command)
    analyses.define_matrix(command)
    analyses.define_nearest(command)
    analyses.define_duplicates(command)
    analyses.define_consensus(command)
    arguments.define_check(command)
    arguments.define_plan(command)
    arguments.define_tasks(command)
    arguments.define_cite(command)
    arguments.define_merge(command)
    arguments.define_schema(command)
    arguments.define_completions(command)
    return top


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns or 80
    except (OSError, ValueError):  # no terminal; no number
        return 80
