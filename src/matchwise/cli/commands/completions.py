"""What is written from the same tree as the help: completions for the shell, and the manual."""

from __future__ import annotations

import argparse
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import NamedTuple

from matchwise.cli import DONE
from matchwise.cli.arguments import SHELLS, Parser, parser, subparsers
from matchwise.tasks import list_tasks

FILES = re.compile(r"FILE|REF|TABLE|PRED")


def run_completions(args: Namespace) -> int:
    sys.stdout.write({"bash": bash, "zsh": zsh, "fish": fish}[args.inputs]())
    return DONE


def _inputs(command: Parser) -> str:
    """What a command takes besides options: `[TASK] PRED`, `FILE`, …."""
    return next(str(action.metavar) for action in command._actions if not action.option_strings)


def _options(command: Parser) -> list[argparse.Action]:
    return [action for action in command._actions if action.option_strings]


def bash() -> str:
    """Options after a dash, values of options that have a fixed set, tasks as the first word, else files."""
    commands = subparsers(parser())
    cases, values = [], []
    with_task = [name for name, command in commands.items() if "TASK" in _inputs(command)]
    for name, command in commands.items():
        words = " ".join(command.options())
        cases.append(f'    {name}) options="{words}" ;;')
        for action in _options(command):
            if action.choices:
                pattern = "|".join(f"{name}:{word}" for word in action.option_strings)
                words = " ".join(map(str, action.choices))
                values.append(f'    {pattern}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return ;;')
    return f"""\
# bash completions of matchwise; made by: matchwise completions bash
_matchwise() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word")); return
  fi
  case "$command:$before" in
{chr(10).join(values)}
    completions:*) COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "$word")); return ;;
  esac
  case "$command" in
{chr(10).join(cases)}
  esac
  if [ "${{word#-}}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word")); return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$command" in
      {"|".join(with_task)}) COMPREPLY=($(compgen -W "{" ".join(list_tasks())}" -- "$word")) ;;
    esac
  fi
  COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _matchwise matchwise
"""


def zsh() -> str:
    """One `_arguments` per command."""
    commands = subparsers(parser())
    listed = "\n".join(f"    {_quote(f'{name}:{_sentence(command)}')}" for name, command in commands.items())
    cases = []
    for name, command in commands.items():
        specs = [spec for action in _options(command) for spec in _zsh_option(action)]
        first = "1:task or file:_matchwise_first" if "TASK" in _inputs(command) else "1:file:_files"
        if _inputs(command).startswith("TASK"):
            first = f"1:task:(({' '.join(list_tasks())}))"
        elif name == "completions":
            first = f"1:shell:({' '.join(SHELLS)})"
        lines = " \\\n        ".join([*specs, _quote(first), _quote("*:file:_files")])
        cases.append(f"      {name})\n        _arguments \\\n        {lines} ;;")
    return f"""\
#compdef matchwise
# zsh completions of matchwise; made by: matchwise completions zsh
_matchwise_first() {{
  _alternative 'tasks:task:({" ".join(list_tasks())})' 'files:file:_files'
}}
_matchwise() {{
  local -a commands
  commands=(
{listed}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
{chr(10).join(cases)}
  esac
}}
_matchwise "$@"
"""


def _zsh_option(action: argparse.Action) -> list[str]:
    help = re.sub(r"[\[\]:]", " ", _help(action))
    after = ""
    if action.nargs != 0:
        values = f"({' '.join(map(str, action.choices))})" if action.choices else "_files" if _is_file(action) else " "
        after = f":{(action.metavar if isinstance(action.metavar, str) else 'value').replace(':', ' ')}:{values}"
    return [_quote(f"{word}[{help}]{after}") for word in action.option_strings]


def fish() -> str:
    """One line per command and option."""
    commands = subparsers(parser())
    lines = ["# fish completions of matchwise; made by: matchwise completions fish"]
    for name, command in commands.items():
        lines.append(f"complete -c matchwise -n __fish_use_subcommand -f -a {name} -d {_quote(_sentence(command))}")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        if "TASK" in _inputs(command):
            lines.append(f"complete -c matchwise {seen} -a {_quote(' '.join(list_tasks()))}")
        if name == "completions":
            lines.append(f"complete -c matchwise {seen} -f -a '{' '.join(SHELLS)}'")
        for action in _options(command):
            names = action.option_strings
            words = " ".join(f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}" for word in names)
            value = f" -x -a {_quote(' '.join(map(str, action.choices)))}" if action.choices else ""
            if not value and action.nargs != 0:
                value = " -r" if _is_file(action) else " -x"
            lines.append(f"complete -c matchwise {seen} {words}{value} -d {_quote(_help(action))}")
    return "\n".join(lines) + "\n"


def _is_file(action: argparse.Action) -> bool:
    return isinstance(action.metavar, str) and bool(FILES.search(action.metavar))


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%(default)s", str(action.default))
    return text.replace("%%", "%")


def _sentence(command: Parser) -> str:
    return (command.description or "").rstrip(".").replace(":", " -")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


class OptionEntry(NamedTuple):
    """An argument or option as it is written, and what it does."""

    words: str
    sentence: str


def entries(command: Parser) -> Iterator[tuple[str, list[OptionEntry]]]:
    """The groups of a command's help, each with its options; `--help` is left out."""
    formatter = command._get_formatter()
    for group in command._action_groups:
        shown = [action for action in group._group_actions if action.dest != "help"]
        if shown:
            yield group.title or "", [_entry(formatter, action) for action in shown]


def _entry(formatter: argparse.HelpFormatter, action: argparse.Action) -> OptionEntry:
    words = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else formatter._format_args(action, action.dest.upper())
    return OptionEntry(f"{words} {value}".strip() if words else str(action.metavar), formatter._expand_help(action))


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
