"""`matchwise completions`: scripts for shells, which ask this command for the words that may come next.

`--words LINE` prints them, one on each line; where there are none, a shell offers files.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator

from matchwise.cli import DONE
from matchwise.cli.commands.tasks import metrics_of
from matchwise.cli.parser import COMMANDS, Parser, command_parser
from matchwise.formats import formats_of
from matchwise.tasks import Task, is_task, list_tasks, task

EXAMPLES = """\
  matchwise completions bash > ~/.local/share/bash-completion/completions/matchwise
  matchwise completions zsh > ~/.zfunc/_matchwise
  matchwise completions fish > ~/.config/fish/completions/matchwise.fish"""

SCRIPTS = {
    "bash": """\
# bash completions of matchwise; made by: matchwise completions bash
_matchwise() {
  local line="${COMP_LINE:0:COMP_POINT}" IFS=$'\\n'
  local word="${line##*[[:space:]]}"
  local start="${word%"${word##*[=:]}"}"  # bash sees a new word after = and :
  COMPREPLY=($(matchwise completions bash --words "$line" 2>/dev/null))
  COMPREPLY=("${COMPREPLY[@]#"$start"}")
}
complete -o default -F _matchwise matchwise
""",
    "zsh": """\
#compdef matchwise
# zsh completions of matchwise; made by: matchwise completions zsh
_matchwise() {
  local -a found
  found=("${(@f)$(matchwise completions zsh --words "${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
_matchwise "$@"
""",
    "fish": """\
# fish completions of matchwise; made by: matchwise completions fish
function __matchwise
  set -l found (matchwise completions fish --words (commandline -cp) 2>/dev/null)
  if test -n "$found"; printf '%s\\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c matchwise -f -a '(__matchwise)'
""",
}


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs=None, metavar="SHELL", help="One of bash, zsh and fish.", choices=tuple(SCRIPTS))
    to.add_argument(
        "--words", metavar="LINE", help="Print what the last word of LINE may become; the scripts ask this."
    )


def run(args: Namespace) -> int:
    made = SCRIPTS[args.inputs] if args.words is None else "".join(f"{word}\n" for word in complete(args.words))
    sys.stdout.write(made)
    return DONE


def complete(line: str) -> list[str]:
    """What the last word of a line may become; nothing where it is the name of a file, or anything else.

    >>> complete("matchwise sc"), complete("matchwise score ner --preset se")
    (['score', 'schema'], ['seqeval'])
    """
    *words, word = line.split(" ")
    before = [one for one in words if one][1:]  # the first is this program
    if not before:
        return _begin(word, [*COMMANDS, "--help", "--version"])
    name, *given = before
    if name not in COMMANDS:
        return []
    command = command_parser(name)
    options = command._option_string_actions
    about = next((task(one) for one in given if is_task(one)), None) if name != "completions" else None
    if given and given[-1] in options and options[given[-1]].nargs != 0:
        action = options[given[-1]]
        if action.choices:
            return _begin(word, map(str, action.choices))
        return [] if about is None else _begin(word, _values_of_task(action.dest, about, word))
    if word.startswith("-"):
        return _begin(word, options)
    return _begin(word, _inputs(command)) if not given else []


def _begin(word: str, known: Iterable[str]) -> list[str]:
    return [one for one in known if one.startswith(word)]


def _inputs(command: Parser) -> list[str]:
    """What may follow a command."""
    metavar = next(str(action.metavar) for action in command._actions if not action.option_strings)
    return list_tasks() if "TASK" in metavar else list(SCRIPTS) if metavar == "SHELL" else []


def _values_of_task(option: str, about: Task, word: str) -> Iterator[str]:
    """The presets, formats, options and metrics of the task that stands before."""
    match option:
        case "preset":
            yield from about.presets
        case "input_format":
            yield from formats_of(about.name) or ("jsonl",)
        case "option":
            for one in about.options:
                values = one.choices or (("true", "false") if one.type == "boolean" else ("",))
                yield from (f"{one.name}={value}" for value in values)
        case "only":
            start = word[: word.rfind(",") + 1]
            yield from dict.fromkeys(f"{start}{name}" for preset in about.presets for name in metrics_of(about, preset))
