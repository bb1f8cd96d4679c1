"""The manual, read from the parser: the options of every command, and a man page. Imports argparse and nothing else."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from matchwise.cli.arguments import Parser, parser, subparsers


class Entry(NamedTuple):
    """An argument or option as it is written, and what it does."""

    words: str
    sentence: str


def entries(command: Parser) -> Iterator[tuple[str, list[Entry]]]:
    """The groups of a command's help, each with its options; `--help` is left out."""
    formatter = command._get_formatter()
    for group in command._action_groups:
        shown = [action for action in group._group_actions if action.dest != "help"]
        if shown:
            yield group.title or "", [_entry(formatter, action) for action in shown]


def _entry(formatter: argparse.HelpFormatter, action: argparse.Action) -> Entry:
    words = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else formatter._format_args(action, action.dest.upper())
    return Entry(f"{words} {value}".strip() if words else str(action.metavar), formatter._expand_help(action))


def examples(command: Parser) -> list[str]:
    """The examples of a command's help."""
    return [line.strip() for line in (command.epilog or "").splitlines()[1:]]


def man_page(version: str) -> str:
    """The man page, in roff.

    >>> man_page("1.0").splitlines()[0]
    '.TH MATCHWISE 1 "" "matchwise 1.0" "User Commands"'
    """
    top = parser()
    description, _, first = (top.description or "").partition("\n")
    lines = [f'.TH MATCHWISE 1 "" "matchwise {version}" "User Commands"']
    lines += [".SH NAME", f"matchwise \\- {_roff(description)}"]
    lines += [".SH SYNOPSIS", ".B matchwise", "\\fICOMMAND\\fR [\\fIoptions\\fR]"]
    lines += [".SH DESCRIPTION", ".nf", *(_roff(line) for line in first.strip("\n").splitlines()), ".fi"]
    for name, command in subparsers(top).items():
        lines += [f".SH {name.upper()}", _roff(command.description or "")]
        for title, shown in entries(command):
            lines += [f".SS {_roff(title)}"]
            for entry in shown:
                lines += [".TP", f"\\fB{_roff(entry.words)}\\fR", _roff(entry.sentence)]
        lines += [".SS examples", ".nf", *(_roff(line) for line in examples(command)), ".fi"]
    lines += [".SH EXIT STATUS", _roff((top.epilog or "").removeprefix("exit codes: "))]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """Text that roff prints as it is: no escapes, no minus that becomes a hyphen, no line that is a request."""
    written = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{written}" if written.startswith((".", "'")) else written
