"""Makes two pages when the site is built: the Python API from the public names, the command line from its parser."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import matchwise
from matchwise.cli.arguments import parser, subparsers
from matchwise.cli.commands.completions import entries, examples

GROUPS = {
    "Build a metric": ("algebra.build", "similarities", "algebra.nodes"),
    "Derive a metric from types": ("deriving",),
    "Score": ("engine", "views", "runners.runner", "runners.tables", "corpus"),
    "Look at a metric": ("algebra.equation", "algebra.facts", "algebra.text", "algebra.steps", "tasks"),
    "Rank, relate and agree": ("runners.curves", "relating"),
    "Loops and rewards": ("integrations",),
    "Errors": ("errors",),
}
"""A heading of the page -> beginnings of the modules whose names are under it."""


def api() -> str:
    """Every public name, in the groups of `GROUPS`."""
    homes = matchwise._HOME
    lines = ["# Python API", "", "Import these names from `matchwise`. Every example runs in the tests.", ""]
    for title, beginnings in GROUPS.items():
        names = [name for name in matchwise.__all__ if homes[name].removeprefix("matchwise.").startswith(beginnings)]
        lines += [f"## {title}", ""]
        for name in names:
            lines += [f"::: {_definition(name)}", ""]
    return "\n".join(lines)


def _definition(name: str) -> str:
    """Where a name is defined, which may be deeper than where it is imported from."""
    found = getattr(matchwise, name)
    module = getattr(found, "__module__", None) or matchwise._HOME[name]
    if hasattr(import_module(module), name):
        return f"{module}.{name}"
    return f"{matchwise._HOME[name]}.{name}"


def command_line() -> str:
    """Every command with its options."""
    top = parser()
    lines = [
        "# The command line",
        "",
        "This page is made from the parser. It says what `matchwise COMMAND --help` says;",
    ]
    lines += ["[the pages of the commands](../cli.md) have examples with their output.", ""]
    for name, command in subparsers(top).items():
        lines += [f"## {name}", "", f"{command.description} [Examples with their output](../commands/{name}.md).", ""]
        for title, shown in entries(command):
            lines += [f"**{title.capitalize()}**", "", "| | |", "|---|---|"]
            lines += [f"| `{_cell(words)}` | {_cell(sentence)} |" for words, sentence in shown]
            lines += [""]
        lines += ["```sh", *examples(command), "```", ""]
    lines += ["## Exit codes", "", f"{(top.epilog or '').removeprefix('exit codes: ').capitalize()}.", ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


PAGES = {"reference/api.md": api, "reference/cli.md": command_line}


def on_files(files: Any, config: Any) -> Any:
    """MkDocs asks this hook for more pages before it builds the site."""
    from mkdocs.structure.files import File

    for name, make in PAGES.items():
        files.append(File.generated(config, name, content=make()))
    return files
