"""Makes two pages when the site is built: the Python API from the public names, the command line from its parser."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import matchwise
from matchwise.cli.parser import COMMANDS, EXITS, command_parser

GROUPS = {
    "Build a metric": ("algebra.build", "similarities", "algebra.nodes"),
    "Derive a metric from types": ("deriving",),
    "Score": ("engine", "views", "runners.runner", "runners.tables", "corpus", "statistics"),
    "Look at a metric": ("algebra.equation", "algebra.facts", "algebra.text", "algebra.steps", "tasks"),
    "Rank, relate and agree": ("confidence", "relating"),
    "Loops and rewards": ("integrations",),
    "Errors": ("errors",),
}
"""A heading of the page -> beginnings of the modules whose names are under it."""


def api() -> str:
    """Every public name, in the groups of `GROUPS`."""
    homes = homes_of_names()
    lines = ["# Python API", "", "Import these names from `matchwise`. Every example runs in the tests.", ""]
    for title, beginnings in GROUPS.items():
        names = [name for name in matchwise.__all__ if homes[name].startswith(beginnings)]
        lines += [f"## {title}", ""]
        for name in names:
            lines += [f"::: {_definition(name, f'matchwise.{homes[name]}')}", ""]
    return "\n".join(lines)


def homes_of_names() -> dict[str, str]:
    """Public name -> the module that the stub imports it from, within the package."""
    stub = Path(matchwise.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    lines = (line for line in ast.parse(stub).body if isinstance(line, ast.ImportFrom))
    return {alias.name: line.module or "" for line in lines for alias in line.names}


def _definition(name: str, home: str) -> str:
    """Where a name is defined, which may be deeper than where it is imported from."""
    module = getattr(getattr(matchwise, name), "__module__", None) or home
    return f"{module}.{name}" if hasattr(import_module(module), name) else f"{home}.{name}"


def command_line() -> str:
    """Every command with its options."""
    lines = [
        "# The command line",
        "",
        "This page is made from the parser. It says what `matchwise COMMAND --help` says;",
    ]
    lines += ["[the pages of the commands](../cli.md) have examples with their output.", ""]
    for name in COMMANDS:
        command = command_parser(name)
        lines += [f"## {name}", "", f"{command.description} [Examples with their output](../commands/{name}.md).", ""]
        for title, shown in command.entries():
            lines += [f"**{title.capitalize()}**", "", "| | |", "|---|---|"]
            lines += [f"| `{_cell(words)}` | {_cell(sentence)} |" for words, sentence in shown]
            lines += [""]
        lines += ["```sh", *command.examples(), "```", ""]
    lines += ["## Exit codes", "", f"{EXITS.removeprefix('exit codes: ').capitalize()}.", ""]
    return "\n".join(lines)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """MkDocs shows the backslash of `a\\|b` in a cell, which GitHub needs there; its own tables take the bare sign."""
    return re.sub(r"`[^`\n]*`", lambda code: code[0].replace("\\|", "|"), markdown)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


PAGES = {"reference/api.md": api, "reference/cli.md": command_line}


def on_files(files: Any, config: Any) -> Any:
    """MkDocs asks this hook for more pages before it builds the site."""
    from mkdocs.structure.files import File

    for name, make in PAGES.items():
        files.append(File.generated(config, name, content=make()))
    return files
